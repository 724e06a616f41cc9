// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-opt: mlir-opt with this project's dialect and passes.

#include "npu/Tools/Mains.h"

#ifdef NPU_PLUGIN_TOOL
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

/// Whether an argument names a plugin, which links libMLIR.so.
static bool namesPlugin(llvm::StringRef argument) {
  llvm::StringRef name = argument.ltrim('-').split('=').first;
  return argument.starts_with("-") &&
         (name == "load-dialect-plugin" || name == "load-pass-plugin");
}

/// Goes on as the npu-opt that links libMLIR.so: this one has a copy of MLIR of
/// its own, to which a plugin could add nothing. Returns where that one does
/// not start.
static int runForPlugins(char **argv) {
  llvm::SmallString<256> tool(llvm::sys::fs::getMainExecutable(
      argv[0], reinterpret_cast<void *>(&runForPlugins)));
  llvm::sys::path::remove_filename(tool);
  llvm::sys::path::append(tool, NPU_PLUGIN_TOOL);
  execv(tool.c_str(), argv);
  const char *why = std::strerror(errno);
  llvm::WithColor::error(llvm::errs(), "npu-opt")
      << "expected the tool that loads plugins beside this one, got '" << tool
      << "': " << why << "\n";
  return 1;
}
#endif

int main(int argc, char **argv) {
#ifdef NPU_PLUGIN_TOOL
  if (llvm::any_of(llvm::ArrayRef(argv, argc), namesPlugin))
    return runForPlugins(argv);
#endif
  return npu::optMain(argc, argv, [](mlir::DialectRegistry &) {});
}
