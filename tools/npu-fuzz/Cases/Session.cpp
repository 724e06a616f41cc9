// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Cases/Session.h"

#include "npu-fuzz/Recipes/FuzzExtension.h"
#include "npu/Dialect/NPU/Transforms/Verify/Passes.h"
#include "npu/Execution/Jit/CompiledFunction.h"
#include "npu/ExternalModels/RegisterAll.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

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

LogicalResult verifyStrictly(ModuleOp module) {
  PassManager passes(module.getContext());
  VerifyDistributionsOptions options;
  options.strict = true;
  passes.addPass(createVerifyDistributions(options));
  return passes.run(module);
}

} // namespace npu
