// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops, branches and scans.

#include "../Graph/OperatorTable.h"

using namespace mlir;

namespace npu {

void addControlFlow(OperatorTable &table) {}

} // namespace npu
