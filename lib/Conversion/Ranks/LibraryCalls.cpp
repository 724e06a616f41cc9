// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LibraryCalls.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace npu {

func::CallOp callLibrary(OpBuilder &builder, Location loc, StringRef name,
                         TypeRange results, ValueRange arguments) {
  auto module = builder.getBlock()->getParentOp()->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    auto declared = func::FuncOp::create(
        builder, module.getLoc(), name,
        builder.getFunctionType(arguments.getTypes(), results));
    declared.setPrivate();
  }
  return func::CallOp::create(builder, loc, name, results, arguments);
}

} // namespace npu
