// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reduces greedily: every kind of change is tried at every place, until a whole
// round changes nothing. Changes are made in the IR and know no operation; what
// verifiers refuse is no candidate.

#include "npu-fuzz/Functions/ReduceFunction.h"

#include "npu-fuzz/Functions/FunctionMaker.h"

#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace npu {
namespace {

func::FuncOp mainOf(ModuleOp module) {
  return module.lookupSymbol<func::FuncOp>("main");
}

void eraseDead(ModuleOp module) {
  module.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    // No function that is made up has side effects.
    if (isOpTriviallyDead(op) || (isa<func::CallOp>(op) && op->use_empty()))
      op->erase();
  });
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (function.isPrivate() &&
        SymbolTable::symbolKnownUseEmpty(function, module))
      function.erase();
}

/// Lets the type of `main` be what it takes and returns.
void updateType(func::FuncOp main) {
  Operation *last = main.getBody().back().getTerminator();
  main.setFunctionType(FunctionType::get(
      main.getContext(), main.getBody().front().getArgumentTypes(),
      last->getOperandTypes()));
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

class Reducer {
public:
  Reducer(MadeFunction function,
          const std::function<bool(const MadeFunction &)> &fails,
          unsigned mostTries)
      : best(std::move(function)), fails(fails), triesLeft(mostTries),
        module(parseSourceString<ModuleOp>(best.text, &makingContext())) {}

  MadeFunction run() {
    bool changed = static_cast<bool>(module);
    while (changed && triesLeft > 0) {
      changed = simplifyTask();
      // A function to be run in chunks has to return its caches.
      if (!best.prompt || !best.prompt->prefill) {
        changed |= returnLess();
        changed |= forEachOperation(&Reducer::makeArguments);
        changed |= dropArguments();
      }
      changed |= forEachOperation(&Reducer::useAnother);
      changed |= simplifyLayouts();
      changed |= halveExtents();
    }
    return std::move(best);
  }

private:
  using Change = llvm::function_ref<bool(MadeFunction &, ModuleOp)>;

  /// Whether the change can be made and leaves a function that fails, which
  /// then is the best one.
  bool attempt(Change change) {
    OwningOpRef<ModuleOp> candidate = module->clone();
    MadeFunction made = best;
    if (triesLeft == 0 || !change(made, *candidate))
      return false;
    eraseDead(*candidate);
    updateType(mainOf(*candidate));
    if (!isWellFormed(*candidate))
      return false;
    made.text = textOf(*candidate);
    --triesLeft;
    if (!fails(made))
      return false;
    best = std::move(made);
    module = std::move(candidate);
    return true;
  }

  /// Runs tiles in turn, assigns layouts without sums in parts, for a device
  /// with fewer figures of its own or fewer tiles; shortens the prompt.
  bool simplifyTask() {
    bool changed = attempt([](MadeFunction &made, ModuleOp) {
      return std::exchange(made.parallelTiles, false);
    });
    auto assign = [&](llvm::function_ref<bool(AssignTask &)> change) {
      return attempt([&](MadeFunction &made, ModuleOp module) {
        if (!made.assign || made.tosa || !change(*made.assign))
          return false;
        module->setAttr(
            "dlti.target_system_spec",
            parseAttribute(describe(*made.assign), module.getContext()));
        return true;
      });
    };
    changed |= assign([](AssignTask &task) {
      return std::exchange(task.splitReductions, false);
    });
    for (std::size_t i = best.assign ? best.assign->figures.size() : 0;
         i-- > 0;)
      changed |= assign([&](AssignTask &task) {
        task.figures.erase(task.figures.begin() +
                           static_cast<std::ptrdiff_t>(i));
        return true;
      });
    while (assign([](AssignTask &task) {
      return task.tiles > 1 && (task.tiles /= 2) > 0;
    }))
      changed = true;
    for (int64_t length = 2; best.prompt && length < best.prompt->longest;
         ++length)
      changed |= attempt([&](MadeFunction &made, ModuleOp) {
        made.prompt->longest = length;
        return true;
      });
    return changed;
  }

  static Operation *returnOf(ModuleOp module) {
    return mainOf(module).getBody().back().getTerminator();
  }

  /// Returns at one place, one result instead of several, one result less, or
  /// an operand of what makes a result instead of it.
  bool returnLess() {
    if (attempt([&](MadeFunction &, ModuleOp module) {
          mlir::Region &body = mainOf(module).getBody();
          if (body.hasOneBlock())
            return false;
          Operation *branch = body.front().getTerminator();
          returnOf(module)->moveBefore(branch);
          branch->erase();
          while (!body.hasOneBlock())
            body.back().erase();
          return true;
        }))
      return true;
    auto count = returnOf(*module)->getNumOperands();
    for (unsigned i = 0; i < count; ++i) {
      Operation *op = returnOf(*module)->getOperand(i).getDefiningOp();
      for (unsigned k = 0; op && k < op->getNumOperands(); ++k)
        if (attempt([&](MadeFunction &, ModuleOp module) {
              Value instead =
                  returnOf(module)->getOperand(i).getDefiningOp()->getOperand(
                      k);
              Operation *made = instead.getDefiningOp();
              if (!isa<RankedTensorType>(instead.getType()) ||
                  (made && (made->getNumOperands() == 0 ||
                            isa<linalg::FillOpInterface>(made))))
                return false;
              returnOf(module)->setOperand(i, instead);
              return true;
            }))
          return true;
    }
    for (bool alone : {true, false})
      for (unsigned i = 0; count > 1 && i < count; ++i)
        if (attempt([&](MadeFunction &, ModuleOp module) {
              Operation *returned = returnOf(module);
              if (alone)
                returned->setOperands(returned->getOperand(i));
              else
                returned->eraseOperand(i);
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
    return attempt([&](MadeFunction &, ModuleOp module) {
      Operation *op = operationsOf(module)[number];
      func::FuncOp main = mainOf(module);
      if (op->getParentOp() != main || op->getNumOperands() == 0 ||
          isa<linalg::FillOpInterface>(op))
        return false;
      for (Value result : op->getResults())
        if (!result.use_empty())
          result.replaceAllUsesWith(main.getBody().front().addArgument(
              result.getType(), result.getLoc()));
      return true;
    });
  }

  bool dropArguments() {
    bool changed = false;
    for (unsigned i = mainOf(*module).getBody().getNumArguments(); i-- > 0;)
      changed |= attempt([&](MadeFunction &, ModuleOp module) {
        Block &body = mainOf(module).getBody().front();
        if (!body.getArgument(i).use_empty())
          return false;
        mainOf(module).setArgAttrs(i, ArrayRef<NamedAttribute>());
        (void)mainOf(module).eraseArgument(i);
        return true;
      });
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

  /// Replaces a result of an operation by another value of its type, or a
  /// scalar by zero.
  bool useAnother(std::size_t number) {
    Operation *op = operationsOf(*module)[number];
    auto choices = std::ssize(insteadOf(op));
    for (unsigned i = 0; i < op->getNumResults(); ++i)
      for (int64_t k = 0; k <= choices; ++k)
        if (attempt([&](MadeFunction &, ModuleOp module) {
              Operation *op = operationsOf(module)[number];
              Value result = op->getResult(i), instead;
              OpBuilder b(op);
              if (k < choices)
                instead = insteadOf(op)[k];
              else if (result.getType().isIntOrIndexOrFloat())
                instead = arith::ConstantOp::create(
                    b, op->getLoc(),
                    cast<TypedAttr>(b.getZeroAttr(result.getType())));
              if (op->hasTrait<OpTrait::ConstantLike>() || !instead ||
                  result.use_empty() || instead.getType() != result.getType())
                return false;
              result.replaceAllUsesWith(instead);
              return true;
            }))
          return true;
    return false;
  }

  /// Changes all types and attributes in the same way.
  template <typename Attr, typename Replace>
  bool replaceAll(Replace replace) {
    return attempt([&](MadeFunction &, ModuleOp module) {
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
    for (Type type : mainOf(*module).getArgumentTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        for (int64_t extent : tensor.getShape())
          if (extent > 1)
            extents.insert(extent);
    bool changed = false;
    for (int64_t extent : extents)
      changed |= replaceAll<RankedTensorType>([&](RankedTensorType type) {
        SmallVector<int64_t> shape(type.getShape());
        std::replace(shape.begin(), shape.end(), extent, (extent + 1) / 2);
        return type.clone(shape);
      });
    return changed;
  }

  MadeFunction best;
  const std::function<bool(const MadeFunction &)> &fails;
  unsigned triesLeft;
  OwningOpRef<ModuleOp> module;
};

} // namespace

MadeFunction
reduceFunction(MadeFunction function,
               const std::function<bool(const MadeFunction &)> &fails,
               unsigned mostTries) {
  return Reducer(std::move(function), fails, mostTries).run();
}

std::size_t operationCount(const MadeFunction &function) {
  auto module = parseSourceString<ModuleOp>(function.text, &makingContext());
  std::size_t count = 0;
  if (module)
    for (Operation &op : mainOf(*module).getBody().front().without_terminator())
      count += (op.getNumOperands() > 0 || op.getNumRegions() > 0) &&
               !isa<linalg::FillOpInterface>(op) &&
               !op.getResult(0).getType().isIndex();
  return count;
}

} // namespace npu
