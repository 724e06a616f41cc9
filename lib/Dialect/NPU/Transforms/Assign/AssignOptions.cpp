// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AssignOptions.h"

#include "../Verify/LimitsOfTarget.h"
#include "npu/Analysis/Candidates/StorageKinds.h"
#include "npu/Analysis/Choices/HostFallback.h"
#include "npu/Analysis/TargetOf.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Dialect/NPU/IR/TensorSizes.h"
#include "npu/Dialect/NPU/Transforms/Verify/VerifyDistributions.h"
#include "npu/Interfaces/OpAccess.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Support/OptionReaders.h"
#include "npu/Support/SignatureAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace npu {
namespace {

// Layouts that somebody has chosen before an assignment is searched.

StringRef layoutName() { return NPUDialect::LayoutAttrHelper::getNameStr(); }

/// The type with the layout that `attr` asks for, if there is one; null after
/// an error.
Type pinned(FunctionOpInterface function, Type type, Attribute attr,
            const Twine &place) {
  auto layout = dyn_cast_or_null<LayoutAttr>(attr);
  if (!layout)
    return type;
  auto tensor = cast<RankedTensorType>(type);
  if (LayoutAttr own = getLayout(tensor); own && own != layout) {
    function.emitError() << place << " of '" << function.getName()
                         << "' is pinned to two layouts: " << own
                         << " by its type, and " << layout << " by its '"
                         << layoutName() << "'";
    return {};
  }
  return withLayout(tensor, layout);
}

Value moveTo(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return RedistributeOp::create(builder, loc, type, value);
}

/// An error where something other than a call knows the function's type.
LogicalResult verifyOnlyCalled(FunctionOpInterface function) {
  auto uses = SymbolTable::getSymbolUses(function, function->getParentOp());
  if (!uses)
    return success();
  for (SymbolTable::SymbolUse use : *uses)
    if (!isa<func::CallOp>(use.getUser()))
      return use.getUser()->emitError()
             << "expected calls of '" << function.getName()
             << "' alone, because its arguments or results are pinned to "
                "layouts, got '"
             << use.getUser()->getName() << "'";
  return success();
}

/// Whether the user's types are decided elsewhere, so that it needs its
/// operands under the types that they were written with.
bool needsWrittenTypes(Operation *user) {
  if (isa<RegionBranchOpInterface, CallOpInterface>(user) ||
      user->hasTrait<OpTrait::IsTerminator>())
    return true;
  // What regions other than those of control flow read, they read whole.
  for (Operation *around = user->getParentOp();
       !around->hasTrait<OpTrait::IsIsolatedFromAbove>();
       around = around->getParentOp())
    if (!isa<RegionBranchOpInterface>(around))
      return true;
  return false;
}

/// Whether the type of an operand follows from the signature of a function.
bool followsSignature(Operation *user) {
  return isa<func::ReturnOp, func::CallOp>(user);
}

/// Gives the argument the type, and the one that it had to those who need it.
void retypeArgument(BlockArgument argument, Type type) {
  Type before = argument.getType();
  if (before == type)
    return;
  argument.setType(type);
  // What a permute_cast makes follows from the memory order of what it reads.
  bool isReordered = getOrder(cast<RankedTensorType>(before)) !=
                     getOrder(cast<RankedTensorType>(type));
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : argument.getUses())
    if ((needsWrittenTypes(use.getOwner()) &&
         !followsSignature(use.getOwner())) ||
        (isReordered && isa<PermuteCastOp>(use.getOwner())))
      uses.push_back(&use);
  if (uses.empty())
    return;
  OpBuilder builder = OpBuilder::atBlockBegin(argument.getOwner());
  Value written =
      RedistributeOp::create(builder, argument.getLoc(), before, argument);
  for (OpOperand *use : uses)
    use->set(written);
}

/// The tensor.empty or splat that is made where it is used has no layout of its
/// own to keep.
bool keepsItsType(Operation *op) {
  return isa<RegionBranchOpInterface, CallOpInterface>(op) ||
         keepsIndices(op) || op->hasTrait<OpTrait::IsTerminator>();
}

