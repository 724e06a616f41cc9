// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that write entries at positions in data.

#include "../Graph/OperatorTable.h"

using namespace mlir;

namespace npu {

void addScatters(OperatorTable &table) {}

} // namespace npu
