// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-track-rounding-errors: replaces each function by one on pairs.

#include "Tracker.h"
#include "npu/Audit/TrackErrors/Passes.h"
#include "npu/Conversion/Buffers/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace npu {

/// The order of loops, where another one is better.
static std::optional<SmallVector<unsigned>> fastOrder(linalg::GenericOp op) {
  unsigned loops = op.getNumLoops();
  if (loops < 2 || op.getNumDpsInits() != 1 ||
      op.getIteratorTypesArray().back() != utils::IteratorType::reduction)
    return std::nullopt;
  AffineMap map = op.getMatchingIndexingMap(&op.getDpsInitsMutable()[0]);
  if (map.getNumResults() == 0)
    return std::nullopt;
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  if (!last)
    return std::nullopt;
  SmallVector<unsigned> order;
  for (unsigned loop = 0; loop < loops; ++loop)
    if (loop != last.getPosition())
      order.push_back(loop);
  order.push_back(last.getPosition());
  return order;
}

/// Makes structured operations generic, and the innermost loop of those whose
/// innermost loop is a reduction the one along the last dimension of the
/// result. Each sum keeps its order, so that no bit of a result changes.
/// Example: rows, columns, terms of a matmul become rows, terms, columns.
static void generalizeForSpeed(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  SmallVector<linalg::LinalgOp> named;
  SmallVector<linalg::GenericOp> generic;
  function.walk([&](linalg::LinalgOp op) {
    if (!op.hasPureTensorSemantics())
      return;
    if (auto already = dyn_cast<linalg::GenericOp>(op.getOperation()))
      generic.push_back(already);
    else
      named.push_back(op);
  });
  for (linalg::LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    if (auto made = linalg::generalizeNamedOp(rewriter, op); succeeded(made))
      generic.push_back(*made);
  }
  for (linalg::GenericOp op : generic) {
    rewriter.setInsertionPoint(op);
    if (auto order = fastOrder(op))
      (void)linalg::interchangeGenericOp(rewriter, op, *order);
  }
}

#define GEN_PASS_DEF_TRACKROUNDINGERRORS
#include "npu/Audit/TrackErrors/Passes.h.inc"

namespace {

std::string nameOfType(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

/// Reports why a function can have no pairs.
LogicalResult checkShape(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitError() << "expected one block, got "
                                << function.getBody().getBlocks().size();
  for (TypeRange types : {TypeRange(function.getArgumentTypes()),
                          TypeRange(function.getResultTypes())})
    for (Type type : types)
      if (auto shaped = dyn_cast<ShapedType>(type);
          shaped && (!isa<RankedTensorType>(type) || !shaped.hasStaticShape()))
        return function.emitError()
               << "expected tensors of static shape, got " << nameOfType(type);
  func::CallOp last;
  function.walk([&](func::CallOp call) { last = call; });
  if (last)
    return function.emitError()
           << "expected no calls, got one of '" << last.getCallee() << "'";
  return success();
}

class Rewrite {
public:
  Rewrite(func::FuncOp function, ArrayRef<int64_t> exact)
      : function(function), exact(exact), builder(function.getContext()),
        tracker(builder, unknown) {}

  void run() {
    Block &old = function.front();
    auto *body = new Block;
    function.getBody().push_back(body);
    builder.setInsertionPointToStart(body);
    SmallVector<Type> arguments;
    SmallVector<DictionaryAttr> attributes;
    bindArguments(old, *body, arguments, attributes);
    tracker.trackBlock(old);
    Operation *terminator = old.getTerminator();
    SmallVector<Value> results =
        tracker.expand(terminator->getOperands(), /*withMass=*/true);
    func::ReturnOp::create(builder, terminator->getLoc(), results);
    SmallVector<Type> types(TypeRange{ValueRange(results)});
    old.dropAllReferences();
    old.erase();
    function.setType(builder.getFunctionType(arguments, types));
    function.setAllArgAttrs(attributes);
    function.removeResAttrsAttr();
    if (!unknown.empty())
      function->setAttr(notTrackedAttrName,
                        builder.getStrArrayAttr(unknown.getArrayRef()));
  }

private:
  void bindArguments(Block &old, Block &body, SmallVector<Type> &types,
                     SmallVector<DictionaryAttr> &attributes) {
    auto add = [&](Type type, Location loc, unsigned number) -> Value {
      types.push_back(type);
      attributes.push_back(function.getArgAttrDict(number));
      return body.addArgument(type, loc);
    };
    for (BlockArgument argument : old.getArguments()) {
      unsigned number = argument.getArgNumber();
      Location loc = argument.getLoc();
      Type type = argument.getType();
      bool isFloat = isFloatLike(type);
      if (llvm::is_contained(exact, number) ||
          !(isFloat || getElementTypeOrSelf(type).isIntOrIndex())) {
        Value value = add(type, loc, number);
        if (isFloat)
          tracker.set(argument, {value, Value(), Value()});
        else
          tracker.setCopy(argument, value);
        continue;
      }
      Value value = add(isFloat ? inF64(type) : type, loc, number);
      Value error = add(inF64(type), loc, number);
      if (!isFloat)
        tracker.setCopy(argument, value);
      tracker.set(argument, {isFloat ? value : Value(), error, Value()});
    }
  }

  func::FuncOp function;
  ArrayRef<int64_t> exact;
  OpBuilder builder;
  llvm::SetVector<StringRef> unknown;
  Tracker tracker;
};

struct TrackRoundingErrorsPass
    : impl::TrackRoundingErrorsBase<TrackRoundingErrorsPass> {
  using TrackRoundingErrorsBase::TrackRoundingErrorsBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    TrackRoundingErrorsBase::getDependentDialects(registry);
    // Those that the structuring of TOSA needs.
    structuring()->getDependentDialects(registry);
  }

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      if (failed(checkShape(function)))
        return signalPassFailure();
    }
    OpPassManager structure(ModuleOp::getOperationName());
    structure.addPass(structuring());
    if (failed(runPipeline(structure, getOperation())))
      return signalPassFailure();
    SmallVector<int64_t> numbers(exact.begin(), exact.end());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      generalizeForSpeed(function);
      Rewrite(function, numbers).run();
    }
  }

private:
  static std::unique_ptr<Pass> structuring() { return createStructureOps(); }
};

} // namespace
} // namespace npu