/// The type in which an operation makes its result in DDR. The shape of a
/// permute_cast's result follows from its memory order, which it keeps.
RankedTensorType typeInDdr(Operation *op, RankedTensorType type) {
  return isa<PermuteCastOp>(op) ? inDdr(type) : withLayout(type, {});
}

/// Gives arguments and results of `function` the layouts of their `npu.layout`
/// attributes, which go. Operations whose types are decided elsewhere get an
/// argument as it was, by a move. An error, with both layouts, where the type
/// has another one already.
LogicalResult pinSignature(FunctionOpInterface function) {
  SmallVector<Type> inputs(function.getArgumentTypes()),
      results(function.getResultTypes());
  for (auto [number, type] : llvm::enumerate(inputs)) {
    type = pinned(function, type, function.getArgAttr(number, layoutName()),
                  "argument #" + Twine(number));
    if (!type)
      return failure();
    if (!function.isExternal())
      retypeArgument(function.getArgument(number), type);
  }
  for (auto [number, type] : llvm::enumerate(results)) {
    type = pinned(function, type, function.getResultAttr(number, layoutName()),
                  "result #" + Twine(number));
    if (!type)
      return failure();
  }
  auto drop = [](unsigned, NamedAttrList &attributes) {
    attributes.erase(layoutName());
  };
  rewriteArgAttrs(function, drop);
  rewriteResultAttrs(function, drop);
  auto before = function.getFunctionType();
  auto after = FunctionType::get(function->getContext(), inputs, results);
  if (before == after)
    return success();
  if (failed(verifyOnlyCalled(function)))
    return failure();
  function.setType(after);
  for (Block &block : function.getFunctionBody()) {
    auto end = dyn_cast<func::ReturnOp>(block.getTerminator());
    if (!end)
      continue;
    OpBuilder builder(end);
    for (auto [operand, type] : llvm::zip_equal(end->getOpOperands(), results))
      operand.set(moveTo(builder, end.getLoc(), operand.get(), type));
  }
  return success();
}

/// Brings what callers give and take under the types of the signatures, by
/// moves.
void retypeCalls(ModuleOp module) {
  SymbolTableCollection symbols;
  module.walk([&](func::CallOp call) {
    auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    if (!callee)
      return;
    FunctionType type = callee.getFunctionType();
    OpBuilder builder(call);
    for (auto [operand, input] :
         llvm::zip_equal(call->getOpOperands(), type.getInputs()))
      operand.set(moveTo(builder, call.getLoc(), operand.get(), input));
    builder.setInsertionPointAfter(call);
    for (auto [result, wanted] :
         llvm::zip_equal(call.getResults(), type.getResults())) {
      Type before = result.getType();
      if (before == wanted)
        continue;
      result.setType(wanted);
      if (result.use_empty())
        continue;
      auto moved =
          RedistributeOp::create(builder, call.getLoc(), before, result);
      result.replaceAllUsesExcept(moved, moved);
    }
  });
}

/// Makes a move of every layout that an operation's result has by its type: the
/// operation itself gives a tensor without a layout, which is brought into the
/// chosen one, so that the operation may run in any candidate that gives it.
/// Results of control flow, calls and casts stay as they are.
void pinResults(FunctionOpInterface function) {
  SmallVector<Operation *> withLayouts;
  function.walk([&](Operation *op) {
    if (op != function && !keepsItsType(op) &&
        llvm::any_of(op->getResultTypes(), hasLayout))
      withLayouts.push_back(op);
  });
  for (Operation *op : withLayouts) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    bool isConstant = op->hasTrait<OpTrait::ConstantLike>();
    for (Value result : op->getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (!type || !getLayout(type))
        continue;
      RankedTensorType plain = typeInDdr(op, type);
      if (plain == type)
        continue;
      if (isConstant || needsNoData(op)) {
        FailureOr<Value> again =
            cast<RematerializableOpInterface>(op).rematerializeAs(builder,
                                                                  plain);
        if (succeeded(again)) {
          Value moved = moveTo(builder, op->getLoc(), *again, type);
          result.replaceAllUsesWith(moved);
        }
        continue;
      }
      result.setType(plain);
      auto moved = RedistributeOp::create(builder, op->getLoc(), type, result);
      result.replaceAllUsesExcept(moved, moved);
    }
    if (op->use_empty() && (isConstant || needsNoData(op)))
      op->erase();
  }
}

