// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention and rotary embeddings.

#include "LayerTable.h"

#include <cmath>
#include <limits>

namespace npu {
namespace {

using Proto = onnx::TensorProto;

/// A matrix of booleans with as many rows as queries and columns as keys, which
/// are true up to the diagonal.
NodeValue causalMask(LayerTranslation &layer) {
  auto extentOf = [&](unsigned operand) {
    NodeValue shape = layer.add("Shape", {layer.operand(operand)});
    return layer.add("Gather", {shape, layer.list({-2})});
  };
  NodeValue shape = layer.add("Concat", {extentOf(0), extentOf(1)},
                              NodeAttributes().set("axis", int64_t(0)));
  NodeValue ones = layer.add("Expand", {layer.number(1, Proto::INT32), shape});
  return layer.cast(
      layer.add("Trilu", {ones}, NodeAttributes().set("upper", int64_t(0))),
      Proto::BOOL);
}

void translateAttention(LayerTranslation &layer) {
  bool isCausal = layer.flag("causal", false);
  unsigned rank = static_cast<unsigned>(layer.rank(0));
  if (rank < 2 || layer.rank(1) < 2 || layer.rank(2) < 2)
    return (void)(layer.error()
                  << "expected queries, keys and values of at least 2 "
                     "dimensions");
  int64_t element = layer.type(0).element;
  NodeValue scale;
  if (layer.has(4)) {
    scale = layer.operand(4);
    if (layer.rank(4) != 0)
      scale = layer.reshape(scale, {});
  } else {
    int64_t size = layer.type(0).dims.back();
    if (size < 1)
      return (void)(layer.error() << "expected a known number of features");
    scale = layer.like(0, 1 / std::sqrt(static_cast<double>(size)));
  }
  NodeValue product =
      layer.addOwn("MatMul", {layer.operand(0), layer.operand(1)},
                   NodeAttributes().set("transpose_b", int64_t(1)));
  NodeValue scores = layer.add("Mul", {product, scale});
  NodeValue lowest =
      layer.number(-std::numeric_limits<double>::infinity(), element);
  if (isCausal)
    scores = layer.add("Where", {causalMask(layer), scores, lowest});
  else if (layer.has(3) && layer.type(3).element == Proto::BOOL)
    scores = layer.add("Where", {layer.operand(3), scores, lowest});
  else if (layer.has(3))
    scores = layer.add("Add", {scores, layer.operand(3)});
  NodeValue weights =
      layer.add("Softmax", {scores}, NodeAttributes().set("axis", int64_t(-1)));
  layer.set(0, layer.add("MatMul", {weights, layer.operand(2)}));
}

/// The first features of heads, which a rotary embedding turns, and the others.
class Rotation {
public:
  Rotation(LayerTranslation &layer, int64_t turned, int64_t width)
      : layer(layer), turned(turned), width(width) {}

  NodeValue part(const NodeValue &value, int64_t first, int64_t end,
                 int64_t dim = 3, int64_t step = 1) {
    return layer.add("Slice", {value, layer.list({first}), layer.list({end}),
                               layer.list({dim}), layer.list({step})});
  }

  /// Features `turned / 2` apart are pairs.
  NodeValue byHalves(const NodeValue &x) {
    NodeValue head = part(x, 0, turned);
    NodeValue rotated =
        join({layer.add("Neg", {part(head, turned / 2, turned)}),
              part(head, 0, turned / 2)},
             3);
    return layer.add("Add", {layer.add("Mul", {head, layer.operand(1)}),
                             layer.add("Mul", {rotated, layer.operand(2)})});
  }

