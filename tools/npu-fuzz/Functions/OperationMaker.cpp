// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Functions/OperationMaker.h"

#include "npu-fuzz/Functions/RandomTask.h"
#include "npu/Analysis/Kernels/KernelTable.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace npu {
namespace {

/// The longest prompt of a function for a run-time length is this, or less.
constexpr int64_t kLongest = 13;

ElementType randomType(RandomNumbers &random, FunctionFor what) {
  if (what == FunctionFor::Tosa) {
    constexpr ElementType kTypes[] = {
        ElementType::F32,  ElementType::F32, ElementType::F16,
        ElementType::BF16, ElementType::I8,  ElementType::I8,
        ElementType::I16,  ElementType::I32, ElementType::Bool,
    };
    // Nothing lowers what is unsigned, and that is said.
    return random.oneIn(40) ? ElementType::U8
                            : kTypes[random.below(std::size(kTypes))];
  }
  if (what != FunctionFor::Prompts && random.oneIn(12))
    return ElementType::Bool;
  // Layouts of prompts are written before the lengths are known that they cut.
  bool mayBePacked =
      what == FunctionFor::Functions || what == FunctionFor::Assignments;
  if (mayBePacked && random.oneIn(14))
    return ElementType::I4;
  constexpr ElementType kTypes[] = {
      ElementType::F32, ElementType::F32, ElementType::F32, ElementType::F32,
      ElementType::F32, ElementType::F16, ElementType::F16, ElementType::BF16,
      ElementType::I32, ElementType::I8,  ElementType::F64, ElementType::I16,
  };
  return kTypes[random.below(std::size(kTypes))];
}

/// Whether an operation reads the value, and does not only write over it.
bool isRead(Value value) {
  return llvm::any_of(value.getUses(), [](OpOperand &use) {
    auto writes = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
    if (!writes || !writes.isDpsInit(&use))
      return true;
    auto op = dyn_cast<linalg::LinalgOp>(use.getOwner());
    return op && op.payloadUsesValueFromOperand(&use);
  });
}

} // namespace

bool isUnsplit(const Fact &value, std::span<const int64_t> dims) {
  if (!value.layout.distribution)
    return true;
  Result<Placement> placement = place(*value.layout.distribution, value.shape);
  if (!placement)
    return false;
  auto isWhole = [&](const Box &box) {
    return box.isEmpty() || llvm::all_of(dims, [&](int64_t dim) {
             return box[dim] == Range{0, value.shape[dim]};
           });
  };
  return llvm::all_of(placement->tiles, [&](const TileBoxes &tile) {
    return isWhole(tile.compute) && isWhole(tile.memory);
  });
}

bool maySumInParts(ElementType type, double terms) {
  constexpr double kShare = 8;
  return !isFloat(type) || kShare * terms <= std::ldexp(1, precisionOf(type));
}

OperationMaker::OperationMaker(uint64_t seed, uint64_t number, FunctionFor what)
    : FunctionMaker(seed, number, kLongest),
      what(what == FunctionFor::Hetero ? FunctionFor::Assignments : what),
      type(randomType(*this, this->what)) {
  if (what == FunctionFor::Tosa)
    beginGraph();
  else
    beginFunction(number);
  if (what == FunctionFor::Hetero)
    chooseKernels(*this, *made.assign);
}

void OperationMaker::beginGraph() {
  made.tosa = true;
  made.parallelTiles = oneIn(2);
  made.special = oneIn(3);
  made.assign = randomTask(*this);
  for (int64_t count = between(1, 2); count > 0; --count) {
    Extents dims = oneIn(30) ? Extents() : shape();
    // TOSA has no tensors of nothing.
    for (int64_t &extent : dims)
      extent = std::max<int64_t>(extent, 1);
    argument(fixedDims(dims), type);
  }
  for (int64_t count = between(3, 12); count > 0; --count)
    propose();
}

