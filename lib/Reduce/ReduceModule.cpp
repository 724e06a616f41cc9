// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reduces greedily: every kind of change is tried at every place, the large
// ones first, until a whole round changes nothing. Changes are made in the IR
// and know no operation; what verifiers refuse is no candidate.

#include "npu/Reduce/ReduceModule.h"

#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Reducer/ReductionPatternInterface.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

using namespace mlir;

namespace npu {
namespace {

/// The functions with a body, in their order.
SmallVector<func::FuncOp> functionsOf(ModuleOp module) {
  SmallVector<func::FuncOp> functions;
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      functions.push_back(function);
  return functions;
}

Operation *returnOf(func::FuncOp function) {
  return function.getBody().back().getTerminator();
}

void eraseDead(ModuleOp module) {
  module.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    // What a function does besides its results is not looked for.
    if (isOpTriviallyDead(op) || (isa<func::CallOp>(op) && op->use_empty()))
      op->erase();
  });
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (function.isPrivate() &&
        SymbolTable::symbolKnownUseEmpty(function, module))
      function.erase();
}

/// Lets the types of functions be what they take and return.
void updateTypes(ModuleOp module) {
  for (func::FuncOp function : functionsOf(module))
    function.setFunctionType(FunctionType::get(
        function.getContext(), function.getBody().front().getArgumentTypes(),
        returnOf(function)->getOperandTypes()));
}

/// Layouts that are simpler than this one, the simplest first.
std::vector<Layout> simplerLayouts(const Layout &layout) {
  std::vector<Layout> simpler;
  auto add = [&](auto change) {
    Layout changed = layout;
    change(changed);
    if (changed != layout)
      simpler.push_back(std::move(changed));
  };
  add([](Layout &l) { l = {}; });
  add([](Layout &l) { l.order = {}; });
  add([](Layout &l) { l.storage = Storage::Linear; });
  if (!layout.distribution)
    return simpler;
  add([](Layout &l) {
    Distribution duplicated;
    duplicated.mode = Mode::Duplicated;
    duplicated.tileCount = std::min<int64_t>(2, tileCount(*l.distribution));
    l.distribution = duplicated;
  });
  add([](Layout &l) { l.distribution->mode = Mode::Segmented; });
  add([](Layout &l) { l.distribution->memory.clear(); });
  add([](Layout &l) { l.distribution->windows.clear(); });
  add([](Layout &l) { l.distribution->align.clear(); });
  add([](Layout &l) { l.distribution->major.clear(); });
  add([](Layout &l) { l.distribution->copies = 1; });
  add([](Layout &l) { l.distribution->split = Split::Balanced; });
  for (std::size_t dim = 0; dim < layout.distribution->tiles.size(); ++dim)
    add([dim](Layout &l) {
      l.distribution->tiles[dim] = (l.distribution->tiles[dim] + 1) / 2;
      l.distribution->major.clear();
    });
  return simpler;
}

/// Every pattern that a loaded dialect has for mlir-reduce.
FrozenRewritePatternSet patternsOf(MLIRContext *context) {
  RewritePatternSet patterns(context);
  for (Dialect *dialect : context->getLoadedDialects())
    if (auto *reduction =
            dialect->getRegisteredInterface<DialectReductionPatternInterface>())
      reduction->populateReductionPatterns(patterns);
  return FrozenRewritePatternSet(std::move(patterns));
}

class Reducer {
public:
  Reducer(OwningOpRef<ModuleOp> &module, Interesting interesting,
          ReduceOptions &options)
      : module(module), interesting(interesting), options(options),
        patterns(patternsOf(module->getContext())) {}

  bool run() {
    bool changedAny = false;
    for (bool changed = true; changed && options.triesLeft > 0;) {
      changed = options.dropsFunctions && dropFunctions();
      if (options.changesSignatures) {
        changed |= dropPieces();
        changed |= returnLess();
        changed |= forEachOperation(&Reducer::makeArguments);
        changed |= dropArguments();
      }
      changed |= forEachOperation(&Reducer::useAnother);
      changed |= forEachOperation(&Reducer::applyPatterns);
      changed |= simplifyLayouts();
      changed |= halveExtents();
      changedAny |= changed;
    }
    return changedAny;
  }

private:
  using Change = llvm::function_ref<bool(ModuleOp)>;

  /// Whether the change can be made and leaves a module that is interesting,
  /// which then is the module.
  bool attempt(Change change) {
    if (options.triesLeft == 0)
      return false;
    OwningOpRef<ModuleOp> candidate = module->clone();
    // What is wrong with a candidate is of no interest.
    ScopedDiagnosticHandler silence(module->getContext(),
                                    [](Diagnostic &) { return success(); });
    if (!change(*candidate))
      return false;
    eraseDead(*candidate);
    updateTypes(*candidate);
    if (failed(verify(*candidate)))
      return false;
    --options.triesLeft;
    if (!interesting(*candidate))
      return false;
    module = std::move(candidate);
    return true;
  }

