// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .npy: a magic, a version, the length of a header, the header (a Python
// dictionary), padding, the data. Format:
// numpy.org/doc/stable/reference/generated/numpy.lib.format.html

#include "npu/Host/Npy.h"
#include "npu/Placement/Result.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace fs = llvm::sys::fs;

namespace npu {

namespace {

struct NpyHeader {
  /// Printable characters only.
  std::string descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

/// The most dimensions that NumPy has.
constexpr size_t maxNpyDimensions = 64;

/// The printable part of a header, which may contain any bytes, for a message.
std::string printable(std::string_view text) {
  constexpr size_t shown = 20;
  std::string result;
  for (char c : text.substr(0, shown))
    result += c >= ' ' && c <= '~' ? c : '?';
  return text.size() > shown ? result + "..." : result;
}

/// Parses a header. Functions that take an item return false where something
/// else stands, with a message in `wrong`.
class Parser {
public:
  explicit Parser(std::string_view text) : rest(text) {}

  bool parse(NpyHeader &header) {
    bool hasDescr = false, hasOrder = false, hasShape = false;
    if (!take('{'))
      return fail("a dictionary");
    while (!take('}')) {
      std::string key;
      if (!takeString(key, "a key"))
        return false;
      bool *has = key == "descr"           ? &hasDescr
                  : key == "fortran_order" ? &hasOrder
                  : key == "shape"         ? &hasShape
                                           : nullptr;
      if (!has || *has) {
        wrong = fmt::format("expected descr, fortran_order and shape once "
                            "each, got '{}'{}",
                            printable(key), has ? " again" : "");
        return false;
      }
      *has = true;
      if (!take(':'))
        return fail("':' after a key");
      bool isTaken = has == &hasDescr   ? takeString(header.descr, "a type's "
                                                                   "name")
                     : has == &hasOrder ? takeBool(header.fortranOrder)
                                        : takeShape(header.shape);
      if (!isTaken)
        return false;
      if (!take(',') && !next('}'))
        return fail("',' or '}' after an entry");
    }
    skipSpaces();
    if (!rest.empty())
      return fail("nothing after the dictionary");
    if (!hasDescr || !hasOrder || !hasShape) {
      wrong = fmt::format("expected descr, fortran_order and shape, got no {}",
                          !hasDescr   ? "descr"
                          : !hasOrder ? "fortran_order"
                                      : "shape");
      return false;
    }
    header.descr = printable(header.descr);
    return true;
  }

  std::string wrong;

private:
  void skipSpaces() {
    size_t at = rest.find_first_not_of(" \n");
    rest.remove_prefix(at == std::string_view::npos ? rest.size() : at);
  }
  bool next(char c) {
    skipSpaces();
    return !rest.empty() && rest[0] == c;
  }
  bool take(char c) {
    if (!next(c))
      return false;
    rest.remove_prefix(1);
    return true;
  }
  bool fail(std::string_view what) {
    skipSpaces();
    wrong = fmt::format("expected {}, got {}", what,
                        rest.empty() ? "the end of the header"
                                     : "'" + printable(rest) + "'");
    return false;
  }

  bool takeString(std::string &value, std::string_view what) {
    char quote = next('"') ? '"' : '\'';
    size_t end = next(quote) ? rest.find(quote, 1) : std::string_view::npos;
    if (end == std::string_view::npos)
      return fail(fmt::format("{} in quotes", what));
    value = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    return true;
  }

  bool takeBool(bool &value) {
    skipSpaces();
    value = rest.starts_with("True");
    if (!value && !rest.starts_with("False"))
      return fail("True or False as fortran_order");
    rest.remove_prefix(value ? 4 : 5);
    return true;
  }

  /// Takes a tuple: "(4, 8)", "(4,)" or "()"; "(4)" is no tuple.
  bool takeShape(std::vector<int64_t> &shape) {
    if (!take('('))
      return fail("a shape in parentheses");
    bool needsComma = false;
    while (!take(')')) {
      if (needsComma)
        return fail("',' or ')' in a shape");
      skipSpaces();
      int64_t extent = 0;
      const char *begin = rest.data();
      auto [end, error] = std::from_chars(begin, begin + rest.size(), extent);
      if (error != std::errc() || extent < 0)
        return fail("an extent from 0 to 2^63 - 1");
      rest.remove_prefix(end - begin);
      shape.push_back(extent);
      if (shape.size() > maxNpyDimensions) {
        wrong = fmt::format("expected at most {} dimensions", maxNpyDimensions);
        return false;
      }
      needsComma = !take(',');
      if (needsComma && shape.size() == 1)
        return fail("',' after the first extent of a shape");
    }
    return true;
  }

