// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds of numbers by their values at a few lengths; where these do not say,
// by the bounds of their operands.

#include "NumberBounds.h"

#include "npu/Dialect/NPU/IR/DimensionNames.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"

#include "llvm/ADT/DenseSet.h"

#include <numeric>

using namespace mlir;

namespace npu {
namespace {

/// Constants stay below this, so that sums and products of two fit 64 bits.
constexpr int64_t kMostNumber = int64_t(1) << 40;
/// A number is asked for at no more lengths, or choices of lengths, than these.
constexpr int64_t kMostLengths = int64_t(1) << 13;
/// So many operations and expressions are looked at for one number, at all
/// lengths together.
constexpr int64_t kMostVisits = int64_t(1) << 18;

std::optional<int64_t> product(int64_t a, int64_t b) {
  int64_t result = 0;
  if (std::abs(a) > kMostNumber || std::abs(b) > kMostNumber ||
      llvm::MulOverflow(a, b, result) || std::abs(result) > kMostNumber)
    return std::nullopt;
  return result;
}

/// The argument of a function that a value is an extent of.
BlockArgument promptOf(Value value) {
  auto dim = dyn_cast_if_present<ShapedDimOpInterface>(value.getDefiningOp());
  auto argument =
      dim ? dyn_cast<BlockArgument>(dim.getShapedValue()) : BlockArgument();
  return argument &&
                 isa<FunctionOpInterface>(argument.getOwner()->getParentOp())
             ? argument
             : BlockArgument();
}

/// Whether a function has prompts of several names.
bool hasSeveralPrompts(FunctionOpInterface function) {
  auto first = findPromptDim(function, [](StringRef) { return true; });
  return first && findPromptDim(function, [&](StringRef name) {
           return name != first->name();
         });
}

bool isExtremeOrProduct(Value value) {
  return isa_and_present<arith::MaxSIOp, arith::MinSIOp, arith::MulIOp>(
      value.getDefiningOp());
}

/// A number as a function of the extents that it follows from.
class Function {
public:
  using BoundsOf = llvm::function_ref<NumberBounds(Value)>;

  /// Null where something has no lower bound that it follows from, or where
  /// too much was looked at, which `visits` counts. Where `boundsOfExtremes` is
  /// given, maxima, minima and products stand for themselves, as extents do:
  /// what is found holds for all numbers within their bounds. Example: m - (m +
  /// 1) floordiv 2 is at least 0 for any m of 0 to 34.
  static std::optional<Function> of(OpFoldResult number, Lengths lengths,
                                    int64_t &visits,
                                    BoundsOf boundsOfExtremes = {}) {
    Function function(visits);
    function.number = number;
    function.asked = lengths;
    if (!function.addExtents(number, boundsOfExtremes))
      return std::nullopt;
    return function;
  }

  /// Bounds; nothing where a few lengths do not say.
  std::optional<NumberBounds> bounds() {
    std::optional<Course> course = courseOf(number);
    if (!course)
      return std::nullopt;
    SmallVector<int64_t> ends;
    int64_t choices = 1;
    for (auto [first, last, begin, period, step] : llvm::zip_equal(
             firsts, lasts, course->from, course->periods, course->steps)) {
      int64_t end = begin + period;
      if (last && (*last < end || *last - first < kMostLengths)) {
        end = *last + 1;
        step = 0;
      }
      ends.push_back(end);
      choices *= end - first;
      if (choices > kMostLengths)
        return std::nullopt;
    }
    std::optional<int64_t> least, most;
    SmallVector<int64_t> lengths(firsts);
    for (;;) {
      std::optional<int64_t> value = valueAt(number, lengths);
      if (!value)
        return std::nullopt;
      least = std::min(least.value_or(*value), *value);
      most = std::max(most.value_or(*value), *value);
      std::size_t dim = 0;
      while (dim < lengths.size() && ++lengths[dim] == ends[dim]) {
        lengths[dim] = firsts[dim];
        ++dim;
      }
      if (dim == lengths.size())
        break;
    }
    NumberBounds bounds;
    if (llvm::all_of(course->steps, [](int64_t step) { return step >= 0; }))
      bounds.least = least;
    if (llvm::all_of(course->steps, [](int64_t step) { return step <= 0; }))
      bounds.most = most;
    return bounds;
  }

