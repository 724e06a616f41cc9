// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_LIB_CONVERSION_BUFFERS_BUFFERIZETRANSFERS_H
#define NPU_LIB_CONVERSION_BUFFERS_BUFFERIZETRANSFERS_H

#include "mlir/IR/DialectRegistry.h"

namespace npu {

/// Registers the model of BufferizableOpInterface that npu.transfer promises.
void registerTransferBufferization(mlir::DialectRegistry &registry);

} // namespace npu

#endif // NPU_LIB_CONVERSION_BUFFERS_BUFFERIZETRANSFERS_H
