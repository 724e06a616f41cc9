// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-merge-equal-operations: computes and reads once what is computed and read
// twice, in time that is linear in the operations.

#include "npu/Conversion/ToLLVM/Passes.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/ScopedHashTable.h"
#include "llvm/Support/GenericDomTree.h"

#include <memory>

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_MERGEEQUALOPERATIONS
#include "npu/Conversion/ToLLVM/Passes.h.inc"

namespace {

/// Operations are equal where their operands are the same values.
struct EqualOperations : llvm::DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *op) {
    return OperationEquivalence::computeHash(
        const_cast<Operation *>(op), OperationEquivalence::directHashValue,
        OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations);
  }
  static bool isEqual(const Operation *one, const Operation *other) {
    if (one == other)
      return true;
    for (const Operation *key : {getEmptyKey(), getTombstoneKey()})
      if (one == key || other == key)
        return false;
    return OperationEquivalence::isEquivalentTo(
        const_cast<Operation *>(one), const_cast<Operation *>(other),
        OperationEquivalence::IgnoreLocations);
  }
};

/// An operation, and how many writes stand before it in its block.
struct Known {
  Operation *op = nullptr;
  uint64_t writes = 0;
};

using KnownOperations =
    llvm::ScopedHashTable<Operation *, Known, EqualOperations>;

/// Whether an operation does nothing with memory but read it.
bool onlyReads(Operation *op) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  return effects && effects.onlyHasEffect<MemoryEffects::Read>();
}

void mergeInBlock(Block &block, KnownOperations &known) {
  uint64_t writes = 0;
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    // What is inside of an operation is left as it is.
    bool isPure = op.getNumRegions() == 0 && isMemoryEffectFree(&op);
    bool isRead = op.getNumRegions() == 0 && !isPure && onlyReads(&op);
    if (!isPure && !isRead) {
      ++writes;
      continue;
    }
    Known earlier = known.lookup(&op);
    // Between two reads of other blocks, anything may have been written.
    if (earlier.op && (isPure || (earlier.op->getBlock() == &block &&
                                  earlier.writes == writes))) {
      op.replaceAllUsesWith(earlier.op);
      op.erase();
      continue;
    }
    known.insert(&op, {&op, writes});
  }
}

/// A block whose operations are known in the blocks that it dominates.
struct OpenBlock {
  OpenBlock(DominanceInfoNode *node, KnownOperations &known)
      : scope(known), next(node->begin()), end(node->end()) {}

  KnownOperations::ScopeTy scope;
  DominanceInfoNode::const_iterator next, end;
};

void mergeInRegion(Region &region, DominanceInfo &dominance) {
  KnownOperations known;
  if (region.hasOneBlock()) {
    KnownOperations::ScopeTy scope(known);
    return mergeInBlock(region.front(), known);
  }
  // Scopes close in the reverse of their order.
  std::vector<std::unique_ptr<OpenBlock>> open;
  auto enter = [&](DominanceInfoNode *node) {
    open.push_back(std::make_unique<OpenBlock>(node, known));
    mergeInBlock(*node->getBlock(), known);
  };
  enter(dominance.getRootNode(&region));
  while (!open.empty()) {
    OpenBlock &last = *open.back();
    if (last.next == last.end)
      open.pop_back();
    else
      enter(*last.next++);
  }
}

struct MergeEqualOperationsPass
    : impl::MergeEqualOperationsBase<MergeEqualOperationsPass> {
  using MergeEqualOperationsBase::MergeEqualOperationsBase;

  void runOnOperation() override {
    auto &dominance = getAnalysis<DominanceInfo>();
    getOperation()->walk([&](FunctionOpInterface function) {
      if (!function.isExternal())
        mergeInRegion(function.getFunctionBody(), dominance);
    });
    markAnalysesPreserved<DominanceInfo, PostDominanceInfo>();
  }
};

} // namespace
} // namespace npu
