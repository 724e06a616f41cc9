// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes what the field compiler would: the importer's counterpart in the other
// direction, as plain as can be. And reads a log the way tests want it.

#ifndef NPU_TEST_UNIT_TRANSLATION_FIELDTEXT_H
#define NPU_TEST_UNIT_TRANSLATION_FIELDTEXT_H

#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Translation/Log/NpuLogTranslation.h"

#include "mlir/IR/Diagnostics.h"

#include <optional>
#include <string>
#include <vector>

namespace npu {

/// The attribute of a placement, its boxes in full, with the label and the
/// fields of `distribution` that the field compiler has.
inline std::string fieldAttribute(const Distribution &distribution,
                                  const Placement &placement) {
  std::string text = "#VPU.DistributedTensor<mode = <" +
                     std::string(toString(distribution.mode)) + ">";
  // The field compiler numbers tiles in one way only.
  if (!distribution.tiles.empty() && distribution.major.empty() &&
      distribution.copies == 1)
    text += ", num_tiles = " + toString(distribution.tiles);
  text +=
      ", num_clusters = " + std::to_string(placement.tiles.size()) + " : i64";
  if (!distribution.align.empty())
    text += ", alignment = " + toString(distribution.align);
  if (distribution.split == Split::Balanced)
    text += ", uniform_distributed_segments = unit";
  auto rows = [&](const char *name, auto &&numbersOf) {
    text += std::string(", ") + name + " = [";
    for (std::size_t tile = 0; tile < placement.tiles.size(); ++tile)
      text += (tile ? ", " : "") + toString(numbersOf(placement.tiles[tile]));
    text += "]";
  };
  rows("compute_shapes", [](const TileBoxes &b) { return b.compute.sizes(); });
  rows("compute_offsets",
       [](const TileBoxes &b) { return b.compute.offsets(); });
  rows("memory_shapes", [](const TileBoxes &b) { return b.memory.sizes(); });
  rows("memory_offsets", [](const TileBoxes &b) { return b.memory.offsets(); });
  return text + ">";
}

inline std::string fieldError(const std::string &in, const std::string &out) {
  return "loc(\"cast\"): error: PermuteCast input and output distributions are "
         "incompatible: in = " +
         in + ", out = " + out + "\n";
}

/// A context that keeps what is said.
class LogReader {
public:
  LogReader() : context(mlir::MLIRContext::Threading::DISABLED) {
    context.getDiagEngine().registerHandler([&](mlir::Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
        errors.push_back(diagnostic.str());
      return mlir::success();
    });
  }

  mlir::OwningOpRef<mlir::ModuleOp> import(const std::string &text,
                                           const NpuLogOptions &options = {}) {
    errors.clear();
    return importNpuLog(text, "test.log", options, &context);
  }

  /// The cast of a module with one function.
  static PermuteCastOp castOf(mlir::ModuleOp module) {
    PermuteCastOp found;
    module.walk([&](PermuteCastOp cast) { found = cast; });
    return found;
  }

  mlir::MLIRContext context;
  std::vector<std::string> errors;
};

} // namespace npu

#endif // NPU_TEST_UNIT_TRANSLATION_FIELDTEXT_H
