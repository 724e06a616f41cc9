// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cells and sequences of LSTM, GRU and RNN. ONNX has the sequence in front, its
// gates in another order, and two biases.

#include "LayerTable.h"

#include "llvm/ADT/StringExtras.h"

namespace npu {
namespace {

using Proto = onnx::TensorProto;

/// What tells the three kinds apart.
struct RecurrentKind {
  const char *name;
  int64_t gates;
  /// The gate of a layer that is at each place in ONNX: IR has those of an LSTM
  /// in the order f, i, c, o, and ONNX in the order i, o, f, c.
  Integers order;
  bool hasCell;
};

RecurrentKind kindOf(llvm::StringRef type) {
  if (type.starts_with("LSTM"))
    return {"LSTM", 4, {1, 3, 0, 2}, true};
  if (type.starts_with("GRU"))
    return {"GRU", 3, {0, 1, 2}, false};
  return {"RNN", 1, {0}, false};
}

class RecurrentTranslation {
public:
  explicit RecurrentTranslation(LayerTranslation &layer)
      : layer(layer), kind(kindOf(layer.layer.type)),
        isCell(llvm::StringRef(layer.layer.type).ends_with("Cell")) {}

  void run() {
    readAttributes();
    // X, H, C, lengths, W, R, B.
    unsigned next = 1;
    unsigned state = next++;
    unsigned cell = kind.hasCell ? next++ : 0;
    unsigned lengths = isCell ? 0 : next++;
    unsigned weights = next++, recurrent = next++, bias = next++;
    if (layer.has(next))
      return (void)(layer.error() << "peepholes are not supported");
    if (!layer.has(recurrent))
      return (void)(layer.error() << "expected weights as operands #" << weights
                                  << " and #" << recurrent);
    int64_t rank = isCell ? 2 : 3;
    for (unsigned operand : {0u, state, weights, recurrent})
      if (layer.rank(operand) != rank)
        return (void)(layer.error() << "expected operand #" << operand
                                    << " to have " << rank << " dimensions");
    if (!layer.isStatic(recurrent))
      return (void)(layer.error()
                    << "expected weights whose extents are known");
    directions = isCell ? 1 : layer.extent(recurrent, 0);
    hidden = layer.type(recurrent).dims.back();
    std::vector<NodeValue> operands{
        sequenceFirst(layer.operand(0)),
        gatesInOrder(directed(layer.operand(weights))),
        gatesInOrder(directed(layer.operand(recurrent))),
        layer.has(bias) ? biases(directed(layer.operand(bias))) : NodeValue(),
        lengths ? lengthsOf(lengths) : NodeValue(),
        directionsFirst(layer.operand(state))};
    if (kind.hasCell)
      operands.push_back(directionsFirst(layer.operand(cell)));
    std::vector<NodeValue> results =
        layer.addNode(kind.name, operands, kind.hasCell ? 3 : 2, attributes);
    unsigned result = 0;
    if (!isCell)
      layer.set(result++, layer.transpose(results[0], {2, 1, 0, 3}));
    for (const NodeValue &last : llvm::ArrayRef(results).drop_front())
      layer.set(result++, isCell ? layer.add("Squeeze", {last, layer.list({0})})
                                 : layer.transpose(last, {1, 0, 2}));
  }

private:
  void readAttributes() {
    attributes.set("hidden_size", layer.integer("hidden_size"));
    std::string direction = "forward";
    if (!isCell)
      direction =
          layer.word("direction", {"forward", "reverse", "bidirectional"});
    attributes.set("direction", llvm::StringRef(direction));
    llvm::StringRef defaults = kind.hasCell      ? "sigmoid,tanh,tanh"
                               : kind.gates == 3 ? "sigmoid,tanh"
                                                 : "tanh";
    std::vector<std::string> names;
    std::string given = layer.text("activations", defaults);
    llvm::SmallVector<llvm::StringRef> words;
    llvm::StringRef(given).split(words, ',');
    for (llvm::StringRef word : words) {
      std::string name = word.trim().lower();
      if (name != "sigmoid" && name != "tanh" && name != "relu")
        return (void)(layer.error()
                      << "activation '" << name << "' is not supported");
      name[0] = llvm::toUpper(name[0]);
      names.push_back(name);
    }
    std::vector<std::string> all = names;
    if (direction == "bidirectional")
      all.insert(all.end(), names.begin(), names.end());
    attributes.set("activations", llvm::ArrayRef<std::string>(all));
    // None of these activations has a constant.
    layer.ignore("activations_alpha");
    layer.ignore("activations_beta");
    if (double clip = layer.real("clip", 0); clip != 0)
      attributes.set("clip", clip);
    if (kind.gates == 3) {
      isBeforeReset = layer.flag("linear_before_reset", false);
      attributes.set("linear_before_reset", int64_t(isBeforeReset));
    }
    if (kind.hasCell && layer.flag("input_forget", false))
      layer.error() << "input_forget is not supported";
    if (kind.hasCell && layer.text("weights_format", "fico") != "fico")
      layer.error() << "weights_format other than 'fico' is not supported";
  }

