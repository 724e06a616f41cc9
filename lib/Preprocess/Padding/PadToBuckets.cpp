// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pads to several lengths: makes one function for each length, and a dispatcher
// in place of the original that calls the function of the smallest length that
// fits.

#include "PreparePadding.h"
#include "npu/Preprocess/Padding/PadToMaxPromptLen.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {
namespace {

std::string bucketName(func::FuncOp function, int64_t bucket) {
  return (function.getName() + "_" + Twine(bucket)).str();
}

/// Builds the choice of the first bucket that is long enough, by halves: the
/// nest of scf.if is as deep as a search through the buckets takes steps, since
/// bufferization looks through a nest for every pair of its calls.
SmallVector<Value> dispatch(OpBuilder &builder, Location loc, Value length,
                            ArrayRef<int64_t> buckets,
                            ArrayRef<func::FuncOp> functions,
                            ValueRange arguments) {
  if (buckets.size() == 1)
    return func::CallOp::create(builder, loc, functions.front(), arguments)
        ->getResults();
  size_t half = buckets.size() / 2;
  Value bucket =
      arith::ConstantIndexOp::create(builder, loc, buckets[half - 1]);
  Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle,
                                     length, bucket);
  auto branch = [&](ArrayRef<int64_t> some, ArrayRef<func::FuncOp> called) {
    return [&, some, called](OpBuilder &at, Location) {
      scf::YieldOp::create(at, loc,
                           dispatch(at, loc, length, some, called, arguments));
    };
  };
  auto choice = scf::IfOp::create(
      builder, loc, fits,
      branch(buckets.take_front(half), functions.take_front(half)),
      branch(buckets.drop_front(half), functions.drop_front(half)));
  return choice.getResults();
}

/// Replaces the body of `function` by the choice among `functions`.
void makeDispatcher(func::FuncOp function, const Prompt &prompt,
                    ArrayRef<int64_t> buckets,
                    ArrayRef<func::FuncOp> functions) {
  function.getBody().dropAllReferences();
  function.getBody().getBlocks().clear();
  Block *entry = function.addEntryBlock();
  OpBuilder builder = OpBuilder::atBlockBegin(entry);
  Location loc = function.getLoc();
  // The longest of several prompts has to fit.
  SmallVector<Value> lengths = promptLengths(builder, function, prompt);
  Value length = lengths.front();
  for (Value each : lengths) {
    assertPromptLength(builder, function, each, prompt.minLength(),
                       buckets.back());
    if (each != length)
      length = arith::MaxSIOp::create(builder, loc, length, each);
  }
  assertOneLength(builder, function, prompt, lengths);
  func::ReturnOp::create(builder, loc,
                         dispatch(builder, loc, length, buckets, functions,
                                  function.getArguments()));
}

} // namespace

LogicalResult padToBuckets(Operation *root, ArrayRef<int64_t> lengths,
                           const PadOptions &options) {
  SmallVector<int64_t> buckets(lengths);
  llvm::sort(buckets);
  buckets.erase(llvm::unique(buckets), buckets.end());
  for (int64_t bucket : buckets)
    if (failed(checkMaxPromptLen(root->getLoc(), bucket)))
      return failure();
  PadOptions largest = options;
  largest.maxLength = buckets.back();
  if (buckets.size() == 1)
    return padToMaxPromptLen(root, largest);
  auto module = dyn_cast<ModuleOp>(root);
  if (!module)
    return emitError(root->getLoc())
           << "expected a module to pad to several lengths: each becomes a "
              "function of its own";
  if (options.staticSignature)
    return emitError(root->getLoc()) << "expected one max-prompt-len with "
                                        "static-signature, got "
                                     << buckets.size();
  inlineCallsWithPrompt(root);
  FailureOr<PromptFunctions> found = findPrompts(root, largest);
  if (failed(found))
    return failure();
  for (auto &[function, prompt] : *found) {
    if (prompt.length) {
      PadOptions smallest = options;
      smallest.maxLength = *llvm::lower_bound(buckets, *prompt.length);
      if (failed(padToMaxPromptLen(function, smallest)))
        return failure();
      continue;
    }
    SmallVector<func::FuncOp> functions;
    for (int64_t bucket : buckets) {
      std::string name = bucketName(function, bucket);
      if (module.lookupSymbol(name))
        return emitError(function.getLoc())
               << "expected no function '" << name << "' yet: it is to be '"
               << function.getName() << "' at " << bucket;
      func::FuncOp clone = function.clone();
      clone.setName(name);
      clone.setPrivate();
      module.insert(function, clone);
      functions.push_back(clone);
      PadOptions each = options;
      each.maxLength = bucket;
      if (failed(padToMaxPromptLen(clone, each)))
        return failure();
    }
    makeDispatcher(function, prompt, buckets, functions);
  }
  return success();
}

} // namespace npu
