// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resized images: what a node says of each dimension, one after the other.

#include "../Graph/OperatorTable.h"
#include "ResizeDimension.h"

using namespace mlir;

namespace npu {
namespace {

/// Results of a larger extent than this are refused.
constexpr int64_t kMostResults = int64_t(1) << 20;

/// Resize of version 10 says as much as Upsample did: scales, and how to
/// interpolate.
bool hasScalesOnly(NodeImport &node) {
  return node.node.op_type() == "Upsample" || node.opset() < 11;
}

FailureOr<ResizeRule> ruleOf(NodeImport &node) {
  ResizeRule rule;
  std::string mode = node.text("mode", "nearest");
  bool isUpsample = hasScalesOnly(node);
  rule.mode = mode == "nearest" ? ResizeMode::Nearest
              : mode == "cubic" ? ResizeMode::Cubic
                                : ResizeMode::Linear;
  if (mode != "nearest" && mode != "cubic" && mode != "linear" &&
      mode != "bilinear")
    return node.error() << "expected nearest, linear or cubic as mode, got '"
                        << mode << "'";
  rule.coordinates = node.text("coordinate_transformation_mode",
                               isUpsample ? "asymmetric" : "half_pixel");
  rule.rounding =
      node.text("nearest_mode", isUpsample ? "floor" : "round_prefer_floor");
  rule.cubicCoefficient = node.real("cubic_coeff_a", -0.75);
  rule.excludesOutside = node.integer("exclude_outside", 0) != 0;
  if (!rule.hasKnownNames())
    return node.error() << "'" << rule.coordinates << "' and '" << rule.rounding
                        << "' are not both modes of Resize";
  if (node.integer("antialias", 0))
    return node.error() << "antialias is not imported yet";
  return rule;
}

/// The dimensions that scales, sizes and the region of interest are given for.
FailureOr<SmallVector<int64_t>> resizedDims(NodeImport &node) {
  int64_t rank = node.operand(0).rank();
  if (auto axes = node.integers("axes"))
    return node.dimensions(*axes, rank);
  return llvm::to_vector(llvm::seq<int64_t>(0, rank));
}

LogicalResult checkCount(NodeImport &node, std::size_t count,
                         std::size_t wanted, StringRef what) {
  if (count == wanted)
    return success();
  return node.error() << "expected " << wanted << " numbers as " << what
                      << ", got " << count;
}

LogicalResult setScales(NodeImport &node, unsigned operand,
                        ArrayRef<int64_t> dims,
                        MutableArrayRef<ResizeAxis> axes) {
  auto attribute = node.reals("scales");
  FailureOr<SmallVector<double>> scales =
      attribute ? *attribute : node.constantNumbers(operand, "the scales");
  if (failed(scales) ||
      failed(checkCount(node, scales->size(), dims.size(), "the scales")))
    return failure();
  for (auto [dim, scale] : llvm::zip_equal(dims, *scales)) {
    if (!(scale > 0) || !(scale < 1e9))
      return node.error() << "expected scales above 0, got " << scale;
    ResizeAxis &axis = axes[dim];
    axis.scale = scale;
    // The standard rounds down the product of floats.
    axis.results = static_cast<int64_t>(std::floor(
        static_cast<float>(axis.entries) * static_cast<float>(scale)));
  }
  return success();
}

LogicalResult setSizes(NodeImport &node, ArrayRef<int64_t> dims,
                       MutableArrayRef<ResizeAxis> axes) {
  const OnnxTensor &given = node.operand(3);
  SmallVector<int64_t> sizes;
  auto declared = node.declaredShape(0);
  if (auto numbers = TensorBuilder::integersOf(given.value, given.element)) {
    sizes = *numbers;
  } else if (declared && declared->size() == axes.size()) {
    node.remark() << "the sizes, a value of run time, are taken to be those of "
                     "the declared shape";
    for (int64_t dim : dims)
      sizes.push_back((*declared)[dim]);
  } else {
    return LogicalResult(node.constantIntegers(3, "the sizes"));
  }
  if (failed(checkCount(node, sizes.size(), dims.size(), "the sizes")))
    return failure();
  for (auto [dim, size] : llvm::zip_equal(dims, sizes)) {
    if (size < 0 || size > kMostElements)
      return node.error() << "a size is " << size;
    axes[dim].results = size;
    axes[dim].scale =
        static_cast<double>(size) / static_cast<double>(axes[dim].entries);
  }
  std::string policy = node.text("keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch" || dims.empty())
    return success();
  if (policy != "not_larger" && policy != "not_smaller")
    return node.error() << "expected stretch, not_larger or not_smaller as "
                        << "keep_aspect_ratio_policy, got '" << policy << "'";
  double scale = axes[dims[0]].scale;
  for (int64_t dim : dims)
    scale = policy == "not_larger" ? std::min(scale, axes[dim].scale)
                                   : std::max(scale, axes[dim].scale);
  for (int64_t dim : dims) {
    axes[dim].scale = scale;
    axes[dim].results = static_cast<int64_t>(
        std::floor(scale * static_cast<double>(axes[dim].entries) + 0.5));
  }
  return success();
}

LogicalResult setRegion(NodeImport &node, ArrayRef<int64_t> dims,
                        MutableArrayRef<ResizeAxis> axes) {
  if (!node.has(1))
    return node.error() << "expected a region of interest as operand #1";
  FailureOr<SmallVector<double>> region =
      node.constantNumbers(1, "the region of interest");
  if (failed(region) ||
      failed(checkCount(node, region->size(), 2 * dims.size(), "the region")))
    return failure();
  for (auto [at, dim] : llvm::enumerate(dims)) {
    axes[dim].begin = (*region)[at];
    axes[dim].end = (*region)[dims.size() + at];
    if (!std::isfinite(axes[dim].begin) || !std::isfinite(axes[dim].end))
      return node.error() << "expected a finite region of interest";
  }
  return success();
}

FailureOr<SmallVector<ResizeAxis>> axesOf(NodeImport &node,
                                          const ResizeRule &rule) {
  const OnnxTensor &x = node.operand(0);
  bool isUpsample = hasScalesOnly(node);
  FailureOr<SmallVector<int64_t>> dims = resizedDims(node);
  if (failed(dims))
    return failure();
  SmallVector<ResizeAxis> axes;
  for (int64_t extent : x.shape())
    axes.push_back({extent, extent});
  unsigned scales = isUpsample ? 1 : 2;
  // Up to version 8 they are an attribute, and an empty operand is none.
  bool hasScales =
      node.hasAttribute("scales") ||
      (node.has(scales) && elementCount(node.operand(scales).shape()) != 0);
  bool hasSizes = !isUpsample && node.has(3);
  if (hasScales == hasSizes)
    return node.error() << "expected either scales or sizes";
  if (failed(hasScales ? setScales(node, scales, *dims, axes)
                       : setSizes(node, *dims, axes)))
    return failure();
  if (rule.coordinates == "tf_crop_and_resize" &&
      failed(setRegion(node, *dims, axes)))
    return failure();
  for (auto [dim, axis] : llvm::enumerate(axes))
    if (axis.results > kMostResults && axis.results != axis.entries)
      return node.error() << "extent #" << dim << " of its result is "
                          << axis.results << ", more than " << kMostResults;
  return axes;
}

bool isUnchanged(const ResizeAxis &axis) {
  return axis.entries == axis.results && axis.scale == 1 && axis.begin == 0 &&
         axis.end == 1;
}

Value resizeNearest(TensorBuilder &build, Value x, ArrayRef<ResizeAxis> axes,
                    ArrayRef<AllTaps> taps) {
  SmallVector<int64_t> repeats(axes.size(), 1);
  // Entries that are only repeated are so in one operation after all others.
  for (auto [dim, axis] : llvm::enumerate(axes)) {
    if (taps[dim].empty())
      continue;
    if (auto times = repeatsOf(taps[dim], axis.entries))
      repeats[dim] = *times;
    else
      x = takeEntries(build, x, static_cast<int64_t>(dim), taps[dim]);
  }
  return repeated(build, x, repeats);
}

LogicalResult buildResize(NodeImport &node) {
  const OnnxTensor &x = node.operand(0);
  std::optional<int64_t> count = elementCount(x.shape());
  if (!x.type().hasStaticShape() || !count || *count == 0)
    return node.error() << "expected a static shape, got "
                        << NodeImport::describe(x);
  FailureOr<ResizeRule> rule = ruleOf(node);
  if (failed(rule))
    return failure();
  FailureOr<SmallVector<ResizeAxis>> axes = axesOf(node, *rule);
  if (failed(axes))
    return failure();
  SmallVector<int64_t> shape;
  for (const ResizeAxis &axis : *axes)
    shape.push_back(axis.results);
  std::optional<int64_t> results = elementCount(shape);
  if (!results || *results == 0)
    return node.error() << "its result has no elements, or more than "
                        << kMostElements;
  TensorBuilder &build = node.build;
  SmallVector<AllTaps> taps(axes->size());
  for (auto [dim, axis] : llvm::enumerate(*axes))
    if (!isUnchanged(axis))
      taps[dim] = resizeTaps(*rule, axis);
  Value result = x.value;
  bool isNearest = rule->mode == ResizeMode::Nearest;
  OnnxElement element =
      isNearest || isFloat(x.element) ? x.element : OnnxElement::Float;
  if (isNearest)
    result = resizeNearest(build, result, *axes, taps);
  else
    result = build.convert(result, x.element, element);
  double outside = node.real("extrapolation_value", 0);
  for (auto [number, axis] : llvm::enumerate(*axes)) {
    auto dim = static_cast<int64_t>(number);
    if (taps[dim].empty())
      continue;
    if (!isNearest) {
      FailureOr<Value> resized =
          interpolate(node, result, dim, axis, taps[dim], element);
      if (failed(resized))
        return failure();
      result = *resized;
    }
    result = replaceOutside(build, result, dim, taps[dim], outside);
  }
  return node.setResult(0, build.convert(result, element, x.element));
}

} // namespace

void addResizing(OperatorTable &table) {
  table.add("Resize", 1, buildResize);
  table.add("Upsample", 1, buildResize);
}

} // namespace npu
