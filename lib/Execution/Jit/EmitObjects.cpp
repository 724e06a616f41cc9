// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Execution/Jit/EmitObjects.h"

#include "npu/Artefact/CodeNeeds.h"
#include "npu/Execution/Jit/MachineLayout.h"
#include "npu/Execution/Jit/SplitProgram.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"

#include <array>
#include <mutex>
#include <optional>

using namespace mlir;

namespace npu {
namespace {

LogicalResult fail(ModuleOp module, llvm::Error error) {
  return module.emitError() << "cannot be compiled to object code: "
                            << llvm::toString(std::move(error));
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

/// The code model of an object file. In the small one an instruction reaches
/// code and data of its own object file within 2 GB of it, and all others by
/// tables that the linker makes; the fast instruction selection knows calls in
/// this one only. Constants that are larger than half of that take the large
/// one.
llvm::CodeModel::Model codeModelOf(const llvm::Module &module) {
  constexpr uint64_t kLargest = uint64_t(1) << 30;
  uint64_t bytes = 0;
  for (const llvm::GlobalVariable &global : module.globals())
    if (!global.isDeclaration())
      bytes = llvm::SaturatingAdd(bytes,
                                  module.getDataLayout()
                                      .getTypeAllocSize(global.getValueType())
                                      .getFixedValue());
  return bytes > kLargest ? llvm::CodeModel::Large : llvm::CodeModel::Small;
}

/// Keeps LLVM from unrolling loops that copy or fill blocks of memory. It takes
/// each for a few instructions, unrolls up to hundreds of them, and only then
/// makes vector moves of each: in one block of thousands of moves, its
/// schedulers take seconds. Example: the rows of a padded image.
struct KeepBlocksRolled : llvm::PassInfoMixin<KeepBlocksRolled> {
  llvm::PreservedAnalyses run(llvm::Loop &loop, llvm::LoopAnalysisManager &,
                              llvm::LoopStandardAnalysisResults &,
                              llvm::LPMUpdater &) {
    if (llvm::any_of(loop.blocks(), movesMany))
      loop.setLoopAlreadyUnrolled();
    return llvm::PreservedAnalyses::all();
  }

  static bool movesMany(const llvm::BasicBlock *block) {
    // As many as a few moves of vectors.
    constexpr uint64_t fewBytes = 64;
    return llvm::any_of(*block, [](const llvm::Instruction &instruction) {
      auto *moves = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction);
      auto *bytes = moves
                        ? llvm::dyn_cast<llvm::ConstantInt>(moves->getLength())
                        : nullptr;
      return bytes && bytes->getZExtValue() > fewBytes;
    });
  }
};

/// Optimizes a module at level 0 to 3.
void optimize(llvm::Module &module, llvm::TargetMachine *machine,
              unsigned optLevel) {
  const std::array<llvm::OptimizationLevel, 4> levels{
      llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
      llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder passes(machine);
  passes.registerLateLoopOptimizationsEPCallback(
      [](llvm::LoopPassManager &late, llvm::OptimizationLevel) {
        late.addPass(KeepBlocksRolled());
      });
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(components);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager ofModule =
      passes.buildPerModuleDefaultPipeline(levels[optLevel]);
  if (optLevel == 0) {
    // What is read of a memref's descriptor becomes what was put into it. The
    // fast instruction selection, which -O0 compiles with, knows no insertvalue
    // and leaves the rest of every basic block with one to the slow selection.
    llvm::FunctionPassManager ofFunctions;
    ofFunctions.addPass(llvm::InstSimplifyPass());
    ofFunctions.addPass(llvm::DCEPass());
    ofModule.addPass(
        llvm::createModuleToFunctionPassAdaptor(std::move(ofFunctions)));
  }
  ofModule.run(module, modules);
}

/// One part of the program, and what becomes of it.
struct Part {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> code;
  std::unique_ptr<llvm::MemoryBuffer> object;
  /// What is wrong; empty where nothing is.
  std::string error;
};

class Emitter {
public:
  Emitter(llvm::orc::JITTargetMachineBuilder builder, unsigned optLevel)
      : builder(std::move(builder)), optLevel(optLevel) {
    this->builder.setCodeGenOptLevel(
        static_cast<llvm::CodeGenOptLevel>(optLevel));
    // Code and data may lie anywhere in the process that loads them.
    this->builder.setRelocationModel(llvm::Reloc::PIC_);
  }

  llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
  machine(llvm::CodeModel::Model model) const {
    llvm::orc::JITTargetMachineBuilder ofModel(builder);
    ofModel.setCodeModel(model);
    return ofModel.createTargetMachine();
  }

  /// Optimizes a part and compiles it, on any thread; for `small`, a target
  /// machine of the small code model, where that is given and it takes the
  /// part.
  void emit(Part &part, llvm::TargetMachine *small = nullptr) const {
    if (llvm::Error error = tryEmit(part, small))
      part.error = llvm::toString(std::move(error));
  }

private:
  llvm::Error tryEmit(Part &part, llvm::TargetMachine *target) const {
    std::unique_ptr<llvm::TargetMachine> own;
    llvm::CodeModel::Model model = codeModelOf(*part.code);
    if (!target || model != llvm::CodeModel::Small) {
      auto made = machine(model);
      if (!made)
        return made.takeError();
      own = std::move(*made);
      target = own.get();
    }
    optimize(*part.code, target, optLevel);
    SmallVector<char, 0> bytes;
    llvm::raw_svector_ostream out(bytes);
    llvm::legacy::PassManager passes;
    if (target->addPassesToEmitFile(passes, out, nullptr,
                                    llvm::CodeGenFileType::ObjectFile))
      return llvm::createStringError(
          "this machine's target emits no object code");
    passes.run(*part.code);
    part.object = std::make_unique<llvm::SmallVectorMemoryBuffer>(
        std::move(bytes), /*RequiresNullTerminator=*/false);
    part.code.reset();
    return llvm::Error::success();
  }

  llvm::orc::JITTargetMachineBuilder builder;
  unsigned optLevel;
};

/// Operations of the LLVM dialect that are compiled together. Parts cost a
/// millisecond each, and smaller ones are shared out more evenly.
constexpr int64_t kOperationsOfPart = 2000;

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

/// Leaves out instructions whose results are not those of IEEE 754: x86's
/// conversions to bf16 and sums of bf16 make numbers below the smallest normal
/// one 0, and LLVM rounds by them where a value is only selected.
static void leaveOutInexact(llvm::orc::JITTargetMachineBuilder &builder) {
  if (builder.getTargetTriple().isX86())
    builder.addFeatures({"-avx512bf16", "-avxneconvert", "-avx10.2"});
}

/// How code is made for this machine, which is asked for its features once: an
/// audit compiles hundreds of functions.
static llvm::Expected<llvm::orc::JITTargetMachineBuilder>
thisMachinesBuilder() {
  static std::mutex mutex;
  static std::optional<llvm::orc::JITTargetMachineBuilder> known;
  std::lock_guard<std::mutex> guard(mutex);
  if (known)
    return *known;
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  leaveOutInexact(*builder);
  known = std::move(*builder);
  return *known;
}

FailureOr<ObjectFiles> emitObjects(ModuleOp module, StringRef entry,
                                   unsigned optLevel, StringRef needs) {
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(entry);
  if (!function || function.getNumArguments() != 1)
    return module.emitError()
           << "expected a function '" << entry << "' of one list of buffers";
  if (failed(SymbolTable(module).rename(function, objectEntry)))
    return module.emitError()
           << "expected no other symbol '" << objectEntry << "'";
  return emitObjects(module, optLevel, needs);
}

FailureOr<ObjectFiles> emitObjects(ModuleOp module, unsigned optLevel,
                                   StringRef needs) {
  auto builder = thisMachinesBuilder();
  if (!builder)
    return fail(module, builder.takeError());
  Emitter emitter(std::move(*builder), optLevel);
  auto machine = emitter.machine(llvm::CodeModel::Small);
  if (!machine)
    return fail(module, machine.takeError());
  setMachineLayout(module, **machine);

  // Translation is not for several threads: they would share MLIR's context.
  std::vector<Part> parts;
  for (OwningOpRef<ModuleOp> &ir : splitProgram(module, kOperationsOfPart)) {
    Part &part = parts.emplace_back();
    part.context = std::make_unique<llvm::LLVMContext>();
    part.code = translateModuleToLLVMIR(*ir, *part.context, "npu");
    if (!part.code)
      return module.emitError("cannot be compiled to object code");
    part.code->setTargetTriple((*machine)->getTargetTriple());
  }
  if (!needs.empty())
    addNeeds(*parts.front().code, needs);

  if (parts.size() == 1) {
    emitter.emit(parts.front(), machine->get());
  } else {
    llvm::DefaultThreadPool threads;
    for (Part &part : parts)
      threads.async([&] { emitter.emit(part); });
    threads.wait();
  }
  ObjectFiles objects;
  for (Part &part : parts) {
    if (!part.error.empty())
      return module.emitError()
             << "cannot be compiled to object code: " << part.error;
    objects.push_back(std::move(part.object));
  }
  return objects;
}

} // namespace npu
