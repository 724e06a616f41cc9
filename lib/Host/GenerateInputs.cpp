// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated inputs: one hash of (seed, argument, shape, type), then one number
// of splitmix64 for each element. The standard library's distributions differ
// between implementations.

#include "npu/Host/GenerateInputs.h"

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

/// The number at which Iota begins again from 0.
int64_t countsTo(ElementType type) {
  if (type == ElementType::Bool)
    return 2;
  if (isFloat(type))
    return int64_t{1} << precisionOf(type);
  int64_t bits = bitSize(type);
  return int64_t{1} << std::min<int64_t>(bits - !isUnsigned(type), 62);
}

double randomValue(ElementType type, uint64_t word) {
  if (type == ElementType::Bool)
    return static_cast<double>(word >> 63);
  if (isFloat(type)) {
    int precision = precisionOf(type);
    return static_cast<double>(word >> (64 - precision)) /
               static_cast<double>(uint64_t{1} << (precision - 1)) -
           1;
  }
  auto small = static_cast<int64_t>(word >> 60);
  return static_cast<double>(isUnsigned(type) ? small / 2 : small - 8);
}

double smallInteger(ElementType type, uint64_t word) {
  auto value = static_cast<int64_t>((word >> 32) % 9);
  if (type == ElementType::Bool)
    return static_cast<double>(value % 2);
  return static_cast<double>(isUnsigned(type) ? value : value - 4);
}

/// Whether an element is a special one: every second to every sixteenth element
/// is, depending on the argument's stream.
bool isSpecial(uint64_t stream, uint64_t word) {
  return (word >> 8) % (uint64_t{2} << (stream % 4)) == 0;
}

/// Five times the smallest number above 0 of bf16, f16 or f64; f32 has smaller
/// ones than this.
double subnormal(ElementType type) {
  int exponent = type == ElementType::F16   ? -24
                 : type == ElementType::F64 ? -1074
                                            : -133;
  return std::ldexp(5.0, exponent);
}

double specialValue(ElementType type, uint64_t word) {
  uint64_t which = (word >> 32) % 12;
  if (isFloat(type)) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    // The largest finite f16.
    constexpr double kLarge = 65504;
    double small = subnormal(type);
    const double values[] = {
        0,          -0.0,
        -small,     small,
        1,          -1,
        kInfinity,  -kInfinity,
        -kInfinity, std::numeric_limits<double>::quiet_NaN(),
        -kLarge,    kLarge};
    return values[which];
  }
  if (type == ElementType::Bool)
    return static_cast<double>(which % 2);
  double end =
      std::ldexp(1.0, static_cast<int>(bitSize(type)) - !isUnsigned(type));
  // Numbers just below the end of a 64-bit type are not doubles.
  double most = bitSize(type) == 64 ? std::ldexp(1.0, 62) : end - 1;
  double least = isUnsigned(type) ? 0 : -end;
  const double values[] = {0, 0, 1, 1, 2, 3, least, most, least, most, 8, 7};
  return which == 5 && !isUnsigned(type) ? -1 : values[which];
}

/// A number in [0, 1) with as many bits as a double has.
double fraction(uint64_t word) {
  return static_cast<double>(word >> 11) * 0x1p-53;
}

/// The sum of twelve numbers in [0, 1), less 6. Neither logarithms nor cosines
/// are used, because mathematical libraries round them differently.
double nearlyNormal(uint64_t word) {
  int64_t sum = 0;
  for (int i = 0; i < 3; ++i) {
    word = splitmix(word);
    for (int shift = 0; shift < 64; shift += 16)
      sum += static_cast<int64_t>(word >> shift & 0xFFFF);
  }
  constexpr double kStep = 1.0 / 65536;
  // The fraction of a step fills the low bits; the steps are centred on 0.
  return (static_cast<double>(sum - 6 * 65536) + 5.5 +
          fraction(splitmix(word))) *
         kStep;
}

double positiveValue(ElementType type, uint64_t word) {
  if (type == ElementType::Bool)
    return static_cast<double>(word >> 63);
  if (isFloat(type))
    return 1 - std::ldexp(static_cast<double>(word >> (64 - precisionOf(type))),
                          -precisionOf(type));
  return static_cast<double>((word >> 61) + 1);
}

/// The element of an input whose numbers depend on the argument's role.
double scaledValue(ElementType type, InputKind kind, uint64_t word,
                   const InputRole &role) {
  if (!isFloat(type))
    return kind == InputKind::Positive ? positiveValue(type, word)
                                       : randomValue(type, word);
  if (role.isUnderRoot)
    return 0.5 + fraction(word);
  auto fanIn = static_cast<double>(std::max<int64_t>(role.fanIn, 1));
  if (kind == InputKind::Normal)
    return nearlyNormal(word) / std::sqrt(fanIn);
  return positiveValue(type, word) * std::min(1.0, 2 / fanIn);
}

double valueOf(const TensorSpec &spec, InputKind kind, uint64_t stream,
               int64_t index, const InputRole &role) {
  uint64_t word = splitmix(stream + static_cast<uint64_t>(index));
  switch (kind) {
  case InputKind::Iota:
    return static_cast<double>(index % countsTo(spec.type));
  case InputKind::Integers:
    return smallInteger(spec.type, word);
  case InputKind::Special:
    if (isSpecial(stream, word))
      return specialValue(spec.type, word);
    return randomValue(spec.type, word);
  case InputKind::Normal:
  case InputKind::Positive:
    return scaledValue(spec.type, kind, word, role);
  case InputKind::Random:
    break;
  }
  return randomValue(spec.type, word);
}

} // namespace

const char *nameOf(InputKind kind) {
  static constexpr const char *names[] = {"random",  "iota",   "integers",
                                          "special", "normal", "positive"};
  return names[static_cast<size_t>(kind)];
}

HostTensor generateInput(const TensorSpec &spec, InputKind kind, uint64_t seed,
                         uint64_t argument, const InputRole &role) {
  HostTensor tensor(spec);
  uint64_t stream = streamOf(spec, seed, argument);
  for (int64_t i = 0, end = spec.elements(); i < end; ++i)
    setBitsAt(tensor, i,
              bitsOf(spec.type, valueOf(spec, kind, stream, i, role)));
  return tensor;
}

} // namespace npu