  /// The shortest length at which the number is below a bound, and the number
  /// there, where it follows from one extent alone.
  std::optional<std::pair<int64_t, int64_t>> firstBelow(int64_t bound) {
    if (extents.size() != 1)
      return std::nullopt;
    for (int64_t at = firsts[0]; at < kMostLengths; ++at) {
      std::optional<int64_t> value = valueAt(number, at);
      if (!value)
        return std::nullopt;
      if (*value < bound)
        return std::pair(at, *value);
    }
    return std::nullopt;
  }

  Value onlyExtent() const { return extents.front(); }

private:
  explicit Function(int64_t &visits) : visits(visits) {}

  /// How a number goes on: from some lengths on, it is more by `steps[i]` where
  /// extent i is more by `periods[i]`.
  struct Course {
    SmallVector<int64_t> periods, steps, from;
  };

  bool mayVisit() { return ++visits <= kMostVisits; }

  void addExtent(Value value, int64_t first,
                 std::optional<int64_t> last = std::nullopt) {
    extents.push_back(value);
    firsts.push_back(first);
    lasts.push_back(last);
  }

  bool addExtents(OpFoldResult what, BoundsOf boundsOfExtremes) {
    auto value = dyn_cast<Value>(what);
    if (!value)
      return getConstantIntValue(what).has_value();
    if (!mayVisit())
      return false;
    if (getConstantIntValue(value) || !added.insert(value).second)
      return true;
    Operation *op = value.getDefiningOp();
    if (isa_and_present<ShapedDimOpInterface>(op)) {
      BlockArgument prompt = promptOf(value);
      bool mayBeEmpty = !prompt || (asked == Lengths::OfRuns &&
                                    hasSeveralPrompts(cast<FunctionOpInterface>(
                                        prompt.getOwner()->getParentOp())));
      addExtent(value, mayBeEmpty ? 0 : 1);
      return true;
    }
    if (boundsOfExtremes && isExtremeOrProduct(value)) {
      NumberBounds bounds = boundsOfExtremes(value);
      if (bounds.least)
        addExtent(value, *bounds.least, bounds.most);
      return bounds.least.has_value();
    }
    return isa_and_present<affine::AffineApplyOp, arith::MaxSIOp,
                           arith::MinSIOp>(op) &&
           llvm::all_of(op->getOperands(), [&](Value operand) {
             return addExtents(operand, boundsOfExtremes);
           });
  }

  // Values.

  std::optional<int64_t> valueAt(OpFoldResult what, ArrayRef<int64_t> lengths) {
    values.clear();
    return valueOf(what, lengths);
  }

  std::optional<int64_t> valueOf(OpFoldResult what, ArrayRef<int64_t> lengths) {
    if (std::optional<int64_t> constant = getConstantIntValue(what))
      return constant;
    auto value = cast<Value>(what);
    if (auto known = values.find(value); known != values.end())
      return known->second;
    std::optional<int64_t> result = computed(value, lengths);
    if (result)
      values[value] = *result;
    return result;
  }

  std::optional<int64_t> computed(Value value, ArrayRef<int64_t> lengths) {
    if (!mayVisit())
      return std::nullopt;
    if (const auto *found = llvm::find(extents, value); found != extents.end())
      return lengths[found - extents.begin()];
    Operation *op = value.getDefiningOp();
    SmallVector<int64_t> operands;
    for (Value operand : op->getOperands()) {
      std::optional<int64_t> each = valueOf(operand, lengths);
      if (!each)
        return std::nullopt;
      operands.push_back(*each);
    }
    if (isa<arith::MaxSIOp>(op))
      return std::max(operands[0], operands[1]);
    if (isa<arith::MinSIOp>(op))
      return std::min(operands[0], operands[1]);
    AffineMap map = cast<affine::AffineApplyOp>(op).getAffineMap();
    return valueOf(map.getResult(0), map.getNumDims(), operands);
  }

