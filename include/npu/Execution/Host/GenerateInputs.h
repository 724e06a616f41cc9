// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated inputs. They depend on the seed, the argument's number, its shape
// and its element type alone, so that two variants of one function get the same
// data on every machine.

#ifndef NPU_EXECUTION_HOST_GENERATEINPUTS_H
#define NPU_EXECUTION_HOST_GENERATEINPUTS_H

#include "npu/Execution/Host/HostTensor.h"

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
};

/// The word that npu-run's --inputs has for the kind.
const char *nameOf(InputKind kind);

HostTensor generateInput(const TensorSpec &spec, InputKind kind, uint64_t seed,
                         uint64_t argument);

} // namespace npu

#endif // NPU_EXECUTION_HOST_GENERATEINPUTS_H
