// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The modelled run of a program, and what each layer of the model has of it.

#ifndef NPU_CONVERSION_SCHEDULE_MODELLEDRUN_H
#define NPU_CONVERSION_SCHEDULE_MODELLEDRUN_H

#include "npu/Report/LayerRun.h"
#include "npu/Target/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace npu {

/// The figures of a whole function. Units: cycles of the target's clock,
/// seconds, and bytes.
struct ScheduleSummary {
  int64_t total = 0;
  /// 0 where the target's clock is not known.
  double seconds = 0;
  int64_t computeBound = 0, ddrBound = 0;
  int64_t ddrBytes = 0, ddrBytesBound = 0;
  /// What DDR takes to move its bytes, in the direction that takes longer: no
  /// more than the total. 0 where its bandwidth is not known.
  int64_t ddrBusy = 0;
  /// Calls, and what they take: the host's work.
  int64_t calls = 0, callCycles = 0;
  /// Loops whose rounds nobody knows: one round of each counts.
  int64_t unknownLoops = 0;
  /// Nothing where all tiles are of one machine.
  std::optional<int64_t> bytesBetweenMachines;
  int64_t computeWaiting = 0, transferWaiting = 0;
};

struct ModelledRun {
  ScheduleSummary summary;
  /// In the order of the program.
  std::vector<LayerRun> layers;
};

/// The run of a function of the phase `scratchpad` with marks of
/// npu-mark-cycles: what npu-print-schedule prints of it. Errors as there.
mlir::FailureOr<ModelledRun> modelledRun(mlir::func::FuncOp function,
                                         const Target &target);

/// One time that an engine is at work. Times are cycles.
struct ModelledRow {
  mlir::Operation *op = nullptr;
  /// "tile 0 matrix", "dma 1", and "load" or the operation's name.
  std::string engine, what;
  int64_t begin = 0, end = 0;
  int64_t ddrBytes = 0;
  bool isCompute = false;
  /// How long its engine had no work before it, where that is one of a tile.
  int64_t waited = 0;
};

/// What the rows at one location take on all tiles together.
struct TimesOfPlace {
  /// What works there, rather than what moves.
  mlir::Operation *op = nullptr;
  int64_t rows = 0, work = 0, transfers = 0, waiting = 0;
};

/// Bytes of a tile's scratchpad that are in use: from the begin of the row that
/// writes them to the end of the last one that reads what it wrote.
struct ScratchpadUse {
  int64_t tile = 0, firstByte = 0, endByte = 0;
  int64_t begin = 0, end = 0;
  /// What writes them.
  mlir::Operation *writer = nullptr;
};

/// The same run row by row, for those who draw it.
struct RowsOfRun {
  ScheduleSummary summary;
  /// In the order of their begins.
  std::vector<ModelledRow> rows;
  std::vector<ScratchpadUse> uses;
  /// Those that wait longest first.
  std::vector<TimesOfPlace> places;
};

/// Errors as those of modelledRun().
mlir::FailureOr<RowsOfRun> rowsOfRun(mlir::func::FuncOp function,
                                     const Target &target);

} // namespace npu

#endif // NPU_CONVERSION_SCHEDULE_MODELLEDRUN_H
