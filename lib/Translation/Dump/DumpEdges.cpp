// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DumpEdges.h"

#include "../Log/LogLexer.h"
#include "CompareBoxes.h"
#include "StorageElements.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"

#include <fmt/format.h>

#include <algorithm>

namespace npu {
namespace {

// What an operation of the matrix engine reads of its operands.

/// An operation of the matrix engine: a convolution, a pooling, an elementwise
/// operation, in the way that it reads its operands.
struct EngineOp {
  enum class Kind { Convolution, PerChannel, Elementwise };
  Kind kind;
  /// [Y, X], and left, right, top, bottom.
  Extents kernel{1, 1}, strides{1, 1}, pads{0, 0, 0, 0};
};

/// What operand `number` of `op` is to it. `Table` is what the windows go over
/// beside the activation: its sparsity map and its storage element table.
enum class OperandRole { Activation, Table, Weights, Other };

using Kind = EngineOp::Kind;

/// The operation by its name, or by the task type of a cluster task.
std::optional<Kind> kindOf(const DumpOperation &op) {
  llvm::StringRef name = op.name;
  if (name == "VPUIP.NCEClusterTask") {
    llvm::StringRef task = op.attribute({"task_type"}).value_or("");
    // #VPUIP.nce_task_type<CONV>, or "CONV" in older dumps.
    task = task.drop_until([](char c) { return c == '<' || c == '"'; });
    task = task.drop_front(std::min<size_t>(1, task.size()));
    task = task.take_while(
        [](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; });
    return llvm::StringSwitch<std::optional<Kind>>(task)
        .Cases({"CONV", "CMCONV"}, Kind::Convolution)
        .Cases({"DWCONV", "MAXPOOL", "AVEPOOL"}, Kind::PerChannel)
        .Case("ELTWISE", Kind::Elementwise)
        .Default(std::nullopt);
  }
  return llvm::StringSwitch<std::optional<Kind>>(name)
      .Cases({"VPU.NCE.Convolution", "VPU.NCE.CompressConvolution",
              "VPU.NCE.MatMul", "VPU.NCE.Interpolate"},
             Kind::Convolution)
      .Cases({"VPU.NCE.DepthConvolution", "VPU.NCE.MaxPool",
              "VPU.NCE.AveragePool"},
             Kind::PerChannel)
      .Case("VPU.NCE.Eltwise", Kind::Elementwise)
      .Default(std::nullopt);
}

/// left, right, top and bottom of #VPU.Padding<left = 1 : i64, ...>, also as a
/// dictionary, or of [top, left, bottom, right] numbers.
std::optional<Extents> parsePads(std::string_view text) {
  Extents pads(4, 0);
  LogLexer lexer(text, 0);
  unsigned found = 0;
  while (lexer.peek().kind != LogToken::Kind::End) {
    LogToken name = lexer.take();
    int side = llvm::StringSwitch<int>(name.text)
                   .Case("left", 0)
                   .Case("right", 1)
                   .Case("top", 2)
                   .Case("bottom", 3)
                   .Default(-1);
    if (side < 0 || !lexer.takeIf("="))
      continue;
    int64_t number = 0;
    if (llvm::StringRef(lexer.take().text).getAsInteger(10, number))
      return std::nullopt;
    pads[side] = number;
    ++found;
  }
  return found == 4 ? std::optional(pads) : std::nullopt;
}

bool isSmall(const Extents &numbers, int64_t least) {
  return std::all_of(numbers.begin(), numbers.end(), [&](int64_t number) {
    return number >= least && number < (int64_t(1) << 31);
  });
}

/// The engine's operation that `op` is; an error where its attributes do not
/// say what it reads; nothing for another operation.
std::optional<Result<EngineOp>> engineOp(const DumpOperation &op) {
  std::optional<Kind> kind = kindOf(op);
  if (!kind)
    return std::nullopt;
  EngineOp engine{*kind};
  if (engine.kind == Kind::Elementwise || op.name == "VPU.NCE.MatMul")
    return engine;
  auto kernel = op.attribute({"kernel_size"});
  auto filter = op.attribute({"rawFilterShape"});
  auto strides = op.attribute({"strides", "kernel_strides"});
  auto pads = op.attribute({"pad", "kernel_padding"});
  // What an interpolation has before and after its data is in its table.
  if (op.name == "VPU.NCE.Interpolate" && !pads)
    pads = "left = 0, right = 0, top = 0, bottom = 0";
  if ((!kernel && !filter) || !strides || !pads)
    return Error{"its attributes do not say its kernel, strides and pads"};
  auto sizes = parseNumbers(kernel ? *kernel : *filter);
  auto steps = parseNumbers(*strides);
  auto sides = parsePads(*pads);
  if (sizes && !kernel && sizes->size() >= 2)
    sizes = Extents{(*sizes)[sizes->size() - 2], (*sizes)[sizes->size() - 1]};
  if (!sizes || sizes->size() != 2 || !steps || steps->size() != 2 || !sides ||
      !isSmall(*sizes, 1) || !isSmall(*steps, 1) || !isSmall(*sides, 0))
    return Error{"its kernel, strides or pads are not numbers"};
  engine.kernel = *sizes;
  engine.strides = *steps;
  engine.pads = *sides;
  return engine;
}

OperandRole roleOf(const EngineOp &engine, const DumpOperand &operand,
                   std::size_t number) {
  if (!operand.group.empty())
    return llvm::StringSwitch<OperandRole>(operand.group)
        .Case("input", OperandRole::Activation)
        .Case("weights", engine.kind == Kind::Elementwise
                             ? OperandRole::Activation
                             : OperandRole::Weights)
        .Cases({"input_sparsity_map", "input_storage_element_table"},
               OperandRole::Table)
        .Case("weights_sparsity_map", engine.kind == Kind::Elementwise
                                          ? OperandRole::Table
                                          : OperandRole::Weights)
        // One table, or one for each of what it has.
        .StartsWith("weight_table", OperandRole::Weights)
        .Default(OperandRole::Other);
  if (number == 0 || engine.kind == Kind::Elementwise)
    return OperandRole::Activation;
  return number <= 2 ? OperandRole::Weights : OperandRole::Other;
}

/// What the tiles of `result` read of an operand of that shape to compute their
/// parts. `table` is the shape of the storage element table through which the
/// operand is read, and `elements` what that points to; both null where the
/// windows go over the operand itself.
Placement readBy(const EngineOp &engine, OperandRole role,
                 const Placement &result, const Extents &shape,
                 const Extents *table = nullptr,
                 const StorageElements *elements = nullptr) {
  Placement wanted{shape, {}};
  Box whole = Box::whole(shape);
  std::size_t rank = shape.size();
  for (const TileBoxes &tile : result.tiles) {
    const Box &computed = tile.compute;
    Box box = whole;
    std::size_t channel = rank - 3;
    if (computed.isEmpty()) {
      box = Box(rank);
    } else if (role == OperandRole::Weights) {
      // Weights and their table have the result's channels first, after the
      // groups if there are any.
      for (std::size_t group = 0; group + 4 < rank; ++group)
        box[group] = computed[group];
      box[rank - 4] = computed[channel];
    } else {
      for (std::size_t dim = 0; dim < rank; ++dim)
        // The channels of a storage element table are not those of the data.
        if (dim != channel ||
            (engine.kind != EngineOp::Kind::Convolution &&
             (role != OperandRole::Table || shape[dim] == result.shape[dim])))
          box[dim] = computed[dim];
      for (int axis : {0, 1}) {
        Range &range = box[rank - 2 + axis];
        int64_t before = engine.pads[axis ? 0 : 2];
        int64_t step = engine.strides[axis];
        range = {range.begin * step - before,
                 (range.end - 1) * step - before + engine.kernel[axis]};
        std::size_t dim = rank - 2 + axis;
        if (table && elements)
          range = elements->pointedTo(
              axis, intersect(range, {0, (*table)[dim]}), shape[dim]);
      }
    }
    box = intersect(box, whole);
    wanted.tiles.push_back({box, box});
  }
  return wanted;
}

/// What an operation of the engine computes with the operand, in words.
constexpr std::string_view kComputes = "to compute its part of the result";

/// The storage element table through which an operation reads an operand.
struct ReadTable {
  /// Its extents.
  Extents shape;
  /// The attribute that says what it points to; empty where the dump has none.
  std::string elements;
};

/// The last two extents, [Y, X].
Extents rowsAndColumns(const Extents &shape) {
  return {shape[shape.size() - 2], shape[shape.size() - 1]};
}

EdgeFinding compareTableRead(const EngineOp &engine, const ReadTable &table,
                             const DumpType &from, const DumpType &to) {
  if (table.shape.size() != from.shape.size())
    return unknownEdge("its storage element table has another rank",
                       MissingFact::Correspondence);
  auto read = [&](const StorageElements &elements, std::string_view words) {
    return compareRead(from,
                       readBy(engine, OperandRole::Activation, to.placement,
                              from.shape, &table.shape, &elements),
                       words);
  };
  if (!table.elements.empty()) {
    auto elements = StorageElements::parse(table.elements);
    if (!elements)
      return unknownEdge(elements.error().message, MissingFact::TableContents);
    return read(*elements, fmt::format("through its storage element table, "
                                       "which is {}, {}",
                                       elements->words(), kComputes));
  }
  // The table's entries are in memory, and the dump has only their number. A
  // guess finds no fault.
  auto guess = StorageElements::guess(rowsAndColumns(table.shape),
                                      rowsAndColumns(from.shape), engine.kernel,
                                      engine.strides);
  if (guess) {
    EdgeFinding finding = read(
        *guess, fmt::format("through its storage element table, which has the "
                            "extents of {}, {}",
                            guess->words(), kComputes));
    if (!finding.bad)
      return finding;
  }
  return unknownEdge(
      fmt::format(
          "its storage element table of {} decides what is read of {}, and the "
          "dump does not say what the table points to",
          toString(table.shape), toString(from.shape)),
      MissingFact::TableContents);
}

EdgeFinding compareEngineRead(const DumpOperation &op,
                              const Result<EngineOp> &engine,
                              std::size_t number,
                              const std::optional<ReadTable> &table,
                              const DumpType &from, const DumpType &to) {
  if (!engine)
    return unknownEdge(engine.error().message, MissingFact::Attributes);
  OperandRole role = roleOf(*engine, op.operands[number], number);
  if (role == OperandRole::Other)
    return unknownEdge("it is not known which part of this operand is read",
                       MissingFact::Access);
  std::size_t rank = to.shape.size();
  if (from.shape.size() != rank || rank < 4)
    return unknownEdge("the operand or the result is not of rank 4 or more",
                       MissingFact::Correspondence);
  if (role == OperandRole::Table && from.shape[rank - 3] != 1 &&
      from.shape[rank - 3] != to.shape[rank - 3] &&
      engine->kind != EngineOp::Kind::Convolution)
    return unknownEdge("it is not known which channels each of its entries is "
                       "for",
                       MissingFact::Access);
  if (role == OperandRole::Activation && table)
    return compareTableRead(*engine, *table, from, to);
  return compareRead(from, readBy(*engine, role, to.placement, from.shape),
                     kComputes);
}

/// A result's box in an operand that is repeated where its extent is 1.
EdgeFinding compareElementwise(const DumpType &from, const DumpType &to) {
  if (from.shape.size() != to.shape.size())
    return unknownEdge("the two sides have different ranks",
                       MissingFact::Correspondence);
  Placement wanted{from.shape, to.placement.tiles};
  for (TileBoxes &tile : wanted.tiles) {
    Box box = tile.compute;
    for (std::size_t dim = 0; dim < box.rank(); ++dim) {
      if (from.shape[dim] != to.shape[dim] && from.shape[dim] != 1)
        return unknownEdge("the two sides have different shapes",
                           MissingFact::Correspondence);
      if (from.shape[dim] == 1 && !box[dim].isEmpty())
        box[dim] = {0, 1};
    }
    tile = {box, box};
  }
  return compareRead(from, std::move(wanted), kComputes);
}

/// Whether an operation changes what a tensor is called, and moves nothing.
bool isCast(DumpWord word) {
  return word == DumpWord::PermuteCast || word == DumpWord::Relabel ||
         word == DumpWord::SameShape || word == DumpWord::Reshape ||
         word == DumpWord::Group || word == DumpWord::Ungroup;
}

/// Whether it reads its operands to make other values of them.
bool computes(DumpWord word) {
  return word == DumpWord::Elementwise || word == DumpWord::Other;
}

} // namespace

/// An operand and a result of one operation, and what is known of how they are
/// related.
struct EdgeQuestion {
  const DumpOperation &op;
  const DumpTypes &types;
  DumpWord word = wordOf(op);
  /// The number of the operand.
  std::size_t number = 0;
  DumpTypePtr from, to;
  /// Where the slice, or the operand of a concatenation, begins.
  std::optional<Extents> offset;
  std::optional<DumpSlice> slice;
  std::optional<Result<EngineOp>> engine;
  std::optional<ReadTable> table;
  /// Whether a view, or the operand of a concatenation, is one that each tile
  /// has of its own buffer.
  bool isPerTile = false;

