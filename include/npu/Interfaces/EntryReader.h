// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a model uses while it builds the code that computes one entry of an
// operation's result. That code becomes the body of a linalg.generic over all
// entries, at positions without padding.

#ifndef NPU_INTERFACES_ENTRYREADER_H
#define NPU_INTERFACES_ENTRYREADER_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace npu {

class EntryReader {
public:
  /// A builder inside of the body.
  virtual mlir::OpBuilder &getBuilder() = 0;

  /// The real extent of a dimension of a tensor operand, as an index value.
  virtual mlir::Value extentOf(mlir::Value operand, int64_t dim) = 0;
  /// The entry of an operand, which has the shape of the result, at the
  /// position of the result that is computed.
  virtual mlir::Value inPlace(mlir::Value operand) = 0;
  /// A number as an index value in the body.
  virtual mlir::Value number(mlir::OpFoldResult value) = 0;
  mlir::Value number(int64_t value) {
    return number(mlir::OpFoldResult(getBuilder().getIndexAttr(value)));
  }

protected:
  ~EntryReader() = default;
};

} // namespace npu

#endif // NPU_INTERFACES_ENTRYREADER_H
