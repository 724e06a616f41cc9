// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-outline-host: the operations of a function that the host runs as
// functions of their own.

#include "npu/Analysis/Choices/HostFallback.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/IR/TensorPadding.h"
#include "npu/Dialect/NPU/Transforms/Assign/Passes.h"
#include "npu/ExternalModels/Tensor/MovedElements.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_OUTLINEHOST
#include "npu/Dialect/NPU/Transforms/Assign/Passes.h.inc"

namespace {

/// Whether the host runs `op`, and a function may do it in its place.
bool isOfHost(Operation *op) {
  return !isa<CallOpInterface, RegionBranchOpInterface>(op) &&
         !op->hasAttr(NPUDialect::PaddingAttrHelper::getNameStr()) &&
         hostFallbackInDdr(op);
}

/// Whether a part makes what `op` makes for itself.
bool isMadeInEachPart(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>() || makesUnwritten(op);
}

/// What an operation reads, also in its regions.
SetVector<Value> readBy(Operation *op) {
  SetVector<Value> read(op->operand_begin(), op->operand_end());
  if (op->getNumRegions() > 0)
    getUsedValuesDefinedAbove(op->getRegions(), read);
  return read;
}

/// The parts of one block that the host runs.
class Parts {
public:
  explicit Parts(Block &block) {
    for (Operation &op : block) {
      numbers[&op] = static_cast<int>(operations.size());
      operations.push_back(&op);
    }
    partOf.assign(operations.size(), -1);
    read.resize(operations.size());
    for (auto [number, op] : llvm::enumerate(operations))
      for (Value value : readBy(op))
        if (Operation *maker = value.getDefiningOp())
          if (auto found = numbers.find(block.findAncestorOpInBlock(*maker));
              found != numbers.end())
            read[number].push_back(found->second);
    for (size_t number = 0; number < operations.size(); ++number)
      if (isOfHost(operations[number]))
        place(number);
  }

  /// The operations of each part, in the order of the block.
  std::vector<SmallVector<Operation *>> take() const {
    std::vector<SmallVector<Operation *>> parts(count);
    for (auto [number, part] : llvm::enumerate(partOf))
      if (part >= 0)
        parts[part].push_back(operations[number]);
    return parts;
  }

private:
  /// Puts an operation into the part of one whose result it reads, where no
  /// part waits for itself then, or into a part of its own.
  void place(size_t number) {
    for (int maker : read[number]) {
      if (partOf[maker] < 0)
        continue;
      partOf[number] = partOf[maker];
      if (canBeOrdered())
        return;
    }
    partOf[number] = count++;
  }

  /// Whether the operations can run in some order in which each part runs at
  /// once.
  bool canBeOrdered() const {
    // Each operation that is in no part is a node of its own, after the parts.
    auto nodeOf = [&](int number) {
      return partOf[number] >= 0 ? partOf[number] : count + number;
    };
    size_t nodes = count + operations.size();
    std::vector<SmallVector<int, 4>> readers(nodes);
    std::vector<int> waits(nodes, 0);
    for (size_t number = 0; number < operations.size(); ++number)
      for (int maker : read[number]) {
        int from = nodeOf(maker), to = nodeOf(static_cast<int>(number));
        if (from == to)
          continue;
        readers[from].push_back(to);
        ++waits[to];
      }
    SmallVector<int> ready;
    for (size_t node = 0; node < nodes; ++node)
      if (waits[node] == 0)
        ready.push_back(static_cast<int>(node));
    size_t done = 0;
    while (!ready.empty()) {
      ++done;
      for (int reader : readers[ready.pop_back_val()])
        if (--waits[reader] == 0)
          ready.push_back(reader);
    }
    return done == nodes;
  }

  std::vector<Operation *> operations;
  llvm::DenseMap<Operation *, int> numbers;
  /// By operation, those of the block whose results it reads.
  std::vector<SmallVector<int, 4>> read;
  /// By operation, its part; -1 where the host does not run it.
  std::vector<int> partOf;
  int count = 0;
};

/// Why the host runs a part: what its operations say, each reason once.
std::string reasonOf(ArrayRef<Operation *> part) {
  std::vector<std::string> reasons;
  for (Operation *op : part)
    if (std::optional<HostFallback> fallback = hostFallbackInDdr(op);
        fallback && !llvm::is_contained(reasons, fallback->reason))
      reasons.push_back(fallback->reason);
  return llvm::join(reasons, "; ");
}

struct OutlineHostPass : impl::OutlineHostBase<OutlineHostPass> {
  using OutlineHostBase::OutlineHostBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
    for (func::FuncOp function : functions) {
      int number = 0;
      for (Block &block : function.getBody())
        for (ArrayRef<Operation *> part : Parts(block).take())
          outline(function, part, number, symbols);
    }
  }

private:
  void outline(func::FuncOp function, ArrayRef<Operation *> part, int &number,
               SymbolTable &symbols) {
    Block *block = part.front()->getBlock();
    llvm::SmallPtrSet<Operation *, 8> inside(part.begin(), part.end());
    SetVector<Value> read, made;
    SetVector<Operation *> copied;
    for (Operation *op : part) {
      for (Value value : readBy(op)) {
        Operation *maker = value.getDefiningOp();
        if (maker && isMadeInEachPart(maker) && maker->getNumOperands() == 0)
          copied.insert(maker);
        else if (!maker || !inside.contains(maker))
          read.insert(value);
      }
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) {
              return !inside.contains(block->findAncestorOpInBlock(*user));
            }))
          made.insert(result);
    }
    std::string reason = reasonOf(part);
    OpBuilder builder(function);
    builder.setInsertionPointAfter(function);
    auto outlined = func::FuncOp::create(
        builder, part.front()->getLoc(),
        fmt::format("{}_host_{}", function.getName().str(), number++),
        builder.getFunctionType(TypeRange(read.getArrayRef()),
                                TypeRange(made.getArrayRef())));
    outlined.setPrivate();
    outlined.setNoInline(true);
    symbols.insert(outlined);
    Block *body = outlined.addEntryBlock();
    builder.setInsertionPointToEnd(body);
    IRMapping mapping;
    mapping.map(read.getArrayRef(), body->getArguments());
    for (Operation *maker : copied)
      builder.clone(*maker, mapping);
    for (Operation *op : part)
      builder.clone(*op, mapping);
    SmallVector<Value> results;
    for (Value value : made)
      results.push_back(mapping.lookup(value));
    func::ReturnOp::create(builder, outlined.getLoc(), results);

    builder.setInsertionPointAfter(part.back());
    auto call = func::CallOp::create(builder, part.front()->getLoc(), outlined,
                                     read.getArrayRef());
    call->setAttr(hostAttrName, builder.getStringAttr(reason));
    for (size_t result = 0; result < made.size(); ++result)
      Value(made[result]).replaceAllUsesWith(call.getResult(result));
    for (Operation *op : llvm::reverse(part))
      op->erase();
    sortTopologically(block);
  }
};

} // namespace
} // namespace npu