  std::string_view rest;
};

} // namespace

/// Parses `text`, which must be a header and nothing else but spaces. The error
/// says what is wrong with it.
static Result<NpyHeader> parseNpyHeader(std::string_view text) {
  NpyHeader header;
  Parser parser(text);
  if (!parser.parse(header))
    return Error{parser.wrong};
  return header;
}

namespace {

constexpr std::string_view magic("\x93NUMPY", 6);

/// The largest header that is read; three entries need far less.
constexpr size_t maxHeaderBytes = size_t{1} << 20;

/// The name that NumPy has for the element type, on little-endian machines.
std::string_view descrOf(ElementType type) {
  static constexpr std::string_view names[] = {
      "|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8",
      "<f2", "<u2", "<f4", "<f8", "|i1", "|i1", "|u1", "|u1"};
  return names[static_cast<size_t>(type)];
}

/// Whether elements of type `descr` can be read as `type`. MLIR's i8 has no
/// sign, so that files of u1 fit it as well.
bool fits(std::string_view descr, ElementType type) {
  std::string_view wanted = descrOf(type);
  if (descr == wanted)
    return true;
  return isSigned(type) && descr.size() == 3 && descr[0] == wanted[0] &&
         descr[1] == 'u' && descr[2] == wanted[2];
}

/// Reads the header; the stream then is at the begin of the data.
Result<std::string> readHeader(std::ifstream &file) {
  char start[8] = {};
  if (!file.read(start, 8) || std::string_view(start, 6) != magic)
    return Error{"expected a .npy file"};
  // Versions 2 and 3 have a longer length field, and headers of version 3 are
  // UTF-8.
  int version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3 || start[7] != 0)
    return Error{fmt::format("expected version 1.0, 2.0 or 3.0, got {}.{}",
                             version, static_cast<unsigned char>(start[7]))};
  unsigned char length[4] = {};
  if (!file.read(reinterpret_cast<char *>(length), version == 1 ? 2 : 4))
    return Error{"expected the header's length, got the end of the file"};
  size_t count = length[0] | length[1] << 8 | length[2] << 16 |
                 static_cast<size_t>(length[3]) << 24;
  if (count > maxHeaderBytes)
    return Error{fmt::format("expected a header of at most {} bytes, got {}",
                             maxHeaderBytes, count)};
  std::string header(count, '\0');
  if (!file.read(header.data(), static_cast<std::streamsize>(count)))
    return Error{fmt::format("expected a header of {} bytes, got {}", count,
                             file.gcount())};
  return header;
}

Result<> checkHeader(const NpyHeader &header, const TensorSpec &expected) {
  if (header.fortranOrder)
    return Error{"expected C order, got Fortran order"};
  if (!fits(header.descr, expected.type))
    return Error{fmt::format("expected elements of {} ({}), got {}",
                             nameOf(expected.type), descrOf(expected.type),
                             header.descr)};
  if (header.shape != expected.shape)
    return Error{fmt::format("expected shape [{}], got [{}]",
                             fmt::join(expected.shape, ", "),
                             fmt::join(header.shape, ", "))};
  return Success();
}

/// Checks that each byte of an i1 tensor is 0 or 1; of others, all bits but the
/// last would be ignored.
Result<> checkBools(const HostTensor &tensor) {
  for (int64_t i = 0; i < tensor.buffer.size(); ++i)
    if (int byte = std::to_integer<int>(tensor.buffer.data()[i]); byte > 1)
      return Error{fmt::format("expected 0 or 1 as element [{}] of i1, got {}",
                               fmt::join(coordinatesOf(tensor.spec, i), ", "),
                               byte)};
  return Success();
}

/// The type that a file has for elements of another one: NumPy has no integers
/// of less than a byte.
ElementType typeInFile(ElementType type) {
  if (bitSize(type) >= 8)
    return type;
  return isUnsigned(type) ? ElementType::U8 : ElementType::I8;
}

/// Packs integers of a byte each.
Result<HostTensor> packed(const HostTensor &bytes, ElementType type) {
  HostTensor tensor({type, bytes.spec.shape});
  for (int64_t i = 0, end = tensor.spec.elements(); i < end; ++i) {
    setBitsAt(tensor, i, bitsAt(bytes, i));
    // A file of u1 is read as signed integers as well.
    if ((bitsAt(bytes, i) & 0xFF) != bitsAt(tensor, i) &&
        valueAt(bytes, i) != valueAt(tensor, i))
      return Error{fmt::format(
          "expected an integer of {} bits as element [{}] of {}, got {}",
          bitSize(type), fmt::join(coordinatesOf(tensor.spec, i), ", "),
          nameOf(type), elementToString(bytes, i))};
  }
  return tensor;
}

HostTensor unpacked(const HostTensor &tensor) {
  HostTensor bytes({typeInFile(tensor.spec.type), tensor.spec.shape});
  for (int64_t i = 0, end = tensor.spec.elements(); i < end; ++i)
    setBitsAt(bytes, i, bitsOf(bytes.spec.type, valueAt(tensor, i)));
  return bytes;
}

/// Fewer bytes are read and written.
constexpr int64_t leastMapped = 1 << 16;

/// The elements where they lie in the file, whose pages are read when they are
/// used, and kept for as long as there is memory to spare. Nothing for a small
/// file, for one that is none on a disk, and where data begin at an odd place,
/// have another length or another form than in memory: these are read.
std::optional<HostTensor> mapTensor(const std::string &path, uint64_t begin,
                                    const TensorSpec &spec) {
  int64_t bytes = *spec.bytes();
  uint64_t size = 0;
  if (bytes < leastMapped || begin % 64 != 0 || bitSize(spec.type) < 8 ||
      spec.type == ElementType::Bool || fs::file_size(path, size) ||
      size != begin + static_cast<uint64_t>(bytes))
    return std::nullopt;
  llvm::Expected<fs::file_t> handle = fs::openNativeFileForRead(path);
  if (!handle) {
    llvm::consumeError(handle.takeError());
    return std::nullopt;
  }
  std::error_code error;
  auto region = std::make_shared<fs::mapped_file_region>(
      *handle, fs::mapped_file_region::priv, size, /*offset=*/0, error);
  (void)fs::closeFile(*handle);
  if (error)
    return std::nullopt;
  auto *data = reinterpret_cast<std::byte *>(region->data()) + begin;
  return HostTensor(spec, HostBuffer(std::move(region), data, bytes));
}

Result<HostTensor> readTensor(const std::string &path, std::ifstream &file,
                              const TensorSpec &expected) {
  Result<std::string> text = readHeader(file);
  if (!text)
    return text.error();
  Result<NpyHeader> header = parseNpyHeader(*text);
  if (!header)
    return Error{"header: " + header.error().message};
  if (Result<> error = checkHeader(*header, expected); !error)
    return error.error();
  if (std::optional<HostTensor> mapped =
          mapTensor(path, static_cast<uint64_t>(file.tellg()), expected))
    return std::move(*mapped);
  HostTensor tensor({typeInFile(expected.type), expected.shape});
  auto bytes = static_cast<std::streamsize>(tensor.buffer.size());
  file.read(reinterpret_cast<char *>(tensor.buffer.data()), bytes);
  if (file.gcount() != bytes)
    return Error{
        fmt::format("expected {} bytes of data, got {}", bytes, file.gcount())};
  if (file.peek() != std::ifstream::traits_type::eof())
    return Error{fmt::format("expected {} bytes of data, got more", bytes)};
  if (expected.type == ElementType::Bool)
    if (Result<> error = checkBools(tensor); !error)
      return error.error();
  if (tensor.spec != expected)
    return packed(tensor, expected.type);
  return tensor;
}

} // namespace

Result<HostTensor> readNpy(const std::string &path,
                           const TensorSpec &expected) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return Error{fmt::format("{}: cannot be opened", path)};
  Result<HostTensor> tensor = readTensor(path, file, expected);
  if (!tensor)
    return Error{fmt::format("{}: {}", path, tensor.error().message)};
  return tensor;
}

