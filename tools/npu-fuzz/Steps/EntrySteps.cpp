// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps that compute every entry by itself: arithmetic, comparisons, masks,
// conversions, counting, lookups in a table.

#include "npu-fuzz/Steps/Steps.h"

#include "npu/Execution/Jit/Signature.h"

#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;

namespace npu {
namespace {

using BodyOf = llvm::function_ref<Value(Region &)>;

/// What `body` computes of every entry, in a linalg.generic or a linalg.map or
/// as one operation on tensors of one layout. Scalars among the operands, after
/// the tensors, are captured.
Made entries(OperationMaker &maker, const std::vector<Fact> &operands,
             ElementType type, std::optional<Nest::Form> form, BodyOf body,
             const std::vector<std::vector<int64_t>> &loops = {}) {
  SmallVector<Value> tensors, scalars;
  for (const Fact &operand : operands)
    (operand.scalar ? scalars : tensors).push_back(operand.value);
  auto withScalars = [&](Region &region) {
    region.in.append(scalars);
    return body(region);
  };
  Fact result = maker.tensor(type, operands[0].dims);
  if (form)
    return maker.makeLaidOut(result, operands[0], [&](const Fact &made) {
      return entryByEntry(maker, tensors, made, withScalars, loops, *form);
    });
  result.layout = operands[0].layout;
  return maker.make(result, [&](const Fact &) {
    Region whole(maker, maker.b);
    whole.in = tensors;
    return withScalars(whole);
  });
}

/// A mask that exists, or an argument of the shape of an existing value.
unsigned maskOf(OperationMaker &maker) {
  auto mask = maker.pick(
      [](const Fact &value) { return value.type == ElementType::Bool; });
  if (mask && !maker.oneIn(4))
    return *mask;
  return maker.valueOf(maker[*maker.pick()].dims, ElementType::Bool);
}

/// An operation entry by entry.
struct EntryRow {
  /// The operands. The first one is v, any value; m, a mask; f, floats with
  /// dimensions. The others have its extents: s, also its type; t, the type of
  /// the function. At the end: b, one i1; e, one scalar of the first's type.
  llvm::StringRef operands;
  Value (*body)(OperationMaker &maker, Region &region);
  /// Of i1; else of the type of the second operand, or of the only tensor.
  bool givesMask = false;
  enum { Generic, AnyForm, OnTensors } form = AnyForm;
};

constexpr EntryRow kComparing = {
    "vs",
    [](OperationMaker &maker, Region &region) {
      constexpr const char *kFloats[] = {"olt", "oge", "oeq", "une", "ult"},
                           *kIntegers[] = {"slt", "sge", "eq", "ne", "ult"};
      int64_t row = maker.below(std::size(kFloats));
      Value a = region.in[0];
      bool isFloat = isa<FloatType>(getElementTypeOrSelf(a.getType()));
      return region.compare(isFloat ? kFloats[row] : kIntegers[row], a,
                            region.in[1]);
    },
    true};
constexpr EntryRow kLogic = {"ms", [](OperationMaker &maker, Region &region) {
                               constexpr const char *kOps[] = {
                                   "arith.andi", "arith.ori", "arith.xori"};
                               return region.op(maker.oneOf(kOps), region.in);
                             }};
constexpr EntryRow kSelecting = {
    "mtt", [](OperationMaker &, Region &region) {
      return region.choose(region.in[0], region.in[1], region.in[2]);
    }};
/// A select of tensors by one i1 for all entries.
constexpr EntryRow kSelectingByFlag = {
    "vsb",
    [](OperationMaker &, Region &region) {
      return region.choose(region.in[2], region.in[0], region.in[1]);
    },
    false, EntryRow::OnTensors};
constexpr EntryRow kExtreme = {"fs", [](OperationMaker &maker, Region &region) {
                                 maker.shuffle(region.in);
                                 return region.op(maker.oneOf(kExtremes),
                                                  region.in);
                               }};
constexpr EntryRow kCapturedScalar = {
    "ve",
    [](OperationMaker &maker, Region &region) {
      return region.op(
          randomBinary(maker, *elementTypeOf(region.in[0].getType())),
          region.in);
    },
    false, EntryRow::Generic};

template <const EntryRow &row>
void entryStep(OperationMaker &maker) {
  char kind = row.operands[0];
  std::optional<unsigned> value =
      kind == 'm' ? maskOf(maker) : maker.pick([&](const Fact &each) {
        return kind == 'v' || (!each.shape.empty() && isFloat(each.type));
      });
  if (!value)
    return;
  std::vector<Fact> operands = {maker[*value]};
  bool onTensors = row.form == EntryRow::OnTensors ||
                   (row.form == EntryRow::AnyForm && maker.oneIn(2));
  ElementType type = operands[0].type;
  for (char each : row.operands.drop_front()) {
    Fact wanted = operands[0];
    if (each == 't')
      wanted.type = type = maker.mainType();
    unsigned operand = each == 'b'   ? maker.flag()
                       : each == 'e' ? maker.scalar(wanted.type)
                       : onTensors   ? maker.valueLike(wanted)
                                     : maker.valueOf(wanted.dims, wanted.type);
    operands.push_back(maker[operand]);
  }
  entries(maker, operands, row.givesMask ? ElementType::Bool : type,
          onTensors ? std::nullopt : std::optional(Nest::Generic),
          [&](Region &region) { return row.body(maker, region); });
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
  elementwise(maker, {a, b}, row, Written::Generic,
              {others(std::ssize(first.shape), {}), loops});
}

void converting(OperationMaker &maker) {
  constexpr ElementType kTypes[] = {
      ElementType::F32, ElementType::F16, ElementType::BF16, ElementType::F64,
      ElementType::I32, ElementType::I8,  ElementType::I4};
  const Fact value = maker[*maker.pick()];
  ElementType to = maker.oneOf(kTypes);
  if (const char *op = conversion(value.type, to))
    entries(maker, {value}, to, Nest::Generic,
            [&](Region &region) { return region.cast(op, to, region.in[0]); });
}

/// A linalg.map whose body uses positions.
void countingMap(OperationMaker &maker) {
  auto value = maker.pickRanked();
  if (!value)
    return;
  std::vector<Fact> inputs = {maker[*value]};
  const Fact first = inputs[0];
  auto rank = std::ssize(first.shape);
  int64_t form = maker.below(3), a = maker.below(rank), b = maker.below(rank);
  const char *op = randomBinary(maker, first.type);
  if (maker.oneIn(2))
    inputs.push_back(maker[maker.valueOf(first.dims, first.type)]);
  entries(maker, inputs, first.type, Nest::Map, [&](Region &region) {
    Value counted = countedEntry(region, first.type, form, a, b);
    return inputs.size() == 1 ? counted
                              : region.op(op, {counted, region.in[1]});
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
    captured = maker.argument(maker.tensor(maker.mainType(), fixedDims(shape)));
  }
  const Fact table = maker[*captured];
  constexpr ElementType kPositions[] = {ElementType::I8, ElementType::I16,
                                        ElementType::I32, ElementType::I64};
  ElementType wanted =
      maker.oneIn(2) ? ElementType::I32 : kPositions[maker.below(4)];
  auto places = maker.pick([&](const Fact &value) {
    return value.type == wanted && !value.shape.empty();
  });
  unsigned where =
      places ? *places : maker.argument(maker.randomDims(2), wanted);
  // A position in one table may be none in another one, and be looked at
  // besides.
  int64_t slack = maker.oneIn(3) ? maker.between(1, 3) : 0;
  entries(maker, {maker[where]}, table.type, Nest::Generic,
          [&](Region &region) {
            SmallVector<Value> at;
            for (int64_t extent : table.shape)
              at.push_back(region.remainder(
                  region.cast("arith.index_cast", kIndex, region.in[0]),
                  extent + slack));
            if (slack == 0)
              return region.extract(table, at);
            Value guarded = region.extractGuarded(table, at);
            return region.choose(region.compare("ult", at[0], region.index(1)),
                                 region.number(table.type, 1), guarded);
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
  const Fact from = maker[*maker.pick()];
  if (from.type == ElementType::Bool)
    return;
  Detour by = {from.type == ElementType::F32   ? "i32"
               : from.type == ElementType::F64 ? "i64"
                                               : "i16",
               "tensor.bitcast", "tensor.bitcast"};
  if (!isFloat(from.type))
    by = kIntegers[maker.below(from.type == ElementType::I32 ? 5 : 4)];
  auto cutsByte = [&](Fact value) {
    value.type = ElementType::I4;
    return by.to == StringRef("i4") && !layoutFits(value);
  };
  maker.makeLaidOut(
      maker.tensor(from.type, from.dims), from, [&](const Fact &made) -> Value {
        if (cutsByte(from) || cutsByte(made))
          return {};
        Type other = parseType(by.to, maker.b.getContext());
        Type there = maker.tensorType(from).clone(other),
             moved = maker.tensorType(made).clone(other);
        Value changed = maker.call(by.through, from.value, there)->getResult(0);
        changed = maker.call("npu.redistribute", changed, moved)->getResult(0);
        return maker.call(by.back, changed, made);
      });
}

} // namespace

Made elementwise(OperationMaker &maker, const std::vector<unsigned> &operands,
                 int64_t number, Written written,
                 const std::vector<std::vector<int64_t>> &loops) {
  std::vector<Fact> facts;
  SmallVector<Value> inputs;
  for (unsigned operand : operands) {
    facts.push_back(maker[operand]);
    inputs.push_back(maker[operand].value);
  }
  ElementType type = facts[0].type;
  const ElementwiseRow &row = rowsFor(type, operands.size() == 2)[number];
  if (written != Written::Named)
    return entries(
        maker, facts, type,
        written == Written::OnTensors ? std::nullopt
                                      : std::optional(Nest::Generic),
        [&](Region &region) { return region.op(row.op, region.in); }, loops);
  if (!row.hasNamed(type))
    return std::nullopt;
  return maker.makeLaidOut(
      maker.tensor(type, facts[0].dims), facts[0], [&](const Fact &made) {
        return row.named(maker.b, inputs, maker.empty(made), {});
      });
}

const char *randomBinary(OperationMaker &maker, ElementType type) {
  auto rows = rowsFor(type, true);
  return rows[maker.below(std::ssize(rows))].op;
}

Value countedEntry(Region &region, ElementType type, int64_t form,
                   int64_t first, int64_t second) {
  Value entry = region.in[0], a = region.loop(first), b = region.loop(second);
  if (form == 0)
    return region.add(entry, region.positionAs(type, a));
  bool isOne = first == second;
  Value which;
  if (form == 1) {
    which = region.compare("sle", a, isOne ? region.index(2) : b);
  } else {
    Value sum = region.add(region.add(a, b), region.index(1));
    which = region.compare("eq", region.remainder(isOne ? a : sum, 2),
                           region.index(1));
  }
  return region.choose(which, entry, region.number(type, 0));
}

std::span<const StepRow> entrySteps() {
  static constexpr StepRow kRows[] = {
      {arithmetic, {.plain = 4}},
      {broadcasting, {.plain = 2}},
      {converting, {.plain = 2}},
      {entryStep<kComparing>, {.more = 2}},
      {entryStep<kLogic>, {.more = 1}},
      {entryStep<kSelecting>, {.more = 1}},
      {entryStep<kSelectingByFlag>, {.more = 1}},
      {detour, {.more = 1}},
      {table, {.more = 1}},
      {entryStep<kCapturedScalar>, {.rare = 1}},
      {entryStep<kExtreme>, {.rare = 1}},
      {countingMap, {.rare = 1}},
  };
  return kRows;
}

} // namespace npu
