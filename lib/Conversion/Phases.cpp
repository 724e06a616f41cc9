// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Conversion/Phases.h"

#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/TileProgram/TileProgram.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/STLExtras.h"

#include <array>

using namespace mlir;

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
  case CompilePhase::Freed:
    return "freed";
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

bool anyType(Operation *op, llvm::function_ref<bool(Type)> holds) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  return llvm::any_of(op->getOperandTypes(), holds) ||
         llvm::any_of(op->getResultTypes(), holds) ||
         (function && (llvm::any_of(function.getArgumentTypes(), holds) ||
                       llvm::any_of(function.getResultTypes(), holds)));
}

bool shows(Operation *op, CompilePhase phase) {
  switch (phase) {
  case CompilePhase::Legal:
    return isa<LayoutChangeOpInterface>(op) || anyType(op, hasLayout);
  case CompilePhase::Tiles:
    return isa<TransferOp>(op) || op->hasAttr(tilesAttrName) ||
           op->hasAttr(tileAttrName);
  case CompilePhase::Scratchpad: {
    auto function = dyn_cast<FunctionOpInterface>(op);
    return function && llvm::any_of(function.getArgumentTypes(),
                                    llvm::IsaPred<BaseMemRefType>);
  }
  default:
    return false;
  }
}

CompilePhase phaseOf(ModuleOp module) {
  CompilePhase latest = CompilePhase::Start;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (CompilePhase phase :
         {CompilePhase::Scratchpad, CompilePhase::Tiles, CompilePhase::Legal})
      if (phase > latest && shows(op, phase))
        latest = phase;
    // A function on buffers may still be of so many tiles.
    return latest == CompilePhase::Scratchpad ? WalkResult::interrupt()
                                              : WalkResult::advance();
  });
  return latest;
}

} // namespace npu
