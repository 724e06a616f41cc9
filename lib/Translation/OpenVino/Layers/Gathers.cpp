// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries at positions: gathers, scatters, one-hot.

#include "LayerTable.h"

#include <limits>

namespace npu {
namespace {

using Proto = onnx::TensorProto;

/// With batch dimensions, each batch has positions of its own: the dimension
/// that is read is moved after them, and what is found is moved back.
void gatherInBatches(LayerTranslation &layer, int64_t axis, int64_t batches) {
  int64_t rank = layer.rank(0), inner = layer.rank(1) - batches;
  Integers order;
  for (int64_t dim = 0; dim < batches; ++dim)
    order.push_back(dim);
  order.push_back(axis);
  for (int64_t dim = batches; dim < rank; ++dim)
    if (dim != axis)
      order.push_back(dim);
  NodeValue found = layer.add("GatherND",
                              {layer.transpose(layer.operand(0), order),
                               layer.unsqueeze(layer.asI64(1), {-1})},
                              NodeAttributes().set("batch_dims", batches));
  // It has batches, positions, dimensions before the axis, and those after.
  int64_t between = axis - batches, after = rank - axis - 1;
  Integers back;
  for (int64_t dim = 0; dim < batches; ++dim)
    back.push_back(dim);
  for (int64_t dim = 0; dim < between; ++dim)
    back.push_back(batches + inner + dim);
  for (int64_t dim = 0; dim < inner; ++dim)
    back.push_back(batches + dim);
  for (int64_t dim = 0; dim < after; ++dim)
    back.push_back(batches + inner + between + dim);
  layer.set(0, layer.transpose(found, back));
}

void translateGather(LayerTranslation &layer) {
  int64_t batches = layer.version >= 7 ? layer.integer("batch_dims", 0) : 0;
  auto axis = layer.axisOperand(2);
  if (!axis)
    return;
  if (batches < 0)
    batches += layer.rank(1);
  if (batches == 0)
    return layer.set(0,
                     layer.add("Gather", {layer.operand(0), layer.operand(1)},
                               NodeAttributes().set("axis", *axis)));
  if (batches < 0 || batches > *axis || batches > layer.rank(1))
    return (void)(layer.error() << "expected batch_dims of at most the axis "
                                   "and the rank of the positions");
  gatherInBatches(layer, *axis, batches);
}

void translateGatherND(LayerTranslation &layer) {
  int64_t batches = layer.integer("batch_dims", 0);
  NodeValue found = layer.add("GatherND", {layer.operand(0), layer.asI64(1)},
                              NodeAttributes().set("batch_dims", batches));
  if (layer.version < 8 && batches > 1) {
    // Version 5 makes one dimension of all batches.
    NodeValue others =
        layer.add("Shape", {found}, NodeAttributes().set("start", batches));
    NodeValue shape = layer.add("Concat", {layer.list({-1}), others},
                                NodeAttributes().set("axis", int64_t(0)));
    found = layer.add("Reshape", {found, shape});
  }
  layer.set(0, found);
}

void translateGatherElements(LayerTranslation &layer) {
  layer.set(0, layer.add("GatherElements", {layer.operand(0), layer.operand(1)},
                         NodeAttributes().set("axis", layer.integer("axis"))));
}

/// Slices at positions along an axis are replaced: along the first one, that is
/// ScatterND.
void translateScatterUpdate(LayerTranslation &layer) {
  auto axis = layer.axisOperand(3);
  if (!axis)
    return;
  int64_t rank = layer.rank(0), inner = layer.rank(1);
  Integers order{*axis}, back, moved;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != *axis)
      order.push_back(dim);
  for (int64_t dim = 0; dim < rank; ++dim)
    back.push_back(llvm::find(order, dim) - order.begin());
  for (int64_t dim = 0; dim < inner; ++dim)
    moved.push_back(*axis + dim);
  for (int64_t dim = 0; dim < rank - 1 + inner; ++dim)
    if (!llvm::is_contained(moved, dim))
      moved.push_back(dim);
  if (layer.rank(2) != rank - 1 + inner)
    return (void)(layer.error()
                  << "expected updates of rank " << rank - 1 + inner << ", got "
                  << layer.rank(2));
  NodeValue positions = layer.unsqueeze(layer.asI64(1), {-1});
  NodeValue updated = layer.add(
      "ScatterND", {layer.transpose(layer.operand(0), order), positions,
                    layer.transpose(layer.operand(2), moved)});
  layer.set(0, layer.transpose(updated, back));
}

/// What ONNX calls a reduction.
std::string reductionOf(const std::string &word) {
  if (word == "sum")
    return "add";
  return word == "prod" ? "mul" : word;
}

void translateScatterNDUpdate(LayerTranslation &layer) {
  std::string reduction = "none";
  if (layer.version >= 15)
    reduction = layer.word(
        "reduction", {"none", "sum", "sub", "prod", "min", "max"}, "none");
  NodeValue updates = layer.operand(2);
  if (reduction == "sub") {
    updates = layer.add("Neg", {updates});
    reduction = "sum";
  }
  layer.set(
      0, layer.add("ScatterND", {layer.operand(0), layer.asI64(1), updates},
                   NodeAttributes().set(
                       "reduction", llvm::StringRef(reductionOf(reduction)))));
}

/// What a reduction begins with where it does not begin with an entry.
std::optional<double> neutralOf(LayerTranslation &layer,
                                llvm::StringRef reduction) {
  if (reduction == "sum" || reduction == "mean")
    return 0;
  if (reduction == "prod")
    return 1;
  int64_t element = layer.type(0).element;
  bool isFloat = element == Proto::FLOAT || element == Proto::FLOAT16 ||
                 element == Proto::BFLOAT16 || element == Proto::DOUBLE;
  double infinity = std::numeric_limits<double>::infinity();
  if (isFloat)
    return reduction == "min" ? infinity : -infinity;
  layer.error() << "reduction '" << reduction
                << "' of integers without use_init_val is not supported";
  return std::nullopt;
}

void translateScatterElements(LayerTranslation &layer) {
  std::string reduction = "none";
  bool usesEntries = true;
  if (layer.version >= 12) {
    reduction = layer.word(
        "reduction", {"none", "sum", "prod", "min", "max", "mean"}, "none");
    usesEntries = layer.flag("use_init_val", true);
  }
  auto axis = layer.axisOperand(3);
  if (!axis)
    return;
  auto scatter = [&](const NodeValue &into, const NodeValue &updates,
                     llvm::StringRef how) {
    return layer.add(
        "ScatterElements", {into, layer.operand(1), updates},
        NodeAttributes()
            .set("axis", *axis)
            .set("reduction", llvm::StringRef(reductionOf(how.str()))));
  };
  NodeValue into = layer.operand(0), updates = layer.operand(2);
  auto filled = [&](const NodeValue &like, double value) {
    return layer.add("Expand",
                     {layer.like(0, value), layer.add("Shape", {like})});
  };
  if (!usesEntries && reduction != "none") {
    auto neutral = neutralOf(layer, reduction);
    if (!neutral)
      return;
    into = scatter(into, filled(updates, *neutral), "none");
  }
  if (reduction != "mean")
    return layer.set(0, scatter(into, updates, reduction));
  int64_t element = layer.type(0).element;
  if (element != Proto::FLOAT && element != Proto::FLOAT16 &&
      element != Proto::DOUBLE && element != Proto::BFLOAT16)
    return (void)(layer.error()
                  << "reduction 'mean' of integers is not supported");
  // Sums divided by how many numbers they are of.
  NodeValue sums = scatter(into, updates, "sum");
  NodeValue ones = filled(layer.operand(0), 1);
  if (!usesEntries)
    ones = scatter(ones, filled(updates, 0), "none");
  NodeValue counts = scatter(ones, filled(updates, 1), "sum");
  layer.set(0, layer.add("Div", {sums, counts}));
}

/// ONNX counts negative positions from the end, which IR leaves out.
void translateOneHot(LayerTranslation &layer) {
  int64_t axis = layer.integer("axis");
  NodeValue positions = layer.asI64(0), depth = layer.asI64(1);
  if (layer.rank(1) != 0)
    depth = layer.reshape(depth, {});
  NodeValue isNegative =
      layer.add("Less", {positions, layer.number(0, Proto::INT64)});
  positions = layer.add("Where", {isNegative, depth, positions});
  NodeValue values = layer.add("Concat",
                               {layer.reshape(layer.operand(3), {1}),
                                layer.reshape(layer.operand(2), {1})},
                               NodeAttributes().set("axis", int64_t(0)));
  layer.set(0, layer.add("OneHot", {positions, depth, values},
                         NodeAttributes().set("axis", axis)));
}

} // namespace

void addGatherLayers(LayerTable &table) {
  const char *axis = "an axis that is computed";
  table.add("Gather", {1, 7, 8}, 3, 3, translateGather, axis);
  table.add("GatherND", {5, 8}, 2, 2, translateGatherND);
  table.add("GatherElements", {6}, 2, 2, translateGatherElements);
  table.add("ScatterUpdate", {3}, 4, 4, translateScatterUpdate, axis);
  table.add("ScatterNDUpdate", {3, 15}, 3, 3, translateScatterNDUpdate);
  table.add("ScatterElementsUpdate", {3, 12}, 4, 4, translateScatterElements,
            "an axis that is computed; reduction mean of integers; reductions "
            "min and max of integers without use_init_val");
  table.add("OneHot", {1}, 4, 4, translateOneHot);
}

} // namespace npu
