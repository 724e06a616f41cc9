// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Object code of a program for this machine.

#ifndef NPU_EXECUTION_JIT_EMITOBJECTS_H
#define NPU_EXECUTION_JIT_EMITOBJECTS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"
#include "llvm/Support/MemoryBuffer.h"

#include <string>
#include <vector>

namespace npu {

/// The symbol by which object code is called: void (void **), with a pointer to
/// a pointer to each buffer's descriptor.
inline constexpr llvm::StringLiteral objectEntry = "npu_entry";

/// The machine that object code is for.
struct HostMachine {
  std::string triple;
  std::string processor;
  /// LLVM's names of the features that it has, sorted.
  std::vector<std::string> features;
};

/// This machine.
HostMachine thisMachine();

/// Object files, which refer to each other's symbols.
using ObjectFiles = std::vector<std::unique_ptr<llvm::MemoryBuffer>>;

/// Optimizes and compiles a module in the LLVM dialect at level 0 to 3. The
/// module is split into parts (SplitProgram.h), which are compiled on all
/// processors; its functions and globals are taken from it. The text `needs`
/// becomes a constant of the code (CodeNeeds.h) where it is not empty. The same
/// module and text give the same bytes, whatever the number of processors. An
/// error is a diagnostic at the module.
mlir::FailureOr<ObjectFiles> emitObjects(mlir::ModuleOp module,
                                         unsigned optLevel,
                                         llvm::StringRef needs = "");
/// The same of a module whose function `entry` takes a list of its buffers
/// (npu-pack-arguments): in object code it is `objectEntry`.
mlir::FailureOr<ObjectFiles> emitObjects(mlir::ModuleOp module,
                                         llvm::StringRef entry,
                                         unsigned optLevel,
                                         llvm::StringRef needs = "");

} // namespace npu

#endif // NPU_EXECUTION_JIT_EMITOBJECTS_H