  /// The function of that number, if its signature may change.
  static func::FuncOp freeFunction(ModuleOp module, std::size_t number) {
    SmallVector<func::FuncOp> functions = functionsOf(module);
    if (number >= functions.size() ||
        !SymbolTable::symbolKnownUseEmpty(functions[number], module))
      return {};
    return functions[number];
  }

  bool dropFunctions() {
    bool changed = false;
    for (std::size_t i = functionsOf(*module).size(); i-- > 0;)
      changed |= attempt([&](ModuleOp module) {
        func::FuncOp function = freeFunction(module, i);
        if (!function || functionsOf(module).size() == 1)
          return false;
        function.erase();
        return true;
      });
    return changed;
  }

  /// Takes what a piece of a long function makes as arguments, and what nothing
  /// reads then is gone: halves first, then smaller pieces.
  bool dropPieces() {
    constexpr std::size_t shortest = 4;
    bool changed = false;
    for (std::size_t i = 0; i < functionsOf(*module).size(); ++i) {
      auto length = [&] {
        func::FuncOp function = freeFunction(*module, i);
        return function && function.getBody().hasOneBlock()
                   ? function.getBody().front().getOperations().size() - 1
                   : 0;
      };
      for (std::size_t size = length() / 2; size >= shortest; size /= 2)
        // From the end: what a later piece read is dead with it.
        for (std::size_t end = length(); end > 0 && end <= length();
             end -= std::min(end, size)) {
          changed |= returnFrom(i, end > size ? end - size : 0);
          if (end <= length())
            changed |= dropPiece(i, end > size ? end - size : 0, end);
        }
    }
    return changed;
  }

  bool dropPiece(std::size_t number, std::size_t begin, std::size_t end) {
    return attempt([&](ModuleOp module) {
      Block &body = freeFunction(module, number).getBody().front();
      bool any = false;
      for (Operation &op : llvm::make_early_inc_range(llvm::make_range(
               std::next(body.begin(), static_cast<std::ptrdiff_t>(begin)),
               std::next(body.begin(), static_cast<std::ptrdiff_t>(end))))) {
        if (op.getNumOperands() == 0 && op.getNumRegions() == 0)
          continue;
        for (Value result : op.getResults())
          if (!result.use_empty())
            result.replaceAllUsesWith(
                body.addArgument(result.getType(), result.getLoc()));
        any = true;
      }
      return any;
    });
  }

  /// Returns the last values that are made before the operation `end` in place
  /// of all results.
  bool returnFrom(std::size_t number, std::size_t end) {
    return attempt([&](ModuleOp module) {
      func::FuncOp function = freeFunction(module, number);
      Block &body = function.getBody().front();
      if (end >= body.getOperations().size() - 1)
        return false;
      auto at = std::next(body.begin(), static_cast<std::ptrdiff_t>(end));
      while (at != body.begin()) {
        --at;
        if (at->getNumOperands() == 0 || at->getNumResults() == 0 ||
            !isa<RankedTensorType>(at->getResult(0).getType()))
          continue;
        dropResultAttributes(function);
        returnOf(function)->setOperands(at->getResults());
        return true;
      }
      return false;
    });
  }

  static void dropResultAttributes(func::FuncOp function) {
    function.removeResAttrsAttr();
  }

  /// Returns at one place, one result instead of several, one result less, or
  /// an operand of what makes a result instead of it.
  bool returnLess() {
    for (std::size_t i = 0; i < functionsOf(*module).size(); ++i)
      if (returnLess(i))
        return true;
    return false;
  }

  bool returnLess(std::size_t number) {
    if (!freeFunction(*module, number))
      return false;
    auto returned = [&](ModuleOp module) {
      return returnOf(freeFunction(module, number));
    };
    if (attempt([&](ModuleOp module) {
          mlir::Region &body = freeFunction(module, number).getBody();
          if (body.hasOneBlock())
            return false;
          Operation *branch = body.front().getTerminator();
          returned(module)->moveBefore(branch);
          branch->erase();
          while (!body.hasOneBlock())
            body.back().erase();
          return true;
        }))
      return true;
    auto count = returned(*module)->getNumOperands();
    for (unsigned i = 0; i < count; ++i) {
      Operation *op = returned(*module)->getOperand(i).getDefiningOp();
      for (unsigned k = 0; op && k < op->getNumOperands(); ++k)
        if (attempt([&](ModuleOp module) {
              Value instead =
                  returned(module)->getOperand(i).getDefiningOp()->getOperand(
                      k);
              Operation *made = instead.getDefiningOp();
              if (!isa<RankedTensorType>(instead.getType()) ||
                  (made && (made->getNumOperands() == 0 ||
                            isa<linalg::FillOpInterface>(made))))
                return false;
              returned(module)->setOperand(i, instead);
              return true;
            }))
          return true;
    }
    for (bool alone : {true, false})
      for (unsigned i = 0; count > 1 && i < count; ++i)
        if (attempt([&](ModuleOp module) {
              dropResultAttributes(freeFunction(module, number));
              if (alone)
                returned(module)->setOperands(returned(module)->getOperand(i));
              else
                returned(module)->eraseOperand(i);
              return true;
            }))
          return true;
    return false;
  }