void OperationMaker::beginFunction(uint64_t number) {
  bounds = true;
  made.exact = below(5) < 2;
  splitsSums = what != FunctionFor::Prompts &&
               oneIn(what == FunctionFor::Functions ? 2 : 3);
  if (what == FunctionFor::Prompts) {
    if (oneIn(2)) {
      shortest = 1;
      longest = between(3, kLongest);
    }
  } else {
    made.parallelTiles = oneIn(2);
    large = made.parallelTiles && oneIn(6);
    rare = number % 9 >= 6;
    made.special = rare && !exact() && oneIn(2);
  }
  constexpr int64_t kTiles[] = {1, 2, 3, 4, 4, 4, 4, 5, 6, 8};
  maxTiles = std::max<int64_t>(oneOf(kTiles), splitsSums ? 2 : 1);
  if (what == FunctionFor::Assignments) {
    made.assign = randomTask(*this);
    if (splitsSums && !oneIn(3))
      favourSumsInParts(*this, *made.assign);
    maxTiles = tilesOf(*made.assign);
    pinsOneIn = oneIn(2) ? 0 : between(2, 12);
  }
  for (int64_t count = between(1, 2); count > 0; --count)
    argument(oneIn(30) && !shortest ? Dims() : argumentDims(), type);
  for (int64_t count = between(2, 7); count > 0; --count)
    propose();
}

/// Extents for an argument. In large functions, one dimension is long, so that
/// operations along it run long; in functions with split sums, one dimension is
/// longer than the number of tiles, because operands would be gathered
/// otherwise. Where the prompt has a run-time length, some are that.
Dims OperationMaker::argumentDims() {
  Extents result = shape();
  if (large) {
    int64_t &longest = result[below(std::ssize(result))];
    longest = 1;
    longest = between(2000, 30000) /
              std::max<int64_t>(1, Box::whole(result).volume());
  }
  if (splitsSums && !large && Box::whole(result).volume() <= 60)
    result[below(std::ssize(result))] = between(8, 32);
  Dims dims = fixedDims(result);
  if (!shortest)
    return dims;
  auto certain = below(std::ssize(dims));
  for (int64_t dim = 0; dim < std::ssize(dims); ++dim)
    if (dim == certain || oneIn(5))
      dims[dim] = kPrompt;
  return dims;
}

bool OperationMaker::needAtLeast(const Extent &extent, int64_t entries) {
  for (int64_t length = 1; shortest && length + 2 <= longest; ++length)
    if (extent.at(length) >= entries) {
      shortest = std::max(*shortest, length);
      return true;
    }
  return !shortest && extent.at(longest) >= entries;
}

void OperationMaker::propose() {
  using Weights = StepRow::Weights;
  std::span<const StepKind> third = fuzzExtension().kinds;
  if (!third.empty() && oneIn(2)) {
    third[below(std::ssize(third))](*this);
    return;
  }
  // Functions with split sums mostly have reductions.
  int Weights::*from =
      what == FunctionFor::Tosa                      ? &Weights::tosa
      : what == FunctionFor::Assignments && oneIn(3) ? &Weights::blocks
      : rare && oneIn(2)                             ? &Weights::rare
      : what != FunctionFor::Prompts && oneIn(2)     ? &Weights::more
      : (exact() || splitsSums) && oneIn(3)          ? &Weights::sums
                                                     : &Weights::plain;
  int64_t total = 0;
  for (const StepRow &row : stepRows())
    total += row.weights.*from;
  int64_t chosen = below(total);
  for (const StepRow &row : stepRows())
    if ((chosen -= row.weights.*from) < 0)
      return row.kind(*this);
}

MadeFunction OperationMaker::take() {
  // Return unused values, at times used ones, and split sums.
  std::vector<unsigned> results;
  for (unsigned value = 0; value < size(); ++value)
    if ((!values[value].scalar || rare) && !isArgument(value) &&
        (!isRead(values[value].value) || oneIn(8) ||
         llvm::is_contained(alwaysReturned, value)))
      results.push_back(value);
  if (results.empty())
    results.push_back(0);
  if (!rare || !oneIn(3) || !returnTwice(results))
    returnValues(results);
  if (made.assign)
    chooseTask();
  if (pinsOneIn > 0)
    choosePins(results);
  if (what == FunctionFor::Prompts)
    choosePrompt();
  return finish([](unsigned) { return false; });
}

