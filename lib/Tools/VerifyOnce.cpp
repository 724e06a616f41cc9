// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "VerifyOnce.h"

#include "mlir/IR/Operation.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;

namespace npu {
namespace {

/// Upstream's flag that makes printing trust the IR. The printer reads it
/// whenever it begins to print, and has no other way in from a tool.
class AssumeVerified {
public:
  AssumeVerified()
      : option(llvm::cl::getRegisteredOptions().lookup(
            "mlir-print-assume-verified")) {}

  /// Whether the flag exists and the user has not set it.
  bool isOurs() const { return option && !option->getNumOccurrences(); }

  void set(bool assume) {
    // MultiArg: this does not count as a second occurrence on the command line.
    option->addOccurrence(0, option->ArgStr, assume ? "true" : "false",
                          /*MultiArg=*/true);
  }

private:
  llvm::cl::Option *option;
};

/// Whether the user has set one of upstream's flags.
bool isGiven(StringRef flag) {
  llvm::cl::Option *option = llvm::cl::getRegisteredOptions().lookup(flag);
  return option && option->getNumOccurrences() > 0;
}

/// Whether the pass leaves IR that it has verified, or that it has not changed
/// since another such pass: those that npu-compile begins and ends with.
bool leavesVerified(Pass &pass) {
  return llvm::is_contained(
      {"npu-verify-phase", "npu-compile-for-device", "npu-print-placement"},
      pass.getArgument());
}

/// Whether the passes are those of npu-compile, which verifies the IR before
/// the first phase and after each.
bool isCompile(PassManager &passes) {
  // A pass without a name is the tool's own, which changes nothing.
  auto first = llvm::find_if(
      passes, [](Pass &pass) { return !pass.getArgument().empty(); });
  return first != passes.end() &&
         first->getArgument() != "npu-print-placement" &&
         leavesVerified(*first) && leavesVerified(*std::prev(passes.end()));
}

/// Keeps the flag set while the whole IR is as it was last verified: before the
/// first pass on the root, between two of them, and after the last one until
/// the pass manager is destroyed, which is after printing.
///
/// The pass manager calls runAfterPass after it has verified the IR after a
/// pass, and runAfterPassFailed if that verification or the pass failed. Where
/// it does not verify, only passes that do so themselves count. Passes
/// on nested operations run on several threads, but always inside an adaptor on
/// the root, so that one thread at a time writes the flag.
class TrustBetweenPasses : public PassInstrumentation {
public:
  TrustBetweenPasses(AssumeVerified flag, bool verifiesEach)
      : flag(flag), verifiesEach(verifiesEach) {
    this->flag.set(true);
  }
  ~TrustBetweenPasses() override { flag.set(false); }

  void runBeforePass(Pass *, Operation *op) override {
    if (isRoot(op) && running++ == 0)
      flag.set(false);
  }
  void runAfterPass(Pass *pass, Operation *op) override {
    if (isRoot(op) && --running == 0)
      flag.set(!failed && (verifiesEach || leavesVerified(*pass)));
  }
  void runAfterPassFailed(Pass *, Operation *op) override {
    if (!isRoot(op))
      return;
    failed = true;
    --running;
  }

private:
  static bool isRoot(Operation *op) { return !op->getParentOp(); }

  AssumeVerified flag;
  /// Whether the pass manager verifies the IR after each pass.
  bool verifiesEach;
  /// How many passes on the root are running: one may run others on it.
  int64_t running = 0;
  bool failed = false;
};

} // namespace

void verifyOnce(MlirOptMainConfig &config) {
  // A reproducer states whether its passes are verified.
  if (!config.shouldVerifyOnParsing() || !config.shouldVerifyPasses() ||
      config.shouldRunReproducer())
    return;
  config.setPassPipelineSetupFn(
      [given = config](PassManager &passes) -> LogicalResult {
        if (llvm::failed(given.setupPassPipeline(passes)))
          return failure();
        bool verifiesEach = !isCompile(passes) || isGiven("verify-each");
        passes.enableVerifier(verifiesEach);
        if (AssumeVerified flag; flag.isOurs())
          passes.addInstrumentation(
              std::make_unique<TrustBetweenPasses>(flag, verifiesEach));
        return success();
      });
}

} // namespace npu
