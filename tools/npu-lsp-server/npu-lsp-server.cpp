// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The language server: editors get completion, hover texts and diagnostics for
// files with this dialect.

#include "npu/ExternalModels/RegisterAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  npu::registerDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
