// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-verify-tile-program: verifies that each tile uses only its own tensors
// and reads only written entries, and that the box of a transfer is the one at
// its offsets.

#include "npu/Analysis/Access/WrittenParts.h"
#include "npu/Conversion/LowerToTiles/Passes.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/IR/StepMarks.h"
#include "npu/Dialect/NPU/IR/TensorPadding.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Support/Naming.h"
#include "npu/Support/RefusalKind.h"
#include "npu/TileProgram/TileBuilder.h"
#include "npu/TileProgram/TileProgram.h"

#include "TileLoops.h"
#include "TileOrders.h"
#include "TilePositions.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_VERIFYTILEPROGRAM
#include "npu/Conversion/LowerToTiles/Passes.h.inc"

namespace {

/// The tile of an operation, or kDdr.
int64_t tileOrDdrOf(Operation *op) {
  auto tile = op->getAttrOfType<IntegerAttr>(tileAttrName);
  return tile ? tile.getInt() : TransferOp::ddr;
}

std::string nameOfPlace(int64_t tile) {
  return tile == TransferOp::ddr ? "DDR" : nameOfTile(tile);
}

/// The tile that a tensor is on, on all ways by which it can have come; nothing
/// where that is not known.
std::optional<int64_t> ownerOf(Value value) {
  llvm::SetVector<Value> ways;
  ways.insert(value);
  for (size_t i = 0; i < ways.size(); ++i) {
    value = ways[i];
    if (auto transfer = value.getDefiningOp<TransferOp>())
      return transfer.getTo()[cast<OpResult>(value).getResultNumber()];
    if (SmallVector<Value> before = handedOnAs(value); !before.empty()) {
      ways.insert_range(before);
      continue;
    }
    if (Operation *op = value.getDefiningOp()) {
      if (isa<RegionBranchOpInterface>(op))
        continue;
      return tileOrDdrOf(op);
    }
    // Arguments of other blocks may be on any tile.
    if (value.getParentBlock()->isEntryBlock() &&
        isa<FunctionOpInterface>(value.getParentRegion()->getParentOp()))
      return TransferOp::ddr;
  }
  return std::nullopt;
}

/// Whether a transfer has written into the tensor since it was empty.
bool isPutTogether(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    Value into = writtenOver(op);
    if (!into)
      break;
    value = into;
  }
  return value.getDefiningOp<TransferOp>() != nullptr;
}

/// "1, 2": the numbers of a list.
std::string spell(ArrayRef<int64_t> numbers) {
  return llvm::join(
      llvm::map_range(numbers,
                      [](int64_t number) { return std::to_string(number); }),
      ", ");
}

SmallVector<int64_t> minus(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  SmallVector<int64_t> difference;
  for (auto [x, y] : llvm::zip(a, b))
    difference.push_back(x - y);
  return difference;
}

/// Compares the boxes of transfers with the positions of the parts that they
/// read and write.
class BoxVerifier {
public:
  LogicalResult verify(func::FuncOp function) {
    if (failed(positions.read(function)))
      return failure();
    SmallVector<TransferOp> transfers;
    function.walk([&](TransferOp op) {
      if (op.hasPureTensorSemantics() && !op.getBox().isEmpty())
        transfers.push_back(op);
    });
    // A tensor in DDR is whole: its positions, all 0, come first.
    bool fine = true;
    for (TransferOp op : transfers)
      fine &= succeeded(verifyInDdr(op)) && succeeded(verifySourceOrders(op));
    for (TransferOp op : transfers)
      fine = fine && succeeded(verifyOnTiles(op));
    return success(fine && succeeded(positions.verifySums()));
  }

private:
  static LogicalResult report(TransferOp op, Twine what,
                              ArrayRef<int64_t> offset,
                              ArrayRef<int64_t> expected) {
    return op.emitOpError()
           << "expected box " << toString(op.getBox()) << " at [" << expected
           << "] of " << what << ", got [" << offset << "]";
  }

