// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions and poolings.

#include "LayerTable.h"

#include "llvm/Support/MathExtras.h"

namespace npu {
namespace {

using Proto = onnx::TensorProto;

/// Sets what windows of ONNX say by auto_pad and pads.
void setPads(LayerTranslation &layer, NodeAttributes &attributes) {
  Integers pads = layer.integers("pads_begin", Integers());
  pads.append(layer.integers("pads_end", Integers()));
  std::string mode = layer.word(
      "auto_pad", {"explicit", "notset", "same_upper", "same_lower", "valid"},
      "explicit");
  if (mode == "explicit" || mode == "notset")
    attributes.set("pads", llvm::ArrayRef<int64_t>(pads));
  else
    attributes.set("auto_pad", llvm::StringRef(llvm::StringRef(mode).upper()));
}

/// Whether all extents of a constant, its weights, are known.
bool hasKnownWeights(LayerTranslation &layer, int64_t leastRank) {
  if (layer.isStatic(1) && layer.rank(1) >= leastRank)
    return true;
  layer.error() << "expected weights of at least " << leastRank
                << " dimensions, all of which are known";
  return false;
}

/// Weights [groups, a, b, kernel...] as [groups * a, b, kernel...].
NodeValue withoutGroups(LayerTranslation &layer) {
  Integers shape(layer.type(1).dims);
  if (llvm::MulOverflow(shape[0], shape[1], shape[1]))
    layer.error() << "its weights have too many elements";
  shape.erase(shape.begin());
  return layer.reshape(layer.operand(1), shape);
}

void translateConvolution(LayerTranslation &layer) {
  bool hasGroups = layer.layer.type == "GroupConvolution";
  if (!hasKnownWeights(layer, hasGroups ? 4 : 3))
    return;
  NodeAttributes attributes;
  attributes.set("strides", llvm::ArrayRef<int64_t>(layer.integers("strides")));
  attributes.set("dilations",
                 llvm::ArrayRef<int64_t>(layer.integers("dilations")));
  setPads(layer, attributes);
  NodeValue weights = layer.operand(1);
  if (hasGroups) {
    attributes.set("group", layer.extent(1, 0));
    weights = withoutGroups(layer);
  }
  layer.set(0, layer.add("Conv", {layer.operand(0), weights}, attributes));
}

void translateTransposedConvolution(LayerTranslation &layer) {
  bool hasGroups = layer.layer.type == "GroupConvolutionBackpropData";
  if (!hasKnownWeights(layer, hasGroups ? 4 : 3))
    return;
  Integers kernel(
      llvm::ArrayRef(layer.type(1).dims).drop_front(hasGroups ? 3 : 2));
  std::size_t count = kernel.size();
  Integers strides = layer.integers("strides"),
           dilations = layer.integers("dilations"),
           added = layer.integers("output_padding", Integers(count, 0));
  if (added.empty())
    added.assign(count, 0);
  std::string mode = layer.word(
      "auto_pad", {"explicit", "notset", "same_upper", "same_lower", "valid"},
      "explicit");
  Integers pads = layer.integers("pads_begin", Integers(count, 0));
  pads.append(layer.integers("pads_end", Integers(count, 0)));
  if (strides.size() != count || dilations.size() != count ||
      added.size() != count || pads.size() != 2 * count ||
      layer.rank(0) != static_cast<int64_t>(count) + 2)
    return (void)(layer.error() << "expected strides, dilations, pads and "
                                   "output_padding for "
                                << count << " dimensions of its kernel");
  if (mode != "explicit" && mode != "notset")
    pads.assign(2 * count, 0);
  NodeAttributes attributes;
  if (layer.has(2)) {
    auto result = layer.constantOrError(2, "the output_shape");
    if (!result)
      return;
    if (result->size() != count)
      return (void)(layer.error()
                    << "expected " << count << " extents as its output_shape");
    // Of padding that does not divide by two, same_upper has more in front
    // here, and less in ONNX.
    attributes.set(
        "auto_pad",
        llvm::StringRef(mode == "same_upper" ? "SAME_LOWER" : "SAME_UPPER"));
    attributes.set("output_shape", llvm::ArrayRef<int64_t>(*result));
  } else {
    attributes.set("pads", llvm::ArrayRef<int64_t>(pads));
  }
  attributes.set("strides", llvm::ArrayRef<int64_t>(strides));
  attributes.set("dilations", llvm::ArrayRef<int64_t>(dilations));
  attributes.set("output_padding", llvm::ArrayRef<int64_t>(added));
  NodeValue weights = layer.operand(1);
  if (hasGroups) {
    attributes.set("group", layer.extent(1, 0));
    weights = withoutGroups(layer);
  }
  layer.set(
      0, layer.add("ConvTranspose", {layer.operand(0), weights}, attributes));
}

/// What all poolings say.
NodeAttributes poolingAttributes(LayerTranslation &layer) {
  NodeAttributes attributes;
  attributes.set("strides", llvm::ArrayRef<int64_t>(layer.integers("strides")));
  attributes.set("kernel_shape",
                 llvm::ArrayRef<int64_t>(layer.integers("kernel")));
  setPads(layer, attributes);
  std::string rounding =
      layer.word("rounding_type", {"floor", "ceil", "ceil_torch"}, "floor");
  attributes.set("ceil_mode", int64_t(rounding != "floor"));
  return attributes;
}

/// Whether a window, where extents are rounded up, begins after all entries and
/// padding in front of them. ONNX has no such window; IR has, unless the
/// rounding is that of torch.
bool hasWindowAfterAll(LayerTranslation &layer) {
  if (layer.text("rounding_type", "floor") != "ceil")
    return false;
  Integers kernel = layer.integers("kernel"),
           strides = layer.integers("strides"),
           low = layer.integers("pads_begin", Integers(kernel.size(), 0)),
           high = layer.integers("pads_end", Integers(kernel.size(), 0)),
           dilations = layer.integers("dilations", Integers(kernel.size(), 1));
  for (std::size_t dim = 0; dim < kernel.size(); ++dim) {
    if (dim >= strides.size() || dim >= low.size() || dim >= high.size() ||
        dim >= dilations.size() || strides[dim] < 1 ||
        static_cast<int64_t>(dim) + 2 >= layer.rank(0))
      return false;
    int64_t extent = layer.extent(0, static_cast<int64_t>(dim) + 2);
    if (extent < 0)
      return false;
    int64_t left =
        extent + low[dim] + high[dim] - dilations[dim] * (kernel[dim] - 1) - 1;
    int64_t last = llvm::divideCeilSigned(left, strides[dim]) * strides[dim];
    if (last >= extent + low[dim])
      return true;
  }
  return false;
}

void translateMaxPool(LayerTranslation &layer) {
  NodeAttributes attributes = poolingAttributes(layer);
  if (hasWindowAfterAll(layer))
    return (void)(layer.error() << "rounding_type 'ceil' with a window that "
                                   "begins after all entries is not supported");
  int64_t element = Proto::INT64;
  int64_t axis = 0;
  if (layer.version >= 8) {
    attributes.set(
        "dilations",
        llvm::ArrayRef<int64_t>(layer.integers(
            "dilations", Integers(layer.integers("kernel").size(), 1))));
    element = layer.element("index_element_type", Proto::INT64);
    axis = layer.integer("axis", 0);
  }
  bool wantsPositions = layer.wants(1);
  std::vector<NodeValue> values = layer.addNode(
      "MaxPool", {layer.operand(0)}, wantsPositions ? 2 : 1, attributes);
  layer.set(0, values[0]);
  if (!wantsPositions)
    return;
  // Positions of ONNX are those in the whole tensor.
  auto first = layer.axisIn(axis, layer.rank(0));
  if (!first)
    return;
  NodeValue positions = values[1];
  if (*first > 0) {
    NodeValue extents = layer.add("Shape", {layer.operand(0)},
                                  NodeAttributes().set("start", *first));
    NodeValue count = layer.add("ReduceProd", {extents},
                                NodeAttributes().set("keepdims", int64_t(0)));
    positions = layer.add("Mod", {positions, count});
  }
  layer.set(1, element == Proto::INT64 ? positions
                                       : layer.cast(positions, element));
}

void translateAvgPool(LayerTranslation &layer) {
  NodeAttributes attributes = poolingAttributes(layer);
  if (hasWindowAfterAll(layer))
    return (void)(layer.error() << "rounding_type 'ceil' with a window that "
                                   "begins after all entries is not supported");
  llvm::StringRef name =
      layer.hasAttribute("exclude_pad") ? "exclude_pad" : "exclude-pad";
  attributes.set("count_include_pad", int64_t(!layer.flag(name)));
  layer.set(0, layer.add("AveragePool", {layer.operand(0)}, attributes));
}

using PoolParts =
    llvm::function_ref<void(std::vector<NodeValue> &values, int64_t axis)>;

/// Cuts dimensions of values into as many parts as are wanted of each, which
/// may overlap where they do not divide it, and pools each part. The last
/// dimension comes first, so that the first one of equal entries is that of the
/// tensor. Nothing after an error.
std::optional<std::vector<NodeValue>>
pooledInParts(LayerTranslation &layer, std::vector<NodeValue> values,
              llvm::ArrayRef<int64_t> wanted, PoolParts pool) {
  auto count = static_cast<int64_t>(wanted.size());
  int64_t first = layer.rank(0) - count;
  for (int64_t dim = count - 1; dim >= 0; --dim) {
    int64_t parts = wanted[dim], axis = first + dim,
            extent = layer.extent(0, axis);
    constexpr int64_t most = 4096;
    if (parts == 1) {
      pool(values, axis);
      continue;
    }
    if (parts < 1 || parts > most || extent < 1) {
      layer.error() << "expected 1 to " << most
                    << " parts of a known number of entries, got " << parts
                    << " of " << extent;
      return std::nullopt;
    }
    if (parts == extent)
      continue;
    std::vector<std::vector<NodeValue>> pooled(values.size());
    for (int64_t part = 0; part < parts; ++part) {
      int64_t begin = part * extent / parts,
              end = llvm::divideCeil((part + 1) * extent, parts);
      std::vector<NodeValue> slices;
      for (const NodeValue &value : values)
        slices.push_back(
            layer.add("Slice", {value, layer.list({begin}), layer.list({end}),
                                layer.list({axis})}));
      pool(slices, axis);
      for (auto [list, slice] : llvm::zip_equal(pooled, slices))
        list.push_back(slice);
    }
    for (auto [value, list] : llvm::zip_equal(values, pooled))
      value = layer.add("Concat", list, NodeAttributes().set("axis", axis));
  }
  return values;
}

/// The extents that an adaptive pooling makes; nothing after an error.
std::optional<Integers> pooledExtents(LayerTranslation &layer) {
  auto wanted = layer.constantOrError(1, "the extents of the result");
  if (wanted && static_cast<int64_t>(wanted->size()) > layer.rank(0)) {
    layer.error() << "expected extents for at most " << layer.rank(0)
                  << " dimensions";
    return std::nullopt;
  }
  return wanted;
}

void translateAdaptiveAvgPool(LayerTranslation &layer) {
  auto wanted = pooledExtents(layer);
  if (!wanted)
    return;
  auto means = pooledInParts(
      layer, {layer.operand(0)}, *wanted,
      [&](std::vector<NodeValue> &values, int64_t axis) {
        values[0] = layer.add("ReduceMean", {values[0], layer.list({axis})},
                              NodeAttributes().set("keepdims", int64_t(1)));
      });
  if (means)
    layer.set(0, layer.add("Identity", {means->front()}));
}

/// Each largest entry takes its position along: the number of the entry among
/// all of its channel.
void translateAdaptiveMaxPool(LayerTranslation &layer) {
  int64_t element = layer.element("index_element_type", Proto::INT64);
  auto wanted = pooledExtents(layer);
  if (!wanted)
    return;
  int64_t rank = layer.rank(0),
          first = rank - static_cast<int64_t>(wanted->size());
  constexpr int64_t most = int64_t(1) << 20;
  Integers shape(static_cast<std::size_t>(rank), 1);
  int64_t count = 1;
  for (int64_t dim = first; dim < rank; ++dim) {
    shape[dim] = layer.extent(0, dim);
    if (shape[dim] < 1 || llvm::MulOverflow(count, shape[dim], count) ||
        count > most)
      return (void)(layer.error() << "expected a known number of entries, of "
                                     "at most "
                                  << most << " in a channel");
  }
  NodeValue numbers = layer.reshape(
      layer.list(llvm::to_vector(llvm::seq<int64_t>(count))), shape);
  NodeValue positions =
      layer.add("Expand", {numbers, layer.add("Shape", {layer.operand(0)})});
  auto largest = pooledInParts(
      layer, {layer.operand(0), positions}, *wanted,
      [&](std::vector<NodeValue> &values, int64_t axis) {
        NodeValue at = layer.add(
            "ArgMax", {values[0]},
            NodeAttributes().set("axis", axis).set("keepdims", int64_t(1)));
        for (NodeValue &value : values)
          value = layer.add("GatherElements", {value, at},
                            NodeAttributes().set("axis", axis));
      });
  if (!largest)
    return;
  layer.set(0, layer.add("Identity", {largest->front()}));
  layer.set(1, layer.cast(largest->back(), element));
}

} // namespace

void addWindowLayers(LayerTable &table) {
  for (const char *type : {"Convolution", "GroupConvolution"})
    table.add(type, {1}, 2, 2, translateConvolution, "weights of open extents");
  for (const char *type :
       {"ConvolutionBackpropData", "GroupConvolutionBackpropData"})
    table.add(type, {1}, 2, 3, translateTransposedConvolution,
              "weights of open extents; an output_shape that is computed");
  const char *rounding =
      "rounding_type ceil where a window begins after all entries";
  table.add("MaxPool", {1, 8, 14}, 1, 1, translateMaxPool, rounding);
  table.add("AdaptiveAvgPool", {8}, 2, 2, translateAdaptiveAvgPool,
            "several parts of an open extent");
  table.add("AdaptiveMaxPool", {8}, 2, 2, translateAdaptiveMaxPool,
            "open extents that are pooled");
  table.add("AvgPool", {1, 14}, 1, 1, translateAvgPool, rounding);
}

} // namespace npu
