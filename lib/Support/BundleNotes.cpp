// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Support/BundleNotes.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

namespace npu {

void noteForBundle(llvm::StringRef kind, llvm::StringRef path) {
  const char *file = std::getenv(kBundleFiles.data());
  if (!file || path.empty())
    return;
  std::error_code error;
  // A line at a time, because the process may crash.
  llvm::raw_fd_ostream os(file, error, llvm::sys::fs::OF_Append);
  if (error)
    return;
  os << kind << ' ' << path << '\n';
  os.close();
  os.clear_error();
}

void keepIrForBundle(mlir::PassManager &passes) {
  const char *file = std::getenv(kBundleIr.data());
  if (!file)
    return;
  passes.getContext()->disableMultithreading();
  passes.enableCrashReproducerGeneration(file, /*genLocalReproducer=*/true);
}

} // namespace npu
