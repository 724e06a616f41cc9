// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Bodies/ExprWriter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <set>

namespace npu {

std::string literal(BodyType type, double value, int64_t number) {
  if (type == BodyType::I1)
    return number & 1 ? "true" : "false";
  if (!isFloat(type))
    return fmt::format("{}", number);
  auto choose = [&](const char *half, const char *single, const char *twice) {
    return type == BodyType::F16   ? half
           : type == BodyType::F32 ? single
                                   : twice;
  };
  if (std::isnan(value))
    return choose("0x7E00", "0x7FC00000", "0x7FF8000000000000");
  if (std::isinf(value))
    return value > 0 ? choose("0x7C00", "0x7F800000", "0x7FF0000000000000")
                     : choose("0xFC00", "0xFF800000", "0xFFF0000000000000");
  return std::floor(value) == value && std::fabs(value) < 1e6
             ? fmt::format("{:.1f}", value)
             : fmt::format("{:.8e}", value);
}

std::string constantOf(BodyType type, double value, int64_t number) {
  return fmt::format("arith.constant {}{}{}", literal(type, value, number),
                     type == BodyType::I1 ? "" : " : ",
                     type == BodyType::I1 ? "" : nameOf(type));
}

namespace {

/// Whether an expression is at least `least` at every length, whatever tensors
/// hold.
bool isAtLeast(const BodyExpr &expr, int64_t least) {
  // Small integers wrap around.
  if (isFloat(expr.type) || expr.type == BodyType::I1 ||
      expr.type == BodyType::I8)
    return expr.form == BodyExpr::Constant && isInteger(expr.type) &&
           expr.type != BodyType::I1 && expr.number >= least;
  switch (expr.form) {
  case BodyExpr::Constant:
    return expr.number >= least;
  case BodyExpr::Loop:
  case BodyExpr::Offset:
    return least <= 0;
  case BodyExpr::Length:
    return least <= 1;
  case BodyExpr::Cast:
    return expr.name == "arith.index_cast" &&
           isAtLeast(expr.operands[0], least);
  case BodyExpr::Simple:
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
  std::string name = fmt::format("%{}", names++);
  text += fmt::format("{}{} = {}\n", indentation(), name, operation);
  return name;
}

std::string ExprWriter::constant(BodyType type, int64_t number) {
  return define(constantOf(type, 0, number));
}

void ExprWriter::writeIndices(const BodyExpr &expr) {
  std::set<int64_t> used;
  expr.walk([&](const BodyExpr &each) {
    if (each.form == BodyExpr::Loop)
      used.insert(each.number);
  });
  for (int64_t loop : used)
    text += fmt::format("{0}%i{1} = linalg.index {1} : index\n", indentation(),
                        loop);
}

std::string ExprWriter::write(const BodyExpr &expr) {
  const char *type = nameOf(expr.type);
  switch (expr.form) {
  case BodyExpr::Constant:
    return define(constantOf(expr.type, expr.value, expr.number));
  case BodyExpr::Loop:
    return fmt::format("%i{}", expr.number);
  case BodyExpr::Length:
    return around.length;
  case BodyExpr::Offset:
    return around.offset;
  case BodyExpr::Input:
    return fmt::format("%in{}", expr.number);
  case BodyExpr::Accumulator:
    return "%out";
  case BodyExpr::Simple: {
    std::vector<std::string> operands;
    operands.reserve(expr.operands.size());
    for (const BodyExpr &operand : expr.operands)
      operands.push_back(write(operand));
    return define(
        fmt::format("{} {} : {}", expr.name, fmt::join(operands, ", "), type));
  }
  case BodyExpr::Divide:
    return writeDivision(expr);
  case BodyExpr::Compare:
    return writeCompare(expr);
  case BodyExpr::Select: {
    std::string condition = write(expr.operands[0]);
    std::string yes = write(expr.operands[1]), no = write(expr.operands[2]);
    return define(
        fmt::format("arith.select {}, {}, {} : {}", condition, yes, no, type));
  }
  case BodyExpr::If:
    return writeIf(expr);
  case BodyExpr::Cast:
    return writeCast(expr);
  case BodyExpr::Extract:
    return writeExtract(expr);
  }
  return "";
}

std::string ExprWriter::writeDivision(const BodyExpr &expr) {
  std::string dividend = write(expr.operands[0]);
  const BodyExpr &by = expr.operands[1];
  std::string divisor = write(by);
  bool isNegative = by.form == BodyExpr::Constant && by.number < -1;
  if (!isNegative && !isAtLeast(by, 1))
    divisor = define(fmt::format("arith.maxsi {}, {} : {}", divisor,
                                 constant(by.type, 1), nameOf(by.type)));
  return define(fmt::format("{} {}, {} : {}", expr.name, dividend, divisor,
                            nameOf(expr.type)));
}

std::string ExprWriter::writeCompare(const BodyExpr &expr) {
  std::string a = write(expr.operands[0]), b = write(expr.operands[1]);
  BodyType type = expr.operands[0].type;
  return define(fmt::format("arith.{} {}, {}, {} : {}",
                            isFloat(type) ? "cmpf" : "cmpi", expr.name, a, b,
                            nameOf(type)));
}

std::string ExprWriter::writeIf(const BodyExpr &expr) {
  std::string condition = write(expr.operands[0]);
  std::string name = fmt::format("%{}", names++);
  std::string indent = indentation();
  const char *type = nameOf(expr.type);
  text += fmt::format("{}{} = scf.if {} -> ({}) {{\n", indent, name, condition,
                      type);
  for (unsigned branch : {1u, 2u}) {
    ++depth;
    std::string value = write(expr.operands[branch]);
    --depth;
    text += fmt::format("{0}  scf.yield {1} : {2}\n{0}}}{3}\n", indent, value,
                        type, branch == 1 ? " else {" : "");
  }
  return name;
}

std::string ExprWriter::writeCast(const BodyExpr &expr) {
  std::string value = write(expr.operands[0]);
  const char *from = nameOf(expr.operands[0].type);
  // A conversion of a float outside of the integer type is undefined: clamp it.
  if (expr.name == "arith.fptosi")
    for (auto [bound, by] :
         {std::pair("-100.0", "maxnumf"), std::pair("100.0", "minnumf")}) {
      std::string end =
          define(fmt::format("arith.constant {} : {}", bound, from));
      value = define(fmt::format("arith.{} {}, {} : {}", by, value, end, from));
    }
  return define(fmt::format("{} {} : {} to {}", expr.name, value, from,
                            nameOf(expr.type)));
}

bool ExprWriter::standsInside(const BodyExpr &index,
                              const BodyExtent &extent) const {
  if (index.form == BodyExpr::Constant)
    return index.number >= 0 && index.number < extent.at(1);
  return index.form == BodyExpr::Loop &&
         around.loops[index.number].extent == extent;
}

std::string ExprWriter::writeExtract(const BodyExpr &expr) {
  const std::vector<BodyExtent> &shape = around.shapeOf(expr.number);
  bool guarded = expr.name == "guarded";
  std::vector<std::string> indices;
  std::string inside;
  for (std::size_t dim = 0; dim < expr.operands.size(); ++dim) {
    const BodyExpr &index = expr.operands[dim];
    std::string at = write(index);
    indices.push_back(at);
    if (standsInside(index, shape[dim]))
      continue;
    std::string extent = around.extentOf(shape[dim]);
    if (extent[0] != '%')
      extent = constant(BodyType::Index, std::stoll(extent));
    if (guarded) {
      std::string fits =
          define(fmt::format("arith.cmpi ult, {}, {} : index", at, extent));
      inside =
          inside.empty()
              ? fits
              : define(fmt::format("arith.andi {}, {} : i1", inside, fits));
      continue;
    }
    std::string zero = constant(BodyType::Index, 0);
    std::string one = constant(BodyType::Index, 1);
    std::string last =
        define(fmt::format("arith.subi {}, {} : index", extent, one));
    at = define(fmt::format("arith.maxsi {}, {} : index", at, zero));
    indices.back() =
        define(fmt::format("arith.minsi {}, {} : index", at, last));
  }
  std::string extract =
      fmt::format("tensor.extract {}[{}] : {}", around.valueOf(expr.number),
                  fmt::join(indices, ", "), around.typeOf(expr.number));
  if (inside.empty())
    return define(extract);
  const char *type = nameOf(expr.type);
  std::string name = fmt::format("%{}", names++);
  std::string indent = indentation();
  text +=
      fmt::format("{}{} = scf.if {} -> ({}) {{\n", indent, name, inside, type);
  ++depth;
  std::string read = define(extract);
  text += fmt::format("{0}  scf.yield {1} : {2}\n{0}}} else {{\n", indent, read,
                      type);
  std::string nothing = define(constantOf(expr.type, 0, 0));
  --depth;
  text +=
      fmt::format("{0}  scf.yield {1} : {2}\n{0}}}\n", indent, nothing, type);
  return name;
}

} // namespace npu
