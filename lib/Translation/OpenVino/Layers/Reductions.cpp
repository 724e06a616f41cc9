// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums and the like over dimensions, softmax, running sums, best entries.

#include "LayerTable.h"

#include "llvm/ADT/StringSwitch.h"

namespace npu {
namespace {

using Proto = onnx::TensorProto;

void translateReduce(LayerTranslation &layer) {
  NodeAttributes attributes;
  attributes.set("keepdims", int64_t(layer.flag("keep_dims", false)));
  attributes.set("noop_with_empty_axes", int64_t(1));
  llvm::StringRef type = layer.layer.type;
  bool isLogical = type.starts_with("ReduceLogical");
  NodeValue value = layer.operand(0);
  if (isLogical) {
    value = layer.cast(value, Proto::INT32);
    type = type == "ReduceLogicalAnd" ? "ReduceMin" : "ReduceMax";
  }
  value = layer.add(type, {value, layer.asList(1)}, attributes);
  layer.set(0, isLogical ? layer.cast(value, Proto::BOOL) : value);
}

void translateSoftmax(LayerTranslation &layer) {
  layer.set(0,
            layer.add(layer.layer.type, {layer.operand(0)},
                      NodeAttributes().set("axis", layer.integer("axis", 1))));
}

void translateCumSum(LayerTranslation &layer) {
  NodeValue axis =
      layer.has(1) ? layer.operand(1) : layer.number(0, Proto::INT64);
  if (layer.has(1) && layer.rank(1) != 0)
    axis = layer.reshape(axis, {});
  layer.set(
      0,
      layer.add("CumSum", {layer.operand(0), axis},
                NodeAttributes()
                    .set("exclusive", int64_t(layer.flag("exclusive", false)))
                    .set("reverse", int64_t(layer.flag("reverse", false)))));
}

void translateTopK(LayerTranslation &layer) {
  int64_t axis = layer.integer("axis");
  bool isMax = layer.word("mode", {"max", "min"}) == "max";
  std::string order = layer.word("sort", {"value", "index", "none"}, "none");
  int64_t element = layer.element("index_element_type", Proto::INT32);
  // Of equal numbers, those in front come first in any case.
  if (layer.version >= 11)
    (void)layer.flag("stable", false);
  NodeValue count = layer.reshape(layer.asI64(1), {1});
  auto best = [&](const NodeValue &value, bool isLargest) {
    return layer.addNode("TopK", {value, count}, 2,
                         NodeAttributes()
                             .set("axis", axis)
                             .set("largest", int64_t(isLargest))
                             .set("sorted", int64_t(1)));
  };
  std::vector<NodeValue> found = best(layer.operand(0), isMax);
  NodeValue values = found[0], positions = found[1];
  if (order == "index") {
    positions = best(positions, /*isLargest=*/false)[0];
    values = layer.add("GatherElements", {layer.operand(0), positions},
                       NodeAttributes().set("axis", axis));
  }
  layer.set(0, values);
  layer.set(1, element == Proto::INT64 ? positions
                                       : layer.cast(positions, element));
}

} // namespace

void addReductionLayers(LayerTable &table) {
  for (const char *type : {"ReduceMean", "ReduceSum", "ReduceProd", "ReduceMax",
                           "ReduceMin", "ReduceLogicalAnd", "ReduceLogicalOr"})
    table.add(type, {1}, 2, 2, translateReduce);
  for (const char *type : {"ReduceL1", "ReduceL2"})
    table.add(type, {4}, 2, 2, translateReduce);
  table.add("Softmax", {1, 8}, 1, 1, translateSoftmax);
  table.add("LogSoftmax", {5}, 1, 1, translateSoftmax);
  table.add("CumSum", {3}, 1, 2, translateCumSum);
  table.add("TopK", {1, 3, 11}, 2, 2, translateTopK);
}

} // namespace npu
