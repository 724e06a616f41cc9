// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the printing passes share: which values and functions they list, and
// how a report reaches its file whole or not at all.

#ifndef NPU_SUPPORT_REPORT_H
#define NPU_SUPPORT_REPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/JSON.h"

namespace npu {

/// "text" or "json"; anything else is an error that says so.
llvm::LogicalResult verifyFormat(mlir::Location loc, llvm::StringRef pass,
                                 llvm::StringRef format);

/// Writes to the file, or to standard output for "-". An error when the file
/// cannot be opened.
llvm::LogicalResult writeReport(mlir::Operation *op, llvm::StringRef file,
                                llvm::StringRef text);

/// An array of numbers on one line, whatever the indentation around it.
void numberArray(llvm::json::OStream &json, llvm::StringRef name,
                 llvm::ArrayRef<int64_t> numbers);

/// A shape likewise; null for a dynamic extent.
void shapeArray(llvm::json::OStream &json, llvm::ArrayRef<int64_t> shape);

/// Every tensor value of a function in program order, arguments first.
llvm::SmallVector<mlir::Value> tensorValues(mlir::FunctionOpInterface function);

} // namespace npu

#endif // NPU_SUPPORT_REPORT_H
