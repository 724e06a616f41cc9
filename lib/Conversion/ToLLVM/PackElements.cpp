// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-pack-elements: loads and stores integers of 2 and 4 bits as parts of
// bytes.

#include "BufferPointers.h"
#include "LaneOperations.h"
#include "npu/Conversion/ToLLVM/Passes.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_PACKELEMENTS
#include "npu/Conversion/ToLLVM/Passes.h.inc"

namespace {

/// Builds what finds an element in memory.
class PackedBuffer {
public:
  PackedBuffer(OpBuilder &builder, Location loc, Value buffer,
               const LLVMTypeConverter &converter)
      : builder(builder), loc(loc),
        type(mlir::cast<MemRefType>(buffer.getType())),
        bits(bitsOf(type.getElementType())),
        descriptor(UnrealizedConversionCastOp::create(
                       builder, loc, converter.convertType(type), buffer)
                       .getResult(0)) {
    address = descriptor.alignedPtr(builder, loc);
  }

  Value load(ValueRange indices) {
    Value index = linear(indices);
    Value byte = LLVM::LoadOp::create(builder, loc, builder.getI8Type(),
                                      addressOfByte(index));
    Value moved = LLVM::LShrOp::create(builder, loc, byte, shiftOf(index));
    Value element = LLVM::TruncOp::create(builder, loc,
                                          builder.getIntegerType(bits), moved);
    return cast(element, type.getElementType());
  }

  /// So many elements, from one on that may be inside of a byte.
  Value loadLanes(VectorType vector, ValueRange indices) {
    int64_t perByte = 8 / bits, width = vector.getNumElements();
    if (width % perByte != 0 || !beginsByte(indices, perByte)) {
      SmallVector<Value> elements, at(indices);
      for (int64_t lane = 0; lane < width; ++lane) {
        elements.push_back(load(at));
        at.back() = next(at.back());
      }
      return vector::FromElementsOp::create(builder, loc, vector, elements);
    }
    auto bytesType = VectorType::get(width / perByte, builder.getI8Type());
    Value bytes = LLVM::LoadOp::create(builder, loc, bytesType,
                                       addressOfByte(linear(indices)),
                                       /*alignment=*/1);
    return arith::TruncIOp::create(builder, loc, vector,
                                   lanesOf(bytes, 0, perByte));
  }

  void storeLanes(Value vector, ValueRange indices) {
    SmallVector<Value> at(indices);
    int64_t width = mlir::cast<VectorType>(vector.getType()).getNumElements();
    for (int64_t lane = 0; lane < width; ++lane) {
      store(vector::ExtractOp::create(builder, loc, vector, lane), at);
      at.back() = next(at.back());
    }
  }

  void store(Value element, ValueRange indices) {
    Value index = linear(indices);
    Value place = addressOfByte(index), shift = shiftOf(index);
    Value byte = LLVM::LoadOp::create(builder, loc, builder.getI8Type(), place);
    Value mask = LLVM::ShlOp::create(
        builder, loc, number(builder.getI8Type(), (1 << bits) - 1), shift);
    Value others = LLVM::AndOp::create(
        builder, loc, byte,
        LLVM::XOrOp::create(builder, loc, mask,
                            number(builder.getI8Type(), -1)));
    Value own = LLVM::ShlOp::create(
        builder, loc,
        LLVM::ZExtOp::create(builder, loc, builder.getI8Type(),
                             cast(element, builder.getIntegerType(bits))),
        shift);
    LLVM::StoreOp::create(builder, loc,
                          LLVM::OrOp::create(builder, loc, others, own), place);
  }

private:
  /// LLVM's integers have no sign.
  Value cast(Value element, Type to) {
    return element.getType() == to
               ? element
               : UnrealizedConversionCastOp::create(builder, loc, to, element)
                     .getResult(0);
  }

  Value next(Value index) {
    return arith::AddIOp::create(
        builder, loc, index, arith::ConstantIndexOp::create(builder, loc, 1));
  }

