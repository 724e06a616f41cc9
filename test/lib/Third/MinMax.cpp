// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two results of one reduction. A tile does to its rows what the operation does
// to all of them.

#include "Third.h"

#include "npu/Interfaces/OpAccessBuilder.h"
#include "npu/Interfaces/PaddingOpInterface.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/Interfaces/StructuredFormOpInterface.h"
#include "npu/TileProgram/TilePart.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace third {
namespace {

struct Partwise : npu::PartwiseOpInterface::ExternalModel<Partwise, MinMaxOp> {
  std::optional<npu::OpAccess> getAccess(Operation *op) const {
    std::optional<npu::OpAccessBuilder> builder = npu::OpAccessBuilder::of(op);
    if (!builder)
      return std::nullopt;
    builder->loopOverResult();
    unsigned along =
        builder->addLoop(builder->operandExtents(0)[1], /*reduces=*/true);
    builder->setResult(1, builder->loop(0));
    builder->setOperand(0, {builder->loop(0), builder->loop(along)});
    return builder->finish();
  }

  std::optional<std::string> whyNotCut(Operation *op) const {
    auto input = cast<RankedTensorType>(op->getOperand(0).getType());
    if (npu::isIdentity(npu::getOrder(input)))
      return {};
    return "its rows are not capacity rows";
  }

  LogicalResult cutForTile(Operation *op, npu::TilePart &part) const {
    if (part.iteration().empty) {
      part.giveNothing();
      return success();
    }
    Operation *local = part.cloneOnPart();
    for (OpResult result : op->getResults())
      part.giveProduced(result, local->getResult(result.getResultNumber()));
    return success();
  }
};

struct Structured
    : npu::StructuredFormOpInterface::ExternalModel<Structured, MinMaxOp> {
  bool hasStructuredForm(Operation *op) const {
    return cast<RankedTensorType>(op->getOperand(0).getType()).hasStaticShape();
  }

  /// Both results by one operation, from infinities on.
  LogicalResult rewriteAsStructured(Operation *op,
                                    RewriterBase &rewriter) const {
    if (!hasStructuredForm(op))
      return failure();
    auto minmax = cast<MinMaxOp>(op);
    Location loc = op->getLoc();
    auto filled = [&](Value like, bool negative) -> Value {
      auto type = cast<RankedTensorType>(like.getType());
      Value empty =
          tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                  type.getElementType(), type.getEncoding());
      Value infinity = arith::ConstantOp::create(
          rewriter, loc,
          rewriter.getFloatAttr(
              type.getElementType(),
              APFloat::getInf(APFloat::IEEEsingle(), negative)));
      return linalg::FillOp::create(rewriter, loc, infinity, empty)
          ->getResult(0);
    };
    Value low = filled(minmax.getLow(), false);
    Value high = filled(minmax.getHigh(), true);
    AffineMap both = rewriter.getMultiDimIdentityMap(2);
    AffineMap row = AffineMap::get(2, 0, rewriter.getAffineDimExpr(0));
    SmallVector<utils::IteratorType> loops{utils::IteratorType::parallel,
                                           utils::IteratorType::reduction};
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, op->getResultTypes(), minmax.getInput(), ValueRange{low, high},
        ArrayRef<AffineMap>{both, row, row}, loops,
        [](OpBuilder &inner, Location loc, ValueRange elements) {
          Value less =
              arith::MinimumFOp::create(inner, loc, elements[1], elements[0]);
          Value more =
              arith::MaximumFOp::create(inner, loc, elements[2], elements[0]);
          linalg::YieldOp::create(inner, loc, ValueRange{less, more});
        });
    return success();
  }
};

/// Rows of padding are computed as rows. Along padding it would find the
/// smallest and the largest of what stands there.
struct Padding : npu::PaddingOpInterface::ExternalModel<Padding, MinMaxOp> {
  npu::MaybeRefused transferPadding(Operation *op,
                                    npu::PaddingTransfer &transfer) const {
    auto minmax = cast<MinMaxOp>(op);
    const npu::PaddingState &state = transfer.of(minmax.getInput());
    if (state[1])
      return npu::Refusal("it compares entries of {} with its padding",
                          minmax.getInput());
    npu::PaddedDim rows = *state[0];
    rows.content = {};
    transfer.setResult(minmax.getLow(), {rows});
    transfer.setResult(minmax.getHigh(), {rows});
    return std::nullopt;
  }
};

} // namespace

LogicalResult MinMaxOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType());
  auto rows = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getDimSize(0);
  };
  if (rows(getLow()) == input.getDimSize(0) &&
      rows(getHigh()) == input.getDimSize(0))
    return success();
  return emitOpError() << "expected " << input.getDimSize(0)
                       << " entries in both results";
}

void attachMinMax(MLIRContext &context) {
  MinMaxOp::attachInterface<Partwise, Structured, Padding>(context);
}

} // namespace third
