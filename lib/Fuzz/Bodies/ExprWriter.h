// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An expression as lines of text. Whatever could trap or has no defined result
// is kept from it here, where no change of a recipe can lose it.

#ifndef NPU_LIB_FUZZ_BODIES_EXPRWRITER_H
#define NPU_LIB_FUZZ_BODIES_EXPRWRITER_H

#include "npu/Fuzz/Bodies/BodyRecipe.h"

#include <functional>

namespace npu {

/// "0xFF800000", "-1.5e+00", "true", "-3".
std::string literal(BodyType type, double value, int64_t number);
/// "arith.constant -3 : i8".
std::string constantOf(BodyType type, double value, int64_t number);

class ExprWriter {
public:
  /// What an expression meets outside of itself.
  struct Surroundings {
    std::vector<BodyLoop> loops;
    std::string length, offset;
    /// Of step `number`: its name, its type, and its extents, with a name for
    /// each that is no number.
    std::function<std::string(unsigned number)> valueOf;
    std::function<std::string(unsigned number)> typeOf;
    std::function<const std::vector<BodyExtent> &(unsigned number)> shapeOf;
    std::function<std::string(const BodyExtent &)> extentOf;
  };

  /// Lines go to the end of `text`; `names` numbers what is defined.
  ExprWriter(Surroundings around, std::string &text, unsigned &names)
      : around(std::move(around)), text(text), names(names) {}

  /// linalg.index of every loop that is asked for; stands in no other region
  /// than the operation's own.
  void writeIndices(const BodyExpr &expr);
  /// The name of the value.
  std::string write(const BodyExpr &expr);

private:
  std::string define(const std::string &operation);
  std::string constant(BodyType type, int64_t number);
  std::string writeDivision(const BodyExpr &expr);
  std::string writeCompare(const BodyExpr &expr);
  std::string writeIf(const BodyExpr &expr);
  std::string writeCast(const BodyExpr &expr);
  std::string writeExtract(const BodyExpr &expr);
  bool standsInside(const BodyExpr &index, const BodyExtent &extent) const;

  Surroundings around;
  std::string &text;
  unsigned &names;
  unsigned depth = 2;
};

} // namespace npu

#endif // NPU_LIB_FUZZ_BODIES_EXPRWRITER_H
