// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps that compute every entry by itself: arithmetic, comparisons, masks,
// conversions, counting, lookups in a table.

#include "npu-fuzz/Steps/Steps.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;

namespace npu {

Made entries(OperationMaker &maker, const std::vector<unsigned> &operands,
             ElementType type, bool onTensors,
             llvm::function_ref<Scalar(Region &)> body,
             const std::vector<std::vector<int64_t>> &loops) {
  std::vector<Fact> inputs;
  for (unsigned operand : operands)
    inputs.push_back(maker[operand]);
  Fact result = maker.tensor(type, inputs[0].dims, 0);
  if (!onTensors)
    return maker.makeLaidOut(result, operands[0], [&](Fact &made) {
      return entryByEntry(maker, inputs, made, body, loops);
    });
  result.layout = inputs[0].layout;
  return maker.make(result, [&](Fact &made) {
    Region whole(maker, maker.b);
    for (const Fact &input : inputs)
      whole.in.push_back({input.value, input.type, input.most});
    Scalar computed = body(whole);
    made.most = computed.most;
    return computed.value;
  });
}

Made elementwise(OperationMaker &maker, const std::vector<unsigned> &operands,
                 int64_t number, Written written,
                 const std::vector<std::vector<int64_t>> &loops) {
  const Fact first = maker[operands[0]], last = maker[operands.back()];
  const ElementwiseRow &row = rowsFor(first.type, operands.size() == 2)[number];
  if (written != Written::Named)
    return entries(
        maker, operands, first.type, written == Written::OnTensors,
        [&](Region &region) { return region.op(row.op, region.in); }, loops);
  double most = row.most(first.most, last.most);
  if (!row.hasNamed(first.type) || (maker.exact() && !row.isExact))
    return std::nullopt;
  return maker.makeLaidOut(
      maker.tensor(first.type, first.dims, most), operands[0], [&](Fact &made) {
        SmallVector<Value> inputs;
        for (unsigned operand : operands)
          inputs.push_back(maker[operand].value);
        return row.named(maker.b, inputs, maker.empty(made), {});
      });
}

/// A value beside `first` for an operation entry by entry.
static unsigned beside(OperationMaker &maker, unsigned first, ElementType type,
                       bool onTensors) {
  Fact wanted = maker[first];
  wanted.type = type;
  return onTensors ? maker.valueLike(wanted) : maker.valueOf(wanted.dims, type);
}

void arithmetic(OperationMaker &maker) {
  std::vector<unsigned> operands = {*maker.pick()};
  const Fact first = maker[operands[0]];
  if (maker.oneIn(2))
    operands.push_back(maker.valueOf(first.dims, first.type));
  auto rows = std::ssize(rowsFor(first.type, operands.size() == 2));
  int64_t row = maker.below(rows);
  elementwise(maker, operands, row, anyForm(maker));
}

/// The second operand has some of the dimensions of the first, in any order.
void broadcasting(OperationMaker &maker) {
  unsigned a = *maker.pick();
  const Fact first = maker[a];
  int64_t row = maker.below(std::ssize(rowsFor(first.type, true)));
  std::vector<int64_t> loops;
  for (int64_t dim : maker.permutation(first.shape.size()))
    if (!maker.oneIn(3))
      loops.push_back(dim);
  unsigned b = maker.valueOf(only(first.dims, loops), first.type);
  std::vector<int64_t> all =
      listOf(Extents(identityPermutation(first.shape.size()).span()));
  elementwise(maker, {a, b}, row, Written::Generic, {all, loops});
}

void converting(OperationMaker &maker) {
  constexpr ElementType kTypes[] = {ElementType::F32,  ElementType::F16,
                                    ElementType::BF16, ElementType::F64,
                                    ElementType::I32,  ElementType::I8};
  unsigned value = *maker.pick();
  ElementType to = maker.oneOf(kTypes);
  if (const char *op = conversion(maker[value].type, to))
    entries(maker, {value}, to, false,
            [&](Region &region) { return region.cast(op, to, region.in[0]); });
}

void comparing(OperationMaker &maker) {
  constexpr const char *kFloats[] = {"olt", "oge", "oeq", "une", "ult"},
                       *kIntegers[] = {"slt", "sge", "eq", "ne", "ult"};
  unsigned a = *maker.pick();
  ElementType type = maker[a].type;
  bool onTensors = maker.oneIn(2);
  unsigned b = beside(maker, a, type, onTensors);
  int64_t row = maker.below(std::size(kFloats));
  entries(maker, {a, b}, ElementType::Bool, onTensors, [&](Region &region) {
    return region.compare(isFloat(type) ? kFloats[row] : kIntegers[row],
                          region.in[0], region.in[1]);
  });
}

/// An existing mask, or an argument of the shape of an existing value.
static unsigned maskOf(OperationMaker &maker) {
  auto mask = maker.pick(
      [](const Fact &value) { return value.type == ElementType::Bool; });
  if (mask && !maker.oneIn(4))
    return *mask;
  return maker.valueOf(maker[*maker.pick()].dims, ElementType::Bool);
}

void logic(OperationMaker &maker) {
  constexpr const char *kLogic[] = {"arith.andi", "arith.ori", "arith.xori"};
  unsigned a = maskOf(maker);
  bool onTensors = maker.oneIn(2);
  unsigned b = beside(maker, a, ElementType::Bool, onTensors);
  const char *op = maker.oneOf(kLogic);
  entries(maker, {a, b}, ElementType::Bool, onTensors,
          [&](Region &region) { return region.op(op, region.in); });
}

void selecting(OperationMaker &maker) {
  unsigned mask = maskOf(maker);
  bool onTensors = maker.oneIn(2);
  unsigned a = beside(maker, mask, maker.mainType(), onTensors);
  unsigned b = beside(maker, mask, maker.mainType(), onTensors);
  entries(maker, {mask, a, b}, maker.mainType(), onTensors,
          [&](Region &region) {
            return region.choose(region.in[0], region.in[1], region.in[2]);
          });
}

/// A select of tensors by one i1 for all entries.
void selectingByFlag(OperationMaker &maker) {
  unsigned a = *maker.pick();
  unsigned b = maker.valueLike(maker[a]);
  const Fact flag = maker[maker.flag()];
  entries(maker, {a, b}, maker[a].type, true, [&](Region &region) {
    return region.choose({flag.value, flag.type}, region.in[0], region.in[1]);
  });
}

static std::optional<unsigned> pickFloats(OperationMaker &maker) {
  return maker.pick([](const Fact &value) {
    return !value.shape.empty() && isFloat(value.type);
  });
}

/// A minimum or a maximum whose result depends on the operation: of both zeros,
/// and of a number and NaN.
void extreme(OperationMaker &maker) {
  constexpr const char *kExtremes[] = {"arith.minimumf", "arith.maximumf",
                                       "arith.minnumf", "arith.maxnumf"};
  auto a = pickFloats(maker);
  if (!a)
    return;
  bool onTensors = maker.oneIn(2);
  const char *op = maker.oneOf(kExtremes);
  std::vector<unsigned> operands = {
      *a, beside(maker, *a, maker[*a].type, onTensors)};
  maker.shuffle(operands);
  entries(maker, operands, maker[*a].type, onTensors,
          [&](Region &region) { return region.op(op, region.in); });
}

/// A linalg.map whose body uses the position: it adds one to the entry, or
/// takes zero instead of it where a position is below another one, or odd.
void countingMap(OperationMaker &maker) {
  auto value = maker.pickRanked();
  if (!value)
    return;
  const Fact first = maker[*value];
  auto rank = std::ssize(first.shape);
  auto rows = rowsFor(first.type, true);
  int64_t form = maker.below(3), a = maker.below(rank), b = maker.below(rank);
  const char *op = rows[maker.below(std::ssize(rows))].op;
  std::vector<Fact> inputs = {first};
  if (maker.oneIn(2))
    inputs.push_back(maker[maker.valueOf(first.dims, first.type)]);
  maker.makeLaidOut(
      maker.tensor(first.type, first.dims, 0), *value, [&](Fact &made) {
        return entryByEntry(
            maker, inputs, made,
            [&](Region &region) {
              Scalar counted = countedEntry(region, form, {a, first.shape[a]},
                                            {b, first.shape[b]});
              return inputs.size() == 1
                         ? counted
                         : region.op(op, {counted, region.in[1]});
            },
            {}, Nest::Map);
      });
}

Scalar countedEntry(Region &region, int64_t form, CountedLoop first,
                    CountedLoop second) {
  const Scalar &entry = region.in[0];
  Scalar a = region.loop(first.loop, first.extent),
         b = region.loop(second.loop, second.extent);
  if (form == 0)
    return region.add(entry, region.positionAs(entry.type, a));
  Scalar which;
  bool isOne = first.loop == second.loop;
  if (form == 1) {
    which = region.compare("sle", a, isOne ? region.index(2) : b);
  } else {
    Scalar sum = region.add(region.add(a, b), region.index(1));
    which = region.compare(
        "eq", region.divide("arith.remui", isOne ? a : sum, region.index(2)),
        region.index(1));
  }
  return region.choose(which, entry, region.number(entry.type, 0));
}

/// A generic whose body captures a scalar.
void capturedScalar(OperationMaker &maker) {
  unsigned value = *maker.pick();
  ElementType type = maker[value].type;
  auto rows = rowsFor(type, true);
  const Fact element = maker[maker.scalar(type)];
  const char *op = rows[maker.below(std::ssize(rows))].op;
  entries(maker, {value}, type, false, [&](Region &region) {
    return region.op(
        op, {region.in[0], {element.value, element.type, element.most}});
  });
}

/// A generic that reads a table at computed positions. The table has no layout:
/// a body needs the whole of a tensor that it captures.
void table(OperationMaker &maker) {
  auto captured = maker.pick([](const Fact &value) {
    return !value.shape.empty() && value.shape.size() <= 2 &&
           value.layout == Layout() && value.volume() > 0 &&
           llvm::none_of(value.dims, [](auto &dim) { return dim.grows(); });
  });
  if (!captured) {
    std::vector<int64_t> shape = {maker.between(1, 6)};
    if (maker.oneIn(2))
      shape.push_back(maker.between(1, 4));
    captured = maker.argument(fixedDims(shape), maker.mainType(), {});
  }
  const Fact table = maker[*captured];
  auto places = maker.pick([](const Fact &value) {
    return value.type == ElementType::I32 && !value.shape.empty();
  });
  unsigned where =
      places ? *places : maker.argument(maker.randomDims(2), ElementType::I32);
  entries(maker, {where}, table.type, false, [&](Region &region) {
    std::vector<Scalar> at;
    for (int64_t extent : table.shape)
      at.push_back(region.divide(
          "arith.remui", region.cast("arith.index_cast", kIndex, region.in[0]),
          region.index(extent)));
    return region.extract(table, at);
  });
}

/// A conversion to another type, a move to another layout, and a conversion
/// back.
void detour(OperationMaker &maker) {
  struct Detour {
    const char *to, *through, *back;
  };
  constexpr Detour kIntegers[] = {
      {"index", "arith.index_cast", "arith.index_cast"},
      {"i1", "arith.trunci", "arith.extui"},
      {"i64", "arith.extsi", "arith.trunci"},
      {"i4", "arith.trunci", "arith.extsi"},
      {"f32", "tensor.bitcast", "tensor.bitcast"},
  };
  unsigned value = *maker.pick();
  const Fact from = maker[value];
  if (from.type == ElementType::Bool)
    return;
  Detour by = {from.type == ElementType::F32   ? "i32"
               : from.type == ElementType::F64 ? "i64"
                                               : "i16",
               "tensor.bitcast", "tensor.bitcast"};
  if (!isFloat(from.type))
    by = kIntegers[maker.below(from.type == ElementType::I32 ? 5 : 4)];
  maker.makeLaidOut(
      maker.tensor(from.type, from.dims, from.most), value, [&](Fact &made) {
        Type other = parseType(by.to, maker.b.getContext());
        Type there = maker.tensorType(from).clone(other),
             moved = maker.tensorType(made).clone(other);
        Value changed = maker.call(by.through, from.value, there)->getResult(0);
        changed = maker.call("npu.redistribute", changed, moved)->getResult(0);
        return maker.call(by.back, changed, made);
      });
}

/// An operation of TOSA, with layouts, beside everything else.
void tosaOperation(OperationMaker &maker) {
  struct Row {
    const char *op;
    int64_t operands;
    bool forIntegers, isExact, addsUp, reduces;
  };
  constexpr Row kRows[] = {
      {"abs", 1, true, true, false, false},
      {"negate", 1, false, true, false, false},
      {"floor", 1, false, true, true, false},
      {"tanh", 1, false, false, false, false},
      {"sigmoid", 1, false, false, true, false},
      {"add", 2, true, true, true, false},
      {"sub", 2, true, true, true, false},
      {"maximum", 2, true, true, false, false},
      {"minimum", 2, true, true, false, false},
      {"cast", 1, true, true, false, false},
      {"cast", 1, true, true, false, false},
      {"cast", 1, true, true, false, false},
      {"reduce_sum", 1, true, true, true, true},
      {"reduce_max", 1, true, true, false, true},
      {"reduce_min", 1, true, true, false, true},
  };
  constexpr ElementType kTypes[] = {ElementType::F32, ElementType::F16,
                                    ElementType::I32};
  auto a = maker.pick([&](const Fact &value) {
    return llvm::is_contained(kTypes, value.type) && !value.shape.empty() &&
           value.volume() > 0;
  });
  const Row row = maker.oneOf(kRows);
  ElementType to = maker.oneOf(kTypes);
  if (!a || (maker.exact() && !row.isExact) ||
      (!isFloat(maker[*a].type) && !row.forIntegers))
    return;
  int64_t dim = maker.below(std::ssize(maker[*a].shape));
  if (row.reduces && row.addsUp)
    a = maker.summable(*a, std::span(&dim, 1));
  const Fact first = maker[*a];
  Fact result = maker.tensor(first.type, first.dims, first.most);
  std::vector<Fact> operands = {first};
  if (row.operands == 2) {
    operands.push_back(maker[maker.valueOf(first.dims, first.type)]);
    result.most = std::max(first.most, operands[1].most);
    if (row.addsUp)
      result.most = first.most + operands[1].most;
  } else if (row.addsUp) {
    result.most += 1;
  }
  llvm::StringRef op = row.op;
  std::vector<NamedAttribute> attributes;
  if (op == "cast") {
    if (to == first.type)
      return;
    result.type = to;
  }
  if (row.reduces) {
    attributes.push_back(
        maker.b.getNamedAttr("axis", maker.b.getI32IntegerAttr(int(dim))));
    if (row.addsUp && !maker.sumIsSafe(first, std::span(&dim, 1)))
      return;
    if (row.addsUp)
      result.most *= static_cast<double>(first.shape[dim]);
    result.dims[dim] = fixed(1);
    result.shape[dim] = 1;
  }
  maker.makeLaidOut(result, *a, [&](Fact &made) {
    SmallVector<Value> values;
    for (const Fact &operand : operands)
      values.push_back(operand.value);
    if (op == "negate") {
      Fact one = maker.tensor(first.type, {fixed(1)}, 0);
      auto zero = tosa::ConstOp::create(
          maker.b, maker.b.getUnknownLoc(), maker.tensorType(one),
          DenseElementsAttr::get(maker.tensorType(one),
                                 Attribute(maker.numberAttr(first.type, 0))));
      values.append(2, zero.getResult());
    }
    return maker.call(("tosa." + op).str(), values, made, attributes);
  });
}

} // namespace npu
