// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Execution/Object/EmitObject.h"

#include "npu/Artefact/CodeNeeds.h"
#include "npu/Execution/Jit/MachineLayout.h"

#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;

namespace npu {
namespace {

LogicalResult fail(ModuleOp module, llvm::Error error) {
  return module.emitError() << "cannot be compiled to object code: "
                            << llvm::toString(std::move(error));
}

/// Adds a function that takes one array of pointers and calls the C interface
/// with them.
void addEntry(llvm::Module &module, llvm::Function *interface) {
  llvm::LLVMContext &context = module.getContext();
  llvm::IRBuilder<> builder(context);
  auto *pointer = builder.getPtrTy();
  auto *type = llvm::FunctionType::get(builder.getVoidTy(), {pointer},
                                       /*isVarArg=*/false);
  auto *entry = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage,
                                       StringRef(objectEntry), module);
  builder.SetInsertPoint(llvm::BasicBlock::Create(context, "", entry));
  SmallVector<llvm::Value *> arguments;
  for (unsigned i = 0; i < interface->arg_size(); ++i) {
    llvm::Value *place =
        builder.CreateConstInBoundsGEP1_64(pointer, entry->getArg(0), i);
    llvm::Value *argument = builder.CreateLoad(pointer, place);
    arguments.push_back(builder.CreateLoad(pointer, argument));
  }
  builder.CreateCall(interface, arguments);
  builder.CreateRetVoid();
}

/// Adds what the code needs, as a constant that is found by its symbol.
void addNeeds(llvm::Module &module, StringRef needs) {
  llvm::Constant *text =
      llvm::ConstantDataArray::getString(module.getContext(), needs);
  // The module owns it.
  new llvm::GlobalVariable(module, text->getType(), /*isConstant=*/true,
                           llvm::GlobalValue::ExternalLinkage, text,
                           StringRef(needsSymbol));
}

FailureOr<std::unique_ptr<llvm::TargetMachine>>
machineFor(ModuleOp module, llvm::CodeGenOptLevel level) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return fail(module, builder.takeError());
  builder->setCodeGenOptLevel(level);
  // Code and data may lie anywhere in the process that loads them.
  builder->setRelocationModel(llvm::Reloc::PIC_);
  auto machine = builder->createTargetMachine();
  if (!machine)
    return fail(module, machine.takeError());
  return std::move(*machine);
}

} // namespace

HostMachine thisMachine() {
  HostMachine host;
  host.triple = llvm::sys::getProcessTriple();
  host.processor = llvm::sys::getHostCPUName().str();
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    if (feature.second)
      host.features.push_back(feature.first().str());
  llvm::sort(host.features);
  return host;
}

FailureOr<std::string> emitObject(ModuleOp module, StringRef entry,
                                  unsigned optLevel, StringRef needs) {
  auto machine =
      machineFor(module, static_cast<llvm::CodeGenOptLevel>(optLevel));
  if (failed(machine))
    return failure();
  setMachineLayout(module, **machine);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(module, context, "npu");
  if (!code)
    return module.emitError("cannot be compiled to object code");
  code->setTargetTriple((*machine)->getTargetTriple());
  llvm::Function *interface =
      code->getFunction(("_mlir_ciface_" + entry).str());
  if (!interface)
    return module.emitError() << "expected a C interface of '" << entry << "'";
  addEntry(*code, interface);
  addNeeds(*code, needs);
  auto optimize = makeOptimizingTransformer(optLevel, 0, machine->get());
  if (llvm::Error error = optimize(code.get()))
    return fail(module, std::move(error));
  SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, out, nullptr,
                                      llvm::CodeGenFileType::ObjectFile))
    return module.emitError("this machine's target emits no object code");
  passes.run(*code);
  return std::string(bytes.begin(), bytes.end());
}

} // namespace npu
