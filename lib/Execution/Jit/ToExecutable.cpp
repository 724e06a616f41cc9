// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the phase of a module, and runs the passes that lead to an executable
// one.

#include "npu/Execution/Jit/ToExecutable.h"

#include "npu/Conversion/LowerToTiles/Passes.h"
#include "npu/Conversion/StripLayouts/Passes.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/TileProgram/TileProgram.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace npu {
namespace {

bool anyHasLayout(TypeRange types) { return llvm::any_of(types, hasLayout); }

/// Whether an operation has types with layouts, or is one that needs layouts.
bool usesLayouts(Operation *op) {
  if (isa<PermuteCastOp, DistributionCastOp, RedistributeOp>(op) ||
      anyHasLayout(op->getOperandTypes()) || anyHasLayout(op->getResultTypes()))
    return true;
  if (auto function = dyn_cast<func::FuncOp>(op))
    return anyHasLayout(function.getArgumentTypes()) ||
           anyHasLayout(function.getResultTypes());
  return false;
}

/// Whether the function has a memref argument, which none has before
/// bufferization.
bool hasBuffer(func::FuncOp function) {
  return llvm::any_of(function.getArgumentTypes(),
                      [](Type type) { return isa<BaseMemRefType>(type); });
}

} // namespace

Phase phaseOf(ModuleOp module) {
  Phase phase = Phase::Plain;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    // A function on buffers may still have `npu.tiles`.
    if (auto function = dyn_cast<func::FuncOp>(op);
        function && hasBuffer(function)) {
      phase = Phase::Buffers;
      return WalkResult::interrupt();
    }
    if (isa<TransferOp>(op) || op->hasAttr(tilesAttrName)) {
      phase = Phase::TileProgram;
      return WalkResult::interrupt();
    }
    if (phase == Phase::Plain && usesLayouts(op))
      phase = Phase::Layouts;
    return WalkResult::advance();
  });
  return phase;
}

FailureOr<func::FuncOp> findEntry(ModuleOp module, StringRef entry) {
  auto function = module.lookupSymbol<func::FuncOp>(entry);
  if (function && !function.isExternal())
    return function;
  if (function)
    return function.emitError()
           << "expected a function with a body, got a declaration of '" << entry
           << "'";
  std::string names;
  for (auto other : module.getOps<func::FuncOp>())
    names += (names.empty() ? "'" : ", '") + other.getName().str() + "'";
  return emitError(module.getLoc())
         << "expected a function '" << entry << "' (--entry), got "
         << (names.empty() ? "no function at all" : names);
}

LogicalResult keepReachable(ModuleOp module, func::FuncOp entry) {
  for (auto function : module.getOps<func::FuncOp>())
    function.setVisibility(function == entry
                               ? SymbolTable::Visibility::Public
                               : SymbolTable::Visibility::Private);
  PassManager passes(module.getContext());
  passes.addPass(createSymbolDCEPass());
  if (failed(passes.run(module)))
    return failure();
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isExternal())
      return function.emitError()
             << "expected a function with a body, got a declaration of '"
             << function.getName() << "', which '" << entry.getName()
             << "' reaches";
  return success();
}

LogicalResult toReference(ModuleOp module) {
  if (phaseOf(module) == Phase::Buffers)
    return success();
  PassManager passes(module.getContext());
  passes.addPass(createStripLayouts());
  return passes.run(module);
}

LogicalResult toExecutable(ModuleOp module) {
  if (phaseOf(module) != Phase::Layouts)
    return success();
  PassManager passes(module.getContext());
  passes.addPass(createLowerToTiles());
  return passes.run(module);
}

} // namespace npu
