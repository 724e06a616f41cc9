// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports a model of OpenVINO IR: its layers become nodes of ONNX, and the
// importer of ONNX does the rest.

#include "npu/Translation/OpenVino/OpenVinoTranslation.h"

#include "../Onnx/ImportModel.h"
#include "../Onnx/InputOptions.h"
#include "Layers/DimensionRoles.h"
#include "Layers/GraphTranslation.h"
#include "Layers/LayerTable.h"
#include "Model/IrModel.h"
#include "npu/Support/InputFiles.h"
#include "npu/Support/ModelKind.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace npu {
namespace {

/// The layers of a graph of one type, in the order of the file.
SmallVector<std::size_t> layersOfType(const IrGraph &graph, StringRef type) {
  SmallVector<std::size_t> found;
  for (auto [number, layer] : llvm::enumerate(graph.layers))
    if (layer.type == type)
      found.push_back(number);
  llvm::sort(found, [&](std::size_t a, std::size_t b) {
    return graph.layers[a].place < graph.layers[b].place;
  });
  return found;
}

/// What an error of types that are not supported lists.
struct Unsupported {
  std::string reason;
  std::vector<std::string> layers;
};

void findUnsupported(const IrGraph &graph,
                     std::map<std::string, Unsupported> &found,
                     const IrLayer *&first) {
  for (const IrLayer &layer : graph.layers) {
    const LayerType *type = LayerTable::get().find(layer.type);
    if (!type || type->isRefused) {
      Unsupported &entry = found[layer.type];
      if (type)
        entry.reason = type->refused;
      entry.layers.push_back(layer.name);
      first = first ? first : &layer;
    }
    for (const IrBody &body : layer.bodies)
      findUnsupported(body.graph, found, first);
  }
}

class ModelTranslation {
public:
  ModelTranslation(const IrModel &ir, TranslationSession &session,
                   ArrayRef<std::string> inputShapes)
      : ir(ir), session(session), inputShapes(inputShapes),
        graph(session, ir.graph, session.outermost()) {}

  bool run() {
    return checkTypes() && addParameters() && addStates() && checkRanges() &&
           nameResults() && graph.run() && addResults();
  }

private:
  bool checkTypes() {
    std::map<std::string, Unsupported> found;
    const IrLayer *first = nullptr;
    findUnsupported(ir.graph, found, first);
    if (found.empty())
      return true;
    InFlightDiagnostic diagnostic =
        mlir::emitError(FileLineColLoc::get(session.file, first->line, 0));
    diagnostic << "types of layers that are not supported: ";
    llvm::interleave(
        found,
        [&](const auto &entry) {
          const auto &[type, unsupported] = entry;
          // Of many layers, a few say enough.
          constexpr std::size_t most = 16;
          diagnostic << type << " (";
          if (!unsupported.reason.empty())
            diagnostic << unsupported.reason << "; ";
          ArrayRef<std::string> names(unsupported.layers);
          llvm::interleaveComma(names.take_front(most), diagnostic,
                                [&](const std::string &name) {
                                  diagnostic << "'" << name << "'";
                                });
          if (names.size() > most)
            diagnostic << " and " << names.size() - most << " more";
          diagnostic << ")";
        },
        [&] { diagnostic << ", "; });
    return false;
  }

  /// Adds an input with the extents of a Parameter or a state.
  void addInput(const NodeValue &name, int64_t element,
                ArrayRef<std::string> extents) {
    onnx::ValueInfoProto &input = *session.outermost().add_input();
    input.set_name(name);
    auto &type = *input.mutable_type()->mutable_tensor_type();
    type.set_elem_type(static_cast<int>(element));
    auto *shape = type.mutable_shape();
    for (const std::string &extent : extents) {
      int64_t number = 0;
      auto *dim = shape->add_dim();
      if (!StringRef(extent).getAsInteger(10, number))
        dim->set_dim_value(number);
      else
        dim->set_dim_param(extent);
    }
  }

  /// Extents of an attribute such as "?,3,1..512": numbers, or names of
  /// dimensions that stay open. Nothing after an error.
  std::optional<std::vector<std::string>> extentsOf(const IrLayer &layer,
                                                    StringRef attribute,
                                                    const NodeValue &input,
                                                    bool isState) {
    std::vector<std::string> extents;
    SmallVector<StringRef> parts;
    if (const std::string *text = layer.attribute(attribute);
        text && !StringRef(*text).trim().empty())
      StringRef(*text).split(parts, ',');
    for (StringRef part : parts) {
      part = part.trim();
      auto [low, high] = part.split("..");
      int64_t least = 0, most = -1;
      bool isRange = part.contains("..");
      bool isOpen = part == "?" || part == "-1";
      bool isNumber =
          isOpen || (low.empty() && isRange) || !low.getAsInteger(10, least);
      isNumber &= !isRange || high.empty() || !high.getAsInteger(10, most);
      if (!isNumber || least < 0 || (isRange && most != -1 && most < least)) {
        session.errorAt(layer)
            << "expected extents as its " << attribute
            << ", such as 1,3,?,1..512, got '" << part << "'";
        return std::nullopt;
      }
      if (!isRange && !isOpen) {
        extents.push_back(std::to_string(least));
        continue;
      }
      if (isRange)
        ranges.push_back({input, extents.size(), least, most});
      extents.push_back(dimensionName(input, extents.size(), isState,
                                      !session.states.empty()));
    }
    return extents;
  }

