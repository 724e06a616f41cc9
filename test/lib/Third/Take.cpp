// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a table by position: which rows, nobody knows before it runs, so all
// of them are read.

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

RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

struct Partwise : npu::PartwiseOpInterface::ExternalModel<Partwise, TakeOp> {
  std::optional<npu::OpAccess> getAccess(Operation *op) const {
    std::optional<npu::OpAccessBuilder> builder = npu::OpAccessBuilder::of(op);
    if (!builder)
      return std::nullopt;
    builder->loopOverResult();
    unsigned anyRow =
        builder->addLoop(builder->operandExtents(0)[0], /*reduces=*/true);
    builder->setOperand(0, {builder->loop(anyRow), builder->loop(1)});
    builder->setOperand(1, builder->loop(0));
    return builder->finish();
  }

  std::optional<std::string> whyNotCut(Operation *op) const {
    if (npu::isIdentity(npu::getOrder(tensorType(op->getOperand(0)))) &&
        npu::isIdentity(npu::getOrder(tensorType(op->getResult(0)))))
      return {};
    return "its rows are not capacity rows";
  }

  LogicalResult cutForTile(Operation *op, npu::TilePart &part) const {
    if (part.iteration().empty)
      part.giveNothing();
    else
      part.giveProduced(op->getResult(0), part.cloneOnPart()->getResult(0));
    return success();
  }
};

struct Structured
    : npu::StructuredFormOpInterface::ExternalModel<Structured, TakeOp> {
  bool hasStructuredForm(Operation *op) const {
    return tensorType(op->getOperand(0)).hasStaticShape() &&
           tensorType(op->getResult(0)).hasStaticShape();
  }

  LogicalResult rewriteAsStructured(Operation *op,
                                    RewriterBase &rewriter) const {
    if (!hasStructuredForm(op))
      return failure();
    auto take = cast<TakeOp>(op);
    auto type = cast<RankedTensorType>(take.getType());
    int64_t rows = tensorType(take.getTable()).getDimSize(0);
    Value empty = tensor::EmptyOp::create(
        rewriter, op->getLoc(), type.getShape(), type.getElementType());
    AffineMap row = AffineMap::get(2, 0, rewriter.getAffineDimExpr(0));
    SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, TypeRange(type), take.getPositions(), empty,
        ArrayRef<AffineMap>{row, rewriter.getMultiDimIdentityMap(2)}, loops,
        [&](OpBuilder &inner, Location loc, ValueRange elements) {
          Value at = arith::IndexCastOp::create(
              inner, loc, inner.getIndexType(), elements[0]);
          Value first = arith::ConstantIndexOp::create(inner, loc, 0);
          Value last = arith::ConstantIndexOp::create(inner, loc, rows - 1);
          at = arith::MaxSIOp::create(inner, loc, at, first);
          at = arith::MinSIOp::create(inner, loc, at, last);
          Value column = linalg::IndexOp::create(inner, loc, 1);
          Value entry = tensor::ExtractOp::create(inner, loc, take.getTable(),
                                                  ValueRange{at, column});
          linalg::YieldOp::create(inner, loc, entry);
        });
    return success();
  }
};

/// A position outside is the last row's, which is another one with padding
/// after the table's rows: entry by entry, all rows are real ones.
struct Padding : npu::PaddingOpInterface::ExternalModel<Padding, TakeOp> {
  npu::MaybeRefused transferPadding(Operation *op,
                                    npu::PaddingTransfer &transfer) const {
    auto take = cast<TakeOp>(op);
    const npu::PaddingState &table = transfer.of(take.getTable());
    if (npu::isPadded(table))
      return npu::Refusal("it takes the nearest row of {}, which is padding",
                          take.getTable());
    npu::PaddedDim rows = *transfer.of(take.getPositions())[0];
    rows.content = {};
    transfer.setResult(take->getResult(0), {rows, std::nullopt});
    return std::nullopt;
  }

  SmallVector<AffineExpr>
  realExtents(Operation *op, const npu::PaddingTransfer &transfer) const {
    auto take = cast<TakeOp>(op);
    return {transfer.realExtent(take.getPositions(), 0),
            transfer.realExtent(take.getTable(), 1)};
  }

  Value entryAt(Operation *op, npu::EntryReader &reader,
                ArrayRef<Value> at) const {
    auto take = cast<TakeOp>(op);
    OpBuilder &builder = reader.getBuilder();
    Location loc = op->getLoc();
    Value position = tensor::ExtractOp::create(builder, loc,
                                               take.getPositions(), at.front());
    Value row = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                           position);
    Value last = arith::SubIOp::create(
        builder, loc, reader.extentOf(take.getTable(), 0), reader.number(1));
    row = arith::MaxSIOp::create(builder, loc, row, reader.number(0));
    row = arith::MinSIOp::create(builder, loc, row, last);
    return tensor::ExtractOp::create(builder, loc, take.getTable(),
                                     ValueRange{row, at[1]});
  }
};

} // namespace

LogicalResult TakeOp::verify() {
  RankedTensorType table = tensorType(getTable()),
                   positions = tensorType(getPositions());
  auto type = cast<RankedTensorType>(getType());
  if (type.getDimSize(0) == positions.getDimSize(0) &&
      type.getDimSize(1) == table.getDimSize(1) && table.getDimSize(0) != 0)
    return success();
  return emitOpError()
         << "expected a row for each position, with the table's columns";
}

void attachTake(MLIRContext &context) {
  TakeOp::attachInterface<Partwise, Structured, Padding>(context);
}

} // namespace third
