// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of control flow and calls that carry one or two tensors: scf.if, for,
// while, execute_region and index_switch, and calls of functions of the module.
// Their bodies are straight lines of operations that keep type, shape and
// layout, so that any value can be handed on in place of any other.

#include "npu-fuzz/Steps/Steps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace npu {
namespace {

using Values = SmallVector<Value>;
/// Builds the condition of an scf.if in a body.
using Condition = llvm::function_ref<Value(OpBuilder &)>;

/// A step that carries tensors.
class Carrier {
public:
  enum Kind { If, For, While, ExecuteRegion, Call, Switch };

  /// Chooses the tensors; bodies compute, or mostly hand on their arguments.
  Carrier(OperationMaker &maker, Kind kind, bool handsOn)
      : maker(maker), b(maker.b), kind(kind), handsOn(handsOn),
        like(maker[*maker.pick()]) {
    // The same value may be carried twice.
    carried = {like.value};
    for (int64_t more = maker.below(3); more > 0; --more)
      carried.push_back(handsOn && maker.oneIn(3)
                            ? like.value
                            : maker[maker.valueLike(like)].value);
    bool mayYieldMore = kind == Switch || (handsOn && kind != For &&
                                           kind != While && kind != Call);
    bool wantsTwo = handsOn ? !maker.oneIn(3) : maker.oneIn(2);
    yields = (carried.size() > 1 || mayYieldMore) && wantsTwo ? 2 : 1;
    between.layout = maker.layout(like.shape);
    if (kind == If)
      decides = maker[maker.flag()].value;
    if (kind == Switch)
      decides = maker[maker.scalar(ElementType::I32)].value;
  }

  void add() {
    if (yields == 2)
      maker.makePair(like, like,
                     [&](const Fact &, const Fact &) { return build(); });
    else
      maker.make(like, [&](const Fact &) { return build()->getResult(0); });
  }

private:
  /// Builds an operation: on tensors, a named one, a move there and back, or an
  /// scf.if of which one branch computes and the other one only yields.
  Value operation(OpBuilder &at, Value x, Value y, Condition condition) {
    auto rows = rowsFor(like.type, true);
    const ElementwiseRow &row = rows[maker.below(std::ssize(rows))];
    Type type = maker.typeOf(like);
    auto compute = [&](OpBuilder &inner) {
      return FunctionMaker::call(inner, row.op, {x, y}, type)->getResult(0);
    };
    int64_t form = maker.below(8);
    if (form < 3 && row.hasNamed(like.type))
      return row.named(at, {x, y}, maker.emptyAt(at, like), {});
    if (form == 3) {
      Fact there = like;
      there.layout = between.layout;
      for (Type to : {maker.typeOf(there), type})
        x = FunctionMaker::call(at, "npu.redistribute", x, to)->getResult(0);
      return x;
    }
    if (form != 4)
      return compute(at);
    return scf::IfOp::create(
               at, loc, condition(at),
               [&](OpBuilder &inner, Location) {
                 scf::YieldOp::create(inner, loc, compute(inner));
               },
               [&](OpBuilder &inner, Location) {
                 scf::YieldOp::create(inner, loc, y);
               })
        .getResult(0);
  }

  /// Builds the operations of a body, and gives what it yields. Every third
  /// body has no operations.
  Values body(OpBuilder &at, Values values, Condition condition) {
    auto given = std::ssize(values);
    auto anyFrom = [&](int64_t first) {
      return values[maker.between(first, std::ssize(values) - 1)];
    };
    auto compute = [&] {
      for (int64_t i = maker.oneIn(3) ? 0 : maker.between(1, 3); i > 0; --i) {
        Value x = anyFrom(0);
        values.push_back(operation(at, x, anyFrom(0), condition));
      }
      bool isNew = std::ssize(values) > given && !maker.oneIn(3);
      return anyFrom(isNew ? given : 0);
    };
    Values yielded(yields);
    int64_t form = handsOn ? maker.below(5) : 5;
    if (form == 0) { // round and round
      for (int64_t i = 0; i < yields; ++i)
        yielded[i] = values[(i + 1) % given];
      return yielded;
    }
    if (form <= 2) // one value, which the body may make
      return Values(yields, form == 1 ? anyFrom(0) : compute());
    if (form == 5) {
      yielded[0] = compute();
      if (yields == 2)
        yielded[1] = anyFrom(0);
      maker.shuffle(yielded);
      return yielded;
    }
    // One constant, maybe beside something that the body is given.
    auto number = static_cast<double>(maker.below(4));
    yielded.assign(yields,
                   arith::ConstantOp::create(
                       at, loc,
                       DenseElementsAttr::get(
                           maker.tensorType(like),
                           Attribute(FunctionMaker::numberAttr(
                               maker.elementType(like.type), number)))));
    if (form == 4 && yields == 2)
      yielded[0] = anyFrom(0);
    maker.shuffle(yielded);
    return yielded;
  }

  void region(OpBuilder &at, const Values &values, Condition condition) {
    scf::YieldOp::create(at, loc, body(at, values, condition));
  }
  void fill(mlir::Region &into, Condition condition) {
    OpBuilder at = OpBuilder::atBlockEnd(&into.emplaceBlock());
    region(at, carried, condition);
  }

