// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-isolate-computation: keeps a function's tensors and takes off the program
// around them.

#include "npu/Preprocess/Exports/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_ISOLATECOMPUTATION
#include "npu/Preprocess/Exports/Passes.h.inc"

namespace {

/// The function that `call` calls; null where it is not in the module.
func::FuncOp calleeOf(func::CallOp call) {
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
}

/// Whether `op` calls a function without a body.
bool callsOutside(Operation *op) {
  auto call = dyn_cast<func::CallOp>(op);
  func::FuncOp callee = call ? calleeOf(call) : nullptr;
  return callee && callee.isExternal();
}

/// Whether `type` can hold the entries of a tensor.
bool holdsEntries(Type type) { return isa<TensorType, BaseMemRefType>(type); }

/// The ranked tensor whose entries `value` has: itself, or what was cast to it
/// or put into a buffer. Null where there is none.
Value tensorAfter(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<RankedTensorType>(value.getType()) ||
        !isa<CastOpInterface, bufferization::ToBufferOp>(op))
      break;
    value = op->getOperand(0);
  }
  return isa<RankedTensorType>(value.getType()) ? value : nullptr;
}

/// What is taken off a function, in program order.
struct Around {
  llvm::SetVector<Operation *> ops;
  /// Tensors that were given to functions without a body.
  SmallVector<Value> printed;
  /// How many calls or operations, by what they call or are.
  llvm::MapVector<StringRef, int64_t> counts;
};

/// Whether all users of the buffer `value` are casts and calls of functions
/// without a body, so that nobody reads what these may write to it.
bool isSeenOutsideOnly(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<BaseMemRefType>(value.getType()))
      break;
    for (Operation *user : value.getUsers())
      if (!callsOutside(user) && !isa<CastOpInterface>(user))
        return false;
    if (!isa<CastOpInterface>(op))
      break;
    value = op->getOperand(0);
  }
  return true;
}

LogicalResult addPrinted(func::CallOp call, bool kept, Around &around) {
  for (Value operand : call.getOperands()) {
    if (!holdsEntries(operand.getType()))
      continue;
    if (!isSeenOutsideOnly(operand))
      return mlir::emitError(call.getLoc())
             << "the buffer that is passed to '" << call.getCallee()
             << "' may be modified by it, and is read elsewhere";
    if (!kept || !isa<func::FuncOp>(call->getParentOp()))
      return mlir::emitError(call.getLoc())
             << "expected tensors to be printed by the kept function, outside "
                "its regions, got one that is given to '"
             << call.getCallee() << "' in "
             << (kept ? "a region" : "a function that it calls");
    Value tensor = tensorAfter(operand);
    if (!tensor)
      return mlir::emitError(call.getLoc())
             << "expected a ranked tensor after what is given to '"
             << call.getCallee() << "', got " << operand.getType();
    around.printed.push_back(tensor);
  }
  return success();
}

/// Adds everything that is computed from `op`, the result of a call outside.
LogicalResult addUsers(Operation *op, Around &around) {
  for (Operation *user : op->getUsers()) {
    if (around.ops.contains(user) || callsOutside(user) ||
        isa<vector::PrintOp>(user))
      continue;
    if (user->getNumRegions() > 0 || user->hasTrait<OpTrait::IsTerminator>() ||
        !isMemoryEffectFree(user) ||
        llvm::any_of(user->getResultTypes(), holdsEntries))
      return mlir::emitError(user->getLoc())
             << "expected what functions without a body return to be used for "
                "timing and printing alone, got a use by '"
             << user->getName() << "'";
    around.ops.insert(user);
    if (failed(addUsers(user, around)))
      return failure();
  }
  return success();
}

