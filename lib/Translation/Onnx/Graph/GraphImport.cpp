// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports the nodes of a graph, one after another, into a block.

#include "GraphImport.h"

#include "NodeImport.h"
#include "OperatorTable.h"
#include "ShapeValues.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace npu {
namespace {

/// Functions that call functions: more levels than this are taken for a cycle,
/// and so are more calls altogether.
constexpr int64_t kMostDepth = 32;
constexpr int64_t kMostExpansions = 10000;

/// What is computed from constants may have as many bytes, and times the bytes
/// of the model's own constants.
constexpr int64_t kMostFoldedBytes = int64_t(1) << 30, kMostFoldedTimes = 4;

onnx::TypeProto typeProto(const OnnxTensor &tensor) {
  onnx::TypeProto type;
  auto *tensorType = type.mutable_tensor_type();
  tensorType->set_elem_type(static_cast<int>(tensor.element));
  auto *shape = tensorType->mutable_shape();
  for (int64_t extent : tensor.shape()) {
    auto *dim = shape->add_dim();
    if (!ShapedType::isDynamic(extent))
      dim->set_dim_value(extent);
  }
  return type;
}

/// The function's arguments that a value is computed from, by their names.
struct Inputs {
  /// Those whose elements count, and those of which only extents do.
  llvm::SmallSetVector<StringRef, 4> values, shapes;
};

Inputs inputsAfter(Value value) {
  Inputs inputs;
  // Values whose elements count, and values of which only extents do.
  SmallVector<Value> open[2] = {{value}, {}};
  DenseSet<Value> seen[2];
  for (bool ofShape : {false, true}) {
    auto add = [&](Operation *op) {
      bool asksForShape = ofShape || isa<ShapedDimOpInterface>(op);
      llvm::append_range(open[asksForShape], op->getOperands());
    };
    while (!open[ofShape].empty()) {
      Value next = open[ofShape].pop_back_val();
      if (!seen[ofShape].insert(next).second)
        continue;
      auto argument = dyn_cast<BlockArgument>(next);
      if (!argument) {
        next.getDefiningOp()->walk(add);
        continue;
      }
      Operation *parent = argument.getOwner()->getParentOp();
      auto name = dyn_cast<NameLoc>(argument.getLoc());
      if (!isa<FunctionOpInterface>(parent))
        add(parent);
      else if (name)
        (ofShape ? inputs.shapes : inputs.values)
            .insert(name.getName().getValue());
    }
  }
  return inputs;
}

} // namespace

GraphImport::GraphImport(ImportSession &session, const onnx::GraphProto &graph,
                         OpBuilder &builder, GraphImport *outer)
    : session(session), graph(graph), builder(builder), outer(outer) {
  for (const auto *list :
       {&graph.value_info(), &graph.output(), &graph.input()})
    for (const onnx::ValueInfoProto &info : *list)
      types[info.name()] = &info.type();
  for (const onnx::NodeProto &node : graph.node()) {
    for (const std::string &name : node.output())
      producers.try_emplace(name, &node);
    for (const std::string &name : node.input())
      users[name].push_back(&node);
    for (const onnx::AttributeProto &attribute : node.attribute())
      addInnerUses(attribute.g(), node);
  }
  for (const onnx::ValueInfoProto &output : graph.output())
    users[output.name()].append(2, nullptr);
}

void GraphImport::addInnerUses(const onnx::GraphProto &inner,
                               const onnx::NodeProto &user) {
  // A graph in an attribute may use any value, and as often as it likes: such
  // nodes count twice.
  for (const onnx::NodeProto &node : inner.node()) {
    for (const std::string &name : node.input())
      users[name].append(2, &user);
    for (const onnx::AttributeProto &attribute : node.attribute())
      addInnerUses(attribute.g(), user);
  }
  for (const onnx::ValueInfoProto &output : inner.output())
    users[output.name()].append(2, &user);
}

Location GraphImport::location(StringRef name) const {
  auto file = FileLineColLoc::get(session.fileName, 0, 0);
  if (name.empty())
    return file;
  return NameLoc::get(builder.getStringAttr(name), file);
}

const OnnxLayer *GraphImport::layerOf(const onnx::NodeProto &node) const {
  std::size_t number = 0;
  const std::vector<OnnxLayer> &layers = session.model.layers;
  if (layers.empty() || StringRef(node.doc_string()).getAsInteger(10, number) ||
      number >= layers.size())
    return nullptr;
  return &layers[number];
}

