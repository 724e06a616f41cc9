// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of a program follow from the program alone, each function is whole in
// one of them, and what one part refers to of another is declared there.

#include "npu/Execution/Jit/SplitProgram.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;

namespace {

constexpr const char *kProgram = R"(
module attributes {llvm.data_layout = "e"} {
  llvm.mlir.global private @counter(0 : i64) : i64
  llvm.mlir.global external constant @weights() : !llvm.array<4 x f32>
  llvm.func @outside(!llvm.ptr)
  llvm.func @small(%p: !llvm.ptr) {
    llvm.call @outside(%p) : (!llvm.ptr) -> ()
    llvm.return
  }
  llvm.func internal @large(%p: !llvm.ptr) {
    %c = llvm.mlir.addressof @counter : !llvm.ptr
    %w = llvm.mlir.addressof @weights : !llvm.ptr
    llvm.call @small(%p) : (!llvm.ptr) -> ()
    llvm.call @small(%w) : (!llvm.ptr) -> ()
    llvm.call @small(%c) : (!llvm.ptr) -> ()
    llvm.return
  }
  llvm.func @entry(%p: !llvm.ptr) {
    llvm.call @large(%p) : (!llvm.ptr) -> ()
    llvm.call @outside(%p) : (!llvm.ptr) -> ()
    llvm.return
  }
}
)";

/// The names of what a module defines, and then of what it declares.
std::string contents(ModuleOp module) {
  std::string defined, declared;
  for (Operation &op : *module.getBody()) {
    auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
    auto global = dyn_cast<LLVM::GlobalOp>(op);
    bool isDefined = function ? !function.isExternal()
                              : global.getValueOrNull() != Attribute();
    (isDefined ? defined : declared) +=
        " " + SymbolTable::getSymbolName(&op).str();
  }
  return defined + " |" + declared;
}

class SplitProgramTest : public ::testing::Test {
protected:
  SplitProgramTest() {
    context.loadDialect<LLVM::LLVMDialect>();
    module = parseSourceString<ModuleOp>(kProgram, &context);
  }

  std::vector<std::string> split(int64_t operations) {
    std::vector<std::string> texts;
    for (OwningOpRef<ModuleOp> &part : npu::splitProgram(*module, operations)) {
      EXPECT_TRUE(succeeded(verify(*part)));
      EXPECT_TRUE((*part)->hasAttr("llvm.data_layout"));
      texts.push_back(contents(*part));
    }
    return texts;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(SplitProgramTest, IsOnePartWhereThatIsLargeEnough) {
  EXPECT_EQ(split(100), (std::vector<std::string>{
                            " counter small large entry | outside weights"}));
}

TEST_F(SplitProgramTest, KeepsFunctionsWholeAndInOrder) {
  EXPECT_EQ(split(1),
            (std::vector<std::string>{" counter small | outside",
                                      " large | counter weights small",
                                      " entry | large outside"}));
}

TEST_F(SplitProgramTest, FillsParts) {
  // Of 3, 7 and 4 operations, the last two are more than 10 together.
  EXPECT_EQ(split(10),
            (std::vector<std::string>{" counter small large | outside weights",
                                      " entry | large outside"}));
}

TEST_F(SplitProgramTest, LetsPartsSeeEachOther) {
  std::vector<OwningOpRef<ModuleOp>> parts = npu::splitProgram(*module, 1);
  auto counter = parts[0]->lookupSymbol<LLVM::GlobalOp>("counter");
  auto large = parts[1]->lookupSymbol<LLVM::LLVMFuncOp>("large");
  EXPECT_EQ(counter.getLinkage(), LLVM::Linkage::External);
  EXPECT_EQ(large.getLinkage(), LLVM::Linkage::External);
  EXPECT_FALSE(
      parts[1]->lookupSymbol<LLVM::GlobalOp>("counter").getValueOrNull());
}

} // namespace
