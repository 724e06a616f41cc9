// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports an ONNX model as a module with one function.

#include "Graph/CacheNames.h"
#include "Graph/GraphImport.h"
#include "Graph/NodeImport.h"
#include "Graph/SummedPrompts.h"
#include "ImportModel.h"
#include "InputOptions.h"
#include "Model/InputShapes.h"
#include "npu/Dialect/NPU/IR/CacheArguments.h"
#include "npu/Dialect/NPU/IR/DimensionNames.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Support/ModelKind.h"
#include "npu/Support/SignatureAttributes.h"
#include "npu/Translation/Onnx/OnnxTranslation.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <set>

using namespace mlir;

namespace npu {
namespace {

/// Merged operations have no more operations in their body, and no more
/// operands, than this: every merge copies both bodies.
constexpr std::size_t kMostOperations = 64;

constexpr unsigned kMostOperands = 16;

/// Whether an operation and what it is merged into make one of moderate size.
bool isModerate(Operation *producer, Operation *user) {
  auto sizeOf = [](Operation *op) {
    return op->getRegion(0).front().getOperations().size();
  };
  return sizeOf(producer) + sizeOf(user) <= kMostOperations &&
         producer->getNumOperands() + user->getNumOperands() <= kMostOperands;
}

/// Whether an operation computes each element from elements of its operands,
/// and reads nothing by position. One that adds to its output is none: upstream
/// keeps that output in the merged operation, which adds to it once for each
/// iteration of loops that the output does not have.
bool isElementwise(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || generic.getNumReductionLoops() != 0 ||
      generic.getNumDpsInputs() == 0 ||
      llvm::any_of(generic.getRegionOutputArgs(),
                   [](Value output) { return !output.use_empty(); }))
    return false;
  for (Operation &inner : *generic.getBody())
    if (llvm::any_of(inner.getOperandTypes(), llvm::IsaPred<TensorType>))
      return false;
  return !generic.hasIndexSemantics();
}

/// Merges elementwise operations into their only user where that is elementwise
/// as well: exporters write a GELU as five operators and a hard-swish as four,
/// of which every one would be loaded and stored. The same arithmetic is done
/// in the same order, so that no bit changes.
LogicalResult fuseElementwise(FunctionOpInterface function) {
  RewritePatternSet patterns(function.getContext());
  linalg::populateElementwiseOpsFusionPatterns(
      patterns, [](OpOperand *operand) {
        Operation *producer = operand->get().getDefiningOp();
        return producer && producer->hasOneUse() && isElementwise(producer) &&
               isElementwise(operand->getOwner()) &&
               isModerate(producer, operand->getOwner());
      });
  return applyPatternsGreedily(function, std::move(patterns));
}

class ModelImport {
public:
  ModelImport(ModuleOp module, const OnnxModel &model, DataFiles files,
              StringAttr fileName, const OnnxImportOptions &options)
      : module(module), options(options), builder(module.getContext()),
        session{model, fileName, std::move(files), options.fold,
                /*replacesShapes=*/!options.inputShapes.empty()},
        proto(model.proto.graph()),
        fileLoc(FileLineColLoc::get(fileName, 0, 0)) {}

  LogicalResult run() {
    for (const std::string &remark : session.model.remarks)
      mlir::emitRemark(fileLoc) << remark;
    if (failed(findFixedInputs()) || failed(addFunction()))
      return failure();
    GraphImport graph(session, proto, builder);
    bindInputs(graph);
    if (failed(graph.run()))
      return failure();
    FailureOr<SmallVector<OnnxTensor>> results = graph.results();
    if (failed(results))
      return failure();
    if (failed(checkDeclared(*results)))
      return failure();
    finish(*results);
    if (options.fold && failed(fuseElementwise(function)))
      return mlir::emitError(fileLoc) << "cannot merge elementwise operations";
    return success();
  }

private:
  Location named(StringRef name) {
    return NameLoc::get(builder.getStringAttr(name), fileLoc);
  }

