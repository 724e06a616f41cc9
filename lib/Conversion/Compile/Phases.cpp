// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Conversion/Compile/Phases.h"

#include "llvm/ADT/STLExtras.h"

#include <array>

namespace npu {
namespace {

constexpr std::array phases = {
    CompilePhase::Start,    CompilePhase::Input,      CompilePhase::Padded,
    CompilePhase::Assigned, CompilePhase::Streamed,   CompilePhase::Legal,
    CompilePhase::Tiles,    CompilePhase::Scratchpad, CompilePhase::Llvm};

} // namespace

llvm::ArrayRef<CompilePhase> compilePhases() { return phases; }

llvm::StringRef nameOfPhase(CompilePhase phase) {
  switch (phase) {
  case CompilePhase::Start:
    return "start";
  case CompilePhase::Input:
    return "input";
  case CompilePhase::Padded:
    return "padded";
  case CompilePhase::Assigned:
    return "assigned";
  case CompilePhase::Streamed:
    return "streamed";
  case CompilePhase::Legal:
    return "legal";
  case CompilePhase::Tiles:
    return "tiles";
  case CompilePhase::Scratchpad:
    return "scratchpad";
  case CompilePhase::Llvm:
    return "llvm";
  }
  return "";
}

std::optional<CompilePhase> findPhase(llvm::StringRef name) {
  for (CompilePhase phase : phases)
    if (nameOfPhase(phase) == name)
      return phase;
  return std::nullopt;
}

std::string phaseNames(CompilePhase first) {
  std::string names;
  for (CompilePhase phase : phases)
    if (phase >= first)
      names += (names.empty() ? "" : ", ") + nameOfPhase(phase).str();
  return names;
}

} // namespace npu
