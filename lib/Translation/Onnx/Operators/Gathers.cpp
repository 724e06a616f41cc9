// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that read entries by positions in data.

#include "../Graph/OperatorTable.h"

using namespace mlir;

namespace npu {

void addGathers(OperatorTable &table) {}

} // namespace npu
