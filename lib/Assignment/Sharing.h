// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The factor of a value: the least cost of the layouts that its readers take,
// minimized over all partitions of the readers into sets that share a layout.

#ifndef NPU_LIB_ASSIGNMENT_SHARING_H
#define NPU_LIB_ASSIGNMENT_SHARING_H

#include <cstdint>
#include <span>
#include <vector>

namespace npu {

/// The cost of what is impossible: more than all costs of a problem whose duals
/// are computed, and far from overflow.
inline constexpr int64_t kInfinity = int64_t{1} << 54;

/// Readers that each take one layout of a value, or none; a layout is paid once
/// for all readers that take it. More than kMost readers are divided into
/// groups of nearly equal size, each of which pays the same part of a layout.
/// The sum of the groups' minima is then a lower bound, and exact where all
/// groups take the same layouts.
class Sharing {
public:
  static constexpr int kMost = 5;

  /// At most kMost readers, minimized over all partitions of them.
  struct Group {
    void set(std::span<const std::vector<int64_t> *const> duals, int layouts);
    /// The minimum if layout f costs `costs[f]`. Computes what `lower` reads.
    int64_t least(std::span<const int64_t> costs);
    /// Lowers `marginals[f]` to the min-marginal of the reader's layout f, plus
    /// `extra`, for all layouts and for taking none. Precondition: where the
    /// group has other readers, least() was called with the same costs.
    void lower(int reader, int64_t extra, std::span<const int64_t> costs,
               std::vector<int64_t> &marginals) const;

    int readers = 0, layouts = 0;
    /// For each set of readers and each layout the sum of the readers' duals.
    std::vector<int64_t> sums;
    std::vector<int64_t> nothing;
    /// For each set of readers the minimum if all take one layout, and the
    /// minimum over all partitions.
    std::vector<int64_t> together, leastOf;
  };

  /// The number of groups that `readers` are divided into, and the first reader
  /// of a group.
  static int groupsOf(int readers) { return (readers + kMost - 1) / kMost; }
  static int firstOf(int group, int readers) {
    return static_cast<int>(int64_t{readers} * group / groupsOf(readers));
  }
  /// The part of the layouts' costs that each of `count` groups pays: the costs
  /// themselves for one group, else numbers in `parts`.
  static std::span<const int64_t> partsOf(std::span<const int64_t> costs,
                                          int count,
                                          std::vector<int64_t> &parts);

  /// Sets the readers: taking layout f adds `duals[k][f]` for reader k, taking
  /// none adds `duals[k][layouts]`; kInfinity and above is impossible.
  void set(std::span<const std::vector<int64_t> *const> duals, int layouts);

  /// The minimum if layout f costs `costs[f]`.
  int64_t least(std::span<const int64_t> costs);

private:
  /// The first `count` of them are in use.
  std::vector<Group> groups;
  int count = 0;
  std::vector<int64_t> parts;
};

} // namespace npu

#endif // NPU_LIB_ASSIGNMENT_SHARING_H
