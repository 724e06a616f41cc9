// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports a log as a module that reproduces its errors.

#include "../Log/ReportMessages.h"
#include "CastFunction.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace npu {

OwningOpRef<ModuleOp> importNpuLog(StringRef text, StringRef fileName,
                                   const NpuLogOptions &options,
                                   MLIRContext *context) {
  loadCastDialects(context);
  FailureOr<NpuLog> log = readNpuLog(text, fileName, options, context);
  if (failed(log))
    return {};
  OpBuilder builder(context);
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(builder, log->location(std::size_t(0)));
  builder.setInsertionPointToStart(module->getBody());
  LogMessages remarks;
  for (auto [error, cast] : llvm::zip_equal(log->errors, log->casts)) {
    buildFailingFunction(builder, cast, log->location(error));
    llvm::append_range(remarks, error.messages);
  }
  // Errors of the log have been reported before; a failure here would be an
  // error of this program.
  if (failed(verify(*module)))
    return {};
  reportMessages(*log, remarks);
  return module;
}

} // namespace npu