  /// Inputs that are constants: by an option, or by an initializer.
  LogicalResult findFixedInputs() {
    for (const onnx::TensorProto &tensor : proto.initializer())
      constants.insert(tensor.name());
    for (StringRef text : options.inputValues) {
      const onnx::ValueInfoProto *input = nullptr;
      for (const onnx::ValueInfoProto &candidate : proto.input())
        if (text.starts_with(candidate.name() + "=") &&
            (!input || input->name().size() < candidate.name().size()))
          input = &candidate;
      if (!input)
        return mlir::emitError(fileLoc)
               << "--input-value: expected NAME=VALUE with the name of an "
                  "input, got '"
               << text << "'";
      Result<TensorData> data = readInputValue(text, *input);
      if (!data)
        return mlir::emitError(fileLoc)
               << "--input-value: " << data.error().message;
      if (static_cast<int>(data->element) !=
          input->type().tensor_type().elem_type())
        return mlir::emitError(fileLoc)
               << "--input-value: input '" << input->name() << "' has elements "
               << onnxElementName(input->type().tensor_type().elem_type())
               << ", got "
               << onnxElementName(static_cast<int64_t>(data->element));
      if (!fixed.try_emplace(input->name(), std::move(*data)).second)
        return mlir::emitError(fileLoc) << "--input-value: input '"
                                        << input->name() << "' has two values";
    }
    return success();
  }

  /// The type of an input, or an error: it is no tensor, or an extent is
  /// neither given nor marked as dynamic.
  FailureOr<RankedTensorType> inputType(const onnx::ValueInfoProto &input,
                                        OnnxElement &element) {
    auto error = [&]() {
      return mlir::emitError(named(input.name()))
             << "input '" << input.name() << "' ";
    };
    if (!input.type().has_tensor_type())
      return error()
             << "is no tensor: sequences, optionals and maps are out of "
                "scope";
    const auto &type = input.type().tensor_type();
    std::optional<OnnxElement> known = onnxElement(type.elem_type());
    if (!known)
      return error() << "has elements of type "
                     << onnxElementName(type.elem_type())
                     << ", which are out of scope";
    element = *known;
    if (!type.has_shape())
      return error() << "has no shape; --input-shape=" << input.name()
                     << ":1x3x224x224 gives it one";
    SmallVector<int64_t> shape;
    for (auto [number, dim] : llvm::enumerate(type.shape().dim())) {
      if (dim.has_dim_value() && dim.dim_value() >= 0) {
        shape.push_back(dim.dim_value());
      } else if (isGiven(input.name())) {
        shape.push_back(ShapedType::kDynamic);
      } else if (options.namedPrompts && isPromptName(dim.dim_param())) {
        prompts[dim.dim_param()].push_back(input.name() + " dimension " +
                                           std::to_string(number));
        shape.push_back(ShapedType::kDynamic);
      } else {
        InFlightDiagnostic diagnostic = error();
        diagnostic << "has a dynamic extent #" << number;
        if (!dim.dim_param().empty())
          diagnostic << ", '" << dim.dim_param() << "'";
        diagnostic << "; --input-shape=" << input.name() << ":";
        llvm::interleave(
            type.shape().dim(),
            [&](const auto &each) {
              if (each.has_dim_value())
                diagnostic << each.dim_value();
              else
                diagnostic << "N";
            },
            [&] { diagnostic << "x"; });
        return diagnostic << " gives it a number, or ? where it stays dynamic";
      }
    }
    std::optional<int64_t> count =
        elementCount(llvm::map_to_vector(shape, [](int64_t extent) {
          return ShapedType::isDynamic(extent) ? int64_t(1) : extent;
        }));
    if (!count)
      return error() << "has more than " << kMostElements << " elements";
    return RankedTensorType::get(shape,
                                 elementType(element, module.getContext()));
  }

