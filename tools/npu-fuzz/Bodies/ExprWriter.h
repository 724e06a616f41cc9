// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes an expression as lines of text. Operations that could trap or have no
// defined result get safe operands here, so that no change of a recipe can make
// them unsafe.

#ifndef NPU_FUZZ_BODIES_EXPRWRITER_H
#define NPU_FUZZ_BODIES_EXPRWRITER_H

#include "npu-fuzz/Bodies/BodyRecipe.h"

#include <functional>

namespace npu {

/// A literal: "0xFF800000", "-1.5e+00", "true", "-3".
std::string literal(BodyType type, double value, int64_t number);
/// A constant: "arith.constant -3 : i8".
std::string constantOf(BodyType type, double value, int64_t number);

class ExprWriter {
public:
  /// The values that an expression may use.
  struct Surroundings {
    std::vector<BodyLoop> loops;
    std::string length, offset;
    /// The name, the type and the extents of step `number`, and the text of an
    /// extent.
    std::function<std::string(unsigned number)> valueOf;
    std::function<std::string(unsigned number)> typeOf;
    std::function<const std::vector<BodyExtent> &(unsigned number)> shapeOf;
    std::function<std::string(const BodyExtent &)> extentOf;
  };

  /// Appends lines to `text`; `names` is the number of the next defined name.
  ExprWriter(Surroundings around, std::string &text, unsigned &names)
      : around(std::move(around)), text(text), names(names) {}

  /// Writes a linalg.index for every loop that the expression uses. To be
  /// called in the operation's own region, and not in a nested one.
  void writeIndices(const BodyExpr &expr);
  /// Writes the expression and gives the name of its value.
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
  /// The spaces in front of a line at the current depth.
  std::string indentation() const {
    return std::string(std::size_t(2) * depth, ' ');
  }

  Surroundings around;
  std::string &text;
  unsigned &names;
  unsigned depth = 2;
};

} // namespace npu

#endif // NPU_FUZZ_BODIES_EXPRWRITER_H
