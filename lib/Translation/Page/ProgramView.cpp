// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the view of a module.

#include "ProgramView.h"

#include "npu/Analysis/Choices/HostFallback.h"
#include "npu/Analysis/Costs/FunctionCosts.h"
#include "npu/Dialect/NPU/IR/TensorPadding.h"
#include "npu/Interfaces/LayoutChangeOpInterface.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Support/Naming.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// What a page has room for. A function of a model has a few thousand
/// operations; what is longer is a program of parts, which nobody reads as a
/// graph.
constexpr size_t kMostOperations = 12000;
/// A redistribution between 64 tiles has at most 4096 pairs.
constexpr size_t kMostTransfers = 1024;

class Collector {
public:
  Collector(FunctionOpInterface function,
            llvm::ArrayRef<WrongOperand> wrongOperands, Machines machines)
      : names(function), machines(machines) {
    for (const WrongOperand &each : wrongOperands)
      wrong[each.at].push_back(&each);
    view.name = function.getName().str();
    view.place = placeOf(function.getLoc());
  }

  /// Notes the cycles of operations.
  void addCosts(FunctionOpInterface function, const Target &target) {
    for (const CostRow &row : costsOf(function, target).rows)
      if (auto found = operationNumbers.find(row.op);
          found != operationNumbers.end()) {
        auto &cycles = view.operations[found->second].cycles;
        cycles = cycles.value_or(0) + row.cost.cycles;
      }
  }

  ViewFunction take() { return std::move(view); }

  void collect(FunctionOpInterface function) {
    for (Value argument : function.getArguments())
      add(argument, std::nullopt);
    addAll(function.getFunctionBody());
  }

private:
  void addAll(Region &region) {
    for (Block &block : region)
      for (Operation &op : block)
        add(&op);
  }

  size_t typeNumber(Type type) {
    auto [found, isNew] = typeNumbers.try_emplace(type, view.types.size());
    if (isNew)
      view.types.push_back(type);
    return found->second;
  }

  size_t add(Value value, std::optional<size_t> producer) {
    size_t number = view.values.size();
    valueNumbers[value] = number;
    ViewValue added{
        names.of(value), typeNumber(value.getType()), producer, {}, {}};
    if (isa<RankedTensorType>(value.getType()))
      added.padding = paddingOf(value);
    view.values.push_back(std::move(added));
    return number;
  }

  void add(Operation *op) {
    bool hasBuffers =
        llvm::any_of(op->getOperandTypes(), llvm::IsaPred<BaseMemRefType>) ||
        llvm::any_of(op->getResultTypes(), llvm::IsaPred<BaseMemRefType>);
    if (hasBuffers || view.operations.size() >= kMostOperations) {
      ++view.operationsLeftOut;
      view.whyLeftOut =
          hasBuffers
              ? "they work on buffers, whose graph says nothing about layouts"
              : fmt::format("a page has room for {} operations of a function",
                            kMostOperations);
      return;
    }
    size_t number = view.operations.size();
    operationNumbers[op] = number;
    view.operations.emplace_back();
    ViewOperation seen;
    seen.kind = op->getName().getStringRef().str();
    if (auto call = dyn_cast<CallOpInterface>(op))
      if (auto callee = dyn_cast<SymbolRefAttr>(call.getCallableForCallee()))
        seen.body = callee.getRootReference().str();
    seen.place = placeOf(op->getLoc());
    for (Value operand : op->getOperands())
      if (auto found = valueNumbers.find(operand);
          found != valueNumbers.end() && isShown(operand.getType()))
        seen.operands.push_back(found->second);
    for (const WrongOperand *each : wrong.lookup(op->getLoc()))
      if (each->isOf(op))
        seen.wrong.push_back(
            {valueNumbers.lookup(op->getOperand(each->operand)), each->reason,
             each->bytes});
    for (Value result : op->getResults()) {
      size_t value = add(result, number);
      if (isShown(result.getType()))
        seen.results.push_back(value);
    }
    if (auto transfer = dyn_cast<TransferOp>(op))
      addEnds(transfer, seen);
    seen.isSource = op->hasTrait<OpTrait::ConstantLike>() ||
                    (op->getNumResults() == 1 &&
                     dataNeedOf(op->getResult(0)) != DataNeed::Computed);
    if (auto tile = op->getAttrOfType<IntegerAttr>(
            NPUDialect::TileAttrHelper::getNameStr())) {
      seen.tile = tile.getInt();
      for (size_t value : seen.results)
        view.values[value].tile = tile.getInt();
    }
    seen.movement = movementOf(op);
    // Bodies of loops and branches are parts of the function; those of
    // structured operations say what one entry is.
    if (isa<RegionBranchOpInterface>(op)) {
      view.operations[number] = std::move(seen);
      for (Region &region : op->getRegions()) {
        for (Value argument : region.getArguments())
          add(argument, number);
        addAll(region);
      }
      return;
    }
    if (op->getNumRegions() > 0)
      seen.body = bodyOf(op);
    view.operations[number] = std::move(seen);
  }