  /// Whether a dimension of that name is a prompt: exporters call the other
  /// dimensions without a number a batch.
  static bool isPromptName(StringRef name) {
    return !name.empty() && !name.contains_insensitive("batch") &&
           !name.equals_insensitive("n") && !name.equals_insensitive("b");
  }

  /// Says which dimensions are prompts because of their names.
  void remarkPrompts() {
    for (const auto &[name, places] : prompts) {
      InFlightDiagnostic remark = mlir::emitRemark(fileLoc);
      remark << "'" << name << "' is a prompt: ";
      llvm::interleaveComma(places, remark);
    }
  }

  /// What the model calls the dynamic dimensions of an input; empty texts for
  /// other dimensions and for those that it does not name.
  static SmallVector<std::string>
  dynamicNames(const onnx::ValueInfoProto &input, RankedTensorType type) {
    SmallVector<std::string> names(type.getRank());
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      const std::string &name = input.type()
                                    .tensor_type()
                                    .shape()
                                    .dim(static_cast<int>(dim))
                                    .dim_param();
      // A dimension without a name has got one when the shape was replaced.
      if (type.isDynamicDim(dim) &&
          name != input.name() + "_" + std::to_string(dim))
        names[dim] = name;
    }
    return names;
  }

  /// Spells the names of dimensions that model builders have for the sum of two
  /// others, where these are there.
  void spellSums() {
    auto isThere = [&](StringRef part) {
      return llvm::any_of(dimNames, [&](const auto &names) {
        return llvm::is_contained(names, part);
      });
    };
    if (!llvm::all_of(namesInSum(totalLengthSum), isThere))
      return;
    for (SmallVector<std::string> &names : dimNames)
      llvm::replace(names, std::string(totalLengthName),
                    std::string(totalLengthSum));
    if (auto total = prompts.find(totalLengthName.str());
        total != prompts.end()) {
      prompts[totalLengthSum.str()] = total->second;
      prompts.erase(total);
    }
  }

  /// Whether an option gives the input its shape, so that extents which have no
  /// number are to stay dynamic.
  bool isGiven(StringRef name) {
    return llvm::any_of(options.inputShapes, [&](StringRef text) {
      return text.rsplit(':').first == name;
    });
  }

  LogicalResult addFunction() {
    SmallVector<Type> types;
    SmallVector<Location> locs;
    std::set<std::string> seen;
    for (const onnx::ValueInfoProto &input : proto.input()) {
      if (!seen.insert(input.name()).second)
        return mlir::emitError(named(input.name()))
               << "two inputs are named '" << input.name() << "'";
      if (fixed.contains(input.name()) || constants.contains(input.name()))
        continue;
      OnnxElement element;
      FailureOr<RankedTensorType> type = inputType(input, element);
      if (failed(type))
        return failure();
      types.push_back(*type);
      locs.push_back(named(input.name()));
      arguments.push_back({input.name(), element});
      dimNames.push_back(dynamicNames(input, *type));
    }
    spellSums();
    builder.setInsertionPointToEnd(module.getBody());
    function = func::FuncOp::create(builder, fileLoc, "main",
                                    builder.getFunctionType(types, {}));
    remarkPrompts();
    // Numbers that follow from prompts ask for the names of dimensions.
    for (auto [argument, names] : llvm::enumerate(dimNames))
      if (llvm::any_of(names, [](const auto &name) { return !name.empty(); }))
        function.setArgAttr(
            argument, NPUDialect::DimNamesAttrHelper::getNameStr(),
            builder.getStrArrayAttr(llvm::to_vector_of<StringRef>(names)));
    Block *entry = function.addEntryBlock();
    for (auto [argument, loc] : llvm::zip_equal(entry->getArguments(), locs))
      argument.setLoc(loc);
    builder.setInsertionPointToStart(entry);
    return success();
  }

