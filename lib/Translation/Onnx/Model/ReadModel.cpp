// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading a model with the ONNX library: its checks, its conversion of operator
// sets, its inference of types.

#include "ReadModel.h"

#include "ChildProcess.h"
#include "InputShapes.h"
#include "LibraryCalls.h"
#include "StandardOperators.h"

#include <onnx/checker.h>
#include <onnx/defs/parser.h>
#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>
#include <onnx/version_converter/convert.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_map>

namespace npu {
namespace {

// What the ONNX library's inference of types takes for granted and does not
// check: it would divide by zero, or read after the end of a list. That would
// only end the library's own process, without a word on the node.

[[noreturn]] void refuse(const onnx::NodeProto &node, const std::string &what,
                         int64_t least, int64_t got) {
  throw std::runtime_error(
      "node '" + node.name() + "' (" + node.op_type() + "): expected " + what +
      " of at least " + std::to_string(least) + ", got " + std::to_string(got));
}

/// Throws where an attribute is a position or a step that the inference uses
/// unseen.
void checkAttributesOfInference(const onnx::GraphProto &graph) {
  for (const onnx::NodeProto &node : graph.node())
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      if (node.op_type() == "GatherND" && attribute.name() == "batch_dims" &&
          attribute.i() < 0)
        refuse(node, "batch_dims", 0, attribute.i());
      if (attribute.name() == "strides")
        for (int64_t stride : attribute.ints())
          if (stride < 1)
            refuse(node, "strides", 1, stride);
      if (attribute.has_g())
        checkAttributesOfInference(attribute.g());
    }
}

/// The name of a result that nobody computes, in a graph that may use the
/// values `known` of the graphs around it.
std::optional<std::string> findIn(const onnx::GraphProto &graph,
                                  std::set<std::string> known) {
  for (const onnx::ValueInfoProto &input : graph.input())
    known.insert(input.name());
  for (const onnx::TensorProto &tensor : graph.initializer())
    known.insert(tensor.name());
  for (const onnx::SparseTensorProto &tensor : graph.sparse_initializer())
    known.insert(tensor.values().name());
  for (const onnx::NodeProto &node : graph.node()) {
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      if (attribute.has_g())
        if (auto found = findIn(attribute.g(), known))
          return found;
      for (const onnx::GraphProto &inner : attribute.graphs())
        if (auto found = findIn(inner, known))
          return found;
    }
    known.insert(node.output().begin(), node.output().end());
  }
  for (const onnx::ValueInfoProto &output : graph.output())
    if (!known.contains(output.name()))
      return output.name();
  return std::nullopt;
}

/// The name of a result of a graph, or of a graph in one of its attributes,
/// that no node computes and that is neither an input nor an initializer, nor a
/// value of a graph around it; nothing where there is none.
std::optional<std::string>
resultThatNobodyComputes(const onnx::GraphProto &graph) {
  return findIn(graph, {});
}

/// Whether bytes begin like a model in ONNX's text syntax: with '<', after
/// spaces and comments. No message of protocol buffers does.
bool isText(std::string_view bytes) {
  while (!bytes.empty() && bytes.front() != '<') {
    if (bytes.front() == '#')
      bytes.remove_prefix(std::min(bytes.find('\n'), bytes.size()));
    else if (bytes.front() == ' ' || bytes.front() == '\n')
      bytes.remove_prefix(1);
    else
      return false;
  }
  return !bytes.empty();
}

/// Reads a model that is written in ONNX's text syntax.
Result<Success, UnreadableModel> parseText(std::string_view text,
                                           onnx::ModelProto &model) {
  std::string copy(text);
  onnx::OnnxParser parser(copy.c_str());
  onnx::Common::Status status;
  // "(line: 3 column: 12)", in messages as where the parser stands.
  auto placed = [](UnreadableModel error, const std::string &at) {
    std::sscanf(at.c_str(), "%*[^:]: %u column: %u", &error.line,
                &error.column);
    return error;
  };
  try {
    status = parser.Parse(model);
  } catch (const std::logic_error &) {
    // The standard library's, of what is no number or none that fits.
    return placed({"expected a number of the type before it"},
                  parser.GetCurrentPos());
  }
  if (status.IsOK()) {
    if (!parser.EndOfInput())
      return UnreadableModel{"expected the end of the model after its graph"};
    return Success();
  }
  // The parser's message is "[ParseError at position (line: 3 column: 12)]", a
  // line with the text there, and a line with what was expected.
  std::string message = status.ErrorMessage();
  return placed({message.substr(message.rfind('\n') + 1)}, message);
}

