// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An artefact as a side of a comparison.

#include "npu/Execution/Compare/RunSides.h"
#include "npu/Execution/Jit/ToExecutable.h"
#include "npu/Execution/Object/LoadedFunction.h"
#include "npu/Execution/Object/PlacementJson.h"

#include "mlir/Parser/Parser.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;

namespace npu {
namespace {

/// Nothing wrong where a target of a built-in name has its figures: a module
/// may describe another device by the same name.
Result<> checkFigures(const Target &target, const std::string &asked) {
  const Target *builtin = findBuiltinTarget(asked);
  if (!builtin || *builtin == target)
    return Success();
  std::string what = "figures of costs of its own";
  for (const TargetField &field : targetFields())
    if (builtin->*field.value != target.*field.value)
      what = fmt::format("{} = {} instead of {}", field.name,
                         target.*field.value, builtin->*field.value);
  return Error{fmt::format("expected an artefact for {} (--target), got one "
                           "for a device of that name with {}",
                           asked, what)};
}

/// Nothing wrong where the artefact is what the options ask for.
Result<> checkOptions(const ArtefactHeader &header, const RunOptions &options) {
  if (!options.entry.empty() && options.entry != header.entry)
    return Error{fmt::format("expected an artefact of '{}' (--entry), got one "
                             "of '{}'",
                             options.entry, header.entry)};
  if (const std::string &target = options.scratchpad.target;
      !target.empty() && target != header.target.name)
    return Error{fmt::format(
        "expected an artefact for {} (--target), got one "
        "for {}",
        target, header.target.name.empty() ? "the CPU" : header.target.name)};
  if (Result<> error = checkFigures(header.target, options.scratchpad.target);
      !error)
    return error;
  if (header.largestPrompt == 0 && !options.lengths.empty())
    return Error{"--length: expected an artefact that takes prompts, got one "
                 "of static shapes"};
  if (header.largestPrompt > 0 && options.lengths.empty())
    return Error{fmt::format("expected a length from {} to {} (--length=N or "
                             "--length=N..M)",
                             // One of several may be empty, by its name.
                             std::max<int64_t>(1, header.smallestPrompt),
                             header.largestPrompt)};
  return Success();
}

/// The numbers, in a run, of the lengths that an artefact's prompts have. The
/// error is that a prompt has none, or that there is one of no prompt.
Result<std::vector<size_t>> lengthsOfPrompts(const ArtefactHeader &header,
                                             const PromptLengths &lengths) {
  auto quoted = [](const std::vector<std::string> &names) {
    std::vector<std::string> known;
    for (const std::string &name : names)
      if (!name.empty())
        known.push_back(fmt::format("'{}'", name));
    return fmt::format("{}", fmt::join(known, ", "));
  };
  for (const std::string &name : lengths.names)
    if (!llvm::is_contained(header.prompts, name)) {
      std::string known = quoted(header.prompts);
      return Error{fmt::format(
          "--length: expected the name of a prompt of the artefact, got '{}'; "
          "{}",
          name, known.empty() ? "none has a name" : "there are " + known)};
    }
  std::vector<size_t> numbers;
  for (const std::string &prompt : header.prompts) {
    auto found = llvm::find(lengths.names, prompt);
    bool isNamed = found != lengths.names.end();
    if (!isNamed && !lengths.hasOthers)
      return Error{fmt::format(
          "--length: expected a length for prompt '{0}': --length={0}=N, or "
          "--length=N for all other names",
          prompt)};
    numbers.push_back(isNamed ? found - lengths.names.begin() + 1 : 0);
  }
  return numbers;
}

/// The lengths of the artefact's prompts, in its order. The reference takes
/// them in the same order: the first is that of all dimensions without another
/// name.
Result<PromptLengths> lengthsInOrder(const ArtefactHeader &header,
                                     const PromptLengths &asked) {
  auto numbers = lengthsOfPrompts(header, asked);
  if (!numbers)
    return numbers.error();
  PromptLengths lengths;
  lengths.names.assign(header.prompts.begin() + 1, header.prompts.end());
  // The artefact has memory for its largest prompt, and so has the reference.
  lengths.room = header.largestPrompt;
  lengths.returnsExtents = true;
  for (const ArtefactCache &cache : header.caches)
    lengths.roomOfCaches[{cache.input, cache.dimension}] = cache.length;
  for (const LengthsOfRun &run : asked.runs) {
    LengthsOfRun &ordered = lengths.runs.emplace_back();
    for (size_t number : *numbers) {
      if (run[number] < header.smallestPrompt)
        return Error{fmt::format("--length: expected at least {}, the smallest "
                                 "prompt of the artefact, got {}",
                                 header.smallestPrompt, run[number])};
      if (run[number] > header.largestPrompt)
        return Error{fmt::format("--length: expected at most {}, the largest "
                                 "prompt of the artefact, got {}",
                                 header.largestPrompt, run[number])};
      ordered.push_back(run[number]);
    }
  }
  return lengths;
}

/// The tile program, for the search of differences and for the order of its
/// sums; null where nothing is to be compared.
OwningOpRef<ModuleOp> tileProgram(const Artefact &artefact,
                                  MLIRContext &context) {
  return parseSourceString<ModuleOp>(artefact.section(tilesSection),
                                     ParserConfig(&context));
}

} // namespace

FailureOr<Sides> prepareArtefact(Artefact artefact, const std::string &file,
                                 OwningOpRef<ModuleOp> reference,
                                 MLIRContext &context, RunOptions &options) {
  if (Result<> error = checkOptions(artefact.header, options); !error)
    return failRun(file + ": " + error.error().message);
  if (!options.lengths.empty()) {
    options.lengths.addSums(artefact.header.prompts);
    auto lengths = lengthsInOrder(artefact.header, options.lengths);
    if (!lengths)
      return failRun(file + ": " + lengths.error().message);
    options.lengths = std::move(*lengths);
  }
  Sides sides;
  sides.entry = artefact.header.entry;
  sides.takesLength = artefact.header.largestPrompt > 0;
  sides.caches = artefact.header.caches;
  sides.searched.whyNot = "an artefact has no whole operations; "
                          "--reference=ORIGINAL has";
  for (const ArtefactTensor &input : artefact.header.inputs)
    sides.roles.push_back(input.role);
  if (reference) {
    // What was compiled had the program around it taken off.
    if (failed(takeEntry(*reference, sides.entry)))
      return failure();
    sides.own.program = tileProgram(artefact, context);
    if (!sides.own.program)
      return failRun(file + ": expected a tile program in section 'tiles'");
    sides.splits = splitReductionsIn(*sides.own.program);
  }
  if (!options.placementReport.empty()) {
    sides.own.record = std::make_unique<ExecutionRecord>();
    if (Result<> error =
            placementFromJson(artefact.section(placementSection),
                              sides.own.placement, *sides.own.record);
        !error)
      return failRun(file + ": " + error.error().message);
  }
  auto loaded = LoadedFunction::load(std::move(artefact));
  if (!loaded)
    return failRun(file + ": " + loaded.error().message);
  if (sides.own.record)
    if (Result<> error = (*loaded)->noteExecutions(*sides.own.record); !error)
      return failRun(file + ": " + error.error().message);
  sides.own.function = std::move(*loaded);
  if (reference && failed(addReference(sides, std::move(reference), options)))
    return failure();
  return sides;
}

} // namespace npu
