// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ScratchpadCase.h"

#include "AssignCase.h"
#include "Session.h"

#include "npu/Conversion/BufferProgram.h"
#include "npu/Conversion/LowerToTiles/Passes.h"
#include "npu/Conversion/PlanScratchpad/TensorsToBuffers.h"
#include "npu/Dialect/NPU/Transforms/Assign/Passes.h"
#include "npu/Placement/Scratchpad/PackBuffers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>

#include <map>

using namespace mlir;

namespace npu {
namespace {

/// Larger than what any function of the fuzzer needs.
constexpr int64_t kEnough = int64_t{1} << 30;

/// The bytes of the largest arena of any function and tile.
int64_t largestArena(ModuleOp planned) {
  int64_t most = 0;
  for (auto function : planned.getOps<func::FuncOp>())
    for (BlockArgument argument : function.getArguments())
      if (function.getArgAttr(argument.getArgNumber(), arenaAttrName))
        most = std::max(most,
                        cast<MemRefType>(argument.getType()).getNumElements());
  return most;
}

class Bisection {
public:
  explicit Bisection(const Recipe &recipe) : recipe(recipe) {
    this->recipe.assign->strategy = "least";
    this->recipe.assign->states = AssignTask().states;
  }

  CaseResult run() {
    Probe all = probe(kEnough);
    if (failure)
      return *failure;
    if (!all.peak)
      return {Outcome::Fine, "no scratchpad suffices"};
    int64_t refused = 0, accepted = shrink(kEnough, *all.peak);
    while (!failure && accepted - refused > kBufferAlignment) {
      int64_t middle =
          llvm::alignTo(refused + (accepted - refused) / 2, kBufferAlignment);
      if (middle >= accepted)
        break;
      Probe found = probe(middle);
      if (found.peak)
        accepted = shrink(middle, *found.peak);
      else
        refused = middle;
    }
    checkAround(accepted);
    if (failure)
      return *failure;
    return {};
  }

private:
  struct Probe {
    /// The bytes that the program takes as buffers; nothing where no layouts
    /// were found.
    std::optional<int64_t> peak;
  };

  /// Goes on to the scratchpad that the program takes, as long as that is
  /// smaller; returns the last.
  int64_t shrink(int64_t capacity, int64_t peak) {
    while (!failure) {
      int64_t taken = llvm::alignTo(peak, kBufferAlignment);
      if (taken > capacity)
        fail(fmt::format("{} bytes are accepted, and take {} as buffers",
                         capacity, peak));
      if (taken >= capacity || taken == 0)
        return capacity;
      Probe next = probe(taken);
      if (!failure && !next.peak)
        fail(fmt::format("{} bytes are refused, which the program for {} bytes "
                         "takes as buffers",
                         taken, capacity));
      if (failure)
        return capacity;
      capacity = taken;
      peak = *next.peak;
    }
    return capacity;
  }

  /// Sizes that were not looked at, on both sides of the smallest.
  void checkAround(int64_t least) {
    for (int64_t percent : {60, 90, 110, 170}) {
      int64_t capacity =
          llvm::alignTo(least * percent / 100 + 1, kBufferAlignment);
      if (!failure && capacity != least)
        probe(capacity);
    }
    for (auto [larger, isAccepted] : probes)
      if (!isAccepted && larger > probes.begin()->first)
        for (auto [smaller, isToo] : probes)
          if (isToo && smaller < larger)
            return fail(
                fmt::format("{} bytes are refused, and {} bytes are accepted",
                            larger, smaller));
  }

  void fail(const std::string &message) {
    if (!failure)
      failure = CaseResult{Outcome::Different, "scratchpads: " + message};
  }

  Probe probe(int64_t capacity) {
    if (failure)
      return {};
    recipe.assign->scratchpadBytes = capacity;
    Session session;
    session.context.loadDialect<NPUDialect>();
    auto module = parseSourceString<ModuleOp>(toText(recipe), &session.context);
    if (!module) {
      failure = session.refused("parsing");
      return {};
    }
    AssignDistributionsOptions options;
    options.splitReductions = recipe.assign->splitReductions;
    PassManager assign(&session.context);
    assign.addPass(createAssignDistributions(options));
    if (failed(assign.run(*module))) {
      if (!isTooLarge(session))
        failure = session.refused("assignment");
      probes[capacity] = false;
      return {};
    }
    // Whatever the buffers take is measured, also beyond the capacity.
    (*module)->removeAttr("dlti.target_system_spec");
    PassManager plan(&session.context);
    plan.addPass(createLowerToTiles());
    buildTensorsToBuffers(plan);
    if (failed(plan.run(*module))) {
      failure = session.refused("lowering to buffers");
      return {};
    }
    probes[capacity] = true;
    Probe found;
    found.peak = largestArena(*module);
    if (*found.peak > capacity)
      fail(fmt::format("{} bytes are accepted, and take {} as buffers",
                       capacity, *found.peak));
    return found;
  }

  Recipe recipe;
  std::map<int64_t, bool> probes;
  std::optional<CaseResult> failure;
};

} // namespace

CaseResult runScratchpadCase(const Recipe &recipe) {
  return Bisection(recipe).run();
}

} // namespace npu
