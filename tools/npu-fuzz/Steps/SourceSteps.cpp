// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps that make tensors of nothing or of scalars, and scalars of tensors.

#include "npu-fuzz/Steps/Steps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {
namespace {

/// Up to `most` dimensions of few entries, some of which the prompt may have.
Dims smallDims(OperationMaker &maker, int64_t most) {
  Dims dims;
  for (int64_t rank = maker.below(most + 1); rank > 0; --rank) {
    dims.push_back(fixed(maker.between(1, 4)));
    if (!maker.hasLayouts() && maker.oneIn(3))
      dims.back() = {Extent::Prompt};
  }
  return dims;
}

bool grow(const Dims &dims) {
  return llvm::any_of(dims, [](const Extent &each) { return each.grows(); });
}

/// A constant, or a fill where dimensions are dynamic, which constants cannot
/// have.
Made constantOf(OperationMaker &maker, const Dims &dims, double most,
                llvm::function_ref<double(int64_t)> entry) {
  return maker.makeLaidOut(maker.tensor(maker.mainType(), dims, most), {},
                           [&](Fact &made) {
                             if (grow(dims))
                               return maker.filled(made, 2);
                             std::vector<double> entries;
                             for (int64_t i = 0; i < made.volume(); ++i)
                               entries.push_back(entry(i));
                             return maker.constant(made, entries);
                           });
}

std::optional<unsigned> pickWithEntries(OperationMaker &maker) {
  return maker.pick([](const Fact &value) { return value.volume() > 0; });
}

std::vector<Value> positions(OperationMaker &maker,
                             const std::vector<int64_t> &place) {
  std::vector<Value> at;
  for (int64_t each : place)
    at.push_back(maker.constant(kIndex, static_cast<double>(each)));
  return at;
}

} // namespace

std::vector<int64_t> randomPlace(RandomNumbers &random, const Extents &shape) {
  std::vector<int64_t> at;
  for (int64_t extent : shape)
    at.push_back(random.below(extent));
  return at;
}

void filling(OperationMaker &maker) {
  Dims dims = smallDims(maker, 3);
  if (maker.oneIn(2))
    constantOf(maker, dims, 8, [](int64_t) { return 2; });
  else
    maker.makeLaidOut(maker.tensor(maker.mainType(), dims, 8), {},
                      [&](Fact &made) { return maker.filled(made, -3); });
}

void denseConstant(OperationMaker &maker) {
  constantOf(maker, smallDims(maker, 3), 8, [](int64_t i) {
    return static_cast<double>(7 * (i + 1) % 9 - 4);
  });
}

/// A tensor whose entries count along a dimension.
void counting(OperationMaker &maker) {
  Dims dims = smallDims(maker, 3);
  if (dims.empty())
    return;
  int64_t along = maker.below(std::ssize(dims));
  maker.makeLaidOut(maker.tensor(maker.mainType(), dims, 0), {},
                    [&](Fact &made) {
                      return entryByEntry(maker, {}, made, [&](Region &region) {
                        return region.positionAs(
                            made.type, region.loop(along, made.shape[along]));
                      });
                    });
}

void bothZeros(OperationMaker &maker) {
  if (!isFloat(maker.mainType()))
    return;
  Dims dims = smallDims(maker, 2);
  dims.push_back(fixed(maker.between(1, 4)));
  int64_t mixed = maker.between(1, 6);
  constantOf(maker, dims, 1, [&](int64_t i) {
    constexpr double kEntries[] = {-0.0, 0.0, -0.0, 1.0};
    return kEntries[i * mixed % 7 % 4];
  });
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
  Dims places;
  for (int64_t rank = maker.below(3); rank > 0; --rank)
    places.push_back(fixed(maker.between(1, 4)));
  Dims dims = places;
  places.push_back(fixed(1));
  const Fact indices = maker[maker.valueOf(places, ElementType::I32)];
  bool keeps = maker.oneIn(2);
  for (int64_t each = 0; each < std::ssize(table.shape); ++each)
    if (each != dim || keeps)
      dims.push_back(each == dim ? fixed(1) : table.dims[each]);
  Fact result = maker.tensor(table.type, dims, table.most);
  result.layout = table.layout; // which upstream's verifier asks for
  if (dims.size() <= std::size_t(kMaxRank))
    maker.make(result, [&](Fact &made) {
      return tensor::GatherOp::create(maker.b, maker.b.getUnknownLoc(),
                                      maker.tensorType(made), table.value,
                                      indices.value, ArrayRef<int64_t>{dim},
                                      /*unique=*/false);
    });
}

