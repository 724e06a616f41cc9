// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-reuse-buffers: lets elementwise operations write over an input in DDR
// that nothing uses later.

#include "BufferUses.h"
#include "ScratchpadBuffers.h"
#include "npu/Conversion/PlanScratchpad/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_REUSEBUFFERS
#include "npu/Conversion/PlanScratchpad/Passes.h.inc"

namespace {

class Reuse {
public:
  explicit Reuse(func::FuncOp function) : function(function), uses(function) {}

  void run() {
    // Decide everything first: what is known of uses is that of the function
    // as it is.
    for (auto op : function.getBody().getOps<linalg::LinalgOp>())
      for (OpOperand &output : op.getDpsInitsMutable())
        if (memref::AllocOp made = allocatedHere(output.get());
            made && uses.touched(made).first == uses.stepOf(op))
          findReused(op, output, made);
    for (auto [made, reused] : reuses) {
      Value buffer = reused;
      // The reused buffer may be one that another is reused for.
      if (auto other = current.find(buffer); other != current.end())
        buffer = other->second;
      current[made.getResult()] = buffer;
      made.replaceAllUsesWith(buffer);
      made.erase();
    }
  }

private:
  /// The allocation of a buffer in DDR by the function's body, which nothing
  /// frees yet; null for others.
  memref::AllocOp allocatedHere(Value buffer) {
    auto alloc = buffer.getDefiningOp<memref::AllocOp>();
    if (!alloc || tileOf(alloc.getType()) ||
        alloc->getParentOp() != function.getOperation() ||
        llvm::any_of(alloc->getUsers(), llvm::IsaPred<memref::DeallocOp>))
      return {};
    return alloc;
  }

  /// Finds an input that ends with `op`, which may write `output` over it.
  void findReused(linalg::LinalgOp op, OpOperand &output,
                  memref::AllocOp made) {
    for (OpOperand *input : op.getDpsInputOperands()) {
      memref::AllocOp other = allocatedHere(input->get());
      if (other && other.getType() == made.getType() &&
          uses.touched(other).last == uses.stepOf(op) &&
          uses.mayWriteOver(op, &output, other) &&
          taken.insert(other.getOperation()).second) {
        reuses.emplace_back(made, other);
        return;
      }
    }
  }

  func::FuncOp function;
  BufferUses uses;
  /// Buffers, and those that are used instead of them.
  SmallVector<std::pair<memref::AllocOp, Value>> reuses;
  llvm::SmallPtrSet<Operation *, 16> taken;
  /// For each buffer that is gone, what stands for it now.
  llvm::DenseMap<Value, Value> current;
};

struct ReuseBuffersPass : impl::ReuseBuffersBase<ReuseBuffersPass> {
  using ReuseBuffersBase::ReuseBuffersBase;

  void runOnOperation() override {
    getOperation()->walk([](func::FuncOp function) {
      if (!function.isExternal() && function.getBody().hasOneBlock())
        Reuse(function).run();
    });
  }
};

} // namespace
} // namespace npu
