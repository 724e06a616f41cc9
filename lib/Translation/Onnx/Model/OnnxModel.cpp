// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ONNX library's checks, conversion, inference and function bodies.

#include "OnnxModel.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>
#include <onnx/checker.h>
#include <onnx/defs/function.h>
#include <onnx/defs/parser.h>
#include <onnx/defs/schema.h>
#include <onnx/shape_inference/implementation.h>
#include <onnx/version_converter/convert.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <limits>
#include <stdexcept>
#include <unordered_map>

namespace npu {
namespace {

/// A message of the ONNX library in one line, cut where it goes on with whole
/// graphs.
std::string oneLine(const std::string &text) {
  constexpr std::size_t kMostCharacters = 300;
  std::string line;
  for (char character : text) {
    bool isSpace = character == ' ' || character == '\n';
    if (isSpace && (line.empty() || line.back() == ' '))
      continue;
    line += isSpace ? ' ' : character;
    if (line.size() == kMostCharacters)
      return line + " ...";
  }
  while (!line.empty() && line.back() == ' ')
    line.pop_back();
  return line.empty() ? "an error without a text" : line;
}

/// Reads a message of any size; protobuf's own limit is 2 GiB.
template <typename Message>
bool parse(std::string_view bytes, Message &message) {
  if (bytes.size() > std::numeric_limits<int>::max())
    return false;
  // Protobuf reports what it cannot read on stderr as well.
  google::protobuf::LogSilencer silence;
  google::protobuf::io::ArrayInputStream stream(bytes.data(),
                                                static_cast<int>(bytes.size()));
  google::protobuf::io::CodedInputStream coded(&stream);
  coded.SetRecursionLimit(100);
  return message.ParseFromCodedStream(&coded) && coded.ConsumedEntireMessage();
}

/// Whether bytes begin like a model in ONNX's text syntax: with '<', behind
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
bool parseText(std::string_view text, onnx::ModelProto &model,
               OnnxError &error) {
  std::string copy(text);
  onnx::OnnxParser parser(copy.c_str());
  onnx::Common::Status status = parser.Parse(model);
  if (status.IsOK()) {
    if (!parser.EndOfInput())
      error.message = "expected the end of the model behind its graph";
    return error.message.empty();
  }
  // The parser's message is "[ParseError at position (line: 3 column: 12)]", a
  // line with the text there, and a line with what was expected.
  std::string message = status.ErrorMessage();
  std::sscanf(message.c_str(), "%*[^:]: %u column: %u", &error.line,
              &error.column);
  error.message = message.substr(message.rfind('\n') + 1);
  return false;
}

/// The version of the standard operators that a model uses; 1 where it says
/// none, as models before that field did.
int64_t standardOpset(const onnx::ModelProto &proto) {
  for (const onnx::OperatorSetIdProto &set : proto.opset_import())
    if (set.domain().empty() || set.domain() == "ai.onnx")
      return set.version();
  return 1;
}

/// Replaces the shape of one input. Whether there is an input of that name.
bool setShape(onnx::GraphProto &graph, std::string_view name,
              const OnnxShape &shape) {
  for (onnx::ValueInfoProto &input : *graph.mutable_input()) {
    if (input.name() != name)
      continue;
    auto *dims =
        input.mutable_type()->mutable_tensor_type()->mutable_shape();
    dims->clear_dim();
    for (std::size_t dim = 0; dim < shape.size(); ++dim) {
      auto *added = dims->add_dim();
      if (shape[dim] >= 0)
        added->set_dim_value(shape[dim]);
      else
        added->set_dim_param(std::string(name) + "_" + std::to_string(dim));
    }
    return true;
  }
  return false;
}

std::string names(const onnx::GraphProto &graph) {
  std::string list;
  for (const onnx::ValueInfoProto &input : graph.input())
    list += (list.empty() ? "'" : ", '") + input.name() + "'";
  return list.empty() ? "none" : list;
}

/// Runs `step`, whose exceptions become the returned text.
template <typename Step> std::optional<std::string> catching(Step step) {
  try {
    step();
  } catch (const std::exception &exception) {
    return oneLine(exception.what());
  }
  return std::nullopt;
}

/// Adds the attributes that a node leaves to their defaults: function bodies of
/// the ONNX library rely on some of them being there.
void addDefaults(onnx::NodeProto &node, const onnx::OpSchema &schema) {
  for (const auto &[name, attribute] : schema.attributes()) {
    auto isSame = [&](const onnx::AttributeProto &own) {
      return own.name() == name;
    };
    if (attribute.default_value.has_name() &&
        std::none_of(node.attribute().begin(), node.attribute().end(), isSame))
      *node.add_attribute() = attribute.default_value;
  }
}

/// The standard's operator of a node in a version; null where there is none.
const onnx::OpSchema *schemaOf(const onnx::NodeProto &node, int64_t opset) {
  return onnx::OpSchemaRegistry::Schema(
      node.op_type(), static_cast<int>(std::min(opset, newestKnownOpset())),
      node.domain() == "ai.onnx" ? "" : node.domain());
}

/// The standard's function of a node, or nothing.
std::optional<onnx::FunctionProto>
standardFunction(onnx::NodeProto &node, int64_t opset,
                 const std::vector<onnx::TypeProto> &operandTypes) {
  const onnx::OpSchema *schema = schemaOf(node, opset);
  if (!schema)
    return std::nullopt;
  addDefaults(node, *schema);
  if (schema->HasFunction())
    return *schema->GetFunction();
  if (!schema->HasContextDependentFunction())
    return std::nullopt;
  onnx::FunctionProto function;
  onnx::FunctionBodyBuildContextImpl context(node, operandTypes);
  if (!schema->BuildContextDependentFunction(context, function))
    return std::nullopt;
  return function;
}

/// Throws where the library's inference of types would use an attribute as a
/// position that it has not checked.
void checkPositions(const onnx::GraphProto &graph) {
  for (const onnx::NodeProto &node : graph.node())
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      if (node.op_type() == "GatherND" && attribute.name() == "batch_dims" &&
          attribute.i() < 0)
        throw std::runtime_error("node '" + node.name() +
                                 "' (GatherND): expected batch_dims of at "
                                 "least 0, got " +
                                 std::to_string(attribute.i()));
      if (attribute.has_g())
        checkPositions(attribute.g());
    }
}

/// The library's checks of a model; data in other files is looked for in
/// `directory`. The library has one function for all of it that looks in the
/// working directory.
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
  onnx::checker::LexicalScopeContext scope;
  onnx::checker::check_graph(model.graph(), context, scope);
  onnx::checker::check_model_local_functions(model, context, scope);
  checkPositions(model.graph());
}

