// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an operation asks for while it says, as code, how one entry of its
// result is computed. That code becomes the body of a linalg.generic over all
// entries, at positions without padding.

#ifndef NPU_INTERFACES_ENTRYREADER_H
#define NPU_INTERFACES_ENTRYREADER_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace npu {

class EntryReader {
public:
  /// Stands in the body.
  virtual mlir::OpBuilder &getBuilder() = 0;

  /// The extent of a dimension of a tensor operand, an index.
  virtual mlir::Value extentOf(mlir::Value operand, int64_t dim) = 0;
  /// The entry of an operand, of the result's shape, at the position that is
  /// computed.
  virtual mlir::Value inPlace(mlir::Value operand) = 0;
  /// As a value.
  virtual mlir::Value number(mlir::OpFoldResult value) = 0;
  mlir::Value number(int64_t value) {
    return number(mlir::OpFoldResult(getBuilder().getIndexAttr(value)));
  }

protected:
  ~EntryReader() = default;
};

} // namespace npu

#endif // NPU_INTERFACES_ENTRYREADER_H