  /// Where a transfer of a tile program goes from and to.
  void addEnds(TransferOp transfer, ViewOperation &seen) {
    auto nameOfEnd = [](int64_t end) {
      return end == TransferOp::ddr ? "DDR" : nameOfTile(end);
    };
    std::vector<std::string> to;
    for (auto [end, value] : llvm::zip(transfer.getTo(), seen.results)) {
      to.push_back(nameOfEnd(end));
      if (end != TransferOp::ddr)
        view.values[value].tile = end;
    }
    seen.body = fmt::format(
        "{} to {}, {}", nameOfEnd(static_cast<int64_t>(transfer.getFrom())),
        fmt::join(to, ", "),
        nameOfBytes(static_cast<int64_t>(transfer.getBytes())));
  }

  static bool isShown(Type type) { return isa<TensorType>(type); }

  /// The operations of a body without what is only a change of type, each once.
  static std::string bodyOf(Operation *op) {
    llvm::SetVector<StringRef> kinds;
    op->walk([&](Operation *inside) {
      if (inside == op || inside->hasTrait<OpTrait::IsTerminator>() ||
          isa<CastOpInterface>(inside) ||
          inside->hasTrait<OpTrait::ConstantLike>() ||
          isa<arith::ExtFOp, arith::TruncFOp>(inside))
        return;
      kinds.insert(inside->getName().stripDialect());
    });
    constexpr size_t most = 4;
    std::string text = llvm::join(kinds.getArrayRef().take_front(most), ", ");
    return kinds.size() > most ? text + ", ..." : text;
  }

  std::optional<ViewMovement> movementOf(Operation *op) {
    if (op->getNumOperands() == 0 || op->getNumResults() != 1)
      return std::nullopt;
    auto from = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
    auto to = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    auto change = dyn_cast<LayoutChangeOpInterface>(op);
    if (!from || !to || !(change || isMovingCast(op)) ||
        op->hasAttr(NPUDialect::TileAttrHelper::getNameStr()))
      return std::nullopt;
    ViewMovement movement;
    movement.moves = !change || change.movesData();
    movement.renames = isa<DistributionCastOp>(op);
    if (auto cast = dyn_cast<PermuteCastOp>(op))
      from = movements.expectedType(cast);
    movement.have = typeNumber(from);
    movement.want = typeNumber(to);
    if ((isDistributed(from) && !getPlacement(from)) ||
        (isDistributed(to) && !getPlacement(to)))
      return std::nullopt;
    if (from.getShape() != to.getShape() || !from.hasStaticShape())
      return std::nullopt;
    movement.relation = movements.relation(from, to);
    std::optional<int64_t> bits = elementBits(to.getElementType());
    if (!bits)
      return movement;
    movement.bytesThroughDdr = 2 * toBytes(to.getNumElements(), *bits);
    Result<RedistributionPlan> plan =
        planBetween(from, to, paddingOf(op->getResult(0)), machines);
    if (!plan)
      return movement;
    movement.hasPlan = true;
    auto inBytes = [&](Bounded figure) {
      return Bounded{toBytes(figure.value, *bits),
                     toBytes(figure.bound, *bits)};
    };
    movement.received = inBytes(plan->received);
    movement.maxTileReceived = inBytes(plan->maxTileReceived);
    movement.maxTileSent = inBytes(plan->maxTileSent);
    movement.ddrBytes = toBytes(plan->ddr, *bits);
    if (movement.moves)
      movement.relaidBytes = toBytes(elementsRelaid(from, to), *bits);
    for (const Transfer &transfer : plan->transfers) {
      if (movement.transfers.size() == kMostTransfers) {
        ++movement.transfersLeftOut;
        continue;
      }
      int64_t bytes = toBytes(transfer.box.volume(), *bits);
      movement.transfers.push_back(
          {transfer.from, transfer.to, transfer.box, bytes});
    }
    return movement;
  }

