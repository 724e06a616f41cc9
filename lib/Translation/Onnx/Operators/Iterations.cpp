// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterations written out, as a loop, and as a loop whose end depends on data.

#include "Iterations.h"

#include "../Build/Positions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {
namespace {

/// Loops of a model are written out until they make more nodes than this.
constexpr int64_t kMostWrittenNodes = 1 << 14;

SmallVector<Value> valuesOf(ArrayRef<OnnxTensor> tensors) {
  return llvm::map_to_vector(tensors,
                             [](const OnnxTensor &t) { return t.value; });
}

/// Nodes of a graph and of those inside of it, and elements of its constants.
void measure(const onnx::GraphProto &graph, int64_t &nodes, int64_t &elements) {
  auto add = [&](const onnx::TensorProto &tensor) {
    int64_t count = 1;
    for (int64_t extent : tensor.dims())
      if (llvm::MulOverflow(count, extent, count) || count > kMostElements)
        count = kMostElements;
    elements = std::min(elements + std::max<int64_t>(count, 0), kMostElements);
  };
  for (const onnx::TensorProto &tensor : graph.initializer())
    add(tensor);
  for (const onnx::NodeProto &node : graph.node()) {
    ++nodes;
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      if (attribute.has_g())
        measure(attribute.g(), nodes, elements);
      if (attribute.has_t())
        add(attribute.t());
    }
  }
}

/// An error unless an iteration gives values of the types that it got.
LogicalResult checkCarried(NodeImport &node, ArrayRef<OnnxTensor> before,
                           ArrayRef<OnnxTensor> after) {
  for (auto [number, one, other] : llvm::enumerate(before, after))
    if (one.type() != other.type() || one.element != other.element)
      return node.error() << "expected value #" << number
                          << " to keep its type through the loop, "
                          << NodeImport::describe(one) << ", got "
                          << NodeImport::describe(other);
  return success();
}

/// The operation in front of the builder.
Operation *lastBuilt(OpBuilder &builder) {
  auto at = builder.getInsertionPoint();
  return at == builder.getInsertionBlock()->begin() ? nullptr : &*std::prev(at);
}

/// Erases what was built after `before`.
void eraseAfter(OpBuilder &builder, Operation *before) {
  while (Operation *last = lastBuilt(builder)) {
    if (last == before)
      return;
    last->erase();
  }
}

/// One value as an entry of a dimension that is added.
Value asEntry(TensorBuilder &build, const OnnxTensor &value, int64_t axis) {
  SmallVector<int64_t> shape(value.shape());
  shape.insert(shape.begin() + axis, 1);
  return build.reshape(value.value, shape);
}

FailureOr<Stacking> checked(NodeImport &node, Stacking stacking,
                            const OnnxTensor &entry) {
  if (!entry.type().hasStaticShape())
    return node.error() << "expected a static shape of a stacked value, got "
                        << NodeImport::describe(entry);
  FailureOr<int64_t> axis = node.dimension(stacking.axis, entry.rank() + 1);
  if (failed(axis))
    return failure();
  return Stacking{*axis, stacking.isReverse};
}

FailureOr<std::optional<Tensors>> writeOut(const Iterations &iterations) {
  NodeImport &node = iterations.graph.node;
  OpBuilder &builder = node.build.builder;
  std::size_t carriedCount = iterations.graph.carried;
  Operation *before = lastBuilt(builder);
  Tensors all = iterations.carried;
  SmallVector<Tensors> columns(iterations.stackings.size());
  int64_t count = *getConstantIntValue(iterations.count);
  for (int64_t number = 0; number < count; ++number) {
    auto results = iterations.graph.import(
        iterations.arguments(builder.getIndexAttr(number), all));
    if (failed(results))
      return failure();
    std::optional<bool> goesOn = iterations.continues(*results);
    if (!goesOn) {
      eraseAfter(builder, before);
      return std::optional<Tensors>();
    }
    all.assign(results->begin(), results->begin() + carriedCount);
    for (auto [number, column] : llvm::enumerate(columns))
      column.push_back((*results)[carriedCount + number]);
    if (!*goesOn)
      break;
  }
  for (auto [entries, stacking] :
       llvm::zip_equal(columns, iterations.stackings)) {
    FailureOr<OnnxTensor> tensor = stack(node, entries, stacking);
    if (failed(tensor))
      return failure();
    all.push_back(*tensor);
  }
  return std::optional(all);
}

