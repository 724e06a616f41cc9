// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Execution/Jit/SplitProgram.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace npu {
namespace {

int64_t sizeOf(Operation *root) {
  int64_t size = 0;
  root->walk([&](Operation *) { ++size; });
  return size;
}

/// Whether a function or a global is defined here, and not declared only.
bool isDefined(Operation &op) {
  if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op))
    return !function.isExternal();
  auto global = dyn_cast<LLVM::GlobalOp>(op);
  return !global || global.getValueOrNull() ||
         global.getInitializerBlock() != nullptr;
}

/// The operations of the module, in their order, in groups; declarations are in
/// none.
std::vector<SmallVector<Operation *>> groupsOf(ModuleOp module,
                                               int64_t operations) {
  std::vector<SmallVector<Operation *>> groups(1);
  SmallVector<Operation *> functions;
  for (Operation &op : *module.getBody())
    if (isa<LLVM::LLVMFuncOp>(op))
      functions.push_back(&op);
    else if (isDefined(op))
      groups.front().push_back(&op);
  int64_t size = 0;
  for (Operation *function : functions) {
    if (!isDefined(*function))
      continue;
    int64_t more = sizeOf(function);
    if (size > 0 && size + more > operations) {
      groups.emplace_back();
      size = 0;
    }
    groups.back().push_back(function);
    size += more;
  }
  return groups;
}

/// Lets other modules refer to a definition.
void makeVisible(Operation *op) {
  auto isLocal = [](LLVM::Linkage linkage) {
    return linkage == LLVM::Linkage::Private ||
           linkage == LLVM::Linkage::Internal;
  };
  if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op)) {
    if (isLocal(function.getLinkage()))
      function.setLinkage(LLVM::Linkage::External);
  } else if (auto global = dyn_cast<LLVM::GlobalOp>(op)) {
    if (isLocal(global.getLinkage()))
      global.setLinkage(LLVM::Linkage::External);
  }
}

/// Declares what is defined in another module.
void declare(OpBuilder &builder, Operation *op) {
  Operation *copy = builder.insert(op->cloneWithoutRegions());
  if (auto function = dyn_cast<LLVM::LLVMFuncOp>(copy)) {
    function.setLinkage(LLVM::Linkage::External);
  } else if (auto global = dyn_cast<LLVM::GlobalOp>(copy)) {
    global.setLinkage(LLVM::Linkage::External);
    global.removeValueAttr();
  }
}

/// The names of the symbols that the operation's regions refer to, in the order
/// in which they do.
void collectReferences(Operation *root, llvm::SetVector<StringAttr> &names) {
  root->walk([&](Operation *op) {
    if (op == root)
      return;
    op->getAttrDictionary().walk(
        [&](SymbolRefAttr symbol) { names.insert(symbol.getRootReference()); });
  });
}

} // namespace

std::vector<OwningOpRef<ModuleOp>> splitProgram(ModuleOp module,
                                                int64_t operations) {
  std::vector<SmallVector<Operation *>> groups = groupsOf(module, operations);
  llvm::DenseMap<StringAttr, Operation *> symbols;
  for (Operation &op : *module.getBody())
    if (auto symbol = dyn_cast<SymbolOpInterface>(op))
      symbols[symbol.getNameAttr()] = &op;
  if (groups.size() > 1)
    for (ArrayRef<Operation *> group : groups)
      llvm::for_each(group, makeVisible);
  std::vector<OwningOpRef<ModuleOp>> parts;
  for (ArrayRef<Operation *> group : groups) {
    parts.emplace_back(ModuleOp::create(module.getLoc()));
    ModuleOp part = *parts.back();
    part->setAttrs(module->getAttrDictionary());
    OpBuilder builder = OpBuilder::atBlockEnd(part.getBody());
    llvm::SetVector<StringAttr> names;
    llvm::DenseSet<Operation *> here(group.begin(), group.end());
    for (Operation *op : group)
      collectReferences(op, names);
    for (StringAttr name : names)
      if (Operation *op = symbols.lookup(name); op && !here.contains(op))
        declare(builder, op);
  }
  // Declarations were made of definitions, which move now.
  for (auto [group, part] : llvm::zip_equal(groups, parts))
    for (Operation *op : group)
      op->moveBefore(part->getBody(), part->getBody()->end());
  return parts;
}

} // namespace npu
