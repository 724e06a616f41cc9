// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Remarks about decisions. Where remarks are off, a decision costs a look at
// the filters, and no text is made. Reasons name operands by number and not
// values by name, because numbering the values of a function takes a walk over
// the whole function.

#ifndef NPU_SUPPORT_DECISIONS_H
#define NPU_SUPPORT_DECISIONS_H

#include "npu/Support/Naming.h"

#include "mlir/IR/Remarks.h"

namespace npu {

/// The options of a remark named `name`. Both names have to live as long as the
/// context's remarks, which may be printed last.
inline mlir::remark::RemarkOpts decision(llvm::StringRef name,
                                         llvm::StringRef function) {
  return mlir::remark::RemarkOpts::name(name).category("npu").function(
      function);
}

inline mlir::remark::RemarkOpts decision(llvm::StringRef name,
                                         mlir::Operation *op) {
  return decision(name, nameOfFunction(op));
}

/// Whether remarks about decisions are printed; tools have a remark engine even
/// where nobody has asked for remarks. The remarks that are made to find this
/// out are dropped, because they are assigned over.
inline bool isListeningToDecisions(mlir::MLIRContext *context) {
  if (!context->getRemarkEngine())
    return false;
  mlir::Location nowhere = mlir::UnknownLoc::get(context);
  bool listens = false;
  for (auto make : {mlir::remark::passed, mlir::remark::analysis}) {
    auto remark = make(nowhere, decision("", llvm::StringRef()));
    listens |= bool(remark);
    remark = mlir::remark::detail::InFlightRemark();
  }
  return listens;
}

/// Remarks that something was done about `op`. `reason` is called only if
/// remarks are on.
template <typename Reason>
void remarkDone(llvm::StringRef name, mlir::Operation *op, int64_t bytes,
                Reason reason) {
  if (!op->getContext()->getRemarkEngine())
    return;
  if (auto remark = mlir::remark::passed(op->getLoc(), decision(name, op)))
    remark << mlir::remark::reason("{0}", std::string(reason()))
           << mlir::remark::metric("bytes", bytes);
}

/// Remarks that `op` was considered and stays as it is.
template <typename Reason>
void remarkLeftAlone(mlir::Operation *op, Reason reason) {
  if (!op->getContext()->getRemarkEngine())
    return;
  if (auto remark =
          mlir::remark::analysis(op->getLoc(), decision("left-alone", op)))
    remark << mlir::remark::reason("{0}", std::string(reason()))
           << mlir::remark::metric("bytes", int64_t(0));
}

} // namespace npu

#endif // NPU_SUPPORT_DECISIONS_H
