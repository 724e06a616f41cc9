// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lower bound of an assignment's cost by Lagrangian relaxation.
//
// The problem is a graph of factors: an operation, whose states are its
// candidates, and a value, whose states are the sets of layouts that it exists
// in. What couples them is that an operation takes, or makes, a layout in which
// the value exists. Dual decomposition relaxes these constraints: each operand
// and each result has one dual variable for each layout, which its operation
// adds to its own costs and its value subtracts. For any duals the sum of the
// least reduced costs of all factors is a lower bound; the highest such bound
// is that of the local linear program.
//
// Duals::improve raises the bound by block coordinate ascent, forward and
// backward over the program, as TRW-S and sequential MPLP do: an operation
// first collects the min-marginals of the values around it (the messages), so
// that it has all their slack, and then distributes to the values still to come
// what its own candidates do not need. No step lowers the bound. The factor of
// a value with up to five readers is minimized exactly, over all sets of them
// (Sharing.h); a larger one is relaxed further, into groups of readers that
// each pay an equal part of a move, or, for arguments, into one factor a
// layout. Capacity rows are relaxed by multipliers of their own
// (CapacityMultipliers.h).
//
// References: Wainwright, Jaakkola, Willsky, MAP estimation via agreement on
// trees, 2005; Kolmogorov, Convergent tree-reweighted message passing (TRW-S),
// 2006; Werner, A linear programming approach to max-sum problem (min-sum
// diffusion), 2007; Globerson, Jaakkola, Fixing max-product (MPLP), 2007;
// Sontag, Globerson, Jaakkola, Introduction to dual decomposition for
// inference, 2011.

#ifndef NPU_LIB_ASSIGNMENT_DUALS_H
#define NPU_LIB_ASSIGNMENT_DUALS_H

#include "CapacityMultipliers.h"
#include "EqualLayers.h"
#include "Lifetimes.h"
#include "Sharing.h"

#include <limits>

namespace npu {

/// The dual variables of a problem, and the bound that they give.
class Duals {
public:
  /// All duals are 0, except those of arguments with many readers, which divide
  /// the costs of moves equally. The constructor's arguments outlive the duals.
  Duals(const AssignmentProblem &problem, const Lifetimes &lifetimes,
        const std::vector<CapacityRow> &rows);

  /// Block coordinate ascent: at most `most` sweeps forward and backward, until
  /// the bound rises no more or reaches `enough`.
  void improve(int most, int64_t enough = kUnknown);

  /// Starts from the duals of a problem with fewer of the same layers: each
  /// layer that was left out gets those of the layer that stands for it.
  void adopt(const Duals &others, const ShortProblem &shorter);

  /// Whether the costs are small enough for duals to be computed.
  bool canImprove() const { return areCostsSmall; }

  /// Sets the multipliers of the capacity rows, and improves the duals by at
  /// most `most` sweeps.
  void setMultipliers(const std::vector<int64_t> &rowMultipliers, int most);

  /// Changes when the answers of `boundFrom` do.
  int version() const { return changed; }

  const CapacityMultipliers &multipliers() const { return split.multipliers; }

  /// Duals are counted in fractions of a unit of cost, because costs that
  /// several readers share are divided.
  static constexpr int64_t kScale = 64;

  /// A bound that no duals reach.
  static constexpr int64_t kUnknown = std::numeric_limits<int64_t>::max();

  /// No assignment costs less.
  int64_t bound() const { return rounded(after(0)); }

  /// The part of the bound that the operations from `operation` on contribute,
  /// together with their results and the arguments that become live there.
  /// `boundFrom` has the part of each value that is live there. Scaled.
  int64_t after(int operation) const { return split.bounds[operation]; }

  /// A lower bound of what the readers from `operation` on add for a value, of
  /// which layout f still costs `layoutCosts[f]`, or kImpossible. Layouts that
  /// do not exist yet add the cost of their capacity. Scaled.
  int64_t boundFrom(int value, int operation,
                    const std::vector<int64_t> &layoutCosts,
                    const std::vector<bool> &exists);

  /// The least cost that is no less than a scaled bound.
  static int64_t rounded(int64_t scaled) {
    return scaled / kScale + (scaled % kScale > 0);
  }

