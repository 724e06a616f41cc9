// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FieldSpelling.h"
#include "../Log/LogFields.h"

#include <fmt/format.h>

namespace npu {

/// The order in which the field compiler prints them.
static constexpr std::string_view kPrintedOrder[] = {
    "mode",
    "num_tiles",
    "kernel",
    "pads",
    "strides",
    "num_clusters",
    "alignment",
    "uniform_distributed_segments",
    "compute_shapes",
    "compute_offsets",
    "memory_shapes",
    "memory_offsets",
    "equal_memory_and_compute_view",
    "memory_num_tiles",
};

std::string spellValue(const LoggedField &field) {
  switch (findFieldDefinition(field.name)->kind) {
  case FieldKind::Words:
    return fmt::format("\"{}\"", field.words);
  case FieldKind::Number:
    return fmt::format("{} : i64", field.rows[0].numbers[0]);
  case FieldKind::Numbers:
    return toString(field.rows[0].numbers);
  case FieldKind::Rows: {
    std::string text;
    for (const LoggedRow &row : field.rows)
      text += (text.empty() ? "" : ", ") + toString(row.numbers);
    return "[" + text + "]";
  }
  case FieldKind::Unit:
    return "";
  case FieldKind::Pads: {
    const Extents &pads = field.rows[0].numbers;
    return fmt::format("#VPU.Padding<left = {} : i64, right = {} : i64, "
                       "top = {} : i64, bottom = {} : i64>",
                       pads[0], pads[1], pads[2], pads[3]);
  }
  }
  return "";
}

std::string spellFields(const LoggedAttribute &fields) {
  std::string text;
  for (std::string_view name : kPrintedOrder)
    if (const LoggedField *field = fields.find(name)) {
      std::string value = spellValue(*field);
      text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", name,
                          value.empty() ? "" : " = ", value);
    }
  return "{" + text + "}";
}

std::string spellType(const DumpType &type, const LoggedAttribute &fields) {
  std::string shape;
  for (int64_t extent : type.shape)
    shape += fmt::format("{}x", extent);
  return fmt::format("{}<{}{}{}{}, {}>", type.head, shape, type.element,
                     type.middle.empty() ? "" : ", ", type.middle,
                     spellFields(fields));
}

} // namespace npu
