// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-vectorize-loops: lowers structured operations to loops over vectors, in
// which every element of a result is computed by the same operations in the
// same order as by upstream's loops over scalars.
//
// Upstream's vectorizer serves other users: it makes contractions of fused
// multiply-adds, and reductions of several partial sums, and either changes
// bits. Here a vector holds elements of a result, so that each of its lanes is
// one sum in its order. The shape of the loops is that of Goto and van de
// Geijn, "Anatomy of High-Performance Matrix Multiplication" (ACM TOMS 34:3,
// 2008): some rows of vectors are accumulated in registers while the reduction
// runs, and what rows share is copied into a panel that stays in a cache.

#include "npu/Conversion/ToLLVM/Passes.h"

#include "LoopPlan.h"
#include "VectorLoops.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_VECTORIZELOOPS
#include "npu/Conversion/ToLLVM/Passes.h.inc"

namespace {

struct VectorizeLoopsPass : impl::VectorizeLoopsBase<VectorizeLoopsPass> {
  using VectorizeLoopsBase::VectorizeLoopsBase;

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> structured;
    getOperation()->walk(
        [&](linalg::LinalgOp op) { structured.push_back(op); });
    for (linalg::LinalgOp op : structured)
      if (std::optional<LoopPlan> plan = planLoops(op, fewestSteps)) {
        buildVectorLoops(op, *plan);
        op.erase();
      }
  }
};

} // namespace
} // namespace npu
