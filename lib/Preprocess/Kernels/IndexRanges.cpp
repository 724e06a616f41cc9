// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IndexRanges.h"

#include "npu/Analysis/Kernels/KernelTable.h"
#include "npu/ExternalModels/Tensor/MovedElements.h"

#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace npu {
namespace {

using dataflow::IntegerRangeAnalysis;
using dataflow::IntegerValueRangeLattice;

/// Whether the result of an operation has entries of its operands, and computes
/// none.
bool movesIntegers(Operation *op) {
  return op->getNumResults() == 1 &&
         (isa<GatherOp, ScatterOp>(op) || onlyMovesElements(op));
}

/// Whether entries of the operand are entries of the result of an operation
/// that moves them.
bool isMoved(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (std::optional<unsigned> positions = positionsOperand(op))
    return operand.getOperandNumber() != *positions;
  return !saysWhere(operand);
}

/// The range of a constant that upstream leaves out, one of a resource, or that
/// it would read entry by entry, a splat.
std::optional<ConstantIntRanges> rangeOfConstant(Operation *op) {
  Attribute value;
  if (!matchPattern(op, m_Constant(&value)))
    return std::nullopt;
  if (auto splat = dyn_cast<SplatElementsAttr>(value);
      splat && splat.getElementType().isIntOrIndex() &&
      splat.getNumElements() > 0)
    return ConstantIntRanges::constant(splat.getSplatValue<APInt>());
  auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  auto type = resource ? dyn_cast<IntegerType>(resource.getElementType())
                       : IntegerType();
  AsmResourceBlob *blob = type ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob || type.getWidth() % 8 != 0 || type.getWidth() > 64)
    return std::nullopt;
  unsigned width = type.getWidth(), bytes = width / 8;
  ArrayRef<char> data = blob->getData();
  if (data.empty() || data.size() % bytes != 0)
    return std::nullopt;
  std::optional<int64_t> least, most;
  for (size_t at = 0; at < data.size(); at += bytes) {
    uint64_t bits = 0;
    for (unsigned byte = 0; byte < bytes; ++byte)
      bits |= uint64_t(static_cast<uint8_t>(data[at + byte])) << (8 * byte);
    int64_t number = llvm::SignExtend64(bits, width);
    least = std::min(least.value_or(number), number);
    most = std::max(most.value_or(number), number);
  }
  return ConstantIntRanges::fromSigned(APInt(width, *least, true),
                                       APInt(width, *most, true));
}

class TensorRangeAnalysis : public IntegerRangeAnalysis {
public:
  using IntegerRangeAnalysis::IntegerRangeAnalysis;

  LogicalResult
  visitOperation(Operation *op,
                 ArrayRef<const IntegerValueRangeLattice *> operands,
                 ArrayRef<IntegerValueRangeLattice *> results) override {
    if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
      visitStructured(structured, operands, results);
      return success();
    }
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      visitIndex(index, results.front());
      return success();
    }
    if (movesIntegers(op)) {
      for (OpOperand &operand : op->getOpOperands())
        if (isMoved(operand))
          join(results.front(), *operands[operand.getOperandNumber()]);
      return success();
    }
    if (std::optional<ConstantIntRanges> range = rangeOfConstant(op)) {
      propagateIfChanged(results.front(),
                         results.front()->join(IntegerValueRange(*range)));
      return success();
    }
    return IntegerRangeAnalysis::visitOperation(op, operands, results);
  }

  /// The arguments of a structured operation's body are entries of operands.
  void
  visitNonControlFlowArguments(Operation *op, const RegionSuccessor &successor,
                               ArrayRef<IntegerValueRangeLattice *> arguments,
                               unsigned firstIndex) override {
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    if (!structured)
      return IntegerRangeAnalysis::visitNonControlFlowArguments(
          op, successor, arguments, firstIndex);
    ProgramPoint *point = getProgramPointBefore(structured.getBlock());
    for (auto [operand, argument] :
         llvm::zip_equal(structured.getOpOperandsMatchingBBargs(), arguments))
      join(argument, *getLatticeElementFor(point, operand->get()));
    // An output is what the body has yielded for an earlier iteration, too.
    auto yield = structured.getBlock()->getTerminator();
    if (structured.getNumReductionLoops() > 0)
      for (auto [output, yielded] : llvm::zip_equal(
               structured.getDpsInitsMutable(), yield->getOpOperands()))
        join(arguments[structured.getMatchingBlockArgument(&output)
                           .getArgNumber()],
             *getLatticeElementFor(point, yielded.get()));
  }

private:
  /// As upstream does it for operations that compute: what a loop yields and
  /// has grown once may be anything, because a range that grows by one in each
  /// round would be followed for as many rounds as there are numbers.
  void join(IntegerValueRangeLattice *into,
            const IntegerValueRangeLattice &range) {
    IntegerValueRange before = into->getValue();
    ChangeResult changed = into->join(range);
    bool isYielded =
        llvm::any_of(into->getAnchor().getUsers(), [](Operation *user) {
          return user->hasTrait<OpTrait::IsTerminator>();
        });
    if (changed == ChangeResult::Change && isYielded &&
        !before.isUninitialized())
      changed |= into->join(IntegerValueRange::getMaxRange(into->getAnchor()));
    propagateIfChanged(into, changed);
  }

  /// A result has what the body yields, and where not every entry is written,
  /// what the output has.
  void visitStructured(linalg::LinalgOp op,
                       ArrayRef<const IntegerValueRangeLattice *> operands,
                       ArrayRef<IntegerValueRangeLattice *> results) {
    ProgramPoint *point = getProgramPointAfter(op);
    auto yield = op.getBlock()->getTerminator();
    for (auto [output, yielded, result] : llvm::zip_equal(
             op.getDpsInitsMutable(), yield->getOperands(), results)) {
      join(result, *getLatticeElementFor(point, yielded));
      bool writesAll = op.getNumReductionLoops() == 0 &&
                       op.getMatchingIndexingMap(&output).isPermutation();
      if (!writesAll)
        join(result, *operands[output.getOperandNumber()]);
    }
  }

  void visitIndex(linalg::IndexOp op, IntegerValueRangeLattice *result) {
    auto structured = cast<linalg::LinalgOp>(op->getParentOp());
    int64_t extent = structured.getStaticLoopRanges()[op.getDim()];
    if (ShapedType::isDynamic(extent) || extent == 0)
      return setToEntryState(result);
    unsigned width = IndexType::kInternalStorageBitWidth;
    propagateIfChanged(
        result, result->join(IntegerValueRange(ConstantIntRanges::fromSigned(
                    APInt(width, 0), APInt(width, extent - 1)))));
  }
};

} // namespace

std::optional<IntegerBounds> IndexRanges::of(Value tensor) {
  if (!solver) {
    solver = std::make_unique<DataFlowSolver>();
    solver->load<dataflow::DeadCodeAnalysis>();
    solver->load<dataflow::SparseConstantPropagation>();
    solver->load<TensorRangeAnalysis>();
    if (failed(solver->initializeAndRun(root)))
      return std::nullopt;
  }
  auto *lattice = solver->lookupState<IntegerValueRangeLattice>(tensor);
  if (!lattice || lattice->getValue().isUninitialized())
    return std::nullopt;
  const ConstantIntRanges &range = lattice->getValue().getValue();
  APInt least = range.smin(), most = range.smax();
  if (least.isMinSignedValue() || most.isMaxSignedValue() ||
      !least.isSignedIntN(64) || !most.isSignedIntN(64))
    return std::nullopt;
  return IntegerBounds{least.getSExtValue(), most.getSExtValue()};
}

} // namespace npu
