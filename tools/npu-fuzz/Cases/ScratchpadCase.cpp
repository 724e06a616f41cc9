// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that is assigned layouts for scratchpads of many sizes: bisects
// the smallest one, in multiples of the buffers' alignment. Different is a case
// in which
//  * what was accepted takes more as buffers than the scratchpad has,
//  * what one size accepts takes no more as buffers than another size that
//    refuses the function, or
//  * a size is refused and a smaller one accepted.

#include "npu-fuzz/Cases/Session.h"

#include "npu/Conversion/BufferProgram.h"
#include "npu/Conversion/LowerToTiles/Passes.h"
#include "npu/Conversion/PlanScratchpad/Lowering.h"
#include "npu/Dialect/NPU/Transforms/Assign/Passes.h"
#include "npu/Placement/Scratchpad/PackBuffers.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>

#include <map>

using namespace mlir;

namespace npu {
namespace {

/// Larger than what any function of the fuzzer needs.
constexpr int64_t kEnough = int64_t{1} << 30;

/// A large function may take a little less each time.
constexpr int kSteps = 6;

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
  explicit Bisection(const MadeFunction &function) : function(function) {}

  CaseResult run() {
    Probe all = probe(kEnough);
    if (failure)
      return *failure;
    if (!all.peak)
      return {Outcome::Fine, "no scratchpad suffices"};
    int64_t accepted = leastAccepted(shrink(kEnough, *all.peak));
    checkExactly(accepted);
    for (int64_t percent : {70, 110, 170})
      probe(alignedTo(accepted * percent / 100));
    checkMonotone();
    if (failure)
      return *failure;
    return {};
  }

private:
  struct Probe {
    /// The bytes that the program takes as buffers; nothing where no layouts
    /// were found.
    std::optional<int64_t> peak;
    /// The bytes that are said to be needed at least, where none were found.
    int64_t atLeast = 0;
    /// The bytes of the smallest program that was found for the function that
    /// is refused, where there may be smaller ones.
    int64_t found = 0;
    /// The name of that function; empty where an operation is refused.
    std::string function;
    /// Whether a layout that the function is written with does not fit. That is
    /// refused, although no program needs it where nobody reads the value.
    bool isWrittenTooLarge = false;
    /// Whether the function is so large that not all assignments are tried: one
    /// that was not may fit.
    bool isSampled = false;
  };

