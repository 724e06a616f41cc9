// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Execution/Jit/MachineLayout.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

namespace npu {

void setMachineLayout(ModuleOp module, const llvm::TargetMachine &machine) {
  module->setAttr(
      LLVM::LLVMDialect::getDataLayoutAttrName(),
      StringAttr::get(module.getContext(),
                      machine.createDataLayout().getStringRepresentation()));
}

} // namespace npu
