// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Plans/PlanCase.h"
#include "npu-fuzz/Plans/CheckPlan.h"
#include "npu-fuzz/Plans/RandomPlacements.h"
#include "npu/Placement/Distributions/WholeBytes.h"

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
  return result;
}

std::string toString(const PlanCase &planCase) {
  std::string text = "shape " + toString(planCase.shape) + "\n";
  if (planCase.perByte > 1)
    text += std::to_string(planCase.perByte) + " elements in a byte\n";
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
    plan->transfers.pop_back();
  if (Result<> error = check(*plan); !error)
    return {Outcome::Different,
            std::string(what) + ": " + error.error().message};
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
  return {};
}

} // namespace npu
