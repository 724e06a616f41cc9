// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both sides of npu-run's comparison come this way: no pass changes a bit of a
// result (no contraction, no fused multiply-add, no reassociation, no vector
// math library).

#include "npu/Conversion/PlanScratchpad/Lowering.h"

#include "../Buffers/BufferizeTransfers.h"
#include "npu/Conversion/Buffers/Passes.h"
#include "npu/Conversion/CanonicalizeOperations.h"
#include "npu/Conversion/LowerToTiles/Passes.h"
#include "npu/Conversion/Ranks/Passes.h"
#include "npu/Conversion/Threads/Passes.h"
#include "npu/Conversion/ToLLVM/Passes.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/IR/ScratchpadLowering.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferViewFlowOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Async/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/AllocationOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/BufferViewFlowOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace npu {

namespace {

void buildTensorsToBuffers(OpPassManager &passes,
                           const PlanScratchpadOptions &plan) {
  // Lift control flow first. In functions with several returns, upstream
  // computes each return's values into the caller's buffers, where those of
  // another return may be, and its deallocation fails on some functions of
  // several blocks.
  passes.addPass(createLiftControlFlowToSCFPass());
  passes.addPass(createInlineDynamicResults());
  passes.addPass(createSinkLoads());
  passes.addPass(createStructureOps());
  passes.addPass(createPlaceBuffers());

  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  // A loop may hand on another buffer than it began with.
  bufferize.allowReturnAllocsFromLoops = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  passes.addPass(bufferization::createOneShotBufferizePass(bufferize));
  passes.addPass(createSeparateResults());

  bufferization::BufferResultsToOutParamsPassOptions outParams;
  outParams.hoistStaticAllocs = true;
  outParams.modifyPublicFunctions = true;
  outParams.addResultAttribute = true;
  passes.addPass(bufferization::createBufferResultsToOutParamsPass(outParams));
  // A value that was written in place is copied to itself, between two equal
  // subviews: CSE merges these, and the canonicalizer drops the copy. Control
  // flow was lifted, so that there are no blocks to simplify.
  passes.addPass(createCSEPass());
  passes.addPass(createCanonicalizeOperations());
  passes.addPass(createPinLoopBuffers());
  passes.addPass(createReuseBuffers());
  passes.addPass(createPlanScratchpad(plan));
}

void buildFreedBuffers(OpPassManager &passes, const LoweringOptions &options) {
  if (!options.isFreed) {
    bufferization::buildBufferDeallocationPipeline(passes);
    passes.addPass(createConvertBufferizationToMemRefPass());
  }
  // After deallocation, which does not know of tasks.
  if (options.threads == TileThreads::Many)
    passes.addPass(createRunTilesInParallel());
  if (options.ranks > 0)
    passes.addPass(createConvertTilesToMpi({options.ranks, options.rank}));
}

/// Loops over vectors for structured operations, loops over scalars for the
/// others, and the same functions of numbers in both.
void buildLoops(OpPassManager &functions) {
  functions.addPass(createVectorizeLoops());
  functions.addPass(createConvertLinalgToLoopsPass());
  functions.addPass(createApproximateMath());
}

void buildBuffersToLLVM(OpPassManager &passes, const LoweringOptions &options) {
  passes.addPass(createLocateBodies());
  // While parts and entries are those that the program names: what is lowered
  // to loops below stays inside of its buffers.
  passes.addPass(createAssertBounds());
  if (options.threads == TileThreads::Many)
    passes.addPass(createOutlineTasks());
  passes.addPass(createLowerTransfers());
  // The buffers of a tile's task are arguments, which may alias other buffers.
  if (options.threads == TileThreads::One)
    passes.addPass(createElideCopies());
  passes.addPass(createDropTiles());
  passes.addPass(createOutlineOperations());
  passes.addPass(createCopiesToRuns());
  if (!options.packedEntry.empty())
    passes.addPass(createPackArguments({options.packedEntry}));
  if (options.threads == TileThreads::Many) {
    passes.addPass(createAsyncToAsyncRuntimePass());
    passes.addPass(createAsyncRuntimeRefCountingPass());
    passes.addPass(createAsyncRuntimeRefCountingOptPass());
    passes.addPass(createConvertAsyncToLLVMPass());
  }
  OpPassManager &functions = passes.nest<func::FuncOp>();
  buildLoops(functions);
  functions.addPass(createLowerAffinePass());
  // Not before copies are left out: a call does not show whose memory it reads.
  if (options.ranks > 0)
    passes.addPass(createLowerMpi());
  passes.addPass(createExpandByExtents());
  passes.addPass(memref::createExpandStridedMetadataPass());
  passes.addPass(createLowerAffinePass());
  passes.addPass(createPackElements());
  // Powers of integers become calls; upstream's lowering below handles powers
  // of floats.
  ConvertMathToFuncsOptions powers;
  powers.minWidthOfFPowIExponent = std::numeric_limits<unsigned>::max();
  passes.addPass(createConvertMathToFuncs(powers));
  passes.addPass(createAssertDepth());
  // All divisions of indices and integers are there now.
  passes.addPass(createAssertDivisors());
  passes.addPass(createSplitFunctions());
  passes.addPass(createLowerControlFlow());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createMergeEqualOperations());
  passes.addPass(memref::createExpandOpsPass());
  // Lower memory before the constants of arith: the lowering of memref.dim
  // reads its dimension from an arith.constant, and goes through memory
  // otherwise. Memory comes from functions that the runner defines: they poison
  // it, and LLVM does not know them, so that it assumes nothing about unwritten
  // memory.
  FinalizeMemRefToLLVMConversionPassOptions memory;
  memory.useGenericFunctions = true;
  passes.addPass(createFinalizeMemRefToLLVMConversionPass(memory));
  // Convert maximumf and minimumf to LLVM's intrinsics, which order -0.0 and
  // +0.0 independent of the order of operands, before upstream's expansion
  // would turn them into a comparison, for which both zeros are equal.
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(arith::createArithExpandOpsPass());
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createConvertMathToLibmPass());
  passes.addPass(createConvertVectorToLLVMPass());
  passes.addPass(createConvertIndexToLLVMPass());
  passes.addPass(createUBToLLVMConversionPass());
  passes.addPass(createSignAddresses());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createReportAssertions());
  passes.addPass(createConvertFuncToLLVMPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
}

