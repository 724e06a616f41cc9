// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX graphs along prompts of any length, while they are made up: their text
// node by node, and what the extents of all values are at every length. A graph
// is imported in the end, to a function in the form that the importer gives
// networks.

#ifndef NPU_TOOLS_FUZZ_BODIES_IMPORTEDGRAPH_H
#define NPU_TOOLS_FUZZ_BODIES_IMPORTEDGRAPH_H

#include "npu-fuzz/Functions/FunctionMaker.h"

namespace npu {

/// An extent, or a number that is computed of extents, at every choice of
/// lengths.
using Counts = std::vector<int64_t>;

/// A scalar of i64.
struct Scalar {
  std::string name;
  Counts counts;
};

/// A tensor: of floats ('f'), i64 ('l') or i1 ('b').
struct Tensor {
  std::string name;
  char type = 'f';
  std::vector<Counts> dims;

  int64_t rank() const { return std::ssize(dims); }
};

class ImportedGraph : public RandomNumbers {
public:
  ImportedGraph(uint64_t seed, uint64_t number);

protected:
  // The numbers of extents.

  Counts fixed(int64_t number) const { return Counts(choices, number); }
  Counts sequence() const;
  Counts past() const;
  template <typename Of>
  Counts each(const Counts &a, Of of) const {
    Counts counts;
    for (int64_t at = 0; at < choices; ++at)
      counts.push_back(of(a[at], at));
    return counts;
  }
  static int64_t least(const Counts &counts) {
    return *std::ranges::min_element(counts);
  }
  static int64_t most(const Counts &counts) {
    return *std::ranges::max_element(counts);
  }
  /// The largest but at the much longer prompts.
  static int64_t mostTried(const Counts &counts) {
    return *std::max_element(counts.begin(), counts.end() - 1);
  }
  static bool isFixed(const Counts &counts) {
    return least(counts) == most(counts);
  }
  /// The number of entries at the longest prompts.
  int64_t volume(const std::vector<Counts> &dims) const;
  /// The dimensions of two operands together; nothing where they do not agree.
  std::optional<std::vector<Counts>> together(const Tensor &a,
                                              const Tensor &b) const;

  // The text of the graph.

  /// Adds a node of one result.
  std::string node(const std::string &op, const std::string &operands,
                   const std::string &attributes = "");
  std::string ints(const std::vector<int64_t> &numbers);
  std::string integer(int64_t number);
  std::string real(double number);
  std::string weights(const std::vector<int64_t> &shape);
  /// Adds a value.
  void add(const std::string &op, const std::string &operands, Tensor like,
           const std::string &attributes = "");
  /// Adds inputs: rows of a prompt, and others that decoders have.
  void addInputs();
  /// An extent of a tensor, as exporters ask for it, or a number of it.
  Scalar extent(const Tensor &tensor, int64_t dim);
  Scalar plus(const Scalar &a, int64_t number);
  Scalar plus(const Scalar &a, const Scalar &b);
  std::string listed(const Scalar &a);
  /// The shape of a tensor as one list.
  std::string shapeOf(const Tensor &tensor);
  const Tensor &pick();

  /// The function that the graph becomes, or why it does not.
  MadeFunction made();

  static constexpr int64_t kMost = 900;

  std::vector<std::string> lines;
  std::vector<Tensor> values;

private:
  void input(const std::string &name, char type,
             const std::vector<std::pair<std::string, Counts>> &dims);
  std::string graph();
  static void import(const std::string &text, MadeFunction &made);

  /// More lengths than are run, and one that is much longer, so that extents
  /// are not taken for equal that are at the first few alone.
  static constexpr int64_t kSpan = 16, kLong = 1000;

  bool hasPast;
  /// The shortest cache that is a prompt: 0 where nothing reads a fixed entry.
  int64_t shortestPast;
  int64_t longest, choices;
  std::vector<std::string> inputs;
};

} // namespace npu

#endif // NPU_TOOLS_FUZZ_BODIES_IMPORTEDGRAPH_H
