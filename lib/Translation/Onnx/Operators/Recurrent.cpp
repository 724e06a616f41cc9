// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One step of RNN, GRU and LSTM.

#include "../Build/NumberBounds.h"
#include "../Build/Positions.h"
#include "../Graph/NodeImport.h"
#include "../Graph/OperatorTable.h"
#include "Activations.h"
#include "Iterations.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {
namespace {

/// An activation function with the constants that a node gives.
struct RecurrentActivation {
  const ActivationFunction *known;
  double alpha = 0, beta = 0;

  Value operator()(ScalarBuilder &s, Value x) const {
    return known->function(s, x, alpha, beta);
  }
};

/// The node's activations of all directions, one after the other; `defaults`
/// of one direction are taken where it names none.
FailureOr<SmallVector<RecurrentActivation>>
recurrentActivations(NodeImport &node, ArrayRef<StringRef> defaults,
                     int64_t directions) {
  std::vector<std::string> names = node.texts("activations");
  if (names.empty())
    for (int64_t direction = 0; direction < directions; ++direction)
      names.insert(names.end(), defaults.begin(), defaults.end());
  std::size_t wanted = defaults.size() * directions;
  if (names.size() != wanted)
    return node.error() << "expected " << wanted << " activations, got "
                        << names.size();
  SmallVector<double> alphas =
      node.reals("activation_alpha").value_or(SmallVector<double>());
  SmallVector<double> betas =
      node.reals("activation_beta").value_or(SmallVector<double>());
  // Only functions that have such a number take one of a list.
  std::size_t nextAlpha = 0, nextBeta = 0;
  SmallVector<RecurrentActivation> activations;
  for (StringRef name : names) {
    const ActivationFunction *known = findActivation(name);
    if (!known)
      return node.error() << "no activation function has the name '" << name
                          << "'";
    RecurrentActivation activation{known, known->alpha, known->beta};
    if (known->takesAlpha && nextAlpha < alphas.size())
      activation.alpha = alphas[nextAlpha++];
    if (known->takesBeta && nextBeta < betas.size())
      activation.beta = betas[nextBeta++];
    activations.push_back(activation);
  }
  return activations;
}

// What RNN, GRU and LSTM have in common. The product of the whole sequence with
// W is one product of matrices for each gate, in front of the recurrence. Gates
// have products of their own, so that nothing has to be cut out of a
// distributed one. Short sequences are written out, because operations in a
// loop stay in memory that all tiles share; longer ones are a loop.

/// What one direction of a recurrence computes with.
struct RecurrentDirection {
  /// For each gate: sequence x batch x hidden, with biases.
  llvm::SmallVector<Value> inputs;
  /// For each gate: hidden x hidden.
  llvm::SmallVector<Value> weights;
  /// The bias that a GRU adds before it resets; null elsewhere.
  Value innerBias;
  /// Of an LSTM: gates i, o and f; empty where there are none.
  llvm::SmallVector<Value> peepholes;
  llvm::ArrayRef<RecurrentActivation> activations;
  bool isReverse = false;
};

/// Sequences of up to so many steps are written out.
constexpr int64_t kMostWrittenSteps = 64;

/// Operands and attributes that all three operators have.
class Recurrence {
public:
  Recurrence(NodeImport &node, int64_t gates, int64_t states)
      : node(node), build(node.build), gates(gates), states(states) {}
  virtual ~Recurrence() = default;

