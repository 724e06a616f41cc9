// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies operations that only hand tensors on: control flow, calls, types
// that contain other types. The lowering gives every distributed tensor one
// value per tile, and must know each operation that such a tensor passes
// through. Operations that compute are not checked here: those that cannot be
// cut fall back to the host.

#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Dialect/NPU/Transforms/Verify/VerifyDistributions.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Interfaces/EntryReadOpInterface.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Support/Naming.h"

#include "mlir/Analysis/CallGraph.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/RegionGraphTraits.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SCCIterator.h"

using namespace mlir;

namespace npu {
namespace {

/// Whether a type contains a layout without having it as encoding: a function
/// type or a tuple.
bool hidesLayout(Type type) {
  return !hasLayout(type) &&
         type.walk([](LayoutAttr) { return WalkResult::interrupt(); })
             .wasInterrupted();
}

/// Whether `op` is control flow of which every tile runs its own copy.
bool runsOnEveryTile(Operation *op) {
  if (auto region = dyn_cast<scf::ExecuteRegionOp>(op))
    return region.getRegion().hasOneBlock();
  return isa<scf::IfOp, scf::ForOp, scf::WhileOp, scf::IndexSwitchOp,
             FunctionOpInterface>(op);
}

/// Whether tensors with layouts go into the operation's regions as arguments,
/// or come out of them.
bool handsOnLayouts(Operation *op) {
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    if (llvm::any_of(region.front().getArgumentTypes(), hasLayout))
      return true;
    for (Block &block : region)
      if (block.mightHaveTerminator() &&
          llvm::any_of(block.getTerminator()->getOperandTypes(), hasLayout))
        return true;
  }
  return isa<RegionBranchOpInterface>(op) &&
         (llvm::any_of(op->getOperandTypes(), hasLayout) ||
          llvm::any_of(op->getResultTypes(), hasLayout));
}

/// Verifies that elements have a known size, because transfers are counted in
/// bytes.
LogicalResult verifyElements(Value value, Location loc) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !isDistributed(type) || elementBits(type.getElementType()))
    return success();
  return mlir::emitError(loc)
         << "expected elements of a known size on tiles, got "
         << type.getElementType() << " in " << nameOf(value);
}

LogicalResult verifyTypes(Operation *op) {
  for (Value result : op->getResults())
    if (failed(verifyElements(result, op->getLoc())))
      return failure();
  for (Region &region : op->getRegions())
    for (BlockArgument argument : region.getArguments())
      if (failed(verifyElements(argument, argument.getLoc())))
        return failure();
  for (OpResult result : op->getResults())
    if (hidesLayout(result.getType()))
      return mlir::emitError(op->getLoc())
             << "expected layouts on tensors only, got one inside the type of "
                "result #"
             << result.getResultNumber() << " of '" << op->getName()
             << "': " << result.getType();
  for (Region &region : op->getRegions())
    for (BlockArgument argument : region.getArguments())
      if (hidesLayout(argument.getType()))
        return mlir::emitError(argument.getLoc())
               << "expected layouts on tensors only, got one inside the type "
                  "of "
               << nameOf(argument) << ": " << argument.getType();
  return success();
}

