// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The key of a compilation: a hash of everything that its artefact depends on.
// Two compilations of one key give the same artefact, byte for byte.

#ifndef NPU_COMPILATION_COMPILATIONKEY_H
#define NPU_COMPILATION_COMPILATIONKEY_H

#include "npu/Compilation/CompileModel.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>

namespace npu {

/// All that an artefact depends on.
struct KeyParts {
  /// SHA-256 of the model in MLIR's bytecode: every operation, type, attribute
  /// and location, and all bytes of every constant.
  std::string model;
  Target target;
  std::string device;
  std::string entry;
  /// Options by name, as compileModel gets them.
  std::map<std::string, std::string> options;
  /// SHA-256 of files that options name, by the option.
  std::map<std::string, std::string> files;
  /// compilerVersion() (npu/Tools/Version.h) and compilerBuild().
  std::string compiler;
  std::string build;
  /// The machine that object code is for: triple, processor, features.
  std::vector<std::string> host;
  uint32_t format = containerVersion;
  int64_t abi = artefactAbi;
};

/// The key, 64 hexadecimal digits.
std::string keyOf(const KeyParts &parts);

/// The hash of a model. Locations count with the names of their files, and with
/// their folders only where `withFolders` says so: without them the same model
/// has the same hash wherever it lies, while files that name operations by
/// their locations may tell folders apart.
std::string hashOfModel(mlir::ModuleOp module, bool withFolders = false);

/// Replaces the paths of files in locations by the files' names.
void dropDirectories(mlir::ModuleOp module);

/// A hash that another build of this program, or another build of the libraries
/// that it has loaded, does not have: of the build IDs that linkers write.
std::string compilerBuild();

} // namespace npu

#endif // NPU_COMPILATION_COMPILATIONKEY_H