Location GraphImport::location(const onnx::NodeProto &node) const {
  StringRef name = node.name();
  if (name.empty() && node.output_size())
    name = node.output(0);
  const OnnxLayer *layer = layerOf(node);
  if (!layer)
    return location(name);
  return NameLoc::get(builder.getStringAttr(name),
                      FileLineColLoc::get(session.fileName, layer->line, 0));
}

std::string GraphImport::describe(const onnx::NodeProto &node) const {
  if (const OnnxLayer *layer = layerOf(node))
    return "layer '" + node.name() + "' (" + layer->type + ")";
  const std::string &name =
      node.name().empty() && node.output_size() ? node.output(0) : node.name();
  return "node '" + name + "' (" + node.op_type() + ")";
}

std::optional<OnnxTensor> GraphImport::lookUp(StringRef name) const {
  if (auto found = values.find(name); found != values.end())
    return found->second;
  return outer ? outer->lookUp(name) : std::nullopt;
}

std::optional<SmallVector<int64_t>>
GraphImport::declaredShape(StringRef name) const {
  auto found = types.find(name);
  if (found == types.end() || !found->second->has_tensor_type() ||
      !found->second->tensor_type().has_shape())
    return std::nullopt;
  SmallVector<int64_t> shape;
  for (const auto &dim : found->second->tensor_type().shape().dim()) {
    if (!dim.has_dim_value() || dim.dim_value() < 0)
      return std::nullopt;
    shape.push_back(dim.dim_value());
  }
  return shape;
}

std::pair<GraphImport *, const onnx::NodeProto *>
GraphImport::producer(StringRef name) {
  if (const onnx::NodeProto *node = producers.lookup(name))
    return {this, node};
  if (outer && !values.contains(name))
    return outer->producer(name);
  return {nullptr, nullptr};
}

const onnx::NodeProto *GraphImport::onlyUse(StringRef name) const {
  auto found = users.find(name);
  return found != users.end() && found->second.size() == 1
             ? found->second.front()
             : nullptr;
}

void GraphImport::setBuilt(StringRef name, BuiltNode node) {
  built.insert_or_assign(name, std::move(node));
}

const BuiltNode *GraphImport::builtNode(StringRef name) const {
  auto found = built.find(name);
  return found == built.end() ? nullptr : &found->second;
}

void GraphImport::bind(StringRef name, OnnxTensor tensor) {
  values[name] = tensor;
}

void GraphImport::countBytes(Value value, int64_t &bytes) {
  ElementsAttr elements = TensorBuilder::constantOf(value);
  ArrayRef<char> data;
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(elements))
    data = dense.getRawData();
  else if (auto resource =
               dyn_cast_or_null<DenseResourceElementsAttr>(elements))
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      data = blob->getData();
  if (!data.empty() && session.counted.insert(data.data()).second)
    bytes += static_cast<int64_t>(data.size());
}

LogicalResult GraphImport::define(NodeImport &node, StringRef name,
                                  OnnxTensor tensor) {
  if (tensor.type().hasStaticShape() && !elementCount(tensor.shape()))
    return node.error() << "its result " << NodeImport::describe(tensor)
                        << " has more than " << kMostElements << " elements";
  bool isGiven = node.node.op_type() == "Constant";
  countBytes(tensor.value, isGiven ? session.givenBytes : session.foldedBytes);
  int64_t most = kMostFoldedBytes + kMostFoldedTimes * session.givenBytes;
  if (session.foldedBytes > most)
    return node.error() << "the constants that are computed up to here have "
                        << session.foldedBytes << " bytes, more than " << most;
  if (!values.try_emplace(name, tensor).second)
    return node.error() << "value '" << name << "' is defined twice";
  return success();
}

const onnx::NodeProto *GraphImport::whereUnknown(StringRef name) const {
  auto isWhole = [](const std::optional<SmallVector<Number>> &known) {
    return known && !llvm::is_contained(*known, Number());
  };
  auto isKnown = [&](const std::string &operand) {
    std::optional<OnnxTensor> tensor = lookUp(operand);
    if (!tensor)
      return operand.empty();
    auto floats = knownFractions(tensor->value);
    return TensorBuilder::constantOf(tensor->value) ||
           isWhole(knownIntegers(tensor->value)) ||
           (floats && isWhole(floats->dividends));
  };
  // Operands are defined before what is made of them, so this ends.
  while (const onnx::NodeProto *node = producers.lookup(name)) {
    auto unknown = llvm::find_if_not(node->input(), isKnown);
    if (unknown == node->input().end())
      return node->input_size() ? node : nullptr;
    name = *unknown;
  }
  return nullptr;
}

