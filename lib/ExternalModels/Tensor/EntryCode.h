// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code that computes one entry of a result from entries of operands, in few
// words.

#ifndef NPU_LIB_EXTERNALMODELS_TENSOR_ENTRYCODE_H
#define NPU_LIB_EXTERNALMODELS_TENSOR_ENTRYCODE_H

#include "npu/Interfaces/EntryReader.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace npu {

class EntryCode {
public:
  EntryCode(EntryReader &reader, mlir::Location loc)
      : reader(reader), loc(loc) {}

  mlir::Value number(mlir::OpFoldResult value) { return reader.number(value); }
  mlir::Value number(int64_t value) { return reader.number(value); }
  template <typename Op>
  mlir::Value compute(mlir::Value a, mlir::Value b) {
    return Op::create(reader.getBuilder(), loc, a, b);
  }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a,
                      mlir::Value b);
  /// `b` where there is no `a`.
  mlir::Value both(mlir::Value a, mlir::Value b);
  /// `a` where there is no condition.
  mlir::Value choose(mlir::Value condition, mlir::Value a, mlir::Value b);
  mlir::Value read(mlir::Value tensor, llvm::ArrayRef<mlir::Value> at);
  /// Nothing is read where there is nothing; what is not `inside` reads the
  /// first entry, and is not taken.
  mlir::Value readInside(mlir::Value tensor, llvm::ArrayRef<mlir::Value> at,
                         mlir::Value inside, mlir::Value otherwise);
  /// The block's operations, on `arguments`; what it yields.
  mlir::Value copyBlock(mlir::Block &block, mlir::ValueRange arguments);

private:
  EntryReader &reader;
  mlir::Location loc;
};

} // namespace npu

#endif // NPU_LIB_EXTERNALMODELS_TENSOR_ENTRYCODE_H