  std::optional<int64_t> valueOf(AffineExpr expr, unsigned dims,
                                 ArrayRef<int64_t> operands) {
    if (!mayVisit())
      return std::nullopt;
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return constant.getValue();
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return operands[dim.getPosition()];
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      return operands[dims + symbol.getPosition()];
    auto binary = cast<AffineBinaryOpExpr>(expr);
    auto a = valueOf(binary.getLHS(), dims, operands),
         b = valueOf(binary.getRHS(), dims, operands);
    if (!a || !b || std::abs(*a) > kMostNumber || std::abs(*b) > kMostNumber)
      return std::nullopt;
    if (expr.getKind() == AffineExprKind::Add)
      return *a + *b;
    if (expr.getKind() == AffineExprKind::Mul)
      return product(*a, *b);
    if (*b < 1)
      return std::nullopt;
    switch (expr.getKind()) {
    case AffineExprKind::FloorDiv:
      return llvm::divideFloorSigned(*a, *b);
    case AffineExprKind::CeilDiv:
      return llvm::divideCeilSigned(*a, *b);
    default:
      return llvm::mod(*a, *b);
    }
  }

  // Courses.

  Course constantCourse() const {
    return {SmallVector<int64_t>(extents.size(), 1),
            SmallVector<int64_t>(extents.size(), 0), firsts};
  }

  std::optional<Course> courseOf(OpFoldResult what) {
    if (getConstantIntValue(what))
      return constantCourse();
    auto value = cast<Value>(what);
    if (auto known = courses.find(value); known != courses.end())
      return known->second;
    std::optional<Course> course = foundCourse(value);
    if (course)
      courses.try_emplace(value, *course);
    return course;
  }

  std::optional<Course> foundCourse(Value value) {
    if (!mayVisit())
      return std::nullopt;
    if (const auto *found = llvm::find(extents, value);
        found != extents.end()) {
      Course course = constantCourse();
      course.steps[found - extents.begin()] = 1;
      return course;
    }
    Operation *op = value.getDefiningOp();
    if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
      return courseOf(apply.getAffineMap().getResult(0),
                      apply.getAffineMap().getNumDims(),
                      apply.getMapOperands());
    return courseOfExtreme(op);
  }

  std::optional<Course> courseOf(AffineExpr expr, unsigned dims,
                                 ValueRange operands) {
    if (isa<AffineConstantExpr>(expr))
      return constantCourse();
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return courseOf(OpFoldResult(operands[dim.getPosition()]));
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      return courseOf(OpFoldResult(operands[dims + symbol.getPosition()]));
    if (!mayVisit())
      return std::nullopt;
    auto binary = cast<AffineBinaryOpExpr>(expr);
    std::optional<Course> course = courseOf(binary.getLHS(), dims, operands);
    if (!course)
      return std::nullopt;
    if (expr.getKind() == AffineExprKind::Add) {
      std::optional<Course> other = courseOf(binary.getRHS(), dims, operands);
      if (!other || !haveSamePeriods(*course, *other))
        return std::nullopt;
      for (auto [step, more] : llvm::zip_equal(course->steps, other->steps))
        step += more;
      return course;
    }
    auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (!constant || std::abs(constant.getValue()) > kMostNumber)
      return std::nullopt;
    int64_t by = constant.getValue();
    bool isProduct = expr.getKind() == AffineExprKind::Mul;
    if (!isProduct && by < 1)
      return std::nullopt;
    for (auto [period, step] :
         llvm::zip_equal(course->periods, course->steps)) {
      // A quotient goes on by whole numbers where the dividend does by
      // multiples of the divisor.
      int64_t times = isProduct ? 1 : by / std::gcd(by, step);
      auto longer = product(period, times),
           more = product(step, isProduct ? by : times);
      if (!longer || *longer > kMostLengths || !more)
        return std::nullopt;
      period = *longer;
      step = isProduct                               ? *more
             : expr.getKind() == AffineExprKind::Mod ? 0
                                                     : *more / by;
    }
    return course;
  }

  /// Gives both the periods and the first lengths that they have in common.
  static bool haveSamePeriods(Course &a, Course &b) {
    for (std::size_t at = 0; at < a.periods.size(); ++at) {
      int64_t common = std::lcm(a.periods[at], b.periods[at]);
      if (common > kMostLengths)
        return false;
      for (Course *each : {&a, &b}) {
        auto step = product(each->steps[at], common / each->periods[at]);
        if (!step)
          return false;
        each->steps[at] = *step;
        each->periods[at] = common;
      }
      a.from[at] = b.from[at] = std::max(a.from[at], b.from[at]);
    }
    return true;
  }

