// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resampling of images.

#include "../Graph/OperatorTable.h"

using namespace mlir;

namespace npu {

void addResizing(OperatorTable &table) {}

} // namespace npu
