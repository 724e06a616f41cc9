// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compilation to object code, which is linked into this process.

#include "npu/Execution/Jit/CompiledFunction.h"

#include "npu/Artefact/Container.h"
#include "npu/Conversion/BufferProgram.h"
#include "npu/Dialect/NPU/IR/CacheArguments.h"
#include "npu/Execution/Jit/JoinPrograms.h"
#include "npu/Execution/Jit/NoteExecutions.h"
#include "npu/Execution/Jit/Signature.h"
#include "npu/Execution/Jit/ToExecutable.h"
#include "npu/Support/SignatureAttributes.h"

#include "mlir/Dialect/Async/IR/Async.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/FormatVariadic.h"

#include <span>

using namespace mlir;

namespace npu {

CompiledFunction::CompiledFunction(OwningOpRef<ModuleOp> module,
                                   StringRef entry, TileThreads threads,
                                   RankOfMany rank)
    : module(std::move(module)), entry(entry), threads(threads), rank(rank) {}

CompiledFunction::~CompiledFunction() = default;

/// Whether all uses of a tensor are inputs of operations that write their
/// results to other operands.
static bool isOnlyRead(Value tensor) {
  return llvm::all_of(tensor.getUses(), [](OpOperand &use) {
    auto writes = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
    return writes && writes.isDpsInput(&use);
  });
}

/// Runs passes, and verifies the IR after the last one instead of after each,
/// which would take as long as the passes themselves.
static LogicalResult runAndVerify(PassManager &passes, ModuleOp module) {
  passes.enableVerifier(false);
  if (failed(passes.run(module)))
    return failure();
  return mlir::verify(module);
}

LogicalResult CompiledFunction::readSignature() {
  func::FuncOp function =
      wrapScalars(module->lookupSymbol<func::FuncOp>(entry));
  if (failed(readSpecs(function, signature.inputs, signature.results)))
    return failure();
  // Inputs are read-only: the function copies what it would change. Only caches
  // take their new rows, where the results that continue them fit in. Inputs
  // that nothing would change need no mark, which upstream takes off one by
  // one, in time and memory that grow with the square of their number.
  llvm::SmallDenseSet<unsigned> continued;
  for (const CacheArgument &cache : cacheArguments(function))
    if (signature.inputs[cache.argument] == signature.results[cache.result]) {
      continued.insert(cache.argument);
      signature.inPlace.push_back({cache.result, cache.argument});
    }
  rewriteArgAttrs(function, [&](unsigned i, NamedAttrList &attributes) {
    if (!continued.contains(i) && !isOnlyRead(function.getArgument(i)))
      attributes.set(bufferization::BufferizationDialect::kWritableAttrName,
                     BoolAttr::get(module->getContext(), false));
  });
  return success();
}

LogicalResult CompiledFunction::toBuffers(const ScratchpadOptions &scratchpad) {
  LoweringOptions lowering;
  PlanScratchpadOptions &plan = lowering.plan;
  plan.target = scratchpad.target;
  plan.report = scratchpad.report;
  PassManager passes(module->getContext());
  CompilePhase phase = phaseOf(*module);
  if (phase != CompilePhase::Scratchpad) {
    if (failed(readSignature()))
      return failure();
    buildLowering(passes, phase, CompilePhase::Scratchpad, lowering);
    if (failed(runAndVerify(passes, *module)))
      return failure();
    leaveInPlace();
    return success();
  }
  func::FuncOp function =
      wrapScalarsOfBuffers(module->lookupSymbol<func::FuncOp>(entry));
  if (failed(readBufferSpecs(function, signature.inputs, signature.results)))
    return failure();
  for (size_t i = 0; i < signature.inputs.size(); ++i)
    if (!isBufferOnlyRead(function.getArgument(i)))
      signature.written.insert(i);
  // Check a plan, because it may have been edited. Without a report and a
  // target, buffers without a plan stay as they are.
  if (plan.report || !plan.target.empty())
    passes.addPass(createPlanScratchpad(plan));
  else
    passes.addPass(createVerifyScratchpadPlan());
  return runAndVerify(passes, *module);
}

/// The copy of an input's buffer, as the function leaves it, to a result; null
/// where the buffer of the result gets anything else.
static memref::CopyOp copyAtEnd(func::FuncOp function, BlockArgument input,
                                BlockArgument result) {
  if (!result.hasOneUse())
    return {};
  auto copy = dyn_cast<memref::CopyOp>(*result.user_begin());
  if (!copy || copy.getSource() != input || copy.getTarget() != result ||
      copy->getBlock() != &function.front())
    return {};
  // Nothing may change the input after the copy.
  for (Operation *user : input.getUsers())
    if (Operation *in = function.front().findAncestorOpInBlock(*user);
        in != copy && !in->isBeforeInBlock(copy))
      return {};
  return copy;
}

/// Takes the results out of the arguments that are, in the end, the buffers of
/// caches; caches that were not changed in place keep their results.
void CompiledFunction::leaveInPlace() {
  auto function = module->lookupSymbol<func::FuncOp>(entry);
  llvm::BitVector erased(function.getNumArguments());
  llvm::erase_if(signature.inPlace, [&](const ResultInPlace &each) {
    unsigned result = signature.inputs.size() + each.result;
    memref::CopyOp copy = copyAtEnd(function, function.getArgument(each.input),
                                    function.getArgument(result));
    if (!copy)
      return true;
    copy.erase();
    erased.set(result);
    return false;
  });
  if (erased.any())
    (void)function.eraseArguments(erased);
}

/// Reads the arguments after bufferization: inputs, results, arenas.
LogicalResult CompiledFunction::readBuffers() {
  auto function = module->lookupSymbol<func::FuncOp>(entry);
  size_t known = signature.inputs.size() + signature.results.size() -
                 signature.inPlace.size();
  if (function.getNumArguments() < known || function.getNumResults() != 0)
    return function.emitError()
           << "expected " << known << " buffers for arguments and results, got "
           << function.getFunctionType();
  // Of several ranks, each has memory for what its program touches.
  auto isElsewhere = [&](unsigned argument) {
    return rank.ranks > 1 && function.getArgument(argument).use_empty();
  };
  unsigned next = signature.inputs.size();
  for (size_t i = 0; i < signature.results.size(); ++i) {
    bool isInPlace = llvm::any_of(
        signature.inPlace, [&](const auto &each) { return each.result == i; });
    if (!isInPlace && isElsewhere(next++))
      signature.elsewhere.insert(i);
  }
  for (unsigned i = known; i < function.getNumArguments(); ++i) {
    auto tile = function.getArgAttrOfType<IntegerAttr>(i, arenaAttrName);
    auto type = dyn_cast<MemRefType>(function.getArgumentTypes()[i]);
    if (!tile || !type || !type.hasStaticShape() || type.getRank() != 1 ||
        !type.getElementType().isInteger(8))
      return function.emitError()
             << "expected a tile's arena as argument #" << i << ", got "
             << function.getArgumentTypes()[i];
    signature.arenas.push_back(
        {tile.getInt(), isElsewhere(i) ? 0 : type.getDimSize(0)});
  }
  return success();
}

/// Takes the names of a model away from its functions: in machine code, one of
/// them could be what a library or the runtime is called by.
LogicalResult CompiledFunction::renameFunctions() {
  SymbolTable symbols(*module);
  unsigned number = 0;
  for (auto function : module->getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    std::string name =
        llvm::formatv("npu.model.{0}.{1}", number++, function.getName());
    bool isEntry = function.getName() == entry;
    if (failed(symbols.rename(function, name)))
      return function.emitError()
             << "expected another name than '" << function.getName() << "'";
    if (isEntry)
      entry = name;
  }
  renameGlobals();
  return success();
}

/// Does the same with globals that are not from bufferization.
void CompiledFunction::renameGlobals() {
  llvm::DenseMap<StringAttr, StringAttr> names;
  for (auto global : module->getOps<memref::GlobalOp>()) {
    StringAttr name = global.getSymNameAttr();
    if (name.getValue().starts_with("__constant_"))
      continue;
    names[name] = StringAttr::get(
        module->getContext(),
        llvm::formatv("npu.global.{0}.{1}", names.size(), name.getValue()));
    global.setSymNameAttr(names[name]);
  }
  if (names.empty())
    return;
  module->walk([&](memref::GetGlobalOp use) {
    if (StringAttr name = names.lookup(use.getNameAttr().getAttr()))
      use.setName(name.getValue());
  });
}

template <typename Op>
static bool has(ModuleOp module) {
  return module.walk([](Op) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

FailureOr<std::unique_ptr<CompiledFunction>> CompiledFunction::bufferize(
    OwningOpRef<ModuleOp> module, StringRef entry, TileThreads threads,
    const ScratchpadOptions &scratchpad, RankOfMany rank) {
  // A program that has tasks runs as it says.
  bool hasTasks = has<async::ExecuteOp>(*module);
  if (hasTasks)
    threads = TileThreads::Many;
  std::unique_ptr<CompiledFunction> function(
      new CompiledFunction(std::move(module), entry, threads, rank));
  ModuleOp ir = *function->module;
  if (failed(function->toBuffers(scratchpad)))
    return failure();
  if (scratchpad.whenPlanned && failed(scratchpad.whenPlanned(ir)))
    return failure();
  // Add deallocations only where there are none, and no tasks: upstream's pass
  // fails on others. What a program that was put into tasks before it has
  // deallocations allocates is freed when the process ends.
  PassManager passes(ir.getContext());
  LoweringOptions lowering;
  lowering.threads = threads;
  lowering.isFreed = hasTasks || has<memref::DeallocOp>(ir);
  lowering.rank = rank.rank;
  lowering.ranks = rank.ranks;
  buildLowering(passes, CompilePhase::Scratchpad, CompilePhase::Freed,
                lowering);
  if (failed(runAndVerify(passes, ir)) || failed(function->readBuffers()))
    return failure();
  if (failed(function->renameFunctions()))
    return failure();
  function->signature.temporaryBytes = npu::temporaryBytes(ir);
  ir.walk([&](Operation *) { ++function->signature.operations; });
  return function;
}

static LogicalResult fail(ModuleOp module, llvm::Error error) {
  return module.emitError() << "cannot be compiled for this machine: "
                            << llvm::toString(std::move(error));
}

void CompiledFunction::setPrompts(PromptDimensions dimensions) {
  signature.prompts = std::move(dimensions);
  if (!signature.prompts.results.empty())
    signature.results.pop_back();
}

void CompiledFunction::noteExecutions(ExecutionRecord &record) {
  npu::noteExecutions(*module, record);
  this->record = &record;
}

/// Refuses an operation that no pass has brought to the LLVM dialect, as
/// conversions of f8, by its place and name.
static LogicalResult verifyInLlvm(ModuleOp module) {
  Operation *left = nullptr;
  module.walk([&](Operation *op) {
    if (isa<ModuleOp>(op) ||
        isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()))
      return WalkResult::advance();
    // Casts of types stay with the operation that they are for.
    bool isCast = isa<UnrealizedConversionCastOp>(op);
    if (!left || !isCast)
      left = op;
    return isCast ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (!left)
    return success();
  InFlightDiagnostic error = mlir::emitError(left->getLoc());
  error << "cannot be compiled for this machine: '" << left->getName() << "'";
  if (left->getNumOperands() > 0)
    error << " of " << left->getOperand(0).getType();
  if (left->getNumResults() > 0)
    error << " to " << left->getResult(0).getType();
  error << " has no code here";
  auto isShort = [](Type type) {
    return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 16;
  };
  if (llvm::any_of(left->getOperandTypes(), isShort) ||
      llvm::any_of(left->getResultTypes(), isShort))
    error.attachNote() << "floats of 16, 32 and 64 bits run; shorter ones are "
                          "compiled up to the phase 'legal'";
  return error;
}

LogicalResult CompiledFunction::lowerToLLVM() {
  // Other functions keep calling it with buffers.
  (void)notCalled(module->lookupSymbol<func::FuncOp>(entry));
  PassManager passes(module->getContext());
  // Operations without code here are named before the IR is verified.
  passes.enableVerifier(false);
  LoweringOptions lowering;
  lowering.threads = threads;
  lowering.packedEntry = entry;
  lowering.rank = rank.rank;
  lowering.ranks = rank.ranks;
  buildLowering(passes, CompilePhase::Freed, CompilePhase::Llvm, lowering);
  if (failed(passes.run(*module)) || failed(verifyInLlvm(*module)))
    return failure();
  return mlir::verify(*module);
}

LogicalResult CompiledFunction::lowerForMachine() {
  weights = separateWeights(*module);
  isLowered = true;
  return lowerToLLVM();
}

LogicalResult CompiledFunction::compile(unsigned optLevel) {
  if (!isLowered && failed(lowerForMachine()))
    return failure();
  auto objects = emitObjects(*module, entry, optLevel);
  if (failed(objects))
    return failure();
  LinkedCode::Data data;
  placeWeights(data, [](StringRef symbol) { return symbol.str(); });
  auto linked =
      LinkedCode::link(std::move(*objects), data, threads == TileThreads::Many);
  if (!linked)
    return fail(*module, linked.takeError());
  code = std::move(*linked);
  auto found = code->lookup(objectEntry);
  if (!found)
    return fail(*module, found.takeError());
  function = reinterpret_cast<PackedFunction>(*found);
  if (!record || record->sites.empty())
    return success();
  auto place = code->lookup(recordName);
  if (!place)
    return fail(*module, place.takeError());
  *static_cast<int64_t *>(*place) = reinterpret_cast<intptr_t>(record);
  return success();
}

LogicalResult
CompiledFunction::compileTogether(ArrayRef<CompiledFunction *> functions,
                                  unsigned optLevel) {
  if (functions.empty())
    return success();
  SmallVector<ModuleOp> programs;
  LinkedCode::Data data;
  for (auto [number, function] : llvm::enumerate(functions)) {
    programs.push_back(*function->module);
    function->placeWeights(data, [number = number](StringRef symbol) {
      return joinedName(number, symbol);
    });
  }
  ScopedDiagnosticHandler quiet(programs.front().getContext(),
                                [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> joined = joinPrograms(programs);
  if (!joined)
    return failure();
  auto objects = emitObjects(*joined, optLevel);
  if (failed(objects))
    return failure();
  bool isParallel = llvm::any_of(functions, [](CompiledFunction *function) {
    return function->threads == TileThreads::Many;
  });
  auto failQuietly = [](llvm::Error error) {
    llvm::consumeError(std::move(error));
    return failure();
  };
  auto linked = LinkedCode::link(std::move(*objects), data, isParallel);
  if (!linked)
    return failQuietly(linked.takeError());
  std::vector<void *> addresses;
  for (auto [number, function] : llvm::enumerate(functions)) {
    auto found = (*linked)->lookup(joinedName(number, function->entry));
    if (!found)
      return failQuietly(found.takeError());
    addresses.push_back(*found);
  }
  std::shared_ptr<LinkedCode> code = std::move(*linked);
  for (auto [function, address] : llvm::zip_equal(functions, addresses)) {
    function->code = code;
    function->function = reinterpret_cast<PackedFunction>(address);
    function->module->getBody()->clear();
  }
  return success();
}

void CompiledFunction::placeWeights(
    LinkedCode::Data &data, llvm::function_ref<std::string(StringRef)> nameOf) {
  alignedWeights.clear();
  for (const SeparateWeight &weight : weights) {
    const void *bytes = weight.bytes.data();
    if (!llvm::isAddrAligned(llvm::Align(sectionAlignment), bytes)) {
      HostBuffer &copy = alignedWeights.emplace_back(
          static_cast<int64_t>(weight.bytes.size()));
      llvm::copy(std::as_bytes(std::span(weight.bytes)), copy.data());
      bytes = copy.data();
    }
    data.emplace_back(nameOf(weight.symbol), bytes);
  }
}

void registerExecutionInterfaces(DialectRegistry &registry) {
  registerLoweringInterfaces(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

} // namespace npu