FailureOr<Around> findAround(func::FuncOp function, bool kept) {
  Around around;
  WalkResult walk = function.walk([&](Operation *op) -> WalkResult {
    if (isa<vector::PrintOp>(op)) {
      around.ops.insert(op);
      ++around.counts[op->getName().getStringRef()];
      return WalkResult::advance();
    }
    if (auto other = dyn_cast<CallOpInterface>(op);
        other && !isa<func::CallOp>(op)) {
      auto callee =
          dyn_cast_or_null<CallableOpInterface>(other.resolveCallable());
      if (!callee || !callee.getCallableRegion())
        return mlir::emitError(op->getLoc())
               << "expected functions without a body to be called by "
                  "'func.call', got '"
               << op->getName() << "'";
    }
    if (!callsOutside(op))
      return WalkResult::advance();
    auto call = cast<func::CallOp>(op);
    around.ops.insert(op);
    ++around.counts[call.getCallee()];
    if (failed(addPrinted(call, kept, around)) || failed(addUsers(op, around)))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  return around;
}

/// Erases what is taken off, and the casts that only it used.
void erase(const Around &around) {
  SmallVector<Operation *> casts;
  for (Operation *op : around.ops) {
    for (Value operand : op->getOperands())
      for (Operation *cast = operand.getDefiningOp();
           cast && isa<CastOpInterface, bufferization::ToBufferOp>(cast);
           cast = cast->getOperand(0).getDefiningOp())
        if (!llvm::is_contained(casts, cast))
          casts.push_back(cast);
    op->dropAllReferences();
  }
  for (Operation *op : around.ops) {
    op->dropAllUses();
    op->erase();
  }
  for (Operation *cast : casts)
    if (cast->use_empty())
      cast->erase();
}

LogicalResult returnPrinted(func::FuncOp function, ArrayRef<Value> printed) {
  if (printed.empty())
    return success();
  if (!function.getBody().hasOneBlock())
    return mlir::emitError(function.getLoc())
           << "expected a function of one block around tensors that are "
              "printed, got "
           << function.getBody().getBlocks().size() << " blocks in '"
           << function.getName() << "'";
  Operation *last = function.getBody().front().getTerminator();
  last->insertOperands(last->getNumOperands(), printed);
  SmallVector<unsigned> indices(printed.size(),
                                function.getFunctionType().getNumResults());
  SmallVector<DictionaryAttr> attributes(printed.size());
  return function.insertResults(indices, TypeRange(ValueRange(printed)),
                                attributes);
}

void remark(func::FuncOp function, const Around &around) {
  if (around.ops.empty())
    return;
  InFlightDiagnostic diagnostic = mlir::emitRemark(function.getLoc());
  diagnostic << "'" << function.getName() << "': took off ";
  llvm::interleaveComma(around.counts, diagnostic, [&](const auto &entry) {
    diagnostic << entry.second << " of '" << entry.first << "'";
  });
  if (size_t count = around.printed.size())
    diagnostic << "; returns " << count << (count == 1 ? " tensor" : " tensors")
               << " that " << (count == 1 ? "was" : "were") << " printed";
}

struct IsolateComputationPass
    : impl::IsolateComputationBase<IsolateComputationPass> {
  using IsolateComputationBase::IsolateComputationBase;

  void runOnOperation() override {
    FailureOr<func::FuncOp> kept = findKept();
    if (failed(kept))
      return signalPassFailure();
    llvm::SetVector<Operation *> reached;
    reached.insert(*kept);
    for (size_t next = 0; next < reached.size(); ++next)
      reached[next]->walk([&](func::CallOp call) {
        if (func::FuncOp callee = calleeOf(call);
            callee && !callee.isExternal())
          reached.insert(callee);
      });
    for (Operation *op : reached) {
      auto function = cast<func::FuncOp>(op);
      bool isKept = function == *kept;
      if (failed(isolate(function, isKept)))
        return signalPassFailure();
      function.setVisibility(isKept ? SymbolTable::Visibility::Public
                                    : SymbolTable::Visibility::Private);
    }
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (!reached.contains(function))
        function.erase();
  }

private:
  /// The function that the option names, or the only public one that
  /// takes tensors.
  FailureOr<func::FuncOp> findKept() {
    SmallVector<func::FuncOp> candidates;
    for (auto candidate : getOperation().getOps<func::FuncOp>()) {
      bool named = candidate.getName() == function;
      if (!candidate.isExternal() &&
          (function.empty()
               ? candidate.isPublic() &&
                     llvm::any_of(candidate.getArgumentTypes(), holdsEntries)
               : named))
        candidates.push_back(candidate);
    }
    if (candidates.size() == 1)
      return candidates.front();
    InFlightDiagnostic diagnostic = mlir::emitError(getOperation().getLoc());
    diagnostic << "npu-isolate-computation: ";
    if (!function.empty())
      return diagnostic << "expected a function '" << function
                        << "' with a body, got none";
    diagnostic << "expected one public function that takes tensors, got "
               << candidates.size();
    if (!candidates.empty()) {
      diagnostic << " (";
      llvm::interleaveComma(
          candidates, diagnostic,
          [&](func::FuncOp candidate) { diagnostic << candidate.getName(); });
      diagnostic << ")";
    }
    return diagnostic << "; function=NAME names one";
  }

  static LogicalResult isolate(func::FuncOp function, bool kept) {
    FailureOr<Around> around = findAround(function, kept);
    if (failed(around) || failed(returnPrinted(function, around->printed)))
      return failure();
    remark(function, *around);
    erase(*around);
    return success();
  }
};

} // namespace
} // namespace npu
