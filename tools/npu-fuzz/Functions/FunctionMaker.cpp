// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Functions/FunctionMaker.h"

#include "npu-fuzz/Functions/FuzzExtension.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/ExternalModels/RegisterAll.h"
#include "npu/Placement/Distributions/WholeBytes.h"
#include "npu/Reduce/ReduceModule.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace mlir;

namespace npu {
namespace {

/// Whether the static extents along each loop are equal.
bool extentsAgree(linalg::LinalgOp op) {
  SmallVector<int64_t> loops(op.getNumLoops(), ShapedType::kDynamic);
  for (OpOperand &operand : op->getOpOperands())
    for (auto [extent, index] :
         llvm::zip_equal(op.getShape(&operand),
                         op.getMatchingIndexingMap(&operand).getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(index);
      if (!dim || ShapedType::isDynamic(extent))
        continue;
      int64_t &known = loops[dim.getPosition()];
      if (!ShapedType::isDynamic(known) && known != extent)
        return false;
      known = extent;
    }
  return true;
}

/// Whether all tensors that an elementwise operation reads and makes have one
/// layout.
bool layoutsAgree(Operation *op) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  std::optional<Attribute> layout;
  for (Type type : types)
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      if (layout.value_or(tensor.getEncoding()) != tensor.getEncoding())
        return false;
      layout = tensor.getEncoding();
    }
  return true;
}

/// Erases the operations after `last` or, if there is none, after `head`.
void eraseAfter(Block &block, Operation *last, Operation *head) {
  while (!block.empty() && &block.back() != last && &block.back() != head)
    block.back().erase();
}

} // namespace

bool layoutFits(const Fact &value) {
  const Layout &layout = value.layout;
  if (!layout.order.empty() && layout.order.size() != value.shape.size())
    return false;
  if (layout.storage == Storage::Tiled2d &&
      (!layout.distribution || value.shape.size() != 4))
    return false;
  if (!layout.distribution)
    return true;
  if (!checkDistribution(*layout.distribution))
    return false;
  Result<Placement> placement = place(*layout.distribution, value.shape);
  int64_t bits = bitSize(value.type);
  return placement &&
         (bits >= 8 || !findByteCut(*placement, layout.order, 8 / bits));
}

FuzzExtension &fuzzExtension() {
  static FuzzExtension extension;
  return extension;
}

MLIRContext &makingContext() {
  static MLIRContext context(
      [] {
        DialectRegistry registry;
        registerDialects(registry);
        registerReductionPatterns(registry);
        if (fuzzExtension().registerMore)
          fuzzExtension().registerMore(registry);
        return registry;
      }(),
      MLIRContext::Threading::DISABLED);
  static bool isLoaded = [] {
    context.loadAllAvailableDialects();
    // Steps that verifiers refuse are no errors.
    context.getDiagEngine().registerHandler(
        [](Diagnostic &) { return success(); });
    return true;
  }();
  (void)isLoaded;
  return context;
}

std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, OpPrintingFlags().useLocalScope());
  return text + "\n";
}

bool isWellFormed(Operation *op) {
  return succeeded(verify(op)) &&
         !op->walk([](Operation *inner) {
              auto structured = dyn_cast<linalg::LinalgOp>(inner);
              bool isWrong = (structured && !extentsAgree(structured)) ||
                             (OpTrait::hasElementwiseMappableTraits(inner) &&
                              !layoutsAgree(inner));
              return isWrong ? WalkResult::interrupt() : WalkResult::advance();
            }).wasInterrupted();
}

Extents extentsAt(const Dims &dims, int64_t length) {
  Extents shape;
  for (const Extent &extent : dims)
    shape.push_back(extent.at(length));
  return shape;
}

std::vector<int64_t> others(int64_t rank, std::span<const int64_t> dims) {
  std::vector<int64_t> found;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(dims, dim))
      found.push_back(dim);
  return found;
}

