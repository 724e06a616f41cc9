// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DynamicLength.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Interfaces/OpAccess.h"
#include "npu/Interfaces/PartwiseOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace npu {
namespace {

/// Computes indices and extents that follow from the prompt length.
class LengthEvaluator {
public:
  /// `arguments` are those of the function that are lengths.
  explicit LengthEvaluator(Block::BlockArgListType arguments)
      : arguments(arguments) {}

  /// Sets the lengths at which everything is computed from here on.
  void setLengths(const LengthsOfRun &run) {
    constants.clear();
    for (auto [argument, length] : llvm::zip_equal(arguments, run))
      constants[argument] = IntegerAttr::get(argument.getType(), length);
  }

  std::optional<int64_t> index(OpFoldResult value) {
    if (std::optional<int64_t> number = getConstantIntValue(value))
      return number;
    Attribute attr = constant(cast<Value>(value));
    if (auto integer = dyn_cast_or_null<IntegerAttr>(attr))
      return integer.getValue().getSExtValue();
    return std::nullopt;
  }

  /// Whether `op` is in no region other than branches that are known to be
  /// taken.
  bool isReached(Operation *op) {
    for (Operation *parent = op->getParentOp(); !isa<func::FuncOp>(parent);
         op = parent, parent = parent->getParentOp()) {
      auto choice = dyn_cast<scf::IfOp>(parent);
      std::optional<int64_t> taken;
      if (choice)
        taken = index(choice.getCondition());
      bool isThen = choice && op->getParentRegion() == &choice.getThenRegion();
      if (!taken || (*taken != 0) != isThen)
        return false;
    }
    return true;
  }

  std::optional<int64_t> extent(Value tensor, int64_t dim) {
    auto type = dyn_cast<RankedTensorType>(tensor.getType());
    if (!type)
      return std::nullopt;
    if (!type.isDynamicDim(dim))
      return type.getDimSize(dim);
    auto result = dyn_cast<OpResult>(tensor);
    if (!result)
      return std::nullopt;
    if (isTensorCast(result.getOwner()))
      return extent(result.getOwner()->getOperand(0), dim);
    if (OpOperand *output =
            tiedOutput(result.getOwner(), result.getResultNumber()))
      return extent(output->get(), dim);
    if (isa<scf::IfOp, scf::IndexSwitchOp>(result.getOwner()))
      return extentOfChosen(result, dim);
    if (auto loop = tensor.getDefiningOp<scf::ForOp>()) {
      Value carried = loop.getRegionIterArgs()[result.getResultNumber()];
      return writesInto(loop.getYieldedValues()[result.getResultNumber()],
                        carried)
                 ? extent(loop.getInitArgs()[result.getResultNumber()], dim)
                 : std::nullopt;
    }
    // Upstream does not reify shapes of elementwise operations.
    if (OpTrait::hasElementwiseMappableTraits(result.getOwner())) {
      for (Value operand : result.getOwner()->getOperands())
        if (isa<RankedTensorType>(operand.getType()))
          return extent(operand, dim);
      return std::nullopt;
    }
    auto [known, isNew] = shapes.try_emplace(result.getOwner());
    if (isNew) {
      OpBuilder builder(result.getOwner()->getContext());
      builder.setInsertionPointAfter(result.getOwner());
      ReifiedRankedShapedTypeDims reified;
      if (succeeded(reifyResultShapes(builder, result.getOwner(), reified)))
        shapes[result.getOwner()] = std::move(reified);
    }
    const ReifiedRankedShapedTypeDims &sizes = shapes[result.getOwner()];
    if (sizes.empty())
      return std::nullopt;
    return index(sizes[result.getResultNumber()][dim]);
  }

private:
  /// Whether `tensor` is `before` with some of its entries written.
  static bool writesInto(Value tensor, Value before) {
    while (auto writer = tensor.getDefiningOp<DestinationStyleOpInterface>())
      tensor = writer.getTiedOpOperand(cast<OpResult>(tensor))->get();
    return tensor == before;
  }

