// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Preprocess/Padding/AskedExtent.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;

namespace npu {

Value askedExtent(OpBuilder &builder, ShapedDimOpInterface dim,
                  ArrayRef<Value> extents) {
  Location loc = dim.getLoc();
  Value number =
      getValueOrCreateConstantIndexOp(builder, loc, dim.getDimension());
  Value result = extents.front();
  for (size_t each = 1; each < extents.size(); ++each) {
    Value other = arith::ConstantIndexOp::create(builder, loc, each);
    Value asked = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        number, other);
    result =
        arith::SelectOp::create(builder, loc, asked, extents[each], result);
  }
  return result;
}

} // namespace npu