/// Marks some dimensions of arguments as a prompt, if its length is known.
void OperationMaker::choosePrompt() {
  if (shortest) {
    made.lengths = {*shortest, longest};
    made.paddedTo = longest;
    auto isPadded = [&](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && llvm::is_contained(tensor.getShape(), longest);
    };
    made.maySplitPadded =
        llvm::none_of(body().getArgumentTypes(), isPadded) &&
        llvm::none_of(body().getTerminator()->getOperandTypes(), isPadded);
    return;
  }
  struct Place {
    unsigned argument;
    int64_t dim, extent;
  };
  std::vector<Place> places;
  for (BlockArgument argument : body().getArguments())
    if (auto tensor = dyn_cast<RankedTensorType>(argument.getType()))
      for (auto [dim, extent] : llvm::enumerate(tensor.getShape()))
        if (extent > 0)
          places.push_back(
              {argument.getArgNumber(), static_cast<int64_t>(dim), extent});
  if (places.empty())
    return;
  const Place &first = places[below(std::ssize(places))];
  std::vector<SmallVector<int64_t>> dims(body().getNumArguments());
  for (const Place &place : places)
    if (&place == &first || (place.extent == first.extent && !oneIn(4)))
      dims[place.argument].push_back(place.dim);
  main().setFunctionType(b.getFunctionType(body().getArgumentTypes(), {}));
  for (auto [argument, marked] : llvm::enumerate(dims))
    if (!marked.empty())
      main().setArgAttr(argument, NPUDialect::PromptDimAttrHelper::getNameStr(),
                        b.getI64ArrayAttr(marked));
  made.paddedTo = first.extent + below(6);
}

/// Lets the function return at two places, selected by a scalar where there is
/// one; at the second place, results of one type are exchanged.
bool OperationMaker::returnTwice(const std::vector<unsigned> &results) {
  auto decides = llvm::find_if(values, [](const Fact &value) {
    return value.scalar && value.type == ElementType::Bool;
  });
  if (decides == values.end())
    return false;
  SmallVector<Value> returned;
  for (unsigned result : results)
    returned.push_back(values[result].value);
  Block *places[2];
  for (Block *&place : places) {
    place = main().addBlock();
    OpBuilder at = OpBuilder::atBlockEnd(place);
    func::ReturnOp::create(at, at.getUnknownLoc(), returned);
    for (std::size_t i = 0; i < returned.size(); ++i)
      for (std::size_t j = i + 1; j < returned.size(); ++j)
        if (returned[i].getType() == returned[j].getType())
          std::swap(returned[i], returned[j]);
  }
  cf::CondBranchOp::create(b, b.getUnknownLoc(), decides->value, places[0],
                           places[1]);
  return true;
}

void OperationMaker::chooseTask() {
  int64_t largest = 0;
  for (const Fact &value : values)
    largest = std::max(largest, value.volume() * bitSize(value.type) / 8);
  if (what != FunctionFor::Tosa) {
    chooseScratchpads(*this, largest, *made.assign);
    made.assign->splitReductions =
        splitsSums && !made.special && mayAddUpInParts();
    chooseMemoryOrders(*this, *made.assign);
    chooseStorage(*this, *made.assign);
    // Numbers that have to be exact would grow too large.
    if (oneIn(4) && !(exact() && isFloat(type)))
      repeatLayers(main(), *this);
  }
  moduleOp()->setAttr("dlti.target_system_spec",
                      parseAttribute(describe(*made.assign), b.getContext()));
}

/// Whether no sum of the function's values has so many terms that its type
/// loses some of them in any order.
bool OperationMaker::mayAddUpInParts() const {
  return exact() || llvm::all_of(values, [](const Fact &value) {
           return maySumInParts(value.type,
                                static_cast<double>(value.volume()));
         });
}

/// Asks for layouts of arguments and results that have none.
void OperationMaker::choosePins(const std::vector<unsigned> &results) {
  StringRef name = NPUDialect::LayoutAttrHelper::getNameStr();
  main().setFunctionType(
      b.getFunctionType(body().getArgumentTypes(),
                        SmallVector<Type>(results.size(), b.getIndexType())));
  auto pin = [&](unsigned value) -> Attribute {
    const Fact &fact = values[value];
    if (fact.scalar || fact.layout != Layout() || bitSize(fact.type) < 8)
      return {};
    Layout wanted = layout(fact.shape);
    if (wanted.distribution)
      normalize(*wanted.distribution);
    return wanted == Layout() ? Attribute()
                              : LayoutAttr::get(b.getContext(), wanted);
  };
  for (unsigned value = 0; value < size(); ++value)
    if (auto argument = dyn_cast<BlockArgument>(values[value].value))
      if (Attribute pinned = pin(value))
        main().setArgAttr(argument.getArgNumber(), name, pinned);
  for (auto [number, value] : llvm::enumerate(results))
    if (!isArgument(value))
      if (Attribute pinned = pin(value))
        main().setResultAttr(number, name, pinned);
}

