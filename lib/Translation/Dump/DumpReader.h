// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a dump statement by statement. The operations of the field compiler
// have assembly formats of their own, which nobody outside of it can parse; but
// all of them name their results and operands with %, write types with ! or as
// tensor and memref, and put regions and attributes into braces. The reader
// relies on nothing else. What it cannot read it reports, and goes on after
// it.

#ifndef NPU_LIB_TRANSLATION_DUMP_DUMPREADER_H
#define NPU_LIB_TRANSLATION_DUMP_DUMPREADER_H

#include "DumpLexer.h"
#include "DumpType.h"

#include <vector>

namespace npu {

/// A result of an operation or an argument of a function.
struct DumpValue {
  /// With its sign: "%0", "%0#1".
  std::string name;
  std::size_t at = 0;
  /// The operation that makes it, "func.func" for an argument.
  std::string_view op;
  DumpTypePtr type;
};

struct DumpOperand {
  static constexpr std::size_t kUnknown = -1;
  /// The number of the value in its function, or kUnknown.
  std::size_t value = kUnknown;
  std::string_view name;
  /// The word before the parentheses around it: "inputs", "outputs"; "" for
  /// the operation's own.
  std::string_view group;
};

/// One operation, after its types are known.
struct DumpOperation {
  std::size_t at = 0;
  /// Where its text ends.
  std::size_t end = 0;
  std::string_view name;
  /// The last symbol outside of attributes and types, with its '@': what a
  /// call or a software kernel calls. "@builtin_Gelu"; "" without one.
  std::string_view callee;
  std::vector<std::size_t> results;
  std::vector<DumpOperand> operands;
  /// The entries of its dictionaries: what is written, or what the alias that
  /// is written stands for.
  std::vector<std::pair<std::string_view, std::string_view>> attributes;
  /// Lists in brackets that stand outside of dictionaries: the offsets and
  /// sizes of a slice.
  std::vector<std::string_view> lists;

  /// The attribute's text; nothing without one.
  std::optional<std::string_view>
  attribute(std::initializer_list<std::string_view> names) const;
};

/// A place that was not read.
struct DumpSkip {
  std::size_t at;
  std::string what;
  std::string why;
};

/// Receives what is read, in the order of the text.
class DumpVisitor {
public:
  virtual ~DumpVisitor() = default;
  /// `op` has the attributes of the module.
  virtual void beginModule(const DumpOperation &op) = 0;
  virtual void beginFunction(std::string_view name, std::size_t at) = 0;
  /// `values` are all values of the function so far.
  /// `types` knows the aliases at this place.
  virtual void visit(const DumpOperation &op,
                     const std::vector<DumpValue> &values,
                     const DumpTypes &types) = 0;
  virtual void endFunction(const std::vector<DumpValue> &values) = 0;
  virtual void skip(std::size_t at, std::string what, std::string why) = 0;
  /// A type is written here: `written` distributed types, `read` of them read.
  virtual void countTypes(unsigned written, unsigned read) = 0;
  /// Whether the rest of the text need not be read.
  virtual bool isDone() const { return false; }
};

/// Reads the whole text, in time linear in it.
void readNpuDump(std::string_view text, DumpVisitor &visitor);

/// Whether a module, a function or a distributed type stands in the text, which
/// is read up to the first of these.
bool holdsNpuDump(std::string_view text);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_DUMP_DUMPREADER_H
