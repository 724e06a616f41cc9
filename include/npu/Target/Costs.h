// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cycles of work and of transfers on a device. Every cost in this project
// comes from these functions, so that no two parts of it disagree.
//
// All of them return cycles of the target's clock, rounded up; never less for
// more work of the same element width; INT64_MAX where there would be more; and
// 0 for no work, which is where any size is 0 or negative. Figures are those
// that checkCosts accepts.

#ifndef NPU_TARGET_COSTS_H
#define NPU_TARGET_COSTS_H

#include "npu/Target/CostFigures.h"

#include <span>

namespace npu {

/// The figures of a matrix engine on elements of that many bits.
const EngineFigures &engineFor(const CostFigures &figures, int64_t bits);

/// One tile's part of a matmul or a convolution: `rows` are the pixels of the
/// result (with its batches), `window` the kernel's positions, 9 of 3x3.
/// Elements of more than 16 bits count as several of 16.
struct ContractionPart {
  int64_t rows = 0;
  int64_t inputChannels = 0;
  int64_t outputChannels = 0;
  int64_t elementBits = 16;
  int64_t window = 1;
};

/// overhead + max(MACs / peak, bytes read / bandwidth) + bytes written /
/// bandwidth, each loop rounded up to the engine's granule.
int64_t contractionCycles(const CostFigures &figures,
                          const ContractionPart &part);

/// One tile's part of a depthwise convolution or a pooling: pixels of the
/// result and of what is read, and the kernel's positions.
struct WindowPart {
  int64_t pixels = 0;
  int64_t pixelsRead = 0;
  int64_t channels = 0;
  int64_t window = 1;
  int64_t elementBits = 16;
};

int64_t depthwiseCycles(const CostFigures &figures, const WindowPart &part);
int64_t poolingCycles(const CostFigures &figures, const WindowPart &part);

/// An elementwise operation of two operands on the matrix engine.
int64_t elementwiseCycles(const CostFigures &figures, int64_t pixels,
                          int64_t channels, int64_t elementBits);

/// How many operations of each kind a body has.
struct VectorBody {
  /// Additions, products, comparisons, selections, conversions.
  int64_t simple = 0;
  /// Exponentials, logarithms, roots.
  int64_t special = 0;
  /// Sigmoids, hyperbolic tangents.
  int64_t sigmoid = 0;
  /// Quotients.
  int64_t divide = 0;
  /// What is combined with the element before it.
  int64_t reduce = 0;
  /// All of a softmax.
  int64_t softmax = 0;

  bool operator==(const VectorBody &) const = default;
};

/// A part of a kernel's work: a body that runs on that many elements.
struct VectorPart {
  VectorBody body;
  int64_t elements = 0;
  int64_t elementBits = 16;
};

/// Elements that a kernel loads or stores.
struct VectorMove {
  int64_t elements = 0;
  int64_t elementBits = 16;
};

/// One kernel of a vector engine: overhead + max(elements loaded and stored /
/// rate, sum over the operations of their elements / rate). What is the same
/// along a loop is computed once for all of it: bodies come in parts, each on
/// its elements. A kernel without parts is a copy.
int64_t vectorCycles(const CostFigures &figures,
                     std::span<const VectorPart> parts,
                     std::span<const VectorMove> moves);

/// A copy of that many elements, each of which is loaded and stored.
int64_t copyCycles(const CostFigures &figures, int64_t elements,
                   int64_t elementBits);

enum class Direction { DdrToTile, TileToDdr, TileToTile, DdrToDdr };

/// One transfer on one port: latency + bytes / bandwidth.
int64_t transferCycles(const CostFigures &figures, Direction direction,
                       int64_t bytes);

} // namespace npu

#endif // NPU_TARGET_COSTS_H
