// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far a result is from its reference, element by element, and how far it
// may be.

#ifndef NPU_LIB_AUDIT_MEASURE_H
#define NPU_LIB_AUDIT_MEASURE_H

#include "Compiled.h"

namespace npu {

/// Errors of the elements that are finite on both sides.
struct Errors {
  /// How many such elements there are.
  int64_t count = 0;
  double maxAbsolute = 0, meanAbsolute = 0;
  /// Of the elements whose reference is not 0.
  double maxRelative = 0, meanRelative = 0;
  /// In units of the last place of the result's type, at the reference's value;
  /// of integers in ones.
  double maxUlp = 0, meanUlp = 0;
  /// The largest bound of an element; infinite where one has none.
  double maxBound = 0;
};

/// What an element is, from the best to the worst.
enum class Fate : uint8_t { Exact, Within, Unbounded, Lost, Overflow, Beyond };

struct Measurement {
  TensorSpec spec;
  /// With the device's own operands on both sides: what this operation did.
  Errors local;
  /// With the reference's operands in the reference: since the inputs.
  Errors accumulated;
  /// Elements that differ at all, locally.
  int64_t different = 0;
  /// Elements beyond their local bound.
  int64_t beyond = 0;
  /// Elements that are infinite, NaN or wrapped around on the device, of finite
  /// ones in the reference.
  int64_t overflowed = 0;
  /// Elements within their bound that have lost more than half of their digits
  /// to a sum whose condition is at least kCondition.
  int64_t lost = 0;
  /// Elements without a bound.
  int64_t unbounded = 0;
  /// How likely so many lost elements are by chance, as sums come near 0.
  double chance = 1;
  /// The smallest condition (mass / |value|) of a lost element.
  double leastCondition = 0;
  /// Elements that differ and are NaN or infinite on the device since an
  /// earlier operation.
  int64_t inherited = 0;

  /// The worst element, and what it is on both sides.
  int64_t worst = 0;
  Fate fate = Fate::Exact;
  double expected = 0, bound = 0, condition = 1;
  std::string got;
  /// The same element's reference since the inputs, and its bound.
  double expectedSinceInputs = 0, boundSinceInputs = 0;
};

/// A condition of less than this loses no more than four bits.
inline constexpr double kCondition = 16;

/// Where so many lost elements are less likely than this by chance, the
/// operation takes numbers from each other that are nearly equal.
inline constexpr double kChance = 1e-4;

/// How far integers of a type are from each other, by their bits and on the
/// shorter way around: -1 and 1 of i8 are 2 apart, as 255 and 1 are.
double distanceOf(ElementType type, uint64_t a, uint64_t b);

/// How many terms each element of a result is the sum of, and the fewest bits
/// that a float among operands and results has.
struct Summing {
  int64_t terms = 1;
  int bits = 53;
};

/// Measures a result. `beyond` lists the elements that are beyond their bounds,
/// in order, where the caller wants them.
Measurement measure(const HostTensor &device, const Tracked &local,
                    const Tracked &accumulated, const Summing &sums,
                    std::vector<int64_t> *beyond = nullptr);

} // namespace npu

#endif // NPU_LIB_AUDIT_MEASURE_H
