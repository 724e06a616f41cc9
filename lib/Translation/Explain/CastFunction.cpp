// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CastFunction.h"

#include "../Log/ReportMessages.h"
#include "npu/Analysis/Choices/Movement.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace npu {
namespace {

/// Builds a function whose body `makeBody` makes the result from the argument.
void buildFunction(OpBuilder &builder, const LoggedCast &cast, Location loc,
                   function_ref<Value(Value)> makeBody) {
  OpBuilder::InsertionGuard guard(builder);
  FunctionType type = builder.getFunctionType({cast.in}, {cast.out});
  auto function = func::FuncOp::create(builder, loc, cast.function, type);
  Block *entry = function.addEntryBlock();
  entry->getArgument(0).setLoc(loc);
  builder.setInsertionPointToStart(entry);
  Value result = makeBody(entry->getArgument(0));
  func::ReturnOp::create(builder, loc, result);
}

Value castTo(OpBuilder &builder, const LoggedCast &cast, Location loc,
             Type type, Value input) {
  return PermuteCastOp::create(
      builder, loc, type, input,
      ArrayRef<int64_t>(cast.memPerm.begin(), cast.memPerm.size()));
}

} // namespace

void buildFailingFunction(OpBuilder &builder, const LoggedCast &cast,
                          Location loc) {
  buildFunction(builder, cast, loc, [&](Value argument) {
    return castTo(builder, cast, loc, cast.out, argument);
  });
}

void buildRepairedFunction(OpBuilder &builder, const LoggedCast &cast,
                           Location loc) {
  buildFunction(builder, cast, loc, [&](Value argument) -> Value {
    Value result = castTo(builder, cast, loc, cast.expected, argument);
    switch (relate(cast.expected, cast.out)) {
    case Relation::Identical:
      // Both are forms of one layout, so that the cast can have the other type.
      result.setType(cast.out);
      return result;
    case Relation::SameMemory:
    case Relation::Contained:
      return DistributionCastOp::create(builder, loc, cast.out, result);
    case Relation::DataMoves:
      return RedistributeOp::create(builder, loc, cast.out, result);
    }
    return result;
  });
}

void loadCastDialects(MLIRContext *context) {
  context->loadDialect<NPUDialect, func::FuncDialect>();
}

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
