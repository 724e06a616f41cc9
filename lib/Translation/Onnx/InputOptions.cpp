// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the command line says of a model's inputs.

#include "InputOptions.h"

#include "npu/Execution/Host/Npy.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstring>

using llvm::StringRef;

namespace npu {
namespace {

std::optional<TensorData> readPb(const std::string &path, std::string &error) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer) {
    error = "cannot read '" + path + "': " + buffer.getError().message();
    return std::nullopt;
  }
  StringRef bytes = (*buffer)->getBuffer();
  std::optional<onnx::TensorProto> tensor =
      readOnnxTensor({bytes.data(), bytes.size()});
  if (!tensor) {
    error = "'" + path + "' holds no ONNX tensor";
    return std::nullopt;
  }
  std::optional<TensorData> data = readTensorData(*tensor, "", error);
  if (!data)
    error = "'" + path + "': " + error;
  return data;
}

std::optional<TensorData> readNpyValue(const std::string &path,
                                       const TensorData &declared,
                                       std::string &error) {
  Result<HostTensor> tensor = readNpy(
      path, {hostType(declared.element, /*keepSign=*/false), declared.shape});
  if (!tensor) {
    error = tensor.error();
    return std::nullopt;
  }
  TensorData data = declared;
  const char *bytes = reinterpret_cast<const char *>(tensor->buffer.data());
  data.bytes.assign(bytes, bytes + *tensor->spec.bytes());
  return data;
}

/// Numbers of a list, as elements of the declared type.
std::optional<TensorData> readList(StringRef list, TensorData declared,
                                   bool isScalar, std::string &error) {
  llvm::SmallVector<StringRef> parts;
  list.split(parts, ',');
  for (StringRef part : parts) {
    double number = 0;
    int64_t integer = 0;
    bool isNumber = isFloat(declared.element)
                        ? !part.trim().getAsDouble(number)
                        : !part.trim().getAsInteger(10, integer);
    if (!isNumber || declared.element == OnnxElement::Float16 ||
        declared.element == OnnxElement::BFloat16) {
      error = "expected numbers separated by commas, a .npy or a .pb file, "
              "got '" +
              list.str() + "'";
      return std::nullopt;
    }
    char raw[8];
    float single = static_cast<float>(number);
    if (declared.element == OnnxElement::Float)
      std::memcpy(raw, &single, sizeof(single));
    else if (declared.element == OnnxElement::Double)
      std::memcpy(raw, &number, sizeof(number));
    else
      std::memcpy(raw, &integer, sizeof(integer));
    declared.bytes.insert(declared.bytes.end(), raw,
                          raw + bytesOf(declared.element));
  }
  declared.shape.clear();
  if (!isScalar)
    declared.shape.push_back(static_cast<int64_t>(parts.size()));
  else if (parts.size() != 1)
    error =
        "expected one number for a scalar, got " + std::to_string(parts.size());
  if (!error.empty())
    return std::nullopt;
  return declared;
}

} // namespace

std::optional<std::pair<std::string, OnnxShape>>
parseInputShape(StringRef text, std::string &error) {
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
  if (!isShape) {
    error = "--input-shape: expected NAME:1x3x48x192, with ? for a dynamic "
            "extent, got '" +
            text.str() + "'";
    return std::nullopt;
  }
  return std::pair(name.str(), shape);
}

std::optional<TensorData> readInputValue(StringRef text,
                                         const onnx::ValueInfoProto &input,
                                         std::string &error) {
  StringRef value = text.drop_front(input.name().size() + 1);
  const auto &type = input.type().tensor_type();
  std::optional<OnnxElement> element = onnxElement(type.elem_type());
  if (!element) {
    error = "input '" + input.name() + "' has elements of type " +
            onnxElementName(type.elem_type());
    return std::nullopt;
  }
  if (value.ends_with(".pb"))
    return readPb(value.str(), error);
  TensorData declared;
  declared.element = *element;
  for (const auto &dim : type.shape().dim())
    declared.shape.push_back(dim.has_dim_value() ? dim.dim_value() : -1);
  if (!value.ends_with(".npy"))
    return readList(value, declared,
                    type.has_shape() && type.shape().dim_size() == 0, error);
  if (!elementCount(declared.shape)) {
    error = "input '" + input.name() +
            "' has a dynamic extent; --input-shape gives it";
    return std::nullopt;
  }
  return readNpyValue(value.str(), declared, error);
}

} // namespace npu
