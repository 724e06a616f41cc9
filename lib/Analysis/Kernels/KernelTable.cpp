// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the table of kernels of a device comes from.

#include "npu/Analysis/Kernels/KernelTable.h"

#include "npu/Analysis/TargetOf.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Support/InputFiles.h"
#include "npu/Support/Naming.h"
#include "npu/Support/ParserLimits.h"

#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace npu {
namespace {

struct BuiltinTable {
  StringLiteral device;
  StringLiteral text;
};

constexpr BuiltinTable builtinTables[] = {
#include "Kernels/BuiltinTables.inc"
};

/// The table of a built-in device; null for other names.
FailureOr<KernelsAttr> builtinTable(MLIRContext *context, StringRef device) {
  for (const BuiltinTable &table : builtinTables) {
    if (table.device != device)
      continue;
    auto module = parseSourceString<ModuleOp>(table.text, context);
    auto described = module ? targetDescription(*module)
                            : FailureOr<std::optional<TargetDescription>>();
    if (failed(described))
      return failure();
    return (*described)->kernels;
  }
  return KernelsAttr();
}

} // namespace

FailureOr<KernelTable> KernelTable::of(ModuleOp module, StringRef target) {
  FailureOr<std::optional<TargetDescription>> described =
      targetDescription(module);
  if (failed(described) || failed(targetOf(module, target)))
    return failure();
  bool isOwn =
      *described && (target.empty() || (*described)->target.name == target);
  std::string name = isOwn ? (*described)->target.name : target.str();
  FailureOr<StorageRules> storage = StorageRules::of(module, target);
  if (failed(storage))
    return failure();
  if (isOwn && (*described)->kernels)
    return KernelTable((*described)->kernels, std::move(name),
                       std::move(*storage));
  using Base = TargetDescription::Base;
  std::string base = name;
  if (isOwn)
    base = (*described)->why == Base::Assumed ? "" : (*described)->base;
  FailureOr<KernelsAttr> builtin = builtinTable(module.getContext(), base);
  if (failed(builtin))
    return failure();
  return KernelTable(*builtin, std::move(name), std::move(*storage));
}

FailureOr<KernelsAttr> KernelTable::read(Location loc, StringRef whoAsks,
                                         StringRef file) {
  noteInput("the table of kernels", file.str());
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer)
    return emitError(loc) << whoAsks << ": cannot read kernels '" << file
                          << "': " << buffer.getError().message();
  llvm::MemoryBufferRef text = **buffer;
  MLIRContext *context = loc.getContext();
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  if (failed(checkText(text, context)))
    return failure();
  auto module = parseSourceFile<ModuleOp>(sources, context);
  if (!module)
    return failure();
  auto described = targetDescription(*module);
  if (failed(described))
    return failure();
  if (!*described || !(*described)->kernels)
    return emitError(module->getLoc())
           << "expected a module with a target description that has "
              "\"npu.kernels\", got none";
  return (*described)->kernels;
}

/// Whether tiles run `op`, or would: of a tile program, those that say so.
static bool isOnTiles(Operation *op) {
  return op->hasAttr(tileAttrName) ||
         llvm::any_of(op->getOperandTypes(), hasLayout) ||
         llvm::any_of(op->getResultTypes(), hasLayout);
}

LogicalResult verifyKernels(Operation *root, const KernelTable &table) {
  if (table.isEmpty())
    return success();
  WalkResult walk = root->walk([&](Operation *op) -> WalkResult {
    if (!isOnTiles(op) || isKeptOnHost(op) || !needsKernel(op))
      return WalkResult::advance();
    KernelAnswer answer = table.find(op);
    // Lowering puts parts together where tiles hold them in another way than
    // they read them: transfers, which need no kernel.
    bool isMadeByLowering =
        op->hasAttr(tileAttrName) && answer.structure == "movement";
    if (answer.isTaken || isMadeByLowering)
      return WalkResult::advance();
    return op->emitError() << "'" << op->getName() << "' has no kernel on "
                           << table.nameOfDevice() << ": " << answer.reason(op);
  });
  return failure(walk.wasInterrupted());
}

} // namespace npu
