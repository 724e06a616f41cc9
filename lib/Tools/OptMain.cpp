// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mlir-opt on this project's dialect and passes.

#include "npu/ExternalModels/RegisterAll.h"
#include "npu/InitAllPasses.h"
#include "npu/Tools/Mains.h"

#include "mlir/Dialect/Async/IR/Async.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"

int npu::optMain(int argc, char **argv, RegisterMore more) {
  // libLLVM registers hundreds of flags of its own; --help-hidden shows them.
  for (auto &option : llvm::cl::getRegisteredOptions())
    option.second->setHiddenFlag(llvm::cl::Hidden);

  mlir::DialectRegistry registry;
  npu::registerDialects(registry);
  // What comes out of npu-run-tiles-in-parallel and npu-to-llvm.
  registry.insert<mlir::async::AsyncDialect, mlir::LLVM::LLVMDialect>();
  npu::registerTilesToLLVMInterfaces(registry);
  more(registry);
  npu::registerAllPasses();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerInlinerPass();
  mlir::registerSymbolDCEPass();
  mlir::registerStripDebugInfoPass();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Tilewright: distributions of tensors over NPU tiles\n",
      registry));
}
