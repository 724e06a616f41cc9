// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of TOSA, element by element: with broadcasts, conversions, choices,
// tables, branches and loops.

#include "npu-fuzz/Steps/TosaSteps.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

#include <algorithm>

using namespace mlir;

namespace npu {
namespace {

constexpr TosaRow kUnary[] = {
    {"abs", "fw", true},
    {"ceil", "f", true},
    {"floor", "f", true},
    {"exp", "f"},
    {"log", "f"},
    {"tanh", "f", true},
    {"sigmoid", "f", true},
    {"erf", "f", true},
    {"sin", "f"},
    {"cos", "f"},
    {"reciprocal", "f"},
    {"rsqrt", "f"},
    {"clz", "w"},
    {"bitwise_not", "bsw"},
    {"logical_not", "t"},
    {"identity", "fbswt", true},
    {"negate", "fbsw", true},
    {"clamp", "fbs"},
};
constexpr TosaRow kBinary[] = {
    {"add", "fw", true},
    {"sub", "fw", true},
    {"mul", "fbsw"},
    {"pow", "f"},
    {"intdiv", "w"},
    {"maximum", "fw", true},
    {"minimum", "fw", true},
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

void unary(OperationMaker &maker) {
  Made value = tosaOperand(maker);
  if (!value)
    return;
  const Fact from = maker[*value];
  const TosaRow *row = rowFor(maker, kUnary, from);
  bool choice = maker.oneIn(2);
  if (!row)
    return;
  std::string element = nameOf(from.type), attributes;
  if (row->op == "clamp")
    attributes =
        fmt::format("min_val = -1{0} : {1}, max_val = 2{0} : {1}, {2}",
                    isFloat(from.type) ? ".0" : "", element, nanMode(choice));
  tosaStep(
      maker, from.type, from.shape,
      [&](TosaBuilder &tosa, Type result) {
        SmallVector<Value> operands = {from.value};
        if (row->op == "negate") {
          bool zeros = from.type == ElementType::I8 && choice;
          operands.push_back(tosa.number(from.type, zeros ? 3 : 0));
          operands.push_back(tosa.number(from.type, zeros ? -2 : 0));
        }
        return tosa.one(row->op, attributes, operands, result);
      },
      from);
}

std::optional<Extents> broadcast(const Extents &a, const Extents &b) {
  Extents shape = a;
  if (a.size() != b.size())
    return std::nullopt;
  for (std::size_t dim = 0; dim < a.size(); ++dim) {
    if (a[dim] != b[dim] && a[dim] != 1 && b[dim] != 1)
      return std::nullopt;
    if (a[dim] == 1)
      shape[dim] = b[dim];
  }
  return shape;
}

/// A value of that type whose shape broadcasts with that of `value`.
Fact partner(OperationMaker &maker, const Fact &value, ElementType type) {
  Dims dims = value.dims;
  if (maker.oneIn(3))
    for (Extent &extent : dims)
      if (maker.oneIn(2))
        extent = fixed(1);
  return maker[maker.valueOf(dims, type)];
}

void binary(OperationMaker &maker) {
  Made value = tosaOperand(maker);
  if (!value)
    return;
  Fact a = maker[*value];
  ElementType type = a.type;
  const TosaRow *row = rowFor(maker, kBinary, a);
  Fact b = partner(maker, a, type);
  if (maker.oneIn(2))
    std::swap(a, b);
  bool choice = maker.oneIn(2);
  auto shape = broadcast(a.shape, b.shape);
  if (!row || !shape)
    return;
  llvm::StringRef op = row->op;
  bool shifts = op.contains("shift"),
       compares = op == "equal" || op.starts_with("greater");
  std::string attributes;
  if (op == "maximum" || op == "minimum")
    attributes = nanMode(choice);
  if (op == "arithmetic_right_shift")
    attributes = choice ? "round = true" : "round = false";
  tosaStep(
      maker,
      compares                        ? ElementType::Bool
      : op == "mul" && !isFloat(type) ? ElementType::I32
                                      : type,
      *shape,
      [&](TosaBuilder &tosa, Type result) {
        SmallVector<Value> operands = {a.value, b.value};
        if (shifts)
          operands[1] = tosa.between(b, 0, bitSize(type) - 1);
        if (op == "intdiv")
          operands[1] = tosa.between(b, 1, 9);
        if (op == "mul")
          operands.push_back(tosa.number(
              ElementType::I8, type == ElementType::I32 && choice ? 3 : 0));
        return tosa.one(op, attributes, operands, result);
      },
      a);
}

void select(OperationMaker &maker) {
  auto value =
      maker.pick([](const Fact &each) { return takes("fbswt", each.type); });
  if (!value)
    return;
  const Fact a = maker[*value], b = partner(maker, a, a.type),
             which = partner(maker, a, ElementType::Bool);
  auto shape = broadcast(a.shape, b.shape);
  if (shape)
    shape = broadcast(*shape, which.shape);
  if (shape)
    tosaStep(maker, "select", "", {which, a, b}, a.type, *shape);
}

void cast(OperationMaker &maker) {
  constexpr ElementType kTypes[] = {
      ElementType::F32, ElementType::F16, ElementType::BF16, ElementType::I8,
      ElementType::I16, ElementType::I32, ElementType::Bool};
  Made value = tosaOperand(maker);
  ElementType to = maker.oneOf(kTypes);
  if (!value)
    return;
  const Fact from = maker[*value];
  bool isTruth = from.type == ElementType::Bool || to == ElementType::Bool;
  if (from.type != to && takes("fbswt", from.type) &&
      !(isTruth && (isFloat(from.type) || isFloat(to) || maker.hasBounds())))
    tosaStep(maker, "cast", "", {from}, to, from.shape);
}

void table(OperationMaker &maker) {
  auto value =
      maker.pick([](const Fact &each) { return takes("bs", each.type); });
  if (!value)
    return;
  const Fact from = maker[*value];
  int64_t by = maker.between(1, 100);
  bool bytes = from.type == ElementType::I8;
  std::vector<int64_t> entries;
  for (int64_t i = 0; i < (bytes ? 256 : 513); ++i)
    entries.push_back(i * by % 251 - 125);
  tosaStep(maker, bytes ? ElementType::I8 : ElementType::I32, from.shape,
           [&](TosaBuilder &tosa, Type result) {
             Value entry = tosa.constant(std::ssize(entries),
                                         maker.elementType(from.type), entries);
             return tosa.one("table", "", {from.value, entry}, result);
           });
}

/// A branch that adds, or a loop that adds the second value three times.
void control(OperationMaker &maker) {
  auto value =
      maker.pick([](const Fact &each) { return takes("fw", each.type); });
  if (!value)
    return;
  const Fact a = maker[*value], b = maker[maker.valueOf(a.dims, a.type)],
             which = maker[maker.valueOf({}, ElementType::Bool)];
  bool isLoop = maker.oneIn(2);
  tosaStep(maker, a.type, a.shape, [&](TosaBuilder &tosa, Type type) -> Value {
    auto add = [&](Value x, Value y) {
      return tosa.one("add", "", {x, y}, x.getType());
    };
    SmallVector<Value> operands = {which.value};
    if (isLoop)
      operands = {tosa.constant({}, tosa.b.getI32Type(), 0), a.value};
    SmallVector<Type> results;
    if (isLoop)
      results.push_back(operands[0].getType());
    results.push_back(type);
    Value step, times;
    if (isLoop) {
      step = tosa.constant({}, tosa.b.getI32Type(), 1);
      times = tosa.constant({}, tosa.b.getI32Type(), 3);
    }
    OperationState state(tosa.b.getUnknownLoc(),
                         isLoop ? "tosa.while_loop" : "tosa.cond_if", operands,
                         results);
    state.addRegion();
    state.addRegion();
    Operation *op = tosa.b.create(state);
    if (!isLoop) {
      tosa.fill(op->getRegion(0), {}, [&](ValueRange) {
        return SmallVector<Value>{add(a.value, b.value)};
      });
      tosa.fill(op->getRegion(1), {},
                [&](ValueRange) { return SmallVector<Value>{b.value}; });
      return op->getResult(0);
    }
    tosa.fill(op->getRegion(0), results, [&](ValueRange inside) {
      Type i1 = RankedTensorType::get({}, tosa.b.getI1Type());
      return SmallVector<Value>{
          tosa.one("greater", "", {times, inside[0]}, i1)};
    });
    tosa.fill(op->getRegion(1), results, [&](ValueRange inside) {
      Value count = add(inside[0], step);
      return SmallVector<Value>{count, add(inside[1], b.value)};
    });
    return op->getResult(1);
  });
}

} // namespace

Operation *TosaBuilder::call(llvm::StringRef op, const std::string &attributes,
                             ValueRange operands, TypeRange results) {
  auto named = cast<DictionaryAttr>(
      parseAttribute("{" + attributes + "}", b.getContext()));
  return maker.call(("tosa." + op).str(), operands, results, named.getValue());
}

Value TosaBuilder::constant(ArrayRef<int64_t> shape, Type element,
                            ArrayRef<int64_t> entries) {
  auto type = RankedTensorType::get(shape, element);
  SmallVector<Attribute> numbers;
  for (int64_t entry : entries)
    if (auto floating = dyn_cast<FloatType>(element))
      numbers.push_back(FloatAttr::get(floating, static_cast<double>(entry)));
    else
      numbers.push_back(IntegerAttr::get(element, entry));
  return tosa::ConstOp::create(b, b.getUnknownLoc(), type,
                               DenseElementsAttr::get(type, numbers));
}

Value TosaBuilder::shape(ArrayRef<int64_t> extents) {
  return tosa::ConstShapeOp::create(
      b, b.getUnknownLoc(),
      tosa::shapeType::get(b.getContext(), static_cast<int>(extents.size())),
      b.getIndexTensorAttr(extents));
}

Value TosaBuilder::between(const Fact &value, int64_t least, int64_t most) {
  Type type = value.value.getType();
  // clamp takes no i32, and maximum i32 alone.
  if (value.type != ElementType::I32)
    return one("clamp",
               fmt::format("min_val = {0} : {2}, max_val = {1} : {2}, {3}",
                           least, most, nameOf(value.type), nanMode(false)),
               value.value, type);
  SmallVector<int64_t> ones(value.shape.size(), 1);
  Value low = one("maximum", nanMode(false),
                  {value.value, constant(ones, b.getI32Type(), least)}, type);
  return one("minimum", nanMode(false),
             {low, constant(ones, b.getI32Type(), most)}, type);
}

void TosaBuilder::fill(
    mlir::Region &region, TypeRange arguments,
    llvm::function_ref<SmallVector<Value>(ValueRange)> body) {
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Location> locs(arguments.size(), b.getUnknownLoc());
  Block *block = b.createBlock(&region, {}, arguments, locs);
  tosa::YieldOp::create(b, b.getUnknownLoc(), body(block->getArguments()));
}

Made tosaStep(OperationMaker &maker, ElementType type, const Extents &shape,
              llvm::function_ref<Value(TosaBuilder &, Type)> build,
              const std::optional<Fact> &like) {
  // TOSA has no tensors of nothing.
  if (llvm::any_of(shape, [](int64_t extent) { return extent <= 0; }))
    return std::nullopt;
  Fact result = maker.tensor(type, fixedDims(shape));
  return maker.makeLaidOut(result, like, [&](const Fact &made) {
    TosaBuilder tosa(maker);
    return build(tosa, maker.typeOf(made));
  });
}

Made tosaStep(OperationMaker &maker, llvm::StringRef op,
              const std::string &attributes, const std::vector<Fact> &operands,
              ElementType type, const Extents &shape) {
  return tosaStep(
      maker, type, shape,
      [&](TosaBuilder &tosa, Type result) {
        SmallVector<Value> values;
        for (const Fact &operand : operands)
          values.push_back(operand.value);
        return tosa.one(op, attributes, values, result);
      },
      operands[0]);
}

bool takes(llvm::StringRef letters, ElementType type) {
  char letter = isFloat(type)               ? 'f'
                : type == ElementType::I8   ? 'b'
                : type == ElementType::I16  ? 's'
                : type == ElementType::I32  ? 'w'
                : type == ElementType::Bool ? 't'
                                            : '-';
  return type != ElementType::F64 && letters.contains(letter);
}

Made tosaOperand(OperationMaker &maker) {
  if (!maker.hasBounds())
    return maker.pick();
  return maker.pick([](const Fact &value) {
    return takes("fw", value.type) && !value.shape.empty() &&
           value.volume() > 0;
  });
}

const TosaRow *rowFor(OperationMaker &maker, std::span<const TosaRow> rows,
                      const Fact &value) {
  std::vector<const TosaRow *> found;
  for (const TosaRow &row : rows)
    if (takes(row.types, value.type) && (row.isForAll || !maker.hasBounds()))
      found.push_back(&row);
  return found.empty() ? nullptr : found[maker.below(std::ssize(found))];
}

std::string nanMode(bool ignores) {
  return fmt::format("nan_mode = #tosa.nan_mode<{}>",
                     ignores ? "IGNORE" : "PROPAGATE");
}

std::string tosaNumbers(llvm::StringRef name, ArrayRef<int64_t> numbers) {
  return fmt::format("{} = array<i64: {}>", name.str(),
                     fmt::join(numbers, ", "));
}

std::string tosaAxis(int64_t axis) {
  return fmt::format("axis = {} : i32", axis);
}

std::span<const StepRow> tosaElementwiseSteps() {
  static constexpr StepRow kRows[] = {
      {unary, {.rare = 1, .tosa = 2}},
      {binary, {.rare = 1, .tosa = 3}},
      {select, {.tosa = 1}},
      {cast, {.rare = 1, .tosa = 2}},
      {table, {.tosa = 1}},
      {control, {.tosa = 1}},
  };
  return kRows;
}

} // namespace npu
