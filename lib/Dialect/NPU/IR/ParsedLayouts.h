// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A memo of parsed layouts by their text. A layout that is written inline,
// rather than as an alias, occurs with every use of a value, and one of
// explicit boxes has thousands of characters.

#ifndef NPU_LIB_DIALECT_NPU_IR_PARSEDLAYOUTS_H
#define NPU_LIB_DIALECT_NPU_IR_PARSEDLAYOUTS_H

#include "mlir/IR/Attributes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/RWMutex.h"

namespace npu {

/// The memo of a context, which is freed with the context. Safe to use from
/// several threads.
class ParsedLayouts {
public:
  /// The attribute that `text` was parsed to, or null.
  mlir::Attribute lookup(llvm::StringRef text);

  /// Remembers the attribute of a text. Precondition: the text determines the
  /// attribute; it names no alias or other attribute, which could be another
  /// one in the next file.
  void remember(llvm::StringRef text, mlir::Attribute attribute);

private:
  llvm::sys::RWMutex mutex;
  llvm::StringMap<mlir::Attribute> layouts;
};

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_IR_PARSEDLAYOUTS_H
