// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-lower-mpi: calls of the library of messages.

#include "LibraryCalls.h"
#include "npu/Conversion/Ranks/Passes.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MPI/IR/MPI.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_LOWERMPI
#include "npu/Conversion/Ranks/Passes.h.inc"

namespace {

/// The address of a constant that describes a part of a buffer, as
/// npu/Mpi/Mpi.h has it.
Value describe(ConversionPatternRewriter &rewriter, Operation *op,
               MemRefType type, ArrayRef<int64_t> strides) {
  SmallVector<int64_t> words;
  if (isPacked(type.getElementType()))
    words = {1, 1, *bufferBytes(type.getElementType(), type.getShape()), 1};
  else {
    words = {type.getRank(), *bufferBytes(type.getElementType())};
    llvm::append_range(words, type.getShape());
    llvm::append_range(words, strides);
  }
  auto module = op->getParentOfType<ModuleOp>();
  auto count = static_cast<int64_t>(words.size());
  auto constantType = MemRefType::get({count}, rewriter.getI64Type());
  auto value = DenseElementsAttr::get(
      RankedTensorType::get({count}, rewriter.getI64Type()),
      ArrayRef<int64_t>(words));
  std::string name = "npu_mpi_part";
  for (int64_t word : words)
    name += "_" + std::to_string(word);
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(module.getBody());
    memref::GlobalOp::create(rewriter, module.getLoc(), name,
                             rewriter.getStringAttr("private"), constantType,
                             value, /*constant=*/true, IntegerAttr());
  }
  Value constant =
      memref::GetGlobalOp::create(rewriter, op->getLoc(), constantType, name);
  return memref::ExtractAlignedPointerAsIndexOp::create(rewriter, op->getLoc(),
                                                        constant);
}

/// The address of a buffer's first element and the description of its part.
FailureOr<std::pair<Value, Value>> partOf(ConversionPatternRewriter &builder,
                                          Operation *op, Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (!type || !type.hasStaticShape() ||
      failed(type.getStridesAndOffset(strides, offset)) ||
      llvm::any_of(strides, ShapedType::isDynamic) ||
      (isPacked(type.getElementType()) &&
       (!memref::isStaticShapeAndContiguousRowMajor(type) || offset != 0)))
    return op->emitOpError()
           << "expected a buffer of static shape and strides, whole where "
              "several elements share a byte, got "
           << buffer.getType();
  Location loc = op->getLoc();
  auto whole = memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(
      builder, loc, whole.getBaseBuffer());
  int64_t bytes =
      isPacked(type.getElementType()) ? 1 : *bufferBytes(type.getElementType());
  Value size = arith::ConstantIndexOp::create(builder, loc, bytes);
  Value skipped = arith::MulIOp::create(builder, loc, whole.getOffset(), size);
  Value begin = arith::AddIOp::create(builder, loc, address, skipped);
  return std::make_pair(begin, describe(builder, op, type, strides));
}

/// mpi.isend and mpi.irecv.
template <typename Op>
struct MessagePattern : OpConversionPattern<Op> {
  MessagePattern(const TypeConverter &types, MLIRContext *context,
                 StringRef name)
      : OpConversionPattern<Op>(types, context), name(name) {}

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto part = partOf(rewriter, op, adaptor.getRef());
    if (failed(part))
      return failure();
    if (op.getRetval())
      return op.emitOpError()
             << "expected no code as a result: errors end the process";
    Value rank;
    if constexpr (std::is_same_v<Op, mpi::ISendOp>)
      rank = adaptor.getDest();
    else
      rank = adaptor.getSource();
    auto call =
        callLibrary(rewriter, op->getLoc(), name, rewriter.getI64Type(),
                    {part->first, part->second, adaptor.getTag(), rank});
    rewriter.replaceOp(op, call.getResults());
    return success();
  }

private:
  StringRef name;
};

struct WaitPattern : OpConversionPattern<mpi::Wait> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(mpi::Wait op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getRetval())
      return op.emitOpError()
             << "expected no code as a result: errors end the process";
    callLibrary(rewriter, op->getLoc(), "npu_mpi_wait", TypeRange(),
                adaptor.getReq());
    rewriter.eraseOp(op);
    return success();
  }
};

struct WorldPattern : OpConversionPattern<mpi::CommWorldOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(mpi::CommWorldOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<arith::ConstantIntOp>(op, 0, 32);
    return success();
  }
};

struct LowerMpiPass : impl::LowerMpiBase<LowerMpiPass> {
  using LowerMpiBase::LowerMpiBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    TypeConverter types;
    types.addConversion([](Type type) { return type; });
    types.addConversion(
        [=](mpi::RequestType) { return IntegerType::get(context, 64); });
    types.addConversion(
        [=](mpi::CommType) { return IntegerType::get(context, 32); });
    RewritePatternSet patterns(context);
    patterns.add<MessagePattern<mpi::ISendOp>>(types, context, "npu_mpi_isend");
    patterns.add<MessagePattern<mpi::IRecvOp>>(types, context, "npu_mpi_irecv");
    patterns.add<WaitPattern, WorldPattern>(types, context);
    ConversionTarget target(*context);
    target.addIllegalDialect<mpi::MPIDialect>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    ConversionConfig config;
    config.foldingMode = DialectConversionFoldingMode::Never;
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
} // namespace npu
