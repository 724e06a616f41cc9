// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of npu.transfer's spelling that the generated parser and printer
// call.

#ifndef NPU_LIB_DIALECT_NPU_IR_TRANSFERSYNTAX_H
#define NPU_LIB_DIALECT_NPU_IR_TRANSFERSYNTAX_H

#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/IR/OpImplementation.h"

namespace npu {

/// `tile 3` or `ddr`.
mlir::ParseResult parseEndpoint(mlir::OpAsmParser &parser,
                                mlir::IntegerAttr &from);
void printEndpoint(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                   mlir::IntegerAttr from);

/// `tile 1, tile 2`
mlir::ParseResult parseEndpoints(mlir::OpAsmParser &parser,
                                 mlir::DenseI64ArrayAttr &to);
void printEndpoints(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                    mlir::DenseI64ArrayAttr to);

/// `%a[0, 0], %b[4, 0]`
mlir::ParseResult parseDestinations(
    mlir::OpAsmParser &parser,
    llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &dests,
    mlir::DenseI64ArrayAttr &offsets);
void printDestinations(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                       mlir::OperandRange dests,
                       mlir::DenseI64ArrayAttr offsets);

/// `[0:1, 7:14]`
mlir::ParseResult parseBoxRanges(mlir::OpAsmParser &parser,
                                 mlir::DenseI64ArrayAttr &offset,
                                 mlir::DenseI64ArrayAttr &size);
void printBoxRanges(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                    mlir::DenseI64ArrayAttr offset,
                    mlir::DenseI64ArrayAttr size);

/// A plain number: the attribute's type says nothing to a reader.
mlir::ParseResult parseBytes(mlir::OpAsmParser &parser,
                             mlir::IntegerAttr &bytes);
void printBytes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                mlir::IntegerAttr bytes);

/// Result types are the destinations' types and not spelled again.
mlir::ParseResult
parseSameAsDestinations(mlir::OpAsmParser &parser,
                        llvm::ArrayRef<mlir::Type> destTypes,
                        llvm::SmallVectorImpl<mlir::Type> &resultTypes);
void printSameAsDestinations(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                             mlir::TypeRange destTypes,
                             mlir::TypeRange resultTypes);

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_IR_TRANSFERSYNTAX_H