  /// The extent in the branches that may be taken, where all of them agree.
  std::optional<int64_t> extentOfChosen(OpResult result, int64_t dim) {
    auto choice = cast<RegionBranchOpInterface>(result.getOwner());
    SmallVector<Attribute> operands;
    for (Value operand : choice->getOperands())
      operands.push_back(constant(operand));
    SmallVector<RegionSuccessor> branches;
    choice.getEntrySuccessorRegions(operands, branches);
    std::optional<int64_t> agreed;
    for (RegionSuccessor branch : branches) {
      Operation *yield = branch.getSuccessor()->front().getTerminator();
      std::optional<int64_t> found =
          extent(yield->getOperand(result.getResultNumber()), dim);
      if (!found || (agreed && agreed != found))
        return std::nullopt;
      agreed = found;
    }
    return agreed;
  }

  /// The value of an index or integer at this length; null where it does not
  /// follow.
  Attribute constant(Value value) {
    if (auto known = constants.find(value); known != constants.end())
      return known->second;
    Builder builder(value.getContext());
    Operation *op = value.getDefiningOp();
    if (!op || !value.getType().isIntOrIndex())
      return {};
    Attribute result;
    if (auto dim = dyn_cast<ShapedDimOpInterface>(op)) {
      if (auto number = index(dim.getDimension()))
        if (auto size = extent(dim.getShapedValue(), *number))
          result = builder.getIndexAttr(*size);
    } else if (op->getNumRegions() == 0 && op->getNumResults() == 1) {
      SmallVector<Attribute> operands;
      for (Value operand : op->getOperands())
        operands.push_back(constant(operand));
      SmallVector<OpFoldResult> folded;
      bool complete = llvm::all_of(operands, [](Attribute a) { return !!a; });
      if (complete && succeeded(op->fold(operands, folded)) &&
          folded.size() == 1) {
        result = dyn_cast<Attribute>(folded[0]);
        if (!result)
          result = constant(cast<Value>(folded[0]));
      }
    }
    constants[value] = result;
    return result;
  }

  Block::BlockArgListType arguments;
  llvm::DenseMap<Value, Attribute> constants;
  /// The reified shapes of operations, which are the same at every length;
  /// empty where upstream cannot reify them.
  llvm::DenseMap<Operation *, ReifiedRankedShapedTypeDims> shapes;
};

/// The type with static extents and without a layout, because slices of it have
/// none.
RankedTensorType staticType(RankedTensorType type, ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, type.getElementType());
}

/// Whether a tensor has no entries. Upstream's slices cannot be in such
/// tensors.
bool hasNoEntries(RankedTensorType type) {
  return llvm::is_contained(type.getShape(), 0);
}

SmallVector<OpFoldResult> zeros(OpBuilder &builder, int64_t rank) {
  return SmallVector<OpFoldResult>(rank, builder.getIndexAttr(0));
}

SmallVector<OpFoldResult> ones(OpBuilder &builder, int64_t rank) {
  return SmallVector<OpFoldResult>(rank, builder.getIndexAttr(1));
}

/// Gives dynamic dimensions of arguments the largest of their lengths as
/// extent, of which the function uses as many entries as `values` says.
void fixArguments(func::FuncOp function, ArrayRef<BlockArgument> arguments,
                  const PromptLengths &lengths, ValueRange values,
                  OpBuilder &builder) {
  Location loc = function.getLoc();
  for (BlockArgument argument : arguments) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || type.hasStaticShape())
      continue;
    SmallVector<int64_t> shape(type.getShape());
    SmallVector<OpFoldResult> sizes;
    for (auto [dim, extent] : llvm::enumerate(shape)) {
      if (!ShapedType::isDynamic(extent)) {
        sizes.push_back(builder.getIndexAttr(extent));
        continue;
      }
      unsigned number = lengths.numberOf(function, argument.getArgNumber(),
                                         static_cast<int64_t>(dim));
      sizes.push_back(values[number]);
      // Allocate at least one entry: upstream's slices cannot be in tensors
      // without entries.
      extent = std::max<int64_t>(1, lengths.largest(number));
    }
    argument.setType(staticType(type, shape));
    if (hasNoEntries(type)) {
      argument.replaceAllUsesWith(
          tensor::EmptyOp::create(builder, loc, sizes, type.getElementType())
              .getResult());
      continue;
    }
    Value real = tensor::ExtractSliceOp::create(
        builder, loc, type, argument, zeros(builder, type.getRank()), sizes,
        ones(builder, type.getRank()));
    argument.replaceAllUsesExcept(real, real.getDefiningOp());
  }
}