  static LogicalResult verifyInDdr(TransferOp op) {
    auto sourceBegin = beginOf(op.getBox(), op.getSourceOrderOrIdentity());
    if (static_cast<int64_t>(op.getFrom()) == TransferOp::ddr &&
        op.getSourceOffset() != ArrayRef<int64_t>(sourceBegin))
      return report(op, "its source in DDR", op.getSourceOffset(), sourceBegin);
    auto destBegin = beginOf(op.getBox(), op.getDestOrderOrIdentity());
    for (auto [i, to] : llvm::enumerate(op.getTo()))
      if (to == TransferOp::ddr &&
          op.getDestOffset(i) != ArrayRef<int64_t>(destBegin))
        return report(op, "its destination in DDR", op.getDestOffset(i),
                      destBegin);
    return success();
  }

  /// Verifies that transfers which put one tensor together name one source
  /// order. TileOrders verifies the order of the tensor itself.
  static LogicalResult verifySourceOrders(TransferOp op) {
    Permutation order = op.getSourceOrderOrIdentity();
    for (Value dest : op.getDests()) {
      auto before = dest.getDefiningOp<TransferOp>();
      if (!before || before.getSourceOrderOrIdentity() == order)
        continue;
      InFlightDiagnostic error = op.emitOpError()
                                 << "expected source order "
                                 << toString(before.getSourceOrderOrIdentity())
                                 << ", got " << toString(order);
      error.attachNote(before->getLoc())
          << "the transfer before it into the same tensor has the expected one";
      return error;
    }
    return success();
  }

  LogicalResult verifyOnTiles(TransferOp op) {
    auto verifySide = [&](Value part, const Permutation &order,
                          ArrayRef<int64_t> offset,
                          Twine what) -> LogicalResult {
      SmallVector<int64_t> begin = beginOf(op.getBox(), order);
      SmallVector<int64_t> partBegin = minus(begin, offset);
      if (positions.begins(part, partBegin))
        return success();
      return report(op, what, offset,
                    minus(begin, positions.beginOf(part, partBegin)));
    };
    if (static_cast<int64_t>(op.getFrom()) != TransferOp::ddr &&
        failed(verifySide(op.getSource(), op.getSourceOrderOrIdentity(),
                          op.getSourceOffset(), "its source")))
      return failure();
    for (auto [i, to] : llvm::enumerate(op.getTo())) {
      if (to == TransferOp::ddr)
        continue;
      Permutation order = op.getDestOrderOrIdentity();
      if (failed(verifySide(op.getResult(i), order, op.getDestOffset(i),
                            "destination #" + Twine(i))) ||
          failed(verifySide(op.getDests()[i], order, op.getDestOffset(i),
                            "destination #" + Twine(i))))
        return failure();
    }
    return success();
  }

  TilePositions positions;
};

/// The strides that a tile's slice or insertion has to have: those of the
/// model's slice, or else 1.
SmallVector<int64_t> stridesOf(Operation *op, size_t rank) {
  if (std::optional<ModelSlice> slice = modelSliceOf(op))
    return llvm::to_vector(slice->strides);
  return SmallVector<int64_t>(rank, 1);
}

/// Verifies that a tile's slice or insertion takes or puts the entries that its
/// position is computed from: one after the other, or in the steps of a slice
/// of the model.
LogicalResult verifySteps(Operation *op) {
  auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(op);
  if (!slice || !op->hasAttr(tileAttrName) || op->getNumResults() == 0)
    return success();
  auto report = [&](const Twine &what) {
    return mlir::emitError(op->getLoc())
           << "'" << op->getName() << "' of " << nameOfPlace(tileOrDdrOf(op))
           << ": " << what;
  };
  // Slices that steps take begin where their loops are.
  bool isOfStep = op->hasAttr(stepsAttrName);
  if ((!isOfStep && ShapedType::isDynamicShape(slice.getStaticOffsets())) ||
      ShapedType::isDynamicShape(slice.getStaticStrides()))
    return report("expected constant offsets and strides");
  ArrayRef<int64_t> strides = slice.getStaticStrides();
  SmallVector<int64_t> expected = stridesOf(op, strides.size());
  if (llvm::any_of(expected, [](int64_t stride) { return stride < 1; }))
    return report("expected strides of at least 1 in '" + offsetAttrName +
                  "', got [" + spell(expected) + "]");
  if (strides == ArrayRef<int64_t>(expected))
    return success();
  InFlightDiagnostic error = report("expected strides [" + spell(expected) +
                                    "], got [" + spell(strides) + "]");
  error.attachNote() << "a slice of the model has its strides in '"
                     << offsetAttrName << "', after offsets and sizes";
  return error;
}

