// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DumpEdges.h"
#include "CompareBoxes.h"
#include "DumpReads.h"

#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "llvm/ADT/StringSwitch.h"

#include <fmt/format.h>

namespace npu {
namespace {

/// "[[0, 0, 0, 0], [0, 16, 0, 0]]"
std::vector<Extents> parseRows(std::string_view text) {
  std::vector<Extents> rows;
  text = trimmed(text);
  if (text.size() < 2 || text.front() != '[' || text.back() != ']')
    return rows;
  for (std::string_view part : splitList(text.substr(1, text.size() - 2)))
    if (auto row = parseNumbers(part))
      rows.push_back(*row);
  return rows;
}

EdgeFinding compareEngineRead(const DumpOperation &op,
                              const Result<EngineOp> &engine,
                              std::size_t number, const DumpType &from,
                              const DumpType &to) {
  if (!engine)
    return unknownEdge(engine.error());
  OperandRole role = roleOf(*engine, op.operands[number], number);
  if (role == OperandRole::Other)
    return unknownEdge("it is not known which part of this operand is read");
  if (from.shape.size() != to.shape.size() || to.shape.size() < 4)
    return unknownEdge("the operand or the result is not of rank 4 or more");
  return compareRead(from, readBy(*engine, role, to.placement, from.shape),
                     "to compute its part of the result");
}

/// A result's box in an operand that is repeated where its extent is 1.
EdgeFinding compareElementwise(const DumpType &from, const DumpType &to) {
  if (from.shape.size() != to.shape.size())
    return unknownEdge("the two sides have different ranks");
  Placement wanted{from.shape, to.placement.tiles};
  for (TileBoxes &tile : wanted.tiles) {
    Box box = tile.compute;
    for (std::size_t dim = 0; dim < box.rank(); ++dim) {
      if (from.shape[dim] != to.shape[dim] && from.shape[dim] != 1)
        return unknownEdge("the two sides have different shapes");
      if (from.shape[dim] == 1 && !box[dim].isEmpty())
        box[dim] = {0, 1};
    }
    tile = {box, box};
  }
  return compareRead(from, std::move(wanted),
                     "to compute its part of the result");
}

} // namespace

/// An operand and a result of one operation, and what is known of how they are
/// related.
struct EdgeQuestion {
  const DumpOperation &op;
  const DumpTypes &types;
  DumpWord word = wordOf(op.name);
  /// The number of the operand.
  std::size_t number = 0;
  DumpTypePtr from, to;
  /// Where the slice, or the operand of a concatenation, begins.
  std::optional<Extents> offset;
  std::optional<DumpSlice> slice;
  std::optional<Result<EngineOp>> engine;

  bool readsAcrossTiles = false;

  EdgeQuestion(const DumpOperation &op, const DumpTypes &types)
      : op(op), types(types) {}

  bool hasDistribution() const {
    return (from->isDistributed() || to->isDistributed()) &&
           (from->isShaped() && to->isShaped());
  }

  /// Two questions with one key have one answer.
  std::string key() const {
    std::string rest;
    if (offset)
      rest = toString(*offset);
    if (word == DumpWord::PermuteCast)
      rest = fmt::format("{} {}", op.attribute({"mem_perm"}).value_or(""),
                         op.attribute({"dst_order"}).value_or(""));
    if (slice)
      rest = toString(slice->offsets) + toString(slice->sizes);
    if (engine && *engine)
      rest = fmt::format(
          "{} {} {} {} {}", int((*engine)->kind), toString((*engine)->kernel),
          toString((*engine)->strides), toString((*engine)->pads),
          int(roleOf(**engine, op.operands[number], number)));
    return fmt::format("{} {} {} {} {}", op.name, rest, readsAcrossTiles,
                       fmt::ptr(from), fmt::ptr(to));
  }

