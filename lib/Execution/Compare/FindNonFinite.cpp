// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All counts are taken in one run of one function, so that nothing depends on
// whether NaN, once made, stays to the end. Operations in regions count as a
// part of the operation in the function's body that they are in.

#include "FindNonFinite.h"

#include "NonFinite.h"
#include "npu/Execution/Jit/CompiledFunction.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Support/Naming.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// A value whose entries are counted, and what has to be known of it when its
/// function is gone.
struct Counted {
  std::string name;
  /// Whether it is an argument or a constant, whose entries nobody computed.
  bool isGiven = false;
  /// Whether its operation reads a tensor that nobody has written.
  bool readsUnwritten = false;
  /// The numbers of the counted values that it is computed from.
  SmallVector<size_t> operands;
  NonFiniteCount count;
};

FloatType countedType(Value value) {
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(value.getType()));
  bool isShaped = isa<RankedTensorType>(value.getType());
  if (!type || (!isShaped && value.getType() != type))
    return {};
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type)
             ? type
             : FloatType();
}

/// Writes counters into a function and returns their values as one more result.
class Census {
public:
  explicit Census(func::FuncOp function)
      : function(function), body(function.front()),
        builder(function.getContext()) {}

  /// Counts in everything that result `number` is computed from.
  std::vector<Counted> count(unsigned number) {
    auto terminator = cast<func::ReturnOp>(body.getTerminator());
    Value result = terminator.getOperand(number);
    collect(result);
    for (BlockArgument argument : body.getArguments())
      if (wanted.contains(argument)) {
        builder.setInsertionPointToStart(&body);
        add(argument, fmt::format("argument #{}", argument.getArgNumber()), {});
      }
    for (Operation &op : llvm::make_early_inc_range(body.without_terminator()))
      addResults(op);
    if (!scalars.empty())
      giveCounts(terminator);
    if (auto it = numbers.find(result); it != numbers.end())
      resultNumber = it->second;
    return std::move(values);
  }

  /// The number of the result among the values; the last one where the result
  /// is not counted.
  std::optional<size_t> resultNumber;

private:
  /// Collects the values of the body that a value is computed from.
  void collect(Value result) {
    SmallVector<Value> worklist{result};
    while (!worklist.empty()) {
      Value value = worklist.pop_back_val();
      if (value.getParentBlock() != &body || !wanted.insert(value).second)
        continue;
      if (Operation *op = value.getDefiningOp())
        llvm::append_range(worklist, operandsOf(*op));
    }
  }

  /// Operands, and what regions take from outside of them.
  static llvm::SetVector<Value> operandsOf(Operation &op) {
    llvm::SetVector<Value> operands(op.operand_begin(), op.operand_end());
    getUsedValuesDefinedAbove(op.getRegions(), operands);
    return operands;
  }

  void addResults(Operation &op) {
    // What nobody has written is not wrong before somebody reads it.
    if (llvm::any_of(op.getResults(), isUnwritten) ||
        llvm::none_of(op.getResults(),
                      [&](Value v) { return wanted.contains(v); }))
      return;
    SmallVector<size_t> operands;
    for (Value operand : operandsOf(op))
      if (auto known = numbers.find(operand); known != numbers.end())
        operands.push_back(known->second);
    std::string name =
        fmt::format("{} at {}", op.getName().getStringRef().str(),
                    nameOfLocation(op.getLoc()));
    builder.setInsertionPointAfter(&op);
    for (Value result : op.getResults())
      if (wanted.contains(result)) {
        add(result, name, operands);
        if (numbers.contains(result))
          values.back().readsUnwritten = readsUnwritten(op);
      }
  }

  /// Whether `op` reads a tensor that nobody has written: a forgotten fill.
  static bool readsUnwritten(Operation &op) {
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    return llvm::any_of(op.getOpOperands(), [&](OpOperand &operand) {
      return isa<RankedTensorType>(operand.get().getType()) &&
             isUnwritten(operand.get()) &&
             (structured ? structured.payloadUsesValueFromOperand(&operand)
                         : OpTrait::hasElementwiseMappableTraits(&op));
    });
  }

