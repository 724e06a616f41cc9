// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DynamicLength.h"
#include "npu/Analysis/Positions/IndexExprs.h"
#include "npu/Analysis/Positions/LargestExtent.h"
#include "npu/Dialect/NPU/IR/CacheArguments.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/ExternalModels/Tensor/CacheMemory.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Interfaces/OpAccess.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/Support/NoteNode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
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

/// The dividend and the divisor of a division that rounds down, as upstream
/// writes one by operations on integers:
///   x < 0 ? -1 - (-1 - x) / d : x / d
/// where `op` is the outer choice. Nothing where it is anything else.
std::optional<std::pair<Value, int64_t>> floorDivisionOf(Operation *op) {
  auto outer = dyn_cast<arith::SelectOp>(op);
  auto isNegative = outer ? outer.getCondition().getDefiningOp<arith::CmpIOp>()
                          : arith::CmpIOp();
  auto quotient = outer ? outer.getFalseValue().getDefiningOp<arith::DivSIOp>()
                        : arith::DivSIOp();
  auto inner = quotient ? quotient.getLhs().getDefiningOp<arith::SelectOp>()
                        : arith::SelectOp();
  if (!isNegative || !inner ||
      isNegative.getPredicate() != arith::CmpIPredicate::slt ||
      getConstantIntValue(isNegative.getRhs()) != 0)
    return std::nullopt;
  auto isComplementOf = [](Value value, Value of) {
    auto difference = value.getDefiningOp<arith::SubIOp>();
    return difference && difference.getRhs() == of &&
           getConstantIntValue(difference.getLhs()) == -1;
  };
  Value dividend = isNegative.getLhs();
  std::optional<int64_t> divisor = getConstantIntValue(quotient.getRhs());
  if (inner.getCondition() != outer.getCondition() ||
      inner.getFalseValue() != dividend ||
      !isComplementOf(inner.getTrueValue(), dividend) ||
      !isComplementOf(outer.getTrueValue(), quotient.getResult()) ||
      divisor.value_or(0) < 1)
    return std::nullopt;
  return std::pair(dividend, *divisor);
}

/// Computes indices and extents that follow from the lengths of prompts: as
/// numbers in one run, or as expressions of the lengths in all of them. Both
/// are attributes, IntegerAttr and AffineMapAttr.
class LengthEvaluator {
public:
  /// `arguments` are those of the function that are lengths.
  explicit LengthEvaluator(Block::BlockArgListType arguments)
      : arguments(arguments) {}

  /// Sets the lengths at which everything is computed from here on.
  void setLengths(const LengthsOfRun &run) {
    forget();
    for (auto [argument, length] : llvm::zip_equal(arguments, run))
      constants[argument] = IntegerAttr::get(argument.getType(), length);
  }

  /// Makes everything from here on an expression of the lengths, of which
  /// symbol i is the length of number i, from 0 to `most` each.
  void setSymbols(int64_t most) {
    forget();
    largestLength = most;
    for (auto [number, argument] : llvm::enumerate(arguments))
      constants[argument] =
          attributeOf(getAffineSymbolExpr(number, argument.getContext()));
  }

  std::optional<int64_t> index(OpFoldResult value) {
    return numberIn(attributeOf(value));
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
    return numberIn(extentOf(tensor, dim));
  }

  /// The extent as an expression of the lengths; null where it is none.
  AffineExpr extentExpr(Value tensor, int64_t dim) {
    return exprIn(extentOf(tensor, dim), tensor.getContext());
  }

  /// The first operation since the lengths were set of which it does not follow
  /// from them what it computes, or how large; null where there is none.
  Operation *firstUnknown() const { return unknown; }

private:
  void forget() {
    constants.clear();
    carriedExtents.clear();
    largestLength.reset();
    unknown = nullptr;
  }

  /// Null, which does not follow from the lengths because of `op`.
  Attribute unknownAt(Operation *op) {
    if (!unknown)
      unknown = op;
    return {};
  }

  static std::optional<int64_t> numberIn(Attribute attr) {
    if (auto integer = dyn_cast_or_null<IntegerAttr>(attr))
      return integer.getValue().getSExtValue();
    return std::nullopt;
  }

  static AffineExpr exprIn(Attribute attr, MLIRContext *context) {
    if (auto map = dyn_cast_or_null<AffineMapAttr>(attr))
      return map.getValue().getResult(0);
    std::optional<int64_t> number = numberIn(attr);
    return number ? constantExprOf(*number, context) : AffineExpr();
  }

