// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers that change or tell shapes.

#include "LayerTable.h"

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
  bool isDepthFirst =
      layer.word("mode", {"blocks_first", "depth_first"}) == "depth_first";
  layer.set(0,
            layer.addOwn(layer.layer.type, {layer.operand(0)},
                         NodeAttributes()
                             .set("blocksize", layer.integer("block_size", 1))
                             .set("depth_first", int64_t(isDepthFirst))));
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
  table.add("ShuffleChannels", {1}, 1, 1, translateShuffleChannels);
}

} // namespace npu