  EdgeFinding answer() const {
    if (word == DumpWord::Copy)
      return compareCopy(*from, *to);
    if (word == DumpWord::Other && !engine)
      return unknownEdge(
          fmt::format("it is not known which part of its operands '{}' reads",
                      op.name.substr(0, 64)));
    if (!from->isDistributed() || !to->isDistributed())
      return unknownEdge("only one of the two sides has a distribution");
    switch (word) {
    case DumpWord::PermuteCast:
      return answerPermuteCast();
    case DumpWord::Relabel:
      return compareCast(*from, *to, nullptr, /*relabels=*/true);
    case DumpWord::SameShape:
      return compareCast(*from, *to, nullptr, /*relabels=*/false);
    case DumpWord::Reshape:
      return compareReshape(*from, *to);
    case DumpWord::Elementwise:
      return compareElementwise(*from, *to);
    case DumpWord::Slice:
      if (!slice)
        return unknownEdge("its offsets, sizes and strides are not numbers, or "
                           "it leaves out entries in between");
      if (slice->sizes != to->shape)
        return unknownEdge(fmt::format("the slice has sizes {}, and the result "
                                       "is {}",
                                       toString(slice->sizes),
                                       toString(to->shape)));
      return compareSlice(*from, *to, slice->offsets);
    case DumpWord::Concat:
    case DumpWord::ConcatView:
      if (!offset)
        return unknownEdge("it is not known where its parts lie");
      return comparePart(*from, *to, *offset);
    case DumpWord::Other:
      return answerEngineRead();
    case DumpWord::Copy:
    case DumpWord::Buffer:
    case DumpWord::Yield:
      break;
    }
    return unknownEdge("it has no edge");
  }

private:
  EdgeFinding answerEngineRead() const {
    EdgeFinding finding = compareEngineRead(op, *engine, number, *from, *to);
    if (finding.bad && readsAcrossTiles) {
      finding.bad = false;
      finding.reason += "; the engine reads it from the other tiles";
    }
    return finding;
  }