  Attribute attributeOf(AffineExpr expr) {
    if (!expr)
      return {};
    auto symbols = static_cast<unsigned>(arguments.size());
    expr = simplifyAffineExpr(expr, 0, symbols);
    if (auto number = dyn_cast<AffineConstantExpr>(expr))
      return Builder(expr.getContext()).getIndexAttr(number.getValue());
    return AffineMapAttr::get(AffineMap::get(0, symbols, expr));
  }

  Attribute attributeOf(OpFoldResult value) {
    if (auto attr = dyn_cast<Attribute>(value))
      return attr;
    auto tensor = cast<Value>(value);
    if (std::optional<int64_t> number = getConstantIntValue(value))
      return IntegerAttr::get(tensor.getType(), *number);
    return constant(tensor);
  }

  Attribute extentOf(Value tensor, int64_t dim) {
    auto type = dyn_cast<RankedTensorType>(tensor.getType());
    if (!type)
      return {};
    if (!type.isDynamicDim(dim))
      return Builder(type.getContext()).getIndexAttr(type.getDimSize(dim));
    auto result = dyn_cast<OpResult>(tensor);
    if (!result)
      return extentOfCarried(cast<BlockArgument>(tensor), dim);
    if (isTensorCast(result.getOwner()))
      return extentOf(result.getOwner()->getOperand(0), dim);
    if (OpOperand *output =
            tiedOutput(result.getOwner(), result.getResultNumber()))
      return extentOf(output->get(), dim);
    if (isa<scf::IfOp, scf::IndexSwitchOp>(result.getOwner()))
      return extentOfChosen(result, dim);
    if (auto loop = tensor.getDefiningOp<scf::ForOp>())
      return extentOfCarried(loop.getRegionIterArgs()[result.getResultNumber()],
                             dim);
    // Upstream does not reify shapes of elementwise operations.
    if (OpTrait::hasElementwiseMappableTraits(result.getOwner())) {
      for (Value operand : result.getOwner()->getOperands())
        if (isa<RankedTensorType>(operand.getType()))
          return extentOf(operand, dim);
      return {};
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
      return unknownAt(result.getOwner());
    return attributeOf(sizes[result.getResultNumber()][dim]);
  }

  /// The extent of what a loop carries, where an iteration that begins with the
  /// extent of the first one ends with it.
  Attribute extentOfCarried(BlockArgument carried, int64_t dim) {
    auto loop = dyn_cast<scf::ForOp>(carried.getOwner()->getParentOp());
    if (!loop || carried.getArgNumber() < loop.getNumInductionVars())
      return unknownAt(carried.getOwner()->getParentOp());
    auto [known, isNew] = carriedExtents.try_emplace({carried, dim});
    if (!isNew)
      return known->second;
    Attribute before = extentOf(loop.getTiedLoopInit(carried)->get(), dim);
    if (!before)
      return {};
    carriedExtents[{carried, dim}] = before;
    if (extentOf(loop.getTiedLoopYieldedValue(carried)->get(), dim) == before)
      return before;
    carriedExtents[{carried, dim}] = {};
    return unknownAt(loop);
  }

  /// The extent in the branches that may be taken, where all of them agree.
  Attribute extentOfChosen(OpResult result, int64_t dim) {
    auto choice = cast<RegionBranchOpInterface>(result.getOwner());
    SmallVector<Attribute> operands;
    for (Value operand : choice->getOperands())
      operands.push_back(dyn_cast_or_null<IntegerAttr>(constant(operand)));
    SmallVector<RegionSuccessor> branches;
    choice.getEntrySuccessorRegions(operands, branches);
    Attribute agreed;
    for (RegionSuccessor branch : branches) {
      Operation *yield = branch.getSuccessor()->front().getTerminator();
      Attribute found =
          extentOf(yield->getOperand(result.getResultNumber()), dim);
      if (!found || (agreed && agreed != found))
        return unknownAt(choice);
      agreed = found;
    }
    return agreed;
  }

  /// The value of an index or integer at these lengths; null where it does not
  /// follow.
  Attribute constant(Value value) {
    if (auto known = constants.find(value); known != constants.end())
      return known->second;
    Operation *op = value.getDefiningOp();
    if (!op || !value.getType().isIntOrIndex())
      return {};
    Attribute result;
    if (auto dim = dyn_cast<ShapedDimOpInterface>(op)) {
      if (auto number = index(dim.getDimension()))
        result = extentOf(dim.getShapedValue(), *number);
    } else if (op->getNumRegions() == 0 && op->getNumResults() == 1) {
      result = computed(op);
    }
    constants[value] = result;
    return result ? result : unknownAt(op);
  }

  Attribute computed(Operation *op) {
    if (auto select = dyn_cast<arith::SelectOp>(op))
      if (std::optional<int64_t> holds =
              numberIn(constant(select.getCondition())))
        return constant(*holds ? select.getTrueValue()
                               : select.getFalseValue());
    if (auto division = floorDivisionOf(op)) {
      AffineExpr dividend = exprIn(constant(division->first), op->getContext());
      return attributeOf(dividend ? dividend.floorDiv(division->second)
                                  : AffineExpr());
    }
    SmallVector<Attribute> operands;
    for (Value operand : op->getOperands())
      operands.push_back(constant(operand));
    if (!llvm::all_of(operands, [](Attribute a) { return !!a; }))
      return {};
    if (llvm::none_of(operands, llvm::IsaPred<AffineMapAttr>)) {
      SmallVector<OpFoldResult> folded;
      if (failed(op->fold(operands, folded)) || folded.size() != 1)
        return {};
      if (auto attr = dyn_cast<Attribute>(folded[0]))
        return attr;
      return constant(cast<Value>(folded[0]));
    }
    auto exprOf = [&](Value value) {
      return exprIn(constant(value), value.getContext());
    };
    if (auto comparison = dyn_cast<arith::CmpIOp>(op))
      return compared(comparison.getPredicate(), exprOf(comparison.getLhs()),
                      exprOf(comparison.getRhs()));
    // A division that rounds towards zero rounds down what is never negative.
    if (isa<arith::DivSIOp, arith::RemSIOp>(op)) {
      AffineExpr dividend = exprOf(op->getOperand(0)),
                 divisor = exprOf(op->getOperand(1));
      auto by = dyn_cast_or_null<AffineConstantExpr>(divisor);
      bool roundsDown =
          by && by.getValue() > 0 &&
          smallestOverLengths(dividend, {0, *largestLength}).value_or(-1) >= 0;
      if (!roundsDown)
        return {};
      return attributeOf(isa<arith::RemSIOp>(op) ? dividend % divisor
                                                 : dividend.floorDiv(divisor));
    }
    if (isa<arith::MinSIOp, arith::MaxSIOp>(op))
      return attributeOf(
          knownExtremum(isa<arith::MaxSIOp>(op), exprOf(op->getOperand(0)),
                        exprOf(op->getOperand(1)), {0, *largestLength}));
    PositionLimits limits{
        {},
        SmallVector<double>(arguments.size(),
                            static_cast<double>(*largestLength))};
    return attributeOf(indexExprOf(op, limits, exprOf));
  }

  /// The outcome of a comparison, where it is the same at all lengths; null
  /// elsewhere.
  Attribute compared(arith::CmpIPredicate predicate, AffineExpr a,
                     AffineExpr b) {
    std::optional<ExprBounds> more =
        boundsOfDifference(a, b, {0, *largestLength});
    if (!more)
      return {};
    auto holdsAt = [&](int64_t difference) {
      return arith::applyCmpPredicate(predicate, APInt(64, difference, true),
                                      APInt(64, 0));
    };
    using enum arith::CmpIPredicate;
    bool isOrder = llvm::is_contained({slt, sle, sgt, sge}, predicate);
    if (!isOrder && predicate != eq && predicate != ne)
      return {};
    // An order changes where the difference changes its sign; equality also
    // where the difference leaves 0.
    auto [least, most] = *more;
    bool staysOnOneSide = least >= 0 || most <= 0;
    bool isSame = isOrder ? staysOnOneSide : least > 0 || most < 0;
    if (least != most && (!isSame || holdsAt(least) != holdsAt(most)))
      return {};
    return Builder(a.getContext()).getBoolAttr(holdsAt(least));
  }

  Block::BlockArgListType arguments;
  /// The largest length where everything is an expression.
  std::optional<int64_t> largestLength;
  Operation *unknown = nullptr;
  llvm::DenseMap<Value, Attribute> constants;
  /// The extents of what loops carry; null where they are not known.
  llvm::DenseMap<std::pair<Value, int64_t>, Attribute> carriedExtents;
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
/// extent, of which the function uses as many entries as `values` says. Where
/// padding puts one of `caches` into a larger tensor, the argument is that
/// tensor from here on.
void fixArguments(func::FuncOp function, ArrayRef<BlockArgument> arguments,
                  const PromptLengths &lengths, ValueRange values,
                  ArrayRef<CacheArgument> caches, OpBuilder &builder) {
  Location loc = function.getLoc();
  for (BlockArgument argument : arguments) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || type.hasStaticShape())
      continue;
    SmallVector<int64_t> shape(type.getShape());
    SmallVector<OpFoldResult> sizes;
    bool isCache = llvm::any_of(caches, [&](const CacheArgument &cache) {
      return cache.argument == argument.getArgNumber();
    });
    Operation *enlargement = isCache ? enlargementOf(argument) : nullptr;
    auto enlarged =
        enlargement
            ? cast<RankedTensorType>(enlargement->getResult(0).getType())
            : RankedTensorType();
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
      auto room = lengths.roomOfCaches.find({argument.getArgNumber(), dim});
      if (room != lengths.roomOfCaches.end())
        extent = std::max(extent, room->second);
      if (enlarged)
        extent = std::max(extent, enlarged.getDimSize(dim));
    }
    if (enlarged && enlarged != staticType(type, shape))
      enlargement = nullptr;
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
    if (!enlargement)
      continue;
    enlargement->getResult(0).replaceAllUsesWith(argument);
    enlargement->erase();
  }
}

