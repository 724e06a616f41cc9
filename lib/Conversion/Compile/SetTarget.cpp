// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-set-target: writes the device that counts into the module.

#include "npu/Analysis/TargetOf.h"
#include "npu/Conversion/Compile/Passes.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/Dialect/DLTI/DLTI.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_SETTARGET
#include "npu/Conversion/Compile/Passes.h.inc"

namespace {

struct SetTargetPass : impl::SetTargetBase<SetTargetPass> {
  using SetTargetBase::SetTargetBase;

  LogicalResult initializeOptions(
      StringRef text,
      llvm::function_ref<LogicalResult(const llvm::Twine &)> fail) override {
    if (failed(SetTargetBase::initializeOptions(text, fail)) ||
        failed(verifyTargetOption(target.hasValue(), target, fail)))
      return failure();
    if (target.empty() == targetFile.empty())
      return fail("expected either target=NAME or target-file=FILE");
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<std::optional<Target>> described = describedTarget(module);
    FailureOr<TargetFile> wanted = find();
    if (failed(described) || failed(wanted))
      return signalPassFailure();
    // What else a description of this device says stays.
    if (*described != wanted->target || !targetFile.empty())
      describeTarget(module, *wanted);
    markAllAnalysesPreserved();
  }

private:
  FailureOr<TargetFile> find() {
    if (!targetFile.empty())
      return readTargetFile(&getContext(), targetFile);
    FailureOr<std::optional<Target>> named = targetOf(getOperation(), target);
    if (failed(named))
      return failure();
    return TargetFile{**named, /*like=*/""};
  }
};

} // namespace
} // namespace npu