/// Whether an operation writes over what the use is of, and reads none of it.
bool isOnlyWrittenOver(OpOperand &use) {
  std::optional<OpAccess> access = OpAccess::get(use.getOwner());
  return access && tiedResult(use) && !access->reads(use.getOperandNumber());
}

/// Gives operations an unwritten tensor where they only write over what another
/// operation makes: for nobody, which then is not computed and costed, or on
/// the host, from where it is brought to tiles for those who read it. Memory of
/// what others read is used again.
void emptyUnreadOutputs(FunctionOpInterface function) {
  SmallVector<OpOperand *> unread;
  function.walk([&](Operation *op) {
    for (Value result : op->getResults()) {
      bool isBrought = hostFallbackOf(op) && hasLayout(result.getType());
      if (isUnwritten(result) ||
          !(isBrought || llvm::all_of(result.getUses(), isOnlyWrittenOver)))
        continue;
      for (OpOperand &use : result.getUses())
        if (isOnlyWrittenOver(use))
          unread.push_back(&use);
    }
  });
  for (OpOperand *use : unread) {
    auto type = cast<RankedTensorType>(use->get().getType());
    OpBuilder builder(use->getOwner());
    use->set(tensor::EmptyOp::create(builder, use->get().getLoc(),
                                     type.getShape(), type.getElementType(),
                                     type.getEncoding()));
  }
  IRRewriter rewriter(function.getContext());
  (void)runRegionDCE(rewriter, function->getRegions());
}

/// Leaves one move of each value to each type, where the value is made, so that
/// none is paid twice or in every round of a loop; and none to the type that
/// the value has, of what is made again wherever it is wanted, or that nobody
/// reads.
void joinMoves(FunctionOpInterface function) {
  SmallVector<Operation *> moves;
  function.walk([&](Operation *op) {
    if (keepsIndices(op))
      moves.push_back(op);
  });
  // What nobody reads is not moved.
  for (Operation *&move : llvm::reverse(moves))
    if (move->use_empty()) {
      move->erase();
      move = nullptr;
    }
  llvm::erase(moves, nullptr);
  llvm::DenseMap<std::pair<Value, Type>, Value> copies;
  for (Operation *move : moves) {
    Value from = move->getOperand(0), to = move->getResult(0);
    if (isMadeAnywhere(from))
      to.replaceUsesWithIf(from, [](OpOperand &use) {
        return !needsWrittenTypes(use.getOwner());
      });
    Value known = from;
    if (from.getType() != to.getType())
      known = copies.try_emplace({from, to.getType()}, to).first->second;
    if (known != to) {
      to.replaceAllUsesWith(known);
      move->erase();
    } else if (from.getParentBlock() != move->getBlock()) {
      if (Operation *maker = from.getDefiningOp())
        move->moveAfter(maker);
      else
        move->moveBefore(from.getParentBlock(), from.getParentBlock()->begin());
    }
  }
}

/// A device of as many tiles as there can be, whose scratchpads hold
/// everything.
Target boundlessTarget() {
  Target target = *findBuiltinTarget("npu4000");
  target.name = "no target";
  target.maxTiles = kMaxTiles;
  target.scratchpadBytes = std::numeric_limits<int64_t>::max();
  return target;
}

InFlightDiagnostic refuse(ModuleOp module) {
  return mlir::emitError(module.getLoc()) << "npu-assign-distributions: ";
}

FailureOr<int64_t> readTiles(ModuleOp module, int64_t count,
                             const std::optional<Target> &device) {
  if (count < 0 || count > kMaxTiles)
    return refuse(module) << "expected 1 to " << kMaxTiles << " tiles, got "
                          << count;
  if (device && count > device->maxTiles)
    return refuse(module) << "expected at most " << device->maxTiles
                          << " tiles, which " << device->name << " has, got "
                          << count;
  if (count > 0)
    return count;
  if (device)
    return device->tiles;
  return refuse(module) << "expected tiles=N, target=NAME or a module that "
                           "describes its target, got none of them";
}

} // namespace