  bool readsAcrossTiles = false;

  EdgeQuestion(const DumpOperation &op, const DumpTypes &types)
      : op(op), types(types) {}

  /// Whether there is something to compare: a distribution on both sides. One
  /// is enough for a copy, which loads or stores; for what is computed from a
  /// whole operand; and for a tensor's cast, which distributes nothing. A view
  /// of one tile's buffer, and a whole result of distributed operands, have no
  /// boxes to compare.
  bool hasEdge() const {
    if (!from->isShaped() || !to->isShaped())
      return false;
    if (from->isDistributed() && to->isDistributed())
      return true;
    if (word == DumpWord::Copy || word == DumpWord::PermutedCopy)
      return from->isDistributed() || to->isDistributed();
    if (!to->isDistributed())
      return false;
    bool isTensors = !llvm::StringRef(op.name).starts_with("VPUIP.");
    return computes(word) || (isCast(word) && isTensors);
  }

  /// Two questions with one key have one answer.
  std::string key() const {
    std::string rest;
    if (offset)
      rest = toString(*offset);
    if (word == DumpWord::PermuteCast || word == DumpWord::PermutedCopy)
      rest = fmt::format("{} {}", op.attribute({"mem_perm"}).value_or(""),
                         op.attribute({"dst_order"}).value_or(""));
    if (slice) {
      rest = toString(slice->offsets) + toString(slice->sizes);
      for (const Extents &shape : slice->perTile)
        rest += toString(shape);
    }
    if (engine && *engine)
      rest = fmt::format(
          "{} {} {} {} {}", int((*engine)->kind), toString((*engine)->kernel),
          toString((*engine)->strides), toString((*engine)->pads),
          int(roleOf(**engine, op.operands[number], number)));
    if (table)
      rest += toString(table->shape) + table->elements;
    return fmt::format("{} {} {} {} {} {} {}", op.name, op.callee, rest,
                       readsAcrossTiles, isPerTile, fmt::ptr(from),
                       fmt::ptr(to));
  }

