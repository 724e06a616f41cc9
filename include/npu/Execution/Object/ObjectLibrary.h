// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The object files of a program as one static library, and back.

#ifndef NPU_EXECUTION_OBJECT_OBJECTLIBRARY_H
#define NPU_EXECUTION_OBJECT_OBJECTLIBRARY_H

#include "npu/Execution/Jit/EmitObjects.h"

#include "llvm/Support/Error.h"

namespace npu {

/// A static library of object files, without anything that depends on when and
/// by whom it is written.
llvm::Expected<std::string> writeLibrary(const ObjectFiles &objects);

/// Copies of the object files of a static library.
llvm::Expected<ObjectFiles> readLibrary(llvm::StringRef library);

} // namespace npu

#endif // NPU_EXECUTION_OBJECT_OBJECTLIBRARY_H
