// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ImageSteps.h"

#include <fmt/format.h>

#include <algorithm>

namespace npu {

std::optional<Tensor> ImageSteps::channelsFirst(Tensor x) {
  if (x.rank() == 2)
    x = {node("Unsqueeze", x.name + ", " + ints({0})),
         'f',
         {fixed(1), x.dims[0], x.dims[1]}};
  if (x.rank() != 3 || x.dims[0] != fixed(1))
    return std::nullopt;
  if (isFixed(x.dims[2]) && !isFixed(x.dims[1]))
    x = {node("Transpose", x.name, "perm = [0, 2, 1]"),
         'f',
         {x.dims[0], x.dims[2], x.dims[1]}};
  return isFixed(x.dims[1]) ? std::optional(x) : std::nullopt;
}

void ImageSteps::window(const Tensor &from) {
  std::optional<Tensor> turned = channelsFirst(from);
  if (!turned)
    return;
  const Tensor &x = *turned;
  int64_t channels = x.dims[1].front(), kernel = between(1, 4),
          stride = between(1, 3), most = std::min<int64_t>(kernel, 2);
  bool isConvolution = oneIn(3), isSame = oneIn(3);
  int64_t before = below(most), after = below(most);
  bool roundsUp = !isConvolution && !isSame && oneIn(2);
  Tensor y = x;
  y.dims[2] = each(x.dims[2], [&](int64_t m, int64_t) {
    int64_t left = m + before + after - kernel;
    if (isSame)
      return (m + stride - 1) / stride;
    if (!roundsUp)
      return left < 0 ? int64_t(0) : left / stride + 1;
    int64_t count =
        left < 0 ? left / stride + 1 : (left + stride - 1) / stride + 1;
    bool beginsAfter = (count - 1) * stride >= m + before;
    return count - (beginsAfter ? 1 : 0);
  });
  if (least(y.dims[2]) < 1)
    return;
  std::string attributes =
      fmt::format("kernel_shape = [{}], strides = [{}], ", kernel, stride);
  if (isSame)
    attributes +=
        fmt::format("auto_pad = \"SAME_{}\"", oneIn(2) ? "UPPER" : "LOWER");
  else
    attributes += fmt::format("pads = [{}, {}]", before, after);
  if (isConvolution) {
    int64_t made = between(1, 3);
    y.dims[1] = fixed(made);
    add("Conv", x.name + ", " + weights({made, channels, kernel}), y,
        attributes);
    return;
  }
  if (roundsUp)
    attributes += ", ceil_mode = 1";
  if (oneIn(2))
    add("MaxPool", x.name, y, attributes);
  else
    add("AveragePool", x.name, y,
        attributes + fmt::format(", count_include_pad = {}", below(2)));
}

void ImageSteps::resize(const Tensor &from) {
  std::optional<Tensor> turned = channelsFirst(from);
  if (!turned)
    return;
  const Tensor &x = *turned;
  if (least(x.dims[2]) < 1)
    return;
  // What is read of a table, or left of it, is no expression that repeats.
  bool grows = x.dims[2].back() > 2 * mostTried(x.dims[2]);
  bool isHalf =
      grows && oneIn(2) &&
      std::ranges::all_of(x.dims[2], [](int64_t m) { return m % 2 == 0; });
  int64_t factor = isHalf ? between(1, 3) : 2;
  Tensor y = x;
  y.dims[2] = each(x.dims[2], [&](int64_t m, int64_t) {
    return isHalf ? m / 2 * factor : factor * m;
  });
  if (volume(y.dims) > kMost)
    return;
  std::string by;
  if (isHalf || oneIn(2)) {
    std::string sizes =
        node("Mul", node("Shape", x.name) + ", " + ints({1, 1, factor}));
    if (isHalf)
      sizes = node("Div", sizes + ", " + ints({1, 1, 2}));
    by = ", , , " + sizes;
  } else {
    by = ", , " + node("Constant", "", "value = float[3] {1.0, 1.0, 2.0}");
  }
  add("Resize", x.name + by, y,
      "mode = \"nearest\", coordinate_transformation_mode = \"asymmetric\", "
      "nearest_mode = \"floor\"");
}

void ImageSteps::blocks(const Tensor &from) {
  std::optional<Tensor> x = channelsFirst(from);
  if (!x)
    return;
  Tensor y = *x;
  y.dims[2] = each(x->dims[2], [](int64_t m, int64_t) { return 2 * m; });
  y.dims.push_back(fixed(2));
  if (volume(y.dims) > kMost)
    return;
  std::string image = node("Unsqueeze", x->name + ", " + ints({3}));
  std::string four = node(
      "Concat", fmt::format("{0}, {1}, {0}, {0}", image, node("Neg", image)),
      "axis = 1");
  add("DepthToSpace", four, y,
      fmt::format("blocksize = 2, mode = \"{}\"", oneIn(2) ? "DCR" : "CRD"));
  if (oneIn(2))
    return;
  Tensor last = values.back(), z = *x;
  z.dims[1] = fixed(4 * x->dims[1].front());
  z.dims.push_back(fixed(1));
  add("SpaceToDepth", last.name, z, "blocksize = 2");
}

} // namespace npu
