// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers that change or tell shapes.

#include "LayerTable.h"

#include <limits>

namespace npu {
namespace {

using Proto = onnx::TensorProto;

void translateReshape(LayerTranslation &layer) {
  bool copiesZeros = layer.flag("special_zero");
  layer.set(
      0, layer.add("Reshape", {layer.operand(0), layer.asI64(1)},
                   NodeAttributes().set("allowzero", int64_t(!copiesZeros))));
}

void translateSqueeze(LayerTranslation &layer) {
  if (layer.version >= 15 && layer.flag("allow_axis_skip", false))
    return (void)(layer.error() << "allow_axis_skip is not supported");
  std::vector<NodeValue> operands{layer.operand(0)};
  if (layer.has(1))
    operands.push_back(layer.asList(1));
  layer.set(0, layer.add("Squeeze", operands));
}

void translateUnsqueeze(LayerTranslation &layer) {
  layer.set(0, layer.add("Unsqueeze", {layer.operand(0), layer.asList(1)}));
}

void translateTranspose(LayerTranslation &layer) {
  layer.set(0, layer.addOwn("Transpose", {layer.operand(0), layer.operand(1)}));
}

void translateShapeOf(LayerTranslation &layer) {
  NodeValue shape = layer.add("Shape", {layer.operand(0)});
  int64_t element = layer.version >= 3
                        ? layer.element("output_type", Proto::INT64)
                        : int64_t(Proto::INT64);
  layer.set(0, element == Proto::INT64 ? shape : layer.cast(shape, element));
}

/// The number of integers in a list of which the shape is known.
std::optional<int64_t> lengthOf(LayerTranslation &layer, unsigned operand,
                                llvm::StringRef what) {
  if (layer.rank(operand) == 1 && layer.extent(operand, 0) >= 0)
    return layer.extent(operand, 0);
  layer.error() << "expected a list with a known number of " << what;
  return std::nullopt;
}

void translateBroadcast(LayerTranslation &layer) {
  std::string mode;
  if (layer.version >= 3)
    mode = layer.word("mode", {"numpy", "explicit", "bidirectional", "pdpd"},
                      "numpy");
  else
    mode = layer.word("broadcast_spec", {"numpy", "explicit", "none", "pdpd"},
                      layer.hasAttribute("mode") ? "numpy" : "numpy");
  if (layer.version < 3 && layer.hasAttribute("mode"))
    mode = layer.word("mode", {"numpy", "explicit", "none", "pdpd"});
  if (mode == "pdpd")
    return (void)(layer.error() << "mode 'pdpd' is not supported");
  NodeValue value = layer.operand(0), shape = layer.asI64(1);
  if (mode == "explicit" || mode == "none") {
    if (!layer.has(2))
      return (void)(layer.error() << "expected a mapping of axes");
    auto mapping = layer.constantOrError(2, "the mapping of axes");
    auto rank = lengthOf(layer, 1, "extents");
    if (!mapping || !rank)
      return;
    Integers added;
    for (int64_t dim = 0; dim < *rank; ++dim)
      if (!llvm::is_contained(*mapping, dim))
        added.push_back(dim);
    bool isMapping =
        llvm::is_sorted(*mapping) &&
        static_cast<int64_t>(added.size() + mapping->size()) == *rank &&
        static_cast<int64_t>(mapping->size()) == layer.rank(0);
    if (!isMapping)
      return (void)(layer.error()
                    << "expected a mapping with one axis of the result for "
                       "each dimension, in order");
    value = layer.unsqueeze(value, added);
  }
  layer.set(0, layer.add("Expand", {value, shape}));
}

void translateTile(LayerTranslation &layer) {
  auto length = lengthOf(layer, 1, "repetitions");
  if (!length)
    return;
  NodeValue value = layer.operand(0), repeats = layer.asI64(1);
  int64_t missing = layer.rank(0) - *length;
  if (missing > 0)
    repeats = layer.add("Concat", {layer.list(Integers(missing, 1)), repeats},
                        NodeAttributes().set("axis", int64_t(0)));
  else if (missing < 0)
    value = layer.unsqueeze(value,
                            llvm::to_vector(llvm::seq<int64_t>(0, -missing)));
  layer.set(0, layer.add("Tile", {value, repeats}));
}

void translateConcat(LayerTranslation &layer) {
  std::vector<NodeValue> operands;
  for (unsigned operand = 0; operand < layer.operandCount(); ++operand)
    operands.push_back(layer.operand(operand));
  layer.set(0, layer.add("Concat", operands,
                         NodeAttributes().set("axis", layer.integer("axis"))));
}

void translateBlocks(LayerTranslation &layer) {
  int64_t isDepthFirst = static_cast<int64_t>(
      layer.word("mode", {"blocks_first", "depth_first"}) == "depth_first");
  int64_t block = layer.integer("block_size", 1), rank = layer.rank(0);
  if (rank < 3 || block < 1)
    return (void)(layer.error() << "expected at least 3 dimensions and a "
                                   "block_size of at least 1, got "
                                << rank << " and " << block);
  Integers blocks(static_cast<std::size_t>(rank) - 2, block);
  layer.set(0, layer.addOwn("MoveBlocks", {layer.operand(0)},
                            NodeAttributes()
                                .set("dim", int64_t(1))
                                .set("blocks", llvm::ArrayRef<int64_t>(blocks))
                                .set("after", isDepthFirst)
                                .set("back", int64_t(layer.layer.type ==
                                                     "DepthToSpace"))));
}

/// The operands of both layers below: sizes of blocks, and what is added or
/// dropped at both ends of each dimension.
struct BatchBlocks {
  std::optional<Integers> blocks, begins, ends;