/// Verifies that a reshape of a tile keeps the number of entries, and that the
/// whole tensor is no smaller than the part. Upstream takes the extents that an
/// expand_shape lists beside its type for correct where the type is static.
LogicalResult verifyReshape(Operation *op) {
  std::optional<Reassociation> shapes = reassociationOf(op);
  if (!shapes)
    return success();
  auto report = [&](const Twine &what) {
    return mlir::emitError(op->getLoc())
           << "'" << op->getName() << "' of " << nameOfPlace(tileOrDdrOf(op))
           << ": " << what;
  };
  auto made = cast<RankedTensorType>(op->getResult(0).getType());
  if (!shapes->listed.empty() && made.hasStaticShape() &&
      made.getShape() != ArrayRef(shapes->listed))
    return report("expected the extents [" + spell(made.getShape()) +
                  "] of its result, got [" + spell(shapes->listed) + "]");
  auto said = op->getAttrOfType<DenseI64ArrayAttr>(extentsAttrName);
  if (!said)
    return success();
  Value fine = shapes->refines ? op->getResult(0) : op->getOperand(0);
  ArrayRef<int64_t> part = cast<RankedTensorType>(fine.getType()).getShape();
  if (said.size() == static_cast<int64_t>(part.size()) &&
      llvm::all_of(llvm::zip(said.asArrayRef(), part), [](auto extents) {
        auto [whole, own] = extents;
        return whole >= own;
      }))
    return success();
  return report("expected at least the extents [" + spell(part) +
                "] of the part in '" + extentsAttrName + "', got [" +
                spell(said.asArrayRef()) + "]");
}

/// Verifies that what a tensor.empty marks as padding is the part of a padding
/// of the model. Without that, an entry that nobody loads could be called so.
LogicalResult verifyMarkedPadding(Operation *op, ArrayRef<Padding> paddings) {
  if (op->getNumResults() != 1 || !isUnwritten(op->getResult(0)))
    return success();
  Padding marked = paddingOf(op->getResult(0));
  if (marked.empty())
    return success();
  auto report = [&](const Twine &what) {
    return mlir::emitError(op->getLoc())
           << "'" << op->getName() << "' of " << nameOfPlace(tileOrDdrOf(op))
           << " marks padding: " << what;
  };
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  SmallVector<int64_t> begin(shape.size(), 0);
  if (op->hasAttr(tileAttrName)) {
    auto said = op->getAttrOfType<DenseI64ArrayAttr>(beginAttrName);
    if (!said)
      return report("expected '" + beginAttrName +
                    "', which says where the part begins in its tensor");
    begin = llvm::to_vector(said.asArrayRef());
  }
  Box box = Box::fromOffsetsAndSizes(toExtents(begin), toExtents(shape));
  if (llvm::any_of(paddings, [&](const Padding &whole) {
        return paddingOfPart(whole, box) == marked;
      }))
    return success();
  InFlightDiagnostic error =
      report("expected the part of one of the function's paddings ('" +
             paddingsAttrName + "') that is in " + toString(box));
  error.attachNote(op->getParentOfType<func::FuncOp>().getLoc())
      << "the function has " << paddings.size() << " paddings";
  return error;
}

