// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoopPlan.h"

#include "LaneOperations.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/bit.h"

using namespace mlir;

namespace npu {
namespace {

using utils::IteratorType;

/// The bits of a register. LLVM divides vectors that a machine does not have.
constexpr int64_t kRegisterBits = 256;
/// Of 16 registers, those for sums and for what the rows of a block share; two
/// hold what is a row's own.
constexpr int64_t kRegisters = 14;
/// The most registers of a row, and the most rows.
constexpr int64_t kRegistersOfRow = 4, kRows = 6;
/// Registers of a row of which no sums are made.
constexpr int64_t kElementwise = 2;
/// Rows and lanes of a block that is transposed: as many lines of a cache as
/// have places at addresses which differ by a power of two.
constexpr int64_t kTransposed = 8;
/// The most lanes and steps of a block of a sum: larger ones are long code.
constexpr int64_t kBlock = 16;
/// Registers of a row where there are no other rows, so that sums do not wait
/// for each other.
constexpr int64_t kSingleRow = 8;
/// Half of a first-level cache, and half of a second-level one.
constexpr int64_t kPanelBytes = 16 << 10, kRowsBytes = 256 << 10;
/// The fewest rows that make up for a copy of what they share.
constexpr int64_t kFewestSharing = 16;
/// Steps that an extent which is known at run time only counts for.
constexpr int64_t kDynamicSteps = 16;
/// What a lane costs whose element is loaded by itself, in vectors, and what a
/// register costs that comes of a transposed block: a load, and as many
/// shuffles as halve the block.
constexpr double kStrided = 1.5, kOfBlock = 3;

bool isParallel(IteratorType type) { return type == IteratorType::parallel; }
bool isReduction(IteratorType type) { return type == IteratorType::reduction; }

/// Whether rows of a buffer can be loaded as vectors. Elements that are no
/// whole bytes take whole bytes of a buffer, unless they are packed there as
/// well, in rows that begin bytes (npu-pack-elements).
bool hasVectors(Type element, ArrayRef<int64_t> strides, int64_t offset) {
  if (!isPacked(element))
    return bitsOf(element) >= 8 && llvm::isPowerOf2_64(bitsOf(element));
  int64_t perByte = elementsPerByte(element);
  return offset % perByte == 0 &&
         llvm::all_of(strides.drop_back(),
                      [&](int64_t stride) { return stride % perByte == 0; });
}

/// By how much an index grows with a loop; nothing where that differs.
std::optional<int64_t> stepOf(AffineExpr index, unsigned loop, unsigned loops) {
  AffineExpr dim = getAffineDimExpr(loop, index.getContext());
  AffineExpr step =
      simplifyAffineExpr(index.replace(dim, dim + 1) - index, loops, 0);
  if (auto constant = dyn_cast<AffineConstantExpr>(step))
    return constant.getValue();
  return std::nullopt;
}

class Planner {
public:
  Planner(linalg::LinalgOp op, int64_t fewestSteps)
      : op(op), fewestSteps(fewestSteps), extents(op.getStaticLoopRanges()),
        iterators(op.getIteratorTypesArray()) {
    for (Operation &inner : *op.getBlock())
      weight += weightOf(inner);
  }

  std::optional<LoopPlan> best() {
    if (!isPlanned())
      return std::nullopt;
    std::optional<LoopPlan> best;
    double least = 0;
    for (unsigned lane = 0; lane < iterators.size(); ++lane) {
      if (!isParallel(iterators[lane]) || extents[lane] == 1 || !gains(lane))
        continue;
      for (unsigned row = 0; row <= iterators.size(); ++row) {
        bool isRow = row < iterators.size();
        if (isRow && (!isReduced() || row == lane || extents[row] == 1 ||
                      !isParallel(iterators[row])))
          continue;
        for (int64_t registers = 1; registers <= kRegistersOfRow; ++registers) {
          if (!isRow && registers > 1)
            break;
          LoopPlan plan = planOf(
              lane, isRow ? std::optional(row) : std::nullopt, registers);
          double cost = costOf(plan);
          if (!best || cost <= least) {
            best = plan;
            least = cost;
          }
        }
      }
    }
    return best;
  }

private:
  bool isReduced() const { return llvm::any_of(iterators, isReduction); }

