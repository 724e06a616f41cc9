// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entries along one dimension backwards: read at n - 1 - i. It says what it
// reads and what it is in structured operations; tiles follow from that. And it
// says that rows stay apart, where it is not they that are reversed.

#include "Third.h"

#include "npu/Interfaces/CausalOpInterface.h"
#include "npu/Interfaces/OpAccessBuilder.h"
#include "npu/Interfaces/PaddingOpInterface.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/Interfaces/StructuredFormOpInterface.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace third {
namespace {

struct Partwise : npu::PartwiseOpInterface::ExternalModel<Partwise, ReverseOp> {
  std::optional<npu::OpAccess> getAccess(Operation *op) const {
    std::optional<npu::OpAccessBuilder> builder = npu::OpAccessBuilder::of(op);
    if (!builder)
      return std::nullopt;
    builder->loopOverResult();
    auto along = static_cast<size_t>(cast<ReverseOp>(op).getDim());
    SmallVector<AffineExpr> positions;
    for (auto [dim, extent] : llvm::enumerate(builder->resultExtents(0)))
      positions.push_back(dim == along ? extent - 1 - builder->loop(dim)
                                       : builder->loop(dim));
    builder->setOperand(0, positions);
    return builder->finish();
  }
};

struct Structured
    : npu::StructuredFormOpInterface::ExternalModel<Structured, ReverseOp> {
  bool hasStructuredForm(Operation *op) const {
    return cast<RankedTensorType>(op->getResult(0).getType()).hasStaticShape();
  }

  bool keepsLayouts(Operation *) const { return true; }

  LogicalResult rewriteAsStructured(Operation *op,
                                    RewriterBase &rewriter) const {
    if (!hasStructuredForm(op))
      return failure();
    auto reverse = cast<ReverseOp>(op);
    auto type = cast<RankedTensorType>(reverse.getType());
    Value empty =
        tensor::EmptyOp::create(rewriter, op->getLoc(), type.getShape(),
                                type.getElementType(), type.getEncoding());
    auto rank = static_cast<unsigned>(type.getRank());
    AffineMap identity = rewriter.getMultiDimIdentityMap(rank);
    SmallVector<AffineExpr> positions(identity.getResults());
    auto along = static_cast<size_t>(reverse.getDim());
    positions[along] = type.getDimSize(along) - 1 - positions[along];
    AffineMap backwards = AffineMap::get(rank, 0, positions, op->getContext());
    SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, type, reverse.getInput(), empty,
        ArrayRef<AffineMap>{backwards, identity}, loops,
        [](OpBuilder &inner, Location loc, ValueRange elements) {
          linalg::YieldOp::create(inner, loc, elements[0]);
        });
    return success();
  }
};

struct Rows : npu::CausalOpInterface::ExternalModel<Rows, ReverseOp> {
  npu::WhyNotCausal transferRows(Operation *op, npu::RowTransfer &rows) const {
    auto reverse = cast<ReverseOp>(op);
    npu::Dependence from = rows.of(reverse.getInput());
    auto along = static_cast<int64_t>(reverse.getDim());
    if (from.row == along || from.position == along)
      return "it reverses rows of the prompt or positions of the cache";
    // The cache itself is not reversed.
    from.cache = std::nullopt;
    rows.set(reverse.getResult(), from);
    return std::nullopt;
  }

  SmallVector<unsigned> getCopied(Operation *) const { return {0}; }
};

/// A hole after the real entries is in front of them afterwards.
struct Padding : npu::PaddingOpInterface::ExternalModel<Padding, ReverseOp> {
  npu::MaybeRefused transferPadding(Operation *op,
                                    npu::PaddingTransfer &transfer) const {
    auto reverse = cast<ReverseOp>(op);
    npu::PaddingState state = transfer.of(reverse.getInput());
    if (auto &dim = state[reverse.getDim()])
      dim->hole = npu::simplified(dim->real - dim->hole);
    transfer.setResult(reverse.getResult(), state);
    return std::nullopt;
  }
};

} // namespace

LogicalResult ReverseOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType());
  auto result = cast<RankedTensorType>(getType());
  if (input.getShape() != result.getShape() ||
      input.getElementType() != result.getElementType())
    return emitOpError() << "expected a result of the input's shape";
  int64_t rank = result.getRank();
  if (getDim() < uint64_t(rank))
    return success();
  return emitOpError() << "expected a dimension below " << rank << ", got "
                       << getDim();
}

void attachReverse(MLIRContext &context) {
  ReverseOp::attachInterface<Partwise, Structured, Rows, Padding>(context);
}

} // namespace third
