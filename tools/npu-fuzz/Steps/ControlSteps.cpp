// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of control flow and calls that carry one or two tensors: scf.if, for,
// while, execute_region and index_switch, and calls of functions of the module.
// Their bodies are straight lines of operations that keep type, shape and
// layout, so that any value can be handed on in place of any other.

#include "npu-fuzz/Steps/Steps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <algorithm>

using namespace mlir;

namespace npu {
namespace {

/// How an operation of a body is written: on tensors, as a named operation, as
/// a move there and back, as an scf.if of which one branch computes and the
/// other one only yields; or it is a constant, whose value is the row.
enum class Form { OnTensors, Named, Moves, Branches, Constant };

struct InnerStep {
  Form form;
  int64_t row = 0;
  /// Numbers of the values that it uses: first come the body's arguments, then
  /// what its steps make.
  int64_t a = 0, b = 0;
};

struct StepBody {
  std::vector<InnerStep> steps = {};
  std::vector<int64_t> yields = {};
};

using Condition = llvm::function_ref<Value(OpBuilder &)>;

/// A step that carries tensors.
class Carrier {
public:
  enum Kind { If, For, While, ExecuteRegion, Call, Switch };

  Carrier(OperationMaker &maker, Kind kind) : maker(maker), kind(kind) {}

  /// Chooses the tensors, and bodies that compute or hand on their arguments.
  void choose(bool handsOn) {
    unsigned first = *maker.pick();
    // The same value may be carried twice.
    std::vector<unsigned> operands = {first};
    for (int64_t more = maker.below(3); more > 0; --more)
      operands.push_back(
          handsOn && maker.oneIn(3) ? first : maker.valueLike(maker[first]));
    for (unsigned operand : operands)
      carried.push_back(maker[operand]);
    bool mayYieldMore = kind == Switch || (handsOn && kind != For &&
                                           kind != While && kind != Call);
    bool wantsTwo = handsOn ? !maker.oneIn(3) : maker.oneIn(2);
    yields = (carried.size() > 1 || mayYieldMore) && wantsTwo ? 2 : 1;
    int64_t count = kind == If ? 2 : kind == Switch ? maker.between(1, 4) : 1;
    while (count-- > 0)
      bodies.push_back(handsOn ? handingBody() : randomBody());
    times = kind == Call ? maker.between(1, 2) : maker.below(4);
    between = maker.layout(carried[0].shape);
    if (kind == If)
      decides = maker[maker.flag()].value;
    if (kind == Switch)
      decides = maker[maker.scalar(ElementType::I32)].value;
  }

  void add() {
    std::optional<std::vector<double>> most = mostOfResults();
    if (!most)
      return;
    Fact first = carried[0], second = carried[0];
    first.most = (*most)[0];
    second.most = most->back();
    if (yields == 2)
      maker.makePair(first, second, [&](Fact &, Fact &) { return build(); });
    else
      maker.make(first, [&](Fact &) { return build()->getResult(0); });
  }

private:
  int64_t given() const { return std::ssize(carried); }
  std::span<const ElementwiseRow> rows() const {
    return rowsFor(carried[0].type, true);
  }

  /// Every third body has no operations.
  StepBody randomBody() {
    StepBody body;
    auto anyValue = [&] {
      return maker.below(given() + std::ssize(body.steps));
    };
    int64_t count = maker.oneIn(3) ? 0 : maker.between(1, 3);
    for (int64_t i = 0; i < count; ++i) {
      constexpr Form kForms[] = {
          Form::OnTensors, Form::OnTensors, Form::OnTensors, Form::Named,
          Form::Named,     Form::Named,     Form::Moves,     Form::Branches};
      InnerStep step{maker.oneOf(kForms), maker.below(std::ssize(rows()))};
      step.a = anyValue();
      step.b = anyValue();
      body.steps.push_back(step);
    }
    for (int64_t i = 0; i < yields; ++i)
      body.yields.push_back(
          count && !maker.oneIn(3) ? given() + maker.below(count) : anyValue());
    return body;
  }

