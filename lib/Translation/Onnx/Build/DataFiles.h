// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files beside a model that hold data of its tensors. They are mapped into
// memory, and stay mapped for as long as anybody refers to a part of them.

#ifndef NPU_LIB_TRANSLATION_ONNX_BUILD_DATAFILES_H
#define NPU_LIB_TRANSLATION_ONNX_BUILD_DATAFILES_H

#include "npu/Placement/Result.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <map>
#include <memory>
#include <string>

namespace npu {

/// Bytes of a file, and what keeps them mapped.
struct MappedBytes {
  llvm::ArrayRef<char> bytes;
  std::shared_ptr<const llvm::MemoryBuffer> file;
};

class DataFiles {
public:
  /// Files are looked for in `directory`, and nowhere else.
  explicit DataFiles(std::string directory) : directory(std::move(directory)) {}

  /// Lets `location` mean a file that is mapped already, wherever it lies.
  void give(const std::string &location,
            std::shared_ptr<const llvm::MemoryBuffer> file) {
    files[location] = std::move(file);
  }

  /// Part of a file. Errors: a file that lies elsewhere, is none, is not there
  /// or too short.
  Result<MappedBytes> part(const std::string &location, uint64_t offset,
                           uint64_t length);

private:
  Result<std::shared_ptr<const llvm::MemoryBuffer>>
  open(const std::string &location);

  std::string directory;
  std::map<std::string, std::shared_ptr<const llvm::MemoryBuffer>> files;
};

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_BUILD_DATAFILES_H
