// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Cases/RunRecipe.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace npu {
namespace {

/// The number of elements of the largest tensor.
int64_t largestValue(const Recipe &recipe) {
  int64_t most = 0;
  std::vector<ValueFacts> facts = *inferFacts(recipe);
  for (const ValueFacts &value : facts)
    most = std::max(most, Box::whole(value.shape).volume());
  return most;
}

} // namespace

InputKind inputKindOf(const Recipe &recipe) {
  return recipe.exact     ? InputKind::Integers
         : recipe.special ? InputKind::Special
                          : InputKind::Random;
}

CaseResult runAgainst(const Session &session, ModuleOp module,
                      ModuleOp original, const Recipe &recipe, RunOptions run,
                      const FunctionCaseOptions &options,
                      const std::string &before) {
  run.inputs = inputKindOf(recipe);
  run.seed = options.seed;
  // Special inputs are there to spread.
  run.allowNonFinite = true;
  run.optLevel = options.optLevel;
  run.verifiesTileProgram = !options.dropTransfer;
  std::string report;
  llvm::raw_string_ostream stream(report);
  if (recipe.parallelTiles)
    run.threads = TileThreads::Many;
  // Run large parallel programs several times, because races depend on timing.
  constexpr int64_t kMayTakeTurns = 2000;
  bool mayRace = recipe.parallelTiles && largestValue(recipe) > kMayTakeTurns;
  bool equal = true;
  for (int times = mayRace ? 3 : 1; equal && times > 0; --times)
    equal =
        succeeded(runAndCompare(module.clone(), original.clone(), run, stream));
  if (equal)
    return {};
  if (report.empty())
    return session.refused("compiling and running");
  return {Outcome::Different, before + report};
}

void dropOneTransfer(ModuleOp program, uint64_t seed) {
  SmallVector<TransferOp> transfers;
  program.walk([&](TransferOp transfer) { transfers.push_back(transfer); });
  if (transfers.empty())
    return;
  TransferOp dropped = transfers[seed % transfers.size()];
  dropped->replaceAllUsesWith(dropped.getDests());
  dropped.erase();
}

} // namespace npu
