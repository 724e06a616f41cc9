// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory and element types of host tensors.

#include "npu/Host/HostTensor.h"

#include "FloatBits.h"

#include "llvm/Support/Signals.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace npu {
namespace {

struct TypeFacts {
  const char *name;
  int64_t bits;
  /// Bits of the significand, the hidden one included; 0 for integers.
  int precision = 0;
};

/// By the numbers of the types.
constexpr TypeFacts kFacts[] = {
    {"i1", 8},       {"i8", 8},       {"i16", 16},     {"i32", 32},
    {"i64", 64},     {"ui8", 8},      {"ui16", 16},    {"ui32", 32},
    {"ui64", 64},    {"f16", 16, 11}, {"bf16", 16, 8}, {"f32", 32, 24},
    {"f64", 64, 53}, {"i2", 2},       {"i4", 4},       {"ui2", 2},
    {"ui4", 4},
};

const TypeFacts &factsOf(ElementType type) {
  return kFacts[static_cast<size_t>(type)];
}

/// An integer of `width` bits, sign-extended.
int64_t asSigned(uint64_t bits, int64_t width) {
  return static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
}

/// Where an element lies: the byte that it begins in, and the bits of that byte
/// below it.
struct BitAddress {
  int64_t byte, shift;
};

BitAddress addressOf(ElementType type, int64_t index) {
  int64_t bits = index * bitSize(type);
  return {bits / 8, bits % 8};
}

} // namespace

int64_t bitSize(ElementType type) { return factsOf(type).bits; }

std::optional<int64_t> bytesOf(ElementType type, int64_t elements) {
  int64_t bits = bitSize(type), perByte = std::max<int64_t>(1, 8 / bits);
  int64_t bytes = elements / perByte + (elements % perByte != 0);
  if (__builtin_mul_overflow(bytes, std::max<int64_t>(1, bits / 8), &bytes))
    return std::nullopt;
  return bytes;
}

int precisionOf(ElementType type) { return factsOf(type).precision; }

std::string nameOf(ElementType type) { return factsOf(type).name; }

bool isUnsigned(ElementType type) {
  return (type >= ElementType::U8 && type <= ElementType::U64) ||
         type == ElementType::U2 || type == ElementType::U4;
}

bool isSigned(ElementType type) {
  return (type >= ElementType::I8 && type <= ElementType::I64) ||
         type == ElementType::I2 || type == ElementType::I4;
}

bool isFloat(ElementType type) {
  return type >= ElementType::F16 && type <= ElementType::F64;
}

int64_t TensorSpec::elements() const { return llvm::product_of(shape); }

std::optional<int64_t> TensorSpec::bytes() const {
  int64_t total = 1;
  for (int64_t extent : shape)
    if (extent == 0)
      return 0;
  for (int64_t extent : shape)
    if (__builtin_mul_overflow(total, extent, &total))
      return std::nullopt;
  return bytesOf(type, total);
}

std::string toString(const TensorSpec &spec) {
  return fmt::format("{}{}{}", fmt::join(spec.shape, "x"),
                     spec.shape.empty() ? "" : "x", nameOf(spec.type));
}

void poison(void *memory, size_t bytes) {
  constexpr uint16_t pattern = 0xFFFB;
  auto *words = static_cast<uint16_t *>(memory);
  std::fill(words, words + bytes / 2, pattern);
  if (bytes % 2)
    static_cast<unsigned char *>(memory)[bytes - 1] = pattern & 0xFF;
}

HostBuffer::HostBuffer(int64_t bytes) : bytes(bytes) {
  size_t rounded = (static_cast<size_t>(bytes) / 64 + 1) * 64;
  memory.reset(static_cast<std::byte *>(std::aligned_alloc(64, rounded)));
  if (!memory) {
    fmt::print(stderr, "error: no memory for {} bytes\n", bytes);
    llvm::sys::RunInterruptHandlers();
    std::exit(1);
  }
  poison(memory.get(), static_cast<size_t>(bytes));
}

void HostBuffer::Free::operator()(std::byte *memory) const {
  if (!mapping)
    std::free(memory);
}

HostTensor::HostTensor(TensorSpec spec)
    : spec(std::move(spec)), buffer(*this->spec.bytes()) {}

HostTensor clone(const HostTensor &tensor) {
  HostTensor copy(tensor.spec);
  std::memcpy(copy.buffer.data(), tensor.buffer.data(), tensor.buffer.size());
  return copy;
}

