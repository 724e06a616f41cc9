// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Placement/Plans/TransferVolumes.h"

#include "GridTransfers.h"
#include "GridVolumes.h"

#include <algorithm>

namespace npu {
namespace {

/// Counts equal numbers.
Volumes counted(std::vector<int64_t> elements) {
  std::sort(elements.begin(), elements.end());
  Volumes result;
  for (int64_t each : elements)
    if (!result.empty() && result.back().elements == each)
      ++result.back().count;
    else
      result.push_back({each, 1});
  return result;
}

std::vector<Volumes> counted(std::vector<std::vector<int64_t>> elements) {
  std::vector<Volumes> result;
  result.reserve(elements.size());
  for (std::vector<int64_t> &each : elements)
    result.push_back(counted(std::move(each)));
  return result;
}

int64_t sumOf(const Volumes &volumes) {
  int64_t sum = 0;
  for (const EqualTransfers &each : volumes)
    sum += each.elements * each.count;
  return sum;
}

/// The volumes where grids give them. Null pointers are the DDR.
std::optional<Result<TransferVolumes>>
withoutPlan(const Placement *source, const Placement *target,
            std::span<const PaddedRange> padding) {
  const Extents &shape = (source ? source : target)->shape;
  if (source && target && source->shape != target->shape)
    return std::nullopt;
  if (padding.empty())
    return volumesBetweenGrids(source, target);
  if (!checkPadding(padding, shape) || !keepsBoxes(padding, shape))
    return std::nullopt;
  std::optional<Placement> held, wanted;
  if (source)
    held = realPart(*source, padding);
  if (target)
    wanted = realPart(*target, padding);
  return volumesBetweenGrids(held ? &*held : nullptr,
                             wanted ? &*wanted : nullptr);
}

Result<TransferVolumes> ofPlan(const Result<RedistributionPlan> &plan,
                               std::size_t tileCount) {
  if (!plan)
    return plan.error();
  if (Result<> few = checkFewTransfers(*plan); !few)
    return few.error();
  return volumesOf(*plan, tileCount);
}

} // namespace

int64_t TransferVolumes::elementsMoved() const {
  int64_t sum = sumOf(loads) + sumOf(stores);
  for (const Volumes &each : received)
    sum += sumOf(each);
  return sum;
}

TransferVolumes volumesOf(const RedistributionPlan &plan,
                          std::size_t tileCount) {
  using ByTile = std::vector<std::vector<int64_t>>;
  ByTile sent(tileCount), received(tileCount), loaded(tileCount),
      stored(tileCount);
  std::vector<int64_t> loads, stores;
  for (const Transfer &transfer : plan.transfers) {
    int64_t elements = transfer.box.volume();
    bool isLoad = transfer.from == kDdr,
         isStore = !isLoad && transfer.to.front() == kDdr;
    if (isLoad)
      loads.push_back(elements);
    else
      (isStore ? stored : sent)[transfer.from].push_back(elements);
    if (isStore)
      stores.push_back(elements);
    else
      for (int tile : transfer.to)
        (isLoad ? loaded : received)[tile].push_back(elements);
  }
  TransferVolumes result(tileCount);
  result.sent = counted(std::move(sent));
  result.received = counted(std::move(received));
  result.loaded = counted(std::move(loaded));
  result.stored = counted(std::move(stored));
  result.loads = counted(std::move(loads));
  result.stores = counted(std::move(stores));
  return result;
}

Result<TransferVolumes>
redistributionVolumes(const Placement &source, const Placement &target,
                      std::span<const PaddedRange> padding,
                      const Extents &multiples) {
  if (std::optional<Result<TransferVolumes>> known =
          withoutPlan(&source, &target, padding))
    return *std::move(known);
  return ofPlan(planRedistribution(source, target, padding, multiples),
                std::max(source.tiles.size(), target.tiles.size()));
}

Result<TransferVolumes> loadVolumes(const Placement &target,
                                    std::span<const PaddedRange> padding) {
  if (std::optional<Result<TransferVolumes>> known =
          withoutPlan(nullptr, &target, padding))
    return *std::move(known);
  return ofPlan(planLoad(target, padding), target.tiles.size());
}

Result<TransferVolumes> storeVolumes(const Placement &source,
                                     std::span<const PaddedRange> padding,
                                     const Extents &multiples) {
  if (std::optional<Result<TransferVolumes>> known =
          withoutPlan(&source, nullptr, padding))
    return *std::move(known);
  return ofPlan(planStore(source, padding, multiples), source.tiles.size());
}

} // namespace npu
