// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data of tensors: from ONNX's messages to bytes, and from bytes to attributes.

#include "TensorData.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;

namespace npu {
namespace {

/// Where data of large constants that is copied begins: at a cache line.
constexpr std::size_t kBlobAlignment = 64;

/// Copies the low bytes of every number of a repeated field. An integer that
/// has more than these is an error.
template <typename Field>
Result<> appendNumbers(const Field &field, OnnxElement element,
                       std::vector<char> &bytes) {
  int64_t size = bytesOf(element);
  // Floats and booleans are there as their bits.
  bool hasSign =
      !isFloat(element) && element != OnnxElement::Bool && !isUnsigned(element);
  for (auto number : field) {
    if constexpr (std::is_integral_v<decltype(number)>)
      if (hasSign ? !llvm::isIntN(8 * size, number)
                  : !llvm::isUIntN(8 * size, number))
        return Error{"expected elements of type " +
                     onnxElementName(static_cast<int64_t>(element)) + ", got " +
                     std::to_string(number)};
    char raw[sizeof(number)];
    std::memcpy(raw, &number, sizeof(number));
    bytes.insert(bytes.end(), raw,
                 raw + std::min<std::size_t>(size, sizeof(number)));
  }
  return Success();
}

/// Elements in the repeated field that ONNX has for each type.
Result<> readFields(const onnx::TensorProto &tensor, TensorData &data) {
  OnnxElement element = data.element;
  switch (element) {
  case OnnxElement::Float:
    return appendNumbers(tensor.float_data(), element, data.bytes);
  case OnnxElement::Double:
    return appendNumbers(tensor.double_data(), element, data.bytes);
  case OnnxElement::Int64:
    return appendNumbers(tensor.int64_data(), element, data.bytes);
  case OnnxElement::UInt32:
  case OnnxElement::UInt64:
    return appendNumbers(tensor.uint64_data(), element, data.bytes);
  default:
    return appendNumbers(tensor.int32_data(), element, data.bytes);
  }
}

/// The part of another file that holds a tensor's bytes.
Result<MappedBytes> readExternal(const onnx::TensorProto &tensor,
                                 DataFiles &files, uint64_t expected) {
  std::string location;
  uint64_t offset = 0, length = expected;
  for (const onnx::StringStringEntryProto &entry : tensor.external_data()) {
    if (entry.key() == "location")
      location = entry.value();
    else if ((entry.key() == "offset" &&
              StringRef(entry.value()).getAsInteger(10, offset)) ||
             (entry.key() == "length" &&
              StringRef(entry.value()).getAsInteger(10, length)))
      return Error{"its " + entry.key() + " in another file, '" +
                   entry.value() + "', is no number"};
  }
  if (length != expected)
    return Error{"expected " + std::to_string(expected) + " bytes, got " +
                 std::to_string(length) + " in '" + location + "'"};
  return files.part(location, offset, length);
}

/// Booleans are packed in a dense attribute.
DenseElementsAttr denseBooleans(const TensorData &data, ShapedType type) {
  SmallVector<bool> values;
  for (char byte : data.content())
    values.push_back(byte != 0);
  return DenseElementsAttr::get(type, ArrayRef<bool>(values));
}

bool isSplat(ArrayRef<char> bytes, int64_t size) {
  return bytes.size() > static_cast<std::size_t>(size) &&
         std::memcmp(bytes.data(), bytes.data() + size, bytes.size() - size) ==
             0;
}

/// A resource of a constant's bytes. Those of a file are no copy, and stay
/// mapped for as long as it lives, unless the file has them at an address that
/// is none for such elements.
ElementsAttr resource(ShapedType type, StringRef name, const TensorData &data) {
  ArrayRef<char> bytes = data.content();
  auto alignment = static_cast<std::size_t>(bytesOf(data.element));
  if (!data.mapped.file ||
      !llvm::isAddrAligned(llvm::Align(alignment), bytes.data()))
    return DenseResourceElementsAttr::get(
        type, name,
        HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, kBlobAlignment));
  return DenseResourceElementsAttr::get(
      type, name,
      UnmanagedAsmResourceBlob::allocateWithAlign(
          bytes, alignment,
          [file = data.mapped.file](void *, size_t, size_t) mutable {
            file.reset();
          }));
}

/// Elements of 4 bits: a dense attribute has one in a byte, a resource two.
ElementsAttr toPackedElements(const TensorData &data, ShapedType type,
                              StringRef name) {
  int64_t count = type.getNumElements();
  ArrayRef<char> bytes = data.content();
  char first = bytes.empty() ? 0 : bytes.front();
  bool isOfEqualBytes =
      count > kMostInlineElements && count % 2 == 0 && isSplat(bytes, 1);
  bool isOfEqualHalves = (first & 0xF) == (first >> 4 & 0xF);
  if (isOfEqualBytes && isOfEqualHalves) {
    char half = static_cast<char>(first & 0xF);
    return DenseElementsAttr::getFromRawBuffer(type, half);
  }
  if (count <= kMostInlineElements) {
    // Without a sign, bytes have a high half of 0, as the attribute wants it.
    TensorData bits = data;
    bits.element = OnnxElement::UInt4;
    return DenseElementsAttr::getFromRawBuffer(type, unpacked(bits).bytes);
  }
  return resource(type, name, data);
}

} // namespace

