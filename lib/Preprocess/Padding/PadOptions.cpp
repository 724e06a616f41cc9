// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the options of all passes that pad, and finds the functions that they
// pad.

#include "npu/Preprocess/Padding/PadToMaxPromptLen.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

FailureOr<PaddingSide> parsePaddingSide(Location loc, StringRef side) {
  if (side == "right")
    return PaddingSide::Right;
  if (side == "left")
    return PaddingSide::Left;
  return emitError(loc) << "expected side=right or side=left, got '" << side
                        << "'";
}

LogicalResult checkMaxPromptLen(Location loc, int64_t length,
                                StringRef option) {
  // Bound the length so that products with extents of other dimensions do not
  // overflow.
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  if (length < 1)
    return emitError(loc) << "expected " << option << " of at least 1, got "
                          << length;
  if (length > most)
    return emitError(loc) << "expected " << option << " of at most " << most
                          << ", got " << length;
  return success();
}

SmallVector<Value> promptLengths(OpBuilder &builder, func::FuncOp function,
                                 const Prompt &prompt) {
  SmallVector<Value> lengths(prompt.count());
  for (auto [argument, dims, symbols] :
       llvm::zip(function.getArguments(), prompt.dims, prompt.symbols))
    for (auto [dim, symbol] : llvm::zip_equal(dims, symbols))
      if (!lengths[symbol])
        lengths[symbol] =
            tensor::DimOp::create(builder, function.getLoc(), argument, dim);
  return lengths;
}

void assertPromptLength(OpBuilder &builder, func::FuncOp function, Value length,
                        int64_t least, int64_t most) {
  Location loc = function.getLoc();
  auto holds = [&](arith::CmpIPredicate predicate, int64_t bound) {
    return arith::CmpIOp::create(
        builder, loc, predicate, length,
        arith::ConstantIndexOp::create(builder, loc, bound));
  };
  Value some = holds(arith::CmpIPredicate::sge, least);
  Value fits = holds(arith::CmpIPredicate::sle, most);
  cf::AssertOp::create(
      builder, loc, arith::AndIOp::create(builder, loc, some, fits),
      ("'" + function.getName() + "': expected a prompt length of " +
       Twine(least) + " to " + Twine(most))
          .str());
}

void assertOneLength(OpBuilder &builder, func::FuncOp function,
                     const Prompt &prompt, ValueRange lengths) {
  if (prompt.length)
    return;
  SmallVector<std::string> firsts(prompt.count());
  for (auto [argument, dims, symbols] :
       llvm::zip(function.getArguments(), prompt.dims, prompt.symbols))
    for (auto [dim, symbol] : llvm::zip_equal(dims, symbols)) {
      std::string place = fmt::format("argument #{} dimension {}",
                                      argument.getArgNumber(), dim);
      std::string &first = firsts[symbol];
      if (first.empty()) {
        first = place;
        continue;
      }
      Location loc = argument.getLoc();
      Value extent = tensor::DimOp::create(builder, loc, argument, dim);
      Value same = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         extent, lengths[symbol]);
      std::string whose =
          prompt.count() == 1
              ? "the prompt's length"
              : fmt::format("the length of prompt '{}'", prompt.names[symbol]);
      cf::AssertOp::create(builder, loc, same,
                           fmt::format("'{}': expected {} to have {}, that of "
                                       "{}",
                                       function.getName().str(), place, whose,
                                       first));
    }
}

/// Refuses calls of functions whose signature changes (`static-signature`):
/// callers do not have the padded tensors. A pass on a single function does not
/// see its callers.
static LogicalResult refuseCallers(Operation *root, PromptFunctions &prompts) {
  if (isa<func::FuncOp>(root))
    return success();
  for (auto &[function, prompt] : prompts) {
    std::optional<SymbolTable::UseRange> uses =
        SymbolTable::getSymbolUses(function.getOperation(), root);
    if (!uses || uses->empty())
      continue;
    auto error = emitError(function.getLoc())
                 << "expected nobody to call '" << function.getName()
                 << "' with static-signature, which gives it other arguments "
                    "and results";
    error.attachNote(uses->begin()->getUser()->getLoc()) << "it is used here";
    return error;
  }
  return success();
}

FailureOr<PromptFunctions> findPrompts(Operation *root,
                                       const PadOptions &options) {
  func::FuncOp unmarked;
  PromptFunctions prompts;
  WalkResult walked = root->walk([&](func::FuncOp function) {
    if (function.isExternal())
      return WalkResult::skip();
    bool found = false;
    FailureOr<Prompt> prompt =
        findPrompt(function, options.maxLength, options.side, found);
    if (failed(prompt))
      return WalkResult::interrupt();
    if (found)
      prompts.push_back({function, *prompt});
    else if (!unmarked)
      unmarked = function;
    return WalkResult::skip();
  });
  if (walked.wasInterrupted())
    return failure();
  if (prompts.empty() && unmarked)
    return emitError(unmarked.getLoc())
           << "expected a prompt dimension to pad to " << options.maxLength
           << ": mark arguments with " << promptDimAttrName
           << ", or make the dimension dynamic";
  for (auto &[function, prompt] : prompts)
    if (options.staticSignature && prompt.count() > 1)
      return emitError(function.getLoc())
             << "expected one prompt with static-signature, which takes one "
                "length, got "
             << prompt.count() << ", '" << prompt.names[0] << "' and '"
             << prompt.names[1] << "'";
  if (options.staticSignature && failed(refuseCallers(root, prompts)))
    return failure();
  return prompts;
}

} // namespace npu
