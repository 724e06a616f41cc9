// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-assign-distributions: gives every tensor the layout that follows from its
// shape.

#include "AssignLeast.h"
#include "PinLayouts.h"
#include "npu/Analysis/TargetOf.h"
#include "npu/Assignment/LeastCost.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Dialect/NPU/Transforms/Assign/Passes.h"
#include "npu/Support/Report.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_ASSIGNDISTRIBUTIONS
#include "npu/Dialect/NPU/Transforms/Assign/Passes.h.inc"

namespace {

enum class Strategy { Rows, Duplicate, Least };

/// The layout of a tensor of that shape on that many tiles.
Distribution chosen(ArrayRef<int64_t> shape, Strategy strategy, int64_t tiles) {
  Distribution distribution;
  if (strategy == Strategy::Rows)
    for (size_t dim = 0; dim < shape.size(); ++dim)
      if (shape[dim] >= tiles) {
        distribution.mode = Mode::Segmented;
        distribution.tiles = Extents(shape.size(), 1);
        distribution.tiles[dim] = tiles;
        return distribution;
      }
  distribution.mode = Mode::Duplicated;
  distribution.tileCount = tiles;
  return distribution;
}

/// Types with layouts for types without, always the same one for the same type.
class Assignment {
public:
  Assignment(Strategy strategy, int64_t tiles)
      : strategy(strategy), tiles(tiles) {}

  Type operator()(Type type) const {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !takesLayout(tensor))
      return type;
    Layout layout{chosen(tensor.getShape(), strategy, tiles), {}};
    return withLayout(tensor, makeLayout(type.getContext(), std::move(layout)));
  }

private:
  static bool takesLayout(RankedTensorType tensor) {
    return !tensor.getEncoding() && tensor.hasStaticShape() &&
           tensor.getRank() <= kMaxRank && tensor.getNumElements() > 0 &&
           !tensor.getElementType().isIndex() && hasSize(tensor);
  }

  /// Whether the size in bits is known and fits in 63 bits.
  static bool hasSize(RankedTensorType tensor) {
    auto bits = elementBits(tensor.getElementType());
    int64_t size = bits.value_or(0);
    return bits && llvm::none_of(tensor.getShape(), [&](int64_t extent) {
             return llvm::MulOverflow(size, extent, size);
           });
  }

  Strategy strategy;
  int64_t tiles;
};

/// The values of a constant under a type that differs in its layout.
Attribute withType(Attribute values, ShapedType type) {
  if (auto dense = dyn_cast<DenseElementsAttr>(values))
    return dense.reshape(type);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(values))
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  return values;
}

/// Brings what `op` loads from a symbol, such as a global, on tiles: the loaded
/// tensor itself keeps the type that the symbol has.
void distributeLoaded(Operation *op, const Assignment &assigned) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  for (Value loaded : op->getResults()) {
    Type type = assigned(loaded.getType());
    if (type == loaded.getType())
      continue;
    auto moved = RedistributeOp::create(builder, op->getLoc(), type, loaded);
    loaded.replaceAllUsesExcept(moved, moved);
  }
}

/// Changes the types of the results of `op`, and of its values if it is a
/// constant.
void retype(Operation *op, const Assignment &assigned) {
  if (isa<SymbolUserOpInterface>(op) && !isa<CallOpInterface>(op))
    return distributeLoaded(op, assigned);
  for (Value result : op->getResults()) {
    Type before = result.getType();
    Type after = assigned(before);
    if (before == after)
      continue;
    result.setType(after);
    if (!op->hasTrait<OpTrait::ConstantLike>())
      continue;
    for (NamedAttribute attribute : llvm::to_vector(op->getAttrs()))
      if (auto values = dyn_cast<ElementsAttr>(attribute.getValue());
          values && values.getShapedType() == before)
        op->setAttr(attribute.getName(),
                    withType(values, cast<ShapedType>(after)));
  }
}

FunctionType retyped(FunctionType type, const Assignment &assigned) {
  return FunctionType::get(
      type.getContext(),
      llvm::to_vector(llvm::map_range(type.getInputs(), assigned)),
      llvm::to_vector(llvm::map_range(type.getResults(), assigned)));
}