  bool addParameters() {
    bool isFine = true;
    for (const IrLayer &layer : ir.graph.layers)
      if (layer.type == "ReadValue" || layer.type == "Assign")
        if (const std::string *id = layer.attribute("variable_id"))
          session.states[*id];
    for (std::size_t number : layersOfType(ir.graph, "Parameter")) {
      const IrLayer &layer = ir.graph.layers[number];
      if (layer.outputs.size() != 1 || !layer.inputs.empty()) {
        session.errorAt(layer) << "expected one output and no input";
        return false;
      }
      const IrPort &port = layer.outputs.front();
      NodeValue name =
          session.fresh(port.name.empty() ? layer.name : port.name);
      const std::string *type = layer.attribute("element_type");
      auto element = elementOfIr(type ? *type : "");
      if (!element) {
        session.errorAt(layer) << "elements of type '" << (type ? *type : "")
                               << "' are not supported";
        return false;
      }
      auto extents = extentsOf(layer, "shape", name, /*isState=*/false);
      if (!extents)
        return false;
      for (const auto &[attribute, value] : layer.attributes)
        if (attribute != "element_type" && attribute != "shape") {
          session.errorAt(layer)
              << "attribute '" << attribute << "' is not known";
          isFine = false;
        }
      addInput(name, *element, *extents);
      graph.bind(number, 0, name);
    }
    return isFine;
  }

  /// States are inputs after the model's own.
  bool addStates() {
    for (const IrLayer &layer : ir.graph.layers) {
      if (layer.type != "ReadValue")
        continue;
      const std::string *id = layer.attribute("variable_id");
      if (!id || layer.outputs.size() != 1) {
        session.errorAt(layer) << "expected a variable_id and one output";
        return false;
      }
      IrState &state = session.states[*id];
      if (state.isRead) {
        session.errorAt(layer)
            << "another layer reads variable '" << *id << "' as well";
        return false;
      }
      state.isRead = true;
      const IrPort &port = layer.outputs.front();
      IrLayer shaped = layer;
      const std::string *shape = layer.attribute("variable_shape");
      if (!shape || *shape == "...") {
        std::string text;
        llvm::raw_string_ostream stream(text);
        llvm::interleave(port.dims, stream, ",");
        shaped.attributes.clear();
        shaped.attributes.emplace_back("variable_shape", text);
      }
      NodeValue name = session.fresh(*id);
      auto extents =
          extentsOf(shaped, "variable_shape", name, /*isState=*/true);
      if (!extents)
        return false;
      const std::string *type = layer.attribute("variable_type");
      bool saysType = type && *type != "dynamic" && *type != "undefined";
      auto element =
          saysType ? elementOfIr(*type) : std::optional(port.element);
      if (!element || *element == 0 || *element != port.element) {
        session.errorAt(layer) << "expected elements of its output's type, got "
                                  "variable_type '"
                               << (type ? *type : "") << "'";
        return false;
      }
      addInput(name, *element, *extents);
      state.name = name;
      state.next = session.fresh(*id + ".next");
      state.element = *element;
    }
    return true;
  }

  /// Refuses extents that options give and that lie outside of the model's.
  bool checkRanges() {
    for (StringRef text : inputShapes) {
      auto shape = parseInputShape(text);
      if (!shape)
        continue;
      for (const Range &range : ranges) {
        if (range.input != shape->first || range.dim >= shape->second.size())
          continue;
        int64_t extent = shape->second[range.dim];
        if (extent < 0 ||
            (extent >= range.least && (range.most < 0 || extent <= range.most)))
          continue;
        InFlightDiagnostic diagnostic =
            mlir::emitError(FileLineColLoc::get(session.file, 0, 0));
        diagnostic << "--input-shape: expected " << range.least << "..";
        if (range.most >= 0)
          diagnostic << range.most;
        diagnostic << " entries in dimension #" << range.dim << " of '"
                   << range.input << "', got " << extent;
        return false;
      }
    }
    return true;
  }

  /// Names of results are theirs, whatever layers are called.
  bool nameResults() {
    for (std::size_t number : layersOfType(ir.graph, "Result")) {
      const IrLayer &layer = ir.graph.layers[number];
      if (layer.inputs.size() != 1) {
        session.errorAt(layer) << "expected one input";
        return false;
      }
      resultNames.push_back(session.fresh(nameOfResult(layer)));
    }
    return true;
  }

