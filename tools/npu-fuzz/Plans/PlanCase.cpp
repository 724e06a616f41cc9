// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Plans/PlanCase.h"
#include "npu-fuzz/Plans/CheckPlan.h"
#include "npu-fuzz/Plans/RandomPlacements.h"
#include "npu/Placement/Distributions/WholeBytes.h"

#include <map>

namespace npu {

PlanCase randomPlanCase(uint64_t seed, uint64_t number) {
  RandomPlacements random(seed, number);
  PlanCase result;
  result.shape = random.oneIn(100) ? Extents() : random.shape(/*maxRank=*/5);
  int64_t maxTiles = random.oneIn(20) ? 40 : 8;
  result.source = random.distribution(result.shape, maxTiles);
  result.target = random.distribution(result.shape, maxTiles);
  // Draw padding last, so that the other random numbers do not depend on it.
  if (random.oneIn(3))
    result.padding = random.padding(result.shape);
  if (random.oneIn(2))
    for (int64_t perByte : {2, 4})
      if (!findByteCut(*place(result.source, result.shape), {}, perByte) &&
          !findByteCut(*place(result.target, result.shape), {}, perByte))
        result.perByte = perByte;
  if (random.oneIn(4))
    result.machines.tilesEach = random.between(1, 4);
  return result;
}

std::string toString(const PlanCase &planCase) {
  std::string text = "shape " + toString(planCase.shape) + "\n";
  if (planCase.perByte > 1)
    text += std::to_string(planCase.perByte) + " elements in a byte\n";
  if (planCase.machines.areSeveral())
    text += std::to_string(planCase.machines.tilesEach) +
            " tiles on each machine\n";
  for (const PaddedRange &padded : planCase.padding)
    text += "padding of dimension " + std::to_string(padded.dim) + ": " +
            std::to_string(padded.range.begin) + ":" +
            std::to_string(padded.range.end) + "\n";
  for (bool isSource : {true, false}) {
    const Distribution &side = isSource ? planCase.source : planCase.target;
    text += std::string(isSource ? "source " : "target ") +
            std::string(toString(side.mode)) + "\n";
    Placement placement = *place(side, planCase.shape);
    for (std::size_t tile = 0; tile < placement.tiles.size(); ++tile)
      text += "  tile " + std::to_string(tile) + " computes " +
              toString(placement.tiles[tile].compute) + ", holds " +
              toString(placement.tiles[tile].memory) + "\n";
  }
  return text;
}

namespace {

/// Checks one plan by calling `check`.
template <typename CheckOf>
CaseResult checkOne(const char *what, Result<RedistributionPlan> plan,
                    bool dropTransfer, CheckOf check) {
  if (!plan)
    return {Outcome::Refused, std::string(what) + ": " + plan.error().message};
  if (dropTransfer && !plan->transfers.empty())
    plan->transfers.list().pop_back();
  if (Result<> error = check(*plan); !error)
    return {Outcome::Different,
            std::string(what) + ": " + error.error().message};
  return {};
}

} // namespace

namespace {

/// Checks that bytes which elements share move as one to each machine.
Result<> checkBytesOnMachines(const PlanCase &planCase,
                              const RedistributionPlan &plan) {
  std::map<int64_t, RedistributionPlan> byMachine;
  for (const Transfer &transfer : plan.transfers)
    byMachine[planCase.machines.of(transfer.to.front())]
        .transfers.list()
        .push_back(transfer);
  for (const auto &[machine, part] : byMachine)
    if (Result<> error = checkSharedBytes(planCase.shape, part,
                                          planCase.perByte, planCase.padding);
        !error)
      return error;
  return Success();
}

/// Plans the same for tiles of several machines.
CaseResult runOnMachines(const PlanCase &planCase, const Placement &source,
                         const Placement &target, const Extents &multiples,
                         bool dropTransfer) {
  const Padding &padding = planCase.padding;
  Machines machines = planCase.machines;
  auto check = [&](const Placement *from, const Placement *to) {
    return [&, from, to](const RedistributionPlan &plan) {
      return firstOf(
          {checkOnMachines(from, to, plan, machines, padding, multiples),
           checkBytesOnMachines(planCase, plan)});
    };
  };
  CaseResult results[] = {
      checkOne("redistribution on machines",
               planRedistribution(source, target, padding, multiples, machines),
               dropTransfer, check(&source, &target)),
      checkOne("load on machines", planLoad(target, padding, machines),
               dropTransfer, check(nullptr, &target)),
      checkOne("store on machines",
               planStore(source, padding, multiples, machines), dropTransfer,
               check(&source, nullptr))};
  for (CaseResult &result : results)
    if (result.outcome != Outcome::Fine)
      return std::move(result);
  return {};
}

} // namespace

CaseResult runPlanCase(const PlanCase &planCase, bool dropTransfer) {
  for (const Distribution *side : {&planCase.source, &planCase.target})
    if (Result<> error = checkForms(*side, planCase.shape); !error)
      return {Outcome::Different, error.error().message};
  Placement source = *place(planCase.source, planCase.shape);
  Placement target = *place(planCase.target, planCase.shape);
  const Padding &padding = planCase.padding;
  int64_t perByte = planCase.perByte;
  Extents multiples = cutsBetweenBytes(planCase.shape, {}, perByte);
  auto checkBytes = [&](const RedistributionPlan &plan) {
    return checkSharedBytes(planCase.shape, plan, perByte, padding);
  };
  CaseResult results[] = {
      checkOne("redistribution",
               planRedistribution(source, target, padding, multiples),
               dropTransfer,
               [&](const auto &plan) {
                 return firstOf({checkRedistribution(source, target, plan,
                                                     padding, multiples),
                                 checkBytes(plan)});
               }),
      checkOne("load", planLoad(target, padding), dropTransfer,
               [&](const auto &plan) {
                 return firstOf(
                     {checkLoad(target, plan, padding), checkBytes(plan)});
               }),
      checkOne("store", planStore(source, padding, multiples), dropTransfer,
               [&](const auto &plan) {
                 return firstOf(
                     {checkStore(source, plan, padding), checkBytes(plan)});
               })};
  for (CaseResult &result : results)
    if (result.outcome != Outcome::Fine)
      return std::move(result);
  return planCase.machines.areSeveral()
             ? runOnMachines(planCase, source, target, multiples, dropTransfer)
             : CaseResult();
}

} // namespace npu
