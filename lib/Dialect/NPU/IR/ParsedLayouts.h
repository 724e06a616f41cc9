// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts by the text that they were parsed from. A layout that is written out
// where types are, rather than as an alias, comes again with every use of a
// value, and one of explicit boxes is thousands of characters.

#ifndef NPU_LIB_DIALECT_NPU_IR_PARSEDLAYOUTS_H
#define NPU_LIB_DIALECT_NPU_IR_PARSEDLAYOUTS_H

#include "mlir/IR/Attributes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/RWMutex.h"

namespace npu {

/// One per context, and freed with it. Safe to use from several threads.
class ParsedLayouts {
public:
  /// What `text` was parsed to, or null.
  mlir::Attribute lookup(llvm::StringRef text);

  /// Precondition: `text` alone says what the attribute is. It names no other
  /// attribute, which could be another one in the next file.
  void remember(llvm::StringRef text, mlir::Attribute attribute);

private:
  llvm::sys::RWMutex mutex;
  llvm::StringMap<mlir::Attribute> layouts;
};

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_IR_PARSEDLAYOUTS_H