  /// The values in a loop, whose first ones it carries.
  Values within(ValueRange arguments) {
    Values inside = carried;
    std::copy_n(arguments.begin(), yields, inside.begin());
    return inside;
  }
  Value number(int64_t value) {
    return maker.constant(kIndex, static_cast<double>(value));
  }
  Value compare(OpBuilder &at, arith::CmpIPredicate predicate, Value x,
                Value y) {
    return arith::CmpIOp::create(at, loc, predicate, x, y);
  }

  Operation *build() {
    auto equal = arith::CmpIPredicate::eq;
    Values first(ArrayRef(carried).take_front(yields));
    SmallVector<Type> types(yields, like.value.getType());
    auto always = [&](OpBuilder &at) {
      return FunctionMaker::constant(at, at.getI1Type(), 1);
    };
    switch (kind) {
    case If: {
      auto branch = [&](OpBuilder &at, Location) {
        region(at, carried, [&](OpBuilder &) { return decides; });
      };
      return scf::IfOp::create(b, loc, decides, branch, branch);
    }
    case For: {
      Value from = number(1), to = number(1 + 2 * maker.below(4)),
            by = number(2);
      return scf::ForOp::create(
          b, loc, from, to, by, first,
          [&](OpBuilder &at, Location, Value counter, ValueRange arguments) {
            region(at, within(arguments), [&](OpBuilder &inner) {
              return compare(inner, equal, counter, from);
            });
          });
    }
    case While: {
      Value zero = number(0), one = number(1), last = number(maker.below(4));
      first.push_back(zero);
      types.push_back(zero.getType());
      return scf::WhileOp::create(
          b, loc, types, first,
          [&](OpBuilder &at, Location, ValueRange arguments) {
            Value holds =
                compare(at, arith::CmpIPredicate::slt, arguments.back(), last);
            scf::ConditionOp::create(at, loc, holds, arguments);
          },
          [&](OpBuilder &at, Location, ValueRange arguments) {
            Value counter = arguments.back();
            Values yielded = body(at, within(arguments), [&](OpBuilder &inner) {
              return compare(inner, equal, counter, zero);
            });
            yielded.push_back(arith::AddIOp::create(at, loc, counter, one));
            scf::YieldOp::create(at, loc, yielded);
          });
    }
    case ExecuteRegion: {
      auto op = scf::ExecuteRegionOp::create(b, loc, types);
      fill(op.getRegion(), always);
      return op;
    }
    case Call: {
      // Calls of one function, each with the results of the one before.
      SmallVector<Type> inputs(carried.size(), types[0]);
      func::FuncOp function = maker.privateFunction("of", inputs, types);
      Block &block = function.getBody().front();
      OpBuilder at = OpBuilder::atBlockEnd(&block);
      func::ReturnOp::create(at, loc,
                             body(at, Values(block.getArguments()), always));
      Operation *call = nullptr;
      Values values = carried;
      for (int64_t left = maker.between(1, 2); left > 0; --left) {
        call = func::CallOp::create(b, loc, function, values);
        std::copy_n(call->result_begin(), yields, values.begin());
      }
      return call;
    }
    case Switch: {
      // The argument may be one number more than there are cases, which selects
      // the default.
      SmallVector<int64_t> cases;
      for (int64_t more = maker.below(4); more > 0; --more)
        cases.push_back(std::ssize(cases) + 1);
      Value count = maker.constant(ElementType::I32,
                                   static_cast<double>(cases.size() + 1)),
            within = arith::RemUIOp::create(b, loc, decides, count),
            which =
                arith::IndexCastOp::create(b, loc, b.getIndexType(), within);
      auto isDefault = [&](OpBuilder &at) {
        return compare(at, equal, within,
                       FunctionMaker::constant(at, at.getI32Type(), 0));
      };
      auto op =
          scf::IndexSwitchOp::create(b, loc, types, which, cases, cases.size());
      fill(op.getDefaultRegion(), isDefault);
      for (mlir::Region &each : op.getCaseRegions())
        fill(each, isDefault);
      return op;
    }
    }
    return nullptr;
  }

  OperationMaker &maker;
  OpBuilder &b;
  Location loc = b.getUnknownLoc();
  Kind kind;
  bool handsOn;
  /// What is carried, and the layout of moves there and back.
  Fact like, between;
  Values carried;
  int64_t yields = 1;
  /// What an scf.if or a switch decides by.
  Value decides;
};

template <Carrier::Kind... kinds>
void carry(OperationMaker &maker) {
  constexpr Carrier::Kind kKinds[] = {kinds...};
  Carrier(maker, maker.oneOf(kKinds), false).add();
}

/// One tensor as two results, exchanged iteration arguments, constants, values
/// from before the loop, loops that never run.
template <Carrier::Kind... kinds>
void handOn(OperationMaker &maker) {
  constexpr Carrier::Kind kKinds[] = {kinds...};
  Carrier(maker, maker.oneOf(kKinds), true).add();
}

} // namespace

std::span<const StepRow> controlSteps() {
  using C = Carrier;
  static constexpr StepRow kRows[] = {
      {carry<C::If>, {.more = 2}},
      {carry<C::For, C::While, C::ExecuteRegion, C::Call>, {.more = 4}},
      {handOn<C::If, C::For, C::For, C::While, C::While, C::ExecuteRegion,
              C::Call, C::Call>,
       {.rare = 3}},
      {carry<C::Switch>, {.rare = 1}},
      {handOn<C::Switch>, {.rare = 1}},
  };
  return kRows;
}

} // namespace npu