  NodeValue sequenceFirst(const NodeValue &x) {
    return isCell ? layer.unsqueeze(x, {0}) : layer.transpose(x, {1, 0, 2});
  }

  NodeValue directionsFirst(const NodeValue &state) {
    return sequenceFirst(state);
  }

  NodeValue directed(const NodeValue &weights) {
    return isCell ? layer.unsqueeze(weights, {0}) : weights;
  }

  NodeValue part(const NodeValue &value, int64_t first, int64_t end) {
    return layer.add("Slice", {value, layer.list({first * hidden}),
                               layer.list({end * hidden}), layer.list({1})});
  }

  NodeValue joined(llvm::ArrayRef<NodeValue> parts) {
    return layer.add("Concat", parts, NodeAttributes().set("axis", int64_t(1)));
  }

  NodeValue gatesInOrder(const NodeValue &weights) {
    if (llvm::is_sorted(kind.order))
      return weights;
    std::vector<NodeValue> parts;
    for (int64_t gate : kind.order)
      parts.push_back(part(weights, gate, gate + 1));
    return joined(parts);
  }

  NodeValue zeros(int64_t gates) {
    return layer.add(
        "Expand", {layer.like(0, 0), layer.list({directions, gates * hidden})});
  }

  NodeValue biases(const NodeValue &bias) {
    if (!isBeforeReset)
      return joined({gatesInOrder(bias), zeros(kind.gates)});
    // A GRU adds a fourth one before it resets.
    return joined({part(bias, 0, 3), zeros(2), part(bias, 3, 4)});
  }

  /// The lengths of sequences, unless all are known to be whole.
  NodeValue lengthsOf(unsigned operand) {
    int64_t steps = layer.extent(0, 1);
    auto known = layer.constant(operand);
    if (known && steps >= 0 &&
        llvm::all_of(*known, [&](int64_t each) { return each == steps; }))
      return {};
    return layer.cast(layer.operand(operand), Proto::INT32);
  }

  LayerTranslation &layer;
  RecurrentKind kind;
  bool isCell, isBeforeReset = false;
  int64_t directions = 1, hidden = 0;
  NodeAttributes attributes;
};

void translateRecurrent(LayerTranslation &layer) {
  RecurrentTranslation(layer).run();
}

} // namespace

void addRecurrentLayers(LayerTable &table) {
  const char *lstm =
      "peepholes; input_forget; weights_format other than fico; activations "
      "other than sigmoid, tanh and relu";
  const char *others = "activations other than sigmoid, tanh and relu";
  table.add("LSTMCell", {1, 4}, 5, 7, translateRecurrent, lstm);
  table.add("LSTMSequence", {1, 5}, 6, 8, translateRecurrent, lstm);
  table.add("GRUCell", {3}, 4, 5, translateRecurrent, others);
  table.add("GRUSequence", {5}, 5, 6, translateRecurrent, others);
  table.add("RNNCell", {1}, 4, 5, translateRecurrent, others);
  table.add("RNNSequence", {5}, 5, 6, translateRecurrent, others);
}

} // namespace npu
