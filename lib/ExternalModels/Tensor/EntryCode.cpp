// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EntryCode.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace npu {

Value EntryCode::compare(arith::CmpIPredicate predicate, Value a, Value b) {
  return arith::CmpIOp::create(reader.getBuilder(), loc, predicate, a, b);
}

Value EntryCode::both(Value a, Value b) {
  return a ? compute<arith::AndIOp>(a, b) : b;
}

Value EntryCode::choose(Value condition, Value a, Value b) {
  return condition ? arith::SelectOp::create(reader.getBuilder(), loc,
                                             condition, a, b)
                         .getResult()
                   : a;
}

Value EntryCode::read(Value tensor, ArrayRef<Value> at) {
  return tensor::ExtractOp::create(reader.getBuilder(), loc, tensor, at);
}

Value EntryCode::readInside(Value tensor, ArrayRef<Value> at, Value inside,
                            Value otherwise) {
  if (llvm::is_contained(cast<RankedTensorType>(tensor.getType()).getShape(),
                         0))
    return otherwise;
  SmallVector<Value> guarded;
  for (Value position : at)
    guarded.push_back(choose(inside, position, number(0)));
  return choose(inside, read(tensor, guarded), otherwise);
}

Value EntryCode::copyBlock(Block &block, ValueRange arguments) {
  IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  for (Operation &inner : block.without_terminator())
    reader.getBuilder().clone(inner, mapping);
  return mapping.lookupOrDefault(block.getTerminator()->getOperand(0));
}

} // namespace npu
