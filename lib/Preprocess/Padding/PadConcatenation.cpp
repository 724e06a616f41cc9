// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PadConcatenation.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {

Value padConcatenation(Operation *op, const Concatenation &whole,
                       PaddedValues &values) {
  OpBuilder &builder = values.getBuilder();
  Location loc = op->getLoc();
  const PaddingState &state = values.of(op->getResult(0));
  SmallVector<Value> parts;
  for (Value part : whole.parts) {
    PaddingState wanted = values.of(part);
    wanted.resize(state.size());
    for (int64_t dim = 0; dim < int64_t(state.size()); ++dim)
      if (dim != whole.along)
        wanted[dim] = state[dim];
    parts.push_back(values.padded(part, wanted, loc));
  }
  auto concat = tensor::ConcatOp::create(
      builder, loc, values.paddedType(op->getResult(0)), whole.along, parts);
  concat->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return concat;
}

} // namespace npu