  ValueNames names;
  Machines machines;
  ViewFunction view;
  MovementCache movements;
  llvm::DenseMap<Location, SmallVector<const WrongOperand *, 2>> wrong;
  llvm::DenseMap<Type, size_t> typeNumbers;
  llvm::DenseMap<Value, size_t> valueNumbers;
  llvm::DenseMap<Operation *, size_t> operationNumbers;
};

} // namespace

ViewPlace placeOf(Location location) {
  ViewPlace found;
  location->walk([&](Location part) {
    if (auto name = dyn_cast<NameLoc>(part))
      found.names.push_back(name.getName().str());
    else if (auto file = dyn_cast<FileLineColLoc>(part);
             file && found.place.empty())
      found.place = fmt::format(
          "{}:{}:{}", llvm::sys::path::filename(file.getFilename()).str(),
          file.getLine(), file.getColumn());
    return WalkResult::advance();
  });
  return found;
}

bool WrongOperand::isOf(Operation *op) const {
  return op->getName() == kind && op->getNumOperands() > operand &&
         op->getOperand(operand).getType() == read &&
         llvm::equal(op->getResultTypes(), made);
}

std::vector<ViewFunction> functionsOf(ModuleOp module,
                                      const std::optional<Target> &target,
                                      llvm::ArrayRef<WrongOperand> wrong) {
  std::vector<ViewFunction> functions;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    if (function.isExternal())
      continue;
    Collector collector(function, wrong,
                        target ? target->machines() : Machines());
    collector.collect(function);
    if (target)
      collector.addCosts(function, *target);
    functions.push_back(collector.take());
    setLayers(functions.back());
  }
  return functions;
}

std::string plainText(StringRef text) {
  return llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text);
}

std::string spellType(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

std::string shortType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return spellType(type);
  std::string text;
  for (int64_t extent : tensor.getShape())
    text +=
        (ShapedType::isDynamic(extent) ? "?" : std::to_string(extent)) + "x";
  return text + spellType(tensor.getElementType());
}

std::string shortLayout(Type type) {
  LayoutAttr layout = getLayout(type);
  if (!layout || !layout.isDistributed())
    return "";
  const Distribution &distribution = layout.getDistribution();
  std::string text(toString(distribution.mode));
  if (!distribution.tiles.empty())
    return text + " " +
           fmt::format("[{}]", fmt::join(distribution.tiles, ", "));
  return text + fmt::format(" on {}", tileCount(distribution));
}

bool sidesDiffer(const ViewMovement &movement) {
  if (movement.moves)
    return false;
  return movement.relation == Relation::DataMoves ||
         (!movement.renames && movement.relation != Relation::Identical);
}

bool isWrong(const ViewOperation &op) {
  return !op.wrong.empty() || (op.movement && sidesDiffer(*op.movement));
}

StringRef wordOf(Relation relation) {
  static constexpr llvm::StringLiteral words[] = {"same", "label", "narrow",
                                                  "moves"};
  return words[static_cast<size_t>(relation)];
}

} // namespace npu