  LogicalResult run(ArrayRef<StringRef> defaultActivations) {
    if (failed(readOperands()))
      return failure();
    auto activations =
        recurrentActivations(node, defaultActivations, directions);
    if (failed(activations))
      return failure();
    // Results of both directions: of all steps, and of each last state.
    SmallVector<SmallVector<Value>> columns(states + 1);
    for (int64_t number = 0; number < directions; ++number) {
      RecurrentDirection direction = makeDirection(number);
      direction.activations = ArrayRef(*activations)
                                  .slice(number * defaultActivations.size(),
                                         defaultActivations.size());
      SmallVector<Value> state = initialState(number);
      bool isShort =
          !ShapedType::isDynamic(steps) && steps <= kMostWrittenSteps;
      state = isShort ? writeOut(direction, state) : asLoop(direction, state);
      for (auto [column, value] : llvm::zip_equal(columns, state))
        column.push_back(value);
    }
    for (auto [number, column] : llvm::enumerate(columns)) {
      bool isSequence = static_cast<int64_t>(number) == states;
      unsigned result = isSequence ? 0 : number + 1;
      if (!node.wants(result))
        continue;
      SmallVector<Value> parts;
      for (Value value : column)
        parts.push_back(isSequence
                            ? build.reshape(value, {steps, 1, batch, hidden})
                            : build.reshape(value, {1, batch, hidden}));
      Value all = build.concat(parts, isSequence ? 1 : 0);
      if (isBatchFirst)
        all = isSequence ? build.transpose(all, {2, 0, 1, 3})
                         : build.transpose(all, {1, 0, 2});
      if (failed(node.setResult(result, all)))
        return failure();
    }
    return success();
  }

protected:
  /// The next state of what step `t`'s gates have as inputs.
  virtual llvm::SmallVector<Value> step(const RecurrentDirection &direction,
                                        llvm::ArrayRef<Value> inputs,
                                        llvm::ArrayRef<Value> state) = 0;
  /// Whether the bias of the last gate's recurrence stays by itself.
  virtual bool keepsInnerBias() const { return false; }

  /// An activation of the sum of operands.
  Value activated(const RecurrentActivation &activation, ValueRange terms) {
    double clip = node.real("clip", 0);
    return build.map(terms, type, [&](ScalarBuilder &s, ValueRange v) {
      Value sum = v[0];
      for (Value term : v.drop_front())
        sum = s.add(sum, term);
      if (clip > 0)
        sum =
            s.max(s.min(sum, s.constant(type, clip)), s.constant(type, -clip));
      return activation(s, sum);
    });
  }

  Value product(Value a, Value b) {
    return build.map({a, b}, type, [](ScalarBuilder &s, ValueRange v) {
      return s.mul(v[0], v[1]);
    });
  }

  NodeImport &node;
  TensorBuilder &build;
  int64_t gates, states;
  /// How many steps there are, and the same as a type has it.
  Number stepCount;
  int64_t steps = 0, batch = 0, features = 0, hidden = 0, directions = 1;
  Type type;

private:
  LogicalResult readOperands() {
    const OnnxTensor &x = node.operand(0), &r = node.operand(2);
    isBatchFirst = node.integer("layout", 0) != 0;
    int64_t time = isBatchFirst ? 1 : 0;
    if (x.rank() != 3 || x.type().isDynamicDim(1 - time) ||
        x.type().isDynamicDim(2) || !isFloat(x.element) || r.rank() != 3 ||
        !r.type().hasStaticShape())
      return node.error() << "expected shapes of rank 3 that are static but "
                             "for dimension "
                          << time << ", the steps, got "
                          << NodeImport::describe(x) << " and "
                          << NodeImport::describe(r);
    type = x.elementType();
    std::string direction = node.text("direction", "forward");
    if (direction != "forward" && direction != "reverse" &&
        direction != "bidirectional")
      return node.error() << "expected direction forward, reverse or "
                             "bidirectional, got '"
                          << direction << "'";
    directions = direction == "bidirectional" ? 2 : 1;
    steps = x.shape()[time];
    stepCount = build.numbersHere().extentOf(x.value, time);
    batch = x.shape()[1 - time];
    features = x.shape()[2];
    hidden = r.shape()[2];
    // An empty prompt takes no step.
    if (boundsOf(stepCount).least.value_or(0) < 1)
      return node.error() << "expected at least 1 step at every length, got "
                          << describeBelow(stepCount, 1);
    if (batch < 1 || hidden < 1 ||
        node.integer("hidden_size", hidden) != hidden)
      return node.error() << "expected steps, a batch and a hidden size of "
                          << node.integer("hidden_size", hidden) << ", got "
                          << NodeImport::describe(x) << " and "
                          << NodeImport::describe(r);
    SmallVector<int64_t> state{directions, batch, hidden};
    if (isBatchFirst)
      std::swap(state[0], state[1]);
    if (failed(check(1, {directions, gates * hidden, features})) ||
        failed(check(2, {directions, gates * hidden, hidden})) ||
        failed(check(3, {directions, 2 * gates * hidden})) ||
        failed(check(4, {batch})) || failed(check(5, state)))
      return failure();
    if (states > 1 &&
        (failed(check(6, state)) || failed(check(7, {directions, 3 * hidden}))))
      return failure();
    sequence = isBatchFirst ? build.transpose(x.value, {1, 0, 2}) : x.value;
    if (node.has(4)) {
      const OnnxTensor &given = node.operand(4);
      Value wide =
          build.convert(given.value, given.element, OnnxElement::Int64);
      lengths = build.reshape(wide, {batch, 1});
    }
    return success();
  }

