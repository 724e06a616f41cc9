// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes of the attributes of all arguments or results of a function at once.
// They are one array, which is made anew with every change and kept by the
// context: to change them one by one takes time and memory that grow with the
// square of their number.

#ifndef NPU_SUPPORT_SIGNATUREATTRIBUTES_H
#define NPU_SUPPORT_SIGNATUREATTRIBUTES_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace npu {

/// Changes the attributes of one argument or result, whose number is given.
using RewriteAttributes =
    llvm::function_ref<void(unsigned, mlir::NamedAttrList &)>;

/// Changes the attributes of every argument. Example, of each the name:
///   rewriteArgAttrs(function, [](unsigned, NamedAttrList &attributes) {
///     attributes.erase("npu.name");
///   });
void rewriteArgAttrs(mlir::FunctionOpInterface function,
                     RewriteAttributes rewrite);

/// Changes the attributes of every result.
void rewriteResultAttrs(mlir::FunctionOpInterface function,
                        RewriteAttributes rewrite);

} // namespace npu

#endif // NPU_SUPPORT_SIGNATUREATTRIBUTES_H
