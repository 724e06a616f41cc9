// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ComputeIn.h"
#include "PrecisionBody.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/Interfaces/RematerializableOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace npu {

namespace {

/// The constant in the type `element`; null where it is no number.
TypedAttr constantAs(TypedAttr constant, Type element) {
  if (auto number = dyn_cast<FloatAttr>(constant)) {
    APFloat value = number.getValue();
    bool lost;
    value.convert(cast<FloatType>(element).getFloatSemantics(),
                  APFloat::rmNearestTiesToEven, &lost);
    return FloatAttr::get(element, value);
  }
  if (auto number = dyn_cast<IntegerAttr>(constant))
    return IntegerAttr::get(element, number.getValue().sextOrTrunc(
                                         element.getIntOrFloatBitWidth()));
  return {};
}

/// The constant that all entries of `init` are; null where there is none.
TypedAttr filledWith(Value init) {
  TypedAttr constant;
  if (Value scalar = uniformValueOf(init))
    matchPattern(scalar, m_Constant(&constant));
  DenseElementsAttr elements;
  if (matchPattern(init, m_Constant(&elements)) && elements.isSplat())
    return elements.getSplatValue<TypedAttr>();
  return constant;
}

} // namespace

/// The type of `value` with another element type, and the same layout.
static RankedTensorType withElement(Value value, Type element) {
  return cast<RankedTensorType>(value.getType()).clone(element);
}

/// An empty tensor of the shape of `like`, whose extents may be dynamic.
static Value emptyLike(OpBuilder &builder, Location loc, Value like,
                       Type element) {
  auto type = cast<RankedTensorType>(like.getType());
  return tensor::EmptyOp::create(builder, loc,
                                 tensor::getMixedSizes(builder, loc, like),
                                 element, type.getEncoding());
}

/// Each entry of `tensor` in the type `element`: rounded, or extended.
static Value castTensor(OpBuilder &builder, Location loc, Value tensor,
                        Type element) {
  if (getElementTypeOrSelf(tensor.getType()) == element)
    return tensor;
  auto type = cast<RankedTensorType>(tensor.getType());
  Value init = emptyLike(builder, loc, tensor, element);
  SmallVector<AffineMap> maps(2,
                              builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, init.getType(), tensor, init, maps, loops,
      [&](OpBuilder &body, Location at, ValueRange entries) {
        linalg::YieldOp::create(body, at,
                                convertScalar(body, at, entries[0], element));
      });
  return generic.getResult(0);
}

/// What begins a result: as `castTensor`, but what is empty stays so, and what
/// is filled with one constant is filled with that.
static Value castInit(OpBuilder &builder, Location loc, Value init,
                      Type element) {
  if (getElementTypeOrSelf(init.getType()) == element)
    return init;
  if (isUnwritten(init))
    return emptyLike(builder, loc, init, element);
  TypedAttr constant = filledWith(init);
  TypedAttr number = constant ? constantAs(constant, element) : TypedAttr();
  if (!number)
    return castTensor(builder, loc, init, element);
  Value scalar = arith::ConstantOp::create(builder, loc, number);
  Value empty = emptyLike(builder, loc, init, element);
  return linalg::FillOp::create(builder, loc, scalar, empty).getResult(0);
}

namespace {

Type elementOf(Value value) { return getElementTypeOrSelf(value.getType()); }

/// Whether the operation's own casts compute everything in the type of its
/// output, so that it keeps its name.
bool castsToOutput(linalg::LinalgOp op) {
  return isa<linalg::ContractionOpInterface, linalg::ConvolutionOpInterface>(
             op.getOperation()) &&
         op.getRegionBuilder();
}

/// The tensor that `op` only moves; null where it computes something.
Value movedBy(Operation *op) {
  if (!op || op->getNumResults() != 1 ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return {};
  if (isa<PermuteCastOp>(op))
    return op->getOperand(0);
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured) {
    Value viewed = viewedTensor(op);
    return viewed && viewed == op->getOperand(0) ? viewed : Value();
  }
  if (!structured.hasPureTensorSemantics() ||
      structured.getNumDpsInputs() != 1 || structured.getNumDpsInits() != 1 ||
      structured.getBlock()->getOperations().size() != 1 ||
      structured.getBlock()->getTerminator()->getOperand(0) !=
          structured.getBlock()->getArgument(0) ||
      !isa<RankedTensorType>(op->getOperand(0).getType()) ||
      elementOf(op->getOperand(0)) != elementOf(op->getResult(0)))
    return {};
  return op->getOperand(0);
}

/// Whether a body extends an entry without a sign.
bool readsBits(BlockArgument entry) {
  return llvm::any_of(entry.getUsers(), llvm::IsaPred<arith::ExtUIOp>);
}

/// Whether `op` computes in these types as it stands.
bool isCarriedOut(linalg::LinalgOp op, const Precision &types) {
  Value result = op->getResult(0);
  Type has = accumulates(op) ? types.accumulation : types.storage;
  if (elementOf(result) != has || !bodyHas(op, types))
    return false;
  return has == types.storage ||
         (!result.use_empty() && llvm::all_of(op->getUsers(), [&](auto *user) {
           return isCast(user) &&
                  elementOf(user->getResult(0)) == types.storage;
         }));
}

} // namespace

