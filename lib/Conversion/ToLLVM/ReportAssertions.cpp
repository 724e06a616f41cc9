// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-report-assertions: reports a failed assertion with its place.

#include "npu/Conversion/ToLLVM/ReportAssertions.h"
#include "npu/Support/NoteNode.h"

#include "npu/Conversion/ToLLVM/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_REPORTASSERTIONS
#include "npu/Conversion/ToLLVM/Passes.h.inc"

namespace {

/// The text of a diagnostic at the assertion, with the place as far as it is
/// known.
std::string textOf(cf::AssertOp op) {
  std::string place;
  if (auto file = op.getLoc()->findInstanceOf<FileLineColLoc>())
    place = fmt::format("{}:{}:{}: ", file.getFilename().str(), file.getLine(),
                        file.getColumn());
  std::string text =
      fmt::format("{}error: assertion failed: {}\n", place, op.getMsg().str());
  if (std::string node = importedFrom(op.getLoc()); !node.empty())
    text += fmt::format("{}note: {}\n", place, node);
  return text;
}

struct ReportAssertionsPass : impl::ReportAssertionsBase<ReportAssertionsPass> {
  using ReportAssertionsBase::ReportAssertionsBase;

  void runOnOperation() override {
    SmallVector<cf::AssertOp> assertions;
    getOperation()->walk([&](cf::AssertOp op) { assertions.push_back(op); });
    if (assertions.empty())
      return;
    OpBuilder builder(&getContext());
    auto pointer = LLVM::LLVMPointerType::get(&getContext());
    FailureOr<LLVM::LLVMFuncOp> report =
        LLVM::lookupOrCreateFn(builder, getOperation(), assertionFailedName,
                               pointer, LLVM::LLVMVoidType::get(&getContext()));
    if (failed(report))
      return signalPassFailure();
    SymbolTable symbols(getOperation());
    for (cf::AssertOp op : assertions)
      lower(op, *report, symbols, builder);
  }

private:
  static void lower(cf::AssertOp op, LLVM::LLVMFuncOp report,
                    SymbolTable &symbols, OpBuilder &builder) {
    Location loc = op.getLoc();
    std::string text = textOf(op);
    builder.clearInsertionPoint();
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), text.size() + 1);
    auto global = LLVM::GlobalOp::create(
        builder, loc, type, /*isConstant=*/true, LLVM::Linkage::Private,
        "assertion",
        builder.getStringAttr(StringRef(text.c_str(), text.size() + 1)));
    symbols.insert(global);

    Block *before = op->getBlock();
    Block *after = before->splitBlock(op->getNextNode());
    Block *fails = builder.createBlock(before->getParent());
    Value address = LLVM::AddressOfOp::create(builder, loc, global);
    LLVM::CallOp::create(builder, loc, report, address);
    LLVM::UnreachableOp::create(builder, loc);
    builder.setInsertionPoint(op);
    cf::CondBranchOp::create(builder, loc, op.getArg(), after, fails);
    op.erase();
  }
};

} // namespace
} // namespace npu