  void addOutput(const NodeValue &name, const NodeValue &value,
                 const IrLayer &layer) {
    onnx::GraphProto &proto = session.outermost();
    onnx::NodeProto &node = *proto.add_node();
    node.set_name(layer.name);
    node.set_op_type("Identity");
    node.add_input(value);
    node.add_output(name);
    proto.add_output()->set_name(name);
  }

  bool addResults() {
    for (auto [name, number] :
         llvm::zip_equal(resultNames, layersOfType(ir.graph, "Result"))) {
      const IrLayer &layer = ir.graph.layers[number];
      if (!layer.attributes.empty()) {
        session.errorAt(layer)
            << "attribute '" << layer.attributes.front().first
            << "' is not known";
        return false;
      }
      addOutput(name, graph.valueOf(layer, 0), layer);
    }
    for (const IrLayer &layer : ir.graph.layers) {
      const std::string *id = layer.attribute("variable_id");
      if (layer.type != "Assign" || !id)
        continue;
      IrState &state = session.states[*id];
      if (layer.inputs.size() != 1)
        continue;
      if (!state.isRead || state.isAssigned) {
        session.errorAt(layer) << "expected one layer that reads variable '"
                               << *id << "', and one that assigns it";
        return false;
      }
      state.isAssigned = true;
      session.model.states.emplace_back(state.name, state.next);
      addOutput(state.next, graph.valueOf(layer, 0), layer);
    }
    for (const auto &[id, state] : session.states)
      if (!state.isAssigned) {
        mlir::emitError(FileLineColLoc::get(session.file, 0, 0))
            << "variable '" << id << "' is read, and no layer assigns it";
        return false;
      }
    return true;
  }

  /// What a result is called: its tensor's name, where that has one.
  std::string nameOfResult(const IrLayer &layer) const {
    if (!layer.outputName.empty())
      return layer.outputName;
    const IrPort &port = graph.typeOf(layer, 0);
    bool isParameter = graph.producer(layer, 0).type == "Parameter";
    return port.name.empty() || isParameter ? layer.name : port.name;
  }

  /// A dimension of an input that has `least` to `most` entries, or any number
  /// above where that is -1.
  struct Range {
    NodeValue input;
    std::size_t dim;
    int64_t least, most;
  };
  std::vector<Range> ranges;
  std::vector<NodeValue> resultNames;
  const IrModel &ir;
  TranslationSession &session;
  ArrayRef<std::string> inputShapes;
  GraphTranslation graph;
};

/// The file of weights of a model, or null where there is none.
Result<std::shared_ptr<const llvm::MemoryBuffer>>
openWeights(const std::string &path, bool isAskedFor) {
  std::shared_ptr<const llvm::MemoryBuffer> none;
  if (!isAskedFor && !llvm::sys::fs::exists(path))
    return none;
  if (llvm::sys::fs::exists(path) && !llvm::sys::fs::is_regular_file(path))
    return Error{"cannot read '" + path +
                 "': expected a file, got a directory, a device or a pipe"};
  noteInput("the file of weights", path);
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return Error{"cannot read '" + path + "': " + buffer.getError().message()};
  return std::shared_ptr<const llvm::MemoryBuffer>(std::move(*buffer));
}

} // namespace

OwningOpRef<ModuleOp> importOpenVino(StringRef text, StringRef fileName,
                                     const OnnxImportOptions &options,
                                     MLIRContext *context) {
  auto file = StringAttr::get(context, fileName);
  ModelKind kind = kindOfModel(text, "");
  // Text that begins like XML is told what is wrong with it.
  if (kind != ModelKind::OpenVino &&
      (kind != ModelKind::Text || !text.ltrim().starts_with("<"))) {
    mlir::emitError(FileLineColLoc::get(file, 0, 0))
        << "expected a model of OpenVINO IR, got " << describe(kind);
    return {};
  }
  Result<IrModel, UnreadableModel> ir = readIr(text);
  if (!ir) {
    mlir::emitError(FileLineColLoc::get(file, ir.error().line, 0))
        << ir.error().message;
    return {};
  }
  SmallString<128> path(options.weights);
  if (path.empty()) {
    path = fileName;
    llvm::sys::path::replace_extension(path, "bin");
  }
  auto weights = openWeights(path.str().str(), !options.weights.empty());
  if (!weights) {
    mlir::emitError(FileLineColLoc::get(file, 0, 0)) << weights.error().message;
    return {};
  }
  TranslationSession session;
  session.file = file;
  session.weights = weights->get();
  session.weightsName = path.str().str();
  session.model.opset = kNewestOpset;
  session.outermost().set_name(ir->name);
  ModelTranslation translation(*ir, session, options.inputShapes);
  if (!translation.run())
    return {};
  DataFiles files("");
  if (*weights)
    files.give(session.weightsName, *weights);
  return importModel(std::move(session.model), std::move(files), file, options);
}

} // namespace npu
