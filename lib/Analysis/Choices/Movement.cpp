// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Choices/Movement.h"

#include <numeric>

using namespace mlir;

namespace npu {
namespace {

bool spellsBoxes(const Distribution &distribution) {
  return !distribution.compute.empty() || !distribution.memory.empty();
}

/// Whether two types have the same label. An explicit and an implicit spelling
/// of one distribution do: explicit boxes do not tell the rule or the window
/// that they come from, so the mode, the boxes and the number of tiles decide.
/// Two rules are compared in canonical form at their shape. Precondition:
/// memory boxes are the same.
bool sameLabel(RankedTensorType a, RankedTensorType b) {
  if (a == b)
    return true;
  const Distribution &one = getLayout(a).getDistribution();
  const Distribution &other = getLayout(b).getDistribution();
  if (spellsBoxes(one) || spellsBoxes(other)) {
    const Placement &boxes = *getPlacement(a), &others = *getPlacement(b);
    return one.mode == other.mode &&
           boxes.tiles.size() == others.tiles.size() &&
           sameCompute(boxes, others);
  }
  Extents shape = toExtents(a.getShape());
  return canonical(one, shape) == canonical(other, shape);
}

int64_t bitsOf(RankedTensorType type) {
  return elementBits(type.getElementType()).value_or(64);
}

int64_t bytesMoved(RankedTensorType from, RankedTensorType to,
                   std::span<const PaddedRange> padding) {
  const Placement *source = getPlacement(from);
  const Placement *target = getPlacement(to);
  int64_t elements = 0;
  if (source && target)
    elements = elementsMissing(*source, *target, padding);
  else if (source || target)
    elements = elementsThroughDdr(to, padding);
  return toBytes(elements, bitsOf(from));
}

} // namespace

Relation relate(RankedTensorType have, RankedTensorType want) {
  if (have == want)
    return Relation::Identical;
  bool sameOrder =
      have.getRank() > kMaxRank || getOrder(have) == getOrder(want);
  if (!isDistributed(have) && !isDistributed(want))
    return sameOrder ? Relation::Identical : Relation::DataMoves;
  const Placement *held = getPlacement(have);
  const Placement *wanted = getPlacement(want);
  if (!held || !wanted || !sameOrder || getStorage(have) != getStorage(want) ||
      !memoryContains(*held, *wanted))
    return Relation::DataMoves;
  // A part of an image is no image.
  if (!sameMemory(*held, *wanted))
    return getStorage(have) == Storage::Linear ? Relation::Contained
                                               : Relation::DataMoves;
  return sameLabel(have, want) ? Relation::Identical : Relation::SameMemory;
}

namespace {

/// The placements of two types, null for the DDR, and where senders may cut
/// what they share, so that both types have whole bytes.
struct Sides {
  const Placement *source;
  const Placement *target;
  Extents multiples;
};

Result<Sides> sidesOf(RankedTensorType from, RankedTensorType to) {
  for (RankedTensorType type : {from, to})
    if (isDistributed(type) && !getPlacement(type))
      return Error{whyNoPlacement(type)};
  Sides sides{getPlacement(from), getPlacement(to), {}};
  if (!isPacked(from.getElementType()) || (!sides.source && !sides.target))
    return sides;
  sides.multiples = cutsBetweenBytes(from);
  for (auto [multiple, other] :
       llvm::zip(sides.multiples, cutsBetweenBytes(to)))
    multiple = std::lcm(multiple, other);
  return sides;
}

} // namespace

Result<RedistributionPlan> planBetween(RankedTensorType from,
                                       RankedTensorType to,
                                       std::span<const PaddedRange> padding,
                                       Machines machines) {
  Result<Sides> sides = sidesOf(from, to);
  if (!sides)
    return sides.error();
  auto [source, target, multiples] = *sides;
  if (source && target)
    return planRedistribution(*source, *target, padding, multiples, machines);
  if (target)
    return planLoad(*target, padding, machines);
  if (source)
    return planStore(*source, padding, multiples, machines);
  return RedistributionPlan{};
}

Result<TransferVolumes> volumesBetween(RankedTensorType from,
                                       RankedTensorType to,
                                       std::span<const PaddedRange> padding) {
  Result<Sides> sides = sidesOf(from, to);
  if (!sides)
    return sides.error();
  auto [source, target, multiples] = *sides;
  if (source && target)
    return redistributionVolumes(*source, *target, padding, multiples);
  if (target)
    return loadVolumes(*target, padding);
  if (source)
    return storeVolumes(*source, padding, multiples);
  return TransferVolumes(0);
}

int64_t elementsThroughDdr(RankedTensorType type,
                           std::span<const PaddedRange> padding) {
  return Box::whole(realShape(toExtents(type.getShape()), padding)).volume();
}

/// The elements that an image on a tile takes; 0 of other tensors.
static int64_t elementsOfImage(RankedTensorType type, unsigned tile) {
  Storage kind = getStorage(type);
  const Placement *placement = getPlacement(type);
  return kind == Storage::Linear || !placement
             ? 0
             : storedVolume(placement->memoryOf(tile), kind);
}

int64_t elementsRelaid(RankedTensorType from, RankedTensorType to,
                       unsigned tile) {
  const Placement *source = getPlacement(from), *target = getPlacement(to);
  bool isImage = getStorage(from) != Storage::Linear;
  // One of two different kinds is converted, and what is linear moves.
  if (isImage != (getStorage(to) != Storage::Linear))
    return elementsOfImage(isImage ? from : to, tile) +
           elementsRelaid(withStorage(from, Storage::Linear),
                          withStorage(to, Storage::Linear), tile);
  if (!source || !target)
    return 0;
  // Each image is taken apart or made, unless it stays as it is.
  if (isImage)
    return source->memoryOf(tile) == target->memoryOf(tile)
               ? 0
               : elementsOfImage(from, tile) + elementsOfImage(to, tile);
  Permutation before = getOrder(from), after = getOrder(to);
  if (before == after)
    return 0;
  Box box = target->memoryOf(tile);
  Extents sizes = box.sizes();
  return sameMemoryOrder({sizes.begin(), sizes.size()}, before, after)
             ? 0
             : box.volume();
}

unsigned tilesOf(RankedTensorType from, RankedTensorType to) {
  size_t tiles = 0;
  for (RankedTensorType type : {from, to})
    if (const Placement *placement = getPlacement(type))
      tiles = std::max(tiles, placement->tiles.size());
  return tiles;
}

int64_t elementsRelaid(RankedTensorType from, RankedTensorType to) {
  int64_t elements = 0;
  for (unsigned tile = 0, count = tilesOf(from, to); tile < count; ++tile)
    elements += elementsRelaid(from, to, tile);
  return elements;
}

Relation MovementCache::relation(RankedTensorType have, RankedTensorType want) {
  if (have == want)
    return Relation::Identical;
  auto [it, isNew] = relations.try_emplace(Pair(have, want));
  if (isNew)
    it->second = relate(have, want);
  return it->second;
}

Padding MovementCache::paddingMoved(Value value, RankedTensorType from,
                                    RankedTensorType to) const {
  return hasPadding && from != to ? paddingOf(value) : Padding();
}

int64_t MovementCache::bytes(Value value, RankedTensorType from,
                             RankedTensorType to) {
  return bytes(paddingMoved(value, from, to), from, to);
}

int64_t MovementCache::price(Value value, RankedTensorType from,
                             RankedTensorType to) {
  return price(paddingMoved(value, from, to), from, to);
}

int64_t MovementCache::price(std::span<const PaddedRange> padding,
                             RankedTensorType from, RankedTensorType to) {
  if (!priceOf)
    return bytes(padding, from, to);
  if (from == to)
    return 0;
  if (!padding.empty())
    return priceOf(from, to, padding);
  auto [it, isNew] = prices.try_emplace(Pair(from, to));
  if (isNew)
    it->second = priceOf(from, to, {});
  return it->second;
}

int64_t MovementCache::bytes(std::span<const PaddedRange> padding,
                             RankedTensorType from, RankedTensorType to) {
  if (from == to)
    return 0;
  if (!padding.empty())
    return bytesMoved(from, to, padding);
  auto [it, isNew] = byteCounts.try_emplace(Pair(from, to));
  if (isNew)
    it->second = bytesMoved(from, to, {});
  return it->second;
}

RankedTensorType MovementCache::expectedType(PermuteCastOp cast) {
  RankedTensorType inputType = cast.getInput().getType();
  RankedTensorType resultType = cast.getResult().getType();
  // Models have more shapes than layouts, and a layout does not depend on the
  // shape, so that layouts are remembered without shapes.
  auto [layout, isNewLayout] = expectedLayouts.try_emplace(
      {{inputType.getEncoding(), resultType.getEncoding()},
       cast.getMemPermAttr()});
  if (isNewLayout)
    layout->second = getExpectedLayout(cast);
  // A cast that keeps shape and encoding expects the type of its input.
  if (layout->second == inputType.getEncoding() &&
      inputType.getShape() == resultType.getShape() &&
      inputType.getElementType() == resultType.getElementType())
    return inputType;
  auto [it, isNew] = expectedTypes.try_emplace(
      {Pair(inputType, resultType), cast.getMemPermAttr()});
  if (isNew)
    it->second = withLayout(resultType, layout->second);
  return it->second;
}

} // namespace npu
