// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What several readers of one value pay together at least, if each has its own
// price for each form.

#ifndef NPU_LIB_ASSIGNMENT_SHARING_H
#define NPU_LIB_ASSIGNMENT_SHARING_H

#include <cstdint>
#include <span>
#include <vector>

namespace npu {

/// The price of what is not to be had: more than all costs of a problem that
/// prices are looked for in, and far from overflow.
inline constexpr int64_t kMuch = int64_t{1} << 54;

/// Readers that each take one form of a value, or nothing; a form is paid once
/// for all that take it. More than `kMost` readers are groups, as equal as
/// possible, each of which pays the same part of a form: what all pay is then a
/// bound, and exact where all groups take the same forms.
class Sharing {
public:
  static constexpr int kMost = 5;

  /// A few of the readers, for whom every way to share forms is looked at.
  struct Group {
    void set(std::span<const std::vector<int64_t> *const> offers, int forms);
    /// The least that they pay if form f costs `costs[f]`. Computes what
    /// `lower` needs.
    int64_t least(std::span<const int64_t> costs);
    /// Lowers `marginals[f]` to the least that they pay, `extra` added, if the
    /// reader takes form f, for all forms and for nothing. After `least`.
    void lower(int reader, int64_t extra, std::span<const int64_t> costs,
               std::vector<int64_t> &marginals) const;

    int readers = 0, forms = 0;
    /// For each form the sum of what its readers pay more, by set of readers.
    std::vector<int64_t> sums;
    std::vector<int64_t> nothing;
    /// By set of readers: the least if all take one form; the least of all.
    std::vector<int64_t> together, leastOf;
  };

  /// So many readers are so many groups, of which group g begins with reader
  /// `firstOf(g, readers)`.
  static int groupsOf(int readers) { return (readers + kMost - 1) / kMost; }
  static int firstOf(int group, int readers) {
    return static_cast<int>(int64_t{readers} * group / groupsOf(readers));
  }
  /// What each of `count` groups pays of the costs of forms.
  static std::vector<int64_t> partsOf(std::span<const int64_t> costs,
                                      int count);

  /// Reader k takes form f for `offers[k][f]` more, or nothing for
  /// `offers[k][forms]` more; `kMuch` and above is not to be had.
  void set(std::span<const std::vector<int64_t> *const> offers, int forms);

  /// The least that all pay if form f costs `costs[f]`.
  int64_t least(std::span<const int64_t> costs);

private:
  /// The first ones are in use.
  std::vector<Group> groups;
  int count = 0;
};

} // namespace npu

#endif // NPU_LIB_ASSIGNMENT_SHARING_H
