// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One step of RNN, GRU and LSTM.

#include "../Graph/OperatorTable.h"
#include "Recurrence.h"

using namespace mlir;

namespace npu {
namespace {

class Simple final : public Recurrence {
public:
  explicit Simple(NodeImport &node) : Recurrence(node, 1, 1) {}

private:
  SmallVector<Value> step(const RecurrentDirection &direction,
                          ArrayRef<Value> inputs,
                          ArrayRef<Value> state) override {
    Value inner = build.matmul(state[0], direction.weights[0]);
    return {activated(direction.activations[0], {inputs[0], inner})};
  }
};

/// Gates: update, reset, hidden.
class Gated final : public Recurrence {
public:
  explicit Gated(NodeImport &node)
      : Recurrence(node, 3, 1),
        isLinearFirst(node.integer("linear_before_reset", 0) != 0) {}

private:
  bool keepsInnerBias() const override { return isLinearFirst; }

  SmallVector<Value> step(const RecurrentDirection &direction,
                          ArrayRef<Value> inputs,
                          ArrayRef<Value> state) override {
    auto gate = [&](int64_t number) {
      return activated(
          direction.activations[0],
          {inputs[number], build.matmul(state[0], direction.weights[number])});
    };
    Value update = gate(0), reset = gate(1), inner;
    if (isLinearFirst) {
      inner = build.matmul(state[0], direction.weights[2]);
      if (direction.innerBias)
        inner = build.map(
            {inner, direction.innerBias}, type,
            [](ScalarBuilder &s, ValueRange v) { return s.add(v[0], v[1]); });
      inner = product(reset, inner);
    } else {
      inner = build.matmul(product(reset, state[0]), direction.weights[2]);
    }
    Value candidate = activated(direction.activations[1], {inputs[2], inner});
    return {build.map({update, candidate, state[0]}, type,
                      [&](ScalarBuilder &s, ValueRange v) {
                        Value rest = s.sub(s.constant(type, 1), v[0]);
                        return s.add(s.mul(rest, v[1]), s.mul(v[0], v[2]));
                      })};
  }

  bool isLinearFirst;
};

/// Gates: input, output, forget, cell. States: hidden, cell.
class LongShort final : public Recurrence {
public:
  explicit LongShort(NodeImport &node)
      : Recurrence(node, 4, 2),
        couplesGates(node.integer("input_forget", 0) != 0) {}

private:
  SmallVector<Value> step(const RecurrentDirection &direction,
                          ArrayRef<Value> inputs,
                          ArrayRef<Value> state) override {
    auto gate = [&](int64_t number, Value cell) {
      SmallVector<Value> terms{
          inputs[number], build.matmul(state[0], direction.weights[number])};
      if (number < 3 && !direction.peepholes.empty())
        terms.push_back(product(direction.peepholes[number], cell));
      return activated(direction.activations[number == 3 ? 1 : 0], terms);
    };
    Value input = gate(0, state[1]);
    Value forget;
    if (couplesGates)
      forget = build.map(input, type, [&](ScalarBuilder &s, ValueRange v) {
        return s.sub(s.constant(type, 1), v[0]);
      });
    else
      forget = gate(2, state[1]);
    Value candidate = gate(3, state[1]);
    Value cell = build.map({forget, state[1], input, candidate}, type,
                           [](ScalarBuilder &s, ValueRange v) {
                             return s.add(s.mul(v[0], v[1]), s.mul(v[2], v[3]));
                           });
    Value output = gate(1, cell);
    Value next =
        build.map({output, cell}, type, [&](ScalarBuilder &s, ValueRange v) {
          return s.mul(v[0], direction.activations[2](s, v[1]));
        });
    return {next, cell};
  }

  bool couplesGates;
};

LogicalResult buildRnn(NodeImport &node) { return Simple(node).run({"tanh"}); }
LogicalResult buildGru(NodeImport &node) {
  return Gated(node).run({"sigmoid", "tanh"});
}
LogicalResult buildLstm(NodeImport &node) {
  return LongShort(node).run({"sigmoid", "tanh", "tanh"});
}

} // namespace

void addRecurrent(OperatorTable &table) {
  table.add("RNN", 3, buildRnn);
  table.add("GRU", 3, buildGru);
  table.add("LSTM", 3, buildLstm);
}

} // namespace npu
