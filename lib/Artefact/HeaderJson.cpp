// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header of an artefact as JSON, and back. Reading wants every field, and
// numbers that make sense, because others are used as sizes of memory.

#include "npu/Artefact/Artefact.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>

namespace json = llvm::json;
using json::ObjectMapper;
using json::Path;
using json::Value;

namespace npu {
namespace {

/// Every element type, to find one by its name.
constexpr ElementType kElementTypes[] = {
    ElementType::Bool, ElementType::I8,  ElementType::I16,  ElementType::I32,
    ElementType::I64,  ElementType::U8,  ElementType::U16,  ElementType::U32,
    ElementType::U64,  ElementType::F16, ElementType::BF16, ElementType::F32,
    ElementType::F64};

template <typename T>
json::Array arrayOf(const std::vector<T> &items) {
  json::Array array;
  for (const T &item : items)
    array.push_back(toJSON(item));
  return array;
}

json::Object figuresOf(const Target &target) {
  json::Object figures;
  for (const TargetField &field : targetFields())
    figures[llvm::StringRef(field.name)] = target.*field.value;
  for (const CostField &field : costFields())
    figures[field.name] = field.of(target.costs);
  return figures;
}

} // namespace

// llvm::json finds these by the namespace of their arguments.

static Value toJSON(const ArtefactPromptDimension &each) {
  return json::Object{{"dimension", each.dimension},
                      {"extents", json::Array(each.extents)}};
}

static Value toJSON(const ArtefactTensor &tensor) {
  return json::Object{{"name", tensor.name},
                      {"type", nameOf(tensor.spec.type)},
                      {"shape", json::Array(tensor.spec.shape)},
                      {"fan_in", tensor.role.fanIn},
                      {"under_root", tensor.role.isUnderRoot},
                      {"prompt_dimensions", arrayOf(tensor.promptDimensions)}};
}

static Value toJSON(const ArtefactArena &arena) {
  return json::Object{{"tile", arena.tile}, {"bytes", arena.bytes}};
}

static Value toJSON(const ArtefactWeight &weight) {
  return json::Object{{"symbol", weight.symbol},
                      {"offset", weight.offset},
                      {"bytes", weight.bytes}};
}

static Value toJSON(const ArtefactCache &cache) {
  return json::Object{{"input", cache.input},
                      {"dimension", cache.dimension},
                      {"length", cache.length},
                      {"rows", cache.rows},
                      {"offset_input", cache.offsetInput
                                           ? Value(*cache.offsetInput)
                                           : Value(nullptr)}};
}

json::Object toJson(const ArtefactHeader &header) {
  json::Object options;
  for (const auto &[name, value] : header.options)
    options[name] = value;
  json::Object target{{"name", header.target.name},
                      {"figures", figuresOf(header.target)}};
  json::Object host{{"triple", header.host.triple},
                    {"processor", header.host.processor},
                    {"features", json::Array(header.host.features)}};
  json::Object weights{{"file", header.weights.file},
                       {"bytes", header.weights.bytes},
                       {"sha256", header.weights.sha256},
                       {"entries", arrayOf(header.weights.entries)}};
  return json::Object{{"abi", header.abi},
                      {"compiler", header.compiler},
                      {"key", header.key},
                      {"model_sha256", header.modelHash},
                      {"target", std::move(target)},
                      {"device", header.device},
                      {"computes_on", header.computesOn},
                      {"options", std::move(options)},
                      {"entry", header.entry},
                      {"inputs", arrayOf(header.inputs)},
                      {"results", arrayOf(header.results)},
                      {"arenas", arrayOf(header.arenas)},
                      {"temporary_bytes", header.temporaryBytes},
                      {"operations", header.operations},
                      {"optimization", header.optLevel},
                      {"parallel", header.parallel},
                      {"largest_prompt", header.largestPrompt},
                      {"prompt_lengths", json::Array(header.promptLengths)},
                      {"caches", arrayOf(header.caches)},
                      {"host", std::move(host)},
                      {"weights", std::move(weights)}};
}

/// A number that is not negative.
static bool mapCount(ObjectMapper &object, llvm::StringLiteral name,
                     int64_t &count, Path path) {
  if (!object.map(name, count))
    return false;
  if (count < 0)
    path.field(name).report("expected a number from 0 on");
  return count >= 0;
}

static bool readTensorSpec(ObjectMapper &object, TensorSpec &spec, Path path) {
  std::string type;
  if (!object.map("type", type) || !object.map("shape", spec.shape))
    return false;
  const auto *found = llvm::find_if(
      kElementTypes, [&](ElementType known) { return nameOf(known) == type; });
  if (found == std::end(kElementTypes)) {
    path.field("type").report("expected the name of an element type");
    return false;
  }
  spec.type = *found;
  bool positive = llvm::all_of(spec.shape, [](int64_t n) { return n >= 0; });
  if (positive && spec.bytes())
    return true;
  path.field("shape").report("expected extents from 0 on whose product fits "
                             "63 bits");
  return false;
}

static bool fromJSON(const Value &value, ArtefactPromptDimension &each,
                     Path path) {
  ObjectMapper object(value, path);
  return object && mapCount(object, "dimension", each.dimension, path) &&
         object.map("extents", each.extents);
}

static bool fromJSON(const Value &value, ArtefactTensor &tensor, Path path) {
  ObjectMapper object(value, path);
  return object && object.map("name", tensor.name) &&
         readTensorSpec(object, tensor.spec, path) &&
         mapCount(object, "fan_in", tensor.role.fanIn, path) &&
         object.map("under_root", tensor.role.isUnderRoot) &&
         object.map("prompt_dimensions", tensor.promptDimensions);
}

static bool fromJSON(const Value &value, ArtefactArena &arena, Path path) {
  ObjectMapper object(value, path);
  return object && mapCount(object, "tile", arena.tile, path) &&
         mapCount(object, "bytes", arena.bytes, path);
}

static bool fromJSON(const Value &value, ArtefactWeight &weight, Path path) {
  ObjectMapper object(value, path);
  return object && object.map("symbol", weight.symbol) &&
         mapCount(object, "offset", weight.offset, path) &&
         mapCount(object, "bytes", weight.bytes, path);
}

static bool fromJSON(const Value &value, ArtefactCache &cache, Path path) {
  ObjectMapper object(value, path);
  return object && mapCount(object, "input", cache.input, path) &&
         mapCount(object, "dimension", cache.dimension, path) &&
         mapCount(object, "length", cache.length, path) &&
         mapCount(object, "rows", cache.rows, path) &&
         object.map("offset_input", cache.offsetInput);
}

static bool fromJSON(const Value &value, ArtefactHost &host, Path path) {
  ObjectMapper object(value, path);
  return object && object.map("triple", host.triple) &&
         object.map("processor", host.processor) &&
         object.map("features", host.features);
}

static bool fromJSON(const Value &value, ArtefactWeights &weights, Path path) {
  ObjectMapper object(value, path);
  if (!object || !object.map("file", weights.file) ||
      !mapCount(object, "bytes", weights.bytes, path) ||
      !object.map("sha256", weights.sha256) ||
      !object.map("entries", weights.entries))
    return false;
  for (const ArtefactWeight &entry : weights.entries)
    if (entry.offset > weights.bytes ||
        entry.bytes > weights.bytes - entry.offset) {
      path.field("entries").report("expected entries within the weights");
      return false;
    }
  return true;
}

static bool fromJSON(const Value &value, Target &target, Path path) {
  ObjectMapper object(value, path);
  std::map<std::string, int64_t> figures;
  if (!object || !object.map("name", target.name) ||
      !object.map("figures", figures))
    return false;
  auto take = [&](const std::string &name, int64_t &figure) {
    auto found = figures.find(name);
    if (found == figures.end()) {
      path.field("figures").report("expected every figure of a target");
      return false;
    }
    figure = found->second;
    return true;
  };
  for (const TargetField &field : targetFields())
    if (!take(std::string(field.name), target.*field.value))
      return false;
  for (const CostField &field : costFields())
    if (!take(field.name, field.of(target.costs)))
      return false;
  return true;
}

static bool fromJSON(const Value &value, ArtefactHeader &header, Path path) {
  ObjectMapper object(value, path);
  std::map<std::string, std::string> options;
  if (!object || !object.map("abi", header.abi) ||
      !object.map("compiler", header.compiler) ||
      !object.map("key", header.key) ||
      !object.map("model_sha256", header.modelHash) ||
      !object.map("target", header.target) ||
      !object.map("device", header.device) ||
      !object.map("computes_on", header.computesOn) ||
      !object.map("options", options) || !object.map("entry", header.entry) ||
      !object.map("inputs", header.inputs) ||
      !object.map("results", header.results) ||
      !object.map("arenas", header.arenas) ||
      !mapCount(object, "temporary_bytes", header.temporaryBytes, path) ||
      !mapCount(object, "operations", header.operations, path) ||
      !mapCount(object, "optimization", header.optLevel, path) ||
      !object.map("parallel", header.parallel) ||
      !mapCount(object, "largest_prompt", header.largestPrompt, path) ||
      !object.map("prompt_lengths", header.promptLengths) ||
      !object.map("caches", header.caches) ||
      !object.map("host", header.host) ||
      !object.map("weights", header.weights))
    return false;
  header.options.assign(options.begin(), options.end());
  return true;
}

static bool checkPromptDimensions(const ArtefactTensor &tensor,
                                  int64_t largest) {
  return llvm::all_of(
      tensor.promptDimensions, [&](const ArtefactPromptDimension &each) {
        if (each.dimension >= static_cast<int64_t>(tensor.spec.shape.size()))
          return false;
        int64_t most = tensor.spec.shape[each.dimension];
        if (each.extents.empty())
          return largest <= most;
        return static_cast<int64_t>(each.extents.size()) == largest &&
               llvm::all_of(each.extents, [&](int64_t extent) {
                 return extent >= 0 && extent <= most;
               });
      });
}

/// Nothing wrong with numbers that refer to other parts of the header.
static Result<> checkReferences(const ArtefactHeader &header) {
  auto inputs = static_cast<int64_t>(header.inputs.size());
  if (header.largestPrompt > 0 &&
      (inputs == 0 || !header.inputs.back().spec.shape.empty() ||
       header.inputs.back().spec.type != ElementType::I64))
    return Error{"header: expected an i64 as the last input, for the length of "
                 "the prompt"};
  for (const auto *tensors : {&header.inputs, &header.results})
    for (const ArtefactTensor &tensor : *tensors)
      if (!checkPromptDimensions(tensor, header.largestPrompt))
        return Error{"header: expected an extent of each prompt dimension for "
                     "each length, up to the extent that there is memory for"};
  for (const ArtefactCache &cache : header.caches)
    if (cache.input >= inputs || cache.offsetInput.value_or(0) < 0 ||
        cache.offsetInput.value_or(0) >= inputs ||
        cache.dimension >=
            static_cast<int64_t>(header.inputs[cache.input].spec.shape.size()))
      return Error{"header: expected caches to be dimensions of inputs"};
  return Success();
}

Result<ArtefactHeader> headerFromJson(const json::Object &object) {
  // Another ABI may have other fields.
  if (auto abi = object.getInteger("abi"); abi && *abi != artefactAbi)
    return Error{
        fmt::format("expected ABI version {}, got {}", artefactAbi, *abi)};
  ArtefactHeader header;
  Path::Root root("header");
  // The error refers to names in the value.
  Value value = json::Object(object);
  if (!fromJSON(value, header, root))
    return Error{llvm::toString(root.getError())};
  if (Result<> error = checkReferences(header); !error)
    return error.error();
  return header;
}

} // namespace npu