  void add(Value value, std::string name, SmallVector<size_t> operands) {
    FloatType type = countedType(value);
    if (!type)
      return;
    Location loc = value.getLoc();
    Operation *op = value.getDefiningOp();
    numbers[value] = values.size();
    bool isGiven =
        !op || (op->getNumOperands() == 0 && op->getNumRegions() == 0);
    values.push_back({std::move(name),
                      isGiven,
                      /*readsUnwritten=*/false,
                      std::move(operands),
                      {}});
    Value tensor = value;
    if (!isa<RankedTensorType>(value.getType()))
      tensor = tensor::FromElementsOp::create(
          builder, loc, RankedTensorType::get({}, type), value);
    llvm::append_range(scalars, countersOf(tensor, type, loc));
  }

  /// Builds the numbers of entries, of NaN and of infinities that are not
  /// poison, each an i64.
  SmallVector<Value> countersOf(Value tensor, FloatType type, Location loc) {
    auto counter = RankedTensorType::get({}, builder.getI64Type());
    Value zero = arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(counter, int64_t{0}));
    int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
    SmallVector<AffineMap> maps(4, AffineMap::get(rank, 0, type.getContext()));
    maps[0] = builder.getMultiDimIdentityMap(rank);
    SmallVector<utils::IteratorType> loops(rank,
                                           utils::IteratorType::reduction);
    auto generic = linalg::GenericOp::create(
        builder, loc, TypeRange{counter, counter, counter}, tensor,
        ValueRange{zero, zero, zero}, maps, loops,
        [&](OpBuilder &inner, Location at, ValueRange arguments) {
          buildCounting(inner, at, type, arguments);
        });
    SmallVector<Value> counts;
    for (Value result : generic.getResults())
      counts.push_back(
          tensor::ExtractOp::create(builder, loc, result, ValueRange()));
    return counts;
  }

  /// Compares bits, because poison is a NaN like others.
  static void buildCounting(OpBuilder &inner, Location loc, FloatType type,
                            ValueRange arguments) {
    auto integer = inner.getIntegerType(type.getWidth());
    auto constant = [&](const APInt &bits) -> Value {
      return arith::ConstantOp::create(inner, loc,
                                       inner.getIntegerAttr(integer, bits));
    };
    APInt infinity = APFloat::getInf(type.getFloatSemantics()).bitcastToAPInt();
    APInt poison = APInt::getSplat(type.getWidth(), APInt(16, 0xFFFB));
    Value bits = arith::BitcastOp::create(inner, loc, integer, arguments[0]);
    Value magnitude = arith::AndIOp::create(
        inner, loc, bits, constant(APInt::getSignedMaxValue(type.getWidth())));
    auto compare = [&](arith::CmpIPredicate predicate, Value a, Value b) {
      return arith::CmpIOp::create(inner, loc, predicate, a, b).getResult();
    };
    Value isInfinite =
        compare(arith::CmpIPredicate::eq, magnitude, constant(infinity));
    Value isNan =
        compare(arith::CmpIPredicate::ugt, magnitude, constant(infinity));
    Value isWritten = compare(arith::CmpIPredicate::ne, bits, constant(poison));
    isNan = arith::AndIOp::create(inner, loc, isNan, isWritten);
    const Value conditions[] = {isWritten, isNan, isInfinite};
    SmallVector<Value> sums;
    for (auto [condition, sum] : llvm::zip(conditions, arguments.drop_front()))
      sums.push_back(arith::AddIOp::create(
          inner, loc, sum,
          arith::ExtUIOp::create(inner, loc, inner.getI64Type(), condition)));
    linalg::YieldOp::create(inner, loc, sums);
  }

  void giveCounts(func::ReturnOp terminator) {
    builder.setInsertionPoint(terminator);
    auto type = RankedTensorType::get({static_cast<int64_t>(scalars.size())},
                                      builder.getI64Type());
    Value counts = tensor::FromElementsOp::create(builder, terminator.getLoc(),
                                                  type, scalars);
    unsigned number = function.getNumResults();
    (void)function.insertResult(number, type, {});
    terminator->insertOperands(number, counts);
  }

  func::FuncOp function;
  Block &body;
  OpBuilder builder;
  llvm::DenseSet<Value> wanted;
  llvm::DenseMap<Value, size_t> numbers;
  std::vector<Counted> values;
  SmallVector<Value> scalars;
};