Layout OperationMaker::layout(const Extents &shape,
                              std::span<const int64_t> whole) {
  Layout result;
  if (shortest || (made.assign && (pinsOneIn == 0 || !oneIn(pinsOneIn))))
    return result;
  if (oneIn(4)) {
    result.order = permutation(shape.size());
    if (isIdentity(result.order))
      result.order = {};
  }
  if (oneIn(12))
    return result;
  Fact value{type, {}, shape};
  for (int tries = 0; tries < 20; ++tries) {
    value.layout.distribution = result.distribution =
        distribution(shape, maxTiles);
    if (!isUnsplit(value, whole))
      continue;
    if (shape.size() == 4 && result.order.empty() && oneIn(3))
      result.storage = Storage::Tiled2d;
    return result;
  }
  result.distribution = Distribution();
  result.distribution->mode = Mode::Duplicated;
  result.distribution->tileCount = between(1, maxTiles);
  return result;
}

unsigned OperationMaker::valueOf(const Dims &dims, ElementType type) {
  auto found = pick([&](const Fact &value) {
    return value.dims == dims && value.type == type;
  });
  if (found && !oneIn(4))
    return *found;
  // Arguments have no extents that follow from the prompt's.
  if (llvm::all_of(dims, [](const Extent &extent) {
        return !extent.grows() || extent.isPrompt();
      }))
    return argument(dims, type);
  return *make(tensor(type, dims),
               [&](const Fact &result) { return filled(result, 2); });
}

unsigned OperationMaker::valueLike(const Fact &like) {
  // Copy the facts, because adding values moves them.
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
  const Fact wanted = like;
  auto isAlike = [&](const Fact &value) {
    return value.dims == wanted.dims && value.type == wanted.type;
  };
  auto found = pick([&](const Fact &value) {
    return isAlike(value) && value.layout == wanted.layout;
  });
  if (found && !oneIn(3))
    return *found;
  auto other = pick(isAlike);
  if (other && oneIn(2))
    if (auto there = moved(*other, wanted.layout))
      return *there;
  return argument(wanted);
}

unsigned OperationMaker::scalar(ElementType wanted) {
  for (unsigned value = 0; value < size(); ++value)
    if (values[value].scalar && values[value].type == wanted && !oneIn(4))
      return value;
  return argument(scalarOf(wanted));
}

std::optional<unsigned> OperationMaker::moved(unsigned value,
                                              const Layout &to) {
  Fact result = values[value];
  result.layout = to;
  return make(result, [&](const Fact &made) {
    return call("npu.redistribute", values[value].value, made);
  });
}

bool OperationMaker::sumIsSafe(const Fact &value,
                               std::span<const int64_t> dims) const {
  double terms = 1;
  for (int64_t dim : dims)
    terms *= static_cast<double>(value.shape[dim]);
  return exact() || maySumInParts(value.type, terms) || isUnsplit(value, dims);
}

unsigned OperationMaker::summable(unsigned value,
                                  std::span<const int64_t> dims) {
  Fact summed = values[value];
  if (splitsSums && !dims.empty() && !oneIn(4)) {
    summed.layout = splitAlong(summed.shape, dims);
    if (sumIsSafe(summed, dims))
      if (auto split = moved(value, summed.layout))
        return *split;
  }
  const Fact &as = values[value];
  if (exact() || !isFloat(as.type) || isUnsplit(as, dims) ||
      (splitsSums && sumIsSafe(as, dims)))
    return value;
  return *moved(value, layout(as.shape, dims));
}

