// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-pack-arguments: a function on buffers takes one pointer, to a list of
// pointers to its buffers' descriptors.

#include "npu/Conversion/ToLLVM/Passes.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_PACKARGUMENTS
#include "npu/Conversion/ToLLVM/Passes.h.inc"

namespace {

/// The operation of the function's first block in which, or in whose regions,
/// the value is used first; null where nothing of that block uses it.
Operation *firstUserInBlock(BlockArgument value) {
  Operation *first = nullptr;
  for (Operation *user : value.getUsers()) {
    Operation *here = value.getOwner()->findAncestorOpInBlock(*user);
    if (here && (!first || here->isBeforeInBlock(first)))
      first = here;
  }
  return first;
}

/// Where a buffer is loaded from the list: before its first use, so that it is
/// not alive from the beginning of the function. Uses in blocks after a branch
/// may come before those of the first block.
Operation *placeOfLoad(BlockArgument value) {
  Block *entry = value.getOwner();
  Operation *first = firstUserInBlock(value);
  bool onlyHere = llvm::all_of(value.getUsers(), [&](Operation *user) {
    return entry->findAncestorOpInBlock(*user) != nullptr;
  });
  return first && onlyHere ? first : &entry->front();
}

struct PackArgumentsPass : impl::PackArgumentsBase<PackArgumentsPass> {
  using PackArgumentsBase::PackArgumentsBase;

  void runOnOperation() override {
    auto function = getOperation().lookupSymbol<func::FuncOp>(entry);
    if (!function || function.isExternal()) {
      getOperation().emitError()
          << "expected a function '" << entry << "' with a body";
      return signalPassFailure();
    }
    if (failed(check(function)))
      return signalPassFailure();
    pack(function);
  }

private:
  LogicalResult check(func::FuncOp function) {
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
      auto memref = dyn_cast<MemRefType>(type);
      if (!memref || !memref.hasStaticShape() ||
          !memref.getLayout().isIdentity() || memref.getMemorySpace())
        return function.emitError()
               << "expected buffers of static shape and identity layout, got "
               << type << " as argument #" << i;
    }
    if (function.getNumResults() != 0)
      return function.emitError()
             << "expected results in buffers, got " << function.getNumResults()
             << " results of the function";
    if (!SymbolTable::symbolKnownUseEmpty(function, getOperation()))
      return function.emitError("expected a function that nothing calls");
    return success();
  }

  static void pack(func::FuncOp function) {
    MLIRContext *context = function.getContext();
    Location loc = function.getLoc();
    Block &body = function.front();
    auto pointer = LLVM::LLVMPointerType::get(context);
    LLVMTypeConverter converter(context);

    // Find the places first: a new operation takes the order of its block away.
    unsigned count = body.getNumArguments();
    SmallVector<Operation *> places;
    for (BlockArgument argument : body.getArguments())
      places.push_back(argument.use_empty() ? nullptr : placeOfLoad(argument));

    BlockArgument list = body.addArgument(pointer, loc);
    for (unsigned i = 0; i < count; ++i) {
      if (!places[i])
        continue;
      BlockArgument argument = body.getArgument(i);
      OpBuilder builder(places[i]);
      auto load = [&](Value from, int32_t number) -> Value {
        Value place = LLVM::GEPOp::create(builder, loc, pointer, pointer, from,
                                          ArrayRef<LLVM::GEPArg>{number});
        // Nobody changes the list or the descriptors while the function runs.
        return LLVM::LoadOp::create(builder, loc, pointer, place,
                                    /*alignment=*/0, /*isVolatile=*/false,
                                    /*isNonTemporal=*/false,
                                    /*isInvariant=*/true);
      };
      // The second word of a descriptor is the aligned pointer.
      Value descriptor = load(load(list, static_cast<int32_t>(i)), 0);
      Value data = load(descriptor, 1);
      Value buffer = MemRefDescriptor::fromStaticShape(
          builder, loc, converter, cast<MemRefType>(argument.getType()), data);
      auto cast = UnrealizedConversionCastOp::create(
          builder, loc, argument.getType(), buffer);
      argument.replaceAllUsesWith(cast.getResult(0));
    }
    body.eraseArguments(0, count);
    function.setArgAttrsAttr(ArrayAttr());
    function.setType(FunctionType::get(context, {pointer}, {}));
  }
};

} // namespace
} // namespace npu