  /// A body that yields one value several times, its arguments in reverse
  /// order, or a constant.
  StepBody handingBody() {
    StepBody body;
    switch (maker.below(5)) {
    case 0: // round and round
      for (int64_t i = 0; i < yields; ++i)
        body.yields.push_back((i + 1) % given());
      break;
    case 1: // one value, which the body may not make
      body.yields.assign(yields, maker.below(given()));
      break;
    case 2: // one value, which it makes
      body = randomBody();
      body.yields.assign(yields, body.yields[0]);
      break;
    case 3: // one constant
      body.steps = {{Form::Constant, maker.below(4)}};
      body.yields.assign(yields, given());
      break;
    default: // a constant and something that it is given
      body.steps = {{Form::Constant, maker.below(4)}};
      for (int64_t i = 0; i < yields; ++i)
        body.yields.push_back(i == 0 ? given() : maker.below(given()));
      maker.shuffle(body.yields);
    }
    return body;
  }

  /// Bounds of what the body yields; nothing when it is not legal.
  std::optional<std::vector<double>> mostOf(const StepBody &body,
                                            std::vector<double> most) const {
    ElementType type = carried[0].type;
    for (const InnerStep &step : body.steps) {
      const ElementwiseRow &row = rows()[step.row];
      double of = row.most(most[step.a], most[step.b]);
      if (step.form == Form::Moves || step.form == Form::Constant)
        of = step.form == Form::Moves ? most[step.a]
                                      : static_cast<double>(step.row);
      else if ((maker.exact() && !row.isExact) || !maker.mayReach(type, of) ||
               (step.form == Form::Named && !row.hasNamed(type)))
        return std::nullopt;
      most.push_back(
          std::max(of, step.form == Form::Branches ? most[step.b] : 0.0));
    }
    std::vector<double> yielded;
    for (int64_t value : body.yields)
      yielded.push_back(most[value]);
    return yielded;
  }

  std::optional<std::vector<double>> mostOfResults() const {
    std::vector<double> most;
    for (const Fact &each : carried)
      most.push_back(each.most);
    bool repeats = kind == For || kind == While || kind == Call;
    std::vector<double> results(yields);
    // A body that never runs has to be legal anyway.
    for (int64_t i = repeats ? times : 0; i >= 0; --i)
      for (const StepBody &body : bodies) {
        auto yielded = mostOf(body, most);
        if (!yielded)
          return std::nullopt;
        if (repeats && i > 0)
          std::copy(yielded->begin(), yielded->end(), most.begin());
        for (auto [result, of] : llvm::zip(results, *yielded))
          result = std::max(result, of);
      }
    if (repeats)
      std::copy_n(most.begin(), yields, results.begin());
    return results;
  }

  /// Builds the operations of a body, and gives what it yields.
  SmallVector<Value> buildBody(OpBuilder &at, const StepBody &body,
                               SmallVector<Value> values, Condition condition) {
    Location loc = at.getUnknownLoc();
    const Fact &like = carried[0];
    Type type = maker.typeOf(like);
    for (const InnerStep &step : body.steps) {
      const ElementwiseRow &row = rows()[step.row];
      Value a = values[step.a], b = values[step.b], made;
      auto compute = [&](OpBuilder &inner) {
        return FunctionMaker::call(inner, row.op, {a, b}, type)->getResult(0);
      };
      auto to = [&](Value value, const Layout &layout) {
        Fact moved = like;
        moved.layout = layout;
        return FunctionMaker::call(at, "npu.redistribute", value,
                                   maker.typeOf(moved))
            ->getResult(0);
      };
      switch (step.form) {
      case Form::OnTensors:
        made = compute(at);
        break;
      case Form::Named:
        made = row.named(at, {a, b}, maker.emptyAt(at, like), {});
        break;
      case Form::Moves:
        made = to(to(a, between), like.layout);
        break;
      case Form::Constant:
        made = arith::ConstantOp::create(
            at, loc,
            DenseElementsAttr::get(
                maker.tensorType(like),
                Attribute(maker.numberAttr(like.type,
                                           static_cast<double>(step.row)))));
        break;
      case Form::Branches:
        made = scf::IfOp::create(
                   at, loc, condition(at),
                   [&](OpBuilder &inner, Location) {
                     scf::YieldOp::create(inner, loc, compute(inner));
                   },
                   [&](OpBuilder &inner, Location) {
                     scf::YieldOp::create(inner, loc, b);
                   })
                   .getResult(0);
      }
      values.push_back(made);
    }
    SmallVector<Value> yielded;
    for (int64_t value : body.yields)
      yielded.push_back(values[value]);
    return yielded;
  }