/// Infers types as far as the library can. They only help where an operand says
/// a shape at run time; what cannot be inferred is no error here.
void inferTypes(onnx::ModelProto &model) {
  (void)catching([&] {
    onnx::ModelProto inferred = model;
    onnx::shape_inference::InferShapes(
        inferred, onnx::OpSchemaRegistry::Instance(),
        onnx::ShapeInferenceOptions(/*check_type_val=*/false,
                                    /*strict_mode_val=*/0,
                                    /*data_prop_val=*/true));
    model = std::move(inferred);
  });
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

/// Says what Upsample, and Resize before version 11, did by default. The library
/// leaves it to the defaults of later versions, which are others.
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

int64_t newestKnownOpset() {
  return onnx::OpSchemaRegistry::DomainToVersionRange::Instance()
      .Map()
      .at("")
      .second;
}

std::optional<OnnxModel>
readOnnxModel(std::string_view bytes,
              const std::map<std::string, OnnxShape, std::less<>> &shapes,
              const std::string &directory, OnnxError &error) {
  OnnxModel model;
  if (isText(bytes)) {
    bool isRead = false;
    if (auto thrown = catching(
            [&] { isRead = parseText(bytes, model.proto, error); }))
      error.message = *thrown;
    if (!isRead)
      return std::nullopt;
  } else if (!parse(bytes, model.proto) || !model.proto.has_graph()) {
    error.message = "expected an ONNX model, got " + std::to_string(bytes.size()) +
            " bytes that are none";
    return std::nullopt;
  }
  for (const auto &[name, shape] : shapes) {
    if (!setShape(*model.proto.mutable_graph(), name, shape)) {
      error.message = "expected an input named '" + name + "', got " +
              names(model.proto.graph());
      return std::nullopt;
    }
  }
  // What was inferred for other shapes is not true for these.
  if (!shapes.empty())
    model.proto.mutable_graph()->clear_value_info();

  model.opset = standardOpset(model.proto);
  if (model.opset > newestKnownOpset()) {
    model.remarks.push_back(
        "the model uses operator set " + std::to_string(model.opset) +
        ", of which the installed ONNX library knows " +
        std::to_string(newestKnownOpset()) +
        "; it is imported without that library's checks");
    return model;
  }
  if (auto thrown = catching([&] { check(model.proto, directory); })) {
    error.message = "not a valid ONNX model: " + *thrown;
    return std::nullopt;
  }
  if (model.opset < kLeastOpset) {
    // The conversion of some operators asks for their operands' shapes.
    inferTypes(model.proto);
    auto thrown = catching([&] {
      // The library drops the batch dimension that this operator had before
      // version 9, the dimension of the graph's inputs with it.
      if (model.opset < 9 && hasNode(model.proto.graph(), "Scan"))
        throw std::runtime_error("Scan of a batch");
      // Nor does it know that this operator had another meaning.
      if (hasNode(model.proto.graph(), "Hardmax"))
        throw std::runtime_error("Hardmax of a matrix");
      model.proto = onnx::version_conversion::ConvertVersion(
          model.proto, static_cast<int>(kLeastOpset));
      if (model.opset < 11)
        keepCoordinates(*model.proto.mutable_graph());
    });
    if (thrown)
      model.remarks.push_back(
          "the ONNX library cannot convert operator set " +
          std::to_string(model.opset) + " to " + std::to_string(kLeastOpset) +
          " (" + *thrown + "); nodes are imported as they are");
    else
      model.opset = kLeastOpset;
  }
  inferTypes(model.proto);
  return model;
}

std::optional<onnx::GraphProto>
expandOnnxFunction(const onnx::NodeProto &original, const OnnxModel &model,
                   const std::vector<onnx::TypeProto> &operandTypes,
                   const std::string &prefix) {
  onnx::NodeProto node = original;
  std::optional<onnx::FunctionProto> function;
  for (const onnx::FunctionProto &own : model.proto.functions())
    if (own.name() == node.op_type() && own.domain() == node.domain())
      function = own;
  onnx::GraphProto expanded;
  auto thrown = catching([&] {
    if (!function)
      function = standardFunction(node, model.opset, operandTypes);
    if (function)
      onnx::FunctionExpandHelper(node, *function, expanded, prefix);
  });
  if (thrown || !function)
    return std::nullopt;
  return expanded;
}

bool isStandardOperator(const std::string &name, int64_t opset) {
  return onnx::OpSchemaRegistry::Schema(
             name, static_cast<int>(std::min(opset, newestKnownOpset())), "") !=
         nullptr;
}

std::optional<std::pair<int, int>>
differingOperands(const onnx::NodeProto &node, int64_t opset,
                  const std::vector<int64_t> &elements) {
  const onnx::OpSchema *schema = schemaOf(node, opset);
  if (!schema || schema->inputs().empty())
    return std::nullopt;
  // The first operand of each type parameter.
  std::unordered_map<std::string, std::size_t> first;
  for (std::size_t operand = 0; operand < elements.size(); ++operand) {
    const auto &formal =
        schema->inputs()[std::min(operand, schema->inputs().size() - 1)];
    if (elements[operand] == 0 || !formal.GetIsHomogeneous())
      continue;
    auto [same, isFirst] = first.try_emplace(formal.GetTypeStr(), operand);
    if (!isFirst && elements[same->second] != elements[operand])
      return std::pair(static_cast<int>(same->second),
                       static_cast<int>(operand));
  }
  return std::nullopt;
}

std::optional<onnx::TensorProto> readOnnxTensor(std::string_view bytes) {
  onnx::TensorProto tensor;
  if (!parse(bytes, tensor))
    return std::nullopt;
  return tensor;
}

} // namespace npu
