// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_INTERFACES_SCALAROPINTERFACE_TD
#define NPU_INTERFACES_SCALAROPINTERFACE_TD

include "mlir/IR/OpBase.td"

def NPU_ScalarOpInterface : OpInterface<"ScalarOpInterface"> {
  let description = [{
    What is known of an operation on scalars, in the region of a structured
    operation or in a function, beyond what it computes of classes of numbers
    (Analysis/Body/PairTransfer.h has tables of that). Padding and chunks of a
    prompt are proved with it. Where an operation says nothing, its result is no
    position, and nothing but upstream's speculatability says whether it may
    trap.

    Example, a remainder that is never negative:

    ```c++
    struct ModuloFacts
        : npu::ScalarOpInterface::ExternalModel<ModuloFacts, ModuloOp> {
      std::optional<int64_t> getHarmlessOperand(Operation *op,
                                                unsigned number) const {
        std::optional<int64_t> by = getConstantIntValue(op->getOperand(1));
        if (number == 0 || (by && *by != 0))
          return std::nullopt;
        return 1;
      }
      AffineExpr getIndexExpr(Operation *, ArrayRef<AffineExpr> operands) const {
        auto by = dyn_cast_if_present<AffineConstantExpr>(operands[1]);
        bool known = operands[0] && by && by.getValue() > 0;
        return known ? operands[0] % by.getValue() : AffineExpr();
      }
    };
    ```
  }];
  let cppNamespace = "::npu";
  let methods = [
    InterfaceMethod<[{
        A number that operand `number` may be given instead of its own, so that
        the operation does not trap where nobody needs its result: 1 for a
        divisor that may be 0, 0 for a position. Nothing for an operand that
        cannot make it trap.
      }],
      "std::optional<int64_t>", "getHarmlessOperand", (ins "unsigned":$number),
      "", [{ return std::nullopt; }]>,
    InterfaceMethod<[{
        The only result as an expression of the expressions of the operands,
        which are null for operands that have none. The expression holds if
        nothing wraps around, which the caller has to make sure of. Null where
        the result is no such expression.
      }],
      "::mlir::AffineExpr", "getIndexExpr",
      (ins "::llvm::ArrayRef<::mlir::AffineExpr>":$operands), "",
      [{ return {}; }]>,
    InterfaceMethod<[{
        Whether operands that differ in nothing but the sign of zeros give
        results that differ in nothing else.
      }],
      "bool", "passesSignOfZeroOn", (ins), "", [{ return false; }]>
  ];
}

#endif // NPU_INTERFACES_SCALAROPINTERFACE_TD