/// An entry of a tensor.
void element(OperationMaker &maker) {
  auto value = pickWithEntries(maker);
  if (!value)
    return;
  const Fact from = maker[*value];
  std::vector<int64_t> place = randomPlace(maker, from.shape);
  maker.make(maker.scalarOf(from.type, from.most), [&](Fact &) -> Value {
    return tensor::ExtractOp::create(maker.b, maker.b.getUnknownLoc(),
                                     from.value, positions(maker, place));
  });
}

/// Whether an entry of a tensor is above zero.
void deciding(OperationMaker &maker) {
  auto value = pickWithEntries(maker);
  if (!value)
    return;
  const Fact from = maker[*value];
  std::vector<int64_t> place = randomPlace(maker, from.shape);
  maker.make(maker.scalarOf(ElementType::Bool, 1), [&](Fact &) {
    Scalars at(maker, maker.b);
    Scalar entry{tensor::ExtractOp::create(maker.b, maker.b.getUnknownLoc(),
                                           from.value, positions(maker, place)),
                 from.type};
    return at
        .compare(isFloat(from.type)               ? "ogt"
                 : from.type == ElementType::Bool ? "ne"
                                                  : "sgt",
                 entry, at.number(from.type, 0))
        .value;
  });
}

void settingElement(OperationMaker &maker) {
  auto value = pickWithEntries(maker);
  if (!value)
    return;
  Fact whole = maker[*value];
  const Fact entry = maker[maker.scalar(whole.type)];
  std::vector<int64_t> place = randomPlace(maker, whole.shape);
  Value into = whole.value;
  whole.most = std::max(whole.most, entry.most);
  maker.make(whole, [&](Fact &) {
    return tensor::InsertOp::create(maker.b, maker.b.getUnknownLoc(),
                                    entry.value, into, positions(maker, place));
  });
}

/// A tensor of one scalar for all entries, or of one for each.
void filledWith(OperationMaker &maker) {
  bool one = maker.oneIn(2);
  SmallVector<Value> scalars;
  double most = 0;
  for (int64_t i = one ? 1 : maker.between(2, 4); i > 0; --i) {
    const Fact &entry = maker[maker.scalar(maker.mainType())];
    scalars.push_back(entry.value);
    most = std::max(most, entry.most);
  }
  Dims dims = one ? maker.randomDims(3) : Dims{fixed(std::ssize(scalars))};
  maker.makeLaidOut(
      maker.tensor(maker.mainType(), dims, most), {}, [&](Fact &made) {
        return maker.call(one ? "tensor.splat" : "tensor.from_elements",
                          scalars, made);
      });
}

void computedScalar(OperationMaker &maker) {
  auto rows = rowsFor(maker.mainType(), true);
  const Fact a = maker[maker.scalar(maker.mainType())],
             b = maker[maker.scalar(maker.mainType())];
  const char *op = rows[maker.below(std::ssize(rows))].op;
  maker.make(maker.scalarOf(a.type, 0), [&](Fact &made) {
    Scalars at(maker, maker.b);
    Scalar computed =
        at.op(op, {{a.value, a.type, a.most}, {b.value, b.type, b.most}});
    made.most = computed.most;
    return computed.value;
  });
}

/// A function of the module that takes a tensor and a scalar and returns both:
/// the tensor as it is or combined with itself; the scalar likewise, or an
/// entry of the tensor.
void callWithScalar(OperationMaker &maker) {
  auto value = pickWithEntries(maker);
  if (!value)
    return;
  const Fact tensor = maker[*value];
  auto rows = rowsFor(tensor.type, true);
  const Fact scalar = maker[maker.scalar(tensor.type)];
  const char *op = rows[maker.below(std::ssize(rows))].op;
  bool combines = maker.oneIn(2);
  int64_t how = maker.below(3);
  Fact first = tensor, second = maker.scalarOf(tensor.type, 0);
  maker.makePair(first, second, [&](Fact &one, Fact &other) -> Operation * {
    OpBuilder outside(maker.b.getContext());
    outside.setInsertionPointToStart(maker.moduleOp().getBody());
    TypeRange types = ValueRange{tensor.value, scalar.value}.getTypes();
    auto function = func::FuncOp::create(outside, maker.b.getUnknownLoc(),
                                         maker.freshName("with"),
                                         maker.b.getFunctionType(types, types));
    function.setPrivate();
    Block *body = function.addEntryBlock();
    Scalars at(maker, OpBuilder::atBlockEnd(body));
    Scalar whole{body->getArgument(0), tensor.type, tensor.most},
        entry{body->getArgument(1), scalar.type, scalar.most};
    Fact argument = tensor;
    argument.value = whole.value;
    if (how == 1)
      entry = at.op(op, {entry, entry});
    if (how == 2)
      entry = at.extract(argument,
                         std::vector<Scalar>(tensor.shape.size(), at.index(0)));
    if (combines)
      whole = at.op(op, {whole, whole});
    one.most = whole.most;
    other.most = entry.most;
    func::ReturnOp::create(at.at, maker.b.getUnknownLoc(),
                           ValueRange{whole.value, entry.value});
    return func::CallOp::create(maker.b, maker.b.getUnknownLoc(), function,
                                ValueRange{tensor.value, scalar.value});
  });
}

