// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Dialect/NPU/Transforms/AskedExtent.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace npu {

Value askedExtent(OpBuilder &builder, tensor::DimOp dim,
                  ArrayRef<Value> extents) {
  Location loc = dim.getLoc();
  Value result = extents.front();
  for (size_t each = 1; each < extents.size(); ++each) {
    Value number = arith::ConstantIndexOp::create(builder, loc, each);
    Value asked = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        dim.getIndex(), number);
    result =
        arith::SelectOp::create(builder, loc, asked, extents[each], result);
  }
  return result;
}

} // namespace npu
