// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the scratchpads of a function with layouts take as planned buffers.

#ifndef NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_MEASURESCRATCHPADS_H
#define NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_MEASURESCRATCHPADS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <map>
#include <optional>

namespace npu {

/// The bytes of a function's arena on each tile that has one.
using ArenaBytes = std::map<int64_t, int64_t>;

/// The largest of them; 0 where there are none.
int64_t mostBytes(const ArenaBytes &arenas);

/// Lowers `module`, all of whose functions have layouts, to planned buffers and
/// returns the arenas of the function `name`. Nothing where the module cannot
/// be lowered: the phase that does it for the user says why. The module is not
/// to be used any more. The passes are taken from the registry by their names,
/// because they stand above this one.
std::optional<ArenaBytes> measureScratchpads(mlir::ModuleOp module,
                                             llvm::StringRef name);

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_MEASURESCRATCHPADS_H
