// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Fuzz/FunctionCase.h"

#include "PromptCase.h"

#include "npu/Dialect/NPU/Transforms/Passes.h"
#include "npu/Execution/CompiledFunction.h"
#include "npu/Execution/RunAndCompare.h"
#include "npu/Execution/ToExecutable.h"
#include "npu/Tools/RegisterDialects.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace npu {
namespace {

/// A context, and what is said in it.
class Session {
public:
  Session()
      : context(registry(), MLIRContext::Threading::DISABLED),
        handler(&context, [this](Diagnostic &diagnostic) {
          llvm::raw_string_ostream stream(said);
          stream << (diagnostic.getSeverity() == DiagnosticSeverity::Error
                         ? "error: "
                         : "note: ")
                 << diagnostic << "\n";
          return success();
        }) {
    context.printOpOnDiagnostic(false);
  }

  CaseResult refused(const std::string &where) const {
    return {Outcome::Refused, where + ": " + said};
  }

private:
  static DialectRegistry registry() {
    DialectRegistry registry;
    registerDialects(registry);
    registerExecutionInterfaces(registry);
    return registry;
  }

public:
  MLIRContext context;

private:
  std::string said;
  ScopedDiagnosticHandler handler;
};

std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  return text;
}

LogicalResult legalize(ModuleOp module,
                       const std::optional<PadOptions> &padding,
                       bool splitReductions) {
  PassManager passes(module.getContext());
  LegalizeDistributionsOptions options;
  options.splitReductions = splitReductions;
  if (padding) {
    options.maxPromptLen = {padding->maxLength};
    options.side = padding->side == PaddingSide::Left ? "left" : "right";
    options.poison = padding->poison;
  }
  passes.addPass(createLegalizeDistributions(options));
  return passes.run(module);
}

LogicalResult verifyStrictly(ModuleOp module) {
  PassManager passes(module.getContext());
  VerifyDistributionsOptions options;
  options.strict = true;
  passes.addPass(createVerifyDistributions(options));
  return passes.run(module);
}

/// One of the transfers that move anything, which one depends on the seed.
void dropOneTransfer(ModuleOp program, uint64_t seed) {
  SmallVector<TransferOp> transfers;
  program.walk([&](TransferOp transfer) { transfers.push_back(transfer); });
  if (transfers.empty())
    return;
  TransferOp dropped = transfers[seed % transfers.size()];
  dropped->replaceAllUsesWith(dropped.getDests());
  dropped.erase();
}

} // namespace

CaseResult runFunctionCase(const Recipe &recipe,
                           const FunctionCaseOptions &options) {
  Session session;
  session.context.loadDialect<NPUDialect>();
  std::string text = toText(recipe, session.context);
  auto original = parseSourceString<ModuleOp>(text, &session.context);
  if (!original)
    return session.refused("parsing");
  std::optional<PadOptions> padding;
  if (options.prompt)
    padding = markPrompt(*original, options.seed);
  OwningOpRef<ModuleOp> module = original->clone();
  // A recipe splits no float sum, but a prompt may: one entry that becomes six
  // has parts.
  bool splitReductions = recipe.exact || !padding;
  if (failed(legalize(*module, padding, splitReductions)))
    return session.refused("legalization");
  if (failed(verifyStrictly(*module)))
    return session.refused("strict verification after legalization");
  OwningOpRef<ModuleOp> again = module->clone();
  if (failed(legalize(*again, std::nullopt, splitReductions)))
    return session.refused("second legalization");
  if (print(*again) != print(*module))
    return {Outcome::Different, "a second legalization changes the function"};
  if (failed(toExecutable(*module)))
    return session.refused("lowering to tiles");
  if (options.dropTransfer)
    dropOneTransfer(*module, options.seed);

  RunOptions run;
  run.inputs = recipe.exact ? InputKind::Integers : InputKind::Random;
  run.seed = options.seed;
  run.optLevel = options.optLevel;
  std::string report;
  llvm::raw_string_ostream stream(report);
  if (succeeded(
          runAndCompare(std::move(module), std::move(original), run, stream)))
    return {};
  if (report.empty())
    return session.refused("compiling and running");
  return {Outcome::Different, report};
}

std::string toText(const Recipe &recipe) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<NPUDialect>();
  return toText(recipe, context);
}

std::string toText(const Recipe &recipe, const FunctionCaseOptions &options,
                   std::string &passOptions) {
  if (!options.prompt)
    return toText(recipe);
  Session session;
  session.context.loadDialect<NPUDialect>();
  std::string text = toText(recipe, session.context);
  auto module = parseSourceString<ModuleOp>(text, &session.context);
  if (!module)
    return text;
  if (std::optional<PadOptions> padding = markPrompt(*module, options.seed))
    passOptions =
        toString(*padding) + (recipe.exact ? "" : " split-reductions=false");
  return print(*module);
}

} // namespace npu