/// An error about the extents of a returned tensor, which says what makes it,
/// and, unless it is null, which operation they do not follow from.
InFlightDiagnostic extentError(OpOperand &result,
                               Operation *unknown = nullptr) {
  InFlightDiagnostic error = result.getOwner()->emitError();
  Operation *maker = result.get().getDefiningOp();
  if (maker)
    noteNode(error, maker);
  if (!unknown)
    return error;
  error.attachNote(unknown->getLoc())
      << "it depends on data, or changes in a loop, at this '"
      << unknown->getName() << "'";
  if (unknown != maker)
    noteNode(error, unknown);
  return error;
}

/// The largest extent of dimension `dim` of a returned tensor at all lengths
/// from 0 to `lengths.upTo`.
FailureOr<int64_t> largestExtentUpTo(OpOperand &result, int64_t dim,
                                     const PromptLengths &lengths,
                                     LengthEvaluator &evaluator) {
  evaluator.setSymbols(*lengths.upTo);
  AffineExpr extent = evaluator.extentExpr(result.get(), dim);
  std::optional<int64_t> most =
      extent ? largestOverLengths(extent, {0, *lengths.upTo}) : std::nullopt;
  if (most)
    return std::max<int64_t>(*most, 0);
  return extentError(result, evaluator.firstUnknown())
         << "cannot tell how large dimension " << dim << " of result #"
         << result.getOperandNumber()
         << " is at most: it is no expression of the lengths of "
         << lengths.names.size() + 1 << " prompts that is known at all of 0 to "
         << *lengths.upTo;
}

