// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/TileProgram/TilePart.h"
#include "npu/Dialect/NPU/IR/CycleMarks.h"

#include "mlir/Dialect/Utils/StructuredOpsUtils.h"

using namespace mlir;

namespace npu {

TilePart::TilePart(OpBuilder &builder, Operation *op, const OpAccess &access,
                   Operands operands)
    : rewriter(builder), whole(op), how(access), operands(operands),
      results(op->getNumResults()) {}

void TilePart::beginTile(unsigned tile, const IterationDomain &iteration) {
  number = tile;
  runs = iteration;
}

TileBuilder TilePart::tilesFor(unsigned operandOrResult) {
  std::optional<int64_t> of;
  if (auto first = whole->getAttrOfType<IntegerAttr>(ofAttrName))
    of = first.getInt() + operandOrResult;
  return TileBuilder(rewriter, whole->getLoc(), number, of);
}

Parts TilePart::parts(unsigned operand) const {
  return Parts{cast<RankedTensorType>(whole->getOperand(operand).getType()),
               SmallVector<Value>(operands[operand])};
}

Value TilePart::operand(unsigned operand) {
  RankedTensorType type = rankedType(whole->getOperand(operand));
  if (!type)
    return operands[operand].front();
  Box box = how.spanned(operand, runs);
  Parts all = parts(operand);
  if (isDistributed(type) && number < all.size() &&
      all.held(number).contains(box))
    return tiles().slice(all.values[number], all.held(number), box,
                         all.order());
  return tiles().empty(partType(type, box), getOrder(type));
}

bool TilePart::isOnTile(OpResult result) const {
  return number < getPlacement(rankedType(result))->tiles.size();
}

Box TilePart::held(OpResult result) const {
  return getPlacement(rankedType(result))->memoryOf(number);
}

void TilePart::give(OpResult result, Value value) {
  results[result.getResultNumber()].push_back(value);
}

void TilePart::giveProduced(OpResult result, Value value) {
  if (!isOnTile(result))
    return;
  RankedTensorType type = rankedType(result);
  Box box = held(result);
  if (box.isEmpty())
    return give(result, tiles().empty(localType(type, number), getOrder(type)));
  Box produced = how.produced(result.getResultNumber(), runs);
  // The entries that the iterations do not write keep their values.
  OpOperand *output = tiedOutput(whole, result.getResultNumber());
  if (output && how.reads(output->getOperandNumber()))
    return give(result,
                tiles().insert(value, produced,
                               operands[output->getOperandNumber()][number],
                               box, getOrder(type)));
  give(result, tiles().slice(value, produced, box, getOrder(type)));
}

void TilePart::giveNothing() {
  for (OpResult result : whole->getResults()) {
    if (!isOnTile(result))
      continue;
    OpOperand *output = tiedOutput(whole, result.getResultNumber());
    RankedTensorType type = rankedType(result);
    give(result, output
                     ? operands[output->getOperandNumber()][number]
                     : tiles().empty(localType(type, number), getOrder(type)));
  }
}

Operation *TilePart::cloneOnPart() {
  SmallVector<Value> locals;
  for (unsigned i = 0; i < whole->getNumOperands(); ++i)
    locals.push_back(operand(i));
  return cloneOn(locals);
}

Operation *TilePart::cloneOn(ArrayRef<Value> locals) {
  SmallVector<Type> types;
  for (OpResult result : whole->getResults()) {
    OpOperand *output = tiedOutput(whole, result.getResultNumber());
    types.push_back(
        output ? locals[output->getOperandNumber()].getType()
               : Type(partType(rankedType(result),
                               how.produced(result.getResultNumber(), runs))));
  }
  Operation *local = clone(rewriter, whole, types, locals);
  tiles().mark(local);
  SmallVector<int64_t> reduced;
  for (unsigned loop : how.loopsRunWhole())
    reduced.push_back(how.domain().loops[loop].extent());
  if (!reduced.empty())
    local->setAttr(extentsAttrName, rewriter.getDenseI64ArrayAttr(reduced));
  // Drop attributes that describe the whole operation.
  local->removeAttr("linalg.memoized_indexing_maps");
  local->removeAttr(paddingAttrName);
  local->removeAttr(ofAttrName);
  keepCyclesOf(local, number);
  return local;
}

Value TilePart::shared(function_ref<Value(OpBuilder &builder)> make) {
  if (!sharedValue)
    sharedValue = make(rewriter);
  return sharedValue;
}

} // namespace npu
