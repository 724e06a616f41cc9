// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An artefact as a side of a comparison.

#include "npu/Execution/Compare/RunSides.h"
#include "npu/Execution/Jit/ToExecutable.h"
#include "npu/Execution/Object/LoadedFunction.h"
#include "npu/Execution/Object/PlacementJson.h"

#include "mlir/Parser/Parser.h"

#include <fmt/format.h>

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
    return Error{fmt::format("expected a length from 1 to {} (--length=N or "
                             "--length=N..M)",
                             header.largestPrompt)};
  if (!options.lengths.names.empty())
    return Error{fmt::format("--length: expected one length for all prompts "
                             "of an artefact, got one of '{}'",
                             options.lengths.names.front())};
  if (!options.lengths.empty() &&
      options.lengths.largest(0) > header.largestPrompt)
    return Error{fmt::format("--length: expected at most {}, the largest "
                             "prompt of the artefact, got {}",
                             header.largestPrompt, options.lengths.largest(0))};
  return Success();
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
                                 MLIRContext &context,
                                 const RunOptions &options) {
  if (Result<> error = checkOptions(artefact.header, options); !error)
    return failRun(file + ": " + error.error().message);
  Sides sides;
  sides.entry = artefact.header.entry;
  sides.takesLength = artefact.header.largestPrompt > 0;
  sides.artefactInputs = artefact.header.inputs;
  sides.artefactResults = artefact.header.results;
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
  // The artefact has memory for its largest prompt, and so has the reference.
  RunOptions sameSize = options;
  if (sides.takesLength)
    sameSize.lengths.add(artefact.header.largestPrompt);
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
  if (reference && failed(addReference(sides, std::move(reference), sameSize)))
    return failure();
  return sides;
}

} // namespace npu
