// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which rows of a table are for an operation, and the first thing that each of
// them has against it.

#include "npu/Analysis/Kernels/KernelTable.h"

#include "../Costs/EngineWork.h"
#include "npu/Analysis/Kernels/Lookup.h"
#include "npu/Dialect/NPU/IR/KernelsAttr.h"
#include "npu/Dialect/NPU/IR/Precision.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Interfaces/LayoutChangeOpInterface.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Interfaces/WorkOpInterface.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

bool isTensor(Type type) { return isa<RankedTensorType>(type); }

/// What an operation asks of a kernel.
struct Needs {
  Needs(Operation *op, const StorageRules &storage) : op(op), storage(storage) {
    SmallVector<OpOperand *> positions = positionsOperands(op);
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isTensor(operand.get().getType()))
        continue;
      auto type = cast<RankedTensorType>(operand.get().getType());
      if (llvm::is_contained(positions, &operand)) {
        indices.push_back(type);
        continue;
      }
      bool isOutput = tiedResult(operand).has_value();
      (isOutput ? outputs : inputs).push_back(type);
    }
    for (Type type : op->getResultTypes())
      if (isTensor(type))
        results.push_back(cast<RankedTensorType>(type));
    if (auto structured = dyn_cast<linalg::LinalgOp>(op))
      for (EntryReadOpInterface read : tableReads(structured))
        if (auto table = dyn_cast<RankedTensorType>(
                read.getReadTensor().get().getType()))
          inputs.push_back(table);
  }

  /// All of its tensors but for positions.
  SmallVector<RankedTensorType> tensors() const {
    SmallVector<RankedTensorType> all(inputs);
    llvm::append_range(all, outputs);
    llvm::append_range(all, results);
    return all;
  }

  Operation *op;
  const StorageRules &storage;
  SmallVector<RankedTensorType> inputs, indices, outputs, results;
};

