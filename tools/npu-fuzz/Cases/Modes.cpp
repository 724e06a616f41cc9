// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Cases/Modes.h"

namespace npu {
namespace {

template <FunctionFor what>
MadeFunction make(uint64_t seed, uint64_t number) {
  return randomFunction(seed, number, what);
}

/// Two of three cases with a prompt test regions.
MadeFunction makePrompt(uint64_t seed, uint64_t number) {
  return number % 3 == 0 ? make<FunctionFor::Prompts>(seed, number)
                         : randomPromptBodies(seed, number);
}
CaseResult runPrompt(const MadeFunction &function, const CaseOptions &options) {
  return function.prompt ? runBodyCase(function, options)
                         : runFunctionCase(function, options);
}
constexpr ModeRow kRows[] = {
    {CaseMode::Functions, "", "", make<FunctionFor::Functions>,
     runFunctionCase},
    {CaseMode::Prompt, "prompt",
     "Functions have prompt dimensions, which are padded with poison first",
     makePrompt, runPrompt},
    {CaseMode::Prefill, "prefill",
     "Functions have rows and a cache, and are run in chunks",
     randomPrefillBodies, runBodyCase},
    {CaseMode::Imported, "imported",
     "Functions are imported from ONNX graphs with prompts, which are padded "
     "with poison first",
     randomImportedPrompts, runBodyCase},
    {CaseMode::Assign, "assign",
     "Functions have few layouts or none, and are assigned them for a random "
     "device; their reports are checked",
     make<FunctionFor::Assignments>, runAssignCase},
    {CaseMode::Hetero, "hetero",
     "Functions are assigned layouts for a random device without some kernels, "
     "whose host runs the rest; their reports are checked",
     make<FunctionFor::Hetero>, runAssignCase},
    {CaseMode::Scratchpads, "scratchpads",
     "Functions are assigned layouts for scratchpads of many sizes, to compare "
     "what is accepted with what buffers take",
     make<FunctionFor::Assignments>, runScratchpadCase},
    {CaseMode::Tosa, "tosa",
     "Functions are graphs of TOSA, which npu-compile takes to layouts for a "
     "random device",
     make<FunctionFor::Tosa>, runFunctionCase},
    {CaseMode::TileEdits, "tile-edits",
     "Tile programs of functions get one random edit each, which is refused or "
     "changes no result",
     make<FunctionFor::Functions>, runFunctionCase},
    {CaseMode::Plans, "plans",
     "Check redistribution plans of random pairs of placements, without "
     "running",
     nullptr, nullptr},
};

} // namespace

std::span<const ModeRow> modeRows() { return kRows; }

} // namespace npu