  /// Goes on to the scratchpad that the program takes, a few times or as long
  /// as that is smaller; returns the last.
  int64_t shrink(int64_t capacity, int64_t peak) {
    for (int steps = 0; steps < kSteps && !failure; ++steps) {
      int64_t taken = alignedTo(peak);
      if (taken > capacity)
        fail(fmt::format("{} bytes are accepted, and take {} as buffers",
                         capacity, peak));
      if (taken >= capacity || taken == 0)
        return capacity;
      Probe next = probe(taken);
      if (next.isWrittenTooLarge || next.isSampled)
        return capacity;
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

  /// Checks that a program is accepted by a scratchpad of no more bytes than it
  /// takes, which need not be a multiple of the alignment.
  void checkExactly(int64_t accepted) {
    int64_t peak = probe(accepted).peak.value_or(0);
    if (failure || peak == 0)
      return;
    Probe exact = probe(peak);
    if (!exact.peak && !exact.isSampled && !exact.isWrittenTooLarge)
      fail(fmt::format("{} bytes are refused, which the program for {} bytes "
                       "takes as buffers",
                       peak, accepted));
  }

  /// Returns the smallest scratchpad that is accepted, below one that is: by
  /// bisection, and by what errors say where they say it.
  int64_t leastAccepted(int64_t accepted) {
    int64_t refused = 0;
    std::optional<int64_t> said;
    while (!failure && accepted - refused > kBufferAlignment) {
      int64_t capacity = said ? *said : alignedTo((accepted + refused - 1) / 2);
      said.reset();
      Probe found = probe(capacity);
      if (found.peak) {
        accepted = capacity;
        continue;
      }
      refused = capacity;
      // Of what is written too large, errors say something else.
      if (found.atLeast > 0) {
        said = alignedTo(found.atLeast);
        refused = checkAtLeast(refused, found.atLeast, accepted);
      } else if (found.found > 0) {
        // Another function may need more.
        int64_t next = alignedTo(found.found);
        Probe larger = probe(next);
        if (!larger.peak && larger.function == found.function)
          fail(fmt::format("{} bytes are refused, although at {} bytes a "
                           "program of '{}' of {} was found",
                           next, refused, found.function, found.found));
        if (next >= accepted)
          return accepted;
        (larger.peak ? accepted : refused) = next;
      }
    }
    return accepted;
  }

  /// Checks what the error for a capacity says is needed at least: it is more,
  /// and nothing less is accepted. Returns the largest capacity that is refused
  /// by that.
  int64_t checkAtLeast(int64_t refused, int64_t atLeast, int64_t accepted) {
    int64_t below = alignedTo(atLeast) - kBufferAlignment;
    if (atLeast <= refused)
      fail(fmt::format("{} bytes are refused, with at least {} bytes needed",
                       refused, atLeast));
    else if (below >= accepted || (below > refused && probe(below).peak))
      fail(fmt::format("{} bytes are accepted, although at {} bytes at least "
                       "{} are said to be needed",
                       std::min(below, accepted), refused, atLeast));
    return std::max(refused, below);
  }

  void checkMonotone() {
    for (const auto &[larger, refused] : probes)
      for (const auto &[smaller, accepted] : probes)
        if (!refused.peak && !refused.isSampled && accepted.peak &&
            smaller < larger)
          return fail(
              fmt::format("{} bytes are refused, and {} bytes are accepted",
                          larger, smaller));
  }

  static int64_t alignedTo(int64_t bytes) {
    return llvm::alignTo(bytes, kBufferAlignment);
  }

  void fail(const std::string &message) {
    if (!failure)
      failure = CaseResult{Outcome::Different, "scratchpads: " + message,
                           "scratchpads"};
  }

  /// What is known of a capacity is not looked at again.
  Probe probe(int64_t capacity) {
    if (failure)
      return {};
    if (auto known = probes.find(capacity); known != probes.end())
      return known->second;
    Probe found = look(capacity);
    if (!failure)
      probes[capacity] = found;
    return found;
  }

  Probe look(int64_t capacity) {
    AssignTask task = *function.assign;
    task.scratchpadBytes = capacity;
    Session session;
    auto module = session.parse(function.text);
    if (!module) {
      failure = session.refused("parsing");
      return {};
    }
    constexpr llvm::StringLiteral kDevice = "dlti.target_system_spec";
    (*module)->setAttr(kDevice,
                       parseAttribute(describe(task), &session.context));
    AssignDistributionsOptions options;
    options.splitReductions = task.splitReductions;
    if (failed(npu::run(*module, createAssignDistributions(options)))) {
      if (!isTooLarge(session))
        failure = session.refused("assignment");
      Probe refused;
      if (auto *large = session.find(RefusalKind::OperationTooLarge))
        refused.atLeast = large->mark.numbers[0];
      if (auto *missing = session.find(RefusalKind::NoAssignmentFound)) {
        refused.found = missing->mark.numbers[0];
        if (refused.found > 0)
          refused.function = missing->mark.name.str();
        refused.isSampled = missing->mark.numbers[1] != 0;
      }
      refused.isWrittenTooLarge = session.find(RefusalKind::ValueTooLarge);
      return refused;
    }
    // Whatever the buffers take is measured, also beyond the capacity.
    (*module)->removeAttr(kDevice);
    PassManager plan(&session.context);
    buildLowering(plan, CompilePhase::Legal, CompilePhase::Scratchpad);
    if (failed(plan.run(*module))) {
      failure = session.refused("lowering to buffers");
      return {};
    }
    Probe found;
    found.peak = largestArena(*module);
    if (*found.peak > capacity)
      fail(fmt::format("{} bytes are accepted, and take {} as buffers",
                       capacity, *found.peak));
    return found;
  }

  const MadeFunction &function;
  /// By capacity.
  std::map<int64_t, Probe> probes;
  std::optional<CaseResult> failure;
};

} // namespace

CaseResult runScratchpadCase(const MadeFunction &function,
                             const CaseOptions &) {
  return Bisection(function).run();
}

} // namespace npu
