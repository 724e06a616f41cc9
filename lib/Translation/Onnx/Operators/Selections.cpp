// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selections of largest entries, cumulative sums, triangles.

#include "../Graph/OperatorTable.h"

using namespace mlir;

namespace npu {

void addSelections(OperatorTable &table) {}

} // namespace npu
