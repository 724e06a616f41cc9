// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DumpReads.h"
#include "../Log/LogLexer.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"

#include <fmt/format.h>

#include <algorithm>

namespace npu {
namespace {

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

} // namespace

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

Placement readBy(const EngineOp &engine, OperandRole role,
                 const Placement &result, const Extents &shape,
                 const Extents *table, const StorageElements *elements) {
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

} // namespace npu