/// The largest extent of dimension `dim` of a returned tensor at `lengths`. Not
/// every extent is largest at the longest prompt.
FailureOr<int64_t> largestExtent(OpOperand &result, int64_t dim,
                                 const PromptLengths &lengths,
                                 LengthEvaluator &evaluator) {
  int64_t most = 0;
  for (const LengthsOfRun &run : lengths.runs) {
    evaluator.setLengths(run);
    std::optional<int64_t> extent = evaluator.extent(result.get(), dim);
    if (!extent && lengths.names.empty())
      return extentError(result, evaluator.firstUnknown())
             << "cannot tell how large dimension " << dim << " of result #"
             << result.getOperandNumber() << " is at the lengths "
             << lengths.runs.front().front() << " to "
             << lengths.runs.back().front();
    if (!extent)
      return extentError(result, evaluator.firstUnknown())
             << "cannot tell how large dimension " << dim << " of result #"
             << result.getOperandNumber() << " is at " << lengths.spell(run);
    if (*extent < 0)
      return extentError(result)
             << "expected at least 0 entries in dimension " << dim
             << " of result #" << result.getOperandNumber() << ", got "
             << *extent << " at " << lengths.spell(run);
    most = std::max(most, *extent);
  }
  if (lengths.upTo)
    return largestExtentUpTo(result, dim, lengths, evaluator);
  return most;
}