FunctionMaker::FunctionMaker(uint64_t seed, uint64_t number, int64_t longest)
    : RandomPlacements(seed, number), b(&makingContext()), longest(longest),
      module(ModuleOp::create(b.getUnknownLoc())) {
  b.setInsertionPointToEnd(module->getBody());
  function = func::FuncOp::create(b, b.getUnknownLoc(), "main",
                                  b.getFunctionType({}, {}));
  b.setInsertionPointToStart(function.addEntryBlock());
}

FunctionMaker::~FunctionMaker() = default;

std::vector<int64_t> FunctionMaker::someDims(int64_t rank) {
  int64_t certain = below(rank);
  std::vector<int64_t> dims;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim == certain || oneIn(4))
      dims.push_back(dim);
  return dims;
}

Fact FunctionMaker::tensor(ElementType type, Dims dims) const {
  Extents shape = extentsAt(dims, longest);
  return {type, std::move(dims), shape};
}

Fact FunctionMaker::scalarOf(ElementType type) {
  Fact fact{type};
  fact.scalar = true;
  return fact;
}

std::optional<unsigned> FunctionMaker::make(Fact result, Build build) {
  if (!layoutFits(result) || std::ssize(result.shape) > kMaxRank)
    return std::nullopt;
  // What computes extents stays, at the beginning.
  Operation *last = body().empty() ? nullptr : &body().back();
  result.value = build(result);
  Operation *op = result.value ? result.value.getDefiningOp() : nullptr;
  bool isLegal =
      op && result.value.getType() == typeOf(result) && isWellFormed(op);
  if (isLegal)
    result.value = castToAndFro(result);
  magnitudes.isExact = made.exact;
  magnitudes.longest = longest;
  Operation *first = last ? last->getNextNode() : &body().front();
  for (; isLegal && bounds && first; first = first->getNextNode())
    isLegal = magnitudes.learn(first);
  if (!isLegal) {
    eraseAfter(body(), last, head);
    return std::nullopt;
  }
  values.push_back(std::move(result));
  return size() - 1;
}

std::optional<unsigned>
FunctionMaker::makeLaidOut(Fact result, const std::optional<Fact> &like,
                           Build build) {
  if (result.volume() > mostElements())
    return std::nullopt;
  result.layout = like && like->shape == result.shape && oneIn(3)
                      ? like->layout
                      : layout(result.shape, {});
  return make(std::move(result), build);
}

std::optional<unsigned> FunctionMaker::makePair(
    Fact first, Fact second,
    llvm::function_ref<Operation *(const Fact &, const Fact &)> build) {
  if (!second.scalar && !layoutFits(second))
    return std::nullopt;
  std::optional<unsigned> made =
      make(std::move(first), [&](const Fact &result) -> Value {
        Operation *op = build(result, second);
        second.value = op->getResult(1);
        return op->getResult(0);
      });
  if (made && !oneIn(8))
    values.push_back(std::move(second));
  return made;
}

unsigned FunctionMaker::argument(Fact value) {
  // Layouts are made up for any type, and some cut a byte of packed elements.
  if (!value.scalar && !layoutFits(value))
    value.layout = {};
  value.value = body().addArgument(typeOf(value), b.getUnknownLoc());
  magnitudes.forget(value.value);
  values.push_back(std::move(value));
  return size() - 1;
}

Operation *FunctionMaker::call(OpBuilder &at, llvm::StringRef op,
                               ValueRange operands, TypeRange types,
                               ArrayRef<NamedAttribute> attributes) {
  OperationState state(at.getUnknownLoc(), op, operands, types, attributes);
  return at.create(state);
}

Type FunctionMaker::elementType(ElementType type) const {
  if (type == kIndex)
    return Builder(b.getContext()).getIndexType();
  return parseType(nameOf(type), b.getContext());
}

Type FunctionMaker::typeOf(const Fact &value) const {
  if (value.scalar)
    return elementType(value.type);
  SmallVector<int64_t> shape(value.shape.begin(), value.shape.end());
  for (auto [extent, dim] : llvm::zip(value.dims, shape))
    if (extent.grows())
      dim = ShapedType::kDynamic;
  Layout layout = value.layout;
  if (layout.distribution)
    normalize(*layout.distribution);
  return RankedTensorType::get(shape, elementType(value.type),
                               makeLayout(b.getContext(), std::move(layout)));
}