void addPhase(OpPassManager &passes, CompilePhase phase,
              const LoweringOptions &options) {
  switch (phase) {
  case CompilePhase::Tiles:
    return passes.addPass(
        createLowerToTiles({options.gather, options.verifiesLayouts,
                            options.verifiesTileProgram}));
  case CompilePhase::Scratchpad:
    return buildTensorsToBuffers(passes, options.plan);
  case CompilePhase::Freed:
    return buildFreedBuffers(passes, options);
  case CompilePhase::Llvm:
    return buildBuffersToLLVM(passes, options);
  default:
    return;
  }
}

} // namespace

void buildLowering(OpPassManager &passes, CompilePhase from, CompilePhase to,
                   const LoweringOptions &options) {
  for (CompilePhase phase : {CompilePhase::Tiles, CompilePhase::Scratchpad,
                             CompilePhase::Freed, CompilePhase::Llvm}) {
    bool hasLayouts = from == CompilePhase::Legal;
    if (phase > from && phase <= to &&
        (phase != CompilePhase::Tiles || hasLayouts))
      addPhase(passes, phase, options);
  }
}

namespace {
/// The options of npu-plan-scratchpad, which npu-to-buffers and npu-to-llvm
/// also have.
template <typename Options>
struct PlanOptions : PassPipelineOptions<Options> {
  template <typename T>
  using Option = typename PassPipelineOptions<Options>::template Option<T>;

  Option<std::string> target{
      *this, "target",
      llvm::cl::desc("the device whose scratchpads count, instead of the "
                     "module's own")};
  Option<bool> report{*this, "report",
                      llvm::cl::desc("print what every tile needs, and where"),
                      llvm::cl::init(false)};
  Option<std::string> format{
      *this, "format", llvm::cl::desc("the report's format, text or json"),
      llvm::cl::init("text")};
  Option<std::string> outputFile{
      *this, "output-file",
      llvm::cl::desc("file for the report, - for standard output"),
      llvm::cl::init("-")};

  PlanScratchpadOptions get() const {
    PlanScratchpadOptions plan;
    plan.target = target;
    plan.report = report;
    plan.format = format;
    plan.outputFile = outputFile;
    return plan;
  }
};

struct ToBuffersOptions : PlanOptions<ToBuffersOptions> {};

struct ToLLVMOptions : PlanOptions<ToLLVMOptions> {
  Option<bool> parallel{*this, "parallel",
                        llvm::cl::desc("tiles run at the same time"),
                        llvm::cl::init(false)};
};
} // namespace

void registerLoweringPipelines() {
  PassPipelineRegistration<ToBuffersOptions>(
      "npu-to-buffers",
      "a plain function or a tile program on buffers: arguments, then results, "
      "tile k's buffers at planned places in memory space k + 1",
      [](OpPassManager &passes, const ToBuffersOptions &options) {
        LoweringOptions lowering;
        lowering.plan = options.get();
        buildLowering(passes, CompilePhase::Tiles, CompilePhase::Scratchpad,
                      lowering);
      });
  PassPipelineRegistration<ToLLVMOptions>(
      "npu-to-llvm",
      "a plain function or a tile program in the LLVM dialect, as npu-run "
      "runs it",
      [](OpPassManager &passes, const ToLLVMOptions &options) {
        LoweringOptions lowering;
        lowering.plan = options.get();
        lowering.threads =
            options.parallel ? TileThreads::Many : TileThreads::One;
        buildLowering(passes, CompilePhase::Tiles, CompilePhase::Llvm,
                      lowering);
      });
}

namespace {
/// The lowering that the passes of the dialect measure assignments by.
struct LowerToScratchpads : ScratchpadLowering {
  using ScratchpadLowering::ScratchpadLowering;

  void build(OpPassManager &passes) const override {
    // The tile program that is taken in the end is verified then.
    LoweringOptions options;
    options.verifiesTileProgram = false;
    buildLowering(passes, CompilePhase::Legal, CompilePhase::Scratchpad,
                  options);
  }
};
} // namespace

void registerLoweringInterfaces(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, NPUDialect *dialect) {
    dialect->addInterfaces<LowerToScratchpads>();
  });
  registerTransferBufferization(registry);
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
  cf::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerInferTypeOpInterfaceExternalModels(registry);
  // The models of buffer flow, for the scratchpad plan and for deallocation.
  arith::registerBufferViewFlowOpInterfaceExternalModels(registry);
  memref::registerBufferViewFlowOpInterfaceExternalModels(registry);
  arith::registerBufferDeallocationOpInterfaceExternalModels(registry);
  cf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  scf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  memref::registerAllocationOpInterfaceExternalModels(registry);
}

} // namespace npu