  Value number(OpBuilder &at, int64_t value) {
    return maker.constant(at, kIndex, static_cast<double>(value));
  }
  static Value isEqual(OpBuilder &at, Value a, Value b) {
    return arith::CmpIOp::create(at, at.getUnknownLoc(),
                                 arith::CmpIPredicate::eq, a, b);
  }

  Operation *build() {
    OpBuilder &b = maker.b;
    Location loc = b.getUnknownLoc();
    SmallVector<Value> values;
    for (const Fact &each : carried)
      values.push_back(each.value);
    SmallVector<Type> types(yields, values[0].getType());
    /// The values in a loop, whose first ones it carries.
    auto within = [&](ValueRange arguments) {
      SmallVector<Value> inside = values;
      std::copy_n(arguments.begin(), yields, inside.begin());
      return inside;
    };
    auto region = [&](OpBuilder &at, const StepBody &body,
                      const SmallVector<Value> &given, Condition condition) {
      SmallVector<Value> yielded = buildBody(at, body, given, condition);
      scf::YieldOp::create(at, loc, yielded);
    };
    auto always = [&](OpBuilder &at) {
      return maker.constant(at, ElementType::Bool, 1);
    };
    ValueRange first = ValueRange(values).take_front(yields);
    switch (kind) {
    case If: {
      auto branch = [&](const StepBody &body) {
        return [&](OpBuilder &at, Location) {
          region(at, body, values, [&](OpBuilder &) { return decides; });
        };
      };
      return scf::IfOp::create(b, loc, decides, branch(bodies[0]),
                               branch(bodies[1]));
    }
    case For: {
      Value from = number(b, 1), to = number(b, 1 + 2 * times),
            by = number(b, 2);
      return scf::ForOp::create(
          b, loc, from, to, by, first,
          [&](OpBuilder &at, Location, Value counter, ValueRange arguments) {
            region(at, bodies[0], within(arguments), [&](OpBuilder &inner) {
              return isEqual(inner, counter, from);
            });
          });
    }
    case While: {
      Value zero = number(b, 0), one = number(b, 1), last = number(b, times);
      SmallVector<Value> inits(first);
      inits.push_back(zero);
      types.push_back(b.getIndexType());
      return scf::WhileOp::create(
          b, loc, types, inits,
          [&](OpBuilder &at, Location, ValueRange arguments) {
            Value holds = arith::CmpIOp::create(
                at, loc, arith::CmpIPredicate::slt, arguments.back(), last);
            scf::ConditionOp::create(at, loc, holds, arguments);
          },
          [&](OpBuilder &at, Location, ValueRange arguments) {
            Value counter = arguments.back();
            SmallVector<Value> yielded = buildBody(
                at, bodies[0], within(arguments), [&](OpBuilder &inner) {
                  return isEqual(inner, counter, zero);
                });
            yielded.push_back(arith::AddIOp::create(at, loc, counter, one));
            scf::YieldOp::create(at, loc, yielded);
          });
    }
    case ExecuteRegion: {
      auto op = scf::ExecuteRegionOp::create(b, loc, types);
      OpBuilder at = OpBuilder::atBlockEnd(&op.getRegion().emplaceBlock());
      region(at, bodies[0], values, always);
      return op;
    }
    case Call:
      return buildCalls(values, types, always);
    case Switch:
      return buildSwitch(values, types, region);
    }
    return nullptr;
  }