void GraphImport::errorNotConstant(NodeImport &node, unsigned operand,
                                   StringRef what) const {
  StringRef name = node.node.input(static_cast<int>(operand));
  InFlightDiagnostic diagnostic = node.error();
  diagnostic << "expected a constant as " << what << " (operand #" << operand
             << ", '" << name << "'), got a value of run time";
  if (const onnx::NodeProto *end = whereUnknown(name))
    diagnostic.attachNote()
        << describe(*end)
        << " is computed at run time, although all that it reads follows from "
           "shapes: docs/onnx.md says what is followed";
  Inputs inputs = inputsAfter(node.operand(operand).value);
  for (StringRef input : inputs.shapes)
    diagnostic.attachNote() << "--input-shape=" << input
                            << ":... with a number for each extent makes what "
                               "is computed from them a constant";
  for (StringRef input : inputs.values)
    diagnostic.attachNote()
        << "--input-value=" << input
        << "=FILE makes that input a constant; FILE is a .npy file, or a "
           ".pb file with an ONNX tensor";
}

LogicalResult GraphImport::importInitializers() {
  for (const onnx::SparseTensorProto &sparse : graph.sparse_initializer())
    return mlir::emitError(location(sparse.values().name()))
           << "initializer '" << sparse.values().name()
           << "': sparse tensors are out of scope";
  for (const onnx::TensorProto &tensor : graph.initializer()) {
    // An input of the same name is only a default, which a caller may replace;
    // it was bound before where it is one.
    if (values.contains(tensor.name()))
      continue;
    Result<TensorData> data = readTensorData(tensor, session.files);
    Location loc = location(tensor.name());
    if (!data)
      return mlir::emitError(loc) << "initializer '" << tensor.name()
                                  << "': " << data.error().message;
    TensorBuilder build(builder, loc, data->element);
    Value value = build.constant(*data, tensor.name());
    countBytes(value, session.givenBytes);
    bind(tensor.name(), {value, data->element});
  }
  return success();
}

/// Adds the names that a node reads, also in graphs of its attributes.
static void addReads(const onnx::NodeProto &node, llvm::StringSet<> &names) {
  for (const std::string &operand : node.input())
    names.insert(operand);
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (!attribute.has_g())
      continue;
    for (const onnx::ValueInfoProto &output : attribute.g().output())
      names.insert(output.name());
    for (const onnx::NodeProto &inner : attribute.g().node())
      addReads(inner, names);
  }
}

/// The names of values that results of the graph are computed from.
static llvm::StringSet<> neededNames(const onnx::GraphProto &graph) {
  llvm::StringSet<> needed;
  for (const onnx::ValueInfoProto &output : graph.output())
    needed.insert(output.name());
  for (const onnx::NodeProto &node : llvm::reverse(graph.node()))
    if (llvm::any_of(node.output(), [&](const std::string &output) {
          return needed.contains(output);
        }))
      addReads(node, needed);
  return needed;
}

LogicalResult GraphImport::run() {
  if (failed(importInitializers()))
    return failure();
  llvm::StringSet<> needed = neededNames(graph);
  for (const onnx::NodeProto &node : graph.node()) {
    Block *block = builder.getInsertionBlock();
    auto at = builder.getInsertionPoint();
    Operation *before = at == block->begin() ? nullptr : &*std::prev(at);
    if (failed(importNode(node, location(node))))
      return failure();
    bool isNeeded = llvm::any_of(node.output(), [&](const std::string &output) {
      return needed.contains(output);
    });
    if (isNeeded)
      continue;
    // Nothing follows from what such a node takes for granted.
    auto made = before ? std::next(before->getIterator()) : block->begin();
    SmallVector<Operation *> assertions;
    for (auto end = builder.getInsertionPoint(); made != end; ++made)
      made->walk([&](cf::AssertOp each) { assertions.push_back(each); });
    for (Operation *assertion : assertions)
      assertion->erase();
  }
  return success();
}

/// An error where operands that the standard wants to have one element type do
/// not: the library's checks do not look at types.
static LogicalResult checkElements(NodeImport &node) {
  std::vector<int64_t> elements;
  for (unsigned operand = 0; operand < node.operandCount(); ++operand)
    elements.push_back(node.has(operand)
                           ? static_cast<int64_t>(node.operand(operand).element)
                           : 0);
  auto differing = differingOperands(node.node, node.opset(), elements);
  if (!differing)
    return success();
  return node.error() << "expected operands #" << differing->first << " and #"
                      << differing->second
                      << " to have elements of one type, got "
                      << NodeImport::describe(node.operand(differing->first))
                      << " and "
                      << NodeImport::describe(node.operand(differing->second));
}

