// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of the function that is being read, and which of them a name
// stands for.

#ifndef NPU_LIB_TRANSLATION_DUMP_DUMPSCOPE_H
#define NPU_LIB_TRANSLATION_DUMP_DUMPSCOPE_H

#include "DumpReader.h"

namespace npu {

class DumpScope {
public:
  const std::vector<DumpValue> &values() const { return all; }

  /// Adds a value, and binds its name to it. Returns its number. Without a
  /// type, the value has one that is no tensor.
  std::size_t define(std::string_view name, std::size_t at, std::string_view op,
                     DumpTypePtr type);
  /// Lets a name stand for a value until its region ends.
  void bind(std::string_view name, std::size_t value);
  /// The number of the value that a name stands for, or kUnknown. `%0#0` may be
  /// defined as `%0`.
  std::size_t find(std::string_view name) const;

  /// Names that are bound from here on end with `leave`.
  std::size_t enter() const { return shadowed.size(); }
  void leave(std::size_t entered);
  /// Forgets everything.
  void clear();

private:
  std::vector<DumpValue> all;
  llvm::StringMap<std::size_t> numbers;
  /// Names that were bound, and what they stood for before.
  std::vector<std::pair<std::string, std::size_t>> shadowed;
};

} // namespace npu

#endif // NPU_LIB_TRANSLATION_DUMP_DUMPSCOPE_H
