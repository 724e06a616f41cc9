// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-set-precision: who asks for what, and the IR that computes so.

#include "npu/Preprocess/Precision/Passes.h"

#include "ComputeIn.h"
#include "Decide.h"
#include "StableForms.h"
#include "npu/Support/Decisions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_SETPRECISION
#include "npu/Preprocess/Precision/Passes.h.inc"

namespace {

struct SetPrecisionPass : impl::SetPrecisionBase<SetPrecisionPass> {
  using SetPrecisionBase::SetPrecisionBase;

  void runOnOperation() override {
    if (failed(readOptions()))
      return signalPassFailure();
    SmallVector<func::FuncOp> functions;
    getOperation().walk([&](func::FuncOp function) {
      if (!function.isExternal())
        functions.push_back(function);
    });
    // Nothing is changed before everything that is asked for can be done.
    SmallVector<AskedOf> asked;
    for (func::FuncOp function : functions) {
      FailureOr<AskedOf> each = askedExplicitly(function, lines);
      if (failed(each))
        return signalPassFailure();
      asked.push_back(std::move(*each));
    }
    if (failed(verifyUsed()))
      return signalPassFailure();
    unsigned patterns = 0;
    for (auto [function, each] : llvm::zip(functions, asked))
      patterns += decide(function, each);
    if (policyAsked != PrecisionPolicy::None && patterns == 0)
      mlir::emitWarning(getOperation().getLoc())
          << "policy=" << policy
          << " changes nothing: no function has squared distances, a variance "
             "or a softmax of the kinds that it is for";
  }

private:
  LogicalResult readOptions() {
    Location loc = getOperation().getLoc();
    std::optional<PrecisionPolicy> read =
        llvm::StringSwitch<std::optional<PrecisionPolicy>>(policy)
            .Case("", PrecisionPolicy::None)
            .Case("accuracy", PrecisionPolicy::Accuracy)
            .Case("performance", PrecisionPolicy::Performance)
            .Default(std::nullopt);
    auto unknown = [&](StringRef option, StringRef got, StringRef expected) {
      return mlir::emitError(loc) << "npu-set-precision: unknown " << option
                                  << "=" << got << ", expected " << expected;
    };
    if (!read)
      return unknown("policy", policy, "accuracy or performance");
    policyAsked = *read;
    if (distances != "norms" && distances != "direct")
      return unknown("distances", distances, "norms or direct");
    if (softmax != "keep" && softmax != "subtract-maximum")
      return unknown("softmax", softmax, "keep or subtract-maximum");
    StringRef other = distances == "direct" ? "distances=direct"
                      : softmax != StringRef("keep")
                          ? "softmax=subtract-maximum"
                          : "";
    if (!other.empty() && policyAsked != PrecisionPolicy::Accuracy)
      return mlir::emitError(loc)
             << "npu-set-precision: expected policy=accuracy beside " << other;
    if (overrides.empty())
      return success();
    FailureOr<SmallVector<Override>> parsed = readOverrides(loc, overrides);
    if (failed(parsed))
      return failure();
    lines = std::move(*parsed);
    if (lines.empty())
      mlir::emitWarning(loc) << "npu-set-precision: overrides '" << overrides
                             << "' changes nothing: no line says anything";
    return success();
  }

  LogicalResult verifyUsed() {
    bool fine = true;
    for (Override &line : lines) {
      if (line.used)
        continue;
      fine = false;
      InFlightDiagnostic error =
          mlir::emitError(line.loc)
          << "'" << line.pattern.text << "' names no operation"
          << (line.named ? " that computes something" : " of the module");
      if (line.named)
        error.attachNote(line.named->getLoc())
            << "it names '" << line.named->getName()
            << "', whose precision nobody can say";
    }
    return success(fine);
  }

  /// Decides and rewrites a function; returns how many patterns it has.
  unsigned decide(func::FuncOp function, AskedOf &asked) {
    bool looks = policyAsked != PrecisionPolicy::None ||
                 isListeningToDecisions(&getContext());
    std::vector<PrecisionPattern> patterns;
    if (looks)
      patterns = findPrecisionPatterns(function);
    ComputeIn writer;
    for (PrecisionPattern &pattern : patterns) {
      tell(pattern);
      if (policyAsked == PrecisionPolicy::None)
        continue;
      bool said = llvm::any_of(
          pattern.ops, [&](Operation *op) { return asked.contains(op); });
      if (distances == "direct" && !said &&
          pattern.hazard == PrecisionHazard::Distances)
        computeDirectly(pattern);
      if (softmax == "subtract-maximum" && !said &&
          pattern.hazard == PrecisionHazard::Softmax)
        subtractMaximum(pattern);
      askByPolicy(pattern, policyAsked, asked);
      for (Operation *op : pattern.ops)
        writer.passOver(op);
    }
    write(function, asked, writer);
    return patterns.size();
  }

  void tell(const PrecisionPattern &pattern) {
    if (!getContext().getRemarkEngine())
      return;
    Operation *root = linalg::LinalgOp(pattern.root);
    auto remark = mlir::remark::analysis(root->getLoc(),
                                         decision("precision-pattern", root));
    if (!remark)
      return;
    std::string parts;
    for (Operation *op : pattern.ops)
      if (!computesNothing(cast<linalg::LinalgOp>(op)))
        parts +=
            (parts.empty() ? "" : ", ") + op->getName().getStringRef().str();
    remark << mlir::remark::reason(
        "{0}, of {1}, in {2}: {3}", describe(pattern.hazard).str(), parts,
        toString(pattern.storage), riskOf(pattern.hazard).str());
    if (policyAsked == PrecisionPolicy::None)
      remark << mlir::remark::suggest(
          "{0}", std::string("policy=accuracy keeps all of it in f32"));
  }

  void write(func::FuncOp function, AskedOf &asked, ComputeIn &writer) {
    SmallVector<std::pair<linalg::LinalgOp, Asked>> order;
    function.walk([&](linalg::LinalgOp op) {
      auto it = asked.find(op);
      if (it != asked.end())
        order.emplace_back(op, it->second);
    });
    for (auto &[op, each] : order) {
      Precision types = completed(op, each.types);
      remarkDone("precision", op, 0, [&, &each = each] {
        std::string cost;
        if (each.isForSpeed)
          cost = ", which may cost the result: sums of more than 2048 terms of "
                 "one size stand still in f16, of more than 256 in bf16";
        return toString(types) + ", by " + each.who + cost;
      });
      writer.apply(op, types);
    }
    writer.eraseDead();
  }

  PrecisionPolicy policyAsked = PrecisionPolicy::None;
  SmallVector<Override> lines;
};

} // namespace
} // namespace npu
