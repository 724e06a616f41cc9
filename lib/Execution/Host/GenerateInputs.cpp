// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated inputs: one hash of (seed, argument, shape, type), then one number
// of splitmix64 for each element. The standard library's distributions differ
// between implementations.

#include "npu/Execution/Host/GenerateInputs.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace npu {
namespace {

/// The generator of Steele, Lea, Flood: Fast splittable pseudorandom number
/// generators, 2014.
uint64_t splitmix(uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

uint64_t streamOf(const TensorSpec &spec, uint64_t seed, uint64_t argument) {
  uint64_t state = splitmix(splitmix(seed) ^ argument);
  state = splitmix(state ^ static_cast<uint64_t>(spec.type));
  for (int64_t extent : spec.shape)
    state = splitmix(state ^ static_cast<uint64_t>(extent));
  return state;
}

bool isUnsignedType(ElementType type) {
  return type >= ElementType::U8 && type <= ElementType::U64;
}

/// The number of bits of the significand, the hidden one included.
int precisionOf(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return 11;
  case ElementType::BF16:
    return 8;
  case ElementType::F32:
    return 24;
  default:
    return 53;
  }
}

/// The number at which Iota begins again from 0.
int64_t countsTo(ElementType type) {
  if (type == ElementType::Bool)
    return 2;
  if (isFloat(type))
    return int64_t{1} << precisionOf(type);
  int64_t bits = 8 * byteSize(type);
  return int64_t{1} << std::min<int64_t>(bits - !isUnsignedType(type), 62);
}

double randomValue(ElementType type, uint64_t word) {
  if (type == ElementType::Bool)
    return static_cast<double>(word >> 63);
  if (isFloat(type)) {
    int precision = precisionOf(type);
    return std::ldexp(static_cast<double>(word >> (64 - precision)),
                      1 - precision) -
           1;
  }
  auto small = static_cast<int64_t>(word >> 60);
  return static_cast<double>(isUnsignedType(type) ? small / 2 : small - 8);
}

double smallInteger(ElementType type, uint64_t word) {
  auto value = static_cast<int64_t>((word >> 32) % 9);
  if (type == ElementType::Bool)
    return static_cast<double>(value % 2);
  return static_cast<double>(isUnsignedType(type) ? value : value - 4);
}

/// Whether an element is a special one: every second to every sixteenth element
/// is, depending on the argument's stream.
bool isSpecial(uint64_t stream, uint64_t word) {
  return (word >> 8) % (uint64_t{2} << (stream % 4)) == 0;
}

double specialValue(ElementType type, uint64_t word) {
  uint64_t which = (word >> 32) % 12;
  if (isFloat(type)) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    // The largest finite f16.
    constexpr double kLarge = 65504;
    const double values[] = {
        0,          -0.0,
        -0.0,       0,
        1,          -1,
        kInfinity,  -kInfinity,
        -kInfinity, std::numeric_limits<double>::quiet_NaN(),
        -kLarge,    kLarge};
    return values[which];
  }
  if (type == ElementType::Bool)
    return static_cast<double>(which % 2);
  double end = std::ldexp(1.0, static_cast<int>(8 * byteSize(type)) -
                                   !isUnsignedType(type));
  // Numbers just below the end of a 64-bit type are not doubles.
  double most = byteSize(type) == 8 ? std::ldexp(1.0, 62) : end - 1;
  double least = isUnsignedType(type) ? 0 : -end;
  const double values[] = {0, 0, 1, 1, 2, 3, least, most, least, most, 8, 7};
  return which == 5 && !isUnsignedType(type) ? -1 : values[which];
}

} // namespace

const char *nameOf(InputKind kind) {
  switch (kind) {
  case InputKind::Random:
    return "random";
  case InputKind::Iota:
    return "iota";
  case InputKind::Integers:
    return "integers";
  case InputKind::Special:
    return "special";
  }
  return "";
}

HostTensor generateInput(const TensorSpec &spec, InputKind kind, uint64_t seed,
                         uint64_t argument) {
  HostTensor tensor(spec);
  uint64_t stream = streamOf(spec, seed, argument);
  int64_t wrap = countsTo(spec.type);
  for (int64_t i = 0, end = spec.elements(); i < end; ++i) {
    uint64_t word = splitmix(stream + static_cast<uint64_t>(i));
    double value = kind == InputKind::Iota       ? static_cast<double>(i % wrap)
                   : kind == InputKind::Integers ? smallInteger(spec.type, word)
                   : kind == InputKind::Special && isSpecial(stream, word)
                       ? specialValue(spec.type, word)
                       : randomValue(spec.type, word);
    setBitsAt(tensor, i, bitsOf(spec.type, value));
  }
  return tensor;
}

} // namespace npu
