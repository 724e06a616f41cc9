// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short forms for building the code that computes one entry of a result from
// entries of operands.

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
  /// The conjunction of `a` and `b`; `b` where `a` is null.
  mlir::Value both(mlir::Value a, mlir::Value b);
  /// `condition ? a : b`; `a` where the condition is null.
  mlir::Value choose(mlir::Value condition, mlir::Value a, mlir::Value b);
  mlir::Value read(mlir::Value tensor, llvm::ArrayRef<mlir::Value> at);
  /// Reads an entry where `inside` holds, and gives `otherwise` elsewhere. The
  /// entry is always read, outside at the first position; a tensor without
  /// entries is not read.
  mlir::Value readInside(mlir::Value tensor, llvm::ArrayRef<mlir::Value> at,
                         mlir::Value inside, mlir::Value otherwise);
  /// Clones the operations of the block on `arguments`, and gives the value
  /// that it yields.
  mlir::Value copyBlock(mlir::Block &block, mlir::ValueRange arguments);

private:
  EntryReader &reader;
  mlir::Location loc;
};

} // namespace npu

#endif // NPU_LIB_EXTERNALMODELS_TENSOR_ENTRYCODE_H