std::string describe(const Counted &value) {
  return fmt::format("{}: {}", value.name, toString(value.count));
}

/// The first value with NaN (or, unless `onlyNan`, infinities) that is computed
/// from values without; null where there is none. Only values count from which
/// the entries of the result may have come: what an operation on the way has
/// swallowed, such as the -inf that exp makes 0, is no reason.
const Counted *firstMade(const std::vector<Counted> &values, size_t result,
                         bool onlyNan) {
  auto hasSome = [&](const Counted &value) {
    return (onlyNan ? value.count.nan : value.count.total()) > 0;
  };
  llvm::DenseSet<size_t> reached;
  SmallVector<size_t> worklist{result};
  while (!worklist.empty()) {
    size_t next = worklist.pop_back_val();
    if (hasSome(values[next]) && reached.insert(next).second)
      llvm::append_range(worklist, values[next].operands);
  }
  for (auto [number, value] : llvm::enumerate(values))
    if (reached.contains(number) && !value.isGiven &&
        (value.readsUnwritten || llvm::none_of(value.operands, [&](size_t i) {
           return hasSome(values[i]);
         })))
      return &value;
  return nullptr;
}

constexpr const char *kForgotten =
    " reads a tensor.empty that nobody has written (a linalg.fill is missing)";

/// What is said about the values after a result.
std::vector<std::string> conclude(const std::vector<Counted> &values,
                                  size_t result) {
  std::vector<std::string> lines;
  const Counted *any = firstMade(values, result, /*onlyNan=*/false);
  const Counted *nan = firstMade(values, result, /*onlyNan=*/true);
  if (any)
    lines.push_back("since " + describe(*any) +
                    (any->readsUnwritten ? ", which" + std::string(kForgotten)
                                         : ", of finite operands"));
  if (nan && nan != any)
    lines.push_back((any ? "NaN since " : "since ") + describe(*nan) +
                    ", of operands without NaN");
  if (!lines.empty())
    return lines;
  for (const Counted &value : values)
    if (value.isGiven && value.count.total() > 0)
      lines.push_back("given by " + describe(value));
  if (!lines.empty())
    return lines;
  // What is computed from poison alone is poison, which is not counted.
  lines.emplace_back(
      "no operation makes them: they are entries that nobody has "
      "written");
  for (const Counted &value : values)
    if (value.readsUnwritten)
      lines.push_back(value.name + kForgotten);
  return lines;
}

} // namespace

std::vector<std::string> findNonFinite(OwningOpRef<ModuleOp> module,
                                       StringRef entry, unsigned number,
                                       const std::vector<HostTensor> &inputs,
                                       unsigned optLevel) {
  auto why = [](const std::string &reason) {
    return std::vector<std::string>{"since which operation is not known: " +
                                    reason};
  };
  auto function = module->lookupSymbol<func::FuncOp>(entry);
  if (!function.getBody().hasOneBlock())
    return why("the function branches between blocks");
  if (!SymbolTable::symbolKnownUseEmpty(function, *module))
    return why("the function calls itself");
  function.getContext()
      ->loadDialect<arith::ArithDialect, linalg::LinalgDialect,
                    tensor::TensorDialect>();
  Census census(function);
  std::vector<Counted> values = census.count(number);
  if (values.empty())
    return why("the result follows from no float");
  auto compiled = CompiledFunction::bufferize(std::move(module), entry);
  if (failed(compiled))
    return why("the function with counters was refused");
  ByteSum needed;
  (*compiled)->addMemory(needed);
  if (Result<> error = checkMemory(needed); !error)
    return why(error.error().message);
  if (failed((*compiled)->compile(optLevel)))
    return why("the function with counters was refused");
  auto results = (*compiled)->run(inputs);
  if (failed(results))
    return why("the function with counters did not run");
  const HostTensor &counts = results->back();
  for (auto [i, value] : llvm::enumerate(values)) {
    auto at = [&](size_t k) {
      return static_cast<int64_t>(bitsAt(counts, 3 * i + k));
    };
    value.count = {at(0), at(1), at(2)};
  }
  return conclude(values, census.resultNumber.value_or(values.size() - 1));
}

} // namespace npu
