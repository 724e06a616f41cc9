// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prices that split the cost of moves between those who make a value and those
// who need it, so that each operation, and each value, can be looked at alone:
// the sum of what each costs at least is a bound of the whole.

#ifndef NPU_LIB_ASSIGNMENT_PRICES_H
#define NPU_LIB_ASSIGNMENT_PRICES_H

#include "EqualLayers.h"
#include "Lifetimes.h"
#include "MemoryRents.h"
#include "Sharing.h"

#include <limits>

namespace npu {

/// A reader pays for the form that it takes, a maker gets something for the
/// form that it makes, and the value between them pays for the moves: for any
/// prices, an assignment costs what its operations and values then cost
/// together. So the sum of what each of them costs at least is a bound; to find
/// the prices of the highest bound is the dual of the problem without integers.
/// Memory has prices, too, where it is asked for.
class Prices {
public:
  /// All prices are 0, but that readers of values that many read share the
  /// moves equally. The arguments outlive the prices.
  Prices(const AssignmentProblem &problem, const Lifetimes &lifetimes,
         const std::vector<MemoryRow> &rows);

  /// Goes over the program forward and backward until the bound rises no more
  /// or is `enough`, but not more than `most` times.
  void improve(int most, int64_t enough = std::numeric_limits<int64_t>::max());

  /// Takes the prices of a problem with fewer of the same layers: what is
  /// between them is priced like the layer that stands for it.
  void adopt(const Prices &others, const ShortProblem &shorter);

  /// Whether the costs are small enough for prices to be looked for.
  bool canImprove() const { return areCostsSmall; }

  /// Makes ways and forms pay rents by these prices of the rows, and goes over
  /// the program so many times at most.
  void setRents(const std::vector<int64_t> &rowPrices, int most);

  /// Changes when `atLeast` does.
  int version() const { return changed; }

  const MemoryRents &rents() const { return split.rents; }

  /// Prices are parts of a unit of cost: what many share is divided.
  static constexpr int64_t kScale = 64;

  /// No assignment costs less.
  int64_t bound() const { return rounded(behind(0)); }

  /// Operations from `operation` on, with the values that they make and the
  /// arguments that matter to none before, cost at least so much beside what
  /// `atLeast` says of each value that is live there, and beside the rents of
  /// what exists and ran before; all in prices.
  int64_t behind(int operation) const { return split.leastBehind[operation]; }

  /// What the readers from `operation` on add at least for a value, of which
  /// form f still costs `formCosts[f]`, or is not to be had; forms that do not
  /// exist pay rent besides.
  int64_t atLeast(int value, int operation,
                  const std::vector<int64_t> &formCosts,
                  const std::vector<bool> &exists);

  /// The least cost that is no less than the price.
  static int64_t rounded(int64_t price) {
    return price / kScale + (price % kScale > 0);
  }

  /// The number of readers from `operation` on; `atLeast` depends on no more of
  /// `operation`.
  int readersFrom(int value, int operation) const;

private:
  /// A need of an operation: some form of a value, another one in each way.
  struct Reader {
    int value = 0;
    int operation = 0;
    /// The number of it among the value's readers.
    int place = 0;
    /// What is paid for each form, and for nothing, with the opposite sign;
    /// `kMuch` for what no way takes.
    std::vector<int64_t> offers;
  };
  struct Value {
    std::vector<int> readers;
    /// The forms that it can be made in, and what the maker pays for each.
    std::vector<int> made;
    std::vector<int64_t> revenue;
    /// An argument with more readers than are looked at together: each form is
    /// looked at alone.
    bool isWide = false;
    /// Of wide arguments: the sum of all offers for each form.
    std::vector<int64_t> offered;
    /// The same of its readers from each on, when the bound was computed.
    std::vector<int64_t> offeredFrom;
  };

public:
  /// All that changes.
  struct Split {
    std::vector<Reader> readers;
    std::vector<Value> values;
    MemoryRents rents;
    std::vector<int64_t> leastBehind;
  };

  Split save() const { return split; }
  void restore(Split saved);

private:
  struct Operation {
    std::vector<int> readers;
    /// For each way the form of each reader; the number of forms for nothing.
    std::vector<std::vector<int>> taken;
  };

  /// What the groups of a value's readers pay at least.
  struct KnownGroups {
    /// By group; those that are not known are computed when they are asked for.
    std::vector<bool> isKnown;
    /// By form of the value that can be made, and by group.
    std::vector<std::vector<int64_t>> least;
  };

  void setGroup(int value, int group);
  int groupOf(const Reader &reader) const;
  const KnownGroups &groupsOf(int value);
  void offersChanged(const Reader &reader);

  static int64_t scaled(int64_t cost);
  static std::vector<int64_t> scaledCosts(const std::vector<int64_t> &costs);
  void addReaders(int operation);
  bool isPriced(int value) const;

  void visit(int operation, bool forward);
  void collectResult(int value);
  void collectReader(int number);
  void collectWide(Reader &reader);
  void giveBack(int operation, int place);
  void distribute(int operation, bool forward);
  std::vector<int> targets(int operation, bool forward) const;
  void offer(int operation, int place, int64_t parts,
             std::vector<int64_t> &costs);
  void payMaker(int operation, int result, int64_t parts,
                std::vector<int64_t> &costs);

  const Reader *readerLike(const Reader &reader, int place,
                           const Prices &others,
                           const ShortProblem &shorter) const;
  void adoptOffers(const Prices &others, const ShortProblem &shorter);
  void adoptRevenue(const Prices &others, const ShortProblem &shorter);
  void sumOffered(Value &value) const;
  void settleSeams(const ShortProblem &shorter);

  int64_t reduced(int operation, int way) const;
  std::vector<int64_t> allReduced(int operation) const;
  void setSharing(int value, int from);
  void computeCosts();
  void shareEqually(int value);
  int64_t wideLeast(int value, int from,
                    const std::vector<int64_t> &formCosts) const;
  void sumOffers(Value &value) const;
  int64_t leastOf(int value, int from, const std::vector<int64_t> &formCosts);
  int64_t valueLeast(int value);
  void settle(int most, int64_t enough);
  bool sumUp();
  void reset();

  const AssignmentProblem &problem;
  const Lifetimes &lifetimes;
  bool areCostsSmall;
  std::vector<std::vector<int>> results;
  std::vector<Operation> operations;
  Split split;
  /// Of each value, by the form that it was made in.
  std::vector<std::vector<std::vector<int64_t>>> moveCosts;
  int changed = 0;
  Sharing sharing;
  Sharing::Group group;
  /// By value; emptied where costs or all offers change.
  std::vector<KnownGroups> known;
};

} // namespace npu

#endif // NPU_LIB_ASSIGNMENT_PRICES_H
