// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How passes of the dialect reach the lowering, which stands above them.

#ifndef NPU_DIALECT_NPU_IR_SCRATCHPADLOWERING_H
#define NPU_DIALECT_NPU_IR_SCRATCHPADLOWERING_H

#include "mlir/IR/DialectInterface.h"
#include "mlir/Pass/PassManager.h"

namespace npu {

/// Adds the passes from legal IR to planned scratchpads, so that an assignment
/// of layouts can be measured as the program that it becomes.
/// `registerLoweringInterfaces` gives the npu dialect its only implementation;
/// a context without it cannot measure.
class ScratchpadLowering
    : public mlir::DialectInterface::Base<ScratchpadLowering> {
public:
  explicit ScratchpadLowering(mlir::Dialect *dialect) : Base(dialect) {}

  virtual void build(mlir::OpPassManager &passes) const = 0;
};

} // namespace npu

#endif // NPU_DIALECT_NPU_IR_SCRATCHPADLOWERING_H