Result<> ComputeIn::check(Operation *op, const Precision &types) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  std::string name = op->getName().getStringRef().str();
  if (!structured || !structured.hasPureTensorSemantics())
    return Error{"expected a structured operation on tensors, got '" + name +
                 "'"};
  if (op->getNumResults() != 1)
    return Error{"expected an operation with one result, got '" + name +
                 "' with " + std::to_string(op->getNumResults())};
  if (computesNothing(structured))
    return Error{"expected an operation that computes something, got '" + name +
                 "', which only moves or casts entries"};
  Type element = elementOf(op->getResult(0));
  if (Result<> problem = checkResult(types, element); !problem)
    return problem;
  Precision all = completed(structured, types);
  if (Result<> problem = checkPrecision(all); !problem)
    return problem;
  for (OpOperand *input : structured.getDpsInputOperands()) {
    Type type = elementOf(input->get());
    if (type.isSignlessInteger() && !isa<FloatType>(element) &&
        accumulates(structured) && !holdsEvery(all.accumulation, type))
      return Error{"expected accumulation to hold every number of operand #" +
                   std::to_string(input->getOperandNumber()) + " of " +
                   toString(type) + ", got " + toString(all.accumulation)};
  }
  if (isCarriedOut(structured, all))
    return Success();
  return checkBody(structured, isa<FloatType>(element));
}

/// A movement of the same entries in the type of `source`.
Value ComputeIn::moveAgain(Operation *movement, Value source) {
  Value &again = movedAgain[movement];
  if (again)
    return again;
  OpBuilder builder(movement);
  builder.setInsertionPointAfter(movement);
  Type element = elementOf(source);
  IRMapping mapping;
  mapping.map(movement->getOperand(0), source);
  if (auto structured = dyn_cast<linalg::LinalgOp>(movement)) {
    Value init = structured.getDpsInits()[0];
    mapping.map(init, emptyLike(builder, movement->getLoc(), init, element));
  }
  Operation *copy = builder.clone(*movement, mapping);
  copy->getResult(0).setType(withElement(movement->getResult(0), element));
  for (Region &region : copy->getRegions())
    for (BlockArgument argument : region.getArguments())
      argument.setType(element);
  maybeDead.insert(movement);
  return again = copy->getResult(0);
}

