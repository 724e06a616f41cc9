// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pads, reversed dimensions, ranges.

#include "LayerTable.h"

#include <limits>

namespace npu {
namespace {

using Proto = onnx::TensorProto;

void translatePad(LayerTranslation &layer) {
  std::string mode =
      layer.word("pad_mode", {"constant", "edge", "reflect", "symmetric"});
  if (mode == "symmetric")
    return layer.set(
        0, layer.addOwn("SymmetricPad", {layer.operand(0), layer.operand(1),
                                         layer.operand(2)}));
  NodeValue pads = layer.add("Concat", {layer.asI64(1), layer.asI64(2)},
                             NodeAttributes().set("axis", int64_t(0)));
  std::vector<NodeValue> operands{layer.operand(0), pads};
  if (layer.has(3) && mode == "constant")
    operands.push_back(layer.operand(3));
  layer.set(0, layer.add("Pad", operands,
                         NodeAttributes().set("mode", llvm::StringRef(mode))));
}

void translateRoll(LayerTranslation &layer) {
  layer.set(0, layer.addOwn("Roll", {layer.operand(0), layer.operand(1),
                                     layer.operand(2)}));
}

void translateReverse(LayerTranslation &layer) {
  bool isMask = layer.word("mode", {"index", "mask"}) == "mask";
  auto given = layer.constantOrError(1, "the axes");
  if (!given)
    return;
  Integers axes;
  for (auto [number, each] : llvm::enumerate(*given)) {
    if (isMask && each == 0)
      continue;
    auto axis = layer.axisIn(isMask ? static_cast<int64_t>(number) : each,
                             layer.rank(0));
    if (!axis)
      return;
    axes.push_back(*axis);
  }
  if (axes.empty())
    return layer.set(0, layer.add("Identity", {layer.operand(0)}));
  std::size_t count = axes.size();
  layer.set(0, layer.add("Slice",
                         {layer.operand(0), layer.list(Integers(count, -1)),
                          layer.list(Integers(
                              count, std::numeric_limits<int64_t>::min())),
                          layer.list(axes), layer.list(Integers(count, -1))}));
}

/// ONNX has the batch and the sequence in front.
void translateReverseSequence(LayerTranslation &layer) {
  int64_t rank = layer.rank(0);
  auto batch = layer.axisIn(layer.integer("batch_axis", 0), rank),
       sequence = layer.axisIn(layer.integer("seq_axis", 1), rank);
  if (!batch || !sequence)
    return;
  if (*batch == *sequence)
    return (void)(layer.error() << "expected different axes");
  Integers order{*batch, *sequence}, back;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != *batch && dim != *sequence)
      order.push_back(dim);
  for (int64_t dim = 0; dim < rank; ++dim)
    back.push_back(llvm::find(order, dim) - order.begin());
  NodeValue reversed =
      layer.add("ReverseSequence",
                {layer.transpose(layer.operand(0), order), layer.asI64(1)},
                NodeAttributes()
                    .set("batch_axis", int64_t(0))
                    .set("time_axis", int64_t(1)));
  layer.set(0, layer.transpose(reversed, back));
}

void translateRange(LayerTranslation &layer) {
  int64_t element =
      layer.version >= 4 ? layer.element("output_type") : layer.type(0).element;
  std::vector<NodeValue> bounds;
  for (unsigned operand : {0u, 1u, 2u}) {
    NodeValue bound = layer.operand(operand);
    if (layer.type(operand).element != element)
      bound = layer.cast(bound, element);
    bounds.push_back(layer.rank(operand) == 0 ? bound
                                              : layer.reshape(bound, {}));
  }
  layer.set(0, layer.add("Range", bounds));
}

/// Ones on a diagonal, in a matrix or in a batch of equal ones.
void translateEye(LayerTranslation &layer) {
  int64_t element = layer.element("output_type");
  auto diagonal = layer.constantOrError(2, "the number of the diagonal");
  std::optional<Integers> batch = Integers();
  if (layer.has(3))
    batch = layer.constantOrError(3, "the shape of the batch");
  if (!diagonal || !batch)
    return;
  if (diagonal->size() != 1 || layer.rank(0) > 1 || layer.rank(1) > 1)
    return (void)(layer.error()
                  << "expected one number each of rows, columns and diagonals");
  NodeValue shape = layer.add("Concat", {layer.asList(0), layer.asList(1)},
                              NodeAttributes().set("axis", int64_t(0)));
  NodeValue matrix = layer.add(
      "EyeLike", {layer.add("Expand", {layer.number(0, element), shape})},
      NodeAttributes().set("dtype", element).set("k", diagonal->front()));
  if (!batch->empty())
    matrix = layer.add(
        "Expand",
        {matrix, layer.add("Concat", {layer.list(*batch), shape},
                           NodeAttributes().set("axis", int64_t(0)))});
  layer.set(0, matrix);
}

} // namespace

void addMovementLayers(LayerTable &table) {
  table.add("Pad", {1, 12}, 3, 4, translatePad,
            "pads of mode symmetric that are computed, or of a prompt");
  table.add("Roll", {7}, 3, 3, translateRoll,
            "shifts and axes that are computed");
  table.add("Reverse", {1}, 2, 2, translateReverse, "axes that are computed");
  table.add("ReverseSequence", {1}, 2, 2, translateReverseSequence);
  table.add("Eye", {9}, 3, 4, translateEye,
            "a diagonal and a batch_shape that are computed");
  table.add("Range", {1, 4}, 3, 3, translateRange);
}

} // namespace npu
