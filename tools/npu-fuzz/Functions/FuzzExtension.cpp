// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Functions/FuzzExtension.h"

namespace npu {

FuzzExtension &fuzzExtension() {
  static FuzzExtension extension;
  return extension;
}

} // namespace npu