  LogicalResult check(unsigned operand, ArrayRef<int64_t> shape) {
    if (!node.has(operand))
      return success();
    const OnnxTensor &tensor = node.operand(operand);
    bool isLengths = operand == 4;
    if (tensor.shape() == shape &&
        (isLengths ? !isFloat(tensor.element) : tensor.elementType() == type))
      return success();
    InFlightDiagnostic diagnostic = node.error();
    diagnostic << "expected operand #" << operand << " to have the shape ";
    llvm::interleave(
        shape, [&](int64_t extent) { diagnostic << extent; },
        [&] { diagnostic << "x"; });
    return diagnostic << ", got " << NodeImport::describe(tensor);
  }

  /// Entries of the second dimension of an operand, of one direction.
  Value part(unsigned operand, int64_t direction, int64_t offset,
             int64_t size) {
    const OnnxTensor &tensor = node.operand(operand);
    SmallVector<int64_t> offsets(tensor.rank(), 0), sizes(tensor.shape());
    offsets[0] = direction;
    offsets[1] = offset;
    sizes[0] = 1;
    sizes[1] = size;
    Value slice = build.slice(tensor.value, offsets, sizes);
    return build.reshape(slice, ArrayRef(sizes).drop_front());
  }

  RecurrentDirection makeDirection(int64_t number) {
    RecurrentDirection direction;
    direction.isReverse =
        number == 1 || node.text("direction", "forward") == "reverse";
    Value rows = build.reshape(
        sequence,
        {ShapedType::isDynamic(steps) ? steps : steps * batch, features});
    auto add = [](ScalarBuilder &s, ValueRange v) {
      Value sum = v[0];
      for (Value term : v.drop_front())
        sum = s.add(sum, term);
      return sum;
    };
    for (int64_t gate = 0; gate < gates; ++gate) {
      auto weight = [&](unsigned operand) {
        return build.transpose(part(operand, number, gate * hidden, hidden),
                               {1, 0});
      };
      Value inputs = build.matmul(rows, weight(1));
      if (node.has(3)) {
        Value bias = part(3, number, gate * hidden, hidden);
        Value inner = part(3, number, (gates + gate) * hidden, hidden);
        bool isKept = keepsInnerBias() && gate == gates - 1;
        direction.innerBias = isKept ? inner : Value();
        inputs = isKept ? build.map({inputs, bias}, type, add)
                        : build.map({inputs, bias, inner}, type, add);
      }
      direction.inputs.push_back(build.reshape(inputs, {steps, batch, hidden}));
      direction.weights.push_back(weight(2));
    }
    if (states > 1 && node.has(7))
      for (int64_t gate = 0; gate < 3; ++gate)
        direction.peepholes.push_back(part(7, number, gate * hidden, hidden));
    return direction;
  }

  SmallVector<Value> initialState(int64_t number) {
    SmallVector<Value> initial;
    for (int64_t state = 0; state < states; ++state) {
      unsigned operand = 5 + state;
      if (!node.has(operand)) {
        SmallVector<int64_t> shape{batch, hidden};
        initial.push_back(
            build.filled(build.sizes(shape), build.scalar(type, 0)));
        continue;
      }
      Value slice = build.sliceDim(node.operand(operand).value,
                                   isBatchFirst ? 1 : 0, number, 1);
      initial.push_back(build.reshape(slice, {batch, hidden}));
    }
    return initial;
  }

