// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the command line says of a model's inputs.

#include "InputOptions.h"

#include "npu/Host/Npy.h"
#include "npu/Support/InputFiles.h"

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>
#include <cstring>
#include <limits>

using llvm::StringRef;

namespace npu {
namespace {

Result<TensorData> readPb(const std::string &path) {
  noteInput("that of --input-value", path);
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return Error{"cannot read '" + path + "': " + buffer.getError().message()};
  StringRef bytes = (*buffer)->getBuffer();
  std::optional<onnx::TensorProto> tensor =
      readOnnxTensor({bytes.data(), bytes.size()});
  if (!tensor)
    return Error{"'" + path + "' holds no ONNX tensor"};
  DataFiles files("");
  Result<TensorData> data = readTensorData(*tensor, files);
  if (!data)
    return Error{"'" + path + "': " + data.error().message};
  return data;
}

Result<TensorData> readNpyValue(const std::string &path,
                                const TensorData &declared) {
  noteInput("that of --input-value", path);
  Result<HostTensor> tensor = readNpy(
      path, {hostType(declared.element, /*keepSign=*/false), declared.shape});
  if (!tensor)
    return tensor.error();
  TensorData data = declared;
  const char *bytes = reinterpret_cast<const char *>(tensor->buffer.data());
  data.bytes.assign(bytes, bytes + *tensor->spec.bytes());
  return data;
}

/// The bytes of one number of a list; nothing where it is none, or does not fit
/// the type.
std::optional<std::vector<char>> bytesOfNumber(StringRef text,
                                               OnnxElement element) {
  std::vector<char> bytes(bytesOf(element));
  if (element == OnnxElement::Float || element == OnnxElement::Double) {
    double number = 0;
    if (text.getAsDouble(number) || std::isinf(number) ||
        (element == OnnxElement::Float &&
         std::abs(number) > std::numeric_limits<float>::max()))
      return std::nullopt;
    float single = static_cast<float>(number);
    if (element == OnnxElement::Float)
      std::memcpy(bytes.data(), &single, sizeof(single));
    else
      std::memcpy(bytes.data(), &number, sizeof(number));
    return bytes;
  }
  auto width = static_cast<unsigned>(8 * bytes.size());
  llvm::APInt number(65, 0);
  bool isNegative = text.consume_front("-");
  if (isFloat(element) || text.getAsInteger(10, number) ||
      number.getActiveBits() > 64)
    return std::nullopt;
  number = number.zextOrTrunc(65);
  if (isNegative)
    number.negate();
  if (element == OnnxElement::Bool)
    width = 1;
  bool fits = isUnsigned(element)
                  ? !number.isNegative() && number.getActiveBits() <= width
                  : number.getSignificantBits() <= width;
  if (!fits)
    return std::nullopt;
  uint64_t bits = number.trunc(64).getZExtValue();
  std::memcpy(bytes.data(), &bits, bytes.size());
  return bytes;
}

/// Numbers of a list, as elements of the declared type.
Result<TensorData> readList(StringRef list, TensorData declared,
                            bool hasShape) {
  if (declared.element == OnnxElement::Float16 ||
      declared.element == OnnxElement::BFloat16)
    return Error{
        "elements of 16 bits are read from a .npy or a .pb file, got '" +
        list.str() + "'"};
  if (bitsOf(declared.element) == 4)
    return Error{
        "elements of 4 bits are read from a .npy or a .pb file, got '" +
        list.str() + "'"};
  llvm::SmallVector<StringRef> parts;
  list.split(parts, ',');
  for (StringRef part : parts) {
    auto bytes = bytesOfNumber(part.trim(), declared.element);
    if (!bytes)
      return Error{"expected numbers of type " +
                   onnxElementName(static_cast<int64_t>(declared.element)) +
                   " separated by commas, a .npy or a .pb file, got '" +
                   list.str() + "'"};
    llvm::append_range(declared.bytes, *bytes);
  }
  auto count = static_cast<int64_t>(parts.size());
  if (!hasShape || declared.shape == std::vector<int64_t>{-1})
    declared.shape = {count};
  if (elementCount(declared.shape) != count)
    return Error{"expected as many numbers as the input has elements, got " +
                 std::to_string(count)};
  return declared;
}

} // namespace

Result<std::pair<std::string, OnnxShape>> parseInputShape(StringRef text) {
  auto [name, extents] = text.rsplit(':');
  OnnxShape shape;
  bool isShape = text.contains(':') && !name.empty();
  llvm::SmallVector<StringRef> parts;
  if (!extents.empty())
    extents.split(parts, 'x');
  for (StringRef part : parts) {
    uint32_t extent = 0;
    if (part == "?")
      shape.push_back(-1);
    else if (part.getAsInteger(10, extent))
      isShape = false;
    else
      shape.push_back(extent);
  }
  if (!isShape)
    return Error{
        "--input-shape: expected NAME:1x3x48x192, with ? for a dynamic "
        "extent, got '" +
        text.str() + "'"};
  return std::pair(name.str(), shape);
}

Result<TensorData> readInputValue(StringRef text,
                                  const onnx::ValueInfoProto &input) {
  StringRef value = text.drop_front(input.name().size() + 1);
  const auto &type = input.type().tensor_type();
  std::optional<OnnxElement> element = onnxElement(type.elem_type());
  if (!element)
    return Error{"input '" + input.name() + "' has elements of type " +
                 onnxElementName(type.elem_type())};
  if (value.ends_with(".pb"))
    return readPb(value.str());
  TensorData declared;
  declared.element = *element;
  for (const auto &dim : type.shape().dim())
    declared.shape.push_back(dim.has_dim_value() ? dim.dim_value() : -1);
  if (!value.ends_with(".npy"))
    return readList(value, declared, type.has_shape());
  if (!elementCount(declared.shape))
    return Error{"input '" + input.name() +
                 "' has a dynamic extent; --input-shape gives it"};
  return readNpyValue(value.str(), declared);
}

} // namespace npu
