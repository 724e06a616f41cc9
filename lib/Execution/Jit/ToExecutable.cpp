// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the phase of a module, and runs the passes that lead to an executable
// one.

#include "npu/Execution/Jit/ToExecutable.h"

#include "npu/Conversion/PlanScratchpad/Lowering.h"
#include "npu/Conversion/StripLayouts/Passes.h"
#include "npu/Conversion/Tosa/Pipeline.h"
#include "npu/Host/MemoryBudget.h"
#include "npu/Preprocess/Exports/Passes.h"
#include "npu/Support/RefusalKind.h"
#include "npu/TileProgram/TileProgram.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace npu {
/// "'a', 'b'": the functions of a module.
static std::string namesOf(ModuleOp module) {
  std::string names;
  for (auto function : module.getOps<func::FuncOp>())
    names += (names.empty() ? "'" : ", '") + function.getName().str() + "'";
  return names.empty() ? "no function at all" : names;
}

FailureOr<func::FuncOp> mainFunctionOf(ModuleOp module) {
  if (module.lookupSymbol<func::FuncOp>("main"))
    return findEntry(module, "main");
  SmallVector<func::FuncOp> bodies, visible;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    bodies.push_back(function);
    if (function.isPublic())
      visible.push_back(function);
  }
  if (visible.size() == 1)
    return visible.front();
  if (bodies.size() == 1)
    return bodies.front();
  return findEntry(module, "main");
}

FailureOr<func::FuncOp> findEntry(ModuleOp module, StringRef entry) {
  auto function = module.lookupSymbol<func::FuncOp>(entry);
  if (function && !function.isExternal())
    return function;
  if (function)
    return function.emitError()
           << "expected a function with a body, got a declaration of '" << entry
           << "'";
  return emitError(module.getLoc()) << "expected a function '" << entry
                                    << "' (--entry), got " << namesOf(module);
}

/// Whether the function, or what it calls, prints or calls a function without a
/// body.
static bool reachesProgram(func::FuncOp function) {
  SymbolTableCollection symbols;
  llvm::SetVector<Operation *> reached;
  reached.insert(function);
  for (size_t next = 0; next < reached.size(); ++next) {
    WalkResult walk = reached[next]->walk([&](Operation *op) {
      if (isa<vector::PrintOp>(op))
        return WalkResult::interrupt();
      auto call = dyn_cast<func::CallOp>(op);
      auto callee = call ? symbols.lookupNearestSymbolFrom<func::FuncOp>(
                               call, call.getCalleeAttr())
                         : nullptr;
      if (callee && callee.isExternal())
        return WalkResult::interrupt();
      if (callee)
        reached.insert(callee);
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return true;
  }
  return false;
}

static bool takesTensors(func::FuncOp function) {
  return llvm::any_of(function.getArgumentTypes(), [](Type type) {
    return isa<TensorType, BaseMemRefType>(type);
  });
}

/// The only public function that takes tensors, where a program stands around
/// it that may have a `main` without any; null where that is not so.
static func::FuncOp modelInProgram(ModuleOp module) {
  func::FuncOp model;
  bool hasProgram = false;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    hasProgram = hasProgram || reachesProgram(function);
    if (!function.isPublic() || !takesTensors(function))
      continue;
    if (model || function.getName() == "main")
      return nullptr;
    model = function;
  }
  return hasProgram ? model : nullptr;
}

FailureOr<func::FuncOp> takeEntry(ModuleOp module, StringRef entry) {
  FailureOr<func::FuncOp> function = failure();
  if (!entry.empty())
    function = findEntry(module, entry);
  else if (func::FuncOp model = modelInProgram(module))
    function = model;
  else
    function = mainFunctionOf(module);
  if (failed(function))
    return failure();
  if (!reachesProgram(*function))
    return function;
  std::string name = function->getName().str();
  IsolateComputationOptions kept;
  kept.function = name;
  PassManager passes(module.getContext());
  passes.addPass(createIsolateComputation(kept));
  if (failed(passes.run(module)))
    return failure();
  return findEntry(module, name);
}

/// Refuses what TOSA declares beside functions. Its users name it by a text,
/// which the pass that keeps what is reached does not follow.
static LogicalResult verifyNoTosaState(ModuleOp module) {
  for (Operation &op : module.getOps())
    if (isa_and_nonnull<tosa::TosaDialect>(op.getDialect())) {
      InFlightDiagnostic error = mlir::emitError(op.getLoc());
      error << "'" << op.getName() << "' is TOSA, which was not lowered";
      mark(error, RefusalKind::TosaNotLowered);
      error.attachNote() << whatHelpsInsteadOf(&op);
      return error;
    }
  return success();
}

LogicalResult keepReachable(ModuleOp module, func::FuncOp entry) {
  if (failed(verifyNoTosaState(module)))
    return failure();
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

/// Refuses a constant whose data the module does not have.
static LogicalResult checkConstant(Operation *op,
                                   DenseResourceElementsAttr constant) {
  DenseResourceElementsHandle handle = constant.getRawHandle();
  AsmResourceBlob *blob = handle.getBlob();
  if (!blob)
    return op->emitOpError()
           << "expected the data of dense_resource<" << handle.getKey()
           << ">, got no blob of that name in the file's dialect_resources "
              "(constants are left out where a file is printed with "
              "--mlir-elide-resource-strings-if-larger or "
              "--mlir-elide-elementsattrs-if-larger)";
  Type element = constant.getElementType();
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth()
                                        : elementBits(element).value_or(0);
  // Booleans are written in more than one way.
  if (!constant.getType().hasStaticShape() || (bits < 8 && !isPacked(element)))
    return success();
  ByteSum needed;
  if (isPacked(element))
    needed.add(1, *bufferBytes(element, constant.getType().getShape()));
  else
    needed.add(llvm::divideCeil(bits, 8), constant.getNumElements());
  if (static_cast<int64_t>(blob->getData().size()) == needed.total())
    return success();
  return op->emitOpError() << "expected " << needed.total()
                           << " bytes of data in dense_resource<"
                           << handle.getKey() << "> for " << constant.getType()
                           << ", got " << blob->getData().size();
}

LogicalResult checkConstants(ModuleOp module) {
  WalkResult walk = module.walk([](Operation *op) -> WalkResult {
    for (NamedAttribute attr : op->getAttrs())
      if (auto constant = dyn_cast<DenseResourceElementsAttr>(attr.getValue()))
        if (failed(checkConstant(op, constant)))
          return failure();
    return success();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult toReference(ModuleOp module) {
  if (phaseOf(module) == CompilePhase::Scratchpad)
    return success();
  PassManager passes(module.getContext());
  passes.addPass(createStripLayouts());
  return passes.run(module);
}

LogicalResult toExecutable(ModuleOp module) {
  PassManager passes(module.getContext());
  buildLowering(passes, phaseOf(module), CompilePhase::Tiles);
  return passes.run(module);
}

} // namespace npu
