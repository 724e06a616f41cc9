// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-lower-model: the passes from an exporter's file to linalg on tensors.
// Each runs where there is something for it, because a pass that finds nothing
// still walks over every layer of a model.

#include "npu/Conversion/Compile/Passes.h"

#include "StorageMarks.h"
#include "npu/Conversion/CanonicalizeOperations.h"
#include "npu/Conversion/ElementwiseToLinalg.h"
#include "npu/Conversion/Tosa/Pipeline.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Dialect/NPU/Transforms/Legalize/Passes.h"
#include "npu/ExternalModels/Tensor/RaiseConcatenations.h"
#include "npu/Preprocess/Exports/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_LOWERMODEL
#include "npu/Conversion/Compile/Passes.h.inc"

namespace {

/// What a module has that a pass is for.
struct Contents {
  /// Printing, or calls of functions without a body.
  bool program = false;
  bool calls = false;
  bool tosa = false;
  bool tosaLoops = false;
  bool layouts = false;
};

/// Functions of the module without a body, by name.
llvm::DenseSet<StringAttr> declarationsOf(ModuleOp module) {
  llvm::DenseSet<StringAttr> names;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isExternal())
      names.insert(function.getSymNameAttr());
  return names;
}

Contents contentsOf(ModuleOp module) {
  llvm::DenseSet<StringAttr> declarations = declarationsOf(module);
  Contents contents;
  module.walk([&](Operation *op) {
    if (auto call = dyn_cast<func::CallOp>(op))
      contents.program |=
          declarations.contains(call.getCalleeAttr().getRootReference());
    contents.program |= isa<vector::PrintOp>(op);
    contents.calls |= isa<CallOpInterface>(op);
    bool isTosa = isa_and_nonnull<tosa::TosaDialect>(op->getDialect());
    contents.tosa |= isTosa;
    contents.tosaLoops |= lowersToLoops(op);
    contents.layouts |= llvm::any_of(op->getOperandTypes(), hasLayout) ||
                        llvm::any_of(op->getResultTypes(), hasLayout);
  });
  return contents;
}

/// Whether a structured operation is a transpose that moves dimensions of
/// extent 1 alone.
bool movesNothing(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 1 ||
      op.getNumDpsInits() != 1 || op.getBlock()->getOperations().size() != 1 ||
      op.getBlock()->getTerminator()->getOperand(0) !=
          op.getBlock()->getArgument(0))
    return false;
  AffineMap from = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  AffineMap to = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!from.isPermutation() || !to.isPermutation() || from == to)
    return false;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  auto loopsOf = [&](AffineMap map) {
    SmallVector<unsigned> loops;
    for (unsigned dim = 0; dim < map.getNumResults(); ++dim)
      if (extents[map.getDimPosition(dim)] != 1)
        loops.push_back(map.getDimPosition(dim));
    return loops;
  };
  return loopsOf(from) == loopsOf(to);
}

void buildInlining(OpPassManager &passes) {
  // Called functions need not be simplified by themselves: the callers are,
  // later.
  passes.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  passes.addPass(createSymbolDCEPass());
}

void buildElementwise(OpPassManager &passes) {
  passes.nest<func::FuncOp>().addPass(createConvertElementwiseToLinalgPass());
}

/// Whether some region has several blocks.
bool hasBranches(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        return llvm::all_of(op->getRegions(),
                            [](Region &region) {
                              return region.empty() || region.hasOneBlock();
                            })
                   ? WalkResult::advance()
                   : WalkResult::interrupt();
      })
      .wasInterrupted();
}

void buildSimplification(OpPassManager &passes, bool layouts, bool branches) {
  // The layers of a model have much in common, which need not be simplified
  // more than once. What simplification makes equal, the second pass merges.
  passes.addPass(createCSEPass());
  passes.addPass(layouts    ? createCanonicalizeLayouts()
                 : branches ? createCanonicalizerPass()
                            : createCanonicalizeOperations());
  passes.addPass(createCSEPass());
}

/// Upstream copies that the host is to do an operation into the body that the
/// operation becomes.
void moveMarksOut(ModuleOp module) {
  module.walk([](linalg::LinalgOp op) {
    for (Operation &inner : *op.getBlock())
      if (Attribute why = inner.removeDiscardableAttr(hostAttrName))
        op->setAttr(hostAttrName, why);
  });
}

struct LowerModelPass : impl::LowerModelBase<LowerModelPass> {
  using LowerModelBase::LowerModelBase;

  /// The passes that may run bring dialects, which have to be there before.
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<NPUDialect>();
    OpPassManager all(ModuleOp::getOperationName());
    all.addPass(createIsolateComputation());
    buildInlining(all);
    buildTosaToLinalg(all.nest<func::FuncOp>(), /*control=*/true);
    buildElementwise(all);
    buildSimplification(all, /*layouts=*/false, /*branches=*/true);
    all.addPass(createRaisePermuteCasts());
    all.getDependentDialects(registry);
  }

  void runOnOperation() override {
    Contents contents = contentsOf(getOperation());
    StorageMarks storage(getOperation());
    if (failed(toTensors(contents)))
      return signalPassFailure();
    raiseConcatenations(getOperation());
    if (failed(simplify(contents)))
      return signalPassFailure();
    storage.restore();
  }

private:
  /// Takes the model out, into one function where calls allow it.
  LogicalResult toTensors(const Contents &contents) {
    OpPassManager passes(ModuleOp::getOperationName());
    if (contents.program || !function.empty()) {
      IsolateComputationOptions kept;
      kept.function = function;
      passes.addPass(createIsolateComputation(kept));
    }
    if (contents.calls || hasPrivate())
      buildInlining(passes);
    if (contents.tosa)
      buildTosaToLinalg(passes.nest<func::FuncOp>(), contents.tosaLoops);
    return passes.empty() ? success() : runPipeline(passes, getOperation());
  }

  LogicalResult simplify(const Contents &contents) {
    // Upstream's pass folds what it can, which is right for arithmetic alone.
    SmallVector<Operation *> functions;
    bool elementwise = false, moves = false;
    getOperation()->walk([&](Operation *op) {
      bool isElementwise = isElementwiseOnTensors(op);
      elementwise |= isElementwise;
      if (isElementwise && isa<math::MathDialect>(op->getDialect()))
        functions.push_back(op);
      auto structured = dyn_cast<linalg::LinalgOp>(op);
      moves |= structured && movesNothing(structured);
    });
    elementwiseToLinalg(functions);
    if (elementwise) {
      elementwiseWithLayoutsToLinalg(getOperation());
      OpPassManager toLinalg(ModuleOp::getOperationName());
      buildElementwise(toLinalg);
      if (failed(runPipeline(toLinalg, getOperation())))
        return failure();
      moveMarksOut(getOperation());
    }
    OpPassManager passes(ModuleOp::getOperationName());
    buildSimplification(passes, contents.layouts, hasBranches(getOperation()));
    if (moves)
      passes.addPass(createRaisePermuteCasts());
    return runPipeline(passes, getOperation());
  }

  bool hasPrivate() {
    return llvm::any_of(
        getOperation().getOps<SymbolOpInterface>(),
        [](SymbolOpInterface symbol) { return !symbol.isPublic(); });
  }
};

} // namespace
} // namespace npu