  static SmallVector<Operation *> operationsOf(ModuleOp module) {
    SmallVector<Operation *> found;
    module.walk([&](Operation *op) {
      if (!isa<ModuleOp, func::FuncOp>(op) &&
          !op->hasTrait<OpTrait::IsTerminator>())
        found.push_back(op);
    });
    return found;
  }

  bool forEachOperation(bool (Reducer::*change)(std::size_t)) {
    bool changed = false;
    for (std::size_t i = operationsOf(*module).size(); i-- > 0;)
      if (i < operationsOf(*module).size())
        changed |= (this->*change)(i);
    return changed;
  }

  /// Takes what an operation makes as arguments.
  bool makeArguments(std::size_t number) {
    return attempt([&](ModuleOp module) {
      Operation *op = operationsOf(module)[number];
      auto function = dyn_cast<func::FuncOp>(op->getParentOp());
      if (!function || op->getNumOperands() == 0 ||
          isa<linalg::FillOpInterface>(op) ||
          !SymbolTable::symbolKnownUseEmpty(function, module))
        return false;
      for (Value result : op->getResults())
        if (!result.use_empty())
          result.replaceAllUsesWith(function.getBody().front().addArgument(
              result.getType(), result.getLoc()));
      return true;
    });
  }

  bool dropArguments() {
    bool changed = false;
    for (std::size_t number = functionsOf(*module).size(); number-- > 0;) {
      func::FuncOp function = freeFunction(*module, number);
      for (unsigned i = function ? function.getNumArguments() : 0; i-- > 0;)
        changed |= attempt([&](ModuleOp module) {
          func::FuncOp function = freeFunction(module, number);
          if (!function.getArgument(i).use_empty())
            return false;
          function.setArgAttrs(i, ArrayRef<NamedAttribute>());
          return succeeded(function.eraseArgument(i));
        });
    }
    return changed;
  }

  /// Values from outside of an operation that may stand for what it makes.
  static SmallVector<Value> insteadOf(Operation *op) {
    SmallVector<Value> values(op->getOperands());
    op->walk([&](Operation *inner) {
      if (inner != op && inner->hasTrait<OpTrait::IsTerminator>())
        for (Value handedOn : inner->getOperands())
          if (!op->isAncestor(handedOn.getParentBlock()->getParentOp()))
            values.push_back(handedOn);
    });
    llvm::append_range(values, op->getBlock()->getArguments());
    return values;
  }

  /// Replaces a result of an operation by another value of its type, or by
  /// zeros.
  bool useAnother(std::size_t number) {
    Operation *op = operationsOf(*module)[number];
    auto choices = std::ssize(insteadOf(op));
    for (unsigned i = 0; i < op->getNumResults(); ++i)
      for (int64_t k = 0; k <= choices; ++k)
        if (attempt([&](ModuleOp module) {
              Operation *op = operationsOf(module)[number];
              Value result = op->getResult(i), instead;
              OpBuilder b(op);
              if (k < choices)
                instead = insteadOf(op)[k];
              else if (TypedAttr zero = zeroFor(op, result.getType()))
                instead = arith::ConstantOp::create(b, op->getLoc(), zero);
              if (op->hasTrait<OpTrait::ConstantLike>() || !instead ||
                  result.use_empty() || instead.getType() != result.getType())
                return false;
              result.replaceAllUsesWith(instead);
              return true;
            }))
          return true;
    return false;
  }

  /// Zeros of a scalar, or of a tensor that is computed from something.
  static TypedAttr zeroFor(Operation *op, Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    bool isWorthIt =
        tensor ? tensor.hasStaticShape() && op->getNumOperands() > 0 &&
                     tensor.getElementType().isIntOrIndexOrFloat() &&
                     !isa<linalg::FillOpInterface>(op)
               : type.isIntOrIndexOrFloat();
    return isWorthIt
               ? dyn_cast_or_null<TypedAttr>(OpBuilder(op).getZeroAttr(type))
               : TypedAttr();
  }

