// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reproducer.h"

#include "Shrink.h"
#include "npu/Execution/Compare/RunSides.h"
#include "npu/Host/Npy.h"
#include "npu/Support/Report.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;

namespace npu {
namespace {

/// Operands of more bytes than this are files, with all others.
constexpr int64_t kMostBytes = 64 << 10;

int64_t bytesOf(ArrayRef<Known> operands) {
  ByteSum sum;
  for (const Known &operand : operands)
    sum.add(operand.device->spec.bytes());
  return sum.total();
}

/// Makes constants of the function's arguments.
void foldOperands(func::FuncOp function, ArrayRef<Known> operands) {
  Block &body = function.front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  for (auto [argument, operand] :
       llvm::zip(function.getArguments(), operands)) {
    Type type = argument.getType();
    auto tensor = dyn_cast<RankedTensorType>(type);
    auto values = toAttribute(
        *operand.device, tensor ? tensor : RankedTensorType::get({}, type));
    Value constant;
    if (tensor)
      constant = arith::ConstantOp::create(builder, function.getLoc(), values);
    else
      constant = arith::ConstantOp::create(
          builder, function.getLoc(),
          cast<TypedAttr>(*values.getValues<Attribute>().begin()));
    argument.replaceAllUsesWith(constant);
  }
  body.eraseArguments([](BlockArgument) { return true; });
  function.setType(
      builder.getFunctionType({}, function.getFunctionType().getResults()));
}

/// One side as the function @main.
OwningOpRef<ModuleOp> sideOf(const Slice &slice) {
  OwningOpRef<ModuleOp> module = cutOut(slice);
  module->lookupSymbol<func::FuncOp>("unit").setName("main");
  return module;
}

func::FuncOp mainOf(ModuleOp module) {
  return module.lookupSymbol<func::FuncOp>("main");
}

LogicalResult writeSide(ModuleOp module, ArrayRef<Known> operands, bool fold,
                        const std::string &path) {
  if (fold)
    foldOperands(mainOf(module), operands);
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, OpPrintingFlags().useLocalScope());
  return writeReport(module, path, text + "\n");
}

} // namespace

/// A word of a shell's command.
static std::string quoted(const std::string &word) {
  if (StringRef(word).find_first_of(" \t\n'\"\\$&|;<>()*?[]#~`!{}") ==
      StringRef::npos)
    return word;
  std::string text = "'";
  for (char c : word)
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

static std::string beside(StringRef path, const std::string &ending) {
  path.consume_back(".mlir");
  return path.str() + ending;
}

std::vector<std::string> filesOfReproducer(const std::string &path) {
  std::vector<std::string> files{path, beside(path, ".reference.mlir")};
  // More operands than operations have.
  constexpr int most = 64;
  for (int i = 0; i < most; ++i)
    files.push_back(beside(path, fmt::format(".{}.npy", i)));
  return files;
}

FailureOr<std::string> writeReproducer(const Engine::Kept &kept,
                                       const std::string &path) {
  OwningOpRef<ModuleOp> device = sideOf(kept.deviceSlice);
  std::vector<Known> operands = kept.deviceOperands;
  bool isChanged = kept.slice.ops != kept.deviceSlice.ops;
  if (!isChanged && !kept.worst.empty())
    (void)shrinkTo(mainOf(*device), kept.worst, operands);
  bool fold = bytesOf(operands) <= kMostBytes;
  if (failed(writeSide(*device, operands, fold, path)))
    return failure();
  std::string command = "npu-run " + quoted(path) + " --audit";
  if (isChanged) {
    std::string reference = beside(path, ".reference.mlir");
    if (failed(writeSide(*sideOf(kept.slice), kept.operands, fold, reference)))
      return failure();
    command += " --reference=" + quoted(reference);
  }
  if (fold)
    return command;
  std::vector<std::string> files;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    files.push_back(beside(path, fmt::format(".{}.npy", i)));
    if (Result<> error = writeNpy(files.back(), *operand.device); !error)
      return failRun(error.error().message);
  }
  return command +
         " --inputs=" + quoted(fmt::format("{}", fmt::join(files, ",")));
}

} // namespace npu