  bool moves(OpOperand &operand, unsigned loop) {
    return op.getMatchingIndexingMap(&operand).isFunctionOfDim(loop);
  }

  bool isPlanned() {
    if (!op.hasPureBufferSemantics() || op->getNumResults() != 0 ||
        llvm::is_contained(extents, 0) || steps() < fewestSteps ||
        !llvm::all_of(op.getBlock()->getOperations(), isLanewise) ||
        !llvm::all_of(iterators, [](IteratorType type) {
          return isParallel(type) || isReduction(type);
        }))
      return false;
    for (Value operand : op->getOperands()) {
      Type element = getElementTypeOrSelf(operand.getType());
      bool isNumber = element.isF16() || element.isBF16() || element.isF32() ||
                      element.isF64() || element.isSignlessIntOrIndex();
      if (!isNumber || bitsOf(element) > 64 ||
          (!isa<MemRefType>(operand.getType()) && operand.getType() != element))
        return false;
    }
    // Each step of the parallel loops has an element of each result of its own,
    // and no step of a reduction has one.
    for (OpOperand &init : op.getDpsInitsMutable()) {
      AffineMap map = op.getMatchingIndexingMap(&init);
      if (!map.isProjectedPermutation() ||
          map.getNumResults() != llvm::count_if(iterators, isParallel))
        return false;
      for (unsigned loop = 0; loop < iterators.size(); ++loop)
        if (isReduction(iterators[loop]) && map.isFunctionOfDim(loop))
          return false;
    }
    return true;
  }

  /// The steps of all loops, or as many as are asked for.
  int64_t steps() {
    int64_t product = 1;
    for (int64_t extent : extents) {
      product *= ShapedType::isDynamic(extent) ? kDynamicSteps : extent;
      if (product >= fewestSteps)
        return fewestSteps;
    }
    return product;
  }

  /// Whether vectors along the loop save anything.
  bool gains(unsigned lane) {
    return isReduced() || llvm::any_of(op->getOpOperands(), [&](auto &operand) {
             return laneAccess(op, operand, lane) == LaneAccess::Contiguous;
           });
  }

  int64_t widestBits() {
    int64_t widest = 8;
    auto see = [&](Type type) {
      widest = std::max(widest, bitsOf(computedType(type)));
    };
    for (Value operand : op->getOperands())
      see(getElementTypeOrSelf(operand.getType()));
    for (Operation &inner : op.getBlock()->without_terminator())
      for (Type type : inner.getResultTypes())
        see(type);
    return widest;
  }

  /// `registers` hold a row where there are several.
  LoopPlan planOf(unsigned lane, std::optional<unsigned> row,
                  int64_t registers) {
    LoopPlan plan;
    plan.lane = lane;
    plan.row = row;
    plan.bits = widestBits();
    plan.width = (row ? registers : kElementwise) * kRegisterBits / plan.bits;
    if (row)
      plan.rows = rowsOf(extents[*row],
                         std::min(kRows, (kRegisters - registers) / registers));
    else if (isReduced())
      widenSingleRow(plan);
    else
      chooseTransposed(plan);
    if (!ShapedType::isDynamic(extents[lane]))
      plan.width = std::min(plan.width, extents[lane]);
    if (row)
      choosePanels(plan);
    if (isReduced())
      chooseBlocksToTranspose(plan);
    return plan;
  }

  /// The operands that are read across lanes along the innermost reduction.
  void chooseBlocksToTranspose(LoopPlan &plan) {
    std::optional<unsigned> innermost;
    for (unsigned loop = 0; loop < iterators.size(); ++loop)
      if (isReduction(iterators[loop]) && extents[loop] != 1)
        innermost = loop;
    // Blocks are transposed by halves.
    int64_t size =
        llvm::bit_floor<uint64_t>(std::min(kBlock, kRegisterBits / plan.bits));
    // A block that is whole: the last one may begin before the end of another.
    if (!innermost || plan.hasPanels() || size < 2 ||
        ShapedType::isDynamic(extents[*innermost]) ||
        extents[*innermost] < size)
      return;
    for (OpOperand *input : op.getDpsInputOperands())
      if (!op.getMatchingBlockArgument(input).use_empty() &&
          laneAccess(op, *input, plan.lane) == LaneAccess::Strided &&
          laneAccess(op, *input, *innermost) == LaneAccess::Contiguous)
        plan.transposed.push_back(input->getOperandNumber());
    if (plan.transposed.empty())
      return;
    plan.transposedLoop = *innermost;
    plan.blockSize = size;
  }