/// The numbers of element types that the installed library does not know.
constexpr int32_t kUInt4 = 21, kInt4 = 22;

/// Moves bytes of elements of 4 bits, two in each, to where those of all types
/// may be: the library's checks know no other place for elements of types that
/// they do not know, and refuse numbers that are no bytes.
void moveToRawData(onnx::TensorProto &tensor) {
  bool isPacked = tensor.data_type() == kUInt4 || tensor.data_type() == kInt4;
  if (!isPacked || tensor.int32_data().empty() || tensor.has_raw_data())
    return;
  for (int32_t byte : tensor.int32_data())
    if (byte < INT8_MIN || byte > UINT8_MAX)
      return;
  for (int32_t byte : tensor.int32_data())
    tensor.mutable_raw_data()->push_back(static_cast<char>(byte));
  tensor.clear_int32_data();
}

void moveToRawData(onnx::GraphProto &graph) {
  for (onnx::TensorProto &tensor : *graph.mutable_initializer())
    moveToRawData(tensor);
  for (onnx::NodeProto &node : *graph.mutable_node())
    for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
      if (attribute.has_t())
        moveToRawData(*attribute.mutable_t());
      if (attribute.has_g())
        moveToRawData(*attribute.mutable_g());
    }
}

/// The version of the standard operators that a model uses; 1 where it says
/// none, as models before that field did.
int64_t standardOpset(const onnx::ModelProto &proto) {
  for (const onnx::OperatorSetIdProto &set : proto.opset_import())
    if (set.domain().empty() || set.domain() == "ai.onnx")
      return set.version();
  return 1;
}

/// The library's checks of a model, by the operators of every set up to the
/// newest; data in other files is looked for in `directory`. The library has
/// one function for all of it that looks in the working directory.
void check(const onnx::ModelProto &model, const std::string &directory) {
  if (!model.has_ir_version() || model.ir_version() < 1)
    throw std::runtime_error("the model has no IR version");
  std::unordered_map<std::string, int> opsets;
  for (const onnx::OperatorSetIdProto &set : model.opset_import())
    opsets[set.domain()] = static_cast<int>(set.version());
  if (opsets.empty())
    opsets[""] = 1;
  onnx::checker::CheckerContext context;
  context.set_ir_version(static_cast<int>(model.ir_version()));
  context.set_opset_imports(opsets);
  context.set_model_dir(directory);
  context.set_schema_registry(&standardOperators());
  onnx::checker::LexicalScopeContext scope;
  onnx::checker::check_graph(model.graph(), context, scope);
  onnx::checker::check_model_local_functions(model, context, scope);
  if (auto name = resultThatNobodyComputes(model.graph()))
    throw std::runtime_error("result '" + *name + "' is computed by no node");
  checkAttributesOfInference(model.graph());
}

/// Processor time for one step of the library, without which a model can be
/// imported. Inference of functions that call functions takes for ever.
constexpr unsigned kMostSeconds = 5;
/// And memory: the numbers of every shape that it follows are kept as messages.
/// Times the model's own bytes, and as much in any case.
constexpr std::size_t kMostTimes = 8, kMostBytes = std::size_t(1) << 28;

/// Lets the library change a model, in a process of its own: it crashes on some
/// models that are valid. After an error the model is as it was.
Result<> guarded(onnx::ModelProto &model,
                 const std::function<void(onnx::ModelProto &)> &step) {
  Result<std::string> answer = runInChildProcess(
      [&] {
        auto thrown = catching([&] { step(model); });
        return thrown ? 'E' + *thrown : 'M' + model.SerializeAsString();
      },
      kMostSeconds, kMostTimes * model.ByteSizeLong() + kMostBytes);
  if (!answer)
    return answer.error();
  if (answer->front() == 'E')
    return Error{answer->substr(1)};
  if (!parseMessage(std::string_view(*answer).substr(1), model))
    return Error{"the model has more than 2 GiB"};
  return Success();
}

