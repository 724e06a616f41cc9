// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Positions in a dimension, known now or at run time, and what is read there.

#include "Positions.h"

#include "EvaluateConstants.h"

using namespace mlir;

namespace npu {
namespace {

/// So many slices are joined; more positions that do not follow each other are
/// looked up in a table.
constexpr std::size_t kMostPieces = 16;

/// Positions first, first + step ..., `size` of them.
struct Run {
  int64_t first, size, step;
};

/// Runs of positions that a slice can read: a step of 0 reads one again and
/// again. Descending positions are runs of one each, but for a single run.
SmallVector<Run> runsOf(ArrayRef<int64_t> positions) {
  SmallVector<Run> runs;
  for (auto [number, position] : llvm::enumerate(positions)) {
    if (!runs.empty()) {
      Run &run = runs.back();
      int64_t step = position - (run.first + (run.size - 1) * run.step);
      bool isFirstStep = run.size == 1 && (step >= 0 || number == 1);
      if (isFirstStep || (run.size > 1 && step == run.step)) {
        run.step = step;
        ++run.size;
        continue;
      }
    }
    runs.push_back({position, 1, 1});
  }
  // One descending run may be the whole, not a part.
  if (runs.size() < 2 || runs.front().step >= 0)
    return runs;
  Run first = runs.front();
  runs.erase(runs.begin());
  for (int64_t at = first.size - 1; at >= 0; --at)
    runs.insert(runs.begin(), {first.first + at * first.step, 1, 1});
  return runs;
}

} // namespace

Value TensorBuilder::take(Value tensor, int64_t dim,
                          ArrayRef<int64_t> positions) {
  auto type = mlir::cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = static_cast<int64_t>(positions.size());
  Sizes all = sizes(tensor);
  all[dim] = builder.getIndexAttr(shape[dim]);
  if (positions.empty())
    return empty(all, type.getElementType());
  Value moved = rearranged(tensor, shape, [&](ArrayRef<int64_t> position) {
    SmallVector<int64_t> source(position);
    source[dim] = positions[source[dim]];
    return linearIndex(source, type.getShape());
  });
  if (moved)
    return moved;
  SmallVector<Run> runs = runsOf(positions);
  if (runs.size() > kMostPieces) {
    Value table = integers(positions);
    return generate(all, type.getElementType(),
                    [&](ScalarBuilder &s, ValueRange at) {
                      SmallVector<Value> source(at);
                      source[dim] = s.create<arith::IndexCastOp>(
                          s.builder.getIndexType(), read(s, table, at[dim]));
                      return read(s, tensor, source);
                    });
  }
  SmallVector<Value> pieces;
  for (const Run &run : runs) {
    if (run.step > 0) {
      pieces.push_back(sliceDim(tensor, dim, run.first, run.size, run.step));
    } else if (run.step == 0) {
      Sizes repeated = all;
      repeated[dim] = builder.getIndexAttr(run.size);
      pieces.push_back(
          broadcast(sliceDim(tensor, dim, run.first, 1), repeated));
    } else {
      int64_t last = run.first + (run.size - 1) * run.step;
      pieces.push_back(
          reverse(sliceDim(tensor, dim, last, run.size, -run.step), dim));
    }
  }
  return concat(pieces, dim);
}

std::optional<SmallVector<int64_t>>
constantPositions(const OnnxTensor &tensor) {
  ElementsAttr elements = TensorBuilder::constantOf(tensor.value);
  if (!elements || isFloat(tensor.element) || bitsOf(tensor.element) < 8 ||
      elements.getNumElements() > kMostEvaluatedPoints)
    return std::nullopt;
  std::optional<TensorData> data = fromElements(elements, tensor.element);
  if (!data)
    return std::nullopt;
  int64_t size = bytesOf(tensor.element);
  SmallVector<int64_t> numbers;
  for (std::size_t at = 0; at + size <= data->bytes.size(); at += size) {
    uint64_t bits = 0;
    for (int64_t byte = size - 1; byte >= 0; --byte)
      bits = bits << 8 | static_cast<uint8_t>(data->bytes[at + byte]);
    numbers.push_back(isUnsigned(tensor.element)
                          ? static_cast<int64_t>(bits)
                          : llvm::SignExtend64(bits, 8 * size));
  }
  return numbers;
}

Value indexConstant(ScalarBuilder &s, int64_t number) {
  return s.create<arith::ConstantOp>(s.builder.getIndexAttr(number));
}

Value countedFromEnd(ScalarBuilder &s, Value index, Value extent) {
  Value isNegative = s.create<arith::CmpIOp>(arith::CmpIPredicate::slt, index,
                                             indexConstant(s, 0));
  return s.select(isNegative, s.create<arith::AddIOp>(index, extent), index);
}

Value clamped(ScalarBuilder &s, Value index, Value low, Value high) {
  return s.create<arith::MaxSIOp>(s.create<arith::MinSIOp>(index, high), low);
}

Value positionIn(ScalarBuilder &s, Value number, Value extent) {
  Value index = countedFromEnd(s, s.toIndex(number), extent);
  Value last = s.create<arith::SubIOp>(extent, indexConstant(s, 1));
  return clamped(s, index, indexConstant(s, 0), last);
}

} // namespace npu
