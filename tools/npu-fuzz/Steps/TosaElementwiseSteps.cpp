// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of graphs of TOSA: element by element, with broadcasts, conversions,
// choices and tables.

#include "npu-fuzz/Recipes/RecipeBuilder.h"
#include "npu-fuzz/Steps/TosaCall.h"

namespace npu {
namespace {

/// The element types that an operation takes, by letters: floats, bytes (i8),
/// shorts (i16), words (i32), truth values (i1).
bool takes(std::string_view letters, ElementType type) {
  char letter = isFloat(type)               ? 'f'
                : type == ElementType::I8   ? 'b'
                : type == ElementType::I16  ? 's'
                : type == ElementType::I32  ? 'w'
                : type == ElementType::Bool ? 't'
                                            : '-';
  return type != ElementType::F64 &&
         letters.find(letter) != std::string_view::npos;
}

struct Row {
  const char *op;
  const char *types;
};
constexpr Row kUnary[] = {
    {"abs", "fw"},         {"ceil", "f"},          {"floor", "f"},
    {"exp", "f"},          {"log", "f"},           {"tanh", "f"},
    {"sigmoid", "f"},      {"erf", "f"},           {"sin", "f"},
    {"cos", "f"},          {"reciprocal", "f"},    {"rsqrt", "f"},
    {"clz", "w"},          {"bitwise_not", "bsw"}, {"logical_not", "t"},
    {"identity", "fbswt"}, {"negate", "fbsw"},     {"clamp", "fbs"},
};
constexpr Row kBinary[] = {
    {"add", "fw"},
    {"sub", "fw"},
    {"mul", "fbsw"},
    {"pow", "f"},
    {"intdiv", "w"},
    {"maximum", "fw"},
    {"minimum", "fw"},
    {"bitwise_and", "bsw"},
    {"bitwise_or", "bsw"},
    {"bitwise_xor", "bsw"},
    {"logical_and", "t"},
    {"logical_or", "t"},
    {"logical_xor", "t"},
    {"logical_left_shift", "bsw"},
    {"logical_right_shift", "bsw"},
    {"arithmetic_right_shift", "bsw"},
    {"equal", "fw"},
    {"greater", "fw"},
    {"greater_equal", "fw"},
};

ValueFacts graphFacts(const Step &step, const Extents &shape,
                      ElementType type) {
  return factsWith(step, shape, type, 1);
}

/// One of the rows that take the type; the first one where none does, which is
/// not legal then.
int64_t rowFor(RecipeBuilder &builder, std::span<const Row> rows,
               ElementType type) {
  std::vector<int64_t> found = {0};
  for (int64_t row = 0; row < std::ssize(rows); ++row)
    if (takes(rows[row].types, type))
      found.push_back(row);
  return found.size() == 1 ? 0
                           : found[builder.between(1, std::ssize(found) - 1)];
}

/// Numbers: the row, and a choice of the operation's attributes.
void proposeUnary(RecipeBuilder &builder, const StepKind &kind) {
  if (auto value = builder.pick())
    builder.add(
        {&kind,
         {*value},
         {rowFor(builder, kUnary, builder[*value].type), builder.below(2)}});
}

std::optional<ValueFacts> inferUnary(const Step &step, const Operands &operands,
                                     bool) {
  const ValueFacts &a = *operands[0];
  if (a.scalar || !takes(kUnary[step.numbers[0]].types, a.type))
    return std::nullopt;
  return graphFacts(step, a.shape, a.type);
}

void writeUnary(const Step &step, const Operands &operands,
                const ValueFacts &result, RecipeWriter &writer) {
  std::string_view op = kUnary[step.numbers[0]].op;
  std::string element = nameOf(result.type), attributes;
  TosaCall call(writer);
  call.operand(0, operands);
  if (op == "negate") {
    bool zeros = result.type == ElementType::I8 && step.numbers[1];
    call.number(element, zeros ? 3 : 0).number(element, zeros ? -2 : 0);
  }
  if (op == "clamp") {
    const char *point = isFloat(result.type) ? ".0" : "";
    attributes = fmt::format("min_val = -1{0} : {1}, max_val = 2{0} : {1}, {2}",
                             point, element, nanMode(step.numbers[1]));
  }
  call.write(writer.result(), op, attributes, writer.type(result));
}

Extents broadcast(const Extents &a, const Extents &b) {
  Extents shape = a;
  for (std::size_t dim = 0; dim < shape.size(); ++dim)
    if (shape[dim] == 1)
      shape[dim] = b[dim];
  return shape;
}

bool broadcasts(const Extents &a, const Extents &b) {
  if (a.size() != b.size())
    return false;
  for (std::size_t dim = 0; dim < a.size(); ++dim)
    if (a[dim] != b[dim] && a[dim] != 1 && b[dim] != 1)
      return false;
  return true;
}

/// A value of that type whose shape broadcasts with that of `value`.
unsigned partner(RecipeBuilder &builder, unsigned value, ElementType type) {
  Extents shape = builder[value].shape;
  if (builder.oneIn(3))
    for (int64_t &extent : shape)
      if (builder.oneIn(2))
        extent = 1;
  return builder.valueOf(shape, type);
}

/// Numbers: the row, and a choice of attributes.
void proposeBinary(RecipeBuilder &builder, const StepKind &kind) {
  auto a = builder.pick();
  if (!a)
    return;
  int64_t row = rowFor(builder, kBinary, builder[*a].type);
  unsigned b = partner(builder, *a, builder[*a].type);
  std::vector<unsigned> operands = {*a, b};
  if (builder.oneIn(2))
    std::swap(operands[0], operands[1]);
  builder.add({&kind, std::move(operands), {row, builder.below(2)}});
}

std::optional<ValueFacts> inferBinary(const Step &step,
                                      const Operands &operands, bool) {
  const ValueFacts &a = *operands[0], &b = *operands[1];
  std::string_view op = kBinary[step.numbers[0]].op;
  if (a.scalar || b.scalar || a.type != b.type ||
      !broadcasts(a.shape, b.shape) ||
      !takes(kBinary[step.numbers[0]].types, a.type))
    return std::nullopt;
  bool compares = op == "equal" || op == "greater" || op == "greater_equal";
  ElementType type = compares                          ? ElementType::Bool
                     : op == "mul" && !isFloat(a.type) ? ElementType::I32
                                                       : a.type;
  return graphFacts(step, broadcast(a.shape, b.shape), type);
}

/// Writes the second operand between two numbers, where others are undefined.
void addBetween(TosaCall &call, const Operands &operands, int64_t least,
                int64_t most, RecipeWriter &writer) {
  const ValueFacts &b = *operands[1];
  std::string element = nameOf(b.type), type = writer.type(b);
  std::vector<int64_t> ones(b.shape.size(), 1);
  std::string low = writer.fresh(), bounded = writer.fresh();
  // clamp takes no i32, and maximum i32 alone.
  if (b.type == ElementType::I32) {
    TosaCall(writer)
        .operand(1, operands)
        .constant(ones, element, std::span(&least, 1))
        .write(low, "maximum", nanMode(0), type);
    TosaCall(writer)
        .value(low, type)
        .constant(ones, element, std::span(&most, 1))
        .write(bounded, "minimum", nanMode(0), type);
  } else {
    TosaCall(writer)
        .operand(1, operands)
        .write(bounded, "clamp",
               fmt::format("min_val = {0} : {2}, max_val = {1} : {2}, {3}",
                           least, most, element, nanMode(0)),
               type);
  }
  call.value(bounded, type);
}

void writeBinary(const Step &step, const Operands &operands,
                 const ValueFacts &result, RecipeWriter &writer) {
  std::string_view op = kBinary[step.numbers[0]].op;
  bool isShift = op.find("shift") != std::string_view::npos;
  std::string attributes;
  TosaCall call(writer);
  call.operand(0, operands);
  if (isShift)
    addBetween(call, operands, 0, 8 * byteSize(operands[0]->type) - 1, writer);
  else if (op == "intdiv")
    addBetween(call, operands, 1, 9, writer);
  else
    call.operand(1, operands);
  if (op == "mul")
    call.number(
        "i8", operands[0]->type == ElementType::I32 && step.numbers[1] ? 3 : 0);
  if (op == "maximum" || op == "minimum")
    attributes = nanMode(step.numbers[1]);
  if (op == "arithmetic_right_shift")
    attributes = step.numbers[1] ? "round = true" : "round = false";
  call.write(writer.result(), op, attributes, writer.type(result));
}

void proposeSelect(RecipeBuilder &builder, const StepKind &kind) {
  auto a =
      builder.pick([&](const ValueFacts &f) { return takes("fbswt", f.type); });
  if (!a)
    return;
  ElementType type = builder[*a].type;
  unsigned b = partner(builder, *a, type);
  unsigned which = partner(builder, *a, ElementType::Bool);
  builder.add({&kind, {which, *a, b}});
}

std::optional<ValueFacts> inferSelect(const Step &step,
                                      const Operands &operands, bool) {
  const ValueFacts &which = *operands[0], &a = *operands[1], &b = *operands[2];
  if (which.type != ElementType::Bool || which.scalar || a.scalar || b.scalar ||
      a.type != b.type || !takes("fbswt", a.type) ||
      !broadcasts(a.shape, b.shape))
    return std::nullopt;
  Extents shape = broadcast(a.shape, b.shape);
  if (!broadcasts(which.shape, shape))
    return std::nullopt;
  return graphFacts(step, broadcast(shape, which.shape), a.type);
}

void writeSelect(const Step &, const Operands &operands,
                 const ValueFacts &result, RecipeWriter &writer) {
  TosaCall(writer)
      .operand(0, operands)
      .operand(1, operands)
      .operand(2, operands)
      .write(writer.result(), "select", "", writer.type(result));
}

bool mayCast(ElementType from, ElementType to) {
  if (from == to || !takes("fbswt", from) || !takes("fbswt", to))
    return false;
  if (from == ElementType::Bool || to == ElementType::Bool)
    return !isFloat(from) && !isFloat(to);
  return true;
}

void proposeCast(RecipeBuilder &builder, const StepKind &kind) {
  constexpr ElementType kTypes[] = {
      ElementType::F32, ElementType::F16, ElementType::BF16, ElementType::I8,
      ElementType::I16, ElementType::I32, ElementType::Bool};
  auto value = builder.pick();
  if (!value)
    return;
  Step step{&kind, {*value}};
  step.type = kTypes[builder.below(std::size(kTypes))];
  builder.add(std::move(step));
}

std::optional<ValueFacts> inferCast(const Step &step, const Operands &operands,
                                    bool) {
  const ValueFacts &a = *operands[0];
  if (a.scalar || !mayCast(a.type, step.type))
    return std::nullopt;
  return graphFacts(step, a.shape, step.type);
}

void writeCast(const Step &, const Operands &operands, const ValueFacts &result,
               RecipeWriter &writer) {
  TosaCall(writer)
      .operand(0, operands)
      .write(writer.result(), "cast", "", writer.type(result));
}

/// Numbers: what the table's entries depend on.
void proposeTable(RecipeBuilder &builder, const StepKind &kind) {
  auto value =
      builder.pick([](const ValueFacts &f) { return takes("bs", f.type); });
  if (value)
    builder.add({&kind, {*value}, {builder.between(1, 100)}});
}

std::optional<ValueFacts> inferTable(const Step &step, const Operands &operands,
                                     bool) {
  const ValueFacts &a = *operands[0];
  if (a.scalar || !takes("bs", a.type))
    return std::nullopt;
  return graphFacts(step, a.shape,
                    a.type == ElementType::I8 ? ElementType::I8
                                              : ElementType::I32);
}

void writeTable(const Step &step, const Operands &operands,
                const ValueFacts &result, RecipeWriter &writer) {
  bool bytes = operands[0]->type == ElementType::I8;
  int64_t count = bytes ? 256 : 513;
  std::vector<int64_t> entries;
  for (int64_t i = 0; i < count; ++i)
    entries.push_back(i * step.numbers[0] % 251 - 125);
  TosaCall(writer)
      .operand(0, operands)
      .constant(std::span(&count, 1), bytes ? "i8" : "i16", entries)
      .write(writer.result(), "table", "", writer.type(result));
}

/// Numbers: whether it is a loop.
void proposeControl(RecipeBuilder &builder, const StepKind &kind) {
  auto a =
      builder.pick([](const ValueFacts &f) { return takes("fw", f.type); });
  if (!a)
    return;
  Extents shape = builder[*a].shape;
  unsigned b = builder.valueOf(shape, builder[*a].type);
  unsigned which = builder.valueOf({}, ElementType::Bool);
  builder.add({&kind, {which, *a, b}, {builder.below(2)}});
}

std::optional<ValueFacts> inferControl(const Step &step,
                                       const Operands &operands, bool) {
  const ValueFacts &which = *operands[0], &a = *operands[1], &b = *operands[2];
  if (which.type != ElementType::Bool || which.scalar || !which.shape.empty() ||
      a.scalar || b.scalar || a.type != b.type || a.shape != b.shape ||
      !takes("fw", a.type))
    return std::nullopt;
  return graphFacts(step, a.shape, a.type);
}

void writeBranches(const Operands &operands, const ValueFacts &result,
                   RecipeWriter &writer) {
  std::string type = writer.type(result), sum = writer.fresh();
  writer.line("{} = tosa.cond_if {} : tensor<i1> -> {} {{", writer.result(),
              writer.operand(0), type);
  TosaCall(writer)
      .operand(1, operands)
      .operand(2, operands)
      .write(sum, "add", "", type);
  writer.line("tosa.yield {} : {}", sum, type);
  writer.line("}} else {{");
  writer.line("tosa.yield {} : {}", writer.operand(2), type);
  writer.line("}}");
}

/// Adds the second value three times.
void writeLoop(const ValueFacts &result, RecipeWriter &writer) {
  std::string type = writer.type(result), zero = writer.fresh(),
              one = writer.fresh(), last = writer.fresh(), i = writer.fresh(),
              v = writer.fresh(), more = writer.fresh(), next = writer.fresh(),
              sum = writer.fresh(), count = writer.fresh();
  auto number = [&](const std::string &name, int value) {
    writer.line("{} = \"tosa.const\"() <{{values = dense<{}> : tensor<i32>}}> "
                ": () -> tensor<i32>",
                name, value);
  };
  number(zero, 0);
  number(one, 1);
  number(last, 3);
  writer.line("{0}, {1} = tosa.while_loop ({2} = {3}, {4} = {5}) : "
              "(tensor<i32>, {6}) -> (tensor<i32>, {6}) {{",
              count, writer.result(), i, zero, v, writer.operand(1), type);
  writer.line("{} = tosa.greater {}, {} : (tensor<i32>, tensor<i32>) -> "
              "tensor<i1>",
              more, last, i);
  writer.line("tosa.yield {} : tensor<i1>", more);
  writer.line("}} do {{");
  writer.line("^bb0({}: tensor<i32>, {}: {}):", i, v, type);
  writer.line("{} = tosa.add {}, {} : (tensor<i32>, tensor<i32>) -> "
              "tensor<i32>",
              next, i, one);
  writer.line("{0} = tosa.add {1}, {2} : ({3}, {3}) -> {3}", sum, v,
              writer.operand(2), type);
  writer.line("tosa.yield {}, {} : tensor<i32>, {}", next, sum, type);
  writer.line("}}");
}

void writeControl(const Step &step, const Operands &operands,
                  const ValueFacts &result, RecipeWriter &writer) {
  if (step.numbers[0])
    writeLoop(result, writer);
  else
    writeBranches(operands, result, writer);
}

constexpr StepKind kKinds[] = {
    {"tosa unary of a graph", proposeUnary, inferUnary, writeUnary},
    {"tosa unary of a graph", proposeUnary, inferUnary, writeUnary},
    {"tosa binary of a graph", proposeBinary, inferBinary, writeBinary},
    {"tosa binary of a graph", proposeBinary, inferBinary, writeBinary},
    {"tosa binary of a graph", proposeBinary, inferBinary, writeBinary},
    {"tosa select", proposeSelect, inferSelect, writeSelect},
    {"tosa cast of a graph", proposeCast, inferCast, writeCast},
    {"tosa cast of a graph", proposeCast, inferCast, writeCast},
    {"tosa table", proposeTable, inferTable, writeTable},
    {"tosa control", proposeControl, inferControl, writeControl},
};

} // namespace

std::span<const StepKind> tosaElementwiseKinds() { return kKinds; }

} // namespace npu