/// Infers types as far as the library can. They only help where an operand says
/// a shape at run time; what cannot be inferred is no error here.
void inferTypes(onnx::ModelProto &model) {
  // Following the numbers of shapes may take more memory than there is: a few
  // concatenations double a list of them each.
  for (bool followsNumbers : {true, false})
    if (guarded(model, [&](onnx::ModelProto &inferred) {
          onnx::shape_inference::InferShapes(
              inferred, onnx::OpSchemaRegistry::Instance(),
              onnx::ShapeInferenceOptions(/*check_type_val=*/false,
                                          /*strict_mode_val=*/0,
                                          followsNumbers));
        }))
      return;
}

/// Whether a graph, or one in an attribute of its nodes, has such a node.
bool hasNode(const onnx::GraphProto &graph, std::string_view type) {
  for (const onnx::NodeProto &node : graph.node()) {
    if (node.op_type() == type)
      return true;
    for (const onnx::AttributeProto &attribute : node.attribute())
      if (attribute.has_g() && hasNode(attribute.g(), type))
        return true;
  }
  return false;
}

void addText(onnx::NodeProto &node, const char *name, const char *text) {
  onnx::AttributeProto *attribute = node.add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::STRING);
  attribute->set_s(text);
}

/// Says what Upsample, and Resize before version 11, did by default. The
/// library leaves it to the defaults of later versions, which are others.
void keepCoordinates(onnx::GraphProto &graph) {
  for (onnx::NodeProto &node : *graph.mutable_node()) {
    if (node.op_type() == "Resize") {
      addText(node, "coordinate_transformation_mode", "asymmetric");
      addText(node, "nearest_mode", "floor");
    }
    for (onnx::AttributeProto &attribute : *node.mutable_attribute())
      if (attribute.has_g())
        keepCoordinates(*attribute.mutable_g());
  }
}

} // namespace

Result<OnnxModel, UnreadableModel> readHere(std::string_view bytes,
                                            const OnnxShapes &shapes,
                                            const std::string &directory) {
  OnnxModel model;
  if (isText(bytes)) {
    Result<Success, UnreadableModel> parsed = Success();
    if (auto thrown = catching([&] { parsed = parseText(bytes, model.proto); }))
      return UnreadableModel{*thrown};
    if (!parsed)
      return parsed.error();
  } else if (!parseMessage(bytes, model.proto) || !model.proto.has_graph()) {
    return UnreadableModel{"expected an ONNX model, got " +
                           std::to_string(bytes.size()) +
                           " bytes that are none"};
  }
  moveToRawData(*model.proto.mutable_graph());
  if (Result<> given = giveShapes(*model.proto.mutable_graph(), shapes); !given)
    return UnreadableModel{given.error().message};

  model.opset = standardOpset(model.proto);
  if (model.opset > kNewestOpset)
    model.remarks.push_back(
        "the model uses operator set " + std::to_string(model.opset) +
        "; its operators are read as those of set " +
        std::to_string(kNewestOpset) + ", the newest that is known");
  if (auto thrown = catching([&] { check(model.proto, directory); }))
    return UnreadableModel{"not a valid ONNX model: " + *thrown};
  // The library infers no types of sets that it does not know.
  if (model.opset > newestOpsetOfLibrary())
    return model;
  if (model.opset < kLeastOpset) {
    // The conversion of some operators asks for their operands' shapes.
    inferTypes(model.proto);
    Result<> outcome = guarded(model.proto, [&](onnx::ModelProto &converted) {
      // The library drops the batch dimension that this operator had before
      // version 9, the dimension of the graph's inputs with it.
      if (model.opset < 9 && hasNode(converted.graph(), "Scan"))
        throw std::runtime_error("Scan of a batch");
      // Nor does it know that this operator had another meaning.
      if (hasNode(converted.graph(), "Hardmax"))
        throw std::runtime_error("Hardmax of a matrix");
      converted = onnx::version_conversion::ConvertVersion(
          converted, static_cast<int>(kLeastOpset));
      if (model.opset < 11)
        keepCoordinates(*converted.mutable_graph());
    });
    if (!outcome)
      model.remarks.push_back(
          "the ONNX library cannot convert operator set " +
          std::to_string(model.opset) + " to " + std::to_string(kLeastOpset) +
          " (" + outcome.error().message + "); nodes are imported as they are");
    else
      model.opset = kLeastOpset;
  }
  inferTypes(model.proto);
  return model;
}

} // namespace npu
