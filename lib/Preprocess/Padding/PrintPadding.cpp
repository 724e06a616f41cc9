// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-print-padding: prints what would be padding in every value, without
// padding anything.

#include "PreparePadding.h"
#include "npu/Preprocess/Padding/PadToMaxPromptLen.h"
#include "npu/Preprocess/Padding/Passes.h"
#include "npu/Support/Naming.h"
#include "npu/Support/Report.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_PRINTPADDING
#include "npu/Preprocess/Padding/Passes.h.inc"

namespace {

struct PrintPaddingPass : impl::PrintPaddingBase<PrintPaddingPass> {
  using PrintPaddingBase::PrintPaddingBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    PadOptions options;
    options.maxLength = maxPromptLen;
    FailureOr<PaddingSide> parsed = parsePaddingSide(module.getLoc(), side);
    if (failed(verifyFormat(module.getLoc(), getArgument(), format)) ||
        failed(parsed) ||
        failed(checkMaxPromptLen(module.getLoc(), maxPromptLen)))
      return signalPassFailure();
    options.side = *parsed;
    // Analyse a copy that is prepared like a function to be padded, so that the
    // module does not change.
    OwningOpRef<ModuleOp> copy = module.clone();
    inlineCallsWithPrompt(*copy);
    FailureOr<PromptFunctions> prompts = findPrompts(*copy, options);
    if (failed(prompts))
      return signalPassFailure();
    std::vector<PaddingAnalysis> analyses;
    for (auto &[function, prompt] : *prompts) {
      hoistDims(function);
      analyses.emplace_back(function, prompt);
      if (failed(analyses.back().run()))
        return signalPassFailure();
    }
    std::string text;
    llvm::raw_string_ostream os(text);
    if (format == "json")
      printJson(os, *prompts, analyses);
    else
      printText(os, *prompts, analyses);
    if (failed(writeReport(module, getArgument(), outputFile, text)))
      signalPassFailure();
    markAllAnalysesPreserved();
  }

  static void printText(raw_ostream &os, const PromptFunctions &prompts,
                        const std::vector<PaddingAnalysis> &analyses) {
    for (auto [named, analysis] : llvm::zip(prompts, analyses)) {
      func::FuncOp function = named.first;
      os << "function @" << function.getName() << "\n";
      for (Value value : tensorValues(function))
        os << "  " << nameOf(value) << ": " << toString(analysis.of(value))
           << "\n";
      function.walk([&](linalg::LinalgOp op) {
        if (const StructuredPadding *padding = analysis.of(op))
          printLoops(os, op, *padding);
      });
    }
  }

  static void printLoops(raw_ostream &os, linalg::LinalgOp op,
                         const StructuredPadding &padding) {
    auto print = [&](const llvm::SmallBitVector &loops, StringRef what) {
      for (unsigned loop : loops.set_bits())
        os << "  " << op->getName() << " at " << nameOfLocation(op.getLoc())
           << ": loop " << loop << " " << what << "\n";
    };
    print(padding.masked, "skips padding");
    print(padding.proved, "needs no mask, padding is neutral");
  }

  static void printJson(raw_ostream &os, const PromptFunctions &prompts,
                        const std::vector<PaddingAnalysis> &analyses) {
    llvm::json::OStream json(os, /*IndentSize=*/2);
    json.object([&] {
      json.attributeArray("functions", [&] {
        for (auto [named, analysis] : llvm::zip(prompts, analyses)) {
          func::FuncOp function = named.first;
          json.object([&] {
            json.attribute("name", function.getName());
            json.attributeArray("values", [&] {
              for (Value value : tensorValues(function))
                printJson(json, value, analysis.of(value));
            });
          });
        }
      });
    });
    os << "\n";
  }

  static void printJson(llvm::json::OStream &json, Value value,
                        const PaddingState &state) {
    json.object([&] {
      json.attribute("name", nameOf(value));
      json.attributeArray("padded", [&] {
        for (auto [number, dim] : llvm::enumerate(state)) {
          if (!dim)
            continue;
          json.object([&] {
            json.attribute("dim", static_cast<int64_t>(number));
            json.attribute("real", spell(dim->real));
            json.attribute("hole", spell(dim->hole));
            json.attribute("extent", dim->extent);
            if (dim->content)
              json.attribute("content", toString(dim->content));
          });
        }
      });
    });
  }
};

} // namespace
} // namespace npu