std::optional<int64_t> elementCount(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape) {
    if (extent < 0 || llvm::MulOverflow(count, extent, count) ||
        count > kMostElements)
      return std::nullopt;
  }
  return count;
}

TensorData unpacked(const TensorData &data) {
  bool isUnsignedData = data.element == OnnxElement::UInt4;
  TensorData wide{
      isUnsignedData ? OnnxElement::UInt8 : OnnxElement::Int8, data.shape, {}};
  ArrayRef<char> bytes = data.content();
  std::size_t count = *elementCount(data.shape);
  wide.bytes.reserve(count);
  for (std::size_t at = 0; at < count; ++at) {
    unsigned bits = bytes[at / 2] >> (at % 2 * 4) & 0xF;
    wide.bytes.push_back(
        static_cast<char>(isUnsignedData ? bits : llvm::SignExtend32<4>(bits)));
  }
  return wide;
}

TensorData packed(const TensorData &data) {
  bool isUnsignedData = isUnsigned(data.element);
  TensorData narrow{isUnsignedData ? OnnxElement::UInt4 : OnnxElement::Int4,
                    data.shape,
                    std::vector<char>((data.bytes.size() + 1) / 2, 0)};
  for (std::size_t at = 0; at < data.bytes.size(); ++at)
    narrow.bytes[at / 2] |=
        static_cast<char>((data.bytes[at] & 0xF) << (at % 2 * 4));
  return narrow;
}

Result<TensorData> readTensorData(const onnx::TensorProto &tensor,
                                  DataFiles &files) {
  std::optional<OnnxElement> element = onnxElement(tensor.data_type());
  if (!element)
    return Error{"elements of type " + onnxElementName(tensor.data_type()) +
                 " have no counterpart in a tensor"};
  TensorData data;
  data.element = *element;
  data.shape.assign(tensor.dims().begin(), tensor.dims().end());
  std::optional<int64_t> count = elementCount(data.shape);
  if (!count)
    return Error{"its extents are negative or too large"};
  uint64_t expected = bytesOf(*element, *count);
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL) {
    Result<MappedBytes> part = readExternal(tensor, files, expected);
    if (!part)
      return part.error();
    data.mapped = std::move(*part);
  } else if (tensor.has_raw_data()) {
    data.bytes.assign(tensor.raw_data().begin(), tensor.raw_data().end());
  } else if (Result<> read = readFields(tensor, data); !read) {
    return read.error();
  }
  if (data.content().size() != expected)
    return Error{"expected " + std::to_string(expected) +
                 " bytes of data, got " +
                 std::to_string(data.content().size())};
  return data;
}

ElementsAttr toElements(const TensorData &data, StringRef name,
                        MLIRContext *context) {
  auto type =
      RankedTensorType::get(data.shape, elementType(data.element, context));
  if (data.element == OnnxElement::Bool)
    return denseBooleans(data, type);
  if (bitsOf(data.element) == 4)
    return toPackedElements(data, type, name);
  int64_t size = bytesOf(data.element);
  ArrayRef<char> bytes = data.content();
  if (isSplat(bytes, size))
    return DenseElementsAttr::getFromRawBuffer(type, bytes.take_front(size));
  if (type.getNumElements() <= kMostInlineElements)
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  return resource(type, name, data);
}

std::optional<TensorData> fromElements(ElementsAttr elements,
                                       OnnxElement element) {
  TensorData data;
  data.element = element;
  data.shape.assign(elements.getShapedType().getShape().begin(),
                    elements.getShapedType().getShape().end());
  std::size_t expected = bytesOf(element, elements.getNumElements());
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || blob->getData().size() != expected)
      return std::nullopt;
    data.bytes.assign(blob->getData().begin(), blob->getData().end());
    return data;
  }
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  if (!dense)
    return std::nullopt;
  if (element == OnnxElement::Bool) {
    for (bool value : dense.getValues<bool>())
      data.bytes.push_back(value);
    return data;
  }
  ArrayRef<char> raw = dense.getRawData();
  if (bitsOf(element) == 4) {
    TensorData wide = data;
    wide.element = isUnsigned(element) ? OnnxElement::UInt8 : OnnxElement::Int8;
    if (dense.isSplat())
      wide.bytes.assign(elements.getNumElements(), raw.front());
    else
      wide.bytes.assign(raw.begin(), raw.end());
    return packed(wide);
  }
  int64_t copies = dense.isSplat() ? elements.getNumElements() : 1;
  for (int64_t copy = 0; copy < copies; ++copy)
    data.bytes.insert(data.bytes.end(), raw.begin(), raw.end());
  if (data.bytes.size() != expected)
    return std::nullopt;
  return data;
}

} // namespace npu
