// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Support/NoteNode.h"

#include "mlir/IR/Location.h"

using namespace mlir;

namespace npu {

std::string importedFrom(Location loc) {
  std::string names;
  loc->walk([&](Location part) {
    if (auto name = dyn_cast<NameLoc>(part))
      names += (names.empty() ? "'" : ", '") + name.getName().str() + "'";
    return WalkResult::advance();
  });
  return names.empty() ? names : "it is imported from " + names;
}

void noteNode(InFlightDiagnostic &error, Operation *op) {
  if (std::string text = importedFrom(op->getLoc()); !text.empty())
    error.attachNote() << text;
}

} // namespace npu
