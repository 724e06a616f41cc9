// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Cases/LoadLess.h"

#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/IR/TensorPadding.h"
#include "npu/Interfaces/OpAccess.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/TileProgram/TileProgram.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {
namespace {

/// A tensor that nobody has written, beside `like` and with this shape.
Value emptyLike(Operation *like, ArrayRef<int64_t> shape) {
  OpBuilder builder(like);
  auto type = cast<RankedTensorType>(like->getResult(0).getType());
  Operation *empty = tensor::EmptyOp::create(builder, like->getLoc(), shape,
                                             type.getElementType());
  empty->setDiscardableAttrs(like->getDiscardableAttrDictionary());
  return empty->getResult(0);
}

/// Whether `value` is loaded at once by one transfer, or unwritten.
bool canBeShorter(Value value) {
  if (isUnwritten(value))
    return true;
  auto load = value.getDefiningOp<TransferOp>();
  return load && static_cast<int64_t>(load.getFrom()) == TransferOp::ddr &&
         isUnwritten(load.getDests()[cast<OpResult>(value).getResultNumber()]);
}

/// `value` with one entry less in dimension `dim`, for its tile alone.
Value shorter(Value value, int64_t dim) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  --shape[dim];
  auto load = value.getDefiningOp<TransferOp>();
  if (!load)
    return emptyLike(value.getDefiningOp(), shape);
  unsigned number = cast<OpResult>(value).getResultNumber();
  Value empty = emptyLike(load.getDests()[number].getDefiningOp(), shape);
  SmallVector<int64_t> sizes(load.getSize());
  int64_t logical = load.getDestOrderOrIdentity()[dim];
  int64_t bytes = static_cast<int64_t>(load.getBytes()) / sizes[logical] *
                  (sizes[logical] - 1);
  --sizes[logical];
  OpBuilder builder(load);
  return TransferOp::create(
             builder, load.getLoc(), TypeRange{empty.getType()},
             load.getSource(), ValueRange{empty}, load.getSourceOffset(),
             load.getFrom(), ArrayRef<int64_t>{load.getTo()[number]},
             load.getDestOffset(number), load.getOffset(), sizes, bytes,
             load.getSourceOrderAttr(), load.getDestOrderAttr())
      .getResult(0);
}

} // namespace

bool reduceLess(Operation *op, RandomNumbers &random) {
  std::optional<OpAccess> access =
      op->hasAttr(tileAttrName) ? OpAccess::get(op) : std::nullopt;
  SmallVector<unsigned> loops =
      access ? access->loopsRunWhole() : SmallVector<unsigned>();
  if (loops.empty())
    return false;
  unsigned loop = loops[random.below(static_cast<int64_t>(loops.size()))];
  if (access->domain().loops[loop].extent() < 2)
    return false;
  SmallVector<std::pair<OpOperand *, int64_t>> reads;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    AffineMap map = access->mapOf(operand.getOperandNumber());
    for (auto [dim, index] : llvm::enumerate(map.getResults()))
      if (auto read = dyn_cast<AffineDimExpr>(index);
          read && read.getPosition() == loop) {
        if (!canBeShorter(operand.get()))
          return false;
        reads.push_back({&operand, static_cast<int64_t>(dim)});
      }
  }
  for (auto [operand, dim] : reads)
    operand->set(shorter(operand->get(), dim));
  return !reads.empty();
}

bool callPadding(Operation *op, RandomNumbers &random) {
  auto load = dyn_cast<TransferOp>(op);
  if (!load || load.getTo().size() != 1 ||
      load.getTo().front() == TransferOp::ddr ||
      !isUnwritten(load.getDests().front()))
    return false;
  Value before = load.getDests().front();
  ArrayRef<int64_t> shape = cast<RankedTensorType>(before.getType()).getShape();
  if (shape.empty() || llvm::is_contained(shape, 0))
    return false;
  Value empty = emptyLike(before.getDefiningOp(), shape);
  Operation *made = empty.getDefiningOp();
  Padding padding;
  for (auto [dim, extent] : llvm::enumerate(shape))
    if (random.oneIn(2)) {
      int64_t begin = random.oneIn(2) ? 0 : random.below(extent);
      padding.push_back({dim, {begin, extent}});
    }
  if (padding.empty())
    made->setAttr(paddingAttrName, UnitAttr::get(op->getContext()));
  else
    setPadding(made->getResult(0), padding);
  if (random.oneIn(2))
    made->setAttr(beginAttrName, DenseI64ArrayAttr::get(op->getContext(), [&] {
                    SmallVector<int64_t> begin;
                    for (int64_t dim : load.getDestOrderOrIdentity())
                      begin.push_back(load.getOffset()[dim]);
                    return begin;
                  }()));
  op->getResult(0).replaceAllUsesWith(empty);
  op->erase();
  return true;
}

} // namespace npu
