// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RandomBody.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

namespace npu {

float specialRealValue(std::mt19937 &rng, bool extremes) {
  using Limits = std::numeric_limits<float>;
  static const float numbers[] = {0.0f,
                                  -0.0f,
                                  1.0f,
                                  -1.0f,
                                  0.5f,
                                  -3.0f,
                                  2.0f,
                                  Limits::infinity(),
                                  -Limits::infinity(),
                                  Limits::quiet_NaN(),
                                  100.0f,
                                  -200.0f,
                                  Limits::max(),
                                  Limits::lowest(),
                                  Limits::denorm_min(),
                                  -Limits::denorm_min()};
  return numbers[std::uniform_int_distribution<size_t>(
      0, std::size(numbers) - 1 - (extremes ? 0 : 4))(rng)];
}

std::string specialReal(std::mt19937 &rng, bool extremes) {
  return fmt::format("0x{:08X}",
                     std::bit_cast<uint32_t>(specialRealValue(rng, extremes)));
}

std::string RandomBody::emit(const std::string &what, const std::string &type) {
  std::string name = fmt::format("%b{}", count++);
  lines += fmt::format("    {} = {} : {}\n", name, what, type);
  return name;
}

std::string RandomBody::position() {
  if (onlyIndices && below(4))
    return oneOf(indices);
  std::string at;
  switch (below(8)) {
  case 0: {
    // Now and then numbers that differences wrap with.
    using Limits = std::numeric_limits<int64_t>;
    int64_t number = int(below(5)) - 1;
    if (below(5) == 0)
      number = below(2) ? Limits::max() - below(2) : Limits::min() + below(2);
    at = emit(fmt::format("arith.constant {}", number), "index");
    break;
  }
  case 1:
  case 2:
    if (!indices.empty()) {
      at = oneOf(indices);
      break;
    }
    [[fallthrough]];
  default:
    at = emit(fmt::format("linalg.index {}", below(loops)), "index");
  }
  switch (below(8)) {
  case 0: {
    std::string by =
        emit(fmt::format("arith.constant {}", int(below(5)) - 2), "index");
    return emit(fmt::format("arith.addi {}, {}", at, by), "index");
  }
  case 1: {
    std::string other =
        emit(fmt::format("linalg.index {}", below(loops)), "index");
    return emit(fmt::format("arith.subi {}, {}", at, other), "index");
  }
  case 2:
    if (!indices.empty())
      return emit(fmt::format("arith.addi {}, {}", at, oneOf(indices)),
                  "index");
    return at;
  default:
    return at;
  }
}

std::string RandomBody::boolean(unsigned depth) {
  static const std::vector<std::string> integerPredicates{
      "eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};
  static const std::vector<std::string> realPredicates{
      "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
      "ueq", "ugt", "uge", "ult", "ule", "une", "uno"};
  if (!masks.empty() && below(3))
    return oneOf(masks);
  switch (depth == 0 ? 0 : below(8)) {
  case 6: {
    std::string a = real(depth - 1), b = real(depth - 1);
    return emit(
        fmt::format("arith.cmpf {}, {}, {}", oneOf(realPredicates), a, b),
        "f32");
  }
  case 7: {
    static const std::vector<std::string> ops{"arith.andi", "arith.ori",
                                              "arith.xori"};
    std::string a = boolean(depth - 1), b = boolean(depth - 1);
    return emit(fmt::format("{} {}, {}", oneOf(ops), a, b), "i1");
  }
  default: {
    std::string a = position(), b = position();
    return emit(
        fmt::format("arith.cmpi {}, {}, {}", oneOf(integerPredicates), a, b),
        "index");
  }
  }
}

std::string RandomBody::integer(unsigned depth) {
  switch (depth == 0 ? below(3) : below(6)) {
  case 0:
    if (!integers.empty())
      return oneOf(integers);
    [[fallthrough]];
  case 1:
    return emit(fmt::format("arith.constant {}", int(below(6)) - 1), "i32");
  case 2:
    return emit(fmt::format("arith.index_cast {}", position()), "index to i32");
  case 3: {
    std::string c = boolean(depth - 1);
    std::string a = integer(depth - 1), b = integer(depth - 1);
    return emit(fmt::format("arith.select {}, {}, {}", c, a, b), "i32");
  }
  default: {
    static const std::vector<std::string> ops{
        "arith.addi",  "arith.muli",  "arith.divsi",
        "arith.remsi", "arith.maxsi", "arith.floordivsi"};
    std::string a = integer(depth - 1), b = integer(depth - 1);
    std::string op = oneOf(ops);
    if (!divides && (op.find("div") != op.npos || op.find("rem") != op.npos))
      op = "arith.addi";
    return emit(fmt::format("{} {}, {}", op, a, b), "i32");
  }
  }
}

std::string RandomBody::masked(unsigned depth) {
  std::string c = boolean(below(3) == 0 ? depth : 0);
  std::string a = real(depth);
  std::string b = below(3) == 0
                      ? real(depth)
                      : emit(fmt::format("arith.constant {}",
                                         !favorites.empty() && below(3)
                                             ? oneOf(favorites)
                                             : specialReal(rng, extremes)),
                             "f32");
  if (below(2))
    std::swap(a, b);
  return emit(fmt::format("arith.select {}, {}, {}", c, a, b), "f32");
}

std::string RandomBody::real(unsigned depth) {
  switch (depth == 0 ? below(3) : below(16)) {
  case 0:
  case 1:
    if (!floats.empty())
      return oneOf(floats);
    [[fallthrough]];
  case 2:
    return emit(fmt::format("arith.constant {}", specialReal(rng, extremes)),
                "f32");
  case 3: {
    std::string number = integer(depth - 1);
    return emit(fmt::format("arith.sitofp {}", number), "i32 to f32");
  }
  case 4:
  case 5:
    return masked(depth - 1);
  case 6: {
    if (tables.empty())
      return real(depth - 1);
    std::string at = emit(fmt::format("arith.constant {}", below(4)), "index");
    if (below(2)) {
      // Kept inside of the table.
      std::string low = emit("arith.constant 0", "index");
      std::string high = emit("arith.constant 3", "index");
      std::string where = position();
      at = emit(fmt::format("arith.maxsi {}, {}", where, low), "index");
      at = emit(fmt::format("arith.minsi {}, {}", at, high), "index");
    }
    return emit(fmt::format("tensor.extract {}[{}]", oneOf(tables), at),
                "tensor<4xf32>");
  }
  case 7:
  case 8:
  case 9: {
    static const std::vector<std::string> ops{
        "arith.negf", "math.absf",  "math.exp",  "math.exp", "math.log",
        "math.sqrt",  "math.rsqrt", "math.tanh", "math.cos", "math.floor"};
    std::string a = real(depth - 1);
    return emit(fmt::format("{} {}", oneOf(ops), a), "f32");
  }
  default: {
    static const std::vector<std::string> ops{
        "arith.addf",     "arith.subf",    "arith.mulf",
        "arith.mulf",     "arith.divf",    "arith.maximumf",
        "arith.minimumf", "arith.maxnumf", "arith.minnumf"};
    std::string a = real(depth - 1), b = real(depth - 1);
    return emit(fmt::format("{} {}, {}", oneOf(ops), a, b), "f32");
  }
  }
}

} // namespace npu
