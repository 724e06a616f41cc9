// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says what it reads, and not how a part of it is made: it falls back to the
// host. Asked for rows of the prompt, it gives no answer.

#include "Third.h"

#include "npu/Interfaces/CausalOpInterface.h"
#include "npu/Interfaces/OpAccessBuilder.h"
#include "npu/Interfaces/PaddingOpInterface.h"
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

/// What a model can leave out: of one dimension its answer, of two what it has
/// answered, of three how an entry is computed.
struct Padding : npu::PaddingOpInterface::ExternalModel<Padding, HalfTaughtOp> {
  npu::MaybeRefused transferPadding(Operation *op,
                                    npu::PaddingTransfer &transfer) const {
    Value input = op->getOperand(0);
    const npu::PaddingState state = transfer.of(input);
    if (state.size() == 2)
      transfer.setResult(op->getResult(0), state);
    if (state.size() == 3)
      return npu::Refusal("it is to be read entry by entry");
    return std::nullopt;
  }

  SmallVector<Value> pad(Operation *, npu::PaddedOperands &) const {
    return {};
  }

  SmallVector<AffineExpr>
  realExtents(Operation *op, const npu::PaddingTransfer &transfer) const {
    if (transfer.of(op->getOperand(0)).size() != 3)
      return {};
    return transfer.realExtents(op->getOperand(0));
  }
};

} // namespace

void attachHalfTaught(MLIRContext &context) {
  HalfTaughtOp::attachInterface<Partwise, Rows, Padding>(context);
}

} // namespace third
