// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FieldSpelling.h"

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

std::vector<std::string> spellEachField(const LoggedAttribute &fields) {
  std::vector<std::string> each;
  for (std::string_view name : kPrintedOrder)
    if (const LoggedField *field = fields.find(name)) {
      std::string value = spellValue(*field);
      each.push_back(
          fmt::format("{}{}{}", name, value.empty() ? "" : " = ", value));
    }
  return each;
}

std::string spellFields(const LoggedAttribute &fields) {
  return fmt::format("{{{}}}", fmt::join(spellEachField(fields), ", "));
}

std::string spellType(std::string_view head, const Extents &shape,
                      std::string_view element, std::string_view middle,
                      const LoggedAttribute &fields) {
  std::string extents;
  for (int64_t extent : shape)
    extents += fmt::format("{}x", extent);
  return fmt::format("{}<{}{}{}{}, {}>", head, extents, element,
                     middle.empty() ? "" : ", ", middle, spellFields(fields));
}

std::string spellChanges(const LoggedAttribute &expected,
                         const LoggedAttribute &got) {
  std::string text;
  auto add = [&](std::string_view each) {
    text += text.empty() ? "" : ", ";
    text += each;
  };
  for (const FieldDefinition &definition : fieldDefinitions()) {
    const LoggedField *wanted = expected.find(definition.name);
    const LoggedField *there = got.find(definition.name);
    if (sameValue(wanted, there))
      continue;
    if (!wanted)
      add(fmt::format("no {}", definition.name));
    else if (definition.kind == FieldKind::Unit)
      add(definition.name);
    else
      add(fmt::format("{} = {}", definition.name, spellValue(*wanted)));
  }
  return text;
}

} // namespace npu