/// Verifies that a tensor that is padding as a whole is handed on or written
/// over, and so are parts of it. No operation of a tile reads it, and no
/// transfer puts it together.
LogicalResult verifyHandedOnOnly(Operation *op) {
  if (!op->getAttrOfType<UnitAttr>(paddingAttrName))
    return success();
  SmallVector<Operation *> makers = {op};
  while (!makers.empty())
    for (OpOperand &use : makers.pop_back_val()->getUses()) {
      Operation *user = use.getOwner();
      if (user->hasAttr(tileAttrName) && isPartOrReshape(user)) {
        makers.push_back(user);
        continue;
      }
      std::optional<Box> read =
          user->hasAttr(tileAttrName) ? boxRead(user, use) : std::nullopt;
      if (isa<TransferOp>(user) || (read && !read->isEmpty()))
        return mlir::emitError(user->getLoc())
               << "'" << user->getName() << "' uses operand #"
               << use.getOperandNumber()
               << ", which is padding as a whole and only to be handed on ('"
               << paddingAttrName << "')";
    }
  return success();
}

/// Verifies that what is unpacked is an image as it was packed: channels of a
/// part of one would be counted in groups.
LogicalResult verifyImage(Operation *op) {
  auto unpack = dyn_cast<ConvertStorageOp>(op);
  if (!unpack || unpack.packs())
    return success();
  llvm::SetVector<Value> images;
  images.insert(unpack.getInput());
  // The list grows while it is walked.
  for (size_t next = 0; next < images.size(); ++next) {
    Value image = images[next];
    SmallVector<Value> before = handedOnAs(image);
    images.insert_range(before);
    Operation *maker = image.getDefiningOp();
    if (!maker || !before.empty() ||
        isa<ConvertStorageOp, CallOpInterface, RegionBranchOpInterface>(
            maker) ||
        isUnwritten(image))
      continue;
    return mlir::emitError(op->getLoc())
           << "'" << op->getName() << "' unpacks what '" << maker->getName()
           << "' makes: expected an image as npu.convert_storage has packed "
              "it, "
              "of which a part is none";
  }
  return success();
}

bool isTileProgram(func::FuncOp function) {
  return function->hasAttr(tilesAttrName) ||
         function
             .walk([](Operation *op) {
               return isa<TransferOp>(op) || op->hasAttr(tileAttrName)
                          ? WalkResult::interrupt()
                          : WalkResult::advance();
             })
             .wasInterrupted();
}

