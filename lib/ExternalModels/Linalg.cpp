// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models for operations of linalg that do not have LinalgOp.

#include "Models.h"
#include "npu/Interfaces/OpAccessBuilder.h"
#include "npu/Interfaces/PaddingOpInterface.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/Interfaces/StructuredFormOpInterface.h"
#include "npu/Interfaces/WorkOpInterface.h"
#include "npu/TileProgram/TilePart.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;

namespace npu {
namespace {

/// The model of softmax. Along a padded dimension it consists of two
/// reductions, which have to skip padding. Along other dimensions, rows of
/// padding are computed like rows.
struct SoftmaxPadding
    : PaddingOpInterface::ExternalModel<SoftmaxPadding, linalg::SoftmaxOp> {
  MaybeRefused transferPadding(Operation *op, PaddingTransfer &transfer) const {
    auto softmax = cast<linalg::SoftmaxOp>(op);
    PaddingState state = transfer.of(softmax.getInput());
    if (isPadded(state) && state[softmax.getDimension()])
      transfer.decomposeFirst(op);
    for (auto &dim : state)
      if (dim)
        dim->content = {};
    transfer.setResult(op->getResult(0), std::move(state));
    return std::nullopt;
  }

  SmallVector<Value> pad(Operation *op, PaddedOperands &operands) const {
    return cloneOnPadded(op, operands, &operands.of(op->getResult(0)));
  }
};

struct SoftmaxModel
    : PartwiseOpInterface::ExternalModel<SoftmaxModel, linalg::SoftmaxOp> {
  std::optional<OpAccess> getAccess(Operation *op) const {
    auto softmax = cast<linalg::SoftmaxOp>(op);
    std::optional<OpAccessBuilder> builder = OpAccessBuilder::of(op);
    if (!builder || !softmax.hasPureTensorSemantics())
      return std::nullopt;
    // There is one more loop than dimensions: every output along the softmax
    // dimension reads all inputs along it.
    builder->loopOverResult();
    uint64_t dim = softmax.getDimension();
    unsigned rank = builder->resultExtents(0).size();
    unsigned along = builder->addLoop(builder->resultExtents(0)[dim],
                                      /*reduces=*/true);
    SmallVector<AffineExpr> positions;
    for (unsigned i = 0; i < rank; ++i)
      positions.push_back(builder->loop(i));
    builder->setUnread(1, positions);
    positions[dim] = builder->loop(along);
    builder->setOperand(0, positions);
    return builder->finish();
  }

  bool partsBeginTogether(Operation *) const { return true; }

  std::optional<std::string> whyNotCut(Operation *op) const {
    if (orderOf(op->getOperand(0)) == orderOf(op->getResult(0)))
      return {};
    return "its input and its result have different dimension orders";
  }

  /// A softmax computes as many entries as it reads, so that it computes whole
  /// rows of which the tile keeps a part.
  LogicalResult cutForTile(Operation *op, TilePart &part) const {
    if (part.iteration().empty) {
      part.giveNothing();
      return success();
    }
    Value rows = part.operand(0);
    TileBuilder tiles = part.tiles();
    auto local = cast<linalg::SoftmaxOp>(
        part.cloneOn({rows, tiles.empty(cast<RankedTensorType>(rows.getType()),
                                        orderOf(op->getOperand(0)))}));
    OpResult result = op->getResult(0);
    Permutation order = orderOf(result);
    local.setDimension(inverse(order)[local.getDimension()]);
    Box held = part.held(result);
    part.give(result, tiles.slice(local->getResult(0),
                                  part.access().spanned(0, part.iteration()),
                                  held, order));
    return success();
  }

private:
  static Permutation orderOf(Value value) {
    return getOrder(cast<RankedTensorType>(value.getType()));
  }
};

/// The form that upstream's `lower` gives.
template <typename Op, auto lower>
struct LoweredForm
    : StructuredFormOpInterface::ExternalModel<LoweredForm<Op, lower>, Op> {
  LogicalResult rewriteAsStructured(Operation *op,
                                    RewriterBase &rewriter) const {
    return LogicalResult(lower(rewriter, cast<Op>(op), /*asSlice=*/true));
  }
};

/// One kernel. Its access has a loop more than it runs: it reads whole rows,
/// and computes as many entries as it reads.
struct SoftmaxWork
    : WorkOpInterface::ExternalModel<SoftmaxWork, linalg::SoftmaxOp> {
  VectorBody getVectorBody(Operation *) const { return {.softmax = 1}; }

  std::optional<unsigned> getElementOperand(Operation *) const { return 0; }
};

} // namespace

void registerLinalgModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    linalg::SoftmaxOp::attachInterface<SoftmaxPadding, SoftmaxModel,
                                       SoftmaxWork>(*context);
    linalg::PackOp::attachInterface<
        LoweredForm<linalg::PackOp, linalg::lowerPack>>(*context);
    linalg::UnPackOp::attachInterface<
        LoweredForm<linalg::UnPackOp, linalg::lowerUnPack>>(*context);
  });
}

} // namespace npu