TypedAttr FunctionMaker::numberAttr(Type type, double value) {
  if (isa<FloatType>(type))
    return FloatAttr::get(type, value);
  auto number = static_cast<int64_t>(value);
  return IntegerAttr::get(type, type.isInteger(1) ? number & 1 : number);
}

Value FunctionMaker::constant(OpBuilder &at, Type type, double value) {
  return arith::ConstantOp::create(at, at.getUnknownLoc(),
                                   numberAttr(type, value));
}

Value FunctionMaker::constant(const Fact &value, ArrayRef<double> entries) {
  SmallVector<Attribute> attributes;
  for (double entry : entries)
    attributes.push_back(numberAttr(elementType(value.type), entry));
  return arith::ConstantOp::create(
      b, b.getUnknownLoc(),
      DenseElementsAttr::get(tensorType(value), attributes));
}

Value FunctionMaker::empty(const Fact &value) {
  RankedTensorType type = tensorType(value);
  if (made.assign && size() % 2 == 1)
    for (unsigned other = size(); other-- > 0;)
      if (values[other].value.getType() == type)
        return values[other].value;
  return emptyAt(b, value);
}

Value FunctionMaker::emptyAt(OpBuilder &at, const Fact &value) {
  RankedTensorType type = tensorType(value);
  SmallVector<Value> sizes;
  for (const Extent &each : value.dims)
    if (each.grows())
      sizes.push_back(extent(each));
  return tensor::EmptyOp::create(at, at.getUnknownLoc(), type.getShape(),
                                 type.getElementType(), sizes,
                                 type.getEncoding());
}

Value FunctionMaker::filled(const Fact &value, double number) {
  Value scalar = constant(value.type, number);
  return linalg::FillOp::create(b, b.getUnknownLoc(), scalar, empty(value))
      ->getResult(0);
}

AffineMap FunctionMaker::mapTo(int64_t loops, ArrayRef<int64_t> targets) const {
  SmallVector<AffineExpr> results;
  for (int64_t target : targets)
    results.push_back(getAffineDimExpr(target, b.getContext()));
  return AffineMap::get(loops, 0, results, b.getContext());
}

OpBuilder FunctionMaker::atHead() {
  OpBuilder at(b.getContext());
  if (head)
    at.setInsertionPointAfter(head);
  else
    at.setInsertionPointToStart(&body());
  return at;
}

Value FunctionMaker::length() {
  for (const Fact &value : values)
    for (auto [dim, extent] : llvm::enumerate(value.dims))
      if (!lengthValue && isa<BlockArgument>(value.value) &&
          extent.isPrompt()) {
        OpBuilder at = atHead();
        lengthValue = tensor::DimOp::create(at, at.getUnknownLoc(), value.value,
                                            static_cast<int64_t>(dim));
        head = lengthValue.getDefiningOp();
      }
  return lengthValue;
}

Value FunctionMaker::extent(const Extent &wanted) {
  if (wanted.isPrompt())
    return length();
  for (const auto &[known, value] : extents)
    if (known == wanted)
      return value;
  Value n = wanted.grows() ? length() : Value();
  OpBuilder at = atHead();
  Type index = at.getIndexType();
  auto number = [&](int64_t value) {
    return constant(at, index, static_cast<double>(value));
  };
  auto arith = [&](llvm::StringRef op, Value x, Value y) {
    return call(at, ("arith." + op).str(), {x, y}, index)->getResult(0);
  };
  AffineExpr s = at.getAffineSymbolExpr(0),
             c = at.getAffineConstantExpr(wanted.number);
  constexpr const char *kOperations[] = {"addi", "floordivsi", "remsi", "maxsi",
                                         "minsi"};
  Value made;
  if (!wanted.grows()) {
    made = number(wanted.number);
  } else if (wanted.byAffine && wanted.kind >= Extent::AtLeast) {
    AffineMap both = AffineMap::get(0, 1, {s, c}, at.getContext());
    made =
        call(at, wanted.kind == Extent::AtLeast ? "affine.max" : "affine.min",
             n, index, at.getNamedAttr("map", AffineMapAttr::get(both)))
            ->getResult(0);
  } else if (wanted.byAffine) {
    AffineExpr expr = wanted.kind == Extent::Linear     ? s * wanted.factor + c
                      : wanted.kind == Extent::Quotient ? s.floorDiv(c)
                                                        : s % c;
    made = affine::AffineApplyOp::create(at, at.getUnknownLoc(),
                                         AffineMap::get(0, 1, expr), n);
  } else if (wanted.kind == Extent::Linear && wanted.factor == -1) {
    made = arith("subi", number(wanted.number), n);
  } else {
    if (wanted.kind == Extent::Linear && wanted.factor != 1)
      n = arith("muli", n, number(wanted.factor));
    made = arith(kOperations[wanted.kind], n, number(wanted.number));
  }
  head = made.getDefiningOp();
  extents.emplace_back(wanted, made);
  return made;
}

