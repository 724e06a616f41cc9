// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assignment problems as decoders make them: equal layers with residuals,
// attention, weights, and masks that all layers share.

#ifndef NPU_TEST_UNIT_ASSIGNMENT_DECODERPROBLEM_H
#define NPU_TEST_UNIT_ASSIGNMENT_DECODERPROBLEM_H

#include "npu/Assignment/Problem.h"

#include <cstdint>
#include <random>

namespace npu {

struct DecoderShape {
  int layers = 28;
  int64_t tokens = 512;
  int64_t hidden = 1536;
  int64_t inner = 8960;
  int64_t heads = 12;
  int64_t keyHeads = 2;
  /// Up to so much is added to each cost by chance; the same in all layers, or
  /// other amounts in each layer.
  int64_t noise = 0;
  bool layersDiffer = false;
  /// Bytes of each of the four scratchpads; 0 for as many as anything needs.
  int64_t scratchpad = 0;
};

/// 48 operations for each layer with up to 12 candidates, on values in up to 12
/// layouts; the costs follow from the sizes of a target with four tiles.
AssignmentProblem decoderProblem(const DecoderShape &shape,
                                 std::mt19937 &random);

} // namespace npu

#endif // NPU_TEST_UNIT_ASSIGNMENT_DECODERPROBLEM_H