/// The largest extent of dimension `dim` of a returned tensor at `lengths`. Not
/// every extent is largest at the longest prompt.
FailureOr<int64_t> largestExtent(OpOperand &result, int64_t dim,
                                 const PromptLengths &lengths,
                                 LengthEvaluator &evaluator,
                                 PromptDimensions *dimensions) {
  Operation *terminator = result.getOwner();
  int64_t most = 0;
  std::vector<int64_t> extents;
  for (const LengthsOfRun &run : lengths.runs) {
    evaluator.setLengths(run);
    std::optional<int64_t> extent = evaluator.extent(result.get(), dim);
    if (!extent && lengths.names.empty())
      return terminator->emitError()
             << "cannot tell how large dimension " << dim << " of result #"
             << result.getOperandNumber() << " is at the lengths "
             << lengths.runs.front().front() << " to "
             << lengths.runs.back().front();
    if (!extent)
      return terminator->emitError()
             << "cannot tell how large dimension " << dim << " of result #"
             << result.getOperandNumber() << " is at " << lengths.spell(run);
    if (*extent < 0)
      return terminator->emitError()
             << "expected at least 0 entries in dimension " << dim
             << " of result #" << result.getOperandNumber() << ", got "
             << *extent << " at " << lengths.spell(run);
    most = std::max(most, *extent);
    if (dimensions)
      extents.push_back(*extent);
  }
  if (dimensions)
    dimensions->results.push_back({result.getOperandNumber(),
                                   static_cast<unsigned>(dim),
                                   std::move(extents)});
  return most;
}

/// Puts a returned tensor of dynamic shape into one that is as large as the
/// returned one is at most.
LogicalResult fixResult(OpOperand &operand, const PromptLengths &lengths,
                        LengthEvaluator &evaluator, Location loc,
                        OpBuilder &builder, PromptDimensions *dimensions) {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type || type.hasStaticShape())
    return success();
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    FailureOr<int64_t> extent =
        type.isDynamicDim(dim)
            ? largestExtent(operand, dim, lengths, evaluator, dimensions)
            : FailureOr(type.getDimSize(dim));
    if (failed(extent))
      return failure();
    shape.push_back(*extent);
  }
  builder.setInsertionPoint(operand.getOwner());
  Value empty =
      tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
  if (llvm::is_contained(shape, 0)) {
    operand.set(empty);
    return success();
  }
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, operand.get());
  operand.set(tensor::InsertSliceOp::create(
      builder, loc, operand.get(), empty, zeros(builder, type.getRank()), sizes,
      ones(builder, type.getRank())));
  return success();
}

/// The message of an assertion that fails at the evaluator's length.
std::optional<std::string> failedAssertion(func::FuncOp function,
                                           LengthEvaluator &evaluator) {
  std::optional<std::string> message;
  function.walk([&](cf::AssertOp assertion) {
    if (!message && evaluator.isReached(assertion) &&
        evaluator.index(assertion.getArg()) == 0)
      message = assertion.getMsg().str();
  });
  return message;
}