  /// Of a maximum or a minimum. Of two numbers that go on by different steps,
  /// one is always the larger one from some length on.
  std::optional<Course> courseOfExtreme(Operation *op) {
    OpFoldResult left = op->getOperand(0), right = op->getOperand(1);
    std::optional<Course> a = courseOf(left), b = courseOf(right);
    if (!a || !b || !haveSamePeriods(*a, *b))
      return std::nullopt;
    if (a->steps == b->steps)
      return a;
    if (extents.size() != 1)
      return std::nullopt;
    bool isLeftLarger = a->steps[0] > b->steps[0];
    Course result = isLeftLarger == isa<arith::MaxSIOp>(op) ? *a : *b;
    int64_t at = result.from[0];
    for (int64_t since = 0; since < result.periods[0]; ++at) {
      if (at > kMostLengths)
        return std::nullopt;
      values.clear();
      auto one = valueOf(left, at), other = valueOf(right, at);
      if (!one || !other)
        return std::nullopt;
      bool isSettled = isLeftLarger ? *one >= *other : *one <= *other;
      since = isSettled ? since + 1 : 0;
    }
    result.from[0] = at - result.periods[0];
    return result;
  }

  OpFoldResult number;
  Lengths asked = Lengths::FromOne;
  SmallVector<Value> extents;
  SmallVector<int64_t> firsts;
  /// The largest values of what stands for itself, where they are known.
  SmallVector<std::optional<int64_t>> lasts;
  int64_t &visits;
  /// What is known of values that are used more than once: that their extents
  /// are added, their values at the present lengths, and their courses.
  llvm::DenseSet<Value> added;
  llvm::DenseMap<Value, int64_t> values;
  llvm::DenseMap<Value, Course> courses;
};

/// Bounds of a number by its values at a few lengths; where these do not say,
/// by the bounds of what it is computed from.
class BoundsFinder {
public:
  explicit BoundsFinder(Lengths lengths) : lengths(lengths) {}

  NumberBounds of(OpFoldResult number) {
    if (std::optional<int64_t> constant = getConstantIntValue(number))
      return {constant, constant};
    if (!number)
      return {};
    auto value = cast<Value>(number);
    if (auto known = found.find(value); known != found.end())
      return known->second;
    NumberBounds bounds = computed(value);
    found[value] = bounds;
    return bounds;
  }

private:
  static std::optional<int64_t> extreme(std::optional<int64_t> x,
                                        std::optional<int64_t> y, bool isMax) {
    return isMax ? std::max(*x, *y) : std::min(*x, *y);
  }
  /// Of one bound, where the other is not known.
  static std::optional<int64_t> either(std::optional<int64_t> x,
                                       std::optional<int64_t> y, bool isMax) {
    return !x ? y : !y ? x : extreme(x, y, isMax);
  }
  static std::optional<int64_t> neither(std::optional<int64_t> x,
                                        std::optional<int64_t> y, bool isMax) {
    return x && y ? extreme(x, y, isMax) : std::nullopt;
  }

  NumberBounds computed(Value value) {
    if (std::optional<Function> function = Function::of(value, lengths, visits))
      if (std::optional<NumberBounds> bounds = function->bounds())
        return *bounds;
    Operation *op = value.getDefiningOp();
    if (auto apply = dyn_cast_if_present<affine::AffineApplyOp>(op))
      return ofApplied(apply);
    if (!isExtremeOrProduct(value))
      return {};
    NumberBounds a = of(op->getOperand(0)), b = of(op->getOperand(1));
    if (isa<arith::MaxSIOp>(op))
      return {either(a.least, b.least, true), neither(a.most, b.most, true)};
    if (isa<arith::MinSIOp>(op))
      return {neither(a.least, b.least, false), either(a.most, b.most, false)};
    if (a.least && b.least && *a.least >= 0 && *b.least >= 0)
      return {product(*a.least, *b.least),
              a.most && b.most ? product(*a.most, *b.most) : std::nullopt};
    return {};
  }