bool worksOnTiles(Operation *root) {
  return root
      ->walk([](Operation *op) {
        bool onTiles = llvm::any_of(op->getOperandTypes(), isDistributed) ||
                       llvm::any_of(op->getResultTypes(), isDistributed);
        return onTiles ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Verifies that a branch is one of the two kinds that bufferization follows.
LogicalResult verifyBranch(Operation *branch) {
  if (isa<cf::BranchOp, cf::CondBranchOp>(branch) ||
      branch->getNumSuccessors() == 0)
    return success();
  return mlir::emitError(branch->getLoc())
         << "expected only cf.br and cf.cond_br to lead to blocks where tiles "
            "work, got '"
         << branch->getName() << "'";
}

/// Verifies the branches of a region: all of them lead forward.
LogicalResult verifyBranches(Operation *op) {
  for (Region &region : op->getRegions()) {
    if (region.empty() || region.hasOneBlock() || !worksOnTiles(op))
      continue;
    for (Block &block : region)
      if (block.mightHaveTerminator() &&
          failed(verifyBranch(block.getTerminator())))
        return failure();
    for (auto it = llvm::scc_begin(&region); !it.isAtEnd(); ++it)
      if (it.hasCycle())
        return mlir::emitError(it->front()->getTerminator()->getLoc())
               << "expected loops around distributed tensors to be scf.for or "
                  "scf.while, got branches that lead back, in '"
               << nameOfFunction(op) << "'";
  }
  return success();
}

/// Verifies operations in the region of an operation that computes, which runs
/// once for each entry.
LogicalResult verifyInsideOfRegion(Operation *op) {
  Operation *parent = op->getParentOp();
  bool touches = llvm::any_of(op->getOperandTypes(), hasLayout) ||
                 llvm::any_of(op->getResultTypes(), hasLayout);
  if (!touches || !parent || isa<ModuleOp>(parent) || runsOnEveryTile(parent) ||
      isa<scf::ExecuteRegionOp>(op) || asksForShapeOnly(op) ||
      modelOf<EntryReadOpInterface>(op) || isa<scf::ExecuteRegionOp>(parent))
    return success();
  return mlir::emitError(op->getLoc())
         << "expected nothing but reads of single entries of distributed "
            "tensors in the region of '"
         << parent->getName() << "', got '" << op->getName() << "'";
}

LogicalResult verifyOperation(Operation *op) {
  if (failed(verifyBranches(op)) || failed(verifyInsideOfRegion(op)))
    return failure();
  if (isa<CallOpInterface>(op) && !isa<func::CallOp>(op) &&
      (llvm::any_of(op->getOperandTypes(), hasLayout) ||
       llvm::any_of(op->getResultTypes(), hasLayout)))
    return mlir::emitError(op->getLoc())
           << "expected 'func.call' where distributed tensors are handed to a "
              "function, got '"
           << op->getName() << "'";
  if (!runsOnEveryTile(op) && handsOnLayouts(op))
    return mlir::emitError(op->getLoc())
           << "expected distributed tensors to pass through scf.if, scf.for, "
              "scf.while, scf.index_switch and branches only, got '"
           << op->getName() << "'"
           << (isa<scf::ExecuteRegionOp>(op) ? " of several blocks" : "");
  return success();
}

/// Verifies calls: every call has its own place in the scratchpads, so that
/// functions are called by name and not recursively.
LogicalResult verifyCalls(ModuleOp module) {
  CallGraph graph(module);
  const CallGraph *entry = &graph;
  llvm::SmallPtrSet<Operation *, 8> onTiles;
  for (auto it = llvm::scc_begin(entry); !it.isAtEnd(); ++it) {
    SmallVector<Operation *> functions;
    bool any = false;
    for (CallGraphNode *node : *it) {
      if (node->isExternal())
        continue;
      Operation *function = node->getCallableRegion()->getParentOp();
      functions.push_back(function);
      any |= worksOnTiles(function);
      for (const CallGraphNode::Edge &edge : *node)
        any |= !edge.getTarget()->isExternal() &&
               onTiles.contains(
                   edge.getTarget()->getCallableRegion()->getParentOp());
    }
    if (any && it.hasCycle() && !functions.empty())
      return mlir::emitError(functions.front()->getLoc())
             << "expected no recursion where tiles work, got a function that "
                "calls itself: '"
             << nameOfFunction(functions.front()) << "'";
    if (any)
      onTiles.insert_range(functions);
  }
  SymbolTableCollection symbols;
  WalkResult walk = module.walk([&](func::ConstantOp op) -> WalkResult {
    Operation *function =
        symbols.lookupNearestSymbolFrom(op, op.getValueAttr());
    if (!onTiles.contains(function))
      return WalkResult::advance();
    return mlir::emitError(op.getLoc())
           << "expected only calls of '" << op.getValue()
           << "', which works on tiles, got '" << op->getName() << "'";
  });
  return success(!walk.wasInterrupted());
}

} // namespace

LogicalResult verifyCarriers(Operation *root) {
  // Report only the first error: errors inside of an operation, and of callees,
  // follow from it.
  auto all = [&](auto verify) {
    return success(!root->walk<WalkOrder::PreOrder>([&](Operation *op) {
                          return WalkResult(verify(op));
                        })
                        .wasInterrupted());
  };
  if (failed(all(verifyOperation)) || failed(all(verifyTypes)))
    return failure();
  auto module = dyn_cast<ModuleOp>(root);
  return success(!module || succeeded(verifyCalls(module)));
}

} // namespace npu
