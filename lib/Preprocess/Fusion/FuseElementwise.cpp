// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-fuse-elementwise: elementwise operations in the operations that read
// their results, where that costs less.

#include "npu/Analysis/Costs/EngineOrders.h"
#include "npu/Analysis/Costs/ModelledCost.h"
#include "npu/Analysis/Kernels/KernelTable.h"
#include "npu/Analysis/TargetOf.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Preprocess/Fusion/Passes.h"
#include "npu/Target/Count.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_FUSEELEMENTWISE
#include "npu/Preprocess/Fusion/Passes.h.inc"

namespace {

/// A result with more readers is left alone.
constexpr size_t kMostReaders = 4;
/// Fused operations have no more operations in their body, and no more
/// operands: every fusion copies both bodies.
constexpr size_t kMostOperations = 64;
constexpr unsigned kMostOperands = 16;

/// Whether the body of `op` computes something: transposes and copies are not
/// work where tensors may lie otherwise.
bool computes(linalg::LinalgOp op) {
  return llvm::any_of(op.getBlock()->without_terminator(),
                      [](Operation &inner) {
                        return !inner.hasTrait<OpTrait::ConstantLike>();
                      });
}

/// Whether `op` may be fused at all.
bool isPlain(linalg::LinalgOp op) {
  auto isDistributedType = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && (isDistributed(tensor) || !tensor.hasStaticShape());
  };
  auto readsTensor = [](Operation &inner) {
    return llvm::any_of(inner.getOperandTypes(), llvm::IsaPred<TensorType>);
  };
  return op.hasPureTensorSemantics() && op->getNumResults() == 1 &&
         op->getDiscardableAttrDictionary().empty() && computes(op) &&
         llvm::none_of(*op.getBlock(), readsTensor) &&
         llvm::none_of(op->getOperandTypes(), isDistributedType) &&
         llvm::none_of(op->getResultTypes(), isDistributedType) &&
         llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
           return map.isProjectedPermutation(/*allowZeroInResults=*/true);
         });
}

/// Whether `op` makes each entry of its result of entries of its operands,
/// wherever it is.
bool makesEachEntryAlone(linalg::LinalgOp op) {
  return op.getNumReductionLoops() == 0 && !op.hasIndexSemantics() &&
         op.getNumDpsInputs() > 0 &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isPermutation();
}

bool isModerate(linalg::LinalgOp producer, linalg::LinalgOp reader) {
  return producer.getBlock()->getOperations().size() +
                 reader.getBlock()->getOperations().size() <=
             kMostOperations &&
         producer->getNumOperands() + reader->getNumOperands() <= kMostOperands;
}

/// Whether `op` makes entries of its result of one entry of each operand: it
/// may repeat some of these, and put them elsewhere.
bool isStepOfWidening(linalg::LinalgOp op) {
  return op.getNumReductionLoops() == 0 && !op.hasIndexSemantics() &&
         op.getNumDpsInputs() > 0 && op->getNumResults() == 1 &&
         op.hasPureTensorSemantics() &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isPermutation();
}

/// Whether `op`, which may be null, makes one dimension of several.
bool isCollapse(Operation *op) {
  std::optional<Reassociation> reshape =
      op ? reassociationOf(op) : std::optional<Reassociation>();
  return reshape && !reshape->refines;
}

/// Whether a factor of a contraction is made of narrower integers, as quantized
/// weights are: by conversions, zero points, scales, transposes and reshapes
/// which make one dimension of several.
bool isWidened(Value value) {
  auto widthOf = [](Value tensor) {
    Type element = getElementTypeOrSelf(tensor.getType());
    return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  };
  unsigned width = widthOf(value);
  // Along the largest operand of each step: zero points and scales are smaller.
  while (Operation *step = value.getDefiningOp()) {
    if (isCollapse(step)) {
      value = step->getOperand(0);
      continue;
    }
    auto op = dyn_cast<linalg::LinalgOp>(step);
    if (!op || !isStepOfWidening(op))
      return false;
    Value main = nullptr;
    for (OpOperand *input : op.getDpsInputOperands()) {
      auto type = dyn_cast<RankedTensorType>(input->get().getType());
      if (type && type.hasStaticShape() &&
          type.getNumElements() ==
              cast<RankedTensorType>(op->getResult(0).getType())
                  .getNumElements()) {
        if (main && main != input->get())
          return false;
        main = input->get();
      }
    }
    if (!main)
      return false;
    value = main;
    if (getElementTypeOrSelf(value.getType()).isInteger() &&
        widthOf(value) < width)
      return true;
  }
  return false;
}

/// An operation that reads a result, and what would replace it.
struct Reader {
  linalg::LinalgOp op;
  linalg::GenericOp fused = nullptr;
};

class Fuser {
public:
  Fuser(MLIRContext *context, const Target &target, const KernelTable &kernels)
      : rewriter(context), target(target), kernels(kernels) {}

