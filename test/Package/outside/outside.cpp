// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the dialect, legalizes a cast and prints what became of it.

#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/Transforms/Legalize/Passes.h"
#include "npu/ExternalModels/RegisterAll.h"
#include "npu/Tools/Version.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

static constexpr const char *text = R"(
  #heads = #npu.layout<SEGMENTED, tiles = [1, 4, 1]>
  #rows = #npu.layout<OVERLAPPED, tiles = [1, 4, 1]>
  func.func @f(%a: tensor<1x28x8xf16, #heads>) -> tensor<1x28x8xf16, #rows> {
    %b = npu.permute_cast %a mem_perm = [0, 1, 2]
        : tensor<1x28x8xf16, #heads> to tensor<1x28x8xf16, #rows>
    return %b : tensor<1x28x8xf16, #rows>
  })";

int main() {
  mlir::DialectRegistry registry;
  npu::registerDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return 1;
  mlir::PassManager passes(&context);
  passes.addPass(npu::createLegalizeDistributions());
  if (mlir::failed(passes.run(*module)))
    return 1;
  int casts = 0;
  module->walk([&](npu::DistributionCastOp) { ++casts; });
  llvm::outs() << "Tilewright " << npu::version() << ": " << casts
               << " distribution_cast\n";
  return casts == 1 ? 0 : 1;
}