OpFoldResult FunctionMaker::size(const Extent &wanted) {
  return wanted.grows() ? OpFoldResult(extent(wanted))
                        : OpFoldResult(b.getIndexAttr(wanted.number));
}

Value FunctionMaker::offset(bool byAffine) {
  if (!offsetValue)
    offsetValue = body().addArgument(b.getIndexType(), b.getUnknownLoc());
  if (byAffine && !offsetByAffine) {
    OpBuilder at = atHead();
    offsetByAffine = affine::AffineApplyOp::create(
        at, at.getUnknownLoc(), at.getMultiDimIdentityMap(1), offsetValue);
    head = offsetByAffine.getDefiningOp();
  }
  return byAffine ? offsetByAffine : offsetValue;
}

Value FunctionMaker::castToAndFro(const Fact &value) {
  auto type = dyn_cast<RankedTensorType>(value.value.getType());
  if (!bounds || !type || size() % 3 != 0 || type.hasStaticShape() ||
      static_cast<int64_t>(type.getNumDynamicDims()) == type.getRank())
    return value.value;
  SmallVector<int64_t> none(type.getRank(), ShapedType::kDynamic);
  Type open = RankedTensorType::get(none, type.getElementType());
  Value there = tensor::CastOp::create(b, b.getUnknownLoc(), open, value.value);
  return tensor::CastOp::create(b, b.getUnknownLoc(), type, there);
}

func::FuncOp FunctionMaker::privateFunction(const std::string &prefix,
                                            TypeRange inputs,
                                            TypeRange results) {
  std::string name =
      prefix + "_" +
      std::to_string(llvm::range_size(module->getOps<func::FuncOp>()));
  OpBuilder at = OpBuilder::atBlockBegin(module->getBody());
  auto made = func::FuncOp::create(at, at.getUnknownLoc(), name,
                                   at.getFunctionType(inputs, results));
  made.setPrivate();
  made.addEntryBlock();
  return made;
}

void FunctionMaker::dropUnused(llvm::function_ref<bool(unsigned)> droppable) {
  function.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
  for (auto other : llvm::make_early_inc_range(module->getOps<func::FuncOp>()))
    if (other.isPrivate() && SymbolTable::symbolKnownUseEmpty(other, *module))
      other.erase();
  llvm::BitVector dropped(body().getNumArguments());
  for (unsigned value = 0; value < size(); ++value)
    if (auto argument = dyn_cast<BlockArgument>(values[value].value))
      if (argument.getOwner() == &body() && argument.use_empty() &&
          droppable(value))
        dropped.set(argument.getArgNumber());
  body().eraseArguments(dropped);
}

void FunctionMaker::returnValues(const std::vector<unsigned> &results) {
  SmallVector<Value> returned;
  for (unsigned result : results)
    returned.push_back(values[result].value);
  func::ReturnOp::create(b, b.getUnknownLoc(), returned);
}

MadeFunction
FunctionMaker::finish(llvm::function_ref<bool(unsigned)> droppable) {
  dropUnused(droppable);
  Operation *last = function.getBody().back().getTerminator();
  function.setFunctionType(
      b.getFunctionType(body().getArgumentTypes(), last->getOperandTypes()));
  beforeText();
  made.text = textOf(*module);
  return std::move(made);
}

} // namespace npu
