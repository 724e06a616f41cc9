// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Translation/Packing/PackingTranslation.h"

#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;

namespace npu {

void registerPackingTranslation() {
  static llvm::cl::opt<int64_t> capacity(
      "capacity", llvm::cl::value_desc("bytes"),
      llvm::cl::desc("Let --pack-buffers search a packing within so many bytes "
                     "and fail where there is none; when absent, the smallest "
                     "that it finds"));
  static TranslateRegistration pack(
      "pack-buffers",
      "From a table of buffers (CSV: id,lower,upper,size) to their offsets",
      [](const std::shared_ptr<llvm::SourceMgr> &sourceMgr,
         llvm::raw_ostream &output, MLIRContext *context) -> LogicalResult {
        std::optional<int64_t> limit;
        if (capacity.getNumOccurrences() > 0) {
          limit = capacity.getValue();
          if (*limit < 0) {
            llvm::WithColor::error(llvm::errs(), "npu-translate")
                << "--capacity: expected no negative bytes, got " << *limit
                << '\n';
            return failure();
          }
        }
        const llvm::MemoryBuffer *buffer =
            sourceMgr->getMemoryBuffer(sourceMgr->getMainFileID());
        return packTable(buffer->getBuffer(), buffer->getBufferIdentifier(),
                         limit, output, context);
      });
}

} // namespace npu
