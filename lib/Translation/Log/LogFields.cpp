// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LogFields.h"

#include <fmt/format.h>

#include <algorithm>

namespace npu {

static constexpr FieldDefinition kFields[] = {
    {"mode", FieldKind::Words},
    {"num_tiles", FieldKind::Numbers, true},
    {"num_clusters", FieldKind::Number},
    {"alignment", FieldKind::Numbers, true},
    {"uniform_distributed_segments", FieldKind::Unit},
    {"kernel", FieldKind::Numbers},
    {"pads", FieldKind::Pads},
    {"strides", FieldKind::Numbers},
    {"equal_memory_and_compute_view", FieldKind::Unit},
    {"compute_shapes", FieldKind::Rows, true},
    {"compute_offsets", FieldKind::Rows, true},
    {"memory_shapes", FieldKind::Rows, true},
    {"memory_offsets", FieldKind::Rows, true},
    {"memory_num_tiles", FieldKind::Numbers, true},
};

std::span<const FieldDefinition> fieldDefinitions() { return kFields; }

const FieldDefinition *findFieldDefinition(std::string_view name) {
  for (const FieldDefinition &definition : kFields)
    if (definition.name == name)
      return &definition;
  return nullptr;
}

const LoggedField *LoggedAttribute::find(std::string_view name) const {
  for (const LoggedField &field : fields)
    if (field.name == name)
      return &field;
  return nullptr;
}

std::string spell(const LoggedField *field) {
  if (!field)
    return "absent";
  auto numbers = [&] { return toString(field->rows.front().numbers); };
  switch (findFieldDefinition(field->name)->kind) {
  case FieldKind::Words:
    return field->words;
  case FieldKind::Number:
    return std::to_string(field->rows.front().numbers[0]);
  case FieldKind::Numbers:
    return numbers();
  case FieldKind::Rows: {
    // A few rows are printed in full; of more, only their number.
    if (field->rows.size() > 6)
      return fmt::format("{} rows", field->rows.size());
    std::string result;
    for (const LoggedRow &row : field->rows)
      result += (result.empty() ? "" : ", ") + toString(row.numbers);
    return "[" + result + "]";
  }
  case FieldKind::Unit:
    return "unit";
  case FieldKind::Pads:
    return numbers() + " (left, right, top, bottom)";
  }
  return "";
}

/// Whether two texts have the same words in any order: "DUPLICATED|SEGMENTED"
/// and "SEGMENTED|DUPLICATED" are one mode.
static bool sameWords(std::string_view a, std::string_view b) {
  auto sorted = [](std::string_view words) {
    std::vector<std::string_view> parts;
    for (std::size_t bar = 0; bar != std::string_view::npos;) {
      bar = words.find('|');
      parts.push_back(words.substr(0, bar));
      words.remove_prefix(bar == std::string_view::npos ? 0 : bar + 1);
    }
    std::sort(parts.begin(), parts.end());
    return parts;
  };
  return sorted(a) == sorted(b);
}

bool sameValue(const LoggedField *a, const LoggedField *b) {
  if (!a || !b)
    return a == b;
  return sameWords(a->words, b->words) &&
         std::equal(a->rows.begin(), a->rows.end(), b->rows.begin(),
                    b->rows.end(), [](const LoggedRow &x, const LoggedRow &y) {
                      return x.numbers == y.numbers;
                    });
}

bool fieldRelabels(std::string_view from, std::string_view to) {
  auto has = [](std::string_view words, std::string_view word) {
    return words.find(word) != std::string_view::npos;
  };
  auto isBroadcast = [&](std::string_view words) {
    return has(words, "SEGMENTED") &&
           (has(words, "DUPLICATED") || has(words, "MULTICASTED"));
  };
  auto isSplit = [](std::string_view words) {
    return words == "SEGMENTED" || words == "OVERLAPPED";
  };
  bool isOneMode = (isBroadcast(from) && isBroadcast(to) &&
                    has(from, "DUPLICATED") == has(to, "DUPLICATED")) ||
                   from == to;
  return isOneMode || (isSplit(from) && isSplit(to)) ||
         (isBroadcast(from) && to == "DUPLICATED") ||
         (from == "DUPLICATED" && isBroadcast(to));
}

LoggedAttribute imageOf(const LoggedAttribute &attribute,
                        const Permutation &inDim) {
  LoggedAttribute image = attribute;
  for (LoggedField &field : image.fields)
    if (findFieldDefinition(field.name)->perDimension)
      for (LoggedRow &row : field.rows)
        row.numbers = permute(row.numbers, inDim);
  return image;
}

} // namespace npu
