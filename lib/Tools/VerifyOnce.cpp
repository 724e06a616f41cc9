// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "VerifyOnce.h"

#include "mlir/IR/Operation.h"
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

/// Keeps the flag set while the whole IR is as it was last verified: before the
/// first pass on the root, between two of them, and after the last one until
/// the pass manager is destroyed, which is after printing.
///
/// The pass manager calls runAfterPass after it has verified the IR after a
/// pass, and runAfterPassFailed if that verification or the pass failed. Passes
/// on nested operations run on several threads, but always inside an adaptor on
/// the root, so that one thread at a time writes the flag.
class TrustBetweenPasses : public PassInstrumentation {
public:
  explicit TrustBetweenPasses(AssumeVerified flag) : flag(flag) {
    this->flag.set(true);
  }
  ~TrustBetweenPasses() override { flag.set(false); }

  void runBeforePass(Pass *, Operation *op) override {
    if (isRoot(op) && running++ == 0)
      flag.set(false);
  }
  void runAfterPass(Pass *, Operation *op) override {
    if (isRoot(op) && --running == 0)
      flag.set(!failed);
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
        if (AssumeVerified flag; flag.isOurs())
          passes.addInstrumentation(std::make_unique<TrustBetweenPasses>(flag));
        return success();
      });
}

} // namespace npu
