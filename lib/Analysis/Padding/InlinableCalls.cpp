// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Padding/InlinableCalls.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

func::FuncOp calleeOf(func::CallOp call) {
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
}

/// Whether the function calls itself, directly or through functions that it
/// calls.
bool reachesItself(func::FuncOp function) {
  SmallVector<func::FuncOp> open{function};
  llvm::SmallDenseSet<Operation *> seen;
  while (!open.empty()) {
    bool found = false;
    open.pop_back_val().walk([&](func::CallOp call) {
      func::FuncOp next = calleeOf(call);
      found |= next == function;
      if (next && seen.insert(next).second)
        open.push_back(next);
    });
    if (found)
      return true;
  }
  return false;
}

struct Callee {
  func::FuncOp function;
  std::string whyNot;
};

Callee judge(Operation *op) {
  auto call = dyn_cast<func::CallOp>(op);
  if (!call)
    return {{}, "what it calls is known at run time only"};
  std::string name = call.getCallee().str();
  func::FuncOp function = calleeOf(call);
  auto no = [&](StringRef why) {
    return Callee{{}, fmt::format("it calls '@{}', {}", name, why.str())};
  };
  if (!function || function.isExternal())
    return no("of which there is only a declaration");
  if (!function.getBody().hasOneBlock())
    return no(fmt::format("which has {} blocks; expected one",
                          function.getBody().getBlocks().size()));
  if (reachesItself(function))
    return no("which calls itself");
  if (call.getNoInline() || function.getNoInline())
    return no("which is not to be inlined (no_inline)");
  return {function,
          fmt::format("it calls '@{}', which could not be inlined", name)};
}

} // namespace

func::FuncOp inlinableCallee(Operation *call) { return judge(call).function; }

std::string whyNotInlined(Operation *call) { return judge(call).whyNot; }

} // namespace npu
