// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fields that the field compiler's distribution attribute has, how their
// values are written, and how they compare.

#ifndef NPU_LIB_TRANSLATION_LOG_LOGFIELDS_H
#define NPU_LIB_TRANSLATION_LOG_LOGFIELDS_H

#include "npu/Placement/Distributions/Order.h"
#include "npu/Translation/Log/NpuLog.h"

#include <span>

namespace npu {

enum class FieldKind {
  /// <SEGMENTED>, "SEGMENTED", DUPLICATED|SEGMENTED
  Words,
  /// 4 : i64
  Number,
  /// [1, 4, 1, 1]
  Numbers,
  /// [[1, 7, 336, 128], ...]: one row per tile
  Rows,
  /// unit, true, or the bare name
  Unit,
  /// #VPU.Padding<left = 1 : i64, right = 1 : i64, ...>
  Pads,
};

struct FieldDefinition {
  std::string_view name;
  FieldKind kind;
  /// Whether every row has one number per dimension of the tensor.
  bool perDimension = false;
};

/// All fields in the order in which they are compared and reported.
std::span<const FieldDefinition> fieldDefinitions();
/// The definition of the field with that name, or null.
const FieldDefinition *findFieldDefinition(std::string_view name);

/// The value as short text: "SEGMENTED", "[1, 4, 1, 1]", "4 boxes", "unit",
/// "absent" for null.
std::string spell(const LoggedField *field);

bool sameValue(const LoggedField *a, const LoggedField *b);

/// Whether the field compiler's DistributedCast takes a tensor of one mode for
/// one of the other, where memory is equal.
bool fieldRelabels(std::string_view from, std::string_view to);

/// The attribute that the field compiler expects on the other side of a cast:
/// every field that lists dimensions is permuted, the others are kept.
LoggedAttribute imageOf(const LoggedAttribute &attribute,
                        const Permutation &inDim);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_LOG_LOGFIELDS_H
