// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-opt: mlir-opt with this project's dialect and passes.

#include "PassesInHelp.h"
#include "VerifyOnce.h"
#include "npu/ExternalModels/RegisterAll.h"
#include "npu/InitAllPasses.h"
#include "npu/Tools/Mains.h"

#include "mlir/Dialect/Async/IR/Async.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

/// Opens the files and runs upstream's main on them, under a configuration of
/// this project.
static LogicalResult run(llvm::StringRef inputName, llvm::StringRef outputName,
                         DialectRegistry &registry) {
  auto config = MlirOptMainConfig::createFromCLOptions();
  npu::verifyOnce(config);
  // These two options print a list and read no input.
  if (config.shouldShowDialects() || config.shouldListPasses())
    return MlirOptMain(llvm::outs(), nullptr, registry, config);

  if (inputName == "-" && llvm::sys::Process::StandardInIsUserInput())
    llvm::errs() << "(processing input from stdin now, hit ctrl-c/ctrl-d to "
                    "interrupt)\n";
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputName, &error);
  std::unique_ptr<llvm::ToolOutputFile> output =
      input ? openOutputFile(outputName, &error) : nullptr;
  if (!output) {
    llvm::errs() << error << "\n";
    return failure();
  }
  if (failed(MlirOptMain(output->os(), std::move(input), registry, config)))
    return failure();
  output->keep();
  return success();
}

int npu::optMain(int argc, char **argv, RegisterMore more) {
  // libLLVM registers hundreds of flags of its own; --help-hidden shows them.
  for (auto &option : llvm::cl::getRegisteredOptions())
    option.second->setHiddenFlag(llvm::cl::Hidden);

  mlir::DialectRegistry registry;
  npu::registerDialects(registry);
  // Dialects that npu-run-tiles-in-parallel and npu-to-llvm produce.
  registry.insert<mlir::async::AsyncDialect, mlir::LLVM::LLVMDialect>();
  npu::registerTilesToLLVMInterfaces(registry);
  more(registry);
  npu::registerAllPasses();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerInlinerPass();
  mlir::registerSymbolDCEPass();
  mlir::registerStripDebugInfoPass();

  std::string upstream = mlir::registerCLIOptions("", registry);
  auto [inputName, outputName] = mlir::parseCLIOptions(
      argc, argv,
      npu::passesFirst("Tilewright: distributions of tensors over NPU tiles") +
          upstream);
  llvm::InitLLVM initialized(argc, argv);
  return mlir::asMainReturnCode(run(inputName, outputName, registry));
}