  /// The lanes of each byte from the `first` on, `step` apart, one after the
  /// other, each in the low bits of a byte with others above it.
  Value lanesOf(Value bytes, int64_t first, int64_t perByte, int64_t step = 1) {
    if (step == perByte) {
      if (first == 0)
        return bytes;
      auto type = mlir::cast<VectorType>(bytes.getType());
      Value shift = arith::ConstantOp::create(
          builder, loc,
          DenseElementsAttr::get(type, builder.getI8IntegerAttr(
                                           static_cast<int8_t>(first * bits))));
      return arith::ShRUIOp::create(builder, loc, bytes, shift);
    }
    return vector::InterleaveOp::create(
        builder, loc, lanesOf(bytes, first, perByte, 2 * step),
        lanesOf(bytes, first + step, perByte, 2 * step));
  }

  /// Whether an element is known to be the first one of a byte.
  bool beginsByte(ValueRange indices, int64_t perByte) {
    SmallVector<int64_t> strides;
    int64_t offset = 0;
    (void)type.getStridesAndOffset(strides, offset);
    if (ShapedType::isDynamic(offset) || offset % perByte != 0)
      return false;
    for (auto [index, stride] : llvm::zip_equal(indices, strides))
      if ((ShapedType::isDynamic(stride) || stride % perByte != 0) &&
          !isMultiple(index, perByte))
        return false;
    return true;
  }

  Value number(Type numberType, int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, numberType,
                                    builder.getIntegerAttr(numberType, value));
  }

  Value number(int64_t value) { return number(builder.getI64Type(), value); }

  /// The number of an element, counted from the aligned pointer.
  Value linear(ValueRange indices) {
    SmallVector<int64_t> strides;
    int64_t offset = 0;
    // Buffers of this program have strides.
    (void)type.getStridesAndOffset(strides, offset);
    Value sum = ShapedType::isDynamic(offset) ? descriptor.offset(builder, loc)
                                              : number(offset);
    for (auto [dim, index] : llvm::enumerate(indices)) {
      Value at =
          arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
      if (strides[dim] != 1)
        at = LLVM::MulOp::create(builder, loc, at,
                                 ShapedType::isDynamic(strides[dim])
                                     ? descriptor.stride(builder, loc, dim)
                                     : number(strides[dim]));
      sum = LLVM::AddOp::create(builder, loc, sum, at);
    }
    return sum;
  }

  Value addressOfByte(Value index) {
    Value byte = LLVM::AShrOp::create(builder, loc, index,
                                      number(llvm::Log2_64(8 / bits)));
    return LLVM::GEPOp::create(builder, loc, address.getType(),
                               builder.getI8Type(), address, byte);
  }

  /// The bits of a byte that are below those of an element.
  Value shiftOf(Value index) {
    Value within =
        LLVM::AndOp::create(builder, loc, index, number(8 / bits - 1));
    return LLVM::MulOp::create(
        builder, loc,
        LLVM::TruncOp::create(builder, loc, builder.getI8Type(), within),
        number(builder.getI8Type(), bits));
  }

  OpBuilder &builder;
  Location loc;
  MemRefType type;
  int64_t bits;
  MemRefDescriptor descriptor;
  Value address;
};

/// The elements of a constant, packed; a resource has them so. Nothing where
/// the data of a resource is not there.
std::optional<SmallVector<uint8_t>> packedBytes(ElementsAttr elements) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return std::nullopt;
    return SmallVector<uint8_t>(blob->getData().begin(), blob->getData().end());
  }
  int64_t bits = bitsOf(elements.getElementType()), perByte = 8 / bits;
  SmallVector<uint8_t> bytes(
      llvm::divideCeil(elements.getNumElements(), perByte));
  for (auto [number, value] : llvm::enumerate(elements.getValues<APInt>()))
    bytes[number / perByte] |= value.getZExtValue()
                               << (number % perByte * bits);
  return bytes;
}

