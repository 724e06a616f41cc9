// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which engine does what when: rows with their engines, cycles and what they
// wait for, in the order of the program, get their begin and end.

#ifndef NPU_LIB_CONVERSION_SCHEDULE_LISTSCHEDULE_H
#define NPU_LIB_CONVERSION_SCHEDULE_LISTSCHEDULE_H

#include "npu/Placement/Plans/Machines.h"
#include "npu/Target/Target.h"

#include "mlir/IR/Operation.h"

#include <vector>

namespace npu {

/// What a row occupies.
enum class Engine { Matrix, Vector, Load, Store, Link };

/// The number of a row: its place in the program, with loops unrolled.
using RowId = uint32_t;
inline constexpr RowId kNoRow = ~RowId{0};

/// A range of bytes of a tile's scratchpad, and for a read the row that wrote
/// it, if one did.
struct ByteRange {
  int64_t tile = 0, begin = 0, end = 0;
  RowId writer = kNoRow;
};

struct ScheduleRow {
  mlir::Operation *op = nullptr;
  Engine engine = Engine::Vector;
  /// The tile of an engine, the one that sends on a link or stores, and the
  /// first one that a load goes to.
  int64_t tile = 0;
  int64_t cycles = 0;
  /// The bytes that DDR reads or writes.
  int64_t ddrBytes = 0;
  /// The bytes that cross from one machine to each other one that the row goes
  /// to, and the cycles of one crossing.
  int64_t crossingBytes = 0, linkCycles = 0;
  /// The rows that it waits for, and where they begin in `waits`; likewise the
  /// tiles that a link or a load goes to, its reads and its writes.
  size_t waits = 0, receivers = 0, reads = 0, writes = 0;
  size_t endOfWaits = 0, endOfReceivers = 0, endOfReads = 0, endOfWrites = 0;
  /// What scheduling finds: the port of a load or store, counted from 0, or the
  /// link after all ports.
  int64_t begin = 0, end = 0, port = 0;

  /// Whether an engine of a tile computes, and nothing moves.
  bool isCompute() const {
    return engine == Engine::Matrix || engine == Engine::Vector;
  }
};

struct Schedule {
  std::vector<ScheduleRow> rows;
  std::vector<RowId> waits;
  std::vector<int64_t> receivers;
  std::vector<ByteRange> reads, writes;
  int64_t tiles = 0;

  /// The end of the last row.
  int64_t total() const;

  /// Calls `visit(from, to)` with the machines of each crossing of a row.
  template <typename Visit>
  void forEachCrossing(Machines machines, const ScheduleRow &row,
                       Visit visit) const {
    if (row.crossingBytes == 0)
      return;
    int64_t from = row.engine == Engine::Load ? kDdr : row.tile;
    llvm::SmallVector<int64_t> to(receivers.begin() + row.receivers,
                                  receivers.begin() + row.endOfReceivers);
    if (row.engine == Engine::Store)
      to = {kDdr};
    else if (to.empty())
      to = {row.tile};
    npu::forEachCrossing(machines, from, to, [&](int64_t machine) {
      visit(machines.of(from), machine);
    });
  }
};

/// Gives every row its time. Rows of one engine of a tile, its loads, its
/// stores, and what it sends are begun in their order, and so are loads for
/// several tiles. A row begins when what it waits for has ended, and its
/// engine, a port, or the links between two tiles are free. Of those that could
/// begin first, it is the first one in the program, or the one with the longest
/// path of rows that wait for it (Hu's rule): whichever ends earlier. DDR moves
/// no more than `ddrBytesPerSecond` in one direction, and the link of a machine
/// does one crossing after the other in each direction. Precondition: rows wait
/// for earlier ones alone.
void schedule(Schedule &schedule, const Target &target);

} // namespace npu

#endif // NPU_LIB_CONVERSION_SCHEDULE_LISTSCHEDULE_H
