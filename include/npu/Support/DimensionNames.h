// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the name of a dynamic dimension says (npu.dim_names).

#ifndef NPU_SUPPORT_DIMENSIONNAMES_H
#define NPU_SUPPORT_DIMENSIONNAMES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace npu {

/// The names that the name of a dimension adds up: "past" and "new" of "past +
/// new"; the name alone where it is no sum.
inline llvm::SmallVector<llvm::StringRef> namesInSum(llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef> terms;
  name.split(terms, '+');
  for (llvm::StringRef &term : terms)
    term = term.trim();
  return terms;
}

} // namespace npu

#endif // NPU_SUPPORT_DIMENSIONNAMES_H
