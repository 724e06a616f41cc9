// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Cases/Session.h"

#include "npu-fuzz/Functions/FuzzExtension.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/Transforms/Verify/Passes.h"
#include "npu/Execution/Jit/CompiledFunction.h"
#include "npu/ExternalModels/RegisterAll.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

DialectRegistry registryOfAll() {
  DialectRegistry registry;
  registerDialects(registry);
  registerExecutionInterfaces(registry);
  if (fuzzExtension().registerMore)
    fuzzExtension().registerMore(registry);
  return registry;
}

/// The number of elements of the largest tensor.
int64_t largestValue(ModuleOp module) {
  int64_t most = 0;
  module.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        if (tensor.hasStaticShape())
          most = std::max(most, tensor.getNumElements());
  });
  return most;
}

/// Erases one of the transfers that move elements, chosen by the seed.
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

Session::Session()
    : context(registryOfAll(), MLIRContext::Threading::DISABLED),
      handler(&context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Remark)
          return success();
        llvm::raw_string_ostream stream(said);
        stream << (diagnostic.getSeverity() == DiagnosticSeverity::Error
                       ? "error: "
                       : "note: ")
               << diagnostic << "\n";
        std::string firstNote;
        for (Diagnostic &note : diagnostic.getNotes()) {
          stream << "note: " << note << "\n";
          if (firstNote.empty())
            firstNote = note.str();
        }
        if (std::optional<RefusalMark> mark = markOf(diagnostic))
          marked.push_back({std::move(*mark), std::move(firstNote)});
        return success();
      }) {
  context.printOpOnDiagnostic(false);
  context.loadDialect<NPUDialect>();
}

OwningOpRef<ModuleOp> Session::parse(const std::string &text) {
  return parseSourceString<ModuleOp>(text, &context);
}

const Session::Marked *Session::find(RefusalKind kind) const {
  auto found = llvm::find_if(
      marked, [&](const Marked &each) { return each.mark.kind == kind; });
  return found == marked.end() ? nullptr : &*found;
}

CaseResult Session::refused(const std::string &where) const {
  return {Outcome::Refused, where + ": " + said, where};
}

std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  return text;
}

LogicalResult run(ModuleOp module, std::unique_ptr<Pass> pass) {
  PassManager passes(module.getContext());
  passes.addPass(std::move(pass));
  return passes.run(module);
}

LogicalResult run(ModuleOp module, const std::string &pipeline) {
  PassManager passes(module.getContext());
  return failed(parsePassPipeline(pipeline, passes)) ? failure()
                                                     : passes.run(module);
}

LogicalResult verifyStrictly(ModuleOp module) {
  VerifyDistributionsOptions options;
  options.strict = true;
  return run(module, createVerifyDistributions(options));
}

InputKind inputKindOf(const MadeFunction &function) {
  return function.exact     ? InputKind::Integers
         : function.special ? InputKind::Special
                            : InputKind::Random;
}

CaseResult runAgainst(const Session &session, ModuleOp module,
                      ModuleOp original, const MadeFunction &function,
                      RunOptions run, const CaseOptions &options,
                      const std::string &before) {
  if (options.broken == Break::DropTransfer)
    dropOneTransfer(module, options.seed);
  run.inputs = inputKindOf(function);
  run.seed = options.seed;
  // Special inputs are there to spread.
  run.allowNonFinite = true;
  run.optLevel = options.optLevel;
  run.verifiesTileProgram = options.broken != Break::DropTransfer;
  std::string report;
  llvm::raw_string_ostream stream(report);
  if (function.parallelTiles)
    run.threads = TileThreads::Many;
  // Run large parallel programs several times, because races depend on timing.
  constexpr int64_t kMayTakeTurns = 2000;
  bool mayRace =
      function.parallelTiles && largestValue(original) > kMayTakeTurns;
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

std::string runCommand(const MadeFunction &function,
                       const CaseOptions &options) {
  return fmt::format("--inputs={} --seed={} -O{}{}",
                     nameOf(inputKindOf(function)), options.seed,
                     options.optLevel,
                     function.parallelTiles ? " --tiles=parallel" : "");
}

} // namespace npu
