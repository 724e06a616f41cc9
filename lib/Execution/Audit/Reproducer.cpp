// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reproducer.h"

#include "../Compare/RunSides.h"
#include "Shrink.h"
#include "npu/Execution/Host/Npy.h"
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
  std::string command = "npu-run " + path + " --audit";
  StringRef stem = StringRef(path);
  stem.consume_back(".mlir");
  if (isChanged) {
    std::string reference = (stem + ".reference.mlir").str();
    if (failed(writeSide(*sideOf(kept.slice), kept.operands, fold, reference)))
      return failure();
    command += " --reference=" + reference;
  }
  if (fold)
    return command;
  std::vector<std::string> files;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    files.push_back(fmt::format("{}.{}.npy", stem.str(), i));
    if (Check error = writeNpy(files.back(), *operand.device))
      return failRun(error->message);
  }
  return command + fmt::format(" --inputs={}", fmt::join(files, ","));
}

} // namespace npu