  EdgeFinding answerPermuteCast() const {
    auto text = op.attribute({"mem_perm"});
    if (!text)
      return unknownEdge("it has no mem_perm");
    Result<Permutation> perm = types.parseOrder(*text, from->shape.size());
    if (!perm)
      return unknownEdge("its mem_perm cannot be read");
    auto order = types.parseOrder(op.attribute({"dst_order"}).value_or(""),
                                  to->shape.size());
    auto inMemory = [&](const Permutation &each) {
      return each.empty() ? identityPermutation(to->shape.size()) : each;
    };
    if (order && !sameMemoryOrder({to->shape.begin(), to->shape.size()},
                                  inMemory(*order), inMemory(to->order)))
      return unknownEdge("its dst_order is not the order of its result");
    return compareCast(*from, *to, &*perm, /*relabels=*/false);
  }
};

DumpWord wordOf(std::string_view op) {
  auto [dialect, name] = llvm::StringRef(op).split('.');
  if (name.empty() || (!dialect.starts_with("VPU") && dialect != "IE"))
    return DumpWord::Other;
  return llvm::StringSwitch<DumpWord>(name)
      .Case("PermuteCast", DumpWord::PermuteCast)
      .Case("DistributedCast", DumpWord::Relabel)
      .Cases({"QuantizeCast", "NonDistributedCastOp", "LayoutCast"},
             DumpWord::SameShape)
      .Cases({"GenericReshape", "ShapeCast", "AffineReshape", "Reshape",
              "ViewOp", "GroupedViewOp", "Squeeze", "Unsqueeze"},
             DumpWord::Reshape)
      .Cases({"Slice", "SubView", "ExtractFlatSlice"}, DumpWord::Slice)
      .Case("Concat", DumpWord::Concat)
      .Case("ConcatView", DumpWord::ConcatView)
      .Cases({"Copy", "NNDMA", "ConvertDMA", "UnrolledType"}, DumpWord::Copy)
      .Cases({"AllocDistributed", "Alloc", "DeclareBuffer", "Empty"},
             DumpWord::Buffer)
      .Case("Yield", DumpWord::Yield)
      .Cases({"Add", "Multiply", "Subtract", "Divide", "Maximum", "Minimum"},
             DumpWord::Elementwise)
      .Cases({"Gelu", "Tanh", "Sigmoid", "Swish", "HSwish", "Exp", "Sqrt"},
             DumpWord::Elementwise)
      .Cases({"Convert", "Clamp", "Negative", "Abs", "ReLU", "Power"},
             DumpWord::Elementwise)
      .Default(DumpWord::Other);
}

std::vector<Extents> concatOffsets(const DumpOperation &op,
                                   const std::vector<DumpValue> &values) {
  if (auto offsets = op.attribute({"static_offsets"}))
    return parseRows(*offsets);
  // per_axis = #IE.Concat<axis = 1 : i64>
  auto perAxis = op.attribute({"per_axis"});
  std::vector<Extents> rows;
  if (!perAxis)
    return rows;
  std::string_view text = *perAxis;
  // The parts lie in between each other.
  if (text.find("stride") != std::string_view::npos)
    return rows;
  std::size_t at = text.find("axis");
  llvm::StringRef digits = at == std::string_view::npos ? "" : text.substr(at);
  digits = digits.drop_until([](char c) { return c >= '0' && c <= '9'; });
  digits = digits.take_while([](char c) { return c >= '0' && c <= '9'; });
  unsigned axis = 0;
  if (digits.getAsInteger(10, axis))
    return rows;
  int64_t begin = 0;
  for (const DumpOperand &operand : op.operands) {
    if (operand.value == DumpOperand::kUnknown)
      return {};
    const Extents &shape = values[operand.value].type->shape;
    if (axis >= shape.size())
      return {};
    Extents row(shape.size(), 0);
    row[axis] = begin;
    begin += shape[axis];
    rows.push_back(row);
  }
  return rows;
}

std::optional<DumpSlice> sliceOf(const DumpOperation &op) {
  auto numbers = [&](std::size_t place, std::string_view name) {
    if (place < op.lists.size())
      return parseNumbers(op.lists[place]);
    return parseNumbers(op.attribute({name}).value_or(""));
  };
  auto offsets = numbers(0, "static_offsets");
  auto sizes = numbers(1, "static_sizes");
  bool strided = op.lists.size() > 2 || op.attribute({"static_strides"});
  auto strides = strided ? numbers(2, "static_strides") : Extents();
  if (!offsets || !sizes || !strides ||
      !llvm::all_of(*strides, [](int64_t stride) { return stride == 1; }))
    return std::nullopt;
  return DumpSlice{*offsets, *sizes};
}

std::string_view toString(EdgeVerdict verdict) {
  switch (verdict) {
  case EdgeVerdict::Same:
    return "same";
  case EdgeVerdict::Label:
    return "label";
  case EdgeVerdict::Narrow:
    return "narrow";
  case EdgeVerdict::Moves:
    return "moves";
  case EdgeVerdict::Unknown:
    return "unknown";
  }
  return "";
}

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

std::optional<Extents> EdgeFinder::offsetsOf(std::size_t value) const {
  return value < offsets.size() ? offsets[value] : std::nullopt;
}

/// A subview has its offsets, and what is written into a subview's buffer has
/// them too.
void EdgeFinder::noteOffsets(const DumpOperation &op) {
  if (op.results.size() != 1)
    return;
  std::optional<Extents> found;
  if (auto slice =
          wordOf(op.name) == DumpWord::Slice ? sliceOf(op) : std::nullopt)
    found = slice->offsets;
  for (const DumpOperand &operand : op.operands)
    if (operand.group == "outputs")
      found = offsetsOf(operand.value);
  if (!found)
    return;
  if (offsets.size() <= op.results[0])
    offsets.resize(op.results[0] + 1);
  offsets[op.results[0]] = found;
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

void EdgeFinder::find(const DumpOperation &op,
                      const std::vector<DumpValue> &values,
                      const DumpTypes &types, std::vector<DumpEdge> &edges) {
  noteOffsets(op);
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
    question.number = i;
    question.offset.reset();
    if (question.word == DumpWord::Concat && part < parts.size())
      question.offset = parts[part];
    else if (question.word == DumpWord::ConcatView)
      question.offset = offsetsOf(operand.value);
    ++part;
    if (question.hasDistribution())
      edges.push_back(
          {op.at, op.end, op.name, operand.value, result, examine(question)});
  }
}

} // namespace npu
