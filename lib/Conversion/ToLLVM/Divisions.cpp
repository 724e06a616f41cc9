// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Divisions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"

using namespace mlir;

namespace npu {

bool isSignedRemainder(Operation *op) {
  return isa<arith::RemSIOp, index::RemSOp>(op);
}

bool isSignedDivision(Operation *op) {
  return isSignedRemainder(op) ||
         isa<arith::DivSIOp, arith::CeilDivSIOp, arith::FloorDivSIOp,
             index::DivSOp, index::CeilDivSOp, index::FloorDivSOp>(op);
}

bool isDivision(Operation *op) {
  return isSignedDivision(op) ||
         isa<arith::DivUIOp, arith::CeilDivUIOp, arith::RemUIOp, index::DivUOp,
             index::CeilDivUOp, index::RemUOp>(op);
}

} // namespace npu
