// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the standard says of its operators: operands, results and attributes, in
// every operator set up to 25. Those of the sets that the installed ONNX
// library does not know are in OperatorsSince18.def, and those of ONNX Runtime
// in MicrosoftOperators.def.

#ifndef NPU_LIB_TRANSLATION_ONNX_MODEL_STANDARDOPERATORS_H
#define NPU_LIB_TRANSLATION_ONNX_MODEL_STANDARDOPERATORS_H

#include <onnx/defs/schema.h>

namespace npu {

/// All operators, in the form in which the ONNX library asks for them: its
/// checks take it instead of its own.
///
/// Example: `GetSchema("Cast", 20)` has the attributes `to` and `saturate`, and
/// is the one of version 19.
const onnx::ISchemaRegistry &standardOperators();

/// The last operator set that the installed library knows by itself: it infers
/// types and converts models up to this one.
int64_t newestOpsetOfLibrary();

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_MODEL_STANDARDOPERATORS_H
