// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_AUDIT_FAULTS_PASSES_TD
#define NPU_AUDIT_FAULTS_PASSES_TD

include "mlir/Pass/PassBase.td"

def InjectFault : Pass<"npu-inject-fault", "::mlir::ModuleOp"> {
  let summary = "make one operation compute something wrong, for tests";
  let description = [{
    Changes one structured operation of one function so that the IR stays valid
    and the function is another one, and says as a remark of the diagnostics
    which operation and what is wrong now. What an audit names can be held
    against that.

    | fault | what happens | to which operations |
    |---|---|---|
    | `wrong-scale` | the result, or each term of a sum, is multiplied by a number from 0.5 to 2 | those that compute floats, sums among them |
    | `dropped-row` | one slice of the result is what it was before the sum, or 0 | those that compute |
    | `swapped-operands` | operands are in the other order | a subtraction, a quotient, a power, a selection in a body; a matrix product of two matrices of one type |
    | `off-by-one-window` | the window is one column beside; after its end it reads 0 | convolutions and pools |
    | `wrong-broadcast` | an operand that is repeated along a loop is repeated along another | those that read an operand of fewer dimensions |

    `fault` is one of them, and may say which operation: `dropped-row@3` is about
    the fourth structured operation of the function, `dropped-row@model.mlir:9:8`
    about the one at that place, `dropped-row@layer3/norm` about that of this
    name. `#7` after it is the number by which what is left open is chosen;
    `random:7` leaves all of it open.

    Requires: structured operations on tensors of static shape. Guarantees: the
    operation keeps its location, its types and its place; no other operation
    changes. An error where no operation can have the fault.

    Example: with `fault=swapped-operands`, `arith.subf %a, %b` in the body of an
    operation is `arith.subf %b, %a`.
  }];
  let options = [
    Option<"fault", "fault", "std::string", /*default=*/"\"random:0\"",
           "the fault, and perhaps where it is">,
    Option<"function", "function", "std::string", /*default=*/"\"\"",
           "the function; empty: main, or the only one with a body">,
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect"];
}

#endif // NPU_AUDIT_FAULTS_PASSES_TD