std::string npyHeader(const TensorSpec &spec) {
  std::string header = fmt::format(
      "{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
      descrOf(spec.type), fmt::join(spec.shape, ", "),
      spec.shape.size() == 1 ? "," : "");
  // Data begin at a multiple of 64; the header ends with a line break.
  size_t unpadded = magic.size() + 4 + header.size() + 1;
  header.append((64 - unpadded % 64) % 64, ' ');
  header.push_back('\n');
  auto length = static_cast<uint16_t>(header.size());
  std::string start(magic);
  start += {'\x01', '\x00', static_cast<char>(length & 255),
            static_cast<char>(length >> 8)};
  return start + header;
}

Result<std::optional<HostTensor>> mapNpy(int file, const TensorSpec &spec) {
  std::string header = npyHeader(spec);
  int64_t bytes = *spec.bytes();
  if (bytes < leastMapped || bitSize(spec.type) < 8)
    return std::optional<HostTensor>();
  auto begin = static_cast<int64_t>(header.size());
  // A page without room on the disk would be an error when it is written to.
  int error = posix_fallocate(file, 0, begin + bytes);
  if (error == ENOSPC || error == EDQUOT || error == EFBIG)
    return Error{std::generic_category().message(error)};
  if (error ||
      pwrite(file, header.data(), header.size(), 0) != ssize_t(header.size()))
    return std::optional<HostTensor>();
  std::error_code refused;
  auto region = std::make_shared<fs::mapped_file_region>(
      file, fs::mapped_file_region::readwrite, begin + bytes, /*offset=*/0,
      refused);
  if (refused)
    return std::optional<HostTensor>();
  auto *data = reinterpret_cast<std::byte *>(region->data()) + begin;
  poison(data, static_cast<size_t>(bytes));
  return std::optional(
      HostTensor(spec, HostBuffer(std::move(region), data, bytes)));
}

void writeNpy(llvm::raw_ostream &out, const HostTensor &tensor) {
  if (bitSize(tensor.spec.type) < 8)
    return writeNpy(out, unpacked(tensor));
  out << npyHeader(tensor.spec);
  out.write(reinterpret_cast<const char *>(tensor.buffer.data()),
            tensor.buffer.size());
}

} // namespace npu
