// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why operations are left as they are, which verification and legalization say
// in the same words.

#ifndef NPU_LIB_DIALECT_NPU_TRANSFORMS_VERIFY_WHYLEFTALONE_H
#define NPU_LIB_DIALECT_NPU_TRANSFORMS_VERIFY_WHYLEFTALONE_H

#include "npu/Interfaces/OpAccess.h"

namespace npu {

/// Why tiles do not do `op` part by part: its access is not known, or a tile
/// would have to write beyond what it holds.
inline std::string whyNoTileDoes(mlir::Operation *op) {
  std::string name = op->getName().getStringRef().str();
  return OpAccess::get(op)
             ? "no box of iterations of '" + name +
                   "' writes only what a tile holds of its "
                   "results"
             : "cannot tell what '" + name + "' reads of its operands";
}

/// Why calls are not considered.
inline constexpr llvm::StringLiteral calleeDecides =
    "a call takes and gives what its callee declares";

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_TRANSFORMS_VERIFY_WHYLEFTALONE_H