  EdgeFinding answer() const {
    if (word == DumpWord::Copy)
      return compareCopy(*from, *to);
    if (word == DumpWord::PermutedCopy)
      return answerPermutedCopy();
    if (!from->isDistributed() && computes(word))
      return compareWholeRead(*from);
    if (word == DumpWord::Other && !engine)
      return unknownEdge(
          fmt::format("it is not known which part of its operands '{}' reads",
                      nameOf(op.name, op.callee)),
          MissingFact::Access);
    if (!from->isDistributed() || !to->isDistributed())
      return unknownEdge("its operand has no distribution, and no cast makes "
                         "one",
                         MissingFact::Distribution);
    switch (word) {
    case DumpWord::PermuteCast:
      return answerPermuteCast();
    case DumpWord::Relabel:
      return compareCast(*from, *to, nullptr, /*relabels=*/true);
    case DumpWord::SameShape:
    case DumpWord::Group:
    case DumpWord::Ungroup:
      return compareCast(*from, *to, nullptr, /*relabels=*/false);
    case DumpWord::Reshape:
      return compareReshape(*from, *to);
    case DumpWord::Elementwise:
      return compareElementwise(*from, *to);
    case DumpWord::Slice:
      if (!slice)
        return unknownEdge("its offsets, sizes and strides are not numbers, or "
                           "it leaves out entries in between",
                           MissingFact::Attributes);
      if (slice->sizes != to->shape)
        return unknownEdge(fmt::format("the slice has sizes {}, and the result "
                                       "is {}",
                                       toString(slice->sizes),
                                       toString(to->shape)),
                           MissingFact::Correspondence);
      if (isPerTile)
        return compareTileSlice(*from, *to, slice->perTile);
      return compareSlice(*from, *to, slice->offsets);
    case DumpWord::Concat:
    case DumpWord::ConcatView:
      if (isPerTile)
        return compareTilePart(*from, *to);
      if (!offset)
        return unknownEdge("it is not known where its parts lie",
                           MissingFact::Attributes);
      return comparePart(*from, *to, *offset);
    case DumpWord::Other:
      return answerEngineRead();
    case DumpWord::Copy:
    case DumpWord::PermutedCopy:
    case DumpWord::Buffer:
    case DumpWord::Yield:
      break;
    }
    return unknownEdge("it has no edge", MissingFact::Correspondence);
  }

private:
  EdgeFinding answerEngineRead() const {
    EdgeFinding finding =
        compareEngineRead(op, *engine, number, table, *from, *to);
    if (finding.bad && readsAcrossTiles) {
      finding.bad = false;
      finding.reason += "; the engine reads it from the other tiles";
    }
    finding.badWithoutNeighbours = finding.bad;
    return finding;
  }

