// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The places of an operation where a fault changes the function that it is.

#include "FaultsOf.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/Interfaces/RemakeableOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace npu {
namespace {

RankedTensorType resultOf(linalg::LinalgOp op) {
  return dyn_cast<RankedTensorType>(op->getResult(0).getType());
}

bool computes(linalg::LinalgOp op) {
  return op.getBlock()->getOperations().size() > 1;
}

/// Whether the last thing that the body does is to add something to the output.
bool addsUp(linalg::LinalgOp op) {
  Operation *last =
      op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  Value output = op.getRegionOutputArgs()[0];
  return isa_and_nonnull<arith::AddFOp, arith::AddIOp>(last) &&
         llvm::is_contained(last->getOperands(), output) &&
         last->getOperand(0) != last->getOperand(1);
}

/// The operation whose result `value` has, behind reshapes and broadcasts.
Operation *madeBy(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    bool moves = structured && !computes(structured) && !needsNoData(op) &&
                 structured.getNumDpsInputs() == 1;
    Value before = moves ? op->getOperand(0) : viewedTensor(op);
    if (!before)
      return op;
    value = before;
  }
  return nullptr;
}

/// Whether a scale of the result cancels: it is divided by its own sum, and
/// nobody else reads it, as the exponentials of a softmax.
bool isDividedBySum(linalg::LinalgOp op) {
  Operation *sum = nullptr;
  for (Operation *user : op->getUsers())
    if (auto each = dyn_cast<linalg::LinalgOp>(user);
        each && each.getNumReductionLoops() > 0 &&
        each.getNumDpsInputs() == 1 && addsUp(each))
      sum = user;
  return sum && llvm::all_of(op->getUses(), [&](OpOperand &use) {
           auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
           if (use.getOwner() == sum || !user)
             return use.getOwner() == sum;
           Value entry = user.getMatchingBlockArgument(&use);
           return llvm::all_of(entry.getUsers(), [&](Operation *each) {
             auto quotient = dyn_cast<arith::DivFOp>(each);
             auto by = quotient ? dyn_cast<BlockArgument>(quotient.getRhs())
                                : BlockArgument();
             return by && quotient.getLhs() == entry &&
                    madeBy(user.getMatchingOpOperand(by)->get()) == sum;
           });
         });
}

void addScales(linalg::LinalgOp op, SmallVectorImpl<PossibleFault> &faults) {
  bool isFloat = isa<FloatType>(resultOf(op).getElementType());
  bool reads = !op.getRegionOutputArgs()[0].use_empty();
  // A maximum of scaled numbers is another function as well, but begins with
  // what is not scaled.
  if (computes(op) && isFloat && (!reads || addsUp(op)) && !isDividedBySum(op))
    faults.push_back({FaultKind::WrongScale, op});
}

void addRows(linalg::LinalgOp op, SmallVectorImpl<PossibleFault> &faults) {
  AffineMap made = op.getIndexingMapMatchingResult(op->getResult(0));
  if (!computes(op) || !made.isProjectedPermutation())
    return;
  // Of several dimensions the ones of which less than all is dropped.
  for (auto [dim, extent] : llvm::enumerate(resultOf(op).getShape()))
    if (extent > 1)
      faults.push_back({FaultKind::DroppedRow, op, static_cast<unsigned>(dim)});
}

bool isOrdered(Operation *op) {
  return isa<arith::SubFOp, arith::SubIOp, arith::DivFOp, arith::DivSIOp,
             math::PowFOp>(op);
}

/// Whether nobody sees the sign of `value`: it is squared, or its absolute
/// value is taken, perhaps by the operations that read the result.
bool losesItsSign(Value value, unsigned depth = 0) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<arith::MulFOp, arith::MulIOp>(user))
      return user->getOperand(0) == user->getOperand(1);
    if (isa<math::AbsFOp, math::AbsIOp>(user))
      return true;
    auto structured = dyn_cast<linalg::LinalgOp>(user);
    if (structured && depth < 4 && structured.isDpsInput(&use))
      return losesItsSign(structured.getMatchingBlockArgument(&use), depth + 1);
    bool yields = isa<linalg::YieldOp>(user) && depth < 4;
    return yields &&
           losesItsSign(user->getParentOp()->getResult(use.getOperandNumber()),
                        depth + 1);
  });
}