  /// Neighbours are pairs. The table has sines, and cosines after them, for
  /// each batch and position.
  NodeValue byNeighbours(const NodeValue &x) {
    NodeValue table = layer.unsqueeze(layer.operand(1), {2});
    NodeValue sines = part(table, 0, turned / 2),
              cosines = part(table, turned / 2, turned),
              even = part(x, 0, turned, 3, 2), odd = part(x, 1, turned, 3, 2);
    auto product = [&](const NodeValue &a, const NodeValue &b) {
      return layer.add("Mul", {a, b});
    };
    NodeValue real = layer.add("Sub",
                               {product(cosines, even), product(sines, odd)}),
              imaginary = layer.add(
                  "Add", {product(cosines, odd), product(sines, even)});
    NodeValue pairs =
        join({layer.unsqueeze(real, {4}), layer.unsqueeze(imaginary, {4})}, 4);
    return layer.add("Reshape", {pairs, layer.list({0, 0, 0, turned})});
  }

  /// What is turned, with the features that are not.
  NodeValue withRest(const NodeValue &y, const NodeValue &x) {
    if (width == turned)
      return y;
    return join({y, part(x, turned, std::numeric_limits<int64_t>::max())}, 3);
  }

private:
  NodeValue join(llvm::ArrayRef<NodeValue> parts, int64_t axis) {
    return layer.add("Concat", parts, NodeAttributes().set("axis", axis));
  }

  LayerTranslation &layer;
  int64_t turned, width;
};

/// Pairs of features turned by angles, whose cosines and sines are operands.
void translateRoPE(LayerTranslation &layer) {
  bool areNeighbours = layer.flag("is_interleaved", false);
  // Heads of neighbours go in front of positions unless the layer says not.
  bool swaps = layer.flag("input_trans0213", false),
       swapsBack = layer.flag("output_trans0213", areNeighbours);
  int64_t turned = layer.integer("rotary_ndims");
  for (const char *name : {"is_chatglm", "support_2d_rope", "is_qwen",
                           "use_rope_cache", "is_ltx_video", "support_3d_rope"})
    if (layer.hasAttribute(name) && layer.flag(name))
      layer.error() << name << " is not supported";
  int64_t first = layer.integer("slice_start", 0),
          last = layer.integer("slice_stop", 0);
  for (const char *name :
       {"gather_position_arg_id", "head_cnt", "head_size", "cos_sin_ndims"})
    if (layer.hasAttribute(name) && layer.integer(name) != 0)
      layer.error() << name << " other than 0 is not supported";
  if (layer.hasFailed())
    return;
  bool isSlice = first != 0 || last != 0;
  int64_t all = layer.rank(0) == 4 ? layer.extent(0, 3) : 0;
  int64_t width = isSlice ? last - first : all;
  if (first < 0 || (all >= 0 && last > all) || turned < 2 || turned % 2 ||
      width < turned)
    return (void)(layer.error() << "expected an operand of 4 dimensions with "
                                   "at least rotary_ndims features, an even "
                                   "number");
  Rotation rotation(layer, turned, width);
  NodeValue x = layer.operand(0), y;
  if (isSlice)
    x = rotation.part(x, first, last);
  if (areNeighbours) {
    bool isOneTable = !layer.has(2) || layer.operand(1) == layer.operand(2);
    if (swaps || !isOneTable || layer.rank(1) != 3 ||
        layer.extent(1, 2) != turned)
      return (void)(layer.error()
                    << "is_interleaved with input_trans0213, or with anything "
                       "but one table of batches, positions and rotary_ndims "
                       "sines and cosines, is not supported");
    y = rotation.byNeighbours(x);
  } else {
    if (!layer.has(2))
      return (void)(layer.error() << "expected cosines and sines");
    if (swaps)
      x = layer.transpose(x, {0, 2, 1, 3});
    y = rotation.byHalves(x);
  }
  y = rotation.withRest(y, x);
  layer.set(0, swapsBack ? layer.transpose(y, {0, 2, 1, 3}) : y);
}

} // namespace

void addAttentionLayers(LayerTable &table) {
  table.add("ScaledDotProductAttention", {13}, 3, 5, translateAttention,
            "sinks");
  table.addInternal(
      "RoPE", 2, 3, translateRoPE,
      "is_interleaved with cosines and sines in two tables; positions that are "
      "gathered; the forms of ChatGLM, Qwen and LTX");
}

} // namespace npu
