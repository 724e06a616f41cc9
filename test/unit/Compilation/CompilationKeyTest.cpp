// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The key changes with everything that an artefact depends on, and with nothing
// else.

#include "npu/Compilation/CompilationKey.h"
#include "npu/ExternalModels/RegisterAll.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

using namespace npu;

namespace {

KeyParts someParts() {
  KeyParts parts;
  parts.model = std::string(64, 'a');
  parts.target = *findBuiltinTarget("npu4000");
  parts.device = "NPU";
  parts.entry = "main";
  parts.options = {{"strategy", "least"}, {"tiles", "4"}};
  parts.files = {{"precision-overrides", "0"}};
  parts.compiler = "1";
  parts.build = "2";
  parts.host = {"avx", "x86_64"};
  return parts;
}

TEST(CompilationKey, EveryPartChangesIt) {
  std::vector<std::function<void(KeyParts &)>> changes = {
      [](KeyParts &p) { p.model[63] = 'b'; },
      [](KeyParts &p) { p.target.name = "mine"; },
      [](KeyParts &p) { p.device = "CPU"; },
      [](KeyParts &p) { p.entry = "other"; },
      [](KeyParts &p) { p.options["strategy"] = "rows"; },
      [](KeyParts &p) { p.options["side"] = "left"; },
      [](KeyParts &p) { p.options.erase("tiles"); },
      // The same letters at other places.
      [](KeyParts &p) { p.options = {{"strategy", "least4"}, {"tiles", ""}}; },
      [](KeyParts &p) { std::swap(p.options, p.files); },
      [](KeyParts &p) { p.files["precision-overrides"] = "1"; },
      [](KeyParts &p) { p.files.clear(); },
      [](KeyParts &p) { p.compiler = "2"; },
      [](KeyParts &p) { p.build = "3"; },
      [](KeyParts &p) { p.host.pop_back(); },
      [](KeyParts &p) { p.host[0] = "avx2"; },
      [](KeyParts &p) { ++p.format; },
      [](KeyParts &p) { ++p.abi; },
      // Bytes that are not UTF-8 count as they are.
      [](KeyParts &p) { p.entry = "\xfe"; },
      [](KeyParts &p) { p.entry = "\xff"; },
  };
  for (const TargetField &field : targetFields())
    changes.push_back([&](KeyParts &p) { ++(p.target.*field.value); });
  for (const CostField &field : costFields())
    changes.push_back([&](KeyParts &p) { ++field.of(p.target.costs); });
  std::set<std::string> keys{keyOf(someParts())};
  EXPECT_EQ(keys.begin()->size(), 64u);
  EXPECT_TRUE(keys.count(keyOf(someParts())));
  for (size_t i = 0; i < changes.size(); ++i) {
    KeyParts parts = someParts();
    changes[i](parts);
    EXPECT_TRUE(keys.insert(keyOf(parts)).second) << "change " << i;
  }
}

class ModelHash : public testing::Test {
protected:
  ModelHash() {
    mlir::DialectRegistry registry;
    registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                    mlir::tensor::TensorDialect>();
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  std::string hash(const std::string &text, const char *file = "m.mlir",
                   bool withFolders = false) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(
        text, mlir::ParserConfig(&context), file);
    return module ? hashOfModel(*module, withFolders) : "";
  }

  /// A function with a constant of 4096 floats.
  static std::string model(const std::string &data, const char *between = "") {
    return "func.func @main(%x: tensor<4096xf32>) -> tensor<4096xf32> {\n"
           "  %w = arith.constant dense<\"0x" +
           data + "\"> : tensor<4096xf32>" + between +
           "\n  %y = arith.addf %x, %w : tensor<4096xf32>\n"
           "  return %y : tensor<4096xf32>\n}\n";
  }

  mlir::MLIRContext context;
};

TEST_F(ModelHash, EveryBitOfAWeightCounts) {
  std::string data(size_t(4096) * 4, '\x11');
  std::set<std::string> hashes{hash(model(llvm::toHex(data)))};
  for (size_t byte : {0, 1, 7999, 8192, 16383})
    for (int bit : {0, 5, 7}) {
      std::string changed = data;
      changed[byte] = static_cast<char>(changed[byte] ^ (1 << bit));
      EXPECT_TRUE(hashes.insert(hash(model(llvm::toHex(changed)))).second);
    }
  EXPECT_EQ(hashes.count(""), 0u);
  EXPECT_EQ(hash(model(llvm::toHex(data))), hash(model(llvm::toHex(data))));
}

TEST_F(ModelHash, EveryBitOfAResourceCounts) {
  auto text = [](const std::string &data) {
    return "func.func @main() -> tensor<64xf32> {\n"
           "  %w = arith.constant dense_resource<w> : tensor<64xf32>\n"
           "  return %w : tensor<64xf32>\n}\n"
           "{-# dialect_resources: {builtin: {w: \"0x04000000" +
           data + "\"}} #-}\n";
  };
  std::string data(256, '\x01');
  std::string other = data;
  other[100] ^= 2;
  // The resources of one context may not have the same name twice.
  std::string first = hash(text(llvm::toHex(data)));
  ModelHash::context.disableMultithreading();
  mlir::MLIRContext fresh;
  fresh.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect>();
  auto hashIn = [&](mlir::MLIRContext &context, const std::string &bytes) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(
        text(llvm::toHex(bytes)), mlir::ParserConfig(&context), "m.mlir");
    return hashOfModel(*module);
  };
  EXPECT_NE(first, hashIn(fresh, other));
  mlir::MLIRContext again;
  again.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect>();
  EXPECT_EQ(first, hashIn(again, data));
}

TEST_F(ModelHash, TextThatSaysTheSameHasOneHash) {
  std::string data = llvm::toHex(std::string(size_t(4096) * 4, '\x11'));
  std::string plain = hash(model(data));
  // Spaces and comments at the end of a line move no location.
  EXPECT_EQ(plain, hash(model(data, "   // a comment")));
  // A line does, and messages that name it.
  EXPECT_NE(plain, hash(model(data, "\n")));
  // The folder of the file does not count, its name does.
  EXPECT_EQ(hash(model(data), "/a/m.mlir"), hash(model(data), "b/m.mlir"));
  EXPECT_NE(hash(model(data), "/a/m.mlir", /*withFolders=*/true),
            hash(model(data), "b/m.mlir", /*withFolders=*/true));
  EXPECT_NE(plain, hash(model(data), "n.mlir"));
}

TEST(CompilerBuild, IsTheSameInOneProcess) {
  EXPECT_EQ(compilerBuild().size(), 64u);
  EXPECT_EQ(compilerBuild(), compilerBuild());
}

} // namespace