/// Whether a product of two matrices depends on their order: a loop of the
/// result goes along one of them alone.
bool dependsOnOrder(linalg::LinalgOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (maps[2].isFunctionOfDim(loop) &&
        maps[0].isFunctionOfDim(loop) != maps[1].isFunctionOfDim(loop))
      return true;
  return false;
}

void addSwaps(linalg::LinalgOp op, SmallVectorImpl<PossibleFault> &faults) {
  for (auto [place, each] :
       llvm::enumerate(op.getBlock()->without_terminator())) {
    bool swaps = isOrdered(&each) && each.getOperand(0) != each.getOperand(1);
    if (isa<arith::SubFOp, arith::SubIOp>(each))
      swaps &= !losesItsSign(each.getResult(0));
    if (auto select = dyn_cast<arith::SelectOp>(each))
      swaps = select.getTrueValue() != select.getFalseValue();
    if (swaps)
      faults.push_back(
          {FaultKind::SwappedOperands, op, static_cast<unsigned>(place)});
  }
  if (!linalg::isaContractionOpInterface(op) || op.getNumDpsInputs() != 2)
    return;
  // Only a product of two matrices depends on their order.
  Value one = op->getOperand(0), two = op->getOperand(1);
  if (one != two && one.getType() == two.getType() && dependsOnOrder(op))
    faults.push_back(
        {FaultKind::SwappedOperands, op, PossibleFault::matrixOperands});
}

/// Whether an operand's values depend on where it is read.
bool varies(Value operand) {
  return isa<RankedTensorType>(operand.getType()) && !uniformValueOf(operand) &&
         !isUnwritten(operand);
}

void addWindows(linalg::LinalgOp op, SmallVectorImpl<PossibleFault> &faults) {
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!varies(input->get()) || op.getMatchingBlockArgument(input).use_empty())
      continue;
    auto type = cast<RankedTensorType>(input->get().getType());
    AffineMap map = op.getMatchingIndexingMap(input);
    for (auto [dim, index] : llvm::enumerate(map.getResults())) {
      auto sum = dyn_cast<AffineBinaryOpExpr>(index);
      if (sum && sum.getKind() == AffineExprKind::Add &&
          !isa<AffineConstantExpr>(sum.getRHS()) && type.getDimSize(dim) > 1)
        faults.push_back({FaultKind::OffByOneWindow, op,
                          input->getOperandNumber(),
                          static_cast<unsigned>(dim)});
    }
  }
}

void addBroadcasts(linalg::LinalgOp op,
                   SmallVectorImpl<PossibleFault> &faults) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!varies(input->get()) ||
        op.getMatchingBlockArgument(input).use_empty() ||
        !map.isProjectedPermutation(/*allowZeroInResults=*/true))
      continue;
    for (auto [dim, index] : llvm::enumerate(map.getResults())) {
      auto read = dyn_cast<AffineDimExpr>(index);
      if (!read || extents[read.getPosition()] <= 1 ||
          kinds[read.getPosition()] != utils::IteratorType::parallel)
        continue;
      for (unsigned loop = 0; loop < extents.size(); ++loop)
        if (kinds[loop] == utils::IteratorType::parallel && extents[loop] > 1 &&
            !map.isFunctionOfDim(loop))
          faults.push_back({FaultKind::WrongBroadcast, op,
                            input->getOperandNumber(),
                            static_cast<unsigned>(dim), loop});
    }
  }
}

} // namespace

SmallVector<PossibleFault> faultsOf(linalg::LinalgOp op) {
  SmallVector<PossibleFault> faults;
  // What one value fills has neither rows nor an order.
  if (!resultOf(op) || needsNoData(op))
    return faults;
  addScales(op, faults);
  addRows(op, faults);
  addSwaps(op, faults);
  addWindows(op, faults);
  addBroadcasts(op, faults);
  return faults;
}

} // namespace npu