  /// A function and as many calls of it as `times`, each with the results of
  /// the one before.
  Operation *buildCalls(SmallVector<Value> values, ArrayRef<Type> types,
                        Condition always) {
    OpBuilder outside(maker.b.getContext());
    outside.setInsertionPointToStart(maker.moduleOp().getBody());
    Location loc = outside.getUnknownLoc();
    auto function = func::FuncOp::create(
        outside, loc, maker.freshName("of"),
        outside.getFunctionType(ValueRange(values).getTypes(), types));
    function.setPrivate();
    Block *block = function.addEntryBlock();
    OpBuilder at = OpBuilder::atBlockEnd(block);
    SmallVector<Value> yielded = buildBody(
        at, bodies[0], SmallVector<Value>(block->getArguments()), always);
    func::ReturnOp::create(at, loc, yielded);
    Operation *call = nullptr;
    for (int64_t left = times; left > 0; --left) {
      call = func::CallOp::create(maker.b, loc, function, values);
      std::copy_n(call->result_begin(), yields, values.begin());
    }
    return call;
  }

  /// The argument may be one number more than there are cases, which selects
  /// the default, the first body.
  template <typename BuildRegion>
  Operation *buildSwitch(const SmallVector<Value> &values, ArrayRef<Type> types,
                         BuildRegion region) {
    OpBuilder &b = maker.b;
    Location loc = b.getUnknownLoc();
    Value count = maker.constant(ElementType::I32,
                                 static_cast<double>(bodies.size())),
          within = arith::RemUIOp::create(b, loc, decides, count),
          which = arith::IndexCastOp::create(b, loc, b.getIndexType(), within);
    SmallVector<int64_t> cases;
    for (std::size_t body = 1; body < bodies.size(); ++body)
      cases.push_back(static_cast<int64_t>(body));
    auto op =
        scf::IndexSwitchOp::create(b, loc, types, which, cases, cases.size());
    for (std::size_t body = 0; body < bodies.size(); ++body) {
      mlir::Region &into =
          body ? op.getCaseRegions()[body - 1] : op.getDefaultRegion();
      OpBuilder at = OpBuilder::atBlockEnd(&into.emplaceBlock());
      region(at, bodies[body], values, [&](OpBuilder &inner) {
        return isEqual(inner, within,
                       maker.constant(inner, ElementType::I32, 0));
      });
    }
    return op;
  }

  OperationMaker &maker;
  Kind kind;
  std::vector<Fact> carried;
  std::vector<StepBody> bodies;
  int64_t yields = 1;
  /// How often a loop runs, or a function is called.
  int64_t times = 0;
  /// The layout of moves there and back.
  Layout between;
  /// What an scf.if or a switch decides by.
  Value decides;
};

void carry(OperationMaker &maker, Carrier::Kind kind, bool handsOn) {
  Carrier carrier(maker, kind);
  carrier.choose(handsOn);
  carrier.add();
}

} // namespace

void branching(OperationMaker &maker) { carry(maker, Carrier::If, false); }

void looping(OperationMaker &maker) {
  constexpr Carrier::Kind kKinds[] = {Carrier::For, Carrier::While,
                                      Carrier::ExecuteRegion, Carrier::Call};
  carry(maker, maker.oneOf(kKinds), false);
}

/// One tensor as two results, exchanged iteration arguments, constants, values
/// from before the loop, loops that never run.
void handingOn(OperationMaker &maker) {
  constexpr Carrier::Kind kKinds[] = {
      Carrier::If,    Carrier::For,           Carrier::For,  Carrier::While,
      Carrier::While, Carrier::ExecuteRegion, Carrier::Call, Carrier::Call};
  carry(maker, maker.oneOf(kKinds), true);
}

void switching(OperationMaker &maker) {
  carry(maker, Carrier::Switch, maker.oneIn(2));
}

} // namespace npu
