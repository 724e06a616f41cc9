// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Recipes/ExprWriter.h"

#include <fmt/ranges.h>

#include <set>

namespace npu {
namespace {

/// Whether an expression is at least `least` at every length, whatever tensors
/// hold.
bool isAtLeast(const Expr &expr, int64_t least) {
  // Small integers wrap around.
  if (isFloat(expr.type) || expr.type == ElementType::Bool ||
      expr.type == ElementType::I8)
    return expr.form == Expr::Constant && expr.type == ElementType::I8 &&
           expr.value >= static_cast<double>(least);
  switch (expr.form) {
  case Expr::Constant:
    return expr.value >= static_cast<double>(least);
  case Expr::Loop:
  case Expr::Offset:
    return least <= 0;
  case Expr::Length:
    return least <= 1;
  case Expr::Cast:
    return expr.name == "arith.index_cast" &&
           isAtLeast(expr.operands[0], least);
  case Expr::Simple:
    if (expr.name == "arith.addi")
      return (isAtLeast(expr.operands[0], least) &&
              isAtLeast(expr.operands[1], 0)) ||
             (isAtLeast(expr.operands[0], 0) &&
              isAtLeast(expr.operands[1], least));
    return expr.name == "arith.maxsi" && (isAtLeast(expr.operands[0], least) ||
                                          isAtLeast(expr.operands[1], least));
  default:
    return false;
  }
}

} // namespace

std::string ExprWriter::define(const std::string &operation) {
  std::string name = writer.fresh();
  writer.line("  {} = {}", name, operation);
  return name;
}

std::string ExprWriter::constant(ElementType type, double value) {
  return define("arith.constant " + typedLiteral(type, value));
}

void ExprWriter::writeIndices() {
  std::set<int64_t> used;
  for (const Expr &body : step.nest->bodies)
    body.walk([&](const Expr &each) {
      if (each.form == Expr::Loop)
        used.insert(each.number);
    });
  for (int64_t loop : used)
    writer.line("  %i{0} = linalg.index {0} : index", loop);
}

std::string ExprWriter::write(const Expr &expr) {
  switch (expr.form) {
  case Expr::Constant:
    return constant(expr.type, expr.value);
  case Expr::Loop:
    return fmt::format("%i{}", expr.number);
  case Expr::Length:
    return "%n";
  case Expr::Offset:
    return writer.offset();
  case Expr::Input:
    return fmt::format("%in{}", expr.number);
  case Expr::Accumulator:
    return expr.number ? "%other" : "%out";
  case Expr::Divide:
    return writeDivision(expr);
  case Expr::If:
    return writeIf(
        write(expr.operands[0]), expr.type,
        [&] { return write(expr.operands[1]); },
        [&] { return write(expr.operands[2]); });
  case Expr::Cast:
    return writeCast(expr);
  case Expr::Extract:
    return writeExtract(expr);
  default:
    break;
  }
  std::vector<std::string> operands;
  operands.reserve(expr.operands.size());
  for (const Expr &operand : expr.operands)
    operands.push_back(write(operand));
  std::string name = expr.name;
  ElementType type = expr.type;
  if (expr.form == Expr::Select)
    name = "arith.select";
  if (expr.form == Expr::Compare) {
    type = expr.operands[0].type;
    name = fmt::format("arith.cmp{} {},", isFloat(type) ? "f" : "i", expr.name);
  }
  return define(fmt::format("{} {} : {}", name, fmt::join(operands, ", "),
                            scalarName(type)));
}

std::string ExprWriter::writeDivision(const Expr &expr) {
  std::string dividend = write(expr.operands[0]);
  const Expr &by = expr.operands[1];
  std::string divisor = write(by), type = scalarName(expr.type);
  bool isNegative = by.form == Expr::Constant && by.value < -1;
  if (!isNegative && !isAtLeast(by, 1))
    divisor = define(fmt::format("arith.maxsi {}, {} : {}", divisor,
                                 constant(by.type, 1), type));
  return define(
      fmt::format("{} {}, {} : {}", expr.name, dividend, divisor, type));
}

template <typename Yes, typename No>
std::string ExprWriter::writeIf(const std::string &condition, ElementType type,
                                Yes yes, No no) {
  std::string name = writer.fresh(), text = scalarName(type);
  writer.line("  {} = scf.if {} -> ({}) {{", name, condition, text);
  writer.line("  scf.yield {} : {}", yes(), text);
  writer.line("  }} else {{");
  writer.line("  scf.yield {} : {}", no(), text);
  writer.line("  }}");
  return name;
}

std::string ExprWriter::writeCast(const Expr &expr) {
  std::string value = write(expr.operands[0]);
  std::string from = scalarName(expr.operands[0].type);
  // A conversion of a float outside of the integer type is undefined: clamp it.
  if (expr.name == "arith.fptosi")
    for (auto [bound, by] : {std::pair(-100., "max"), std::pair(100., "min")}) {
      std::string end = constant(expr.operands[0].type, bound);
      value =
          define(fmt::format("arith.{}numf {}, {} : {}", by, value, end, from));
    }
  return define(fmt::format("{} {} : {} to {}", expr.name, value, from,
                            scalarName(expr.type)));
}

bool ExprWriter::standsInside(const Expr &index, const Extent &extent) const {
  if (index.form == Expr::Constant)
    return index.value >= 0 && index.value < static_cast<double>(extent.at(1));
  return index.form == Expr::Loop &&
         step.nest->loops[index.number].extent == extent;
}

std::string ExprWriter::writeExtract(const Expr &expr) {
  const ValueFacts &from = *operands[expr.number];
  if (from.scalar)
    return writer.operand(expr.number);
  std::vector<std::string> indices;
  std::string inside;
  for (std::size_t dim = 0; dim < expr.operands.size(); ++dim) {
    const Expr &index = expr.operands[dim];
    std::string at = write(index);
    indices.push_back(at);
    if (expr.name == "inside" || standsInside(index, from.extents[dim]))
      continue;
    std::string extent = writer.extent(from, dim);
    if (extent[0] != '%')
      extent = constant(kIndex, static_cast<double>(from.shape[dim]));
    if (expr.name == "guarded") {
      std::string fits =
          define(fmt::format("arith.cmpi ult, {}, {} : index", at, extent));
      inside =
          inside.empty()
              ? fits
              : define(fmt::format("arith.andi {}, {} : i1", inside, fits));
      continue;
    }
    std::string zero = constant(kIndex, 0), one = constant(kIndex, 1);
    std::string last =
        define(fmt::format("arith.subi {}, {} : index", extent, one));
    at = define(fmt::format("arith.maxsi {}, {} : index", at, zero));
    indices.back() =
        define(fmt::format("arith.minsi {}, {} : index", at, last));
  }
  auto read = [&] {
    return define(fmt::format("tensor.extract {}{} : {}",
                              writer.operand(expr.number), listOf(indices),
                              writer.type(from)));
  };
  return inside.empty() ? read() : writeIf(inside, expr.type, read, [&] {
    return constant(expr.type, 0);
  });
}

} // namespace npu
