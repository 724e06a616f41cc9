// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of tensors.

#include "LayerTable.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <limits>
#include <set>

namespace npu {
namespace {

using Proto = onnx::TensorProto;

/// Bounds that mean the end and the beginning of any dimension.
constexpr int64_t kEnd = std::numeric_limits<int64_t>::max(),
                  kBegin = std::numeric_limits<int64_t>::min();

/// Dimensions of which single positions are listed have at most so many.
constexpr int64_t kMostPositions = int64_t(1) << 20;

NodeValue slice(LayerTranslation &layer, const NodeValue &value, int64_t axis,
                int64_t begin, int64_t end) {
  return layer.add("Slice", {value, layer.list({begin}), layer.list({end}),
                             layer.list({axis})});
}

void translateSlice(LayerTranslation &layer) {
  NodeValue steps = layer.asI64(3);
  std::vector<NodeValue> operands{layer.operand(0), layer.asI64(1),
                                  layer.asI64(2)};
  if (layer.has(4))
    operands.push_back(layer.asI64(4));
  else if (layer.rank(1) == 1 && layer.extent(1, 0) >= 0)
    operands.push_back(
        layer.list(llvm::to_vector(llvm::seq<int64_t>(0, layer.extent(1, 0)))));
  else
    return (void)(layer.error()
                  << "expected a known number of bounds, or axes");
  operands.push_back(steps);
  layer.set(0, layer.add("Slice", operands));
}

void translateSplit(LayerTranslation &layer) {
  int64_t count = layer.integer("num_splits");
  auto axis = layer.axisOperand(1);
  if (!axis)
    return;
  if (count != static_cast<int64_t>(layer.layer.outputs.size()))
    return (void)(layer.error() << "expected " << count << " results, got "
                                << layer.layer.outputs.size());
  int64_t extent = layer.extent(0, *axis);
  if (extent >= 0 && extent % std::max<int64_t>(count, 1))
    return (void)(layer.error() << "cannot split " << extent << " entries into "
                                << count << " equal parts");
  NodeAttributes attributes;
  attributes.set("axis", *axis).set("num_outputs", count);
  std::vector<NodeValue> parts = layer.addNode(
      "Split", {layer.operand(0)}, static_cast<unsigned>(count), attributes);
  for (auto [number, part] : llvm::enumerate(parts))
    layer.set(static_cast<unsigned>(number), part);
}

void translateVariadicSplit(LayerTranslation &layer) {
  auto axis = layer.axisOperand(1);
  auto lengths = layer.constantOrError(2, "the lengths");
  if (!axis || !lengths)
    return;
  if (lengths->size() != layer.layer.outputs.size())
    return (void)(layer.error()
                  << "expected as many lengths as results, got "
                  << lengths->size() << " and " << layer.layer.outputs.size());
  int64_t open = llvm::count(*lengths, -1), total = 0;
  for (int64_t length : *lengths)
    if (length < -1 || (length > 0 && llvm::AddOverflow(total, length, total)))
      return (void)(layer.error() << "expected lengths of at least 0, and one "
                                     "-1 for what is left");
  int64_t extent = layer.extent(0, *axis);
  if (open > 1 || (extent >= 0 && (open ? total > extent : total != extent)))
    return (void)(layer.error()
                  << "expected lengths that add up to the dimension's "
                  << extent << " entries, and at most one -1 for what is left");
  // Parts after the one that takes what is left are counted from the end.
  int64_t before = 0, after = total;
  bool isAfter = false;
  for (auto [number, length] : llvm::enumerate(*lengths)) {
    int64_t begin = before, end = before + length;
    if (length < 0) {
      after = total - before;
      end = after == 0 ? kEnd : -after;
      isAfter = true;
    } else if (isAfter) {
      begin = -after;
      after -= length;
      end = after == 0 ? kEnd : -after;
      if (begin == 0)
        begin = kEnd;
    } else {
      before += length;
    }
    layer.set(static_cast<unsigned>(number),
              slice(layer, layer.operand(0), *axis, begin, end));
  }
}

/// What a strided slice does with one dimension of its operand.
struct StridedDim {
  /// The entry of the bounds that says it.
  std::size_t entry;
  int64_t axis;
};

/// Bounds of the slice: constants, and entries of an operand that is computed.
NodeValue bounds(LayerTranslation &layer, unsigned operand,
                 llvm::ArrayRef<StridedDim> dims,
                 llvm::ArrayRef<std::optional<int64_t>> known) {
  if (llvm::all_of(known, [](const auto &each) { return each.has_value(); })) {
    Integers numbers;
    for (const auto &each : known)
      numbers.push_back(*each);
    return layer.list(numbers);
  }
  NodeValue all = layer.asI64(operand);
  std::vector<NodeValue> parts;
  for (auto [dim, number] : llvm::zip_equal(dims, known))
    parts.push_back(
        number ? layer.list({*number})
               : layer.add("Gather",
                           {all, layer.list({static_cast<int64_t>(dim.entry)})},
                           NodeAttributes().set("axis", int64_t(0))));
  return parts.size() == 1
             ? parts[0]
             : layer.add("Concat", parts,
                         NodeAttributes().set("axis", int64_t(0)));
}

/// Masks say for each entry of the bounds: a bound that is ignored, a dimension
/// that is added, one of which a single entry is taken and which goes, or all
/// the dimensions that no other entry is of.
void translateStridedSlice(LayerTranslation &layer) {
  Integers ignoresBegin = layer.integers("begin_mask"),
           ignoresEnd = layer.integers("end_mask"),
           adds = layer.integers("new_axis_mask", Integers()),
           shrinks = layer.integers("shrink_axis_mask", Integers()),
           ellipsis = layer.integers("ellipsis_mask", Integers());
  for (const Integers *mask :
       {&ignoresBegin, &ignoresEnd, &adds, &shrinks, &ellipsis})
    for (int64_t bit : *mask)
      if (bit != 0 && bit != 1)
        return (void)(layer.error()
                      << "expected masks of 0 and 1, got " << bit);
  if (layer.rank(1) != 1 || layer.extent(1, 0) < 0)
    return (void)(layer.error() << "expected a known number of bounds");
  auto count = static_cast<std::size_t>(layer.extent(1, 0));
  constexpr std::size_t most = 64;
  if (count > most)
    return (void)(layer.error() << "expected at most " << most << " bounds");
  auto isSet = [](const Integers &mask, std::size_t entry) {
    return entry < mask.size() && mask[entry] != 0;
  };
  std::optional<Integers> steps = Integers(count, 1);
  if (layer.has(3))
    steps = layer.constantOrError(3, "the strides");
  auto begins = layer.constant(1), ends = layer.constant(2);
  if (!steps)
    return;
  if (steps->size() != count || (begins && begins->size() != count) ||
      (ends && ends->size() != count))
    return (void)(layer.error()
                  << "expected as many strides as beginnings and ends");
  int64_t rank = layer.rank(0), used = 0;
  for (std::size_t entry = 0; entry < count; ++entry)
    if (!isSet(ellipsis, entry) && !isSet(adds, entry))
      ++used;
  if (used > rank)
    return (void)(layer.error() << "expected bounds for at most " << rank
                                << " dimensions, got " << used);
  llvm::SmallVector<StridedDim> sliced;
  Integers stepList, axisList, shrunk, added;
  llvm::SmallVector<std::optional<int64_t>> low, high;
  llvm::SmallVector<std::pair<int64_t, std::size_t>> taken;
  int64_t axis = 0, place = 0;
  bool hadEllipsis = false;
  for (std::size_t entry = 0; entry < count; ++entry) {
    if (isSet(ellipsis, entry)) {
      if (hadEllipsis)
        return (void)(layer.error() << "expected one entry of ellipsis_mask");
      hadEllipsis = true;
      axis += rank - used;
      place += rank - used;
      continue;
    }
    if (isSet(adds, entry)) {
      added.push_back(place++);
      continue;
    }
    if (isSet(shrinks, entry)) {
      taken.push_back({axis++, entry});
      continue;
    }
    int64_t step = (*steps)[entry];
    if (step == 0)
      return (void)(layer.error() << "expected strides other than 0");
    std::optional<int64_t> begin, end;
    if (isSet(ignoresBegin, entry))
      begin = step > 0 ? 0 : kEnd;
    else if (begins)
      begin = (*begins)[entry];
    if (isSet(ignoresEnd, entry))
      end = step > 0 ? kEnd : kBegin;
    else if (ends)
      end = (*ends)[entry];
    bool takesAll = step == 1 && begin == 0 && end == kEnd;
    if (!takesAll) {
      sliced.push_back({entry, axis});
      axisList.push_back(axis);
      stepList.push_back(step);
      low.push_back(begin);
      high.push_back(end);
    }
    ++axis;
    ++place;
  }
  NodeValue value = layer.operand(0);
  if (!sliced.empty())
    value = layer.add("Slice", {value, bounds(layer, 1, sliced, low),
                                bounds(layer, 2, sliced, high),
                                layer.list(axisList), layer.list(stepList)});
  // From the last dimension on, so that those in front keep their numbers.
  for (auto [dim, entry] : llvm::reverse(taken)) {
    NodeValue position;
    if (isSet(ignoresBegin, entry) || begins) {
      int64_t at = isSet(ignoresBegin, entry) ? 0 : (*begins)[entry];
      position = layer.number(static_cast<double>(at), Proto::INT64);
    } else {
      position =
          layer.add("Gather",
                    {layer.asI64(1),
                     layer.number(static_cast<double>(entry), Proto::INT64)},
                    NodeAttributes().set("axis", int64_t(0)));
    }
    value = layer.add("Gather", {value, position},
                      NodeAttributes().set("axis", dim));
  }
  value = layer.unsqueeze(value, added);
  layer.set(0, sliced.empty() && taken.empty() && added.empty()
                   ? layer.add("Identity", {value})
                   : value);
}

/// The positions that a slice takes of a dimension, in its order.
Integers positionsOf(int64_t begin, int64_t end, int64_t step, int64_t extent) {
  auto inside = [&](int64_t at) {
    at = at < 0 ? at + extent : at;
    return step > 0 ? std::clamp<int64_t>(at, 0, extent)
                    : std::clamp<int64_t>(at, -1, extent - 1);
  };
  Integers positions;
  int64_t last = inside(end);
  for (int64_t at = inside(begin); step > 0 ? at < last : at > last;) {
    positions.push_back(at);
    if (llvm::AddOverflow(at, step, at))
      break;
  }
  return positions;
}

/// A tensor with other entries where a slice takes some: along one axis, they
/// are taken of both tensors, one after the other; and what is new along that
/// axis is a slice with other entries along the rest.
void translateSliceScatter(LayerTranslation &layer) {
  auto begins = layer.constantOrError(2, "the beginnings"),
       ends = layer.constantOrError(3, "the ends"),
       steps = layer.constantOrError(4, "the steps");
  if (!begins || !ends || !steps)
    return;
  std::size_t count = begins->size();
  std::optional<Integers> axes =
      Integers(llvm::to_vector(llvm::seq<int64_t>(count)));
  if (layer.has(5))
    axes = layer.constantOrError(5, "the axes");
  if (!axes)
    return;
  if (ends->size() != count || steps->size() != count || axes->size() != count)
    return (void)(layer.error()
                  << "expected as many ends, steps and axes as beginnings");
  std::vector<Integers> taken;
  std::set<int64_t> seen;
  for (std::size_t number = 0; number < count; ++number) {
    auto axis = layer.axisIn((*axes)[number], layer.rank(0));
    if (!axis)
      return;
    (*axes)[number] = *axis;
    int64_t extent = layer.extent(0, *axis), step = (*steps)[number];
    if (!seen.insert(*axis).second || step == 0 || extent < 0 ||
        extent > kMostPositions)
      return (void)(layer.error()
                    << "expected steps other than 0 along different axes with "
                       "a known number of entries, of at most "
                    << kMostPositions);
    taken.push_back(
        positionsOf((*begins)[number], (*ends)[number], step, extent));
    if (layer.rank(1) != layer.rank(0) ||
        layer.extent(1, *axis) != static_cast<int64_t>(taken.back().size()))
      return (void)(layer.error() << "expected " << taken.back().size()
                                  << " new entries along axis " << *axis);
  }
  auto gather = [&](const NodeValue &value, const Integers &positions,
                    int64_t axis) {
    return layer.add("Gather", {value, layer.list(positions)},
                     NodeAttributes().set("axis", axis));
  };
  // What the slices along the axes before each one take.
  std::vector<NodeValue> outer{layer.operand(0)};
  for (std::size_t number = 0; number + 1 < count; ++number)
    outer.push_back(gather(outer.back(), taken[number], (*axes)[number]));
  NodeValue value = layer.operand(1);
  for (std::size_t number = count; number-- > 0;) {
    int64_t axis = (*axes)[number], extent = layer.extent(0, axis);
    Integers positions = llvm::to_vector(llvm::seq<int64_t>(extent));
    for (auto [at, position] : llvm::enumerate(taken[number]))
      positions[position] = extent + static_cast<int64_t>(at);
    NodeValue both = layer.add("Concat", {outer[number], value},
                               NodeAttributes().set("axis", axis));
    value = gather(both, positions, axis);
  }
  layer.set(0, count == 0 ? layer.add("Identity", {value}) : value);
}

} // namespace

void addSliceLayers(LayerTable &table) {
  table.add("Slice", {8}, 4, 5, translateSlice);
  table.add("SliceScatter", {15}, 5, 6, translateSliceScatter,
            "bounds that are computed; open extents along the axes");
  table.add("StridedSlice", {1}, 3, 4, translateStridedSlice,
            "strides that are computed");
  table.add("Split", {1}, 2, 2, translateSplit, "an axis that is computed");
  table.add("VariadicSplit", {1}, 3, 3, translateVariadicSplit,
            "an axis and lengths that are computed");
}

} // namespace npu