/// Verifies that every tile that an operation names is one of the program.
LogicalResult verifyTiles(func::FuncOp function) {
  auto count = function->getAttrOfType<IntegerAttr>(tilesAttrName);
  if (!count)
    return success();
  WalkResult walk = function.getBody().walk([&](Operation *op) {
    SmallVector<int64_t> places = {tileOrDdrOf(op)};
    if (auto transfer = dyn_cast<TransferOp>(op)) {
      places.push_back(static_cast<int64_t>(transfer.getFrom()));
      llvm::append_range(places, transfer.getTo());
    }
    for (int64_t place : places)
      if (place >= count.getInt()) {
        mlir::emitError(op->getLoc())
            << "'" << op->getName() << "' of " << nameOfPlace(place)
            << ": expected one of the " << count.getInt() << " tiles of '"
            << function.getName() << "' (" << tilesAttrName << ")";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return success(!walk.wasInterrupted());
}

struct VerifyTileProgramPass
    : impl::VerifyTileProgramBase<VerifyTileProgramPass> {
  void runOnOperation() override {
    bool fine = true;
    getOperation()->walk([&](func::FuncOp function) {
      if (function.isExternal() || !isTileProgram(function))
        return;
      bool own = succeeded(verifyTiles(function));
      TileOrders orders;
      TileLoops loops;
      EmptyOrigins origins;
      WrittenParts parts(origins);
      SmallVector<Padding> paddings =
          paddingsOf(function).value_or(SmallVector<Padding>());
      function.getBody().walk([&](Operation *op) {
        if (!outermostStructured(op))
          own &=
              succeeded(verifySteps(op)) && succeeded(verifyReshape(op)) &&
              succeeded(verifyMarkedPadding(op, paddings)) &&
              succeeded(verifyHandedOnOnly(op)) && succeeded(verifyImage(op)) &&
              succeeded(verifyDestinations(op)) &&
              succeeded(handsOn(op) ? verifyHandedOn(op) : verifyOwners(op)) &&
              succeeded(orders.verify(op)) && succeeded(loops.verify(op));
        own &= succeeded(verifyWritten(op, origins, parts));
      });
      fine &= own && succeeded(BoxVerifier().verify(function));
    });
    if (!fine)
      signalPassFailure();
    markAllAnalysesPreserved();
  }

  /// The outermost structured operation in whose region `op` is; null where
  /// there is none. Its steps are verified as a whole, but for the tensors
  /// outside of it that its body reads.
  static Operation *outermostStructured(Operation *op) {
    Operation *structured = nullptr;
    for (Operation *parent = op->getParentOp(); !isa<func::FuncOp>(parent);
         parent = parent->getParentOp())
      if (!isa<RegionBranchOpInterface>(parent))
        structured = parent;
    return structured;
  }

  static LogicalResult verifyOwner(Operation *op, OpOperand &operand,
                                   int64_t expected) {
    if (!isa<TensorType>(operand.get().getType()))
      return success();
    std::optional<int64_t> owner = ownerOf(operand.get());
    if (!owner || *owner == expected)
      return success();
    return mlir::emitError(op->getLoc())
           << "'" << op->getName() << "' of " << nameOfPlace(expected)
           << " uses operand #" << operand.getOperandNumber() << " of "
           << nameOfPlace(*owner) << "; only npu.transfer crosses tiles";
  }

  static LogicalResult verifyOwners(Operation *op) {
    auto transfer = dyn_cast<TransferOp>(op);
    for (OpOperand &operand : op->getOpOperands()) {
      int64_t expected = tileOrDdrOf(op);
      if (transfer) {
        unsigned number = operand.getOperandNumber();
        expected = number == 0 ? static_cast<int64_t>(transfer.getFrom())
                               : transfer.getTo()[number - 1];
      }
      if (failed(verifyOwner(op, operand, expected)))
        return failure();
    }
    return success();
  }

  /// Verifies that all values that a loop or a branch may hand on as one value
  /// are on one tile.
  static LogicalResult verifyHandedOn(Operation *op) {
    auto verify = [&](Value value) -> LogicalResult {
      if (!isa<TensorType>(value.getType()))
        return success();
      SmallVector<Value> before = handedOnAs(value);
      for (Value other : ArrayRef<Value>(before).drop_front(!before.empty())) {
        auto owner = ownerOf(before.front()), otherOwner = ownerOf(other);
        if (owner && otherOwner && *owner != *otherOwner)
          return mlir::emitError(op->getLoc())
                 << "'" << op->getName() << "' hands on a tensor of "
                 << nameOfPlace(*owner) << " and one of "
                 << nameOfPlace(*otherOwner)
                 << " as one value; only npu.transfer crosses tiles";
      }
      return success();
    };
    for (Value result : op->getResults())
      if (failed(verify(result)))
        return failure();
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        if (failed(verify(argument)))
          return failure();
    for (Block *block : op->getSuccessors())
      for (BlockArgument argument : block->getArguments())
        if (failed(verify(argument)))
          return failure();
    return success();
  }

  /// The box of a tensor that the operation which makes it has written over
  /// another one.
  struct Written {
    Value into;
    Box box;
  };
  static std::optional<Written> lastWritten(Value value) {
    Operation *op = value.getDefiningOp();
    if (auto transfer = dyn_cast_if_present<TransferOp>(op)) {
      unsigned number = cast<OpResult>(value).getResultNumber();
      return Written{transfer.getDests()[number], transfer.getDestPart(number)};
    }
    Value into = op ? writtenOver(op) : Value();
    auto insert = dyn_cast_if_present<OffsetSizeAndStrideOpInterface>(op);
    if (!into || !insert ||
        ShapedType::isDynamicShape(insert.getStaticOffsets()) ||
        ShapedType::isDynamicShape(insert.getStaticSizes()))
      return std::nullopt;
    return Written{
        into, Box::fromOffsetsAndSizes(toExtents(insert.getStaticOffsets()),
                                       toExtents(insert.getStaticSizes()))};
  }

  /// Verifies that a transfer writes what nobody has written before, and that
  /// nobody else reads the tensor before all is written: each tensor is put
  /// together from nothing, and for itself.
  static LogicalResult verifyDestinations(Operation *op) {
    auto transfer = dyn_cast<TransferOp>(op);
    if (!transfer || !transfer.hasPureTensorSemantics())
      return success();
    auto report = [&](unsigned number, const Twine &what) {
      return op->emitOpError()
             << "expected destination #" << number << " to be " << what;
    };
    for (auto [number, dest] : llvm::enumerate(transfer.getDests())) {
      Box box = transfer.getDestPart(number);
      Value into = dest;
      while (std::optional<Written> last = lastWritten(into)) {
        if (Box both = intersect(last->box, box); !both.isEmpty()) {
          InFlightDiagnostic error = report(
              number, "unwritten in " + toString(box) + ", got " +
                          toString(both) + " written (local coordinates)");
          error.attachNote(into.getLoc()) << "this writes there";
          return error;
        }
        into = last->into;
      }
      if (!isUnwritten(into))
        return report(number, "made of a tensor.empty by transfers, got one "
                              "that has been written");
      if (!isUnwritten(dest) && !dest.hasOneUse())
        return report(number,
                      "used by this transfer alone: it is not whole before");
    }
    return success();
  }

  /// Whether an operation may use this unwritten value.
  static bool mayBeUnwritten(Operation *op, Value value,
                             EmptyOrigins &origins) {
    if (isa<TransferOp>(op) || op->hasAttr(tileAttrName))
      return false;
    // What the model hands on unwritten is marked as padding; a tensor without
    // the mark lacks its transfers.
    if (handsOn(op))
      return !isUnwritten(value) && !isPutTogether(value);
    return mayMoveNothing(op) && !isa<CallOpInterface>(op) &&
           origins.isMadeOfNothing(value);
  }

  static LogicalResult verifyWritten(Operation *op, EmptyOrigins &origins,
                                     WrittenParts &parts) {
    auto transfer = dyn_cast<TransferOp>(op);
    Operation *whole = outermostStructured(op);
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<TensorType>(operand.get().getType()))
        continue;
      // What a body makes for each entry is its own affair.
      if (whole &&
          whole->isAncestor(operand.get().getParentRegion()->getParentOp()))
        continue;
      std::optional<Box> wanted = boxRead(op, operand);
      if (!wanted || wanted->isEmpty() ||
          mayBeUnwritten(op, operand.get(), origins))
        continue;
      if (transfer)
        wanted = transfer.getSourcePart();
      for (const WrittenBoxes &written : parts.waysWritten(operand.get())) {
        bool gaveUp = false;
        std::optional<Box> missing =
            findUncovered(*wanted, {written.data(), written.size()}, gaveUp);
        if (missing)
          return marked(
              mlir::emitError(op->getLoc())
                  << "'" << op->getName() << "' reads " << toString(*missing)
                  << " of operand #" << operand.getOperandNumber()
                  << ", which nobody has written (local coordinates, "
                  << nameOfPlace(
                         ownerOf(operand.get()).value_or(tileOrDdrOf(op)))
                  << ")",
              RefusalKind::ReadsUnwritten);
      }
    }
    return success();
  }
};

} // namespace
} // namespace npu
