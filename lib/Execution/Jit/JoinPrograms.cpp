// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Execution/Jit/JoinPrograms.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/SymbolTable.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// The function of the runtime that an operation declares; null for others.
LLVM::LLVMFuncOp declaredBy(Operation &op) {
  auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
  return function && function.isExternal() ? function : nullptr;
}

/// Renames symbols of the modules that are joined, where they are referred to.
void renameReferences(Operation *root,
                      const llvm::DenseMap<StringAttr, StringAttr> &names) {
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](SymbolRefAttr symbol) -> std::optional<Attribute> {
        if (StringAttr name = names.lookup(symbol.getRootReference()))
          return SymbolRefAttr::get(name, symbol.getNestedReferences());
        return std::nullopt;
      });
  replacer.recursivelyReplaceElementsIn(root, /*replaceAttrs=*/true);
}

} // namespace

std::string joinedName(size_t number, StringRef symbol) {
  return fmt::format("{}.{}", number, symbol.str());
}

OwningOpRef<ModuleOp> joinPrograms(ArrayRef<ModuleOp> programs) {
  ModuleOp first = programs.front();
  OwningOpRef<ModuleOp> joined(ModuleOp::create(first.getLoc()));
  (*joined)->setAttrs(first->getAttrDictionary());
  OpBuilder builder = OpBuilder::atBlockEnd(joined->getBody());
  llvm::DenseMap<StringAttr, LLVM::LLVMFuncOp> declared;
  for (auto [number, each] : llvm::enumerate(programs)) {
    ModuleOp program = each;
    llvm::DenseMap<StringAttr, StringAttr> names;
    for (Operation &op : *program.getBody())
      if (auto symbol = dyn_cast<SymbolOpInterface>(op);
          symbol && !declaredBy(op))
        names[symbol.getNameAttr()] =
            builder.getStringAttr(joinedName(number, symbol.getName()));
    for (Operation &op : *program.getBody()) {
      if (LLVM::LLVMFuncOp function = declaredBy(op)) {
        LLVM::LLVMFuncOp &known = declared[function.getSymNameAttr()];
        if (!known)
          known = cast<LLVM::LLVMFuncOp>(builder.clone(op));
        else if (known.getFunctionType() != function.getFunctionType())
          return {};
        continue;
      }
      Operation *copy = builder.clone(op);
      renameReferences(copy, names);
      if (auto symbol = dyn_cast<SymbolOpInterface>(copy))
        symbol.setName(names.lookup(symbol.getNameAttr()));
    }
  }
  return joined;
}

} // namespace npu
