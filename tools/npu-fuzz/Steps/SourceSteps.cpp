// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps that make tensors of nothing or of scalars, and scalars of tensors.

#include "npu-fuzz/Steps/Steps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {
namespace {

/// Up to three dimensions of few entries, some of which the prompt may have.
Dims smallDims(OperationMaker &maker, int64_t leastRank) {
  Dims dims;
  for (int64_t rank = maker.between(leastRank, 3); rank > 0; --rank) {
    dims.push_back(fixed(maker.between(1, 4)));
    if (!maker.hasLayouts() && maker.oneIn(3))
      dims.back() = kPrompt;
  }
  return dims;
}

/// A constant, or a fill where dimensions grow, which those of constants
/// cannot.
void constant(OperationMaker &maker, int64_t leastRank,
              llvm::function_ref<double(int64_t)> entry) {
  Dims dims = smallDims(maker, leastRank);
  bool grows =
      llvm::any_of(dims, [](const Extent &each) { return each.grows(); });
  maker.makeLaidOut(maker.tensor(maker.mainType(), dims), {},
                    [&](const Fact &made) {
                      if (grows)
                        return maker.filled(made, entry(0));
                      std::vector<double> entries;
                      for (int64_t i = 0; i < made.volume(); ++i)
                        entries.push_back(entry(i));
                      return maker.constant(made, entries);
                    });
}

void filling(OperationMaker &maker) {
  constant(maker, 0, [](int64_t) { return 2; });
}

void denseConstant(OperationMaker &maker) {
  constant(maker, 0,
           [](int64_t i) { return static_cast<double>(7 * (i + 1) % 9 - 4); });
}

void bothZeros(OperationMaker &maker) {
  int64_t mixed = maker.between(1, 6);
  constexpr double kEntries[] = {-0.0, 0.0, -0.0, 1.0};
  if (isFloat(maker.mainType()))
    constant(maker, 1, [&](int64_t i) { return kEntries[i * mixed % 7 % 4]; });
}

/// A tensor that is filled with a number, or whose entries count along a
/// dimension.
template <bool counts>
void written(OperationMaker &maker) {
  Dims dims = smallDims(maker, counts ? 1 : 0);
  maker.makeLaidOut(maker.tensor(maker.mainType(), dims), {},
                    [&](const Fact &made) {
                      if (!counts)
                        return maker.filled(made, -3);
                      int64_t along = maker.below(std::ssize(dims));
                      return entryByEntry(maker, {}, made, [&](Region &region) {
                        return region.positionAs(made.type, region.loop(along));
                      });
                    });
}

/// A tensor with entries.
std::optional<Fact> pickWithEntries(OperationMaker &maker) {
  auto found = maker.pick([](const Fact &value) { return value.volume() > 0; });
  return found ? std::optional(maker[*found]) : std::nullopt;
}

/// A place in the tensor.
SmallVector<Value> placeIn(OperationMaker &maker, const Fact &tensor) {
  SmallVector<Value> at;
  for (int64_t extent : tensor.shape)
    at.push_back(
        maker.constant(kIndex, static_cast<double>(maker.below(extent))));
  return at;
}

/// Positions are i32 of any value, which stand for the nearest in the tensor.
void gathering(OperationMaker &maker) {
  auto picked = maker.pick([](const Fact &value) {
    return !value.shape.empty() && value.shape.size() <= 3 &&
           value.volume() > 0;
  });
  if (!picked)
    return;
  const Fact table = maker[*picked];
  int64_t dim = maker.below(std::ssize(table.shape));
  Dims dims;
  for (int64_t rank = maker.below(3); rank > 0; --rank)
    dims.push_back(fixed(maker.between(1, 4)));
  Dims places = dims;
  places.push_back(fixed(1));
  const Fact indices = maker[maker.valueOf(places, ElementType::I32)];
  bool keeps = maker.oneIn(2);
  for (int64_t each = 0; each < std::ssize(table.shape); ++each)
    if (each != dim || keeps)
      dims.push_back(each == dim ? fixed(1) : table.dims[each]);
  Fact result = maker.tensor(table.type, dims);
  result.layout = table.layout; // which upstream's verifier asks for
  maker.make(result, [&](const Fact &made) {
    return tensor::GatherOp::create(maker.b, maker.b.getUnknownLoc(),
                                    maker.tensorType(made), table.value,
                                    indices.value, ArrayRef<int64_t>{dim},
                                    /*unique=*/false);
  });
}

/// An entry of a tensor, or whether it is above zero.
template <bool decides>
void element(OperationMaker &maker) {
  auto from = pickWithEntries(maker);
  if (!from)
    return;
  maker.make(maker.scalarOf(decides ? ElementType::Bool : from->type),
             [&](const Fact &) {
               Scalars at(maker, maker.b);
               Value entry = at.extract(*from, placeIn(maker, *from));
               if (!decides)
                 return entry;
               return at.compare(isFloat(from->type)               ? "ogt"
                                 : from->type == ElementType::Bool ? "ne"
                                                                   : "sgt",
                                 entry, at.number(from->type, 0));
             });
}

void settingElement(OperationMaker &maker) {
  auto whole = pickWithEntries(maker);
  if (!whole)
    return;
  const Fact entry = maker[maker.scalar(whole->type)];
  maker.make(*whole, [&](const Fact &) {
    return tensor::InsertOp::create(maker.b, maker.b.getUnknownLoc(),
                                    entry.value, whole->value,
                                    placeIn(maker, *whole));
  });
}

/// A tensor of one scalar for all entries, or of one for each.
void filledWith(OperationMaker &maker) {
  bool one = maker.oneIn(2);
  SmallVector<Value> scalars;
  for (int64_t i = one ? 1 : maker.between(2, 4); i > 0; --i)
    scalars.push_back(maker[maker.scalar(maker.mainType())].value);
  Dims dims = one ? maker.randomDims(3) : Dims{fixed(std::ssize(scalars))};
  maker.makeLaidOut(
      maker.tensor(maker.mainType(), dims), {}, [&](const Fact &made) {
        return maker.call(one ? "tensor.splat" : "tensor.from_elements",
                          scalars, made);
      });
}

void computedScalar(OperationMaker &maker) {
  ElementType type = maker.mainType();
  Value a = maker[maker.scalar(type)].value,
        b = maker[maker.scalar(type)].value;
  const char *op = randomBinary(maker, type);
  maker.make(maker.scalarOf(type), [&](const Fact &) {
    return Scalars(maker, maker.b).op(op, {a, b});
  });
}

/// A function of the module that takes a tensor and a scalar and returns both:
/// the tensor as it is or combined with itself; the scalar likewise, or an
/// entry of the tensor.
void callWithScalar(OperationMaker &maker) {
  auto tensor = pickWithEntries(maker);
  if (!tensor)
    return;
  Value scalar = maker[maker.scalar(tensor->type)].value;
  const char *op = randomBinary(maker, tensor->type);
  bool combines = maker.oneIn(2);
  int64_t how = maker.below(3);
  maker.makePair(
      *tensor, maker.scalarOf(tensor->type),
      [&](const Fact &, const Fact &) -> Operation * {
        Type types[] = {tensor->value.getType(), scalar.getType()};
        func::FuncOp function = maker.privateFunction("with", types, types);
        Block &body = function.getBody().front();
        Scalars at(maker, OpBuilder::atBlockEnd(&body));
        Fact whole = *tensor;
        whole.value = body.getArgument(0);
        Value entry = body.getArgument(1);
        if (how == 1)
          entry = at.op(op, {entry, entry});
        if (how == 2)
          entry = at.extract(
              whole, SmallVector<Value>(whole.shape.size(), at.index(0)));
        if (combines)
          whole.value = at.op(op, {whole.value, whole.value});
        func::ReturnOp::create(at.at, maker.b.getUnknownLoc(),
                               ValueRange{whole.value, entry});
        return func::CallOp::create(maker.b, maker.b.getUnknownLoc(), function,
                                    ValueRange{tensor->value, scalar});
      });
}

/// What a region does with a table for each entry: it reads an entry; puts
/// entries together and takes one of them; puts an entry into the table; takes
/// a part of it; puts its end over its begin; has an operation on all of it.
enum Inside : int64_t {
  Reads,
  PutsTogether,
  Inserts,
  Cuts,
  Shifts,
  Computes,
  InsideCount
};

/// Builds the region's operations; the sum of all positions stands for the
/// entry's number. `given` is the input's entry, if there is one.
Value buildInside(Scalars &at, Inside form, const Fact &table, const char *row,
                  ValueRange positions, Value given) {
  OpBuilder &b = at.at;
  Location loc = b.getUnknownLoc();
  Value position = at.index(0);
  for (Value each : positions)
    position = at.add(position, each);
  int64_t extent = table.shape[0], shorter = std::max<int64_t>(1, extent - 1);
  Value place = at.remainder(position, extent);
  Value after = at.remainder(at.add(place, at.index(1)), extent);
  Value entry = at.extract(table, place);
  if (form == Reads)
    return entry;
  if (given)
    entry = given;
  Fact all = table;
  auto one = OpFoldResult(b.getIndexAttr(1)),
       size = OpFoldResult(b.getIndexAttr(shorter));
  auto part = [&]() -> Value {
    return tensor::ExtractSliceOp::create(
        b, loc, RankedTensorType::get({shorter}, entry.getType()), table.value,
        OpFoldResult(b.getIndexAttr(extent - shorter)), size, one);
  };
  switch (form) {
  case PutsTogether:
    all.value = tensor::FromElementsOp::create(
        b, loc, ValueRange{entry, at.extract(table, after)});
    return at.extract(all, at.remainder(position, 2));
  case Inserts:
    all.value = tensor::InsertOp::create(b, loc, entry, table.value, place);
    return at.extract(all, after);
  case Cuts:
    all.value = part();
    return at.extract(all, at.remainder(position, shorter));
  case Shifts:
    all.value = tensor::InsertSliceOp::create(b, loc, part(), table.value,
                                              OpFoldResult(b.getIndexAttr(0)),
                                              size, one);
    return at.extract(all, place);
  default:
    all.value = at.op(row, {table.value, table.value});
    return at.extract(all, place);
  }
}

/// A generic, a map or a tensor.generate whose region makes and changes tensors
/// for each entry. Of a table with a layout, it only reads single entries.
void tensorsInside(OperationMaker &maker) {
  enum { InGeneric, InMap, InGenerate, Forms };
  int64_t around = maker.below(Forms);
  auto form = static_cast<Inside>(maker.below(InsideCount));
  bool mayHaveLayout = form <= PutsTogether;
  ElementType type = maker.mainType();
  auto picked = maker.pick([&](const Fact &value) {
    return value.type == type && value.shape.size() == 1 &&
           value.shape[0] > 0 && value.shape[0] <= 64 &&
           (mayHaveLayout || value.layout == Layout());
  });
  if (!picked || maker.oneIn(3)) {
    Fact table = maker.tensor(type, {fixed(maker.between(1, 9))});
    if (mayHaveLayout)
      table.layout = maker.layout(table.shape);
    picked = maker.argument(table);
  }
  const Fact table = maker[*picked];
  const char *row = randomBinary(maker, type);
  Fact result = maker.tensor(type, maker.randomDims(3));
  std::optional<Fact> input;
  if (around != InGenerate) {
    auto found =
        maker.pick([&](const Fact &value) { return value.type == type; });
    input = maker[found && !maker.oneIn(4) ? *found
                                           : maker.argument(result.dims, type)];
    result = maker.tensor(type, input->dims);
  }
  constexpr int64_t kMostWork = 100000;
  if (result.volume() * table.shape[0] > kMostWork)
    return;
  maker.makeLaidOut(result, table, [&](const Fact &made) -> Value {
    if (input)
      return entryByEntry(
          maker, input->value, made,
          [&](Region &region) {
            SmallVector<Value> loops;
            for (std::size_t loop = 0; loop < made.dims.size(); ++loop)
              loops.push_back(region.loop(static_cast<int64_t>(loop)));
            return buildInside(region, form, table, row, loops, region.in[0]);
          },
          {}, around == InMap ? Nest::Map : Nest::Generic);
    return tensor::GenerateOp::create(
        maker.b, maker.b.getUnknownLoc(), maker.tensorType(made), ValueRange(),
        [&](OpBuilder &inner, Location loc, ValueRange indices) {
          Scalars at(maker, inner);
          tensor::YieldOp::create(
              inner, loc, buildInside(at, form, table, row, indices, {}));
        });
  });
}

} // namespace

std::span<const StepRow> sourceSteps() {
  static constexpr StepRow kRows[] = {
      {filling, {.plain = 1}},       {written<false>, {.plain = 1}},
      {written<true>, {.plain = 1}}, {denseConstant, {.plain = 1}},
      {gathering, {.more = 1}},      {element<true>, {.more = 1}},
      {element<false>, {.rare = 1}}, {settingElement, {.rare = 1}},
      {filledWith, {.rare = 1}},     {computedScalar, {.rare = 1}},
      {callWithScalar, {.rare = 1}}, {tensorsInside, {.rare = 2}},
      {bothZeros, {.rare = 1}},
  };
  return kRows;
}

} // namespace npu
