// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows each argument through operations that only move its entries, and, for
// roots, through those that add a constant.

#include "npu/Execution/Prepare/ArgumentRoles.h"

#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Interfaces/RematerializableOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace npu {
namespace {

bool isNamed(Operation *op, ArrayRef<StringRef> names) {
  return llvm::is_contained(names, op->getName().getStringRef());
}

/// Whether the result has the operand's entries in other places or in another
/// type, and no others but constants.
bool onlyMoves(Operation *op) {
  return isa<CastOpInterface, LayoutChangeOpInterface>(op) ||
         passesEntriesOn(op);
}

bool takesRoot(Operation *op) {
  return isa<math::SqrtOp, math::RsqrtOp, math::LogOp, math::Log2Op,
             math::Log10Op>(op) ||
         isNamed(op, {"tosa.rsqrt", "tosa.log"});
}

bool addsNumbers(Operation *op) {
  return isa<arith::AddFOp, arith::MaximumFOp, arith::MaxNumFOp>(op) ||
         isNamed(op, {"tosa.add", "tosa.maximum"});
}

/// Whether a value is the same number in every run: a constant, or a tensor
/// that is filled with one, in another shape or type.
bool isFixed(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (matchPattern(value, m_Constant()) || isNamed(op, {"tosa.const"}))
      return true;
    if (Value scalar = uniformValueOf(value); scalar && scalar != value)
      value = scalar;
    else if (onlyMoves(op) && op->getNumOperands() > 0)
      value = op->getOperand(0);
    else
      return false;
  }
  return false;
}

/// The number of terms that one entry of the result is a sum of: the extents of
/// all loops over which the operation reduces.
int64_t termsOf(linalg::LinalgOp op) {
  int64_t terms = 1;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  for (auto [extent, kind] : llvm::zip(extents, op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction &&
        !ShapedType::isDynamic(extent))
      terms *= std::max<int64_t>(extent, 1);
  return terms;
}

/// The terms of a TOSA operation whose weight is operand #1; 0 for any other.
int64_t termsOfTosa(Operation *op) {
  if (!isNamed(op, {"tosa.conv2d", "tosa.conv3d", "tosa.depthwise_conv2d",
                    "tosa.transpose_conv2d", "tosa.matmul"}))
    return 0;
  auto weight = dyn_cast<RankedTensorType>(op->getOperand(1).getType());
  if (!weight || weight.getRank() < 3)
    return 0;
  ArrayRef<int64_t> shape = weight.getShape();
  // A matmul takes batches of rows and columns, a depthwise filter is height,
  // width, channels and multiplier, other filters begin with output channels.
  if (isNamed(op, {"tosa.matmul"}))
    shape = shape.slice(1, 1);
  else if (isNamed(op, {"tosa.depthwise_conv2d"}))
    shape = shape.take_front(2);
  else
    shape = shape.drop_front();
  int64_t terms = 1;
  for (int64_t extent : shape)
    terms *= ShapedType::isDynamic(extent) ? 1 : std::max<int64_t>(extent, 1);
  return terms;
}

class RoleOfArgument {
public:
  InputRole find(Value argument) {
    visit(argument, /*moved=*/true);
    while (!worklist.empty()) {
      auto [value, moved] = worklist.pop_back_val();
      for (OpOperand &use : value.getUses())
        follow(use, moved);
    }
    return role;
  }

private:
  /// `moved`: the value has the argument's entries, and nothing was added.
  void visit(Value value, bool moved) {
    if (seen[moved].insert(value).second)
      worklist.push_back({value, moved});
  }

  void follow(OpOperand &use, bool moved) {
    Operation *op = use.getOwner();
    unsigned number = use.getOperandNumber();
    if (auto call = dyn_cast<func::CallOp>(op)) {
      auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
          op, call.getCalleeAttr());
      if (callee && !callee.isExternal() && number < callee.getNumArguments())
        visit(callee.getArgument(number), moved);
      return;
    }
    role.isUnderRoot |= takesRoot(op);
    if (moved && number == 1)
      role.fanIn = std::max(role.fanIn, termsOfTosa(op));
    if (auto structured = dyn_cast<linalg::LinalgOp>(op))
      return followBody(structured, use, moved);
    bool sums = addsNumbers(op) && othersAreFixed(op, number);
    if ((onlyMoves(op) && number == 0) || sums)
      for (Value result : op->getResults())
        visit(result, moved && !sums);
  }

  static bool othersAreFixed(Operation *op, unsigned number) {
    for (OpOperand &operand : op->getOpOperands())
      if (operand.getOperandNumber() != number && !isFixed(operand.get()))
        return false;
    return true;
  }

  void followBody(linalg::LinalgOp op, OpOperand &use, bool moved) {
    bool isInput = op.isDpsInput(&use);
    if (moved && isInput && use.getOperandNumber() == 1 &&
        (linalg::isaContractionOpInterface(op) ||
         linalg::isaConvolutionOpInterface(op)))
      role.fanIn = std::max(role.fanIn, termsOf(op));
    if (!isInput)
      return;
    followElement(op, op.getMatchingBlockArgument(&use), moved, /*depth=*/0);
  }

  /// Follows one element through the body of a structured operation.
  void followElement(linalg::LinalgOp op, Value element, bool moved,
                     int depth) {
    constexpr int deepest = 16;
    if (depth == deepest)
      return;
    for (OpOperand &use : element.getUses()) {
      Operation *user = use.getOwner();
      role.isUnderRoot |= takesRoot(user);
      // On buffers there is no result to follow.
      if (user->hasTrait<OpTrait::IsTerminator>() &&
          op.hasPureBufferSemantics())
        continue;
      if (user->hasTrait<OpTrait::IsTerminator>())
        visit(op->getResult(use.getOperandNumber()), moved);
      else if (isa<CastOpInterface>(user))
        followElement(op, user->getResult(0), moved, depth + 1);
      else if (addsNumbers(user) &&
               isFixedInBody(op, user->getOperand(1 - use.getOperandNumber())))
        followElement(op, user->getResult(0), /*moved=*/false, depth + 1);
    }
  }

  static bool isFixedInBody(linalg::LinalgOp op, Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == op.getBlock())
      return isFixed(op.getMatchingOpOperand(argument)->get());
    Operation *cast = value.getDefiningOp();
    if (cast && isa<CastOpInterface>(cast) && cast->getBlock() == op.getBlock())
      return isFixedInBody(op, cast->getOperand(0));
    return isFixed(value);
  }

  InputRole role;
  SmallVector<std::pair<Value, bool>> worklist;
  llvm::DenseSet<Value> seen[2];
};

} // namespace

std::vector<InputRole> argumentRoles(func::FuncOp function) {
  std::vector<InputRole> roles;
  for (BlockArgument argument : function.getArguments())
    roles.push_back(RoleOfArgument().find(argument));
  return roles;
}

} // namespace npu
