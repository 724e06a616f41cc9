// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header of an artefact as JSON, and back. Reading wants every field, and
// numbers that make sense, because others are used as sizes of memory.

#include "npu/Artefact/Artefact.h"
#include "npu/Artefact/JsonFields.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>

#include <set>

namespace json = llvm::json;
using json::Path;
using json::Value;

namespace npu {

/// Every element type, to find one by its name.
static constexpr ElementType kElementTypes[] = {
    ElementType::Bool, ElementType::I8,  ElementType::I16,  ElementType::I32,
    ElementType::I64,  ElementType::U8,  ElementType::U16,  ElementType::U32,
    ElementType::U64,  ElementType::F16, ElementType::BF16, ElementType::F32,
    ElementType::F64,  ElementType::I2,  ElementType::I4,   ElementType::U2,
    ElementType::U4};

template <typename Fields>
static bool mapFields(Fields &fields, ArtefactPromptDimension &each) {
  return fields.count("dimension", each.dimension) &&
         fields.count("number", each.number);
}

template <typename Fields>
static bool mapSpec(Fields &fields, TensorSpec &spec) {
  std::string type(nameOf(spec.type));
  if (!fields.map("type", type) || !fields.map("shape", spec.shape))
    return false;
  const auto *found = llvm::find_if(
      kElementTypes, [&](ElementType known) { return nameOf(known) == type; });
  if (!fields.expect(found != std::end(kElementTypes), "type",
                     "expected the name of an element type"))
    return false;
  spec.type = *found;
  bool positive = llvm::all_of(spec.shape, [](int64_t n) { return n >= 0; });
  return fields.expect(positive && spec.bytes(), "shape",
                       "expected extents from 0 on whose product fits 63 bits");
}

template <typename Fields>
static bool mapFields(Fields &fields, ArtefactTensor &tensor) {
  return fields.map("name", tensor.name) && mapSpec(fields, tensor.spec) &&
         fields.count("fan_in", tensor.role.fanIn) &&
         fields.map("under_root", tensor.role.isUnderRoot) &&
         fields.map("prompt_dimensions", tensor.promptDimensions);
}

template <typename Fields>
static bool mapFields(Fields &fields, ArtefactArena &arena) {
  return fields.count("tile", arena.tile) && fields.count("bytes", arena.bytes);
}

template <typename Fields>
static bool mapFields(Fields &fields, ArtefactWeight &weight) {
  return fields.map("symbol", weight.symbol) &&
         fields.count("offset", weight.offset) &&
         fields.count("bytes", weight.bytes);
}

template <typename Fields>
static bool mapFields(Fields &fields, ArtefactCache &cache) {
  return fields.count("input", cache.input) &&
         fields.count("dimension", cache.dimension) &&
         fields.count("length", cache.length) &&
         fields.count("capacity", cache.capacity) &&
         fields.map("result", cache.result) &&
         fields.map("in_place", cache.isInPlace) &&
         fields.count("rows", cache.rows) &&
         fields.map("offset_input", cache.offsetInput);
}

template <typename Fields>
static bool mapFields(Fields &fields, ArtefactHost &host) {
  return fields.map("triple", host.triple) &&
         fields.map("processor", host.processor) &&
         fields.map("features", host.features);
}

template <typename Fields>
static bool mapFields(Fields &fields, ArtefactWeights &weights) {
  return fields.map("file", weights.file) &&
         fields.count("bytes", weights.bytes) &&
         fields.map("sha256", weights.sha256) &&
         fields.map("entries", weights.entries) &&
         fields.expect(llvm::all_of(weights.entries,
                                    [&](const ArtefactWeight &entry) {
                                      return entry.offset <= weights.bytes &&
                                             entry.bytes <=
                                                 weights.bytes - entry.offset;
                                    }),
                       "entries", "expected entries within the weights");
}

template <typename Fields>
static bool mapFields(Fields &fields, Target &target) {
  std::map<std::string, int64_t> figures;
  // Of one machine, nothing is written of machines.
  auto eachFigure = [&](bool isRead, auto see) {
    for (const TargetField &field : targetFields())
      if (!field.isOfMachines || isRead || target.*field.value != 0)
        see(std::string(field.name), target.*field.value, field.isNeeded);
    for (const CostField &field : costFields())
      see(std::string(field.name), field.of(target.costs), true);
  };
  eachFigure(/*isRead=*/false, [&](const std::string &name, int64_t value,
                                   bool) { figures[name] = value; });
  if (!fields.map("name", target.name) || !fields.map("figures", figures))
    return false;
  bool all = true;
  eachFigure(/*isRead=*/true,
             [&](const std::string &name, int64_t &value, bool isNeeded) {
               auto found = figures.find(name);
               all &= !isNeeded || found != figures.end();
               if (found != figures.end())
                 value = found->second;
             });
  return fields.expect(all, "figures", "expected every figure of a target");
}

template <typename Fields>
static bool mapFields(Fields &fields, ArtefactHeader &header) {
  std::map<std::string, std::string> options(header.options.begin(),
                                             header.options.end());
  bool isFine =
      fields.map("abi", header.abi) &&
      fields.map("compiler", header.compiler) &&
      fields.map("key", header.key) &&
      fields.map("model_sha256", header.modelHash) &&
      fields.map("target", header.target) &&
      fields.map("device", header.device) &&
      fields.map("computes_on", header.computesOn) &&
      fields.map("options", options) && fields.map("entry", header.entry) &&
      fields.map("inputs", header.inputs) &&
      fields.map("results", header.results) &&
      fields.map("arenas", header.arenas) &&
      fields.count("temporary_bytes", header.temporaryBytes) &&
      fields.count("operations", header.operations) &&
      fields.count("optimization", header.optLevel) &&
      fields.map("parallel", header.parallel) &&
      fields.count("smallest_prompt", header.smallestPrompt) &&
      fields.count("largest_prompt", header.largestPrompt) &&
      fields.map("prompts", header.prompts) &&
      fields.map("prompt_lengths", header.promptLengths) &&
      fields.map("caches", header.caches) && fields.map("host", header.host) &&
      fields.map("weights", header.weights);
  header.options.assign(options.begin(), options.end());
  return isFine;
}

json::Object toJson(const ArtefactHeader &header) {
  return std::move(*toJSON(header).getAsObject());
}

/// Nothing wrong with what the header says of prompts.
static Result<> checkPrompts(const ArtefactHeader &header) {
  auto inputs = static_cast<int64_t>(header.inputs.size()),
       count = static_cast<int64_t>(header.prompts.size());
  if ((count > 0) != (header.largestPrompt > 0))
    return Error{"header: expected names of prompts where there is a largest "
                 "prompt"};
  for (size_t i = 0; i < header.prompts.size(); ++i)
    if (llvm::is_contained(llvm::ArrayRef(header.prompts).take_front(i),
                           header.prompts[i]))
      return Error{"header: expected another name for each prompt"};
  bool hasLengths = count <= inputs &&
                    llvm::all_of(llvm::ArrayRef(header.inputs).take_back(count),
                                 [](const ArtefactTensor &input) {
                                   return input.spec.shape.empty() &&
                                          input.spec.type == ElementType::I64;
                                 });
  if (!hasLengths)
    return Error{"header: expected an i64 for each prompt as the last inputs, "
                 "for its length"};
  PromptDimensions dimensions = promptDimensionsOf(header);
  auto areDimensions = [](const std::vector<PromptDimension> &those,
                          const std::vector<ArtefactTensor> &tensors,
                          int64_t numbers) {
    return llvm::all_of(those, [&](const PromptDimension &each) {
      return each.number < numbers &&
             each.dimension <
                 static_cast<int64_t>(tensors[each.tensor].spec.shape.size());
    });
  };
  auto hasRoom = [&](const PromptDimension &each) {
    return header.largestPrompt <=
           header.inputs[each.tensor].spec.shape[each.dimension];
  };
  if (!areDimensions(dimensions.inputs, header.inputs, count) ||
      !llvm::all_of(dimensions.inputs, hasRoom) ||
      !areDimensions(dimensions.results, header.results,
                     static_cast<int64_t>(dimensions.results.size())))
    return Error{"header: expected prompt dimensions to be dimensions of "
                 "inputs that have room for the largest prompt, or of results"};
  return Success();
}

/// Nothing wrong with the results that continue caches. A result in place has
/// no memory of its own.
static Result<> checkContinuations(const ArtefactHeader &header) {
  auto results = static_cast<int64_t>(header.results.size());
  std::set<int64_t> inputsInPlace, continued;
  for (const ArtefactCache &cache : header.caches) {
    const TensorSpec &spec = header.inputs[cache.input].spec;
    bool isInside = cache.capacity <= spec.shape[cache.dimension] &&
                    cache.length <= spec.shape[cache.dimension];
    if (!isInside || (cache.isInPlace && !cache.result))
      return Error{"header: expected caches with room for what they hold"};
    if (!cache.result)
      continue;
    if (*cache.result < 0 || *cache.result >= results ||
        header.results[*cache.result].spec.shape.size() != spec.shape.size() ||
        !continued.insert(*cache.result).second)
      return Error{"header: expected another result for each cache, of its "
                   "rank"};
    if (cache.isInPlace && (header.results[*cache.result].spec != spec ||
                            !inputsInPlace.insert(cache.input).second))
      return Error{"header: expected results in place to have the memory of "
                   "their inputs"};
  }
  return Success();
}

/// Nothing wrong with numbers that refer to other parts of the header.
static Result<> checkReferences(const ArtefactHeader &header) {
  auto inputs = static_cast<int64_t>(header.inputs.size());
  if (Result<> error = checkPrompts(header); !error)
    return error;
  for (const ArtefactCache &cache : header.caches)
    if (cache.input >= inputs || cache.offsetInput.value_or(0) < 0 ||
        cache.offsetInput.value_or(0) >= inputs ||
        cache.dimension >=
            static_cast<int64_t>(header.inputs[cache.input].spec.shape.size()))
      return Error{"header: expected caches to be dimensions of inputs"};
  return checkContinuations(header);
}

Result<ArtefactHeader> headerFromJson(const json::Object &object) {
  // Another ABI may have other fields.
  if (auto abi = object.getInteger("abi"); abi && *abi != artefactAbi)
    return Error{
        fmt::format("expected ABI version {}, got {}: compile the model again "
                    "with this npu-compile",
                    artefactAbi, *abi)};
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
