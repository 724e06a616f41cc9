// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Support/NoteNode.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace npu {

void noteNode(InFlightDiagnostic &error, Operation *op) {
  SmallVector<StringRef> names;
  op->getLoc()->walk([&](Location part) {
    if (auto name = dyn_cast<NameLoc>(part))
      names.push_back(name.getName());
    return WalkResult::advance();
  });
  if (names.empty())
    return;
  Diagnostic &note = error.attachNote();
  note << "it is imported from ";
  llvm::interleaveComma(names, note,
                        [&](StringRef name) { note << "'" << name << "'"; });
}

} // namespace npu
