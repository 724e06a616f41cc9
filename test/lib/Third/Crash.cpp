// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model with a fault that ends the process, to see what is left of a command
// then.

#include "Third.h"

#include "npu/Interfaces/PartwiseOpInterface.h"

#include "llvm/Support/ErrorHandling.h"

#include <csignal>
#include <cstdlib>

using namespace mlir;

namespace third {
namespace {

/// The stack ends before the calls do.
int callWithoutEnd(volatile int *depth) {
  volatile char page[4096];
  page[0] = static_cast<char>(*depth);
  *depth = *depth + 1;
  return *depth == 0 ? 0 : callWithoutEnd(depth) + page[0];
}

void crash(StringRef how) {
  if (how == "abort")
    std::abort();
  if (how == "fatal")
    llvm::report_fatal_error("third.crash cannot go on");
  if (how == "kill")
    (void)std::raise(SIGKILL);
  volatile int depth = 0;
  if (how == "overflow")
    callWithoutEnd(&depth);
  if (how == "null")
    *reinterpret_cast<volatile int *>(depth) = 1;
}

struct Partwise : npu::PartwiseOpInterface::ExternalModel<Partwise, CrashOp> {
  std::optional<npu::OpAccess> getAccess(Operation *op) const {
    crash(cast<CrashOp>(op).getHow());
    return std::nullopt;
  }
};

} // namespace

void attachCrash(MLIRContext &context) {
  CrashOp::attachInterface<Partwise>(context);
}

} // namespace third
