// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WhatStands.h"

#include "npu/Conversion/BufferProgram.h"
#include "npu/Conversion/Tosa/Pipeline.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Support/RefusalKind.h"
#include "npu/TileProgram/TileProgram.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace npu {
namespace {

/// The kinds of code that belong to some phases alone.
enum class Kind { Tosa, Layout, TileProgram, Tensor, Buffers, Unplaced, Llvm };

/// Whether the function takes an arena or a buffer for a result.
bool takesBuffers(Operation *op) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return false;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (function.getArgAttr(i, arenaAttrName) ||
        function.getArgAttr(i, resultAttrName))
      return true;
  return false;
}

bool isUnplaced(Operation *op) {
  auto alloc = dyn_cast<memref::AllocOp>(op);
  return alloc && alloc.getType().getMemorySpaceAsInt() != 0;
}

bool isTosa(Operation *op) {
  return isa_and_nonnull<tosa::TosaDialect>(op->getDialect());
}

/// Whether the operation is a constant that stays because the TOSA that uses it
/// does, which is to be named instead.
bool waitsForUser(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>() &&
         llvm::any_of(op->getUsers(), isTosa);
}

bool isOf(Operation *op, Kind kind) {
  switch (kind) {
  case Kind::Tosa:
    return isTosa(op) && !waitsForUser(op);
  case Kind::Layout:
    return anyType(op, hasLayout);
  case Kind::TileProgram:
    return shows(op, CompilePhase::Tiles);
  case Kind::Tensor:
    return anyType(op, llvm::IsaPred<TensorType>);
  case Kind::Buffers:
    return takesBuffers(op);
  case Kind::Unplaced:
    return isUnplaced(op);
  case Kind::Llvm:
    return isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()) &&
           isa<FunctionOpInterface>(op);
  }
  return false;
}

llvm::StringRef nameOfKind(Kind kind) {
  switch (kind) {
  case Kind::Tosa:
    return "TOSA, which was not lowered";
  case Kind::Layout:
    return "a tensor with a layout";
  case Kind::TileProgram:
    return "a part of a tile program";
  case Kind::Tensor:
    return "a tensor";
  case Kind::Buffers:
    return "a function on buffers";
  case Kind::Unplaced:
    return "a tile's buffer without a place in its scratchpad";
  case Kind::Llvm:
    return "a function of the LLVM dialect";
  }
  return "";
}

/// What a module of that phase does not have.
SmallVector<Kind> foreignTo(CompilePhase phase) {
  switch (phase) {
  case CompilePhase::Start:
    return {Kind::TileProgram, Kind::Buffers, Kind::Llvm};
  case CompilePhase::Input:
  case CompilePhase::Padded:
  case CompilePhase::Assigned:
  case CompilePhase::Streamed:
  case CompilePhase::Legal:
    return {Kind::Tosa, Kind::TileProgram, Kind::Buffers, Kind::Llvm};
  case CompilePhase::Tiles:
    return {Kind::Layout, Kind::Buffers, Kind::Llvm};
  case CompilePhase::Scratchpad:
  case CompilePhase::Freed:
    return {Kind::Tensor, Kind::Unplaced, Kind::Llvm};
  case CompilePhase::Llvm:
    return {};
  }
  return {};
}

/// What the LLVM dialect does not have is foreign after the last phase.
bool isBeforeLlvm(Operation *op) {
  return !isa<ModuleOp>(op) &&
         !isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect());
}

} // namespace

LogicalResult verifyWhatStands(ModuleOp module, CompilePhase phase) {
  SmallVector<Kind> foreign = foreignTo(phase);
  WalkResult walk =
      module.walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
        if (phase == CompilePhase::Llvm && isBeforeLlvm(op))
          return mlir::emitError(op->getLoc())
                 << "phase '" << nameOfPhase(phase)
                 << "': expected the LLVM dialect alone, got '" << op->getName()
                 << "'";
        for (Kind kind : foreign)
          if (isOf(op, kind)) {
            InFlightDiagnostic error = mlir::emitError(op->getLoc());
            error << "phase '" << nameOfPhase(phase) << "': '" << op->getName()
                  << "' is " << nameOfKind(kind);
            if (kind == Kind::Tosa)
              mark(error, RefusalKind::TosaNotLowered);
            if (std::string help = whatHelpsInsteadOf(op); !help.empty())
              error.attachNote() << help;
            return error;
          }
        return WalkResult::advance();
      });
  return failure(walk.wasInterrupted());
}

} // namespace npu