  /// Rows that divide an extent into blocks which keep a processor busy: below
  /// 3, sums wait for each other.
  int64_t rowsOf(int64_t extent, int64_t most) {
    constexpr double fewest = 3, perBlock = 0.5;
    most = std::max<int64_t>(1, most / op.getNumDpsInits());
    // A long body has code enough in fewer rows.
    most = std::clamp<int64_t>(36 / std::max<int64_t>(weight, 1), 1, most);
    if (ShapedType::isDynamic(extent))
      return most;
    int64_t best = 1;
    double least = 0;
    for (int64_t rows = 1; rows <= std::min(most, extent); ++rows) {
      int64_t rest = extent % rows;
      double cost = static_cast<double>(extent / rows) *
                    (std::max<double>(rows, fewest) + perBlock);
      if (rest != 0)
        cost += std::max<double>(rest, fewest) + 2 * perBlock;
      if (rows == 1 || cost <= least) {
        best = rows;
        least = cost;
      }
    }
    return best;
  }

  void widenSingleRow(LoopPlan &plan) {
    bool isGathered = llvm::any_of(op->getOpOperands(), [&](auto &operand) {
      return laneAccess(op, operand, plan.lane) == LaneAccess::Strided;
    });
    if (!isGathered && weight <= 8)
      plan.width = kSingleRow * kRegisterBits / plan.bits;
  }

  /// Where an operand lies across the lanes, as that of a transpose: rows along
  /// which it is contiguous, and blocks of them, so that what a cache line
  /// holds is used while it is there.
  void chooseTransposed(LoopPlan &plan) {
    for (OpOperand &operand : op->getOpOperands()) {
      if (laneAccess(op, operand, plan.lane) != LaneAccess::Strided)
        continue;
      for (unsigned loop = 0; loop < iterators.size(); ++loop)
        if (loop != plan.lane && extents[loop] != 1 &&
            laneAccess(op, operand, loop) == LaneAccess::Contiguous) {
          plan.row = loop;
          plan.rows = kTransposed;
          if (!ShapedType::isDynamic(extents[loop]))
            plan.rows = std::min(plan.rows, extents[loop]);
          plan.width = std::min(plan.width, kTransposed);
        }
    }
  }

  void choosePanels(LoopPlan &plan) {
    int64_t rows = extents[*plan.row];
    if (llvm::any_of(extents, ShapedType::isDynamic) || rows < kFewestSharing)
      return;
    int64_t bytes = 0;
    for (OpOperand *input : op.getDpsInputOperands()) {
      bool isUsed = !op.getMatchingBlockArgument(input).use_empty();
      if (!isUsed || !isa<MemRefType>(input->get().getType()) ||
          !isSummed(*input))
        continue;
      Type element = getElementTypeOrSelf(input->get().getType());
      int64_t size = llvm::divideCeil(bitsOf(computedType(element)), 8);
      if (moves(*input, plan.lane) && !moves(*input, *plan.row)) {
        plan.lanePanels.push_back(input->getOperandNumber());
        bytes += size * plan.width;
      } else if (moves(*input, *plan.row) && !moves(*input, plan.lane) &&
                 computedType(element) != element &&
                 extents[plan.lane] >= 4 * plan.width) {
        plan.rowPanels.push_back(input->getOperandNumber());
      }
    }
    if (!plan.hasPanels()) {
      plan.rowPanels.clear();
      return;
    }
    chooseBlocks(plan, bytes);
  }

  /// Whether an operand has other elements for other steps of reductions.
  bool isSummed(OpOperand &operand) {
    for (unsigned loop = 0; loop < iterators.size(); ++loop)
      if (isReduction(iterators[loop]) && extents[loop] != 1 &&
          moves(operand, loop))
        return true;
    return false;
  }

