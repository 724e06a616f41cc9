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
#include "npu/Conversion/PlanScratchpad/Lowering.h"
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

int64_t alignedTo(int64_t bytes) {
  return llvm::alignTo(bytes, kBufferAlignment);
}

/// What is said of a function for one capacity.
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
  /// Whether the refusal proves nothing: a layout that the function is written
  /// with does not fit, which no program needs where nobody reads the value; or
  /// not all assignments or sizes of steps are tried, and one that was not may
  /// fit.
  bool provesNothing = false;
};

class Bisection {
public:
  explicit Bisection(const MadeFunction &function) : function(function) {}

  CaseResult run() {
    std::optional<int64_t> all = probe(kEnough).peak;
    if (failure)
      return *failure;
    if (!all)
      return {Outcome::Fine, "no scratchpad suffices"};
    // Go on to what the program takes: a large function may take a little less
    // each time.
    int64_t accepted = kEnough, refused = 0;
    constexpr int kSteps = 6;
    for (int step = 0; step < kSteps; ++step) {
      int64_t taken = alignedTo(*probe(accepted).peak);
      if (taken == 0 || taken >= accepted || !probe(taken).peak)
        break;
      accepted = taken;
    }
    // Bisect, and look at what errors say where they say it.
    while (!failure && accepted - refused > kBufferAlignment) {
      int64_t capacity = alignedTo((accepted + refused - 1) / 2);
      Probe probed = probe(capacity);
      (probed.peak ? accepted : refused) = capacity;
      for (int64_t said : {alignedTo(probed.atLeast),
                           alignedTo(probed.atLeast) - kBufferAlignment,
                           alignedTo(probed.found)})
        if (said > refused && said < accepted)
          (probe(said).peak ? accepted : refused) = said;
    }
    // A program is accepted by a scratchpad of no more bytes than it takes,
    // which need not be a multiple of the alignment.
    // There is no device without any.
    if (int64_t taken = probe(accepted).peak.value_or(accepted); taken > 0)
      probe(taken);
    for (int64_t percent : {70, 110, 170})
      probe(alignedTo(accepted * percent / 100));
    check();
    return failure.value_or(CaseResult());
  }

private:
  /// Compares what is said of every two capacities.
  void check() {
    for (const auto &[capacity, probe] : probes) {
      if (probe.peak && *probe.peak > capacity)
        fail(fmt::format("{} bytes are accepted, and take {} as buffers",
                         capacity, *probe.peak));
      if (!probe.peak && probe.atLeast > 0 && probe.atLeast <= capacity)
        fail(fmt::format("{} bytes are refused, with at least {} bytes needed",
                         capacity, probe.atLeast));
      if (!probe.peak)
        for (const auto &[other, said] : probes)
          checkRefused(capacity, probe, other, said);
    }
  }

  void checkRefused(int64_t capacity, const Probe &refused, int64_t other,
                    const Probe &said) {
    if (said.peak && *said.peak <= capacity && !refused.provesNothing)
      fail(fmt::format("{} bytes are refused, and {} bytes are accepted and "
                       "take {} as buffers",
                       capacity, other, *said.peak));
    if (said.peak && refused.atLeast > other)
      fail(fmt::format("{} bytes are accepted, although at {} bytes at least "
                       "{} are said to be needed",
                       other, capacity, refused.atLeast));
    // Another function may need more.
    if (!said.peak && refused.found > 0 && !said.provesNothing &&
        other == alignedTo(refused.found) && said.function == refused.function)
      fail(fmt::format("{} bytes are refused, although at {} bytes a program "
                       "of '{}' of {} was found",
                       other, capacity, refused.function, refused.found));
  }

  void fail(const std::string &message) {
    if (!failure)
      failure = CaseResult{Outcome::Different, "scratchpads: " + message,
                           "scratchpads"};
  }

  /// What is known of a capacity is not looked at again.
  Probe probe(int64_t capacity) {
    auto [known, isNew] = probes.try_emplace(capacity);
    if (isNew && !failure)
      known->second = look(capacity);
    return known->second;
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
    if (failed(npu::run(*module,
                        {"npu-assign-distributions",
                         task.splitReductions ? "split-reductions" : ""}))) {
      if (!session.isTooLarge())
        failure = session.refused("assignment");
      Probe refused;
      if (auto *large = session.find(RefusalKind::OperationTooLarge))
        refused.atLeast = large->mark.numbers[0];
      if (auto *missing = session.find(RefusalKind::NoAssignmentFound)) {
        refused.found = missing->mark.numbers[0];
        if (refused.found > 0)
          refused.function = missing->mark.name.str();
        refused.provesNothing = missing->mark.numbers[1] != 0;
      }
      if (session.find(RefusalKind::ValueTooLarge))
        refused.provesNothing = true;
      return refused;
    }
    if (failed(npu::run(*module, {"npu-run-in-steps"}))) {
      failure = session.refused("steps");
      return {};
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