LogicalResult checkSlice(OffsetSizeAndStrideOpInterface slice,
                         const std::string &lengths,
                         LengthEvaluator &evaluator) {
  Operation *op = slice;
  auto insertion = dyn_cast<DestinationStyleOpInterface>(op);
  Value whole =
      insertion ? insertion.getDpsInitOperand(0)->get() : op->getOperand(0);
  for (auto [dim, mixedOffset, mixedSize, mixedStride] :
       llvm::enumerate(slice.getMixedOffsets(), slice.getMixedSizes(),
                       slice.getMixedStrides())) {
    std::optional<int64_t> offset = evaluator.index(mixedOffset),
                           size = evaluator.index(mixedSize),
                           stride = evaluator.index(mixedStride),
                           extent = evaluator.extent(whole,
                                                     static_cast<int64_t>(dim));
    if (!offset || !size || !stride || !extent || *size == 0)
      continue;
    int64_t steps = 0, last = 0;
    bool isInside = *size > 0 && *offset >= 0 && *offset < *extent &&
                    !llvm::MulOverflow(*size - 1, *stride, steps) &&
                    !llvm::AddOverflow(*offset, steps, last) && last >= 0 &&
                    last < *extent;
    if (!isInside)
      return op->emitError() << "expected a slice inside the " << *extent
                             << " entries of dimension " << dim << " at "
                             << lengths << ", got " << *size << " entries from "
                             << *offset << " in steps of " << *stride;
  }
  return success();
}

} // namespace

bool hasDynamicLength(func::FuncOp function) {
  return llvm::any_of(function.getArgumentTypes(), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  });
}

LogicalResult takeLength(func::FuncOp function, const PromptLengths &lengths,
                         PromptDimensions *dimensions) {
  // The function may have no operation of these dialects yet.
  function.getContext()
      ->loadDialect<arith::ArithDialect, func::FuncDialect,
                    tensor::TensorDialect>();
  Block &entry = function.front();
  Location loc = function.getLoc();
  OpBuilder builder = OpBuilder::atBlockBegin(&entry);
  SmallVector<BlockArgument> arguments(entry.getArguments());
  SmallVector<Value> values;
  for (size_t number = 0; number <= lengths.names.size(); ++number)
    values.push_back(arith::IndexCastOp::create(
        builder, loc, builder.getIndexType(),
        entry.addArgument(builder.getI64Type(), loc)));
  if (dimensions)
    for (BlockArgument argument : arguments)
      if (auto type = dyn_cast<RankedTensorType>(argument.getType()))
        for (int64_t dim = 0; dim < type.getRank(); ++dim)
          if (type.isDynamicDim(dim))
            dimensions->arguments.push_back(
                {argument.getArgNumber(), static_cast<unsigned>(dim), {}});
  fixArguments(function, arguments, lengths, values, builder);

  LengthEvaluator evaluator(entry.getArguments().take_back(values.size()));
  Operation *terminator = entry.getTerminator();
  for (OpOperand &operand : terminator->getOpOperands())
    if (failed(
            fixResult(operand, lengths, evaluator, loc, builder, dimensions)))
      return failure();
  function.setType(builder.getFunctionType(entry.getArgumentTypes(),
                                           terminator->getOperandTypes()));
  return success();
}

LogicalResult checkLengths(func::FuncOp function,
                           const PromptLengths &lengths) {
  LengthEvaluator evaluator(
      function.front().getArguments().take_back(lengths.runs.front().size()));
  for (const LengthsOfRun &run : lengths.runs) {
    evaluator.setLengths(run);
    std::string spelled = lengths.spell(run);
    std::optional<std::string> message = failedAssertion(function, evaluator);
    if (message)
      return function->emitError() << "at " << spelled << ": " << *message;
    WalkResult walk =
        function.walk([&](OffsetSizeAndStrideOpInterface slice) -> WalkResult {
          return evaluator.isReached(slice)
                     ? checkSlice(slice, spelled, evaluator)
                     : success();
        });
    if (walk.wasInterrupted())
      return failure();
  }
  return success();
}

} // namespace npu
