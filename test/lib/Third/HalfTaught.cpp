// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says what it reads, and not how a part of it is made: it is done on gathered
// data. Asked for rows of the prompt, it gives no answer.

#include "Third.h"

#include "npu/Interfaces/CausalOpInterface.h"
#include "npu/Interfaces/OpAccessBuilder.h"
#include "npu/Interfaces/PartwiseOpInterface.h"

using namespace mlir;

namespace third {
namespace {

struct Partwise
    : npu::PartwiseOpInterface::ExternalModel<Partwise, HalfTaughtOp> {
  std::optional<npu::OpAccess> getAccess(Operation *op) const {
    std::optional<npu::OpAccessBuilder> builder = npu::OpAccessBuilder::of(op);
    if (!builder)
      return std::nullopt;
    builder->loopOverResult();
    SmallVector<AffineExpr> same;
    for (unsigned dim = 0; dim < builder->resultExtents(0).size(); ++dim)
      same.push_back(builder->loop(dim));
    builder->setOperand(0, same);
    return builder->finish();
  }
};

/// Leaves out its result.
struct Rows : npu::CausalOpInterface::ExternalModel<Rows, HalfTaughtOp> {
  npu::WhyNotCausal transferRows(Operation *, npu::RowTransfer &) const {
    return std::nullopt;
  }
};

} // namespace

void attachHalfTaught(MLIRContext &context) {
  HalfTaughtOp::attachInterface<Partwise, Rows>(context);
}

} // namespace third