/// Inserts the entry of an iteration into the tensor so far.
Value insertEntry(TensorBuilder &build, const OnnxTensor &entry, Value into,
                  Value number, Number count, Stacking stacking) {
  ScalarBuilder s(build.builder, build.loc, OnnxElement::Int64);
  Numbers numbers = build.numbersHere();
  if (stacking.isReverse)
    number = s.create<arith::SubIOp>(
        numbers.valueOf(numbers.sub(count, numbers.constant(1))), number);
  SmallVector<int64_t> sizes(entry.shape());
  sizes.insert(sizes.begin() + stacking.axis, 1);
  SmallVector<int64_t> zeros(sizes.size(), 0), ones(sizes.size(), 1);
  TensorBuilder::Sizes offsets = build.sizes(zeros);
  offsets[stacking.axis] = number;
  return tensor::InsertSliceOp::create(
      build.builder, build.loc, asEntry(build, entry, stacking.axis), into,
      offsets, build.sizes(sizes), build.sizes(ones));
}

/// Makes a loop with stacked values of one that only carries values: types of
/// stacked values are known when the body is there.
FailureOr<Tensors> addStacks(scf::ForOp partial, const Iterations &iterations,
                             Tensors results) {
  NodeImport &node = iterations.graph.node;
  TensorBuilder &build = node.build;
  OpBuilder &builder = build.builder;
  std::size_t carriedCount = iterations.graph.carried;
  SmallVector<Value> inits = valuesOf(iterations.carried);
  SmallVector<Stacking> stackings;
  for (auto [number, given] : llvm::enumerate(iterations.stackings)) {
    const OnnxTensor &entry = results[carriedCount + number];
    FailureOr<Stacking> stacking = checked(node, given, entry);
    if (failed(stacking))
      return failure();
    stackings.push_back(*stacking);
    TensorBuilder::Sizes sizes = build.sizes(entry.shape());
    sizes.insert(sizes.begin() + stacking->axis, iterations.count);
    SmallVector<int64_t> shape = Numbers::inType(sizes);
    if (!llvm::is_contained(shape, ShapedType::kDynamic) &&
        !elementCount(shape))
      return node.error() << "a stacked value has more than " << kMostElements
                          << " elements";
    inits.push_back(build.empty(sizes, entry.elementType()));
  }
  auto whole =
      scf::ForOp::create(builder, node.loc, partial.getLowerBound(),
                         partial.getUpperBound(), partial.getStep(), inits);
  whole.getRegion().takeBody(partial.getRegion());
  partial.erase();
  Block *block = whole.getBody();
  SmallVector<Value> next;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block);
    next = valuesOf(ArrayRef(results).take_front(carriedCount));
    for (auto [number, stacking] : llvm::enumerate(stackings)) {
      Value into =
          block->addArgument(inits[carriedCount + number].getType(), node.loc);
      next.push_back(insertEntry(build, results[carriedCount + number], into,
                                 whole.getInductionVar(), iterations.count,
                                 stacking));
    }
    scf::YieldOp::create(builder, node.loc, next);
  }
  for (auto [tensor, value] : llvm::zip_equal(results, whole.getResults()))
    tensor.value = value;
  return results;
}

FailureOr<std::optional<Tensors>> asLoop(const Iterations &iterations) {
  NodeImport &node = iterations.graph.node;
  OpBuilder &builder = node.build.builder;
  Operation *before = lastBuilt(builder);
  ScalarBuilder s(builder, node.loc, OnnxElement::Int64);
  auto partial =
      scf::ForOp::create(builder, node.loc, indexConstant(s, 0),
                         node.build.numbersHere().valueOf(iterations.count),
                         indexConstant(s, 1), valuesOf(iterations.carried));
  Tensors inside = iterations.carried;
  for (auto [tensor, argument] :
       llvm::zip_equal(inside, partial.getRegionIterArgs()))
    tensor.value = argument;
  FailureOr<Tensors> results = failure();
  std::optional<bool> goesOn;
  {
    OpBuilder::InsertionGuard guard(builder);
    partial.getBody()->clear();
    builder.setInsertionPointToEnd(partial.getBody());
    results = iterations.graph.import(
        iterations.arguments(OpFoldResult(partial.getInductionVar()), inside));
    if (failed(results))
      return failure();
    goesOn = iterations.continues(*results);
  }
  if (!goesOn || !*goesOn) {
    eraseAfter(builder, before);
    return std::optional<Tensors>();
  }
  if (failed(checkCarried(
          node, inside,
          ArrayRef(*results).take_front(iterations.graph.carried))))
    return failure();
  FailureOr<Tensors> all = addStacks(partial, iterations, *results);
  if (failed(all))
    return failure();
  return std::optional(*all);
}

} // namespace

FailureOr<Tensors> IteratedGraph::import(ArrayRef<OnnxTensor> arguments) {
  if (static_cast<std::size_t>(graph.input_size()) != arguments.size())
    return node.error() << "expected a body of " << arguments.size()
                        << " inputs, got " << graph.input_size();
  GraphImport inner(node.graph.importSession(), graph, node.build.builder,
                    &node.graph);
  for (auto [number, argument] : llvm::enumerate(arguments))
    inner.bind(graph.input(static_cast<int>(number)).name(), argument);
  if (failed(inner.run()))
    return failure();
  return inner.results();
}

