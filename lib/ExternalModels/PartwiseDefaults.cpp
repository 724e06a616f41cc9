// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The default models of PartwiseOpInterface, by upstream's interfaces and
// traits.

#include "CutStructured.h"
#include "Defaults.h"
#include "npu/Interfaces/OpAccessBuilder.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/Interfaces/ReadsOperand.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/IndexingMapOpInterface.h"

using namespace mlir;

namespace npu {
namespace {

/// Whether a map divides only by positive constants: a division by zero or by a
/// negative number is undefined.
bool dividesProperly(AffineMap map) {
  bool properly = true;
  map.walkExprs([&](AffineExpr expr) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary || expr.getKind() == AffineExprKind::Add ||
        expr.getKind() == AffineExprKind::Mul)
      return;
    auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    properly &= divisor && divisor.getValue() > 0;
  });
  return properly;
}

bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

/// The access of an operation by its indexing maps: adds the loops, and the
/// operands that are read according to `reads`. `results` are the maps of
/// outputs.
template <typename Reads>
std::optional<OpAccess>
accessByMaps(IndexingMapOpInterface op, DestinationStyleOpInterface style,
             llvm::function_ref<bool(unsigned)> reduces, Reads reads) {
  std::optional<OpAccessBuilder> builder =
      OpAccessBuilder::of(op.getOperation());
  if (!builder || !style.hasPureTensorSemantics() ||
      !llvm::all_of(op.getIndexingMapsArray(), dividesProperly))
    return std::nullopt;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  if (llvm::any_of(extents, ShapedType::isDynamic))
    return std::nullopt;
  for (auto [loop, extent] : llvm::enumerate(extents))
    builder->addLoop(extent, reduces(loop));
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isTensor(operand.get()))
      continue;
    ArrayRef<AffineExpr> positions =
        op.getMatchingIndexingMap(&operand).getResults();
    if (reads(operand))
      builder->setOperand(operand.getOperandNumber(), positions);
    else
      builder->setUnread(operand.getOperandNumber(), positions);
    if (style.isDpsInit(&operand))
      builder->setResult(style.getTiedOpResult(&operand).getResultNumber(),
                         positions);
  }
  return builder->finish();
}

struct StructuredModel : PartwiseOpInterface::FallbackModel<StructuredModel> {
  std::optional<OpAccess> getAccess(Operation *op) const {
    auto structured = cast<linalg::LinalgOp>(op);
    SmallVector<utils::IteratorType> kinds = structured.getIteratorTypesArray();
    return accessByMaps(
        cast<IndexingMapOpInterface>(op), cast<DestinationStyleOpInterface>(op),
        [&](unsigned loop) {
          return kinds[loop] == utils::IteratorType::reduction;
        },
        [&](OpOperand &operand) { return readsOperand(structured, operand); });
  }

  SmallVector<unsigned> copiedOperands(Operation *) const { return {}; }

  bool partsBeginTogether(Operation *) const { return false; }

  std::optional<std::string> whyNotCut(Operation *) const { return {}; }

  LogicalResult cutForTile(Operation *op, TilePart &part) const {
    cutStructured(cast<linalg::LinalgOp>(op), part);
    return success();
  }
};

/// The model of elementwise operations, which compute each entry from the
/// entries of operands at the same position.
struct ElementwiseModel : PartwiseOpInterface::FallbackModel<ElementwiseModel> {
  std::optional<OpAccess> getAccess(Operation *op) const {
    std::optional<OpAccessBuilder> builder = OpAccessBuilder::of(op);
    if (!builder)
      return std::nullopt;
    builder->loopOverResult();
    SmallVector<AffineExpr> same;
    for (unsigned dim = 0; dim < builder->resultExtents(0).size(); ++dim)
      same.push_back(builder->loop(dim));
    for (OpOperand &operand : op->getOpOperands())
      if (isa<TensorType>(operand.get().getType()))
        builder->setOperand(operand.getOperandNumber(), same);
    for (OpResult result : op->getResults())
      builder->setResult(result.getResultNumber(), same);
    return builder->finish();
  }

  SmallVector<unsigned> copiedOperands(Operation *) const { return {}; }

  bool partsBeginTogether(Operation *) const { return true; }

  std::optional<std::string> whyNotCut(Operation *) const { return {}; }

  LogicalResult cutForTile(Operation *op, TilePart &part) const {
    if (part.iteration().empty) {
      part.giveNothing();
      return success();
    }
    Operation *local = part.cloneOnPart();
    for (OpResult result : op->getResults())
      part.giveProduced(result, local->getResult(result.getResultNumber()));
    return success();
  }
};

/// The model of other operations with indexing maps. Their bodies are not
/// known: every operand is read, and a loop that no output depends on reduces.
struct MappedModel : PartwiseOpInterface::FallbackModel<MappedModel> {
  std::optional<OpAccess> getAccess(Operation *op) const {
    auto maps = cast<IndexingMapOpInterface>(op);
    auto style = cast<DestinationStyleOpInterface>(op);
    // Without this map, upstream cannot compute the extents of loops.
    if (!maps.getShapesToLoopsMap())
      return std::nullopt;
    auto reduces = [&](unsigned loop) {
      return llvm::none_of(style.getDpsInitsMutable(), [&](OpOperand &init) {
        return maps.getMatchingIndexingMap(&init).isFunctionOfDim(loop);
      });
    };
    return accessByMaps(maps, style, reduces, [](OpOperand &) { return true; });
  }

  SmallVector<unsigned> copiedOperands(Operation *) const { return {}; }

  bool partsBeginTogether(Operation *) const { return false; }

  std::optional<std::string> whyNotCut(Operation *) const {
    return "nobody says how a tile does a part of it";
  }

  LogicalResult cutForTile(Operation *, TilePart &) const { return failure(); }
};

} // namespace

bool isElementwise(RegisteredOperationName name) {
  return name.hasTrait<OpTrait::Elementwise>() &&
         name.hasTrait<OpTrait::Scalarizable>() &&
         name.hasTrait<OpTrait::Vectorizable>() &&
         name.hasTrait<OpTrait::Tensorizable>();
}

void attachPartwiseDefault(RegisteredOperationName name) {
  if (name.hasInterface<linalg::LinalgOp>())
    name.attachInterface<StructuredModel>();
  else if (isElementwise(name))
    name.attachInterface<ElementwiseModel>();
  else if (name.hasInterface<IndexingMapOpInterface>() &&
           name.hasInterface<DestinationStyleOpInterface>())
    name.attachInterface<MappedModel>();
}

} // namespace npu
