// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated inputs. They depend on the seed, the argument's number, its shape
// and its element type, so that two variants of one function get the same data
// on every machine. Normal and positive ones also depend on what the argument
// is used as.

#ifndef NPU_HOST_GENERATEINPUTS_H
#define NPU_HOST_GENERATEINPUTS_H

#include "npu/Host/HostTensor.h"

namespace npu {

enum class InputKind {
  /// Floats in [-1, 1) with every bit of the significand in use, integers in
  /// [-8, 8) (unsigned ones in [0, 8)).
  Random,
  /// 0, 1, 2, ... and again from 0 before the element type cannot count on
  /// exactly (2048 for f16, 256 for bf16, 128 for i8).
  Iota,
  /// Integers in [-4, 4] whatever the element type: sums of them are exact in
  /// any order.
  Integers,
  /// Random numbers, and among them, rarely in some arguments and often in
  /// others, special ones: both zeros, infinities, NaN, the ends of the type.
  Special,
  /// Floats of mean 0 and variance 1, nearly normally distributed, in [-6, 6];
  /// integers as in Random. Weights and arguments of roots are scaled.
  Normal,
  /// Floats in (0, 1], integers in [1, 8]. Weights and arguments of roots are
  /// scaled.
  Positive,
};

/// What a function does with an argument, as far as it decides which numbers
/// keep results finite. Only Normal and Positive look at it.
struct InputRole {
  /// The argument is a weight: each entry of a sum of so many terms has one of
  /// its entries as a factor. 0: it is no weight. Normal weights have variance
  /// 1 / fanIn, positive ones are at most 2 / fanIn, so that sums are as large
  /// as what is weighed.
  int64_t fanIn = 0;
  /// A square root or a logarithm is taken of it, as of the variances of a
  /// batch normalization: it is in [0.5, 1.5).
  bool isUnderRoot = false;
};

/// The word that npu-run's --inputs has for the kind.
const char *nameOf(InputKind kind);

HostTensor generateInput(const TensorSpec &spec, InputKind kind, uint64_t seed,
                         uint64_t argument, const InputRole &role = {});

} // namespace npu

#endif // NPU_HOST_GENERATEINPUTS_H
