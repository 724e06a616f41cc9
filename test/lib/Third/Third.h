// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dialect as a third party would bring it: operations in the .td file, a file
// for what each of them says of itself, and nothing in lib/ that knows of it.

#ifndef TEST_THIRD_THIRD_H
#define TEST_THIRD_THIRD_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/IndexingMapOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ThirdDialect.h.inc"

#define GET_OP_CLASSES
#include "ThirdOps.h.inc"

namespace third {

void attachReverse(mlir::MLIRContext &context);
void attachBlur(mlir::MLIRContext &context);
void attachMinMax(mlir::MLIRContext &context);
void attachTake(mlir::MLIRContext &context);
void attachHalfTaught(mlir::MLIRContext &context);
void attachCrash(mlir::MLIRContext &context);

/// What the dialect promises: the models of its operations.
void registerModels(mlir::DialectRegistry &registry);

} // namespace third

#endif // TEST_THIRD_THIRD_H
