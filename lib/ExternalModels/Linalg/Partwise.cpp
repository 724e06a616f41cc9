// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Linalg.h"
#include "npu/Interfaces/OpAccessBuilder.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/TileProgram/TilePart.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace npu {
namespace {

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

} // namespace

void registerLinalgPartwiseModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    linalg::SoftmaxOp::attachInterface<SoftmaxModel>(*context);
  });
}

} // namespace npu