/// Makes bytes of a constant, and says of which type; null where it stays as it
/// is.
MemRefType packConstant(memref::GlobalOp global) {
  auto elements = dyn_cast_or_null<ElementsAttr>(global.getInitialValueAttr());
  if (!elements || !isPacked(elements.getElementType()))
    return {};
  auto bytes = packedBytes(elements);
  if (!bytes)
    return {};
  auto i8 = IntegerType::get(global.getContext(), 8);
  auto size = static_cast<int64_t>(bytes->size());
  global.setInitialValueAttr(DenseElementsAttr::get(
      RankedTensorType::get({size}, i8), ArrayRef<uint8_t>(*bytes)));
  auto type = MemRefType::get({size}, i8);
  global.setType(type);
  return type;
}

/// Views the bytes of a packed constant as its elements.
void viewBytes(memref::GetGlobalOp get, MemRefType bytes) {
  OpBuilder builder(get);
  Location loc = get.getLoc();
  Value all = memref::GetGlobalOp::create(builder, loc, bytes, get.getName());
  Value begin = arith::ConstantIndexOp::create(builder, loc, 0);
  get.replaceAllUsesWith(memref::ViewOp::create(builder, loc, get.getType(),
                                                all, begin, ValueRange())
                             .getResult());
  get.erase();
}

/// Writes the only element of a resource where it is used: upstream's lowering
/// asks a constant of one element for it, which resources do not answer.
void writeScalar(memref::GlobalOp global) {
  auto resource =
      dyn_cast_or_null<DenseResourceElementsAttr>(global.getInitialValueAttr());
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob || resource.getType().getRank() != 0)
    return;
  ArrayRef<char> data = blob->getData();
  bool isSplat = false;
  if (resource.getElementType().isInteger(1) && !data.empty())
    global.setInitialValueAttr(
        DenseElementsAttr::get(resource.getType(), (data.front() & 1) != 0));
  else if (DenseElementsAttr::isValidRawBuffer(resource.getType(), data,
                                               isSplat))
    global.setInitialValueAttr(
        DenseElementsAttr::getFromRawBuffer(resource.getType(), data));
}

struct PackElementsPass : impl::PackElementsBase<PackElementsPass> {
  using PackElementsBase::PackElementsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::DenseMap<StringAttr, MemRefType> packed;
    for (auto global : module.getOps<memref::GlobalOp>()) {
      if (MemRefType bytes = packConstant(global))
        packed[global.getSymNameAttr()] = bytes;
      writeScalar(global);
    }
    LLVMTypeConverter converter(&getContext());
    module.walk([&](Operation *op) {
      OpBuilder builder(op);
      if (auto load = dyn_cast<memref::LoadOp>(op)) {
        if (!isPacked(load.getType()))
          return;
        PackedBuffer buffer(builder, load.getLoc(), load.getMemRef(),
                            converter);
        load.replaceAllUsesWith(buffer.load(load.getIndices()));
        load.erase();
      } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
        if (!isPacked(store.getValue().getType()))
          return;
        PackedBuffer(builder, store.getLoc(), store.getMemRef(), converter)
            .store(store.getValue(), store.getIndices());
        store.erase();
      } else if (auto load = dyn_cast<vector::LoadOp>(op)) {
        if (!isPacked(load.getVectorType().getElementType()))
          return;
        PackedBuffer buffer(builder, load.getLoc(), load.getBase(), converter);
        load.replaceAllUsesWith(
            buffer.loadLanes(load.getVectorType(), load.getIndices()));
        load.erase();
      } else if (auto store = dyn_cast<vector::StoreOp>(op)) {
        if (!isPacked(store.getVectorType().getElementType()))
          return;
        PackedBuffer(builder, store.getLoc(), store.getBase(), converter)
            .storeLanes(store.getValueToStore(), store.getIndices());
        store.erase();
      } else if (auto get = dyn_cast<memref::GetGlobalOp>(op)) {
        if (MemRefType bytes = packed.lookup(get.getNameAttr().getAttr()))
          viewBytes(get, bytes);
      }
    });
  }
};

} // namespace
} // namespace npu