  void bindInputs(GraphImport &graph) {
    for (auto [argument, value] :
         llvm::zip_equal(arguments, function.getArguments())) {
      TensorBuilder build(builder, named(argument.first), argument.second);
      graph.bind(argument.first,
                 {inPartsOfPrompts(build, function, value, argument.first),
                  argument.second});
    }
    for (auto &[name, data] : fixed) {
      TensorBuilder build(builder, named(name), data.element);
      graph.bind(name, {build.constant(data, name), data.element});
    }
  }

  /// Checks that results have the types that the model declares. A shape that
  /// it declares otherwise is a warning: what the graph computes counts, and
  /// the ONNX library infers other shapes for some poolings.
  LogicalResult checkDeclared(ArrayRef<OnnxTensor> results) {
    for (auto [number, result] : llvm::enumerate(results)) {
      const onnx::ValueInfoProto &output =
          proto.output(static_cast<int>(number));
      int64_t type = output.type().tensor_type().elem_type();
      if (type != 0 && type != static_cast<int64_t>(result.element))
        return mlir::emitError(named(output.name()))
               << "result '" << output.name() << "' is "
               << NodeImport::describe(result) << ", expected "
               << onnxElementName(type) << " as the model declares";
      // Inputs that have got other shapes by options give other results.
      if (options.inputShapes.empty() && !hasDeclaredShape(output, result))
        mlir::emitWarning(named(output.name()))
            << "result '" << output.name() << "' is "
            << NodeImport::describe(result)
            << "; the inferred shape differs from the declared one";
    }
    return success();
  }

  static bool hasDeclaredShape(const onnx::ValueInfoProto &output,
                               const OnnxTensor &result) {
    const auto &type = output.type().tensor_type();
    if (!type.has_shape())
      return true;
    if (type.shape().dim_size() != result.rank())
      return false;
    return llvm::all_of(
        llvm::zip_equal(type.shape().dim(), result.shape()), [](auto pair) {
          auto &[declared, extent] = pair;
          return !declared.has_dim_value() || ShapedType::isDynamic(extent) ||
                 declared.dim_value() == extent;
        });
  }

  /// Returns, the function's type, names of arguments and results, and no dead
  /// operations.
  void finish(ArrayRef<OnnxTensor> results) {
    SmallVector<Value> values;
    SmallVector<Type> types;
    for (const OnnxTensor &result : results) {
      values.push_back(result.value);
      types.push_back(result.value.getType());
    }
    func::ReturnOp::create(builder, fileLoc, values);
    function.setFunctionType(
        builder.getFunctionType(function.getFunctionType().getInputs(), types));
    rewriteArgAttrs(function, [&](unsigned i, NamedAttrList &attributes) {
      setNames(attributes, arguments[i].first, arguments[i].second);
    });
    rewriteResultAttrs(function, [&](unsigned i, NamedAttrList &attributes) {
      setNames(attributes, proto.output(static_cast<int>(i)).name(),
               results[i].element);
    });
    markCachesByName(function);
    markStates();
    IRRewriter rewriter(builder);
    (void)runRegionDCE(rewriter, function->getRegions());
  }

  /// Says which arguments hold a state, and which results continue them.
  void markStates() {
    StringRef name = NPUDialect::CacheAttrHelper::getNameStr();
    for (const auto &[state, next] : session.model.states)
      for (auto [number, argument] : llvm::enumerate(arguments)) {
        if (argument.first != state)
          continue;
        function.setArgAttr(number, name, builder.getStringAttr(next));
        // Other states than caches are arguments and results alone.
        if (!cacheArgument(function, number))
          (void)function.removeArgAttr(number, name);
      }
  }

  /// What MLIR's type does not say, as attributes of the signature.
  void setNames(NamedAttrList &attributes, StringRef name,
                OnnxElement element) {
    attributes.set(NPUDialect::NameAttrHelper::getNameStr(),
                   builder.getStringAttr(name));
    if (isUnsigned(element) && element != OnnxElement::Bool)
      attributes.set(NPUDialect::UnsignedAttrHelper::getNameStr(),
                     builder.getUnitAttr());
  }

