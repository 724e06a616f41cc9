// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalizations.

#include "LayerTable.h"

#include <limits>

namespace npu {
namespace {

using Proto = onnx::TensorProto;

void translateBatchNorm(LayerTranslation &layer) {
  double epsilon = layer.real("epsilon");
  // Before version 5, the tensor comes after scale and offset.
  bool isOld = layer.version < 5;
  NodeValue x = layer.operand(isOld ? 2 : 0),
            scale = layer.operand(isOld ? 0 : 1),
            offset = layer.operand(isOld ? 1 : 2);
  layer.set(0, layer.add("BatchNormalization",
                         {x, scale, offset, layer.operand(3), layer.operand(4)},
                         NodeAttributes().set("epsilon", epsilon)));
}

/// x less its mean, divided by its deviation where `dividesBy` says so.
void normalize(LayerTranslation &layer, const NodeValue &axes, bool divides,
               double epsilon, bool isInside) {
  auto mean = [&](const NodeValue &value) {
    return layer.add("ReduceMean", {value, axes},
                     NodeAttributes()
                         .set("keepdims", int64_t(1))
                         .set("noop_with_empty_axes", int64_t(1)));
  };
  NodeValue x = layer.operand(0);
  NodeValue centered = layer.add("Sub", {x, mean(x)});
  if (!divides)
    return layer.set(0, centered);
  NodeValue variance = mean(layer.add("Mul", {centered, centered}));
  NodeValue small = layer.like(0, epsilon);
  NodeValue deviation =
      isInside ? layer.add("Sqrt", {layer.add("Add", {variance, small})})
               : layer.add("Add", {layer.add("Sqrt", {variance}), small});
  layer.set(0, layer.add("Div", {centered, deviation}));
}

void translateMvn(LayerTranslation &layer) {
  double epsilon = layer.real("eps");
  bool divides = layer.flag("normalize_variance");
  if (layer.version >= 6) {
    bool isInside = layer.word("eps_mode", {"inside_sqrt", "outside_sqrt"}) ==
                    "inside_sqrt";
    return normalize(layer, layer.asList(1), divides, epsilon, isInside);
  }
  bool isAcross = layer.flag("across_channels", false);
  Integers axes;
  if (layer.hasAttribute("reduction_axes"))
    axes = layer.integers("reduction_axes");
  else
    axes = llvm::to_vector(llvm::seq<int64_t>(
        isAcross ? 1 : 2, std::max<int64_t>(layer.rank(0), 2)));
  normalize(layer, layer.list(axes), divides, epsilon, /*isInside=*/true);
}

void translateNormalizeL2(LayerTranslation &layer) {
  double epsilon = layer.real("eps");
  bool adds = layer.word("eps_mode", {"add", "max"}) == "add";
  NodeValue x = layer.operand(0);
  NodeValue sum = layer.add("ReduceSumSquare", {x, layer.asList(1)},
                            NodeAttributes()
                                .set("keepdims", int64_t(1))
                                .set("noop_with_empty_axes", int64_t(1)));
  NodeValue bounded =
      layer.add(adds ? "Add" : "Max", {sum, layer.like(0, epsilon)});
  layer.set(0, layer.add("Div", {x, layer.add("Sqrt", {bounded})}));
}

void translateRms(LayerTranslation &layer) {
  double epsilon = layer.real("epsilon");
  int64_t element = layer.type(0).element;
  if (layer.hasAttribute("output_type") &&
      layer.text("output_type") != "undefined" &&
      layer.text("output_type") != "dynamic")
    element = layer.element("output_type");
  if (layer.hasAttribute("elementwise_affine") &&
      layer.flag("elementwise_affine") != layer.has(1))
    return (void)(layer.error() << "expected a scale where elementwise_affine "
                                   "says that there is one");
  NodeValue x = layer.operand(0);
  NodeValue square = layer.add("Mul", {x, x});
  NodeValue mean = layer.add("ReduceMean", {square, layer.list({-1})},
                             NodeAttributes().set("keepdims", int64_t(1)));
  NodeValue root =
      layer.add("Sqrt", {layer.add("Add", {mean, layer.like(0, epsilon)})});
  NodeValue value = layer.add("Div", {x, root});
  if (layer.has(1))
    value = layer.add("Mul", {value, layer.operand(1)});
  layer.set(0, element == layer.type(0).element ? value
                                                : layer.cast(value, element));
}

void translateGroupNormalization(LayerTranslation &layer) {
  // ONNX wants a dimension after the channels.
  bool isMatrix = layer.rank(0) == 2;
  NodeValue x = layer.operand(0);
  NodeValue y = layer.add("GroupNormalization",
                          {isMatrix ? layer.unsqueeze(x, {2}) : x,
                           layer.operand(1), layer.operand(2)},
                          NodeAttributes()
                              .set("num_groups", layer.integer("num_groups"))
                              .set("epsilon", layer.real("epsilon")));
  layer.set(0, isMatrix ? layer.add("Squeeze", {y, layer.list({2})}) : y);
}

/// x / (bias + alpha / size ^ axes * sum) ^ beta, where the sum is that of the
/// squares of the `size` entries around each one along every axis.
void translateLrn(LayerTranslation &layer) {
  double alpha = layer.real("alpha"), beta = layer.real("beta"),
         bias = layer.real("bias");
  int64_t size = layer.integer("size"), rank = layer.rank(0);
  auto axes = layer.constantOrError(1, "the axes");
  if (!axes)
    return;
  constexpr int64_t most = 256;
  if (size < 1 || size > most)
    return (void)(layer.error()
                  << "expected a size of 1 to " << most << ", got " << size);
  NodeValue x = layer.operand(0);
  if (axes->size() == 1 && axes->front() == 1)
    return layer.set(0, layer.add("LRN", {x},
                                  NodeAttributes()
                                      .set("alpha", alpha)
                                      .set("beta", beta)
                                      .set("bias", bias)
                                      .set("size", size)));
  NodeValue sum = layer.add("Mul", {x, x});
  for (int64_t each : *axes) {
    auto axis = layer.axisIn(each, rank);
    if (!axis)
      return;
    Integers pads(2 * rank, 0);
    pads[*axis] = (size - 1) / 2;
    pads[rank + *axis] = size - 1 - pads[*axis];
    NodeValue padded = layer.add("Pad", {sum, layer.list(pads)});
    std::vector<NodeValue> moved;
    for (int64_t at = 0; at < size; ++at) {
      int64_t end = at + 1 - size;
      moved.push_back(layer.add(
          "Slice",
          {padded, layer.list({at}),
           layer.list({end ? end : std::numeric_limits<int64_t>::max()}),
           layer.list({*axis})}));
    }
    sum = layer.add("Sum", moved);
    alpha /= static_cast<double>(size);
  }
  NodeValue scaled = layer.add("Mul", {sum, layer.like(0, alpha)});
  NodeValue base = layer.add("Add", {scaled, layer.like(0, bias)});
  NodeValue divisor = layer.add("Pow", {base, layer.like(0, beta)});
  layer.set(0, layer.add("Div", {x, divisor}));
}

/// x / sqrt(the sum of the squares of all channels + bias)
void translateGrn(LayerTranslation &layer) {
  double bias = layer.real("bias");
  NodeValue x = layer.operand(0);
  NodeValue sum = layer.add("ReduceSumSquare", {x, layer.list({1})},
                            NodeAttributes().set("keepdims", int64_t(1)));
  NodeValue biased = layer.add("Add", {sum, layer.like(0, bias)});
  layer.set(0, layer.add("Div", {x, layer.add("Sqrt", {biased})}));
}

} // namespace

void addNormalizationLayers(LayerTable &table) {
  table.add("BatchNormInference", {1, 5}, 5, 5, translateBatchNorm);
  table.add("MVN", {1, 6}, 1, 2, translateMvn);
  table.add("NormalizeL2", {1}, 2, 2, translateNormalizeL2);
  table.addInternal("RMS", 1, 2, translateRms);
  table.add("GroupNormalization", {12}, 3, 3, translateGroupNormalization);
  table.add("LRN", {1}, 2, 2, translateLrn, "axes that are computed");
  table.add("GRN", {1}, 1, 1, translateGrn);
}

} // namespace npu
