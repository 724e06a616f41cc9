// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transfers of a plan: a list, or, where there would be millions, a rule
// that finds each from the one before.

#ifndef NPU_PLACEMENT_PLANS_TRANSFERS_H
#define NPU_PLACEMENT_PLANS_TRANSFERS_H

#include "npu/Placement/Boxes/Box.h"

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace npu {

/// The DDR as a transfer's sender or receiver.
inline constexpr int kDdr = -1;

/// One box copied from one tile (or DDR) to one or more tiles (or DDR).
struct Transfer {
  int from = 0;
  /// Increasing; {kDdr} for a store.
  std::vector<int> to;
  Box box;

  friend bool operator==(const Transfer &, const Transfer &) = default;
};

/// The most transfers that are listed. A listed transfer takes some 200 bytes,
/// and 4 more for each receiver.
inline constexpr int64_t kMaxListed = 1 << 20;

class GridTransfers;
class GridWalk;

/// Transfers in their order. A list can be changed; a rule takes memory for
/// each tile, and none for each transfer.
class Transfers {
public:
  /// Goes once from the first to the last. A transfer is valid until the next
  /// one is asked for.
  class Iterator {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Transfer;
    using difference_type = std::ptrdiff_t;
    using pointer = const Transfer *;
    using reference = const Transfer &;

    reference operator*() const { return *transfer; }
    pointer operator->() const { return transfer; }
    Iterator &operator++();
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator &a, const Iterator &b) {
      return a.left == b.left;
    }

  private:
    friend class Transfers;

    const Transfer *transfer = nullptr;
    /// So many transfers from this one on.
    std::size_t left = 0;
    std::shared_ptr<GridWalk> walk;
  };
  using value_type = Transfer;
  using iterator = Iterator;
  using const_iterator = Iterator;

  Transfers() = default;
  Transfers(std::vector<Transfer> listed) : listed(std::move(listed)) {}
  Transfers(std::initializer_list<Transfer> listed) : listed(listed) {}
  /// Those between two grids; listed where they are few.
  explicit Transfers(GridTransfers grids);

  std::size_t size() const;
  bool empty() const { return size() == 0; }
  Iterator begin() const;
  Iterator end() const { return {}; }

  /// Whether these are no more than `kMaxListed`.
  bool areListed() const { return !rule; }
  /// The list. Precondition of these three: there is one.
  std::vector<Transfer> &list() { return listed; }
  const std::vector<Transfer> &list() const { return listed; }
  const Transfer &operator[](std::size_t i) const { return listed[i]; }

  friend bool operator==(const Transfers &a, const Transfers &b);

private:
  std::vector<Transfer> listed;
  std::shared_ptr<const GridTransfers> rule;
};

} // namespace npu

#endif // NPU_PLACEMENT_PLANS_TRANSFERS_H
