// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the expression of a loop nest. Operations that could trap or have no
// defined result get safe operands here, so that no change of a recipe can make
// them unsafe.

#ifndef NPU_FUZZ_RECIPES_EXPRWRITER_H
#define NPU_FUZZ_RECIPES_EXPRWRITER_H

#include "npu-fuzz/Recipes/RecipeWriter.h"
#include "npu-fuzz/Recipes/StepKind.h"

namespace npu {

class ExprWriter {
public:
  ExprWriter(const Step &step, const Operands &operands, RecipeWriter &writer)
      : step(step), operands(operands), writer(writer) {}

  /// Writes a linalg.index for every loop that the body uses. To be called in
  /// the operation's own region, and not in a nested one.
  void writeIndices();
  /// Writes the expression and gives the name of its value.
  std::string write(const Expr &expr);

private:
  std::string define(const std::string &operation);
  std::string constant(ElementType type, double value);
  std::string writeDivision(const Expr &expr);
  std::string writeCast(const Expr &expr);
  std::string writeExtract(const Expr &expr);
  template <typename Yes, typename No>
  std::string writeIf(const std::string &condition, ElementType type, Yes yes,
                      No no);
  bool standsInside(const Expr &index, const Extent &extent) const;

  const Step &step;
  const Operands &operands;
  RecipeWriter &writer;
};

} // namespace npu

#endif // NPU_FUZZ_RECIPES_EXPRWRITER_H
