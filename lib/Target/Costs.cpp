// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost formulas. scripts/fit-costs.py has the same ones, to fit figures.

#include "npu/Target/Costs.h"
#include "npu/Target/Count.h"

#include <algorithm>
#include <array>

namespace npu {
namespace {

Count paddedTo(Count count, int64_t granule) {
  return dividedUp(count, granule) * Count{granule};
}

/// Cycles of an amount at a rate per 1000 cycles. The remainder is below the
/// rate, which is at most 2^50: its product fits.
Count atRate(Count amount, int64_t rate) {
  if (amount.value == Count::most)
    return amount;
  Count whole = Count{amount.value / rate} * Count{1000};
  return whole + dividedUp({amount.value % rate * 1000}, rate);
}

/// 16-bit pieces of an element; 1 for a narrower one.
Count pieces(int64_t bits) {
  return dividedUp({std::max<int64_t>(bits, 1)}, 16);
}

/// Bytes that the engine counts with for one piece.
Count bytesOfPiece(int64_t bits) { return {bits <= 8 ? 1 : 2}; }

/// Elements that the engine reads: the weights once for each group of pixels,
/// the pixels once for each group of channels, in the best of three shapes.
Count elementsRead(const CostFigures &figures, Count rows, Count channels,
                   Count paddedRows, Count paddedChannels, Count depth) {
  Count least{Count::most};
  const int64_t grid = figures.grid;
  for (auto [pixels, wide] :
       {std::pair{grid * 2, std::max<int64_t>(grid / 2, 1)},
        std::pair{grid, grid},
        std::pair{std::max<int64_t>(grid / 2, 1), grid * 2}})
    least = std::min(least, dividedUp(rows, pixels) * paddedChannels * depth +
                                dividedUp(channels, wide) * paddedRows * depth);
  return least;
}

struct WindowFigures {
  int64_t overhead, taps, inputs, leastPixels;
};

int64_t windowCycles(const CostFigures &figures, const WindowFigures &rates,
                     const WindowPart &part) {
  if (part.pixels <= 0 || part.pixelsRead <= 0 || part.channels <= 0 ||
      part.window <= 0)
    return 0;
  Count channels = paddedTo({part.channels},
                            engineFor(figures, part.elementBits).inputGranule);
  Count workloads = dividedUp(channels, figures.windowChannels);
  Count elements = channels * pieces(part.elementBits);
  Count taps = elements * Count{std::max(part.pixels, rates.leastPixels)} *
               Count{part.window};
  Count inputs = elements * Count{part.pixelsRead};
  Count cycles = workloads * Count{rates.overhead} + atRate(taps, rates.taps) +
                 atRate(inputs, rates.inputs);
  return cycles.value;
}

/// Elements, in 16-bit pieces.
Count elementsOf(int64_t elements, int64_t bits) {
  return Count{std::max<int64_t>(elements, 0)} * pieces(bits);
}

/// The cycles of a part of a kernel, without what the kernel begins with.
Count vectorWork(const CostFigures &figures, const VectorPart &part) {
  const std::pair<int64_t, int64_t> work[] = {
      {part.body.simple, figures.vectorSimpleRate},
      {part.body.special, figures.vectorSpecialRate},
      {part.body.sigmoid, figures.vectorSigmoidRate},
      {part.body.divide, figures.vectorDivideRate},
      {part.body.reduce, figures.vectorReduceRate},
      {part.body.softmax, figures.vectorSoftmaxRate}};
  Count all = elementsOf(part.elements, part.elementBits);
  Count cycles{0};
  for (auto [operations, rate] : work)
    cycles += atRate(all * Count{std::max<int64_t>(operations, 0)}, rate);
  return cycles;
}

} // namespace

const EngineFigures &engineFor(const CostFigures &figures, int64_t bits) {
  return bits <= 8 ? figures.i8 : figures.f16;
}

int64_t contractionCycles(const CostFigures &figures,
                          const ContractionPart &part) {
  if (part.rows <= 0 || part.inputChannels <= 0 || part.outputChannels <= 0 ||
      part.window <= 0)
    return 0;
  const EngineFigures &engine = engineFor(figures, part.elementBits);
  Count times = pieces(part.elementBits);
  Count bytes = bytesOfPiece(part.elementBits) * times;
  Count rows = paddedTo({part.rows}, figures.rowGranule);
  Count channels = paddedTo({part.outputChannels}, figures.outputGranule);
  Count depth =
      paddedTo({part.inputChannels}, engine.inputGranule) * Count{part.window};
  Count compute =
      dividedUp(rows * channels * depth * times, engine.macsPerCycle);
  Count read = elementsRead(figures, {part.rows}, {part.outputChannels}, rows,
                            channels, depth) *
               bytes;
  Count written = Count{part.rows} * Count{part.outputChannels} * bytes;
  Count cycles = Count{engine.contractionOverhead} +
                 std::max(compute, atRate(read, engine.contractionRead)) +
                 atRate(written, engine.contractionWrite);
  return cycles.value;
}

int64_t depthwiseCycles(const CostFigures &figures, const WindowPart &part) {
  const EngineFigures &engine = engineFor(figures, part.elementBits);
  return windowCycles(figures,
                      {engine.depthwiseOverhead, engine.depthwiseTaps,
                       engine.depthwiseInputs, engine.depthwiseLeastPixels},
                      part);
}

int64_t poolingCycles(const CostFigures &figures, const WindowPart &part) {
  const EngineFigures &engine = engineFor(figures, part.elementBits);
  return windowCycles(figures,
                      {engine.poolingOverhead, engine.poolingTaps,
                       engine.poolingInputs, engine.poolingLeastPixels},
                      part);
}

int64_t elementwiseCycles(const CostFigures &figures, int64_t pixels,
                          int64_t channels, int64_t elementBits) {
  if (pixels <= 0 || channels <= 0)
    return 0;
  const EngineFigures &engine = engineFor(figures, elementBits);
  Count elements = Count{std::max(pixels, engine.elementwiseLeastPixels)} *
                   paddedTo({channels}, figures.outputGranule) *
                   pieces(elementBits);
  return (Count{engine.elementwiseOverhead} +
          atRate(elements, engine.elementwiseRate))
      .value;
}

int64_t vectorCycles(const CostFigures &figures,
                     std::span<const VectorPart> parts,
                     std::span<const VectorMove> moves) {
  Count work{0}, moved{0};
  bool isAny = false;
  for (const VectorPart &part : parts) {
    work += vectorWork(figures, part);
    isAny |= part.elements > 0;
  }
  for (const VectorMove &move : moves) {
    moved += elementsOf(move.elements, move.elementBits);
    isAny |= move.elements > 0;
  }
  if (!isAny)
    return 0;
  return (Count{figures.vectorOverhead} +
          std::max(work, atRate(moved, figures.vectorMoveRate)))
      .value;
}

int64_t copyCycles(const CostFigures &figures, int64_t elements,
                   int64_t elementBits) {
  const VectorMove move{elements, elementBits};
  return vectorCycles(figures, {}, std::array{move, move});
}

int64_t transferCycles(const CostFigures &figures, Direction direction,
                       int64_t bytes) {
  if (bytes <= 0)
    return 0;
  auto cycles = [&](int64_t latency, int64_t rate) {
    return (Count{latency} + atRate({bytes}, rate)).value;
  };
  switch (direction) {
  case Direction::DdrToTile:
    return cycles(figures.ddrToTileLatency, figures.ddrToTileRate);
  case Direction::TileToDdr:
    return cycles(figures.tileToDdrLatency, figures.tileToDdrRate);
  case Direction::TileToTile:
    return cycles(figures.tileToTileLatency, figures.tileToTileRate);
  case Direction::DdrToDdr:
    return cycles(figures.ddrToDdrLatency, figures.ddrToDdrRate);
  }
  return 0;
}

} // namespace npu
