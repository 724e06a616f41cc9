// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-locate-bodies: locates operations in regions, so that diagnostics of a
// lowering name a line of the program.

#include "npu/Conversion/ToLLVM/Passes.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_LOCATEBODIES
#include "npu/Conversion/ToLLVM/Passes.h.inc"

namespace {

struct LocateBodiesPass : impl::LocateBodiesBase<LocateBodiesPass> {
  using LocateBodiesBase::LocateBodiesBase;

  void runOnOperation() override {
    getOperation()->walk<WalkOrder::PreOrder>([](Operation *op) {
      if (Operation *parent = op->getParentOp();
          parent && isa<UnknownLoc>(op->getLoc()))
        op->setLoc(parent->getLoc());
    });
  }
};

} // namespace
} // namespace npu
