// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Poolings.

#include "../Graph/OperatorTable.h"

using namespace mlir;

namespace npu {

void addPoolings(OperatorTable &table) {}

} // namespace npu