/// The value in the type in which a rewritten operation has stored it; null
/// where none has.
Value ComputeIn::asStored(Value value) {
  if (stored.contains(value))
    return value;
  if (Value known = after.lookup(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (op && passed.contains(op) && isCast(op)) {
    Value source = asStored(op->getOperand(0));
    if (source)
      maybeDead.insert(op);
    return source;
  }
  Value moved = movedBy(op);
  Value source = moved ? asStored(moved) : Value();
  if (!source || source == moved)
    return source ? value : Value();
  return moveAgain(op, source);
}

/// The value that an operation reads which computes in the type `computed`.
Value ComputeIn::read(Value value, Type computed) {
  if (!isa<RankedTensorType>(value.getType()))
    return value;
  Value source = asStored(value);
  if (source && holdsEvery(computed, elementOf(source)))
    return source;
  // An exact cast in front changes no number.
  Operation *op = value.getDefiningOp();
  if (isCast(op) && isa<FloatType>(computed)) {
    Type from = elementOf(op->getOperand(0));
    if (holdsEvery(elementOf(value), from) && holdsEvery(computed, from) &&
        !holdsEvery(computed, elementOf(value))) {
      maybeDead.insert(op);
      return op->getOperand(0);
    }
  }
  return value;
}

linalg::LinalgOp ComputeIn::rebuild(linalg::LinalgOp op,
                                    const Precision &types) {
  OpBuilder builder(op);
  bool sums = accumulates(op);
  Type output = sums ? types.accumulation : types.storage;
  OperationState state(op.getLoc(), op->getName());
  // Bits without a sign are those that the function has, however it is stored.
  for (OpOperand *input : op.getDpsInputOperands())
    state.operands.push_back(readsBits(op.getMatchingBlockArgument(input))
                                 ? input->get()
                                 : read(input->get(), types.intermediate));
  Value init = op.getDpsInits()[0];
  // An output that nobody reads is only a shape.
  state.operands.push_back(sums ? castInit(builder, op.getLoc(), init, output)
                           : elementOf(init) == output
                               ? init
                               : emptyLike(builder, op.getLoc(), init, output));
  state.addTypes(withElement(op->getResult(0), output));
  state.addAttributes(op->getAttrs());
  Region *region = state.addRegion();
  SmallVector<Type> entries = llvm::map_to_vector(
      state.operands, [](Value operand) { return elementOf(operand); });
  entries.resize(op.getBlock()->getNumArguments());
  if (castsToOutput(op)) {
    OpBuilder::InsertionGuard guard(builder);
    Block *block =
        builder.createBlock(region, region->end(), entries,
                            SmallVector<Location>(entries.size(), op.getLoc()));
    ImplicitLocOpBuilder body(op.getLoc(), builder);
    op.getRegionBuilder()(body, *block, op->getAttrs(),
                          [&] { return op->emitError(); });
  } else {
    writeBody(builder, op, types, entries, output, *region);
  }
  return cast<linalg::LinalgOp>(builder.create(state));
}

/// Gives `stored`, cast back, to the users of what `op` was.
void ComputeIn::replace(linalg::LinalgOp op, Value value) {
  Value old = op->getResult(0);
  OpBuilder builder(op);
  builder.setInsertionPointAfterValue(value);
  stored.insert(value);
  // Users that cast back to this type use it directly.
  for (Operation *user : old.getUsers())
    if (isCast(user) && elementOf(user->getResult(0)) == elementOf(value)) {
      user->getResult(0).replaceAllUsesWith(value);
      maybeDead.insert(user);
    }
  Value back = castTensor(builder, op.getLoc(), value, elementOf(old));
  if (back != value) {
    after[back] = value;
    maybeDead.insert(back.getDefiningOp());
  }
  old.replaceAllUsesWith(back);
}

bool ComputeIn::apply(linalg::LinalgOp op, const Precision &types) {
  Operation *asked = op;
  auto attr = toAttr(op.getContext(), types);
  if (isCarriedOut(op, types)) {
    op->setAttr(precisionAttrName, attr);
    bool rounds = elementOf(op->getResult(0)) != types.storage;
    for (Operation *user : op->getUsers())
      if (rounds)
        stored.insert(user->getResult(0));
    if (!rounds)
      stored.insert(op->getResult(0));
    return false;
  }
  if (op.getRegionBuilder() &&
      !(castsToOutput(op) && types.intermediate == types.accumulation)) {
    IRRewriter rewriter(op.getContext());
    rewriter.setInsertionPoint(op);
    FailureOr<linalg::GenericOp> generic =
        linalg::generalizeNamedOp(rewriter, op);
    if (failed(generic))
      return false;
    op = *generic;
  }
  linalg::LinalgOp now = rebuild(op, types);
  now->setAttr(precisionAttrName, attr);
  OpBuilder builder(op);
  Value value =
      castTensor(builder, op.getLoc(), now->getResult(0), types.storage);
  replace(op, value);
  for (Value operand : op->getOperands())
    if (Operation *def = operand.getDefiningOp())
      maybeDead.insert(def);
  replaced[asked] = now;
  maybeDead.remove(op);
  op->erase();
  return true;
}

void eraseDead(llvm::SetVector<Operation *> ops) {
  while (!ops.empty()) {
    Operation *op = ops.pop_back_val();
    if (!isOpTriviallyDead(op))
      continue;
    for (Value operand : op->getOperands())
      if (Operation *def = operand.getDefiningOp())
        ops.insert(def);
    op->erase();
  }
}

void ComputeIn::eraseDead() { npu::eraseDead(std::move(maybeDead)); }

} // namespace npu
