// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .npy: a magic, a version, the length of a header, the header (a Python
// dictionary), padding, the data. Format:
// numpy.org/doc/stable/reference/generated/numpy.lib.format.html

#include "npu/Execution/Npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <fstream>

namespace npu {
namespace {

constexpr std::string_view magic("\x93NUMPY", 6);

/// What NumPy calls the element type; little-endian machines only.
std::string_view descrOf(ElementType type) {
  switch (type) {
  case ElementType::Bool:
    return "|b1";
  case ElementType::I8:
    return "|i1";
  case ElementType::I16:
    return "<i2";
  case ElementType::I32:
    return "<i4";
  case ElementType::I64:
    return "<i8";
  case ElementType::U8:
    return "|u1";
  case ElementType::U16:
    return "<u2";
  case ElementType::U32:
    return "<u4";
  case ElementType::U64:
    return "<u8";
  case ElementType::F16:
    return "<f2";
  case ElementType::BF16:
    return "<u2";
  case ElementType::F32:
    return "<f4";
  case ElementType::F64:
    return "<f8";
  }
  return "";
}

/// MLIR's i8 says nothing about signs: files of u1 fit it as well.
bool fits(std::string_view descr, ElementType type) {
  std::string_view wanted = descrOf(type);
  if (descr == wanted)
    return true;
  bool anySign = type >= ElementType::I8 && type <= ElementType::I64;
  return anySign && descr.size() == 3 && descr[0] == wanted[0] &&
         descr[1] == 'u' && descr[2] == wanted[2];
}

/// What stands after `'key':` in the header, up to the end of the header.
std::optional<std::string_view> valueOf(std::string_view header,
                                        std::string_view key) {
  size_t at = header.find(fmt::format("'{}'", key));
  if (at == std::string_view::npos)
    return std::nullopt;
  at = header.find(':', at);
  if (at == std::string_view::npos)
    return std::nullopt;
  at = header.find_first_not_of(' ', at + 1);
  if (at == std::string_view::npos)
    return std::nullopt;
  return header.substr(at);
}

/// "(4, 8)", "(4,)" or "()".
std::optional<std::vector<int64_t>> parseShape(std::string_view text) {
  size_t close = text.find(')');
  if (text.empty() || text[0] != '(' || close == std::string_view::npos)
    return std::nullopt;
  std::vector<int64_t> shape;
  const char *at = text.data() + 1, *end = text.data() + close;
  while (at != end) {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    int64_t extent = 0;
    auto [rest, error] = std::from_chars(at, end, extent);
    if (error != std::errc() || extent < 0)
      return std::nullopt;
    shape.push_back(extent);
    at = rest;
  }
  return shape;
}

/// The header's text; the stream is left where the data begin.
std::optional<std::string> readHeader(std::ifstream &file) {
  char start[8] = {};
  if (!file.read(start, 8) || std::string_view(start, 6) != magic)
    return std::nullopt;
  int lengthBytes = start[6] == 1 ? 2 : start[6] == 2 ? 4 : 0;
  unsigned char length[4] = {};
  if (lengthBytes == 0 ||
      !file.read(reinterpret_cast<char *>(length), lengthBytes))
    return std::nullopt;
  size_t count = length[0] | length[1] << 8 | length[2] << 16 |
                 static_cast<size_t>(length[3]) << 24;
  if (count > (1u << 20))
    return std::nullopt;
  std::string header(count, '\0');
  if (!file.read(header.data(), static_cast<std::streamsize>(count)))
    return std::nullopt;
  return header;
}

} // namespace

Result<HostTensor> readNpy(const std::string &path,
                           const TensorSpec &expected) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return Error{fmt::format("{}: cannot be opened", path)};
  auto header = readHeader(file);
  if (!header)
    return Error{fmt::format("{}: expected a .npy file of version 1.0", path)};
  auto descr = valueOf(*header, "descr");
  auto order = valueOf(*header, "fortran_order");
  auto shapeText = valueOf(*header, "shape");
  auto shape = shapeText ? parseShape(*shapeText) : std::nullopt;
  if (!descr || !order || !shape || descr->size() < 5)
    return Error{fmt::format("{}: expected a header with descr, fortran_order "
                             "and shape",
                             path)};
  if (!order->starts_with("False"))
    return Error{fmt::format("{}: expected C order, got Fortran order", path)};
  std::string_view type = descr->substr(1, descr->find('\'', 1) - 1);
  if (!fits(type, expected.type))
    return Error{fmt::format("{}: expected elements of {} ({}), got {}", path,
                             nameOf(expected.type), descrOf(expected.type),
                             type)};
  if (*shape != expected.shape)
    return Error{fmt::format("{}: expected shape [{}], got [{}]", path,
                             fmt::join(expected.shape, ", "),
                             fmt::join(*shape, ", "))};
  HostTensor tensor(expected);
  auto bytes = static_cast<std::streamsize>(tensor.buffer.size());
  file.read(reinterpret_cast<char *>(tensor.buffer.data()), bytes);
  if (file.gcount() != bytes)
    return Error{fmt::format("{}: expected {} bytes of data, got {}", path,
                             bytes, file.gcount())};
  return tensor;
}

Check writeNpy(const std::string &path, const HostTensor &tensor) {
  const std::vector<int64_t> &shape = tensor.spec.shape;
  std::string header = fmt::format(
      "{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
      descrOf(tensor.spec.type), fmt::join(shape, ", "),
      shape.size() == 1 ? "," : "");
  // Data begin at a multiple of 64; the header ends with a line break.
  size_t unpadded = magic.size() + 4 + header.size() + 1;
  header.append((64 - unpadded % 64) % 64, ' ');
  header.push_back('\n');
  auto length = static_cast<uint16_t>(header.size());

  std::ofstream file(path, std::ios::binary);
  if (!file)
    return Error{fmt::format("{}: cannot be written", path)};
  file << magic << '\x01' << '\x00' << static_cast<char>(length & 255)
       << static_cast<char>(length >> 8) << header;
  file.write(reinterpret_cast<const char *>(tensor.buffer.data()),
             static_cast<std::streamsize>(tensor.buffer.size()));
  file.close();
  if (!file)
    return Error{fmt::format("{}: not everything could be written", path)};
  return std::nullopt;
}

} // namespace npu