  /// Fuses in a block until nothing is cheaper.
  void run(Block &block) {
    takeWideningsIn(block);
    for (bool changed = true; changed;) {
      changed = false;
      for (auto it = block.begin(); it != block.end();) {
        Operation *previous = it->getPrevNode();
        auto producer = dyn_cast<linalg::LinalgOp>(*it);
        if (!producer || !fuse(producer)) {
          ++it;
          continue;
        }
        changed = true;
        it = previous ? std::next(Block::iterator(previous)) : block.begin();
      }
    }
    clean(block);
  }

private:
  /// Lets contractions read what their factors are widened from.
  void takeWideningsIn(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto contraction = dyn_cast<linalg::LinalgOp>(op);
      if (!contraction || !isPlain(contraction) || !engineOrdersOf(contraction))
        continue;
      while (contraction)
        contraction = withWideningIn(contraction);
    }
    clean(block);
  }

  /// Puts one step of what widens a factor into `contraction`, and returns what
  /// replaces it; null where there is no such step, or where the matrix engine
  /// cannot do it.
  linalg::LinalgOp withWideningIn(linalg::LinalgOp contraction) {
    for (OpOperand *factor : contraction.getDpsInputOperands()) {
      Value value = factor->get();
      if (!isWidened(value))
        continue;
      if (isCollapse(value.getDefiningOp())) {
        if (linalg::LinalgOp made = expanded(contraction, value))
          return made;
        continue;
      }
      auto step = value.getDefiningOp<linalg::LinalgOp>();
      linalg::GenericOp fused = step && isModerate(step, contraction)
                                    ? fusedWith(step, contraction)
                                    : linalg::GenericOp();
      if (fused && engineOrdersOf(fused)) {
        rewriter.replaceAllUsesWith(contraction->getResults(),
                                    fused->getResults());
        erase(contraction);
        return fused;
      }
      if (fused)
        erase(fused);
    }
    return nullptr;
  }

  /// Lets `contraction` read the source of the reshape that makes `factor`,
  /// with a loop for each of its dimensions; null where upstream cannot do
  /// that.
  linalg::LinalgOp expanded(linalg::LinalgOp contraction, Value factor) {
    if (!isa<linalg::GenericOp>(contraction)) {
      rewriter.setInsertionPoint(contraction);
      auto generic = linalg::generalizeNamedOp(rewriter, contraction);
      if (failed(generic))
        return nullptr;
      contraction = *generic;
    }
    struct Replaced : RewriterBase::Listener {
      explicit Replaced(Operation *watched) : watched(watched) {}
      void notifyOperationReplaced(Operation *op, ValueRange values) override {
        if (op == watched && values.size() == 1)
          by = values[0].getDefiningOp<linalg::LinalgOp>();
      }
      Operation *watched;
      linalg::LinalgOp by;
    } replaced(contraction);
    RewritePatternSet patterns(rewriter.getContext());
    linalg::populateFoldReshapeOpsByExpansionPatterns(
        patterns, [&](OpOperand *operand) {
          return operand->getOwner() == contraction && operand->get() == factor;
        });
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingOps)
        .setListener(&replaced)
        .enableFolding(false);
    (void)applyOpPatternsGreedily({contraction}, std::move(patterns), config);
    return replaced.by;
  }

  /// Puts `producer` into all operations that read its result, if that is
  /// cheaper, or into the only one if that is no dearer.
  bool fuse(linalg::LinalgOp producer) {
    if (!isPlain(producer) || !makesEachEntryAlone(producer))
      return false;
    SmallVector<Reader> readers = readersOf(producer);
    if (readers.empty())
      return false;
    Count before{evenCost(producer, target)}, after;
    for (Reader &reader : readers) {
      before += Count{evenCost(reader.op, target)};
      reader.fused = fusedWith(producer, reader.op);
      if (!reader.fused)
        break;
    }
    bool areFused =
        llvm::all_of(readers, [](Reader &reader) { return reader.fused; });
    if (areFused)
      for (Reader &reader : readers)
        after += Count{evenCost(reader.fused, target, {producer, reader.op})};
    // Where both cost the same, one operation has no tensor between.
    bool isBetter = readers.size() == 1 ? after <= before : after < before;
    if (!areFused || !isBetter) {
      for (Reader &reader : readers)
        if (reader.fused)
          erase(reader.fused);
      return false;
    }
    for (Reader &reader : readers) {
      rewriter.replaceAllUsesWith(reader.op->getResults(),
                                  reader.fused->getResults());
      erase(reader.op);
    }
    erase(producer);
    return true;
  }

  void erase(Operation *op) {
    made.erase(op);
    rewriter.eraseOp(op);
  }

  /// The operations that read the result of `producer`; none where one of them
  /// cannot take it in.
  SmallVector<Reader> readersOf(linalg::LinalgOp producer) {
    llvm::SmallSetVector<Operation *, kMostReaders> users;
    for (OpOperand &use : producer->getResult(0).getUses()) {
      auto reader = dyn_cast<linalg::LinalgOp>(use.getOwner());
      if (!reader || reader->getBlock() != producer->getBlock() ||
          !isPlain(reader) || !reader.isDpsInput(&use) ||
          !isModerate(producer, reader) || engineOrdersOf(reader))
        return {};
      users.insert(reader);
      if (users.size() > kMostReaders)
        return {};
    }
    SmallVector<Reader> readers;
    for (Operation *user : users)
      readers.push_back({cast<linalg::LinalgOp>(user)});
    return readers;
  }

  /// `reader` with the body of `producer` in it, in front of `reader`; null
  /// where upstream cannot do that. Both stay.
  linalg::GenericOp fusedWith(linalg::LinalgOp producer,
                              linalg::LinalgOp reader) {
    rewriter.setInsertionPoint(reader);
    linalg::GenericOp first = genericLike(producer);
    linalg::GenericOp second = genericLike(reader);
    second->replaceUsesOfWith(producer->getResult(0), first->getResult(0));
    linalg::GenericOp fused = second;
    while (OpOperand *use = useOf(first, fused)) {
      rewriter.setInsertionPoint(reader);
      FailureOr<linalg::ElementwiseOpFusionResult> result = failure();
      if (linalg::areElementwiseOpsFusable(use))
        result = linalg::fuseElementwiseOps(rewriter, use);
      rewriter.eraseOp(fused);
      fused = succeeded(result) ? cast<linalg::GenericOp>(result->fusedOp)
                                : linalg::GenericOp();
      if (!fused)
        break;
    }
    rewriter.eraseOp(first);
    // Upstream keeps the result of `producer` as well where it cannot do
    // without its extents; that result would be computed again for other loops.
    if (fused && fused->getNumResults() != reader->getNumResults()) {
      rewriter.eraseOp(fused);
      fused = {};
    }
    if (fused)
      fused = simplified(fused);
    if (fused && !kernels.find(fused).isTaken) {
      erase(fused);
      fused = {};
    }
    return fused;
  }

  /// A copy of `op` as a linalg.generic.
  linalg::GenericOp genericLike(linalg::LinalgOp op) {
    Operation *copy = rewriter.clone(*op);
    if (auto generic = dyn_cast<linalg::GenericOp>(copy))
      return generic;
    return *linalg::generalizeNamedOp(rewriter, cast<linalg::LinalgOp>(copy));
  }

  static OpOperand *useOf(linalg::GenericOp producer, linalg::GenericOp op) {
    for (OpOperand *operand : op.getDpsInputOperands())
      if (operand->get() == producer->getResult(0))
        return operand;
    return nullptr;
  }

  /// Computes nothing twice in the body: operands that are the same are one.
  linalg::GenericOp simplified(linalg::GenericOp op) {
    SmallVector<OpOperand *> inputs = op.getDpsInputOperands();
    for (size_t number = 0; number < inputs.size(); ++number)
      for (size_t other = 0; other < number; ++other)
        if (inputs[number]->get() == inputs[other]->get() &&
            op.getMatchingIndexingMap(inputs[number]) ==
                op.getMatchingIndexingMap(inputs[other])) {
          rewriter.replaceAllUsesWith(
              op.getMatchingBlockArgument(inputs[number]),
              op.getMatchingBlockArgument(inputs[other]));
          break;
        }
    DominanceInfo dominance;
    eliminateCommonSubExpressions(rewriter, dominance, op);
    made.insert(op);
    return op;
  }

  /// Takes off what fused operations do not read, and what nobody reads any
  /// more.
  void clean(Block &block) {
    SmallVector<Operation *> fused;
    for (Operation &op : block)
      if (made.contains(&op))
        fused.push_back(&op);
    if (fused.empty())
      return;
    made.clear();
    RewritePatternSet patterns(rewriter.getContext());
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    (void)applyOpPatternsGreedily(fused, std::move(patterns), config);
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        rewriter.eraseOp(&op);
  }

  IRRewriter rewriter;
  const Target &target;
  const KernelTable &kernels;
  /// Where an operation of the block is one of these, it was made here.
  llvm::DenseSet<Operation *> made;
};

struct FuseElementwisePass : impl::FuseElementwiseBase<FuseElementwisePass> {
  using FuseElementwiseBase::FuseElementwiseBase;

  LogicalResult initializeOptions(
      StringRef text,
      llvm::function_ref<LogicalResult(const llvm::Twine &)> fail) override {
    if (failed(FuseElementwiseBase::initializeOptions(text, fail)))
      return failure();
    return verifyTargetOption(target.hasValue(), target, fail);
  }

  void runOnOperation() override {
    FailureOr<std::optional<Target>> device = targetOf(getOperation(), target);
    FailureOr<KernelTable> kernels = KernelTable::of(getOperation(), target);
    if (failed(device) || failed(kernels))
      return signalPassFailure();
    Fuser fuser(&getContext(),
                *device ? **device : *findBuiltinTarget("npu4000"), *kernels);
    SmallVector<Block *> blocks;
    getOperation()->walk([&](Operation *op) {
      if (!isa<linalg::LinalgOp>(op))
        for (Region &region : op->getRegions())
          for (Block &block : region)
            blocks.push_back(&block);
    });
    for (Block *block : blocks)
      fuser.run(*block);
  }
};

} // namespace
} // namespace npu
