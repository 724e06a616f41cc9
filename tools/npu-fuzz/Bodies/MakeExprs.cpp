// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Bodies/MakeExprs.h"

namespace npu {

BodyExpr indexNumber(int64_t value) {
  return number(BodyType::Index, static_cast<double>(value));
}

BodyExpr number(BodyType type, double value) {
  BodyExpr expr;
  expr.type = type;
  expr.value = value;
  if (!isFloat(type))
    expr.number = static_cast<int64_t>(value);
  return expr;
}

BodyExpr input(BodyType type, int64_t number) {
  return {BodyExpr::Input, type, "", number};
}

BodyExpr simple(std::string name, std::vector<BodyExpr> operands) {
  BodyExpr expr;
  expr.form = BodyExpr::Simple;
  expr.type = operands[0].type;
  expr.name = std::move(name);
  expr.operands = std::move(operands);
  return expr;
}

BodyExpr choose(BodyExpr condition, BodyExpr yes, BodyExpr no) {
  BodyExpr expr;
  expr.form = BodyExpr::Select;
  expr.type = yes.type;
  expr.operands = {std::move(condition), std::move(yes), std::move(no)};
  return expr;
}

BodyExpr comparison(std::string predicate, BodyExpr a, BodyExpr b) {
  BodyExpr expr;
  expr.form = BodyExpr::Compare;
  expr.type = BodyType::I1;
  expr.name = std::move(predicate);
  expr.operands = {std::move(a), std::move(b)};
  return expr;
}

BodyExpr cast(std::string name, BodyType type, BodyExpr operand) {
  BodyExpr expr;
  expr.form = BodyExpr::Cast;
  expr.type = type;
  expr.name = std::move(name);
  expr.operands = {std::move(operand)};
  return expr;
}

BodyExpr positionAs(BodyType type, BodyExpr position) {
  if (isFloat(type))
    return cast("arith.sitofp", type,
                cast("arith.index_cast", BodyType::I32, std::move(position)));
  return cast("arith.index_cast", type, std::move(position));
}

} // namespace npu