namespace {

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

/// Builds the region's operations at a position; `entry` is the input's entry,
/// if there is one.
Scalar buildInside(Scalars &at, Inside form, const Fact &table, const char *row,
                   Scalar position, std::optional<Scalar> given) {
  OpBuilder &b = at.at;
  Location loc = b.getUnknownLoc();
  int64_t extent = table.shape[0], shorter = std::max<int64_t>(1, extent - 1);
  Scalar end = at.index(extent);
  Scalar place = at.divide("arith.remui", position, end);
  Scalar after = at.divide("arith.remui", at.add(place, at.index(1)), end);
  Scalar read = at.extract(table, place);
  if (form == Reads)
    return read;
  Scalar entry = given.value_or(read);
  Fact all = table;
  all.most = std::max(table.most, entry.most);
  Type partType = RankedTensorType::get({shorter}, entry.value.getType());
  auto part = [&]() -> Value {
    return tensor::ExtractSliceOp::create(
        b, loc, cast<RankedTensorType>(partType), table.value,
        OpFoldResult(b.getIndexAttr(extent - shorter)),
        OpFoldResult(b.getIndexAttr(shorter)), OpFoldResult(b.getIndexAttr(1)));
  };
  switch (form) {
  case PutsTogether: {
    Scalar odd = at.divide("arith.remui", position, at.index(2));
    all.value = tensor::FromElementsOp::create(
        b, loc, ValueRange{entry.value, at.extract(table, after).value});
    return at.extract(all, odd);
  }
  case Inserts:
    all.value =
        tensor::InsertOp::create(b, loc, entry.value, table.value, place.value);
    return at.extract(all, after);
  case Cuts:
    all.value = part();
    return at.extract(all,
                      at.divide("arith.remui", position, at.index(shorter)));
  case Shifts:
    all.value = tensor::InsertSliceOp::create(
        b, loc, part(), table.value, OpFoldResult(b.getIndexAttr(0)),
        OpFoldResult(b.getIndexAttr(shorter)), OpFoldResult(b.getIndexAttr(1)));
    return at.extract(all, place);
  default:
    Scalar whole{table.value, table.type, table.most};
    whole = at.op(row, {whole, whole});
    all.value = whole.value;
    all.most = whole.most;
    return at.extract(all, place);
  }
}

} // namespace

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
    Extents shape = {maker.between(1, 9)};
    picked = maker.argument(fixedDims(listOf(shape)), type,
                            mayHaveLayout ? maker.layout(shape) : Layout());
  }
  const Fact table = maker[*picked];
  auto rows = rowsFor(type, true);
  const char *row = rows[maker.below(std::ssize(rows))].op;
  Dims dims = maker.randomDims(3);
  std::vector<Fact> inputs;
  if (around != InGenerate) {
    auto input =
        maker.pick([&](const Fact &value) { return value.type == type; });
    inputs.push_back(
        maker[input && !maker.oneIn(4) ? *input : maker.argument(dims, type)]);
    dims = inputs[0].dims;
  }
  Fact result = maker.tensor(type, dims, 0);
  constexpr int64_t kMostWork = 100000;
  if (result.volume() * table.shape[0] > kMostWork)
    return;
  /// The sum of all positions stands for the entry's number.
  auto total = [](Scalars &at, ArrayRef<Scalar> positions) {
    Scalar sum = at.index(0);
    for (const Scalar &each : positions)
      sum = at.add(sum, each);
    return sum;
  };
  maker.makeLaidOut(result, *picked, [&](Fact &made) -> Value {
    if (around != InGenerate)
      return entryByEntry(
          maker, inputs, made,
          [&](Region &region) {
            std::vector<Scalar> loops;
            for (std::size_t loop = 0; loop < dims.size(); ++loop)
              loops.push_back(region.loop(static_cast<int64_t>(loop)));
            return buildInside(region, form, table, row, total(region, loops),
                               region.in[0]);
          },
          {}, around == InMap ? Nest::Map : Nest::Generic);
    return tensor::GenerateOp::create(
        maker.b, maker.b.getUnknownLoc(), maker.tensorType(made), ValueRange(),
        [&](OpBuilder &inner, Location loc, ValueRange indices) {
          Scalars at(maker, inner);
          std::vector<Scalar> loops;
          for (Value index : indices)
            loops.push_back({index, kIndex});
          Scalar entry =
              buildInside(at, form, table, row, total(at, loops), {});
          tensor::YieldOp::create(inner, loc, entry.value);
          made.most = entry.most;
        });
  });
}

} // namespace npu
