// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DdrNeeds.h"

#include "BufferUses.h"
#include "ScratchpadBuffers.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Support/Naming.h"
#include "npu/Support/RefusalKind.h"
#include "npu/Target/Count.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace npu {
namespace {

int64_t bytesInDdr(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.hasStaticShape() && !tileOf(memref)
             ? bufferBytes(memref.getElementType(), memref.getShape())
                   .value_or(0)
             : 0;
}

class Collector {
public:
  DdrNeeds of(func::FuncOp function) {
    DdrNeeds needs;
    for (Type type : function.getArgumentTypes())
      needs.arguments =
          (Count{needs.arguments} + Count{bytesInDdr(type)}).value;
    std::tie(needs.buffers, needs.peak) = peakOf(function);
    needs.constants = constants.value;
    return needs;
  }

private:
  /// The most bytes of buffers that are in use at one time, and the operation
  /// at which they are.
  std::pair<int64_t, Operation *> peakOf(func::FuncOp function) {
    BufferUses uses(function);
    // How many bytes more are in use from a step on.
    using Wide = __int128;
    std::map<int64_t, Wide> changes;
    auto add = [&](BufferUses::Lifetime life, int64_t bytes) {
      changes[life.first] += bytes;
      changes[life.last + 1] -= bytes;
    };
    function.walk([&](Operation *op) {
      if (auto global = dyn_cast<memref::GetGlobalOp>(op)) {
        if (named.insert(global.getNameAttr().getAttr()).second)
          constants += Count{bytesInDdr(global.getType())};
      } else if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
        if (int64_t bytes = bytesInDdr(alloc.getType()))
          add(uses.touched(alloc), bytes);
      } else if (auto call = dyn_cast<func::CallOp>(op)) {
        int64_t step = uses.stepOf(call);
        add({step, step}, bytesOfCallee(call));
      }
    });
    Wide inUse = 0, most = 0;
    Operation *peak = nullptr;
    for (auto [step, change] : changes) {
      inUse += change;
      if (inUse > most) {
        most = inUse;
        peak = uses.operationAt(step);
      }
    }
    return {static_cast<int64_t>(std::min<Wide>(most, Count::most)), peak};
  }

  /// A recursive call counts once.
  int64_t bytesOfCallee(func::CallOp call) {
    auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    if (!callee || callee.isExternal())
      return 0;
    auto [known, isNew] = ofCallees.try_emplace(callee, 0);
    if (!isNew)
      return known->second;
    int64_t bytes = peakOf(callee).first;
    ofCallees[callee] = bytes;
    return bytes;
  }

  SymbolTableCollection symbols;
  llvm::DenseMap<Operation *, int64_t> ofCallees;
  llvm::DenseSet<Attribute> named;
  Count constants;
};

} // namespace

int64_t DdrNeeds::total() const {
  return (Count{arguments} + Count{constants} + Count{buffers}).value;
}

DdrNeeds ddrNeedsOf(func::FuncOp function) { return Collector().of(function); }

LogicalResult verifyDdrCapacity(func::FuncOp function, const Target &target) {
  if (target.ddrBytes == 0 || function.isExternal())
    return success();
  DdrNeeds needs = ddrNeedsOf(function);
  if (needs.total() <= target.ddrBytes)
    return success();
  Operation *at = needs.peak ? needs.peak : function.getOperation();
  InFlightDiagnostic error = mlir::emitError(at->getLoc())
                             << "expected '" << function.getName()
                             << "' to need at most "
                             << nameOfBytes(target.ddrBytes) << ", the DDR of "
                             << target.name << ", got " << needs.total();
  mark(error, RefusalKind::DdrTooSmall);
  error.attachNote() << nameOfBytes(needs.arguments)
                     << " are of arguments and results, " << needs.constants
                     << " of constants, and " << needs.buffers
                     << " of tensors that are in use here at one time";
  return error;
}

} // namespace npu