uint64_t bitsAt(const HostTensor &tensor, int64_t index) {
  int64_t width = bitSize(tensor.spec.type);
  auto [byte, shift] = addressOf(tensor.spec.type, index);
  uint64_t bits = 0;
  std::memcpy(&bits, tensor.buffer.data() + byte, (width + 7) / 8);
  // Only the lowest bit of the byte of an i1 counts.
  if (tensor.spec.type == ElementType::Bool)
    return bits & 1;
  return bits >> shift & ~uint64_t{0} >> (64 - width);
}

void setBitsAt(HostTensor &tensor, int64_t index, uint64_t bits) {
  int64_t width = bitSize(tensor.spec.type);
  auto [byte, shift] = addressOf(tensor.spec.type, index);
  std::byte *place = tensor.buffer.data() + byte;
  if (width >= 8) {
    std::memcpy(place, &bits, width / 8);
    return;
  }
  auto mask = std::byte((1 << width) - 1);
  *place = (*place & ~(mask << shift)) | ((std::byte(bits) & mask) << shift);
}

void copyCommon(const HostTensor &from, HostTensor &to) {
  size_t rank = from.spec.shape.size();
  int64_t bits = bitSize(from.spec.type);
  std::vector<int64_t> common(rank), at(rank, 0);
  for (size_t i = 0; i < rank; ++i) {
    common[i] = std::min(from.spec.shape[i], to.spec.shape[i]);
    if (common[i] == 0)
      return;
  }
  // Rows of the last dimension lie in one piece on both sides.
  int64_t row = rank == 0 ? 1 : common.back();
  while (true) {
    int64_t source = 0, target = 0;
    for (size_t i = 0; i < rank; ++i) {
      source = source * from.spec.shape[i] + at[i];
      target = target * to.spec.shape[i] + at[i];
    }
    if (bits < 8)
      for (int64_t i = 0; i < row; ++i)
        setBitsAt(to, target + i, bitsAt(from, source + i));
    else
      std::memcpy(to.buffer.data() + target * bits / 8,
                  from.buffer.data() + source * bits / 8, row * bits / 8);
    size_t dim = rank;
    for (dim = rank > 0 ? rank - 1 : 0; dim > 0; --dim) {
      if (++at[dim - 1] < common[dim - 1])
        break;
      at[dim - 1] = 0;
    }
    if (dim == 0)
      return;
  }
}

double valueAt(const HostTensor &tensor, int64_t index) {
  uint64_t bits = bitsAt(tensor, index);
  ElementType type = tensor.spec.type;
  switch (type) {
  case ElementType::F16:
    return halfToDouble(static_cast<uint16_t>(bits));
  case ElementType::BF16:
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  case ElementType::F32:
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  case ElementType::F64:
    return std::bit_cast<double>(bits);
  default:
    break;
  }
  if (type == ElementType::Bool || isUnsigned(type))
    return static_cast<double>(bits);
  return static_cast<double>(asSigned(bits, bitSize(type)));
}

uint64_t bitsOf(ElementType type, double value) {
  switch (type) {
  case ElementType::F16:
    return doubleToHalf(value);
  case ElementType::BF16:
    return doubleToBrainFloat(value);
  case ElementType::F32:
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  case ElementType::F64:
    return std::bit_cast<uint64_t>(value);
  case ElementType::Bool:
    return value != 0;
  default:
    return static_cast<uint64_t>(static_cast<int64_t>(value));
  }
}

std::string elementToString(const HostTensor &tensor, int64_t index) {
  uint64_t bits = bitsAt(tensor, index);
  ElementType type = tensor.spec.type;
  if (type == ElementType::Bool)
    return bits ? "true" : "false";
  if (isUnsigned(type))
    return fmt::format("{}", bits);
  if (!isFloat(type))
    return fmt::format("{}", asSigned(bits, bitSize(type)));
  double value = valueAt(tensor, index);
  if (std::isnan(value))
    return fmt::format("nan (0x{:X})", bits);
  int digits = type == ElementType::F64 ? 17 : type == ElementType::F32 ? 9 : 5;
  return fmt::format("{:.{}g}", value, digits);
}

std::vector<int64_t> coordinatesOf(const TensorSpec &spec, int64_t index) {
  std::vector<int64_t> result(spec.shape.size());
  for (size_t dim = spec.shape.size(); dim-- > 0;) {
    result[dim] = index % spec.shape[dim];
    index /= spec.shape[dim];
  }
  return result;
}

} // namespace npu