  ModuleOp module;
  const OnnxImportOptions &options;
  OpBuilder builder;
  ImportSession session;
  const onnx::GraphProto &proto;
  Location fileLoc;
  func::FuncOp function;
  std::set<std::string> constants;
  std::map<std::string, TensorData> fixed;
  SmallVector<std::pair<std::string, OnnxElement>> arguments;
  /// What the model calls the dynamic dimensions of each argument.
  SmallVector<SmallVector<std::string>> dimNames;
  /// The dimensions that are prompts because of their names, by these.
  std::map<std::string, SmallVector<std::string>> prompts;
};

} // namespace

/// The shapes that options give inputs; nothing after an error.
static std::optional<OnnxShapes> givenShapes(const OnnxImportOptions &options,
                                             Location loc) {
  OnnxShapes shapes;
  for (StringRef text : options.inputShapes) {
    auto shape = parseInputShape(text);
    if (!shape) {
      mlir::emitError(loc) << shape.error().message;
      return std::nullopt;
    }
    if (!shapes.insert(*shape).second) {
      mlir::emitError(loc) << "--input-shape: input '" << shape->first
                           << "' has two shapes";
      return std::nullopt;
    }
  }
  return shapes;
}

/// The module of a model whose inputs have got the shapes of options.
static OwningOpRef<ModuleOp> importGraph(const OnnxModel &model,
                                         DataFiles files, StringAttr file,
                                         const OnnxImportOptions &options) {
  MLIRContext *context = file.getContext();
  context->loadDialect<
      NPUDialect, affine::AffineDialect, cf::ControlFlowDialect,
      func::FuncDialect, tensor::TensorDialect, linalg::LinalgDialect,
      arith::ArithDialect, math::MathDialect, scf::SCFDialect>();
  OpBuilder builder(context);
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(builder, FileLineColLoc::get(file, 0, 0));
  ModelImport import(*module, model, std::move(files), file, options);
  if (failed(import.run()) || failed(verify(*module)))
    return {};
  return module;
}

OwningOpRef<ModuleOp> importModel(OnnxModel model, DataFiles files,
                                  StringAttr file,
                                  const OnnxImportOptions &options) {
  auto loc = FileLineColLoc::get(file, 0, 0);
  std::optional<OnnxShapes> shapes = givenShapes(options, loc);
  if (!shapes)
    return {};
  Result<> given = giveShapes(*model.proto.mutable_graph(), *shapes);
  if (!given) {
    mlir::emitError(loc) << given.error().message;
    return {};
  }
  return importGraph(model, std::move(files), file, options);
}

OwningOpRef<ModuleOp> importOnnx(StringRef bytes, StringRef fileName,
                                 const OnnxImportOptions &options,
                                 MLIRContext *context) {
  auto file = StringAttr::get(context, fileName);
  auto loc = FileLineColLoc::get(file, 0, 0);
  std::optional<OnnxShapes> shapes = givenShapes(options, loc);
  if (!shapes)
    return {};
  ModelKind kind = kindOfModel(bytes, "");
  bool isPrintable =
      !bytes.empty() && llvm::all_of(bytes.take_front(64), [](char c) {
        return llvm::isPrint(c) || llvm::isSpace(c);
      });
  if (kind != ModelKind::Onnx && (kind != ModelKind::Text || isPrintable)) {
    mlir::emitError(loc) << "expected an ONNX model, got " << describe(kind);
    return {};
  }
  std::string directory = llvm::sys::path::parent_path(fileName).str();
  Result<OnnxModel, UnreadableModel> model =
      readOnnxModel({bytes.data(), bytes.size()}, *shapes, directory);
  if (!model) {
    const UnreadableModel &unread = model.error();
    mlir::emitError(FileLineColLoc::get(file, unread.line, unread.column))
        << unread.message;
    return {};
  }
  return importGraph(*model, DataFiles(directory), file, options);
}

} // namespace npu