/// Puts a returned tensor of dynamic shape into one that is as large as the
/// returned one is at most. A cache is returned with its padding, of which the
/// returned tensor is the real part. Adds its dynamic extents to `extents`.
LogicalResult fixResult(OpOperand &operand, const PromptLengths &lengths,
                        LengthEvaluator &evaluator, Location loc, bool isCache,
                        OpBuilder &builder,
                        std::vector<PromptDimension> &dimensions,
                        SmallVectorImpl<Value> &extents) {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type || type.hasStaticShape())
    return success();
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    FailureOr<int64_t> extent =
        type.isDynamicDim(dim) ? largestExtent(operand, dim, lengths, evaluator)
                               : FailureOr(type.getDimSize(dim));
    if (failed(extent))
      return failure();
    shape.push_back(*extent);
  }
  builder.setInsertionPoint(operand.getOwner());
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, operand.get());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim)) {
      dimensions.push_back({operand.getOperandNumber(), dim,
                            static_cast<int64_t>(extents.size())});
      extents.push_back(
          getValueOrCreateConstantIndexOp(builder, loc, sizes[dim]));
    }
  if (Value whole = isCache ? wholeOf(operand.get(), shape) : Value()) {
    operand.set(whole);
    return success();
  }
  Value empty =
      tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
  if (llvm::is_contained(shape, 0)) {
    operand.set(empty);
    return success();
  }
  operand.set(tensor::InsertSliceOp::create(
      builder, loc, operand.get(), empty, zeros(builder, type.getRank()), sizes,
      ones(builder, type.getRank())));
  return success();
}

/// Returns the dynamic extents of results as one more result.
LogicalResult returnExtents(func::FuncOp function, Operation *terminator,
                            ArrayRef<Value> extents, OpBuilder &builder) {
  builder.setInsertionPoint(terminator);
  Location loc = terminator->getLoc();
  SmallVector<Value> numbers;
  for (Value extent : extents)
    numbers.push_back(
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), extent));
  Value all = tensor::FromElementsOp::create(builder, loc, numbers);
  terminator->insertOperands(terminator->getNumOperands(), all);
  return function.insertResult(function.getNumResults(), all.getType(), {});
}

/// An assertion that fails at the evaluator's lengths; null where none is known
/// to.
cf::AssertOp failedAssertion(func::FuncOp function,
                             LengthEvaluator &evaluator) {
  cf::AssertOp failed;
  function.walk([&](cf::AssertOp assertion) {
    if (!failed && evaluator.isReached(assertion) &&
        evaluator.index(assertion.getArg()) == 0)
      failed = assertion;
  });
  return failed;
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
            dimensions->inputs.push_back(
                {argument.getArgNumber(), dim,
                 lengths.numberOf(function, argument.getArgNumber(), dim)});
  // Without the extents of results, all entries of these are compared.
  SmallVector<CacheArgument> caches;
  if (dimensions && lengths.returnsExtents)
    caches = cacheArguments(function);
  // Types of static shape do not say which dimension has the positions.
  for (const CacheArgument &cache : caches)
    function.setArgAttr(cache.argument,
                        NPUDialect::CacheDimAttrHelper::getNameStr(),
                        builder.getI64IntegerAttr(cache.dimension));
  fixArguments(function, arguments, lengths, values, caches, builder);

  LengthEvaluator evaluator(entry.getArguments().take_back(values.size()));
  Operation *terminator = entry.getTerminator();
  std::vector<PromptDimension> ofResults;
  SmallVector<Value> extents;
  for (OpOperand &operand : terminator->getOpOperands()) {
    bool isCache = llvm::any_of(caches, [&](const CacheArgument &cache) {
      return cache.result == operand.getOperandNumber();
    });
    if (failed(fixResult(operand, lengths, evaluator, loc, isCache, builder,
                         ofResults, extents)))
      return failure();
  }
  if (dimensions && lengths.returnsExtents && !extents.empty()) {
    if (failed(returnExtents(function, terminator, extents, builder)))
      return failure();
    dimensions->results = std::move(ofResults);
  }
  function.setType(builder.getFunctionType(entry.getArgumentTypes(),
                                           terminator->getOperandTypes()));
  return success();
}

LogicalResult checkLengths(func::FuncOp function,
                           const PromptLengths &lengths) {
  LengthEvaluator evaluator(
      function.front().getArguments().take_back(lengths.runs.front().size()));
  bool anyHolds = false;
  for (const LengthsOfRun &run : lengths.runs) {
    evaluator.setLengths(run);
    std::string spelled = lengths.spell(run);
    if (cf::AssertOp failed = failedAssertion(function, evaluator)) {
      bool isLast = &run == &lengths.runs.back();
      if (lengths.leavesAssertions && (anyHolds || !isLast))
        continue;
      InFlightDiagnostic error = failed.emitError();
      error << "at " << spelled << ": " << failed.getMsg();
      noteNode(error, failed);
      return error;
    }
    anyHolds = true;
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
