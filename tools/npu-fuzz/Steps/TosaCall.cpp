// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Steps/TosaCall.h"

#include <fmt/ranges.h>

#include <functional>
#include <numeric>

namespace npu {
namespace {

std::string entryOf(std::string_view element, int64_t entry) {
  if (element == "i1")
    return entry != 0 ? "true" : "false";
  bool isFloat = element.find('f') != std::string_view::npos;
  return fmt::format("{}{}", entry, isFloat ? ".0" : "");
}

} // namespace

std::string tosaType(std::span<const int64_t> shape, std::string_view element) {
  std::string text = "tensor<";
  for (int64_t extent : shape)
    text += fmt::format("{}x", extent);
  return text + std::string(element) + ">";
}

TosaCall &TosaCall::value(std::string name, std::string type) {
  names.push_back(std::move(name));
  types.push_back(std::move(type));
  return *this;
}

TosaCall &TosaCall::operand(unsigned number, const Operands &operands) {
  return value(writer.operand(number), writer.type(*operands[number]));
}

TosaCall &TosaCall::constant(std::span<const int64_t> shape,
                             std::string_view element,
                             std::span<const int64_t> entries) {
  std::string name = writer.fresh(), type = tosaType(shape, element);
  std::size_t next = 0;
  writer.line(
      "{} = \"tosa.const\"() <{{values = dense<{}> : {}}}> : () -> {}", name,
      entries.size() == 1
          ? entryOf(element, entries[0])
          : nested(shape, [&] { return entryOf(element, entries[next++]); }),
      type, type);
  return value(name, type);
}

TosaCall &TosaCall::shape(std::span<const int64_t> extents) {
  std::string name = writer.fresh(),
              type = fmt::format("!tosa.shape<{}>", extents.size());
  writer.line("{} = \"tosa.const_shape\"() <{{values = dense<[{}]> : "
              "tensor<{}xindex>}}> : () -> {}",
              name, fmt::join(extents, ", "), extents.size(), type);
  return value(name, type);
}

void TosaCall::write(std::string_view results, std::string_view operation,
                     std::string_view attributes,
                     std::string_view resultTypes) {
  writer.line("{} = \"tosa.{}\"({}){} : ({}) -> ({})", results, operation,
              fmt::join(names, ", "),
              attributes.empty() ? "" : fmt::format(" <{{{}}}>", attributes),
              fmt::join(types, ", "), resultTypes);
}

std::string nanMode(int64_t ignore) {
  return fmt::format("nan_mode = #tosa.nan_mode<{}>",
                     ignore ? "IGNORE" : "PROPAGATE");
}

std::string tosaArray(std::span<const int64_t> numbers,
                      std::string_view element) {
  return fmt::format("array<{}: {}>", element, fmt::join(numbers, ", "));
}

int64_t entriesOf(std::span<const int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<>());
}

} // namespace npu
