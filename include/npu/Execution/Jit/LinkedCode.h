// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Object code, linked into this process.

#ifndef NPU_EXECUTION_JIT_LINKEDCODE_H
#define NPU_EXECUTION_JIT_LINKEDCODE_H

#include "npu/Execution/Jit/EmitObjects.h"

#include "llvm/Support/Error.h"

#include <memory>
#include <utility>
#include <vector>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace npu {

class LinkedCode {
public:
  /// Addresses by the symbols by which the code refers to them.
  using Data = std::vector<std::pair<std::string, const void *>>;

  /// Links object files with each other, with `data`, and with the functions of
  /// the runtime and of libraries. `parallel`: the code runs tasks on threads.
  /// What `data` refers to has to outlive the code. An error where the code
  /// refers to something that is not there, or is no object code.
  static llvm::Expected<std::unique_ptr<LinkedCode>>
  link(ObjectFiles objects, const Data &data, bool parallel);
  ~LinkedCode();

  /// The address of a symbol.
  llvm::Expected<void *> lookup(llvm::StringRef symbol);

private:
  LinkedCode(std::unique_ptr<llvm::orc::LLJIT> linker, bool parallel);

  std::unique_ptr<llvm::orc::LLJIT> linker;
  bool parallel;
};

} // namespace npu

#endif // NPU_EXECUTION_JIT_LINKEDCODE_H
