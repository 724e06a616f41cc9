// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says which node of a network an operation was imported from.

#ifndef NPU_SUPPORT_NOTENODE_H
#define NPU_SUPPORT_NOTENODE_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

namespace npu {

/// "it is imported from 'a', 'b'": the names in a location; empty where there
/// are none.
std::string importedFrom(mlir::Location loc);

/// Attaches a note with the names in the location of `op`, of which a file's
/// place shows none: importers name operations after nodes. No note where the
/// location has no name.
void noteNode(mlir::InFlightDiagnostic &error, mlir::Operation *op);

} // namespace npu

#endif // NPU_SUPPORT_NOTENODE_H
