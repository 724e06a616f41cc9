// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operations are a layer of a model: those whose names say so, or else
// parts of the function that repeat.

#include "ProgramView.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Regex.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// Fewer operations are no layer.
constexpr size_t kSmallestLayer = 4;

/// "model/layers.3" of "/model/layers.3/attn/MatMul": the name up to the first
/// number of a layer.
std::string layerByName(const ViewOperation &op) {
  static const llvm::Regex numbered(
      "(^|[/._])(layers?|blocks?|h|stages?)[/._]?[0-9]+[/._]");
  for (const std::string &name : op.place.names) {
    SmallVector<StringRef> found;
    if (numbered.match(name, &found))
      return StringRef(name.data(), found[0].end() - name.data() - 1)
          .ltrim('/')
          .str();
  }
  return "";
}

struct Repetition {
  size_t start = 0, period = 0, times = 0;
};

/// The repetition that covers most of a sequence, the shortest of equal ones.
/// Takes time quadratic in the sequence.
Repetition findRepetition(const std::vector<unsigned> &sequence) {
  Repetition best;
  for (size_t period = kSmallestLayer; period * 2 <= sequence.size();
       ++period) {
    size_t equal = 0;
    for (size_t at = period; at <= sequence.size(); ++at) {
      if (at < sequence.size() && sequence[at] == sequence[at - period]) {
        ++equal;
        continue;
      }
      size_t times = (equal + period) / period;
      if (times >= 2 && times * period > best.times * best.period)
        best = {at - equal - period, period, times};
      equal = 0;
    }
  }
  return best;
}

/// A number for each operation, equal for those that look alike: of one kind,
/// with operands and results of the same types.
std::vector<unsigned> lookAlikes(const ViewFunction &function,
                                 const std::vector<size_t> &drawn) {
  llvm::StringMap<unsigned> numbers;
  std::vector<unsigned> sequence;
  for (size_t number : drawn) {
    const ViewOperation &op = function.operations[number];
    std::string look = op.kind + "|" + op.body;
    for (const std::vector<size_t> *values : {&op.operands, &op.results}) {
      look += "|";
      for (size_t value : *values)
        look += std::to_string(function.values[value].type) + ",";
    }
    sequence.push_back(numbers.try_emplace(look, numbers.size()).first->second);
  }
  return sequence;
}

} // namespace

void setLayers(ViewFunction &function) {
  std::vector<size_t> drawn;
  llvm::StringMap<size_t> known;
  auto set = [&](ViewOperation &op, const std::string &name) {
    auto [layer, isNew] = known.try_emplace(name, function.layers.size());
    if (isNew)
      function.layers.push_back(name);
    op.layer = layer->second;
  };
  for (auto [number, op] : llvm::enumerate(function.operations)) {
    if (!op.isSource)
      drawn.push_back(number);
    if (std::string name = layerByName(op); !name.empty())
      set(op, name);
  }
  if (!function.layers.empty())
    return;
  Repetition found = findRepetition(lookAlikes(function, drawn));
  if (found.period * found.times * 3 < drawn.size())
    return;
  size_t first = found.start, end = first + found.period * found.times;
  for (size_t at = first; at < end; ++at) {
    std::string name = fmt::format(
        "part {} of {} alike", (at - first) / found.period + 1, found.times);
    // With what it reads: constants stand in front of it.
    for (size_t number = at == 0 ? 0 : drawn[at - 1] + 1; number <= drawn[at];
         ++number)
      set(function.operations[number], name);
  }
}

} // namespace npu
