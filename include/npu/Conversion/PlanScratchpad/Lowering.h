// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one way down from layouts to the LLVM dialect, in the phases of
// npu-compile: whoever lowers a module, or a part of the way, asks here. The
// passes are upstream's and those of this project, and none of them changes a
// bit of a result.
//
//   LoweringOptions options;
//   options.plan.target = "npu4000";
//   PassManager passes(context);
//   buildLowering(passes, phaseOf(module), CompilePhase::Scratchpad, options);
//
// docs/design/0023-one-way-down.md says why there is one. It stands beside the
// scratchpad plan because the report of the plan asks for the largest prompt
// that fits, and finding that lowers the module again.

#ifndef NPU_CONVERSION_PLANSCRATCHPAD_LOWERING_H
#define NPU_CONVERSION_PLANSCRATCHPAD_LOWERING_H

#include "npu/Conversion/Phases.h"
#include "npu/Conversion/PlanScratchpad/Passes.h"
#include "npu/Dialect/NPU/Transforms/Verify/ReportHostFallbacks.h"

#include "mlir/Pass/PassManager.h"

#include <string>

namespace npu {

/// How the tiles of a program run: One runs tile after tile on one thread; Many
/// runs each on a thread of MLIR's async runtime, which the process has to
/// have.
enum class TileThreads { One, Many };

struct LoweringOptions {
  /// Tiles: what is said of operations that fall back to the host.
  HostFallbackPolicy gather = HostFallbackPolicy::Warn;
  /// Tiles: whether distributions are verified first, and the tile program
  /// afterwards. Who does so beside the passes need not do it twice.
  bool verifiesLayouts = true, verifiesTileProgram = true;
  /// Scratchpad: how buffers get their places.
  PlanScratchpadOptions plan = {};
  /// Freed and Llvm.
  TileThreads threads = TileThreads::One;
  /// Freed: whether buffers are freed already. Upstream's pass that frees them
  /// fails where others are.
  bool isFreed = false;
  /// Freed and Llvm: the process whose program it is and how many processes
  /// there are (npu-convert-tiles-to-mpi); one process runs all tiles where
  /// there are none.
  int64_t rank = 0, ranks = 0;
  /// Llvm: the function that takes one list of its buffers
  /// (npu-pack-arguments); empty: every function keeps its arguments.
  std::string packedEntry = {};
};

/// Adds the passes from a module of phase `from` to one of phase `to`. What is
/// of an earlier phase than Legal is lowered to tiles only where it has
/// layouts, so that functions without any go from Start to Scratchpad as they
/// are. Of phase
/// * Tiles, a function is a program for each tile;
/// * Scratchpad, a function has one memref argument for every tensor argument,
///   then one for every result (`bufferize.result`), then one for every tile's
///   arena (`npu.arena`). Buffers of tile k are in memory space k + 1, at the
///   places of npu-plan-scratchpad;
/// * Llvm, one loop nest stands for each structured operation.
void buildLowering(mlir::OpPassManager &passes, CompilePhase from,
                   CompilePhase to, const LoweringOptions &options = {});

/// Registers the pipelines npu-to-buffers and npu-to-llvm, which begin at whole
/// tensors or a tile program. Under npu-to-llvm, tiles run one after the other
/// unless the option is npu-to-llvm=parallel.
void registerLoweringPipelines();

/// Registers the interfaces that lowering needs of dialects: how they
/// bufferize, how they become LLVM. To be called before the context exists.
void registerLoweringInterfaces(mlir::DialectRegistry &registry);

} // namespace npu

#endif // NPU_CONVERSION_PLANSCRATCHPAD_LOWERING_H
