// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DecodePlan.h"

#include "DecodeState.h"
#include "npu/Dialect/NPU/IR/DimensionNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <fmt/format.h>

namespace npu {
namespace {

bool isSum(const std::string &name) { return namesInSum(name).size() > 1; }

/// What exporters mean by an input of this name.
InputUse useByName(llvm::StringRef name) {
  return llvm::StringSwitch<InputUse>(name)
      .Cases({"input_ids", "decoder_input_ids", "ids", "tokens", "token_ids"},
             InputUse::Words)
      .Cases({"position_ids", "positions", "cache_position"},
             InputUse::Positions)
      .Cases({"attention_mask", "decoder_attention_mask"}, InputUse::Mask)
      .Cases({"past_sequence_length", "past_seq_len", "past_length"},
             InputUse::Past)
      .Case("seqlens_k", InputUse::Last)
      .Cases({"total_sequence_length", "total_seq_len"}, InputUse::Total)
      .Default(InputUse::Whole);
}

/// The prompt that is the extent of a dimension of an input.
std::optional<size_t> promptOf(const ArtefactTensor &tensor, int64_t dim) {
  for (const ArtefactPromptDimension &each : tensor.promptDimensions)
    if (each.dimension == dim)
      return static_cast<size_t>(each.number);
  return std::nullopt;
}

} // namespace

bool DecodePlan::hasRows(const ArtefactHeader &header, size_t input,
                         int64_t dim) const {
  const ArtefactTensor &tensor = header.inputs[input];
  if (rows)
    return promptOf(tensor, dim) == rows;
  // Without a name, nothing says which inputs of static shape have rows.
  auto rank = static_cast<int64_t>(tensor.spec.shape.size());
  bool isNamed =
      uses[input] == InputUse::Words || uses[input] == InputUse::Positions;
  return isNamed && dim >= 0 && dim == rank - 1 &&
         tensor.spec.shape[dim] == rowsOfRun;
}

bool DecodePlan::hasAllRows(const ArtefactHeader &header, size_t input,
                            int64_t dim) const {
  std::optional<size_t> prompt = promptOf(header.inputs[input], dim);
  return prompt && isSum(header.prompts[*prompt]);
}

LengthsOfRun DecodePlan::lengths(const ArtefactHeader &header,
                                 DecodeRun run) const {
  LengthsOfRun made(header.prompts.size(), 0);
  if (past)
    made[*past] = run.position;
  if (rows)
    made[*rows] = run.rows;
  for (auto [number, name] : llvm::enumerate(header.prompts))
    if (isSum(name))
      if (auto sum = lengthOfSum(name, header.prompts, [&](llvm::StringRef of) {
            return made[llvm::find(header.prompts, of) -
                        header.prompts.begin()];
          }))
        made[number] = *sum;
  return made;
}

std::vector<int64_t> DecodePlan::shapeOf(const ArtefactHeader &header,
                                         size_t input, DecodeRun run,
                                         bool whole) const {
  std::vector<int64_t> shape = header.inputs[input].spec.shape;
  LengthsOfRun extents = lengths(header, run);
  for (const ArtefactPromptDimension &each :
       header.inputs[input].promptDimensions)
    shape[each.dimension] = extents[each.number];
  for (size_t dim = 0; whole && dim < shape.size(); ++dim)
    if (hasRows(header, input, static_cast<int64_t>(dim)) ||
        hasAllRows(header, input, static_cast<int64_t>(dim)))
      shape[dim] = run.end();
  return shape;
}

std::vector<int64_t> DecodePlan::offsetsOf(const ArtefactHeader &header,
                                           size_t input, DecodeRun run) const {
  std::vector<int64_t> offsets(header.inputs[input].spec.shape.size(), 0);
  for (size_t dim = 0; dim < offsets.size(); ++dim)
    if (hasRows(header, input, static_cast<int64_t>(dim)))
      offsets[dim] = run.position;
  return offsets;
}

Result<DecodePlan> DecodePlan::of(const ArtefactHeader &header) {
  DecodePlan plan;
  std::optional<int64_t> capacity, offset;
  // A cache of static shape whose position no argument is marked to say.
  const ArtefactCache *unplaced = nullptr;
  for (const ArtefactCache &cache : header.caches) {
    if (!cache.result)
      return Error{fmt::format("expected a result that continues {}: npu.cache "
                               "names it",
                               nameOf(cache, header))};
    capacity = std::min(capacity.value_or(cache.capacity), cache.capacity);
    if (!grows(cache, header)) {
      if (cache.offsetInput)
        offset = cache.offsetInput;
      else if (!unplaced)
        unplaced = &cache;
      plan.rowsOfRun = std::max(plan.rowsOfRun, cache.rows);
      continue;
    }
    auto prompt = promptOf(header.inputs[cache.input], cache.dimension);
    if (plan.past && plan.past != prompt)
      return Error{fmt::format("expected all caches to have one length, got "
                               "another one of {}",
                               nameOf(cache, header))};
    plan.past = prompt;
    plan.rowsOfRun =
        std::max(plan.rowsOfRun,
                 header.results[*cache.result].spec.shape[cache.dimension] -
                     cache.capacity);
  }
  if (!capacity)
    return Error{"expected an artefact with caches: npu.cache marks the inputs "
                 "that a result continues"};
  plan.capacity = *capacity;
  for (auto [number, name] : llvm::enumerate(header.prompts)) {
    if (isSum(name) || plan.past == number)
      continue;
    if (plan.rows)
      return Error{fmt::format("expected one prompt beside the length of the "
                               "caches, got '{}' and '{}'",
                               header.prompts[*plan.rows], name)};
    plan.rows = number;
  }
  plan.mostRows = plan.rows ? header.largestPrompt : plan.rowsOfRun;
  if (plan.mostRows < 1)
    return Error{"expected to know how many rows a run adds to the caches"};
  size_t inputs = header.inputs.size() - header.prompts.size();
  for (size_t input = 0; input < inputs; ++input) {
    const ArtefactTensor &tensor = header.inputs[input];
    bool isCache = llvm::any_of(header.caches, [&](const ArtefactCache &each) {
      return each.input == static_cast<int64_t>(input);
    });
    bool isInteger = !isFloat(tensor.spec.type);
    InputUse use = isInteger ? useByName(tensor.name) : InputUse::Whole;
    if (isCache)
      use = InputUse::Cache;
    else if (offset == static_cast<int64_t>(input))
      use = InputUse::Past;
    plan.uses.push_back(use);
    // Words are the last dimension of what a run takes of them.
    if (use == InputUse::Words &&
        !plan.hasRows(header, input,
                      static_cast<int64_t>(tensor.spec.shape.size()) - 1))
      use = plan.uses[input] = InputUse::Whole;
    if (use != InputUse::Whole)
      continue;
    for (size_t dim = 0; dim < tensor.spec.shape.size(); ++dim)
      if (plan.hasRows(header, input, static_cast<int64_t>(dim)) ||
          plan.hasAllRows(header, input, static_cast<int64_t>(dim)))
        plan.uses[input] = InputUse::Rows;
  }
  auto saysPosition = [](InputUse use) {
    return use == InputUse::Mask || use == InputUse::Last ||
           use == InputUse::Past || use == InputUse::Positions;
  };
  if (unplaced && llvm::none_of(plan.uses, saysPosition))
    return Error{fmt::format(
        "expected an input that says where the prompt begins in {}, with "
        "npu.cache_offset or a name such as attention_mask or seqlens_k",
        nameOf(*unplaced, header))};
  return plan;
}

} // namespace npu
