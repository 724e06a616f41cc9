// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interpolate.

#include "LayerTable.h"

namespace npu {
namespace {

using Proto = onnx::TensorProto;

void translateInterpolate(LayerTranslation &layer) {
  std::string mode =
      layer.word("mode", {"nearest", "linear", "linear_onnx", "cubic",
                          "bilinear_pillow", "bicubic_pillow"});
  bool goesBySizes =
      layer.word("shape_calculation_mode", {"sizes", "scales"}) == "sizes";
  std::string coordinates =
      layer.word("coordinate_transformation_mode",
                 {"half_pixel", "pytorch_half_pixel", "asymmetric",
                  "tf_half_pixel_for_nn", "align_corners"},
                 "half_pixel");
  std::string nearest = layer.word(
      "nearest_mode",
      {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple"},
      "round_prefer_floor");
  bool antialias = layer.flag("antialias", false);
  double cubic = layer.real("cube_coeff", -0.75);
  Integers low = layer.integers("pads_begin", Integers()),
           high = layer.integers("pads_end", Integers());
  bool isNew = layer.version >= 11;
  // Version 4 has sizes, scales and axes; version 11 one of both, and axes.
  unsigned axesOperand = isNew ? 2 : 3;
  unsigned bounds = isNew || goesBySizes ? 1 : 2;
  if (!isNew && !layer.has(2))
    return (void)(layer.error() << "expected sizes and scales");
  if (llvm::StringRef(mode).ends_with("_pillow"))
    return (void)(layer.error() << "mode '" << mode << "' is not supported");
  if (antialias && mode != "linear" && mode != "cubic")
    return (void)(layer.error()
                  << "antialias in mode '" << mode << "' is not supported");
  bool isNearest = mode == "nearest";
  if (coordinates == "tf_half_pixel_for_nn" && !isNearest)
    return (void)(layer.error()
                  << "coordinate_transformation_mode '" << coordinates
                  << "' in mode '" << mode << "' is not supported");
  int64_t rank = layer.rank(0);
  Integers axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (layer.has(axesOperand)) {
    auto given = layer.constantOrError(axesOperand, "the axes");
    if (!given)
      return;
    axes.clear();
    for (int64_t each : *given) {
      auto axis = layer.axisIn(each, rank);
      if (!axis)
        return;
      axes.push_back(*axis);
    }
  }
  NodeValue value = layer.operand(0);
  bool isPadded = llvm::any_of(low, [](int64_t n) { return n != 0; }) ||
                  llvm::any_of(high, [](int64_t n) { return n != 0; });
  if (isPadded) {
    low.resize(rank, 0);
    high.resize(rank, 0);
    low.append(high);
    value =
        layer.add("Pad", {value, layer.list(low)},
                  NodeAttributes().set("mode", llvm::StringRef("constant")));
  }
  NodeValue none;
  NodeValue given = layer.cast(layer.operand(bounds),
                               goesBySizes ? Proto::INT64 : Proto::FLOAT);
  if (isNearest &&
      (nearest == "simple" || coordinates == "tf_half_pixel_for_nn"))
    return layer.set(
        0, layer.addOwn(
               "Nearest",
               {value, goesBySizes ? none : given, goesBySizes ? given : none},
               NodeAttributes()
                   .set("coordinates", llvm::StringRef(coordinates))
                   .set("nearest", llvm::StringRef(nearest))
                   .set("axes", llvm::ArrayRef<int64_t>(axes))));
  if (coordinates == "align_corners" && !goesBySizes) {
    // The result's last entries are at its whole number of entries, and not at
    // what the scale would give.
    NodeValue extents =
        layer.add("Gather", {layer.add("Shape", {value}), layer.list(axes)});
    NodeValue scaled =
        layer.add("Mul", {layer.cast(extents, Proto::FLOAT), given});
    given = layer.cast(layer.add("Floor", {scaled}), Proto::INT64);
    goesBySizes = true;
  }
  // What only the nearest mode reads has to be one of ONNX's words all the
  // same.
  if (!isNearest)
    nearest = "floor";
  NodeAttributes attributes;
  attributes
      .set("mode", llvm::StringRef(mode == "nearest" ? "nearest"
                                   : mode == "cubic" ? "cubic"
                                                     : "linear"))
      .set("coordinate_transformation_mode", llvm::StringRef(coordinates))
      .set("nearest_mode", llvm::StringRef(nearest))
      .set("cubic_coeff_a", cubic)
      .set("antialias", int64_t(antialias))
      .set("axes", llvm::ArrayRef<int64_t>(axes));
  std::vector<NodeValue> operands{value, none, none, none};
  operands[goesBySizes ? 3 : 2] = given;
  if (!goesBySizes)
    operands.pop_back();
  layer.set(0, layer.add("Resize", operands, attributes));
}

} // namespace

void addResizingLayers(LayerTable &table) {
  table.add("Interpolate", {4, 11}, 2, 4, translateInterpolate,
            "modes bilinear_pillow and bicubic_pillow; "
            "coordinate_transformation_mode tf_half_pixel_for_nn in other "
            "modes than nearest; antialias in modes nearest and linear_onnx");
}

} // namespace npu
