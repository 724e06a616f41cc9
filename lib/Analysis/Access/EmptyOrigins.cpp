// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Access/EmptyOrigins.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/Interfaces/RematerializableOpInterface.h"

using namespace mlir;

namespace npu {

Value movedOrViewed(Operation *op) {
  if (auto change = dyn_cast<LayoutChangeOpInterface>(op))
    return change.getSource();
  return viewedTensor(op);
}

Operation *EmptyOrigins::emptyAfter(Value value) {
  SmallVector<Value> links;
  Operation *empty = nullptr;
  while (true) {
    if (auto it = known.find(value); it != known.end()) {
      empty = it->second;
      break;
    }
    Operation *op = value.getDefiningOp();
    Value from = op && op->getNumResults() == 1 ? movedOrViewed(op) : Value();
    if (!from) {
      empty = isUnwritten(value) ? op : nullptr;
      break;
    }
    links.push_back(value);
    value = from;
  }
  for (Value link : links)
    known[link] = empty;
  return empty;
}

bool EmptyOrigins::isRematerializedAsEmpty(Operation *op) {
  Value from = op->getNumResults() == 1 ? movedOrViewed(op) : Value();
  if (!from)
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return type && type.hasStaticShape() && isMadeOfNothing(from);
}

} // namespace npu
