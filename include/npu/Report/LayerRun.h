// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a modelled run has for one layer: npu/Conversion/Schedule/ModelledRun.h
// finds it.

#ifndef NPU_REPORT_LAYERRUN_H
#define NPU_REPORT_LAYERRUN_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace npu {

/// What the engines do for one layer of the model: for all operations whose
/// locations have the same first name.
struct LayerRun {
  /// "p2o.Conv.42"; "model.mlir:3:8" where the model names nothing, and
  /// "(transfer of x)" for what only brings x to tiles or away from there.
  std::string name;
  /// Names of layers that are done in the same operations.
  std::vector<std::string> fused;
  /// The operation that works most, "linalg.matmul"; "load", "store" or "move"
  /// where none does.
  std::string kind;
  /// The tiles at work.
  int64_t tiles = 0;
  /// By how much its rows make the run of all layers before it longer, row by
  /// row in the order of the program: those of all layers add up to the total.
  int64_t cycles = 0;
  /// Products that are summed up, also those that several tiles repeat.
  int64_t macs = 0;
  /// MACs beside those that the matrix engines of all tiles could do between
  /// the layer's first and last row of work; nothing without any.
  std::optional<double> utilisation;
  int64_t ddrBytes = 0;
  /// How long rows that could not begin earlier left engines of tiles without
  /// work, all engines together.
  int64_t waiting = 0;
};

} // namespace npu

#endif // NPU_REPORT_LAYERRUN_H