/// An error where an attribute that says yes or no says another number.
static LogicalResult checkAnswers(NodeImport &node) {
  static const llvm::StringSet<> answers = {"align_corners",
                                            "allowzero",
                                            "antialias",
                                            "causal",
                                            "ceil_mode",
                                            "channels_last",
                                            "count_include_pad",
                                            "detect_negative",
                                            "detect_positive",
                                            "do_rotary",
                                            "exclude_outside",
                                            "exclusive",
                                            "fmod",
                                            "input_forget",
                                            "interleaved",
                                            "inverse",
                                            "is_causal",
                                            "is_packed_batching",
                                            "keepdims",
                                            "largest",
                                            "linear_before_reset",
                                            "noop_with_empty_axes",
                                            "onesided",
                                            "reverse",
                                            "rotary_interleaved",
                                            "select_last_index",
                                            "sorted",
                                            "storage_order",
                                            "training_mode",
                                            "transA",
                                            "transB",
                                            "transBatchA",
                                            "transBatchB",
                                            "unidirectional",
                                            "upper"};
  for (const onnx::AttributeProto &attribute : node.node.attribute())
    if (answers.contains(attribute.name()) && attribute.has_i() &&
        attribute.i() != 0 && attribute.i() != 1)
      return node.error() << "expected 0 or 1 as " << attribute.name()
                          << ", got " << attribute.i();
  return success();
}

LogicalResult GraphImport::importNode(const onnx::NodeProto &node,
                                      Location loc) {
  const OnnxOperator *known = nullptr;
  if (node.domain() != kLayerDomain || layerOf(node))
    known = OperatorTable::get().find(node);
  for (auto [number, name] : llvm::enumerate(node.input())) {
    bool isRequired = known && number < known->leastOperands;
    if (name.empty() ? isRequired : !lookUp(name))
      return mlir::emitError(loc)
             << describe(node) << ": expected operand #" << number
             << (name.empty() ? "" : ", '" + name + "',")
             << " to be defined before it is used";
  }
  if (!known)
    return importUnknown(node, loc);
  if (node.input_size() < static_cast<int>(known->leastOperands))
    return mlir::emitError(loc)
           << describe(node) << ": expected " << known->leastOperands
           << " operands, got " << node.input_size();
  NodeImport import(*this, node, loc, builder);
  if (failed(checkElements(import)) || failed(checkAnswers(import)))
    return failure();
  if (failed(known->build(import)))
    return failure();
  for (const std::string &output : node.output())
    if (!output.empty() && !values.contains(output))
      return import.error() << "its result '" << output << "' is not imported";
  learnNumbers(import);
  return checkResultsOfLayer(import);
}

LogicalResult GraphImport::checkResultsOfLayer(NodeImport &node) {
  if (!layerOf(node.node))
    return success();
  for (const std::string &name : node.node.output()) {
    auto declared = types.find(name);
    auto found = values.find(name);
    if (declared == types.end() || found == values.end())
      continue;
    const OnnxTensor &result = found->second;
    const auto &type = declared->second->tensor_type();
    if (type.elem_type() == 0)
      continue;
    bool agrees =
        type.elem_type() == static_cast<int>(result.element) &&
        (!type.has_shape() || type.shape().dim_size() == result.rank());
    if (agrees && type.has_shape() && !session.replacesShapes)
      for (auto [dim, extent] :
           llvm::zip_equal(type.shape().dim(), result.shape()))
        agrees &= !dim.has_dim_value() || ShapedType::isDynamic(extent) ||
                  dim.dim_value() == extent;
    if (agrees)
      continue;
    InFlightDiagnostic diagnostic = node.error();
    diagnostic << "its result is " << NodeImport::describe(result)
               << ", expected " << onnxElementName(type.elem_type()) << " ";
    llvm::interleave(
        type.shape().dim(),
        [&](const auto &dim) {
          if (dim.has_dim_value())
            diagnostic << dim.dim_value();
          else
            diagnostic << "?";
        },
        [&] { diagnostic << "x"; });
    return diagnostic << " as the model says";
  }
  return success();
}