/// The structure of an operation of linalg.
StringRef structureOf(linalg::LinalgOp op, const OpAccess &access) {
  WalkResult walk = op.getBlock()->walk([](Operation *inner) -> WalkResult {
    return llvm::any_of(inner->getOperandTypes(), isTensor)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return kernelLookup;
  if (std::optional<EngineWork> work = findWindowsOrProducts(op, access)) {
    if (work->kind == EngineKind::Pooling)
      return "pooling";
    return work->window.empty() ? "contraction" : "convolution";
  }
  if (op.getNumReductionLoops() > 0)
    return "reduction";
  bool computes =
      llvm::any_of(op.getBlock()->without_terminator(), [](Operation &inner) {
        return !inner.hasTrait<OpTrait::ConstantLike>();
      });
  return computes ? "elementwise" : "movement";
}

/// What a row may call `op` instead of its name.
StringRef structureOf(Operation *op) {
  if (positionsOperand(op))
    return "";
  std::optional<OpAccess> access = OpAccess::get(op);
  if (!access)
    return "";
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return structureOf(structured, *access);
  if (OpTrait::hasElementwiseMappableTraits(op))
    return "elementwise";
  auto work = modelOf<WorkOpInterface>(op);
  VectorBody body = work ? work.getVectorBody() : VectorBody();
  if (body == VectorBody())
    return "movement";
  return access->isParallel() && body.reduce == 0 && body.softmax == 0
             ? "elementwise"
             : "reduction";
}

bool reduces(StringRef structure) {
  return structure == "contraction" || structure == "convolution" ||
         structure == "pooling" || structure == "reduction";
}

/// "1x64x56x56xf16"
std::string textOf(RankedTensorType type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (int64_t extent : type.getShape())
    (ShapedType::isDynamic(extent) ? os << "?" : os << extent) << "x";
  os << type.getElementType();
  return text;
}

/// "i32, i16": what a row lists.
std::string listOf(ArrayAttr list) {
  return llvm::join(llvm::map_range(list,
                                    [](Attribute each) {
                                      if (auto type = dyn_cast<TypeAttr>(each))
                                        return toString(type.getValue());
                                      return cast<StringAttr>(each).str();
                                    }),
                    ", ");
}

/// What an operation has that a row does not take, and what the row takes.
struct Conflict {
  std::string found, instead;
};

/// What one item of a row has against an operation; nothing where it takes it.
using Check = std::optional<Conflict> (*)(const Needs &, Attribute,
                                          StringRef structure);

std::optional<Conflict> checkTypes(ArrayRef<RankedTensorType> types,
                                   Attribute taken, StringRef what) {
  auto list = cast<ArrayAttr>(taken);
  for (RankedTensorType type : types)
    if (!llvm::is_contained(list, TypeAttr::get(type.getElementType())))
      return Conflict{fmt::format("{} type {}", what.str(),
                                  toString(type.getElementType())),
                      "the row takes " + listOf(list)};
  return std::nullopt;
}

std::optional<Conflict> checkInputs(const Needs &needs, Attribute taken,
                                    StringRef) {
  return checkTypes(needs.inputs, taken, "input");
}
std::optional<Conflict> checkIndices(const Needs &needs, Attribute taken,
                                     StringRef) {
  return checkTypes(needs.indices, taken, "index");
}
std::optional<Conflict> checkResults(const Needs &needs, Attribute taken,
                                     StringRef) {
  return checkTypes(needs.results, taken, "result");
}
std::optional<Conflict> checkAccumulators(const Needs &needs, Attribute taken,
                                          StringRef structure) {
  if (!reduces(structure))
    return std::nullopt;
  return checkTypes(needs.outputs.empty() ? needs.results : needs.outputs,
                    taken, "accumulator");
}

/// Whether the orders of an operation's tensors are still to be chosen.
bool areOrdersOpen(const Needs &needs) {
  return isa<linalg::LinalgOp>(needs.op) && needs.op->getNumResults() == 1 &&
         llvm::none_of(needs.tensors(), [](RankedTensorType type) {
           return type.getEncoding() || type.getElementType().isIndex() ||
                  !type.hasStaticShape() || type.getNumElements() == 0;
         });
}

std::optional<Conflict> checkOrders(const Needs &needs, Attribute taken,
                                    StringRef) {
  // In a tile program the dimensions of a tensor are in the order of memory.
  if (needs.op->hasAttr(tileAttrName) || areOrdersOpen(needs))
    return std::nullopt;
  auto list = cast<ArrayAttr>(taken);
  for (RankedTensorType type : needs.tensors()) {
    if (getStorage(type) != Storage::Linear)
      continue;
    size_t rank = type.getRank();
    Permutation order = getOrder(type);
    bool isNamed = false, isTaken = false;
    for (StringAttr name : list.getAsRange<StringAttr>()) {
      std::optional<Permutation> each = parseOrderName(name.str());
      isNamed |= each->size() == rank;
      isTaken |= each->size() == rank &&
                 sameMemoryOrder(type.getShape(), order, *each);
    }
    if (isNamed && !isTaken)
      return Conflict{
          fmt::format(
              "memory order {} of {}",
              *orderName(order.empty() ? identityPermutation(rank) : order),
              textOf(type)),
          "the row takes " + listOf(list)};
  }
  return std::nullopt;
}

bool lists(ArrayAttr list, Storage kind) {
  return llvm::any_of(list.getAsRange<StringAttr>(), [&](StringAttr word) {
    return word.getValue() == StringRef(toString(kind));
  });
}

/// Asks of the tensors of rank 4: of those on tiles what they are, and of
/// others what they can become.
std::optional<Conflict> checkStorage(const Needs &needs, Attribute taken,
                                     StringRef) {
  // In a tile program, images are unpacked around an operation.
  if (needs.op->hasAttr(tileAttrName))
    return std::nullopt;
  auto list = cast<ArrayAttr>(taken);
  std::string instead = "the row takes " + listOf(list);
  bool takesLinear = lists(list, Storage::Linear), isAsked = false;
  for (RankedTensorType type : needs.tensors()) {
    if (type.getRank() != 4)
      continue;
    isAsked = true;
    // What has no elements is stored in any kind.
    if (llvm::is_contained(type.getShape(), 0))
      continue;
    if (isDistributed(type)) {
      Storage kind = getStorage(type);
      if (!lists(list, kind))
        return Conflict{
            fmt::format("storage {} of {}", toString(kind), textOf(type)),
            instead};
      continue;
    }
    if (takesLinear)
      continue;
    if (!needs.storage.has(Storage::Tiled2d))
      return Conflict{needs.storage.device + " has no images", instead};
    if (std::string why = needs.storage.whyNoImage(type); !why.empty())
      return Conflict{fmt::format("{}: {}", textOf(type), why), instead};
  }
  if (!isAsked && !takesLinear)
    return Conflict{"no tensor of 4 dimensions", instead};
  return std::nullopt;
}

std::optional<Conflict> checkRanks(const Needs &needs, Attribute taken,
                                   StringRef) {
  auto bounds = cast<ArrayAttr>(taken);
  int64_t least = cast<IntegerAttr>(bounds[0]).getInt(),
          most = cast<IntegerAttr>(bounds[1]).getInt();
  for (RankedTensorType type : needs.tensors())
    if (type.getRank() < least || type.getRank() > most)
      return Conflict{
          fmt::format("{} dimensions of {}", type.getRank(), textOf(type)),
          fmt::format("the row takes {} to {}", least, most)};
  return std::nullopt;
}

std::optional<Conflict> checkExtents(const Needs &needs, Attribute taken,
                                     StringRef) {
  int64_t most = cast<IntegerAttr>(taken).getInt();
  for (RankedTensorType type : needs.tensors())
    for (auto [dim, extent] : llvm::enumerate(type.getShape()))
      if (ShapedType::isDynamic(extent) || extent > most)
        return Conflict{fmt::format("dimension {} of {}", dim, textOf(type)),
                        fmt::format("the row takes at most {} entries", most)};
  return std::nullopt;
}

/// Attributes that say what the structure of an operation is, how many operands
/// it has, or which part of a tensor a tile has.
bool isStructural(StringRef name) {
  return name == "origin" || name == "whole" || name == "indexing_maps" ||
         name == "iterator_types" || name == "operandSegmentSizes" ||
         name == "resultSegmentSizes";
}

std::optional<Conflict> checkAttributes(const Needs &needs, Attribute known,
                                        StringRef) {
  auto list = dyn_cast_or_null<ArrayAttr>(known);
  Operation *op = needs.op;
  // An operation without attributes has those that are not written.
  OperationState plain(op->getLoc(), op->getName(), op->getOperands(),
                       op->getResultTypes(), ArrayRef<NamedAttribute>());
  for (unsigned region = 0; region < op->getNumRegions(); ++region)
    plain.addRegion();
  OwningOpRef<Operation *> byDefault(Operation::create(plain));
  for (StringAttr name : op->getName().getAttributeNames()) {
    Attribute value = op->getInherentAttr(name).value_or(Attribute());
    if (!value || isStructural(name) ||
        value == byDefault.get()->getInherentAttr(name) ||
        (list && llvm::is_contained(list, name)))
      continue;
    return Conflict{fmt::format("attribute '{}'", name.str()),
                    "the row knows " + (list ? listOf(list) : "none")};
  }
  return std::nullopt;
}

struct ItemCheck {
  StringLiteral name;
  Check check;
};

/// In the order of their importance for users: the first that fails is named.
constexpr ItemCheck checks[] = {
    {kernelInputs, checkInputs},
    {kernelIndices, checkIndices},
    {kernelAccumulators, checkAccumulators},
    {kernelResults, checkResults},
    {kernelOrders, checkOrders},
    {kernelStorage, checkStorage},
    {kernelRanks, checkRanks},
    {kernelExtents, checkExtents},
    {kernelAttributes, checkAttributes},
};

} // namespace

std::optional<unsigned> positionsOperand(Operation *op) {
  if (auto gather = dyn_cast<GatherOp>(op))
    return gather.getIndicesMutable().getOperandNumber();
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return scatter.getIndicesMutable().getOperandNumber();
  return std::nullopt;
}

SmallVector<OpOperand *> positionsOperands(Operation *op) {
  if (std::optional<unsigned> number = positionsOperand(op))
    return {&op->getOpOperand(*number)};
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return positionsOfLookup(structured);
  return {};
}

bool isKeptOnHost(Operation *op) { return op->hasAttr(hostAttrName); }

bool needsKernel(Operation *op) {
  if (isa<LayoutChangeOpInterface, TransferOp, FunctionOpInterface,
          CallOpInterface>(op) ||
      op->hasTrait<OpTrait::IsTerminator>() ||
      op->hasTrait<OpTrait::ConstantLike>() || op->getNumResults() == 0 ||
      !llvm::any_of(op->getResultTypes(), isTensor))
    return false;
  return !needsNoData(op) && !asksForShapeOnly(op) && !isPartOrReshape(op) &&
         OpAccess::get(op).has_value();
}

namespace {

/// The storage kinds that a row takes, or null: any. A memory order is one of
/// linear tensors, so that a row with orders takes these, unless it says more.
ArrayAttr storageTaken(DictionaryAttr row) {
  auto list = row.getAs<ArrayAttr>(kernelStorage);
  if (list || !row.contains(kernelOrders))
    return list;
  return Builder(row.getContext())
      .getStrArrayAttr({StringRef(toString(Storage::Linear))});
}

/// Asks rows of a table of one operation.
class RowQuestions {
public:
  RowQuestions(Operation *op, const StorageRules &storage)
      : op(op), storage(storage), structure(structureOf(op)) {}

  bool isFor(DictionaryAttr row) const {
    StringRef of = row.getAs<StringAttr>(kernelOp);
    return isNamedBy(row) || (!structure.empty() && of == structure);
  }

  /// The first thing that the row has against the operation, without the number
  /// of the row; nothing where it takes it. Precondition: the row is for it.
  std::optional<KernelRefusal> refusalOf(DictionaryAttr row) {
    for (const ItemCheck &item : checks) {
      Attribute taken =
          item.check == checkStorage ? storageTaken(row) : row.get(item.name);
      // A named operation has no attributes that its row does not name.
      bool isAsked = taken || (isNamedBy(row) && item.check == checkAttributes);
      if (!isAsked)
        continue;
      if (!needs)
        needs.emplace(op, storage);
      auto conflict = item.check(*needs, taken, structure);
      if (conflict)
        return KernelRefusal{0, item.name, std::move(conflict->found),
                             std::move(conflict->instead)};
    }
    return std::nullopt;
  }

  /// The first row that takes the operation on linear tensors; null where none
  /// does.
  DictionaryAttr firstForLinear(ArrayRef<DictionaryAttr> rows) {
    for (DictionaryAttr row : rows) {
      if (!isFor(row) || refusalOf(row))
        continue;
      ArrayAttr list = storageTaken(row);
      if (!list || lists(list, Storage::Linear))
        return row;
    }
    return {};
  }

  StringRef structureAsked() const { return structure; }

private:
  bool isNamedBy(DictionaryAttr row) const {
    return row.getAs<StringAttr>(kernelOp) == op->getName().getStringRef();
  }

  Operation *op;
  const StorageRules &storage;
  StringRef structure;
  std::optional<Needs> needs;
};

} // namespace

KernelAnswer KernelTable::find(Operation *op) const {
  KernelAnswer answer;
  if (isEmpty()) {
    answer.isTaken = true;
    return answer;
  }
  RowQuestions questions(op, storage);
  answer.structure = questions.structureAsked();
  for (auto [number, row] : llvm::enumerate(rows())) {
    if (!questions.isFor(row))
      continue;
    std::optional<KernelRefusal> refusal = questions.refusalOf(row);
    if (!refusal) {
      answer.isTaken = true;
      answer.row = number + 1;
      return answer;
    }
    refusal->row = number + 1;
    answer.refusals.push_back(std::move(*refusal));
  }
  return answer;
}

KindsTaken KernelTable::kindsOf(Operation *op) const {
  KindsTaken kinds;
  if (!needsKernel(op) || !storage.has(Storage::Tiled2d)) {
    kinds.linear = true;
    return kinds;
  }
  if (isEmpty())
    return {true, true, true};
  RowQuestions questions(op, storage);
  DictionaryAttr forLinear = questions.firstForLinear(rows());
  for (DictionaryAttr row : rows()) {
    if (!questions.isFor(row) || questions.refusalOf(row))
      continue;
    ArrayAttr list = storageTaken(row);
    bool linear = !list || lists(list, Storage::Linear),
         tiled2d = !list || lists(list, Storage::Tiled2d);
    kinds.linear |= linear;
    kinds.tiled2d |= tiled2d;
    // Linear tensors get the orders of the first row that takes them.
    bool hasOrders = !row.contains(kernelOrders) || row == forLinear;
    kinds.mixed |= linear && tiled2d && hasOrders;
  }
  return kinds;
}

std::optional<EngineOrders> KernelTable::ordersOf(Operation *op) const {
  bool anyOrders = llvm::any_of(
      rows(), [](DictionaryAttr row) { return row.contains(kernelOrders); });
  if (!anyOrders || !needsKernel(op) || op->getNumResults() != 1)
    return std::nullopt;
  // Images have no order.
  RowQuestions questions(op, storage);
  DictionaryAttr row = questions.firstForLinear(rows());
  auto names = row ? row.getAs<ArrayAttr>(kernelOrders) : ArrayAttr();
  if (!names)
    return std::nullopt;
  auto orderFor = [&](Type type) {
    EngineOrders::Dimensions dimensions;
    auto tensor = dyn_cast<RankedTensorType>(type);
    for (StringAttr name : names.getAsRange<StringAttr>()) {
      Permutation order = *parseOrderName(name.str());
      if (tensor && dimensions.empty() &&
          static_cast<int64_t>(order.size()) == tensor.getRank())
        dimensions.assign(order.begin(), order.end());
    }
    return dimensions;
  };
  EngineOrders orders;
  for (Type type : op->getOperandTypes())
    orders.operands.push_back(orderFor(type));
  orders.result = orderFor(op->getResult(0).getType());
  return orders;
}

std::string KernelAnswer::reason(Operation *op) const {
  if (refusals.empty())
    return fmt::format(
        "no row for '{}'{}", op->getName().getStringRef().str(),
        structure.empty() ? "" : fmt::format(" ({})", structure.str()));
  if (refusals.size() == 1)
    return refusals.front().reason();
  return llvm::join(llvm::map_range(refusals,
                                    [](const KernelRefusal &refusal) {
                                      return fmt::format("row {}: {}",
                                                         refusal.row,
                                                         refusal.reason());
                                    }),
                    "; ");
}

} // namespace npu
