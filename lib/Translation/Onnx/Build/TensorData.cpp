// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data of tensors: from ONNX's messages to bytes, and from bytes to attributes.

#include "TensorData.h"

#include "npu/Support/InputFiles.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cstring>

using namespace mlir;

namespace npu {
namespace {

/// Copies the low bytes of every number of a repeated field.
template <typename Field>
void appendNumbers(const Field &field, int64_t size, std::vector<char> &bytes) {
  for (auto number : field) {
    char raw[sizeof(number)];
    std::memcpy(raw, &number, sizeof(number));
    bytes.insert(bytes.end(), raw,
                 raw + std::min<std::size_t>(size, sizeof(number)));
  }
}

/// Elements in the repeated field that ONNX has for each type.
void readFields(const onnx::TensorProto &tensor, TensorData &data) {
  int64_t size = bytesOf(data.element);
  switch (data.element) {
  case OnnxElement::Float:
    return appendNumbers(tensor.float_data(), size, data.bytes);
  case OnnxElement::Double:
    return appendNumbers(tensor.double_data(), size, data.bytes);
  case OnnxElement::Int64:
    return appendNumbers(tensor.int64_data(), size, data.bytes);
  case OnnxElement::UInt32:
  case OnnxElement::UInt64:
    return appendNumbers(tensor.uint64_data(), size, data.bytes);
  default:
    return appendNumbers(tensor.int32_data(), size, data.bytes);
  }
}

/// Whether a file lies in a folder, wherever links lead on the way to either.
bool liesIn(StringRef path, StringRef folder) {
  SmallString<128> realPath, realFolder;
  if (llvm::sys::fs::real_path(path, realPath) ||
      llvm::sys::fs::real_path(folder.empty() ? "." : folder, realFolder))
    return false;
  StringRef rest = realPath;
  return rest.consume_front(realFolder) &&
         (realFolder.ends_with("/") || rest.starts_with("/"));
}

/// Reads the part of another file that holds a tensor's bytes.
Result<std::vector<char>> readExternal(const onnx::TensorProto &tensor,
                                       const std::string &directory,
                                       uint64_t expected) {
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
  // A model is somebody else's file; it may only read what lies beside it.
  bool outside =
      llvm::sys::path::is_absolute(location) ||
      llvm::is_contained(llvm::make_range(llvm::sys::path::begin(location),
                                          llvm::sys::path::end(location)),
                         StringRef(".."));
  if (location.empty() || outside)
    return Error{"its data is in the file '" + location +
                 "', expected one in the model's folder"};
  if (length != expected)
    return Error{"expected " + std::to_string(expected) + " bytes, got " +
                 std::to_string(length) + " in '" + location + "'"};
  SmallString<128> path(directory);
  llvm::sys::path::append(path, location);
  noteInput("the file of data '" + location + "'", path.str().str());
  // A link leads elsewhere as '..' does.
  if (llvm::sys::fs::exists(path) && !liesIn(path, directory))
    return Error{
        "its data is in the file '" + location +
        "', expected one in the model's folder, got a link that leads out "
        "of it"};
  if (llvm::sys::fs::exists(path) && !llvm::sys::fs::is_regular_file(path))
    return Error{"its data is in '" + path.str().str() +
                 "', expected a file, got a directory, a device or a pipe"};
  uint64_t size = 0;
  std::error_code missing = llvm::sys::fs::file_size(path, size);
  if (missing || offset > size || length > size - offset)
    return Error{"cannot read " + std::to_string(length) + " bytes at " +
                 std::to_string(offset) + " of '" + path.str().str() + "'" +
                 (missing ? ": " + missing.message()
                          : ", which has " + std::to_string(size))};
  auto buffer = llvm::MemoryBuffer::getFileSlice(path, length, offset);
  if (!buffer)
    return Error{"cannot read '" + path.str().str() +
                 "': " + buffer.getError().message()};
  return std::vector<char>((*buffer)->getBufferStart(),
                           (*buffer)->getBufferEnd());
}

/// Booleans are packed in a dense attribute.
DenseElementsAttr denseBooleans(const TensorData &data, ShapedType type) {
  SmallVector<bool> values;
  for (char byte : data.bytes)
    values.push_back(byte != 0);
  return DenseElementsAttr::get(type, ArrayRef<bool>(values));
}

bool isSplat(const TensorData &data, int64_t size) {
  return data.bytes.size() > static_cast<std::size_t>(size) &&
         std::memcmp(data.bytes.data(), data.bytes.data() + size,
                     data.bytes.size() - size) == 0;
}

ElementsAttr resource(ShapedType type, StringRef name, ArrayRef<char> bytes) {
  return DenseResourceElementsAttr::get(
      type, name,
      HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, /*align=*/64));
}

/// Elements of 4 bits: a dense attribute has one in a byte, a resource two.
ElementsAttr toPackedElements(const TensorData &data, ShapedType type,
                              StringRef name) {
  int64_t count = type.getNumElements();
  char first = data.bytes.empty() ? 0 : data.bytes.front();
  bool isOfEqualBytes =
      count > kMostInlineElements && count % 2 == 0 && isSplat(data, 1);
  bool isOfEqualHalves = (first & 0xF) == (first >> 4 & 0xF);
  if (isOfEqualBytes && isOfEqualHalves) {
    char half = static_cast<char>(first & 0xF);
    return DenseElementsAttr::getFromRawBuffer(type, half);
  }
  if (count <= kMostInlineElements) {
    // Without a sign, bytes have a high half of 0, as the attribute wants it.
    TensorData bits{OnnxElement::UInt4, data.shape, data.bytes};
    return DenseElementsAttr::getFromRawBuffer(type, unpacked(bits).bytes);
  }
  return resource(type, name, data.bytes);
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
  std::size_t count = *elementCount(data.shape);
  wide.bytes.reserve(count);
  for (std::size_t at = 0; at < count; ++at) {
    unsigned bits = data.bytes[at / 2] >> (at % 2 * 4) & 0xF;
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
                                  const std::string &directory) {
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
    Result<std::vector<char>> bytes = readExternal(tensor, directory, expected);
    if (!bytes)
      return bytes.error();
    data.bytes = std::move(*bytes);
  } else if (tensor.has_raw_data()) {
    data.bytes.assign(tensor.raw_data().begin(), tensor.raw_data().end());
  } else {
    readFields(tensor, data);
  }
  if (data.bytes.size() != expected)
    return Error{"expected " + std::to_string(expected) +
                 " bytes of data, got " + std::to_string(data.bytes.size())};
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
  ArrayRef<char> bytes(data.bytes);
  if (isSplat(data, size))
    return DenseElementsAttr::getFromRawBuffer(type, bytes.take_front(size));
  if (type.getNumElements() <= kMostInlineElements)
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  return resource(type, name, bytes);
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