/// The storage kind that is asked for; nothing for auto.
static FailureOr<std::optional<Storage>> readStorage(ModuleOp module,
                                                     StringRef word) {
  std::optional<Storage> kind = parseStorage(word);
  if (kind || word == "auto")
    return kind;
  return refuse(module) << "expected storage=auto, linear or tiled2d, got '"
                        << word << "'";
}

FailureOr<AssignSettings> readSettings(ModuleOp module,
                                       const WrittenOptions &written) {
  if (!isStrategy(written.strategy))
    return refuse(module) << "expected strategy " << strategyNames()
                          << ", got '" << written.strategy << "'";
  if (written.states < 1)
    return refuse(module) << "expected at least 1 state, got "
                          << written.states;
  // So that no price times all bytes of a program overflows.
  constexpr int64_t mostPrice = 1000000;
  if (written.bytePrice < 0 || written.bytePrice > mostPrice)
    return refuse(module) << "expected a byte-price from 0 to " << mostPrice
                          << ", got " << written.bytePrice;
  FailureOr<std::optional<Target>> device =
      targetWithCosts(module, written.target);
  if (failed(device))
    return failure();
  FailureOr<int64_t> count = readTiles(module, written.tiles, *device);
  if (failed(count))
    return failure();
  AssignSettings settings;
  settings.target = *device ? **device : boundlessTarget();
  settings.options.tiles = *count;
  settings.strategy = {written.strategy, written.states, written.bytePrice};
  settings.options.splitReductions = written.splitReductions;
  settings.host = written.host;
  settings.inSteps = written.inSteps;
  settings.options.bytePrice = written.bytePrice;
  // Beam search evicts to DDR, and reports of baselines tell what going there
  // costs.
  settings.options.everywhereInDdr = written.strategy != "least";
  FailureOr<KernelTable> kernels = KernelTable::of(module, written.target);
  if (failed(kernels))
    return failure();
  settings.options.kernels =
      std::make_shared<const KernelTable>(std::move(*kernels));
  FailureOr<std::optional<Storage>> storage =
      readStorage(module, written.storage);
  if (failed(storage))
    return failure();
  settings.options.storage.option = *storage;
  return settings;
}

LogicalResult
verifyStatesRead(StringRef argument, StringRef text,
                 llvm::function_ref<LogicalResult(const llvm::Twine &)> fail) {
  return verifyOptionReaders(argument,
                             {{"states",
                               {},
                               {"strategy=greedy", "strategy=beam",
                                "strategy=duplicate", "strategy=rows"},
                               "20000"}},
                             text, fail);
}

SmallVector<FunctionOpInterface> functionsOf(ModuleOp module) {
  SmallVector<FunctionOpInterface> functions;
  module.walk([&](func::FuncOp function) {
    if (!function.isExternal())
      functions.push_back(function);
  });
  return functions;
}

LogicalResult prepare(ModuleOp module, const AssignSettings &settings) {
  if (failed(checkTensorSizes(module)) || failed(verifyStaticShapes(module)) ||
      failed(verifyLayoutsFit(module)))
    return failure();
  const StorageRules &rules = settings.options.kernels->storageRules();
  if (failed(verifyStorage(module, "npu-assign-distributions",
                           *settings.options.kernels,
                           settings.options.storage.option)))
    return failure();
  LogicalResult fine = success();
  module.walk([&](func::FuncOp function) {
    if (failed(pinSignature(function)))
      fine = failure();
  });
  if (failed(fine))
    return failure();
  retypeCalls(module);
  for (FunctionOpInterface function : functionsOf(module)) {
    pinResults(function);
    emptyUnreadOutputs(function);
    joinMoves(function);
  }
  return verifyLimits(module, settings.target, rules);
}

} // namespace npu