  /// The reductions of which all steps, or some of the outermost, fit a panel.
  void chooseBlocks(LoopPlan &plan, int64_t bytesOfStep) {
    int64_t fitting = std::max<int64_t>(1, kPanelBytes / bytesOfStep);
    int64_t steps = 1;
    for (unsigned loop = iterators.size(); loop-- > 0;) {
      if (!isReduction(iterators[loop]) || extents[loop] == 1)
        continue;
      plan.blocked = loop;
      plan.blockedSteps = std::min(extents[loop], fitting / steps);
      steps *= plan.blockedSteps;
      if (plan.blockedSteps < extents[loop] || fitting / steps < 2)
        break;
    }
    int64_t rows =
        std::max<int64_t>(1, kRowsBytes / (4 * steps) / plan.rows) * plan.rows;
    // Blocks of about the same size.
    int64_t extent = extents[*plan.row];
    int64_t blocks = std::max<int64_t>(1, extent / rows);
    plan.rowsOfBlock =
        llvm::alignTo(llvm::divideCeil(extent, blocks), plan.rows);
    plan.rowsOfBlock = std::min(plan.rowsOfBlock, extent);
  }

  /// Registers that are loaded or computed for an element, estimated.
  double costOf(const LoopPlan &plan) {
    int64_t extent = extents[plan.lane];
    if (ShapedType::isDynamic(extent))
      return costOf(plan, plan.width) / static_cast<double>(plan.width);
    int64_t rest = extent % plan.width;
    double cost =
        static_cast<double>(extent / plan.width) * costOf(plan, plan.width);
    // What is left is code of its own.
    if (rest != 0)
      cost = (cost + costOf(plan, rest)) * 1.02;
    return cost / static_cast<double>(extent);
  }

  /// The same for a row of a block of so many lanes.
  double costOf(const LoopPlan &plan, int64_t width) {
    auto rows = static_cast<double>(isReduced() ? plan.rows : 1);
    auto registers =
        static_cast<double>(llvm::divideCeil(width * plan.bits, kRegisterBits));
    double loads = 0;
    for (OpOperand &operand : op->getOpOperands()) {
      bool isShared = isReduced() && plan.row && !moves(operand, *plan.row);
      loads += costOf(plan, operand, registers, width) * (isShared ? 1 : rows);
    }
    // A processor loads and computes at the same time; sums wait for each
    // other.
    double computed = 2 * registers * static_cast<double>(weight) * rows;
    if (isReduced())
      computed = std::max(computed, 12.0);
    return (loads + computed) / rows;
  }

  double costOf(const LoopPlan &plan, OpOperand &operand, double registers,
                int64_t width) {
    bool isInit = op.isDpsInit(&operand);
    LaneAccess access = laneAccess(op, operand, plan.lane);
    if (access == LaneAccess::Same)
      return isa<MemRefType>(operand.get().getType()) ? 1 : 0;
    double loads = registers;
    if (llvm::is_contained(plan.transposed, operand.getOperandNumber()))
      loads = kOfBlock * registers;
    else if (access == LaneAccess::Strided)
      loads = kStrided * static_cast<double>(width) *
              (isInit && !isReduced() ? 2 : 1);
    if (llvm::is_contained(plan.lanePanels, operand.getOperandNumber()))
      return registers + loads * static_cast<double>(plan.rows) /
                             static_cast<double>(extents[*plan.row]);
    if (isInit && isReduced())
      return loads / 8;
    return loads;
  }

  linalg::LinalgOp op;
  int64_t fewestSteps;
  SmallVector<int64_t> extents;
  SmallVector<IteratorType> iterators;
  int64_t weight = 0;
};

} // namespace

LaneAccess laneAccess(linalg::LinalgOp op, OpOperand &operand, unsigned loop) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!type || !map.isFunctionOfDim(loop))
    return LaneAccess::Same;
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      strides.back() != 1 ||
      !hasVectors(type.getElementType(), strides, offset))
    return LaneAccess::Strided;
  for (AffineExpr result : map.getResults().drop_back())
    if (result.isFunctionOfDim(loop))
      return LaneAccess::Strided;
  return stepOf(map.getResults().back(), loop, map.getNumDims()) == 1
             ? LaneAccess::Contiguous
             : LaneAccess::Strided;
}

std::optional<LoopPlan> planLoops(linalg::LinalgOp op, int64_t fewestSteps) {
  return Planner(op, fewestSteps).best();
}

} // namespace npu