std::optional<SmallVector<Number>>
GraphImport::knownIntegers(Value value) const {
  if (auto found = numbers.find(value); found != numbers.end())
    return found->second;
  return outer ? outer->knownIntegers(value) : std::nullopt;
}

std::optional<KnownFractions> GraphImport::knownFractions(Value value) const {
  if (auto found = fractions.find(value); found != fractions.end())
    return found->second;
  return outer ? outer->knownFractions(value) : std::nullopt;
}

void GraphImport::learnNumbers(NodeImport &node) {
  if (node.node.output_size() != 1)
    return;
  auto found = values.find(node.node.output(0));
  if (found == values.end())
    return;
  OnnxTensor &result = found->second;
  if (result.rank() > 1 || !result.type().hasStaticShape() ||
      TensorBuilder::constantOf(result.value))
    return;
  if (result.element == OnnxElement::Float ||
      result.element == OnnxElement::Double) {
    if (auto known = npu::knownFractions(node))
      fractions[result.value] = *known;
    return;
  }
  auto known = knownResult(node);
  if (!known ||
      result.type().getNumElements() != static_cast<int64_t>(known->size()))
    return;
  for (Number &each : *known)
    if (each && mayWrapAround(node, each, result.element))
      each = Number();
  // What is known wholly is made anew of prompts' extents: a constant, although
  // an extent of run time was among what it was taken from, or an expression.
  bool isWhole = !llvm::is_contained(*known, Number());
  if (isWhole && result.element == OnnxElement::Int64)
    result.value =
        node.build.reshape(node.build.integersOfRun(*known), result.shape());
  if (!TensorBuilder::constantOf(result.value))
    numbers[result.value] = *known;
}

LogicalResult GraphImport::importUnknown(const onnx::NodeProto &node,
                                         Location loc) {
  StringRef reason = OperatorTable::get().outOfScope(node.op_type());
  std::vector<onnx::TypeProto> operandTypes;
  for (const std::string &name : node.input()) {
    std::optional<OnnxTensor> operand = lookUp(name);
    operandTypes.push_back(operand ? typeProto(*operand) : onnx::TypeProto());
  }
  std::string prefix =
      node.op_type() + "/" + std::to_string(++session.expanded) + "/";
  bool isTooDeep =
      session.expanded > kMostExpansions || session.depth >= kMostDepth;
  std::optional<onnx::GraphProto> body;
  if (reason.empty() && !isTooDeep)
    body = expandOnnxFunction(node, session.model, operandTypes, prefix);
  if (body) {
    session.bodies.push_back(std::move(*body));
    return importBody(node, session.bodies.back(), loc);
  }
  InFlightDiagnostic diagnostic = mlir::emitError(loc)
                                  << describe(node) << ": ";
  if (!reason.empty())
    return diagnostic << "out of scope: " << reason;
  if (isTooDeep)
    return diagnostic << "expected at most " << kMostDepth
                      << " functions in one another and " << kMostExpansions
                      << " altogether";
  if (node.domain() == kMicrosoftDomain)
    return diagnostic << "this operator of domain '" << node.domain()
                      << "' is not imported";
  if (!node.domain().empty() && node.domain() != "ai.onnx")
    return diagnostic << "operators of domain '" << node.domain()
                      << "' are not imported";
  if (isStandardOperator(node.op_type(), session.model.opset))
    return diagnostic << "this operator is not imported yet";
  return diagnostic << "the standard has no operator of that name in version "
                    << session.model.opset;
}

LogicalResult GraphImport::importBody(const onnx::NodeProto &node,
                                      const onnx::GraphProto &body,
                                      Location loc) {
  ++session.depth;
  LogicalResult imported = success();
  for (const onnx::NodeProto &inner : body.node())
    if (succeeded(imported))
      imported = importNode(inner, loc);
  --session.depth;
  if (failed(imported))
    return failure();
  for (const std::string &output : node.output())
    if (!output.empty() && !values.contains(output))
      return mlir::emitError(loc)
             << describe(node) << ": its function does not "
             << "compute its result '" << output << "'";
  return success();
}

FailureOr<SmallVector<OnnxTensor>> GraphImport::results() {
  SmallVector<OnnxTensor> found;
  for (const onnx::ValueInfoProto &output : graph.output()) {
    std::optional<OnnxTensor> value = lookUp(output.name());
    if (!value)
      return mlir::emitError(location(output.name()))
             << "result '" << output.name() << "' of graph '" << graph.name()
             << "' is computed by no node";
    found.push_back(*value);
  }
  return found;
}

} // namespace npu