void assign(ModuleOp module, const Assignment &assigned) {
  module.walk([&](Operation *op) {
    retype(op, assigned);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setType(assigned(argument.getType()));
    if (auto function = dyn_cast<func::FuncOp>(op))
      function.setFunctionType(retyped(function.getFunctionType(), assigned));
  });
}

/// An error at the first value whose type is dynamic, or at a declaration that
/// would get layouts.
LogicalResult verifyAssignable(ModuleOp module, const Assignment &assigned) {
  auto dynamic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  };
  WalkResult walk = module.walk([&](Operation *op) -> WalkResult {
    for (Type type : op->getResultTypes())
      if (dynamic(type))
        return mlir::emitError(op->getLoc())
               << "expected static shapes, got " << type
               << "; npu-pad-to-max-prompt-len makes them static";
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function)
      return WalkResult::advance();
    FunctionType type = function.getFunctionType();
    for (Type input : type.getInputs())
      if (dynamic(input))
        return mlir::emitError(op->getLoc())
               << "expected static shapes, got an argument of " << input
               << "; npu-pad-to-max-prompt-len makes them static";
    if (function.isExternal() && retyped(type, assigned) != type)
      return mlir::emitError(op->getLoc())
             << "expected a function with a body, got a declaration of '"
             << function.getName()
             << "' with tensors, of whose layouts nothing is known; "
                "npu-isolate-computation takes calls of it off";
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

struct AssignDistributionsPass
    : impl::AssignDistributionsBase<AssignDistributionsPass> {
  using AssignDistributionsBase::AssignDistributionsBase;

  void runOnOperation() override {
    FailureOr<Strategy> asked = readStrategy();
    FailureOr<int64_t> count = readTiles();
    if (failed(asked) || failed(count))
      return signalPassFailure();
    Assignment assigned(*asked, *count);
    if (failed(verifyAssignable(getOperation(), assigned)))
      return signalPassFailure();
    if (*asked != Strategy::Least)
      return assign(getOperation(), assigned);
    if (failed(assignLeastCost(*count)))
      return signalPassFailure();
  }

private:
  LogicalResult assignLeastCost(int64_t count) {
    ModuleOp module = getOperation();
    auto device = targetOf(module, target);
    if (failed(device))
      return failure();
    ProblemOptions options;
    options.tiles = count;
    std::vector<AssignmentReport> reports;
    SmallVector<FunctionOpInterface> functions;
    module.walk([&](FunctionOpInterface function) {
      if (!function.isExternal())
        functions.push_back(function);
    });
    for (FunctionOpInterface function : functions)
      if (failed(pinSignature(function, module)))
        return failure();
    for (FunctionOpInterface function : functions) {
      pinResults(function);
      auto solve = [&](const AssignmentProblem &problem) {
        return npu::assignLeast(problem, {static_cast<size_t>(states)});
      };
      if (failed(assignFunction(function, **device, options, solve,
                                report.empty() ? nullptr : &reports)))
        return failure();
    }
    if (!report.empty())
      return writeReport(module, report, assignmentJson(reports));
    return success();
  }

  FailureOr<Strategy> readStrategy() {
    if (strategy == "rows")
      return Strategy::Rows;
    if (strategy == "duplicate")
      return Strategy::Duplicate;
    if (strategy == "least")
      return Strategy::Least;
    return mlir::emitError(getOperation().getLoc())
           << "npu-assign-distributions: expected strategy rows or duplicate, "
              "got '"
           << strategy << "'";
  }

  FailureOr<int64_t> readTiles() {
    int64_t count = tiles;
    if (count < 0 || count > kMaxTiles)
      return mlir::emitError(getOperation().getLoc())
             << "npu-assign-distributions: expected 1 to " << kMaxTiles
             << " tiles, got " << count;
    auto device = targetOf(getOperation(), target);
    if (failed(device))
      return failure();
    if (*device && count > (*device)->maxTiles)
      return mlir::emitError(getOperation().getLoc())
             << "npu-assign-distributions: expected at most "
             << (*device)->maxTiles << " tiles, which " << (*device)->name
             << " has, got " << count;
    if (count > 0)
      return count;
    if (*device)
      return (*device)->tiles;
    return mlir::emitError(getOperation().getLoc())
           << "npu-assign-distributions: expected tiles=N, target=NAME or a "
              "module that describes its target, got none of them";
  }
};

} // namespace
} // namespace npu