  explicit BatchBlocks(LayerTranslation &layer)
      : blocks(layer.constantOrError(1, "the sizes of blocks")),
        begins(
            layer.constantOrError(2, "the numbers of entries at beginnings")),
        ends(layer.constantOrError(3, "the numbers of entries at ends")) {}

  bool check(LayerTranslation &layer) const {
    if (!blocks || !begins || !ends)
      return false;
    auto rank = static_cast<std::size_t>(layer.rank(0));
    auto isBelow = [](const Integers &numbers, int64_t least) {
      return llvm::any_of(numbers, [&](int64_t each) { return each < least; });
    };
    bool isFine = rank >= 2 && blocks->size() == rank &&
                  begins->size() == rank && ends->size() == rank &&
                  blocks->front() == 1 && begins->front() == 0 &&
                  ends->front() == 0 && !isBelow(*blocks, 1) &&
                  !isBelow(*begins, 0) && !isBelow(*ends, 0);
    if (!isFine)
      layer.error() << "expected at least 2 dimensions, and for each of them a "
                       "block of at least 1 and numbers of entries of at least "
                       "0; 1 and 0 for the batch";
    return isFine;
  }

  NodeValue moved(LayerTranslation &layer, const NodeValue &value,
                  bool isBack) const {
    return layer.addOwn(
        "MoveBlocks", {value},
        NodeAttributes()
            .set("dim", int64_t(0))
            .set("blocks", llvm::ArrayRef<int64_t>(*blocks).drop_front())
            .set("after", int64_t(0))
            .set("back", int64_t(isBack)));
  }
};

void translateSpaceToBatch(LayerTranslation &layer) {
  BatchBlocks given(layer);
  if (!given.check(layer))
    return;
  Integers pads = *given.begins;
  llvm::append_range(pads, *given.ends);
  NodeValue padded =
      layer.add("Pad", {layer.operand(0), layer.list(pads)},
                NodeAttributes().set("mode", llvm::StringRef("constant")));
  layer.set(0, given.moved(layer, padded, /*isBack=*/false));
}

void translateBatchToSpace(LayerTranslation &layer) {
  BatchBlocks given(layer);
  if (!given.check(layer))
    return;
  NodeValue whole = given.moved(layer, layer.operand(0), /*isBack=*/true);
  Integers axes, first, last;
  for (auto [axis, ends] :
       llvm::enumerate(llvm::zip_equal(*given.begins, *given.ends))) {
    auto [low, high] = ends;
    axes.push_back(static_cast<int64_t>(axis));
    first.push_back(low);
    last.push_back(high > 0 ? -high : std::numeric_limits<int64_t>::max());
  }
  layer.set(0, layer.add("Slice", {whole, layer.list(first), layer.list(last),
                                   layer.list(axes)}));
}

void translateShuffleChannels(LayerTranslation &layer) {
  layer.set(0, layer.addOwn("Shuffle", {layer.operand(0)},
                            NodeAttributes()
                                .set("group", layer.integer("group", 1))
                                .set("axis", layer.integer("axis", 1))));
}

} // namespace

void addShapeLayers(LayerTable &table) {
  table.add("Reshape", {1}, 2, 2, translateReshape);
  table.add("Squeeze", {1, 15}, 1, 2, translateSqueeze, "allow_axis_skip");
  table.add("Unsqueeze", {1}, 2, 2, translateUnsqueeze);
  table.add("Transpose", {1}, 2, 2, translateTranspose,
            "an order that is computed at run time");
  table.add("ShapeOf", {0, 1, 3}, 1, 1, translateShapeOf);
  table.add("Broadcast", {1, 3}, 2, 3, translateBroadcast,
            "mode pdpd; a mapping of axes that is computed");
  table.add("Tile", {1}, 2, 2, translateTile,
            "repetitions of which the number is not known");
  table.add("Concat", {1}, 1, 1u << 20, translateConcat);
  for (const char *type : {"SpaceToDepth", "DepthToSpace"})
    table.add(type, {1}, 1, 1, translateBlocks);
  const char *computed = "blocks and ends that are computed";
  table.add("SpaceToBatch", {2}, 4, 4, translateSpaceToBatch, computed);
  table.add("BatchToSpace", {2}, 4, 4, translateBatchToSpace, computed);
  table.add("ShuffleChannels", {1}, 1, 1, translateShuffleChannels);
}

} // namespace npu
