// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ResizeTaps.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>

namespace npu {
namespace {

bool isNamed(const std::string &name, std::initializer_list<const char *> all) {
  return std::any_of(all.begin(), all.end(),
                     [&](const char *known) { return name == known; });
}

/// The position in the image of entry `at` of the result.
double positionOf(const ResizeRule &rule, const ResizeAxis &axis, int64_t at) {
  double x = static_cast<double>(at);
  auto entries = static_cast<double>(axis.entries);
  auto results = static_cast<double>(axis.results);
  double width = axis.scale * entries;
  const std::string &mode = rule.coordinates;
  if (mode == "align_corners")
    return axis.results == 1 || width == 1 ? 0
                                           : x * (entries - 1) / (width - 1);
  if (mode == "asymmetric")
    return x / axis.scale;
  if (mode == "tf_half_pixel_for_nn")
    return (x + 0.5) / axis.scale;
  if (mode == "tf_crop_and_resize") {
    if (axis.results == 1 || width == 1)
      return 0.5 * (axis.begin + axis.end) * (entries - 1);
    return axis.begin * (entries - 1) +
           x * (axis.end - axis.begin) * (entries - 1) / (width - 1);
  }
  if (mode == "pytorch_half_pixel" && axis.results == 1)
    return 0;
  double half = (x + 0.5) / axis.scale - 0.5;
  if (mode == "half_pixel_symmetric")
    return half + entries / 2 * (1 - results / width);
  return half;
}

int64_t nearestTo(const std::string &rounding, double position) {
  double rounded = rounding == "floor"  ? std::floor(position)
                   : rounding == "ceil" ? std::ceil(position)
                   : rounding == "round_prefer_ceil"
                       ? std::floor(position + 0.5)
                       : std::ceil(position - 0.5);
  return static_cast<int64_t>(rounded);
}

/// The weight of an entry at a distance of up to 2, by cubic convolution.
double cubicWeight(double a, double distance) {
  double x = std::abs(distance);
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

ResizeTaps weightsAround(const ResizeRule &rule, const ResizeAxis &axis,
                         double position) {
  auto below = static_cast<int64_t>(std::floor(position));
  double rest = position - static_cast<double>(below);
  ResizeTaps taps;
  taps.first = below;
  if (rule.mode == ResizeMode::Linear) {
    taps.weights = {1 - rest, rest};
  } else {
    taps.first = below - 1;
    for (int entry = -1; entry < 3; ++entry)
      taps.weights.push_back(cubicWeight(rule.cubicCoefficient, entry - rest));
  }
  if (!rule.excludesOutside)
    return taps;
  double sum = 0;
  for (std::size_t at = 0; at < taps.weights.size(); ++at) {
    int64_t entry = taps.first + static_cast<int64_t>(at);
    if (entry < 0 || entry >= axis.entries)
      taps.weights[at] = 0;
    sum += taps.weights[at];
  }
  for (double &weight : taps.weights)
    weight = sum == 0 ? 0 : weight / sum;
  return taps;
}

} // namespace

bool ResizeRule::hasKnownNames() const {
  return isNamed(coordinates,
                 {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",
                  "align_corners", "asymmetric", "tf_half_pixel_for_nn",
                  "tf_crop_and_resize"}) &&
         isNamed(rounding,
                 {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
}

std::vector<ResizeTaps> resizeTaps(const ResizeRule &rule,
                                   const ResizeAxis &axis) {
  std::vector<ResizeTaps> all;
  auto last = static_cast<double>(axis.entries - 1);
  for (int64_t at = 0; at < axis.results; ++at) {
    double exact = positionOf(rule, axis, at);
    // Far outside there are only edges.
    double position = std::clamp(exact, -4.0, last + 4);
    ResizeTaps taps;
    if (rule.mode == ResizeMode::Nearest) {
      taps.first = std::clamp<int64_t>(nearestTo(rule.rounding, position), 0,
                                       axis.entries - 1);
      taps.weights = {1};
    } else {
      taps = weightsAround(rule, axis, position);
    }
    taps.isOutside =
        rule.coordinates == "tf_crop_and_resize" && (exact < 0 || exact > last);
    all.push_back(std::move(taps));
  }
  return all;
}

std::optional<RepeatingTaps> findRepeating(const std::vector<ResizeTaps> &taps,
                                           const ResizeAxis &axis) {
  RepeatingTaps found;
  found.repeats = std::gcd(axis.entries, axis.results);
  if (found.repeats < 2)
    return std::nullopt;
  found.phases = axis.results / found.repeats;
  found.stride = axis.entries / found.repeats;
  for (std::size_t at = 0; at + found.phases < taps.size(); ++at) {
    const ResizeTaps &here = taps[at], &next = taps[at + found.phases];
    if (next.first != here.first + found.stride ||
        next.weights.size() != here.weights.size())
      return std::nullopt;
    // Positions are rounded, and so are the weights.
    for (std::size_t entry = 0; entry < here.weights.size(); ++entry)
      if (std::abs(here.weights[entry] - next.weights[entry]) > 1e-6)
        return std::nullopt;
  }
  found.first = taps[0].first;
  int64_t end = found.first;
  for (int64_t phase = 0; phase < found.phases; ++phase) {
    const ResizeTaps &here = taps[phase];
    found.first = std::min(found.first, here.first);
    end = std::max(end, here.first + static_cast<int64_t>(here.weights.size()));
  }
  found.count = end - found.first;
  return found;
}

} // namespace npu
