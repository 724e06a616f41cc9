// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ScheduleFigures.h"

#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Target/Count.h"
#include "npu/Target/PlanCost.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/MapVector.h"

#include <map>

using namespace mlir;

namespace npu {

namespace {

std::vector<RowId> inOrderOfTime(const Schedule &schedule) {
  std::vector<std::pair<int64_t, RowId>> begins;
  begins.reserve(schedule.rows.size());
  for (const ScheduleRow &row : schedule.rows)
    begins.emplace_back(row.begin, begins.size());
  llvm::sort(begins);
  auto order = llvm::make_second_range(begins);
  return {order.begin(), order.end()};
}

/// The cycles in which something is at work, and when it has ended.
struct Busy {
  int64_t cycles = 0, last = 0, until = 0;

  /// Precondition: rows come in the order of their begin.
  void add(const ScheduleRow &row) {
    cycles += std::max<int64_t>(row.end - std::max(row.begin, until), 0);
    until = std::max(until, row.end);
  }
  int64_t waiting() const { return until - cycles; }
};

/// The cycles that bytes take at full bandwidth: all ports, by whichever of
/// their transfers moves more, and no more than DDR has.
int64_t atFullBandwidth(int64_t bytes, Direction direction,
                        const Target &target) {
  int64_t ofPort =
      std::max(direction == Direction::DdrToTile ? target.costs.ddrToTileRate
                                                 : target.costs.tileToDdrRate,
               target.costs.ddrToDdrRate);
  int64_t rate =
      (Count{ofPort} * Count{std::max<int64_t>(target.dmaPorts, 1)}).value;
  // A copy within DDR shares with stores, and half of what it moves is read.
  if (int64_t ofDdr = std::max(rateOfDdr(target, direction),
                               rateOfDdr(target, Direction::TileToDdr) / 2))
    rate = std::min(rate, ofDdr);
  return rate > 0 ? (Count{bytes} * Count{1000}).value / rate : 0;
}

/// The cycles that DDR takes to move bytes in one direction, if its bandwidth
/// is known: ListSchedule.h keeps to it.
int64_t atRateOfDdr(Count bytes, Direction direction, const Target &target) {
  int64_t rate = rateOfDdr(target, direction);
  return rate > 0 ? (bytes * Count{1000}).value / rate : 0;
}

ScheduleSummary summarize(const ProgramRows &program,
                          const std::vector<RowId> &order,
                          const Target &target) {
  const Schedule &schedule = program.schedule;
  ScheduleSummary summary;
  summary.total = schedule.total();
  summary.seconds = target.clockHz > 0 ? static_cast<double>(summary.total) /
                                             static_cast<double>(target.clockHz)
                                       : 0;
  Count matrix, vector, ddrBytes, loaded, stored, ofCalls, between;
  std::map<int64_t, Busy> tiles, ports;
  for (RowId id : order) {
    const ScheduleRow &row = schedule.rows[id];
    ddrBytes += Count{row.ddrBytes};
    if (isa<CallOpInterface>(row.op)) {
      ++summary.calls;
      ofCalls += Count{row.cycles};
    }
    schedule.forEachCrossing(target.machines(), row, [&](int64_t, int64_t) {
      between += Count{row.crossingBytes};
    });
    switch (row.engine) {
    case Engine::Matrix:
      matrix += Count{row.cycles};
      tiles[row.tile].add(row);
      break;
    case Engine::Vector:
      vector += Count{row.cycles};
      tiles[row.tile].add(row);
      break;
    default:
      ports[row.port].add(row);
      (row.engine == Engine::Load ? loaded : stored) += Count{row.ddrBytes};
    }
  }
  summary.ddrBusy = std::max(atRateOfDdr(loaded, Direction::DdrToTile, target),
                             atRateOfDdr(stored, Direction::TileToDdr, target));
  summary.callCycles = ofCalls.value;
  summary.unknownLoops = static_cast<int64_t>(program.unknownLoops.size());
  summary.ddrBytes = ddrBytes.value;
  if (target.machines().areSeveral())
    summary.bytesBetweenMachines = between.value;
  summary.computeBound =
      std::max(matrix, vector).value / std::max<int64_t>(schedule.tiles, 1);
  summary.ddrBytesBound =
      std::min((Count{program.readOnce} + Count{program.writtenOnce}).value,
               summary.ddrBytes);
  summary.ddrBound = std::max(
      atFullBandwidth(program.readOnce, Direction::DdrToTile, target),
      atFullBandwidth(program.writtenOnce, Direction::TileToDdr, target));
  auto waitingOfBusiest = [](const std::map<int64_t, Busy> &all) {
    const Busy *busiest = nullptr;
    for (const auto &[number, busy] : all)
      if (!busiest || busy.cycles > busiest->cycles)
        busiest = &busy;
    return busiest ? busiest->waiting() : 0;
  };
  summary.computeWaiting = waitingOfBusiest(tiles);
  summary.transferWaiting = waitingOfBusiest(ports);
  return summary;
}

} // namespace

FailureOr<ScheduledFunction> scheduleFunction(func::FuncOp function,
                                              const Target &target,
                                              bool keepsRanges) {
  // Tensors have no place, and what works on them no order.
  Operation *ofTensors = nullptr;
  function->walk([&](Operation *op) {
    if (!llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>))
      return WalkResult::advance();
    ofTensors = op;
    return WalkResult::interrupt();
  });
  if (ofTensors)
    return ofTensors->emitError()
           << "expected a program of the phase scratchpad, whose tensors are "
              "buffers, got a tensor: npu-compile makes one of it";
  FailureOr<ProgramRows> program = rowsOf(function, target, keepsRanges);
  if (failed(program))
    return failure();
  schedule(program->schedule, target);
  std::vector<RowId> order = inOrderOfTime(program->schedule);
  ScheduleSummary summary = summarize(*program, order, target);
  return ScheduledFunction{std::move(*program), std::move(order), summary};
}

std::vector<int64_t> waitingOfRows(const Schedule &schedule,
                                   const std::vector<RowId> &order) {
  std::vector<int64_t> waiting(schedule.rows.size(), 0);
  std::map<std::pair<int64_t, Engine>, int64_t> until;
  for (RowId id : order) {
    const ScheduleRow &row = schedule.rows[id];
    // What takes no time waits for nothing.
    if (!row.isCompute() || row.end == row.begin)
      continue;
    int64_t &end = until[{row.tile, row.engine}];
    waiting[id] = std::max<int64_t>(row.begin - end, 0);
    end = std::max(end, row.end);
  }
  return waiting;
}

std::vector<TimesOfPlace> timesOfPlaces(const Schedule &schedule,
                                        const std::vector<RowId> &order) {
  llvm::MapVector<Location, TimesOfPlace> found;
  std::vector<int64_t> waiting = waitingOfRows(schedule, order);
  for (RowId id : order) {
    const ScheduleRow &row = schedule.rows[id];
    TimesOfPlace &each = found[row.op->getLoc()];
    if (!each.op || isa<TransferOp>(each.op))
      each.op = row.op;
    ++each.rows;
    (row.isCompute() ? each.work : each.transfers) += row.end - row.begin;
    each.waiting += waiting[id];
  }
  std::vector<TimesOfPlace> all;
  for (auto &[location, each] : found)
    all.push_back(each);
  llvm::stable_sort(all, [](const TimesOfPlace &a, const TimesOfPlace &b) {
    return a.waiting > b.waiting;
  });
  return all;
}

} // namespace npu
