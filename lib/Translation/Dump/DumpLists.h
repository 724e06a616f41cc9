// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists and dictionaries as a dump has them: text that commas divide.

#ifndef NPU_LIB_TRANSLATION_DUMP_DUMPLISTS_H
#define NPU_LIB_TRANSLATION_DUMP_DUMPLISTS_H

#include "npu/Placement/Boxes/Box.h"

#include <optional>
#include <string_view>
#include <vector>

namespace npu {

/// The parts of a list that commas divide outside of brackets and strings.
std::vector<std::string_view> splitList(std::string_view text);

/// The value of `name = value` in the parts of a list; nothing without one.
std::optional<std::string_view> findEntry(std::string_view list,
                                          std::string_view name);

/// The numbers of "[1, 2 : i64, 3]"; nothing for another text or for more than
/// `kMaxRank` numbers.
std::optional<Extents> parseNumbers(std::string_view text);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_DUMP_DUMPLISTS_H