  EdgeFinding answerPermutedCopy() const {
    auto text = op.attribute({"mem_perm"});
    // A copy between two memory orders has none.
    if (!text)
      return compareCopy(*from, *to);
    Result<Permutation> perm = types.parseOrder(*text, from->shape.size());
    if (!perm)
      return unknownEdge("its mem_perm cannot be read",
                         MissingFact::Attributes);
    return compareCopy(*from, *to, &*perm);
  }

  EdgeFinding answerPermuteCast() const {
    auto text = op.attribute({"mem_perm"});
    if (!text)
      return unknownEdge("it has no mem_perm", MissingFact::Attributes);
    Result<Permutation> perm = types.parseOrder(*text, from->shape.size());
    if (!perm)
      return unknownEdge("its mem_perm cannot be read",
                         MissingFact::Attributes);
    auto order = types.parseOrder(op.attribute({"dst_order"}).value_or(""),
                                  to->shape.size());
    auto inMemory = [&](const Permutation &each) {
      return each.empty() ? identityPermutation(to->shape.size()) : each;
    };
    if (order && !sameMemoryOrder({to->shape.begin(), to->shape.size()},
                                  inMemory(*order), inMemory(to->order)))
      return unknownEdge("its dst_order is not the order of its result",
                         MissingFact::Correspondence);
    return compareCast(*from, *to, &*perm, /*relabels=*/false);
  }
};

std::shared_ptr<const EdgeFinding>
EdgeFinder::examine(const EdgeQuestion &question) {
  auto &finding = findings[question.key()];
  if (!finding) {
    EdgeFinding made = question.answer();
    // The types stay alive with their findings, so that no other type gets the
    // address that the key has.
    made.from = question.from;
    made.to = question.to;
    finding = std::make_shared<const EdgeFinding>(std::move(made));
  }
  return finding;
}

const EdgeFinder::Known &EdgeFinder::knownOf(std::size_t value) const {
  static const Known nothing;
  return value < known.size() ? known[value] : nothing;
}

EdgeFinder::Known &EdgeFinder::note(std::size_t value) {
  if (known.size() <= value)
    known.resize(value + 1);
  return known[value];
}

/// The values that `op` makes: its results, or the buffers that it writes to
/// where it has no name for a result.
static std::vector<std::size_t> madeBy(const DumpOperation &op) {
  std::vector<std::size_t> made = op.results;
  if (made.empty())
    for (const DumpOperand &operand : op.operands)
      if (operand.group == "outputs" && operand.value != DumpOperand::kUnknown)
        made.push_back(operand.value);
  return made;
}

/// What follows of the results from what is known of the operands: a subview
/// has its offsets, and what is written into a subview's buffer has them too;
/// copies and casts of a storage element table point where it does.
void EdgeFinder::noteResults(const DumpOperation &op,
                             const std::vector<DumpValue> &values) {
  DumpWord word = wordOf(op);
  if (auto slice = word == DumpWord::Slice && op.results.size() == 1
                       ? sliceOf(op)
                       : std::nullopt)
    note(op.results[0]).offsets = slice->offsets;
  if (llvm::StringRef(op.name).ends_with(".StorageElementTable"))
    if (auto attribute = op.attribute({"seAttr"}))
      for (std::size_t result : op.results)
        note(result).elements = *attribute;
  bool keeps = word == DumpWord::Copy || isCast(word);
  for (const DumpOperand &operand : op.operands) {
    if (operand.value == DumpOperand::kUnknown)
      continue;
    if (operand.group == "outputs") {
      if (op.results.size() != 1)
        continue;
      Known from = knownOf(operand.value);
      Known &result = note(op.results[0]);
      if (from.offsets)
        result.offsets = from.offsets;
      result.isPerTile |= from.isPerTile;
      continue;
    }
    if (!keeps)
      continue;
    std::string elements = knownOf(operand.value).elements;
    if (word == DumpWord::Ungroup)
      elements = values[operand.value].type->elements;
    if (elements.empty())
      continue;
    for (std::size_t made : madeBy(op))
      note(made).elements = elements;
    for (const DumpOperand &buffer : op.operands)
      if (buffer.group == "outputs" && buffer.value != DumpOperand::kUnknown)
        note(buffer.value).elements = elements;
  }
}

void EdgeFinder::judgeAgain(std::size_t buffer,
                            const std::vector<DumpValue> &values,
                            const DumpTypes &types,
                            std::vector<DumpEdge> &edges) {
  for (std::size_t number : std::exchange(note(buffer).views, {})) {
    DumpEdge &edge = edges[number];
    if (!edge.finding->bad)
      continue;
    DumpOperation op;
    op.name = edge.op;
    EdgeQuestion question(op, types);
    question.from = values[edge.from].type;
    question.to = values[edge.to].type;
    question.slice = DumpSlice{{}, question.to->shape, {}};
    question.isPerTile = true;
    edge.finding = examine(question);
    note(edge.to).isPerTile = true;
  }
}

void EdgeFinder::find(const DumpOperation &op,
                      const std::vector<DumpValue> &values,
                      const DumpTypes &types, std::vector<DumpEdge> &edges) {
  noteResults(op, values);
  EdgeQuestion question(op, types);
  if (question.word == DumpWord::Buffer || question.word == DumpWord::Yield)
    return;
  question.readsAcrossTiles =
      readsAcrossTiles ||
      op.attribute({"is_segmented"}).value_or("false") != "false";
  if (question.word == DumpWord::Other)
    question.engine = engineOp(op);
  if (question.word == DumpWord::Slice)
    question.slice = sliceOf(op);
  for (std::size_t result : madeBy(op)) {
    question.to = values[result].type;
    findOf(question, result, values, edges);
  }
}

/// The table through which an operation of the engine reads an operand: that of
/// its sparse type, or the operand that is called so beside it.
static std::optional<ReadTable>
tableOf(const DumpOperation &op, const DumpOperand &operand,
        const std::vector<DumpValue> &values,
        llvm::function_ref<std::string(std::size_t)> elementsOf) {
  const DumpType &type = *values[operand.value].type;
  if (type.table)
    return ReadTable{type.table->shape, type.elements};
  if (operand.group != "input")
    return std::nullopt;
  for (const DumpOperand &other : op.operands)
    if (other.group == "input_storage_element_table" &&
        other.value != DumpOperand::kUnknown &&
        values[other.value].type->isShaped()) {
      std::string elements = elementsOf(other.value);
      if (elements.empty())
        elements = elementsOf(operand.value);
      return ReadTable{values[other.value].type->shape, elements};
    }
  return std::nullopt;
}

void EdgeFinder::findOf(EdgeQuestion &question, std::size_t result,
                        const std::vector<DumpValue> &values,
                        std::vector<DumpEdge> &edges) {
  const DumpOperation &op = question.op;
  std::vector<Extents> parts;
  if (question.word == DumpWord::Concat)
    parts = concatOffsets(op, values);
  std::size_t part = 0;
  for (auto [i, operand] : llvm::enumerate(op.operands)) {
    // Buffers that are written to, and the tensors that parts belong to, are
    // not read.
    if (operand.value == DumpOperand::kUnknown ||
        operand.group.starts_with("output") ||
        operand.group.starts_with("parent_"))
      continue;
    question.from = values[operand.value].type;
    question.to = values[result].type;
    question.number = i;
    question.offset.reset();
    question.table.reset();
    question.isPerTile = false;
    if (question.word == DumpWord::Concat && part < parts.size())
      question.offset = parts[part];
    if (question.word == DumpWord::ConcatView) {
      question.offset = knownOf(operand.value).offsets;
      question.isPerTile = knownOf(operand.value).isPerTile;
    }
    // A part of a sparse tensor is compared with that part of the other side.
    if (question.word == DumpWord::Group && part < question.to->parts.size())
      question.to = question.to->parts[part];
    if (question.word == DumpWord::Ungroup) {
      std::size_t number = llvm::find(op.results, result) - op.results.begin();
      if (number < question.from->parts.size())
        question.from = question.from->parts[number];
    }
    if (question.engine)
      question.table = tableOf(op, operand, values, [&](std::size_t value) {
        return knownOf(value).elements;
      });
    ++part;
    if (!question.hasEdge())
      continue;
    if (question.slice) {
      // Tiles that take parts of their own buffers do so in all views of it.
      Known &buffer = note(operand.value);
      if (!question.slice->perTile.empty() && !buffer.isCutPerTile) {
        buffer.isCutPerTile = true;
        judgeAgain(operand.value, values, question.types, edges);
      }
      question.isPerTile = note(operand.value).isCutPerTile;
      if (question.isPerTile)
        note(result).isPerTile = true;
      else
        note(operand.value).views.push_back(edges.size());
    }
    edges.push_back({op.at, op.end, op.name, op.callee, operand.value, result,
                     examine(question)});
  }
}

} // namespace npu