  /// The step's entry of a sequence.
  Value inputAt(Value inputs, OpFoldResult number) {
    if (auto constant = getConstantIntValue(number))
      return build.reshape(build.sliceDim(inputs, 0, *constant, 1),
                           {batch, hidden});
    TensorBuilder::Sizes offsets = build.sizes(ArrayRef<int64_t>{0, 0, 0});
    offsets[0] = number;
    Value slice = tensor::ExtractSliceOp::create(
        build.builder, node.loc, inputs, offsets,
        build.sizes(ArrayRef<int64_t>{1, batch, hidden}),
        build.sizes(ArrayRef<int64_t>{1, 1, 1}));
    return build.reshape(slice, {batch, hidden});
  }

  /// One step. After the end of a sequence its state stays, and its result is
  /// 0.
  SmallVector<Value> stepAt(const RecurrentDirection &direction,
                            OpFoldResult number, ArrayRef<Value> state,
                            Value &result) {
    SmallVector<Value> inputs;
    for (Value all : direction.inputs)
      inputs.push_back(inputAt(all, number));
    SmallVector<Value> next = step(direction, inputs, state);
    result = next[0];
    if (!lengths)
      return next;
    Value now = iterationNumber(build, number).value;
    auto chosen = [](ScalarBuilder &s, ValueRange v) {
      Value isInside =
          s.create<arith::CmpIOp>(arith::CmpIPredicate::slt, v[0], v[1]);
      Value otherwise = v.size() > 3 ? v[3] : s.constant(v[2].getType(), 0);
      return s.select(isInside, v[2], otherwise);
    };
    result = build.map({now, lengths, next[0]}, type, chosen);
    for (auto [value, old] : llvm::zip_equal(next, state))
      value = build.map({now, lengths, value, old}, type, chosen);
    return next;
  }

  /// All steps one after the other: the last state, and after it the results of
  /// all steps.
  SmallVector<Value> writeOut(const RecurrentDirection &direction,
                              SmallVector<Value> state) {
    SmallVector<Value> rows(steps);
    for (int64_t number = 0; number < steps; ++number) {
      int64_t at = direction.isReverse ? steps - 1 - number : number;
      Value row;
      state = stepAt(direction, build.builder.getIndexAttr(at), state, row);
      rows[at] = build.reshape(row, {1, batch, hidden});
    }
    state.push_back(node.wants(0) ? build.concat(rows, 0) : Value());
    return state;
  }

  SmallVector<Value> asLoop(const RecurrentDirection &direction,
                            SmallVector<Value> state) {
    ScalarBuilder s(build.builder, node.loc, OnnxElement::Int64);
    TensorBuilder::Sizes rows =
        build.sizes(ArrayRef<int64_t>{0, batch, hidden});
    rows[0] = stepCount;
    state.push_back(build.empty(rows, type));
    Numbers numbers = build.numbersHere();
    Value count = numbers.valueOf(stepCount);
    Value last = numbers.valueOf(numbers.sub(stepCount, numbers.constant(1)));
    auto loop = scf::ForOp::create(
        build.builder, node.loc, indexConstant(s, 0), count,
        indexConstant(s, 1), state,
        [&](OpBuilder &, Location, Value at, ValueRange current) {
          if (direction.isReverse)
            at = s.create<arith::SubIOp>(last, at);
          SmallVector<Value> before(current.drop_back());
          Value row;
          SmallVector<Value> next = stepAt(direction, at, before, row);
          TensorBuilder::Sizes offsets =
              build.sizes(ArrayRef<int64_t>{0, 0, 0});
          offsets[0] = at;
          next.push_back(tensor::InsertSliceOp::create(
              build.builder, node.loc, build.reshape(row, {1, batch, hidden}),
              current.back(), offsets,
              build.sizes(ArrayRef<int64_t>{1, batch, hidden}),
              build.sizes(ArrayRef<int64_t>{1, 1, 1})));
          scf::YieldOp::create(build.builder, node.loc, next);
        });
    return SmallVector<Value>(loop.getResults());
  }

  bool isBatchFirst = false;
  /// X as steps x batch x features.
  Value sequence;
  /// Lengths of sequences, batch x 1; null where all have all steps.
  Value lengths;
};

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
