// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loop, Scan and If: which graph runs, and what it is handed.

#include "../Build/Positions.h"
#include "../Graph/GraphImport.h"
#include "../Graph/OperatorTable.h"
#include "Iterations.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {
namespace {

std::optional<int64_t> knownInteger(const OnnxTensor &tensor) {
  auto numbers = TensorBuilder::integersOf(tensor.value, tensor.element);
  if (!numbers || numbers->size() != 1)
    return std::nullopt;
  return numbers->front();
}

const onnx::GraphProto *bodyOf(NodeImport &node) {
  const onnx::AttributeProto *attribute = node.attribute("body");
  if (attribute && attribute->has_g())
    return &attribute->g();
  node.error() << "expected a graph as its body";
  return nullptr;
}

LogicalResult setResults(NodeImport &node, ArrayRef<OnnxTensor> results) {
  for (auto [number, result] : llvm::enumerate(results))
    if (node.wants(number) &&
        failed(node.setResult(number, result.value, result.element)))
      return failure();
  return success();
}

/// Operands that are carried, all of which have to be there.
FailureOr<Tensors> operandsFrom(NodeImport &node, unsigned first,
                                unsigned end) {
  Tensors tensors;
  for (unsigned operand = first; operand < end; ++operand) {
    if (!node.has(operand))
      return node.error() << "expected operand #" << operand;
    tensors.push_back(node.operand(operand));
  }
  return tensors;
}

//===----------------------------------------------------------------------===//
// Loop
//===----------------------------------------------------------------------===//

/// What is stacked by no iteration: it has the type that the body declares.
FailureOr<OnnxTensor> stackOfNone(NodeImport &node,
                                  const onnx::ValueInfoProto &entry) {
  const auto &type = entry.type().tensor_type();
  std::optional<OnnxElement> element = onnxElement(type.elem_type());
  SmallVector<int64_t> shape{0};
  for (const auto &dim : type.shape().dim())
    shape.push_back(dim.has_dim_value() ? dim.dim_value() : -1);
  if (!element || !type.has_shape() || !elementCount(shape))
    return node.error() << "the loop has no iterations, and its body does not "
                           "declare the shape of '"
                        << entry.name() << "'";
  return OnnxTensor{
      node.build.empty(node.build.sizes(shape),
                       elementType(*element, node.build.builder.getContext())),
      *element};
}

/// A loop that ends when data says so; its results have shapes all the same
/// where nothing is stacked.
LogicalResult loopOnData(NodeImport &node, IteratedGraph &graph,
                         const Tensors &carried, std::size_t stackedCount) {
  if (stackedCount) {
    for (unsigned operand : {0u, 1u})
      if (node.has(operand) && !knownInteger(node.operand(operand))) {
        node.graph.errorNotConstant(node, operand,
                                    operand ? "the condition, on which the "
                                              "shape of a result depends"
                                            : "the trip count, on which the "
                                              "shape of a result depends");
        return failure();
      }
    return node.error() << "out of scope: the shape of its result depends on "
                           "data";
  }
  TensorBuilder &build = node.build;
  ScalarBuilder s(build.builder, node.loc, OnnxElement::Int64);
  Value most, flag;
  if (node.has(0)) {
    Value number = build.reshape(node.operand(0).value, {});
    if (!number || isFloat(node.operand(0).element))
      return node.error() << "expected one integer as the trip count";
    most = s.toIndex(TensorBuilder::read(s, number, {}));
  }
  Value first = node.has(1) ? build.reshape(node.operand(1).value, {})
                            : constantTrue(build).value;
  if (!first || (node.has(1) && node.operand(1).element != OnnxElement::Bool))
    return node.error() << "expected one boolean as the condition";
  flag = TensorBuilder::read(s, first, {});
  FailureOr<Tensors> results = runWhile(graph, flag, most, carried);
  return failed(results) ? failure() : setResults(node, *results);
}

/// The number of iterations, where it is known: a number that follows from
/// shapes, or the declared extent of what is stacked; else null. It may end
/// before.
Number tripCount(NodeImport &node, std::size_t carried, bool isStacked) {
  if (!node.has(0))
    return {};
  Numbers numbers = node.build.numbersHere();
  if (auto known = node.knownIntegers(0);
      known && known->size() == 1 && known->front())
    return numbers.max(known->front(), numbers.constant(0));
  auto declared = isStacked ? node.declaredShape(carried) : std::nullopt;
  if (!declared || declared->empty())
    return {};
  node.remark() << "the trip count, a value of run time, is taken to be the "
                   "declared extent of result #"
                << carried;
  return numbers.constant(declared->front());
}

LogicalResult buildLoop(NodeImport &node) {
  const onnx::GraphProto *body = bodyOf(node);
  if (!body)
    return failure();
  unsigned operands = std::max(node.operandCount(), 2u);
  FailureOr<Tensors> carried = operandsFrom(node, 2, operands);
  if (failed(carried))
    return failure();
  if (body->output_size() < static_cast<int>(carried->size()) + 1)
    return node.error() << "expected a body of at least " << carried->size() + 1
                        << " results, got " << body->output_size();
  IteratedGraph graph(node, *body, carried->size());
  std::size_t stackedCount = body->output_size() - 1 - carried->size();
  std::optional<int64_t> first =
      node.has(1) ? knownInteger(node.operand(1)) : std::optional<int64_t>(1);
  Number count = tripCount(node, carried->size(), stackedCount != 0);
  if (first && *first == 0)
    count = node.build.numbersHere().constant(0);
  if (count && isConstantIntValue(count, 0)) {
    for (std::size_t number = 0; number < stackedCount; ++number) {
      auto none = stackOfNone(
          node, body->output(static_cast<int>(carried->size() + 1 + number)));
      if (failed(none))
        return failure();
      carried->push_back(*none);
    }
    return setResults(node, *carried);
  }
  if (!count || !first)
    return loopOnData(node, graph, *carried, stackedCount);
  auto arguments = [&](OpFoldResult number, ArrayRef<OnnxTensor> current) {
    Tensors all{iterationNumber(node.build, number), constantTrue(node.build)};
    llvm::append_range(all, current);
    return all;
  };
  auto continues = [&](Tensors &results) -> std::optional<bool> {
    std::optional<int64_t> flag = knownInteger(results.front());
    results.erase(results.begin());
    return flag ? std::optional(*flag != 0) : std::nullopt;
  };
  auto results = runIterations({graph, count, *carried,
                                SmallVector<Stacking>(stackedCount), arguments,
                                continues});
  if (failed(results))
    return failure();
  return *results ? setResults(node, **results)
                  : loopOnData(node, graph, *carried, stackedCount);
}

//===----------------------------------------------------------------------===//
// Scan
//===----------------------------------------------------------------------===//

/// A value of which every iteration gets an entry.
struct Scanned {
  OnnxTensor tensor;
  int64_t axis = 0;
  bool isReverse = false;
};

OnnxTensor entryOf(TensorBuilder &build, const Scanned &scanned,
                   OpFoldResult number) {
  ArrayRef<int64_t> whole = scanned.tensor.shape();
  Numbers numbers = build.numbersHere();
  Number last =
      numbers.sub(numbers.extentOf(scanned.tensor.value, scanned.axis),
                  numbers.constant(1));
  SmallVector<int64_t> shape(whole), zeros(whole.size(), 0),
      ones(whole.size(), 1);
  Value slice;
  if (auto constant = getConstantIntValue(number)) {
    int64_t at =
        scanned.isReverse ? *getConstantIntValue(last) - *constant : *constant;
    slice = build.sliceDim(scanned.tensor.value, scanned.axis, at, 1);
  } else {
    ScalarBuilder s(build.builder, build.loc, OnnxElement::Int64);
    Value at = cast<Value>(number);
    if (scanned.isReverse)
      at = s.create<arith::SubIOp>(numbers.valueOf(last), at);
    TensorBuilder::Sizes offsets = build.sizes(zeros);
    offsets[scanned.axis] = at;
    shape[scanned.axis] = 1;
    slice = tensor::ExtractSliceOp::create(
        build.builder, build.loc, scanned.tensor.value, offsets,
        build.sizes(shape), build.sizes(ones));
  }
  shape.assign(whole.begin(), whole.end());
  shape.erase(shape.begin() + scanned.axis);
  return {build.reshape(slice, shape), scanned.tensor.element};
}

FailureOr<Tensors> scan(IteratedGraph &graph, const Tensors &states,
                        ArrayRef<Scanned> scanned,
                        ArrayRef<Stacking> stackings) {
  NodeImport &node = graph.node;
  Numbers numbers = node.build.numbersHere();
  Number count;
  for (const Scanned &each : scanned) {
    for (auto [dim, extent] : llvm::enumerate(each.tensor.shape()))
      if (ShapedType::isDynamic(extent) &&
          static_cast<int64_t>(dim) != each.axis)
        return node.error() << "expected a static extent of dimension " << dim
                            << ", which is not scanned, got "
                            << NodeImport::describe(each.tensor);
    Number extent = numbers.extentOf(each.tensor.value, each.axis);
    if (!numbers.ensureAtLeast(extent, 1) ||
        (count && !numbers.areEqual(count, extent)))
      return node.error() << "expected as many entries of all scanned values "
                             "and at least one, got "
                          << NodeImport::describe(each.tensor)
                          << " scanned along dimension " << each.axis;
    count = extent;
  }
  if (!count)
    return node.error() << "expected a value to scan";
  auto arguments = [&](OpFoldResult number, ArrayRef<OnnxTensor> current) {
    Tensors all(current);
    for (const Scanned &each : scanned)
      all.push_back(entryOf(node.build, each, number));
    return all;
  };
  auto continues = [](Tensors &) { return std::optional(true); };
  auto results =
      runIterations({graph, count, states, SmallVector<Stacking>(stackings),
                     arguments, continues});
  if (failed(results))
    return failure();
  return **results;
}

/// A list of that many integers, or zeros.
FailureOr<SmallVector<int64_t>> listOf(NodeImport &node, StringRef name,
                                       std::size_t count) {
  auto given = node.integers(name).value_or(SmallVector<int64_t>(count, 0));
  if (given.size() != count)
    return node.error() << "expected " << count << " numbers in " << name
                        << ", got " << given.size();
  return given;
}

/// Before version 9, everything had a batch in front: each entry of it is
/// scanned by itself.
LogicalResult scanBatches(NodeImport &node, IteratedGraph &graph,
                          const Tensors &states, ArrayRef<Scanned> scanned,
                          ArrayRef<Stacking> stackings) {
  std::optional<int64_t> batches;
  auto check = [&](const OnnxTensor &tensor, int64_t rank) -> LogicalResult {
    if (tensor.rank() < rank || !tensor.type().hasStaticShape() ||
        tensor.shape()[0] == 0 || (batches && tensor.shape()[0] != *batches))
      return node.error() << "expected a batch as the first dimension, got "
                          << NodeImport::describe(tensor);
    batches = tensor.shape()[0];
    return success();
  };
  for (const OnnxTensor &state : states)
    if (failed(check(state, 1)))
      return failure();
  for (const Scanned &each : scanned)
    if (failed(check(each.tensor, 2)))
      return failure();
  SmallVector<Tensors> columns(states.size() + stackings.size());
  for (int64_t batch = 0; batch < batches.value_or(0); ++batch) {
    OpFoldResult number = node.build.builder.getIndexAttr(batch);
    Tensors own;
    for (const OnnxTensor &state : states)
      own.push_back(entryOf(node.build, {state}, number));
    SmallVector<Scanned> parts;
    for (const Scanned &each : scanned)
      parts.push_back(
          {entryOf(node.build, {each.tensor}, number), 0, each.isReverse});
    FailureOr<Tensors> results = scan(graph, own, parts, stackings);
    if (failed(results))
      return failure();
    for (auto [column, result] : llvm::zip_equal(columns, *results))
      column.push_back(result);
  }
  Tensors all;
  for (const Tensors &column : columns) {
    if (column.empty())
      return node.error() << "expected a batch of at least one entry";
    FailureOr<OnnxTensor> result = stack(node, column, {});
    if (failed(result))
      return failure();
    all.push_back(*result);
  }
  return setResults(node, all);
}

LogicalResult buildScan(NodeImport &node) {
  const onnx::GraphProto *body = bodyOf(node);
  if (!body)
    return failure();
  bool hasBatch = node.opset() < 9;
  unsigned first = hasBatch ? 1 : 0, operands = node.operandCount();
  int64_t scannedCount = node.integer("num_scan_inputs", 0);
  if (scannedCount < 1 || scannedCount + first > operands)
    return node.error() << "num_scan_inputs is " << scannedCount << " for "
                        << operands << " operands";
  if (hasBatch && node.has(0))
    return node.error() << "lengths of sequences (operand #0) are not imported";
  auto split = static_cast<unsigned>(operands - scannedCount);
  FailureOr<Tensors> states = operandsFrom(node, first, split);
  FailureOr<Tensors> values = operandsFrom(node, split, operands);
  if (failed(states) || failed(values))
    return failure();
  if (body->output_size() < static_cast<int>(states->size()))
    return node.error() << "expected a body of at least " << states->size()
                        << " results, got " << body->output_size();
  std::size_t stackedCount = body->output_size() - states->size();
  auto axes = listOf(node, "scan_input_axes", values->size());
  auto directions = listOf(
      node, hasBatch ? "directions" : "scan_input_directions", values->size());
  auto outAxes = listOf(node, "scan_output_axes", stackedCount);
  auto outDirections = listOf(node, "scan_output_directions", stackedCount);
  if (failed(axes) || failed(directions) || failed(outAxes) ||
      failed(outDirections))
    return failure();
  SmallVector<Scanned> scanned;
  for (auto [value, given, direction] :
       llvm::zip_equal(*values, *axes, *directions)) {
    FailureOr<int64_t> axis = node.dimension(given, value.rank());
    if (failed(axis))
      return failure();
    scanned.push_back({value, *axis, direction != 0});
  }
  SmallVector<Stacking> stackings;
  for (auto [axis, direction] : llvm::zip_equal(*outAxes, *outDirections))
    stackings.push_back({axis, direction != 0});
  IteratedGraph graph(node, *body, states->size());
  if (hasBatch)
    return scanBatches(node, graph, *states, scanned, stackings);
  FailureOr<Tensors> results = scan(graph, *states, scanned, stackings);
  return failed(results) ? failure() : setResults(node, *results);
}

//===----------------------------------------------------------------------===//
// If: of a branch whose condition is constant, the one graph that runs is
// imported as if it stood there; otherwise both are, and must give results of
// the same types.
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<OnnxTensor>> importBranch(NodeImport &node,
                                                StringRef name) {
  const onnx::AttributeProto *attribute = node.attribute(name);
  if (!attribute || !attribute->has_g())
    return node.error() << "expected a graph as " << name;
  const onnx::GraphProto &graph = attribute->g();
  if (static_cast<unsigned>(graph.output_size()) != node.resultCount())
    return node.error() << "expected " << node.resultCount() << " results of "
                        << name << ", got " << graph.output_size();
  GraphImport branch(node.graph.importSession(), graph, node.build.builder,
                     &node.graph);
  if (failed(branch.run()))
    return failure();
  return branch.results();
}

LogicalResult buildIf(NodeImport &node) {
  const OnnxTensor &condition = node.operand(0);
  if (auto constant =
          TensorBuilder::integersOf(condition.value, condition.element)) {
    bool holds = !constant->empty() && constant->front() != 0;
    auto results = importBranch(node, holds ? "then_branch" : "else_branch");
    return failed(results) ? failure() : setResults(node, *results);
  }
  TensorBuilder &build = node.build;
  OpBuilder &builder = build.builder;
  Value flag = build.reshape(condition.value, {});
  if (!flag || condition.element != OnnxElement::Bool)
    return node.error() << "expected one boolean as the condition, got "
                        << NodeImport::describe(condition);
  ScalarBuilder scalars(builder, node.loc, OnnxElement::Bool);
  flag = TensorBuilder::read(scalars, flag, {});

  // Types of results are known when both branches are there; then they move.
  auto typeless = scf::IfOp::create(builder, node.loc, flag,
                                    /*withElseRegion=*/true);
  SmallVector<OnnxTensor> results[2];
  const StringRef names[] = {"then_branch", "else_branch"};
  for (auto [number, name] : llvm::enumerate(names)) {
    OpBuilder::InsertionGuard guard(builder);
    Block &block = typeless->getRegion(number).front();
    block.clear();
    builder.setInsertionPointToEnd(&block);
    auto branch = importBranch(node, name);
    if (failed(branch))
      return failure();
    results[number] = *branch;
    SmallVector<Value> values;
    for (const OnnxTensor &result : *branch)
      values.push_back(result.value);
    scf::YieldOp::create(builder, node.loc, values);
  }
  SmallVector<Type> types;
  for (auto [one, other] : llvm::zip_equal(results[0], results[1])) {
    if (one.type() != other.type() || one.element != other.element) {
      InFlightDiagnostic diagnostic = node.error();
      diagnostic << "expected results of one type from both branches, got "
                 << NodeImport::describe(one) << " and "
                 << NodeImport::describe(other)
                 << "; the shape of its result depends on data";
      return diagnostic;
    }
    types.push_back(one.type());
  }
  auto whole = scf::IfOp::create(builder, node.loc, types, flag,
                                 /*withElseRegion=*/true);
  for (unsigned number : {0u, 1u})
    whole->getRegion(number).takeBody(typeless->getRegion(number));
  typeless.erase();
  for (auto [number, value] : llvm::enumerate(whole.getResults()))
    results[0][number].value = value;
  return setResults(node, results[0]);
}

} // namespace

void addLoops(OperatorTable &table) {
  table.add("Loop", 0, buildLoop);
  table.add("Scan", 0, buildScan);
  table.add("If", 1, buildIf);
}

} // namespace npu
