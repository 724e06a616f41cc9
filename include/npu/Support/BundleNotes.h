// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a process that runs for a bundle (--emit-bundle) notes for whoever packs
// it: the files that it reads and writes, and the IR before a pass that fails.
// Who packs says in the environment where; other processes note nothing.

#ifndef NPU_SUPPORT_BUNDLENOTES_H
#define NPU_SUPPORT_BUNDLENOTES_H

#include "llvm/ADT/StringRef.h"

namespace mlir {
class PassManager;
} // namespace mlir

namespace npu {

/// Names the file that takes a line for each file: "in PATH" or "out PATH", as
/// the user spelled it.
inline constexpr llvm::StringLiteral kBundleFiles = "NPU_BUNDLE_FILES";
/// Names the file for the IR before the pass that fails.
inline constexpr llvm::StringLiteral kBundleIr = "NPU_BUNDLE_IR";

void noteForBundle(llvm::StringRef kind, llvm::StringRef path);

/// Lets the passes write the IR before the one of them that fails, by
/// upstream's reproducer, where that is asked for.
void keepIrForBundle(mlir::PassManager &passes);

} // namespace npu

#endif // NPU_SUPPORT_BUNDLENOTES_H
