// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BufferFlow.h"

#include "mlir/Dialect/Bufferization/IR/BufferViewFlowOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace npu {
namespace {

bool isBuffer(Value value) { return isa<BaseMemRefType>(value.getType()); }

/// Whether a value of this type may be a buffer: a call may give scalars beside
/// buffers.
bool mayCarryBuffer(Type type) {
  return !type.isIntOrIndexOrFloat() && !isa<ComplexType, VectorType>(type);
}

/// Whether upstream's analysis knows which results the operands flow to.
bool isFollowed(Operation *op) {
  if (isa<bufferization::BufferViewFlowOpInterface, BranchOpInterface,
          RegionBranchOpInterface, CallOpInterface>(op))
    return true;
  return isa<RegionBranchTerminatorOpInterface>(op) &&
         isa_and_nonnull<RegionBranchOpInterface>(op->getParentOp());
}

} // namespace

bool isFlowKnown(Operation *op) {
  if (isFollowed(op) || isa<ViewLikeOpInterface, memref::AllocOp,
                            memref::AllocaOp, memref::GetGlobalOp>(op))
    return true;
  return llvm::none_of(op->getResults(), isBuffer) &&
         llvm::all_of(op->getRegions(), [&](Region &region) {
           return isa<func::FuncOp>(op) ||
                  llvm::none_of(region.getArguments(), isBuffer);
         });
}

bool mayEscape(OpOperand &use) {
  Operation *op = use.getOwner();
  // Either the results are in the alias set, or these operations give no
  // buffers.
  if (isFollowed(op) ||
      isa<func::ReturnOp, linalg::LinalgOp, memref::DimOp, memref::RankOp>(op))
    return false;
  if (auto view = dyn_cast<ViewLikeOpInterface>(op);
      view && view.getViewSource() == use.get())
    return false;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects || isa<memref::ExtractAlignedPointerAsIndexOp>(op))
    return true;
  if (llvm::any_of(op->getResultTypes(), mayCarryBuffer))
    return true;
  // A view reads a shape operand without declaring so.
  if (isa<ViewLikeOpInterface>(op))
    return false;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  return llvm::none_of(instances,
                       [&](const MemoryEffects::EffectInstance &effect) {
                         return effect.getEffectValue<OpOperand *>() == &use ||
                                effect.getValue() == use.get();
                       });
}

llvm::SetVector<Value> BufferFlow::aliases(Value buffer) const {
  llvm::SetVector<Value> found;
  found.insert(buffer);
  for (size_t i = 0; i < found.size(); ++i) {
    if (auto next = known.find(found[i]); next != known.end())
      for (Value value : next->second)
        if (mayCarryBuffer(value.getType()))
          found.insert(value);
    for (OpOperand &use : found[i].getUses()) {
      Operation *user = use.getOwner();
      if (isFlowKnown(user) || !mayEscape(use))
        continue;
      for (Value result : user->getResults())
        if (isBuffer(result))
          found.insert(result);
      for (Region &region : user->getRegions())
        for (Value argument : region.getArguments())
          if (isBuffer(argument))
            found.insert(argument);
    }
  }
  return found;
}

} // namespace npu