bool IteratedGraph::isWrittenOut(int64_t count) {
  int64_t nodes = 1, elements = 0;
  measure(graph, nodes, elements);
  // Large constants would be there once for each iteration.
  int64_t &written = node.graph.importSession().writtenOut;
  if (elements > kMostInlineElements ||
      count > (kMostWrittenNodes - written) / nodes)
    return false;
  written += count * nodes;
  return true;
}

FailureOr<std::optional<Tensors>> runIterations(Iterations iterations) {
  std::optional<int64_t> count = getConstantIntValue(iterations.count);
  return count && iterations.graph.isWrittenOut(*count) ? writeOut(iterations)
                                                        : asLoop(iterations);
}

OnnxTensor iterationNumber(TensorBuilder &build, OpFoldResult number) {
  if (auto constant = getConstantIntValue(number))
    return {build.reshape(build.integers({*constant}), {}), OnnxElement::Int64};
  Type wide = build.builder.getI64Type();
  Value scalar = arith::IndexCastOp::create(build.builder, build.loc, wide,
                                            cast<Value>(number));
  return {tensor::FromElementsOp::create(build.builder, build.loc,
                                         RankedTensorType::get({}, wide),
                                         scalar),
          OnnxElement::Int64};
}

OnnxTensor constantTrue(TensorBuilder &build) {
  return {build.splat(build.builder.getI1Type(), 1), OnnxElement::Bool};
}

FailureOr<OnnxTensor> stack(NodeImport &node, ArrayRef<OnnxTensor> entries,
                            Stacking stacking) {
  FailureOr<Stacking> how = checked(node, stacking, entries.front());
  if (failed(how))
    return failure();
  SmallVector<Value> parts;
  for (const OnnxTensor &entry : entries) {
    if (entry.type() != entries.front().type())
      return node.error() << "expected stacked values of one type, got "
                          << NodeImport::describe(entries.front()) << " and "
                          << NodeImport::describe(entry);
    parts.push_back(asEntry(node.build, entry, how->axis));
  }
  if (how->isReverse)
    std::reverse(parts.begin(), parts.end());
  return OnnxTensor{node.build.concat(parts, how->axis),
                    entries.front().element};
}

FailureOr<Tensors> runWhile(IteratedGraph &graph, Value flag, Value most,
                            Tensors carried) {
  NodeImport &node = graph.node;
  TensorBuilder &build = node.build;
  OpBuilder &builder = build.builder;
  ScalarBuilder s(builder, node.loc, OnnxElement::Int64);
  SmallVector<Value> inits{indexConstant(s, 0), flag};
  llvm::append_range(inits, valuesOf(carried));
  SmallVector<Type> types(ValueRange(inits).getTypes());
  LogicalResult imported = failure();
  auto loop = scf::WhileOp::create(
      builder, node.loc, types, inits,
      [&](OpBuilder &, Location, ValueRange arguments) {
        Value goesOn = arguments[1];
        if (most)
          goesOn = s.create<arith::AndIOp>(
              goesOn, s.create<arith::CmpIOp>(arith::CmpIPredicate::slt,
                                              arguments[0], most));
        scf::ConditionOp::create(builder, node.loc, goesOn, arguments);
      },
      [&](OpBuilder &, Location, ValueRange arguments) {
        Tensors inside{iterationNumber(build, arguments[0]),
                       constantTrue(build)};
        for (auto [tensor, argument] :
             llvm::zip_equal(carried, arguments.drop_front(2)))
          inside.push_back({argument, tensor.element});
        FailureOr<Tensors> results = graph.import(inside);
        SmallVector<Value> next(arguments);
        if (succeeded(results) && results->size() == carried.size() + 1) {
          imported =
              checkCarried(node, carried, ArrayRef(*results).drop_front());
          Value again = build.reshape(results->front().value, {});
          if (succeeded(imported) && !again)
            imported = node.error() << "expected one boolean as the condition, "
                                       "got "
                                    << NodeImport::describe(results->front());
          if (succeeded(imported)) {
            next = {s.create<arith::AddIOp>(arguments[0], indexConstant(s, 1)),
                    TensorBuilder::read(s, again, {})};
            llvm::append_range(next, valuesOf(ArrayRef(*results).drop_front()));
          }
        }
        scf::YieldOp::create(builder, node.loc, next);
      });
  if (failed(imported))
    return failure();
  for (auto [tensor, value] :
       llvm::zip_equal(carried, loop.getResults().drop_front(2)))
    tensor.value = value;
  return carried;
}

} // namespace npu