  /// Applies a dialect's pattern to an operation.
  bool applyPatterns(std::size_t number) {
    Operation *op = operationsOf(*module)[number];
    SmallVector<const RewritePattern *> tried;
    auto specific = patterns.getOpSpecificNativePatterns().find(op->getName());
    if (specific != patterns.getOpSpecificNativePatterns().end())
      llvm::append_range(tried, specific->second);
    for (const RewritePattern &any : patterns.getMatchAnyOpNativePatterns())
      tried.push_back(&any);
    for (const RewritePattern *pattern : tried)
      if (attempt([&](ModuleOp module) {
            Operation *op = operationsOf(module)[number];
            PatternRewriter rewriter(op->getContext());
            rewriter.setInsertionPoint(op);
            return succeeded(pattern->matchAndRewrite(op, rewriter));
          }))
        return true;
    return false;
  }

  /// Changes all types and attributes in the same way.
  template <typename Attr, typename Replace>
  bool replaceAll(Replace replace) {
    return attempt([&](ModuleOp module) {
      AttrTypeReplacer replacer;
      replacer.addReplacement(
          [&](Attr from) -> std::optional<Attr> { return replace(from); });
      replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                            /*replaceLocs=*/false,
                                            /*replaceTypes=*/true);
      return true;
    });
  }

  bool simplifyLayouts() {
    SetVector<Attribute> layouts;
    module->walk([&](Operation *op) {
      auto look = [&](Type type) {
        if (auto tensor = dyn_cast<RankedTensorType>(type))
          if (isa_and_nonnull<LayoutAttr>(tensor.getEncoding()))
            layouts.insert(tensor.getEncoding());
      };
      llvm::for_each(op->getResultTypes(), look);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::for_each(block.getArgumentTypes(), look);
    });
    bool changed = false;
    for (Attribute layout : layouts)
      for (Layout simpler :
           simplerLayouts(cast<LayoutAttr>(layout).getLayout())) {
        Attribute instead = makeLayout(layout.getContext(), simpler);
        if (replaceAll<RankedTensorType>([&](RankedTensorType type) {
              return type.getEncoding() == layout
                         ? RankedTensorType::get(type.getShape(),
                                                 type.getElementType(), instead)
                         : type;
            })) {
          changed = true;
          break;
        }
      }
    return changed;
  }

  /// Halves an extent wherever it is that of a dimension.
  bool halveExtents() {
    SetVector<int64_t> extents;
    for (func::FuncOp function : functionsOf(*module))
      for (Type type : function.getArgumentTypes())
        if (auto tensor = dyn_cast<RankedTensorType>(type))
          for (int64_t extent : tensor.getShape())
            if (extent > 1)
              extents.insert(extent);
    bool changed = false;
    for (int64_t extent : extents)
      changed |= attempt([&](ModuleOp module) {
        int64_t half = (extent + 1) / 2;
        AttrTypeReplacer replacer;
        replacer.addReplacement(
            [&](RankedTensorType type) -> std::optional<Type> {
              SmallVector<int64_t> shape(type.getShape());
              std::replace(shape.begin(), shape.end(), extent, half);
              return type.clone(shape);
            });
        // Constants of one value, and the sizes of slices and shapes.
        replacer.addReplacement(
            [&](SplatElementsAttr values) -> std::optional<Attribute> {
              auto type = dyn_cast<RankedTensorType>(values.getType());
              if (!type)
                return std::nullopt;
              SmallVector<int64_t> shape(type.getShape());
              std::replace(shape.begin(), shape.end(), extent, half);
              return values.resizeSplat(type.clone(shape));
            });
        replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                              /*replaceLocs=*/false,
                                              /*replaceTypes=*/true);
        module.walk([&](Operation *op) {
          for (StringRef name :
               {"static_sizes", "static_output_shape", "static_shape"})
            if (auto sizes = op->getAttrOfType<DenseI64ArrayAttr>(name)) {
              SmallVector<int64_t> changed(sizes.asArrayRef());
              std::replace(changed.begin(), changed.end(), extent, half);
              op->setAttr(name,
                          DenseI64ArrayAttr::get(op->getContext(), changed));
            }
        });
        return true;
      });
    return changed;
  }

  OwningOpRef<ModuleOp> &module;
  Interesting interesting;
  ReduceOptions &options;
  FrozenRewritePatternSet patterns;
};

} // namespace

bool reduceModule(OwningOpRef<ModuleOp> &module, Interesting interesting,
                  ReduceOptions &options) {
  return Reducer(module, interesting, options).run();
}

std::size_t countOperations(ModuleOp module) {
  std::size_t count = 0;
  for (func::FuncOp function : functionsOf(module))
    for (Block &block : function.getBody())
      for (Operation &op : block.without_terminator())
        count += (op.getNumOperands() > 0 || op.getNumRegions() > 0) &&
                 !isa<linalg::FillOpInterface>(op) && op.getNumResults() > 0 &&
                 !op.getResult(0).getType().isIndex();
  return count;
}

} // namespace npu