  /// The bounds of an expression by those of its parts, and by its values for
  /// all numbers that the maxima, minima and products in it may be.
  NumberBounds ofApplied(affine::AffineApplyOp apply) {
    NumberBounds bounds =
        of(apply.getAffineMap().getResult(0), apply.getAffineMap().getNumDims(),
           apply.getMapOperands());
    if (llvm::none_of(apply.getMapOperands(), isExtremeOrProduct))
      return bounds;
    auto boundsOf = [&](Value value) { return of(OpFoldResult(value)); };
    std::optional<Function> function =
        Function::of(apply.getResult(), lengths, visits, boundsOf);
    NumberBounds byValues;
    if (function)
      byValues = function->bounds().value_or(NumberBounds());
    return {either(bounds.least, byValues.least, true),
            either(bounds.most, byValues.most, false)};
  }

  /// The bounds of an expression by those of its operands.
  NumberBounds of(AffineExpr expr, unsigned dims, ValueRange operands) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return {constant.getValue(), constant.getValue()};
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return of(OpFoldResult(operands[dim.getPosition()]));
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      return of(OpFoldResult(operands[dims + symbol.getPosition()]));
    auto binary = cast<AffineBinaryOpExpr>(expr);
    NumberBounds a = of(binary.getLHS(), dims, operands),
                 b = of(binary.getRHS(), dims, operands);
    auto both = [](std::optional<int64_t> x, std::optional<int64_t> y,
                   auto combine) -> std::optional<int64_t> {
      if (!x || !y || std::abs(*x) > kMostNumber || std::abs(*y) > kMostNumber)
        return std::nullopt;
      return combine(*x, *y);
    };
    if (expr.getKind() == AffineExprKind::Add) {
      auto sum = [](int64_t x, int64_t y) { return x + y; };
      return {both(a.least, b.least, sum), both(a.most, b.most, sum)};
    }
    auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (!by)
      return {};
    int64_t factor = by.getValue();
    auto scaled = [&](auto combine) -> NumberBounds {
      NumberBounds result{both(a.least, factor, combine),
                          both(a.most, factor, combine)};
      if (factor < 0)
        std::swap(result.least, result.most);
      return result;
    };
    switch (expr.getKind()) {
    case AffineExprKind::Mul:
      return scaled(product);
    case AffineExprKind::FloorDiv:
      return scaled(
          [](int64_t x, int64_t y) { return llvm::divideFloorSigned(x, y); });
    case AffineExprKind::CeilDiv:
      return scaled(
          [](int64_t x, int64_t y) { return llvm::divideCeilSigned(x, y); });
    case AffineExprKind::Mod:
      return {0, factor - 1};
    default:
      return {};
    }
  }

  Lengths lengths;
  int64_t visits = 0;
  llvm::DenseMap<Value, NumberBounds> found;
};

} // namespace

StringRef PromptDim::name() const {
  return nameOfDimension(
      cast<FunctionOpInterface>(argument.getOwner()->getParentOp()),
      argument.getArgNumber(), dim);
}

std::optional<PromptDim>
findPromptDim(FunctionOpInterface function,
              llvm::function_ref<bool(StringRef)> isWanted) {
  for (BlockArgument argument : function.getArguments())
    if (auto type = dyn_cast<RankedTensorType>(argument.getType()))
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        if (PromptDim each{argument, dim};
            type.isDynamicDim(dim) && isWanted(each.name()))
          return each;
  return std::nullopt;
}

NumberBounds boundsOf(OpFoldResult number, Lengths lengths) {
  return BoundsFinder(lengths).of(number);
}

std::string describeBelow(OpFoldResult number, int64_t bound) {
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return std::to_string(*constant);
  int64_t visits = 0;
  std::optional<Function> function =
      number ? Function::of(number, Lengths::FromOne, visits) : std::nullopt;
  auto found = function ? function->firstBelow(bound) : std::nullopt;
  BlockArgument argument =
      found ? promptOf(function->onlyExtent()) : BlockArgument();
  if (!argument)
    return "possibly less than " + std::to_string(bound) +
           ", as far as is known";
  std::string text = std::to_string(found->second) + " at length " +
                     std::to_string(found->first);
  auto dim = function->onlyExtent().getDefiningOp<ShapedDimOpInterface>();
  if (auto which = getConstantIntValue(dim.getDimension()))
    if (StringRef name = PromptDim{argument, *which}.name(); !name.empty())
      text += (" of '" + name + "'").str();
  return text;
}

} // namespace npu
