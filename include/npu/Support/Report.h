// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all printing passes need: the values that they list, and a way to write
// a report to its file as a whole or not at all.

#ifndef NPU_SUPPORT_REPORT_H
#define NPU_SUPPORT_REPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/JSON.h"

namespace npu {

/// Fails with a diagnostic unless `format` is one of `known`.
llvm::LogicalResult
verifyFormat(mlir::Location loc, llvm::StringRef pass, llvm::StringRef format,
             llvm::ArrayRef<llvm::StringRef> known = {"text", "json"});

/// Writes the report to a file, or to standard output for "-". An error at `op`
/// when the file cannot be opened or written, is an input, or is the output of
/// somebody else (InputFiles.h) than `writer`, the pass or the option whose
/// report it is. What stands between bars in lines that end in a bar is a
/// picture (npu/Placement/Pictures), which has colours on a terminal. Other
/// characters that command a terminal are blank.
llvm::LogicalResult writeReport(mlir::Operation *op, llvm::StringRef writer,
                                llvm::StringRef file, llvm::StringRef text,
                                bool hasPictures = false);

/// Writes an array of numbers on one line, whatever the indentation around it.
void numberArray(llvm::json::OStream &json, llvm::StringRef name,
                 llvm::ArrayRef<int64_t> numbers);

/// Writes a shape on one line, with null for a dynamic extent.
void shapeArray(llvm::json::OStream &json, llvm::ArrayRef<int64_t> shape);

/// Every tensor value of a function in program order, arguments first.
llvm::SmallVector<mlir::Value> tensorValues(mlir::FunctionOpInterface function);

} // namespace npu

#endif // NPU_SUPPORT_REPORT_H
