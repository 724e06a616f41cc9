// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an operation of a dump is by its name, and where its parts lie by its
// attributes.

#include "DumpEdges.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <fmt/format.h>

namespace npu {

/// "[[0, 0, 0, 0], [0, 16, 0, 0]]"
static std::vector<Extents> parseRows(std::string_view text) {
  std::vector<Extents> rows;
  text = trimmed(text);
  if (text.size() < 2 || text.front() != '[' || text.back() != ']')
    return rows;
  for (std::string_view part : splitList(text.substr(1, text.size() - 2)))
    if (auto row = parseNumbers(part))
      rows.push_back(*row);
  return rows;
}

/// Whether each entry of the operation's result is computed from the entries of
/// its operands at the same place. Parts of its operands that are repeated have
/// extent 1.
static bool isElementwise(llvm::StringRef name) {
  static constexpr llvm::StringLiteral names[] = {
      // Of one operand.
      "Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "BitwiseNot",
      "Ceiling", "Clamp", "Convert", "Cos", "Cosh", "Elu", "Erf", "Exp",
      "Floor", "Gelu", "HSigmoid", "HSwish", "HardSigmoid", "LeakyRelu", "Log",
      "LogicalNot", "Mish", "Negative", "ReLU", "Round", "Selu", "Sigmoid",
      "Sign", "Sin", "Sinh", "SoftPlus", "Sqrt", "Swish", "Tan", "Tanh",
      // Of several.
      "Add", "And", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Divide", "Equal",
      "FakeQuantize", "FloorMod", "Greater", "GreaterEqual", "Less",
      "LessEqual", "LogicalOr", "LogicalXor", "Maximum", "Minimum", "Mod",
      "Multiply", "NotEqual", "PRelu", "Power", "Select", "SquaredDiff",
      "Subtract"};
  return llvm::is_contained(names, name);
}

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
      .Case("PermuteDMA", DumpWord::PermutedCopy)
      .Cases({"GroupSparseTensor", "GroupSparseBuffer", "GroupBoundedBuffer"},
             DumpWord::Group)
      .Cases({"UngroupSparseTensor", "UngroupSparseBuffer",
              "UngroupBoundedBuffer"},
             DumpWord::Ungroup)
      .Cases({"AllocDistributed", "Alloc", "DeclareBuffer", "Empty"},
             DumpWord::Buffer)
      .Case("Yield", DumpWord::Yield)
      .Default(isElementwise(name) ? DumpWord::Elementwise : DumpWord::Other);
}

DumpWord wordOf(const DumpOperation &op) {
  if (op.name != kKernelCall)
    return wordOf(op.name);
  llvm::StringRef kernel = op.callee;
  if (kernel.consume_front("@builtin_") && isElementwise(kernel))
    return DumpWord::Elementwise;
  return DumpWord::Other;
}

std::string nameOf(std::string_view op, std::string_view callee) {
  std::string name(op.substr(0, 64));
  if (op == kKernelCall && !callee.empty())
    name += fmt::format(" {}", callee.substr(0, 64));
  return name;
}

std::string_view toKnow(MissingFact missing) {
  switch (missing) {
  case MissingFact::Access:
    return "a rule for the operation: which part of each operand it reads for "
           "a part of its result";
  case MissingFact::Attributes:
    return "its attributes, as numbers";
  case MissingFact::TableContents:
    return "what its storage element table points to";
  case MissingFact::Correspondence:
    return "which entry of one side is which one of the other: ranks, shapes "
           "or orders do not fit";
  case MissingFact::Distribution:
    return "the distribution of its operand";
  case MissingFact::Pieces:
    return "a comparison of more pieces of memory than are compared";
  }
  return "";
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
  DumpSlice slice{*offsets, *sizes, {}};
  if (auto shapes = op.attribute({"explicit_output_shapes"}))
    slice.perTile = parseRows(*shapes);
  return slice;
}

std::string_view toString(EdgeVerdict verdict) {
  static constexpr std::string_view words[] = {"same", "label", "narrow",
                                               "moves", "unknown"};
  return words[static_cast<std::size_t>(verdict)];
}

} // namespace npu