/// A layout that splits the longest dimension of `dims`. Operands of one
/// contraction get equal splits.
Layout OperationMaker::splitAlong(const Extents &shape,
                                  std::span<const int64_t> dims) const {
  int64_t longest =
      *std::max_element(dims.begin(), dims.end(), [&](int64_t a, int64_t b) {
        return shape[a] < shape[b];
      });
  Layout layout;
  layout.distribution.emplace();
  layout.distribution->mode = Mode::Segmented;
  layout.distribution->tiles = Extents(shape.size(), 1);
  layout.distribution->tiles[longest] =
      std::max<int64_t>(1, std::min(maxTiles, shape[longest] / 2));
  return layout;
}

std::string describe(const AssignTask &task) {
  std::string entries;
  auto add = [&](std::string_view name, int64_t value) {
    if (value != 0)
      entries += fmt::format(", \"npu.{}\" = {} : i64", name, value);
  };
  add("tiles", task.tiles);
  add("max_tiles", task.tiles);
  add("scratchpad_bytes", task.scratchpadBytes);
  for (const auto &[name, value] : task.figures)
    add(name, value);
  if (!task.kernels.empty())
    entries += ", \"npu.kernels\" = " + task.kernels;
  if (task.prefersImages)
    entries += ", \"npu.storage_kinds\" = [\"tiled2d\", \"linear\"]";
  // Tensors of all sizes may be images.
  entries += ", \"npu.image_extent\" = 1073741824 : i64";
  return fmt::format("#dlti.target_system_spec<\"NPU\" = "
                     "#dlti.target_device_spec<\"npu.name\" = \"{}\"{}>>",
                     task.device, entries);
}

void repeatLayers(func::FuncOp main, RandomNumbers &random) {
  Block &body = main.getBody().front();
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    ops.push_back(&op);
  struct Layer {
    Value before;
    Operation *first, *last;
  };
  std::vector<Layer> layers;
  for (auto [i, op] : llvm::enumerate(ops))
    for (std::size_t k = i + 1; k < ops.size(); ++k)
      if (op->getNumResults() == 1 && ops[k]->getNumResults() == 1 &&
          isa<RankedTensorType>(op->getResult(0).getType()) &&
          op->getResult(0).getType() == ops[k]->getResult(0).getType() &&
          !ops[k]->hasTrait<OpTrait::ConstantLike>() && !op->use_empty())
        layers.push_back({op->getResult(0), ops[i + 1], ops[k]});
  // What computes positions keeps them inside of what they are positions in.
  llvm::erase_if(layers, [](const Layer &layer) {
    return llvm::any_of(layer.before.getUses(), [](OpOperand &use) {
      return positionsOperand(use.getOwner()) == use.getOperandNumber();
    });
  });
  // TOSA wants some operands to be constants, which the result of a layer is
  // not.
  llvm::erase_if(layers, [](const Layer &layer) {
    Operation *made = layer.before.getDefiningOp();
    return made->hasTrait<OpTrait::ConstantLike>() &&
           llvm::isa_and_nonnull<tosa::TosaDialect>(made->getDialect());
  });
  if (layers.empty())
    return;
  const Layer layer = layers[random.below(std::ssize(layers))];
  SmallVector<Operation *> repeated;
  for (Operation *op = layer.first; op != layer.last->getNextNode();
       op = op->getNextNode())
    repeated.push_back(op);
  OpBuilder at(main.getContext());
  Value last = layer.last->getResult(0), before = last;
  Operation *end = layer.last;
  for (int64_t copies = random.between(3, 6); copies > 0; --copies) {
    IRMapping mapping;
    mapping.map(layer.before, last);
    at.setInsertionPointAfter(end);
    for (Operation *op : repeated) {
      // Every layer has weights of its own.
      for (Value operand : op->getOperands())
        if (auto argument = dyn_cast<BlockArgument>(operand);
            argument && !mapping.contains(operand))
          mapping.map(operand,
                      body.addArgument(operand.getType(), operand.getLoc()));
      end = at.clone(*op, mapping);
    }
    last = end->getResult(0);
  }
  // What follows reads the last layer.
  before.replaceUsesWithIf(last, [&](OpOperand &use) {
    Operation *user = main.getBody().findAncestorOpInRegion(*use.getOwner());
    return user->getBlock() != &body || end->isBeforeInBlock(user);
  });
}

MadeFunction randomFunction(uint64_t seed, uint64_t number, FunctionFor what) {
  return OperationMaker(seed, number, what).take();
}

} // namespace npu
