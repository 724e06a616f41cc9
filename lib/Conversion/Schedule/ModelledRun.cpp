// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Conversion/Schedule/ModelledRun.h"

#include "RowNames.h"
#include "ScheduleFigures.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Support/Naming.h"
#include "npu/Target/Count.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/MapVector.h"

#include <fmt/format.h>

#include <set>

using namespace mlir;

namespace npu {
namespace {

/// The names that a location has, without repetitions.
SmallVector<StringAttr> namesIn(Location loc) {
  SmallVector<StringAttr> names;
  loc->walk([&](Location part) {
    if (auto name = dyn_cast<NameLoc>(part);
        name && !llvm::is_contained(names, name.getName()))
      names.push_back(name.getName());
    return WalkResult::advance();
  });
  return names;
}

/// Products that an operation sums up; 0 where it does no such thing.
int64_t macsOf(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured || structured.getNumReductionLoops() == 0)
    return 0;
  bool multiplies = structured.getBlock()
                        ->walk([](Operation *inner) {
                          return isa<arith::MulFOp, arith::MulIOp>(inner)
                                     ? WalkResult::interrupt()
                                     : WalkResult::advance();
                        })
                        .wasInterrupted();
  if (!multiplies)
    return 0;
  Count macs{1};
  for (int64_t extent : structured.getStaticLoopRanges()) {
    if (ShapedType::isDynamic(extent))
      return 0;
    macs = macs * Count{extent};
  }
  return macs.value;
}

/// The MACs that one matrix engine does in a cycle at its peak, in the types of
/// the operation.
int64_t peakOf(Operation *op, const Target &target) {
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  bool isByte = element.isIntOrFloat() && element.getIntOrFloatBitWidth() <= 8;
  return (isByte ? target.costs.i8 : target.costs.f16).macsPerCycle;
}

/// What is added up for one layer.
struct Sums {
  LayerRun run;
  /// The cycles that its MACs take at the peak of one engine.
  double atPeak = 0;
  /// From the begin of its first row of work to the end of its last.
  int64_t begin = 0, end = 0;
  bool works = false;
  std::set<int64_t> tiles;
  /// The cycles of each kind of row, with rows that compute apart.
  std::map<std::pair<bool, std::string>, int64_t> kinds;
  /// Whether all of its rows load, or all of them store.
  bool onlyLoads = true, onlyStores = true;
};

class LayerSums {
public:
  LayerSums(const Schedule &schedule, const Target &target)
      : schedule(schedule), target(target) {}

  std::vector<LayerRun> run(const std::vector<int64_t> &waiting) {
    int64_t latest = 0;
    for (auto [id, row] : llvm::enumerate(schedule.rows)) {
      Sums &layer = layerOf(row.op);
      layer.run.cycles += std::max<int64_t>(row.end - latest, 0);
      latest = std::max(latest, row.end);
      layer.run.waiting += waiting[id];
      layer.run.ddrBytes += row.ddrBytes;
      add(layer, row);
    }
    std::vector<LayerRun> runs;
    for (auto &[name, layer] : layers)
      runs.push_back(finish(layer));
    return runs;
  }

private:
  Sums &layerOf(Operation *op) {
    auto [known, isNew] = ofOperation.try_emplace(op, 0);
    if (!isNew)
      return (layers.begin() + known->second)->second;
    SmallVector<StringAttr> names = namesIn(op->getLoc());
    std::string name =
        names.empty() ? nameOfLocation(op->getLoc()) : names.front().str();
    auto [layer, isNewLayer] = layers.try_emplace(name);
    layer->second.run.name = name;
    for (StringAttr other : llvm::ArrayRef(names).drop_front(!names.empty()))
      if (!llvm::is_contained(layer->second.run.fused, other))
        layer->second.run.fused.push_back(other.str());
    known->second = layer - layers.begin();
    return layer->second;
  }

  void add(Sums &layer, const ScheduleRow &row) {
    layer.onlyLoads &= row.engine == Engine::Load;
    layer.onlyStores &= row.engine == Engine::Store && isa<TransferOp>(row.op);
    layer.kinds[{row.isCompute(), nameOfWork(row)}] += row.end - row.begin;
    if (!row.isCompute()) {
      layer.tiles.insert(schedule.receivers.begin() + row.receivers,
                         schedule.receivers.begin() + row.endOfReceivers);
      return;
    }
    layer.tiles.insert(row.tile);
    if (row.begin == row.end)
      return;
    layer.begin = layer.works ? std::min(layer.begin, row.begin) : row.begin;
    layer.end = std::max(layer.end, row.end);
    layer.works = true;
    auto [macs, isNew] = macsOfOperation.try_emplace(row.op, 0);
    if (isNew)
      macs->second = macsOf(row.op);
    layer.run.macs += macs->second;
    if (int64_t peak = macs->second ? peakOf(row.op, target) : 0)
      layer.atPeak +=
          static_cast<double>(macs->second) / static_cast<double>(peak);
  }

  LayerRun finish(Sums &layer) const {
    LayerRun &run = layer.run;
    if (layer.onlyLoads || layer.onlyStores)
      run.name = "(transfer of " + run.name + ")";
    run.tiles = layer.tiles.size();
    // Work counts before transfers.
    auto most =
        llvm::max_element(layer.kinds, [](const auto &a, const auto &b) {
          return std::pair(a.first.first, a.second) <
                 std::pair(b.first.first, b.second);
        });
    run.kind = most->first.second;
    if (run.macs > 0 && layer.end > layer.begin)
      run.utilisation = layer.atPeak / (static_cast<double>(schedule.tiles) *
                                        (layer.end - layer.begin));
    return std::move(run);
  }

  const Schedule &schedule;
  const Target &target;
  llvm::MapVector<std::string, Sums, std::map<std::string, unsigned>> layers;
  llvm::DenseMap<Operation *, ptrdiff_t> ofOperation;
  llvm::DenseMap<Operation *, int64_t> macsOfOperation;
};

} // namespace

FailureOr<ModelledRun> modelledRun(func::FuncOp function,
                                   const Target &target) {
  FailureOr<ScheduledFunction> scheduled =
      scheduleFunction(function, target, /*keepsRanges=*/false);
  if (failed(scheduled))
    return failure();
  const Schedule &rows = scheduled->program.schedule;
  return ModelledRun{
      scheduled->summary,
      LayerSums(rows, target).run(waitingOfRows(rows, scheduled->order))};
}

} // namespace npu