  /// The number of readers from `operation` on, which is all that `boundFrom`
  /// depends on of `operation`.
  int readersFrom(int value, int operation) const;

private:
  /// An operand of an operation: in each candidate some layout of one value, or
  /// none.
  struct Reader {
    int value = 0;
    int operation = 0;
    /// The number of it among the value's readers.
    int place = 0;
    /// For each layout, and last for taking none, the dual that the operation
    /// subtracts and the value adds; kInfinity for what no candidate takes.
    std::vector<int64_t> duals;
  };
  struct Value {
    std::vector<int> readers;
    /// The layouts that it can be made in, and by layout the dual that the
    /// operation that makes it adds and the value subtracts.
    std::vector<int> made;
    std::vector<int64_t> resultDuals;
    /// An argument with more readers than are minimized over together: each
    /// layout is a factor of its own.
    bool isWide = false;
    /// Of wide arguments: for each layout the sum of its readers' duals.
    std::vector<int64_t> dualSum;
    /// The same of the readers from each on, when the bound was computed.
    std::vector<int64_t> dualSumFrom;
  };

public:
  /// What improve() and setMultipliers() change.
  struct Split {
    std::vector<Reader> readers;
    std::vector<Value> values;
    CapacityMultipliers multipliers;
    std::vector<int64_t> bounds;
  };

  Split save() const { return split; }
  void restore(Split saved);

private:
  struct Operation {
    std::vector<int> readers;
    /// For each candidate the layout of each reader; the number of layouts
    /// where it takes none.
    std::vector<std::vector<int>> taken;
  };

  /// The minima of the groups of a value's readers.
  struct KnownGroups {
    /// By group. Unknown minima are computed when they are asked for.
    std::vector<bool> isKnown;
    /// By layout of the value that can be made, and by group.
    std::vector<std::vector<int64_t>> least;
  };

  void setGroup(int value, int group);
  int groupOf(const Reader &reader) const;
  const KnownGroups &groupsOf(int value);
  void dualsChanged(const Reader &reader);

  static int64_t scaled(int64_t cost);
  static std::vector<int64_t> scaledCosts(const std::vector<int64_t> &costs);
  void addReaders(int operation);
  bool hasDuals(int value) const;

  void visit(int operation, bool forward);
  void collectResultMessages(int value);
  void collectOperandMessages(int number);
  void collectWideMessages(Reader &reader);
  void giveBack(int operation, int place);
  void distribute(int operation, bool forward);
  std::vector<int> targets(int operation, bool forward) const;
  void distributeToOperand(int operation, int place, int64_t parts,
                           std::vector<int64_t> &costs);
  void distributeToResult(int operation, int result, int64_t parts,
                          std::vector<int64_t> &costs);

  const Reader *readerLike(const Reader &reader, int place, const Duals &others,
                           const ShortProblem &shorter) const;
  void adoptOperandDuals(const Duals &others, const ShortProblem &shorter);
  void adoptResultDuals(const Duals &others, const ShortProblem &shorter);
  void sumDuals(Value &value) const;
  void ascendSeams(const ShortProblem &shorter);

  int64_t reduced(int operation, int candidate) const;
  std::vector<int64_t> allReduced(int operation) const;
  void setSharing(int value, int from);
  void computeCosts();
  void shareEqually(int value);
  int64_t wideLeast(int value, int from,
                    const std::vector<int64_t> &layoutCosts) const;
  void sumDualsFrom(Value &value) const;
  int64_t leastOf(int value, int from, const std::vector<int64_t> &layoutCosts);
  int64_t valueLeast(int value);
  void ascend(int most, int64_t enough);
  bool sumUp();
  void reset();

  const AssignmentProblem &problem;
  const Lifetimes &lifetimes;
  bool areCostsSmall;
  std::vector<std::vector<int>> results;
  std::vector<Operation> operations;
  Split split;
  /// Of each value, by the layout that it was made in.
  std::vector<std::vector<std::vector<int64_t>>> moveCosts;
  int changed = 0;
  Sharing sharing;
  Sharing::Group group;
  /// Room for what a message is computed from, and for the message.
  std::vector<int64_t> parts, marginals;
  /// By value; emptied where its costs or all of its duals change.
  std::vector<KnownGroups> known;
};

} // namespace npu

#endif // NPU_LIB_ASSIGNMENT_DUALS_H
