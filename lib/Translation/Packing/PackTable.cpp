// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReadTable.h"

#include "npu/Placement/Scratchpad/PackingTable.h"
#include "npu/Translation/Packing/PackingTranslation.h"

using namespace mlir;

namespace npu {

LogicalResult packTable(StringRef text, StringRef fileName,
                        std::optional<int64_t> capacity,
                        llvm::raw_ostream &output, MLIRContext *context) {
  FailureOr<BufferTable> table = readTable(text, fileName, context);
  if (failed(table))
    return failure();
  BufferPlan plan = packBuffers(
      table->buffers, {.capacity = capacity.value_or(0), .work = kPatientWork});
  auto loc = FileLineColLoc::get(StringAttr::get(context, fileName), 1, 1);
  if (Result<> error = checkPlan(table->buffers, plan); !error)
    return mlir::emitError(loc) << "the packing is wrong, which is an error of "
                                   "this tool: "
                                << error.error().message;
  if (capacity && plan.peak > *capacity) {
    InFlightDiagnostic error =
        mlir::emitError(loc) << "expected a packing within " << *capacity
                             << " bytes, got one with a peak of " << plan.peak;
    if (plan.least > *capacity)
      error.attachNote() << "proved that none fits: every packing has a peak "
                            "of at least "
                         << plan.least << " bytes";
    else
      error.attachNote() << "not proved: the search has reached its limit of "
                            "work, and every packing has a peak of at least "
                         << plan.least << " bytes";
    return error;
  }
  mlir::emitRemark(loc) << "a peak of " << plan.peak
                        << " bytes, where every packing has a peak of at least "
                        << plan.least;
  output << packingTable(table->buffers, table->ids, &plan);
  return success();
}

} // namespace npu
