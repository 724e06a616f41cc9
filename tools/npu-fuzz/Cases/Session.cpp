// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Cases/Session.h"

#include "npu-fuzz/Functions/FuzzExtension.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Execution/Jit/CompiledFunction.h"
#include "npu/ExternalModels/RegisterAll.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace npu {

static DialectRegistry registryOfAll() {
  DialectRegistry registry;
  registerDialects(registry);
  registerExecutionInterfaces(registry);
  if (fuzzExtension().registerMore)
    fuzzExtension().registerMore(registry);
  return registry;
}

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

std::string PassCall::asOption() const {
  return "--" + name + (options.empty() ? "" : "='" + options + "'");
}

LogicalResult run(ModuleOp module, const PassCall &pass) {
  PassManager passes(module.getContext());
  return failed(parsePassPipeline(pass.name + "{" + pass.options + "}", passes))
             ? failure()
             : passes.run(module);
}

} // namespace npu
