// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_AUDIT_TRACKERRORS_PASSES_TD
#define NPU_AUDIT_TRACKERRORS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TrackRoundingErrors : Pass<"npu-track-rounding-errors", "::mlir::ModuleOp"> {
  let summary = "compute in f64, with a bound of what rounding does beside each value";
  let description = [{
    Rewrites every function of a module to compute what it computes in f64, and
    beside each number a bound of the distance to what a device gets that rounds
    as the element types in the function say: an `arith.addf` on f16 rounds to
    f16, a sum that accumulates in f32 rounds to f32, an `arith.truncf` rounds.
    The bounds are those of running error analysis: of `z = x * y`, rounded with
    unit roundoff `u`, `p + u * (|z| + p)` with `p = |x| ey + |y| ex + ex ey`,
    plus half of the smallest number for what underflows.

    An argument becomes two: its value in f64 and a bound of its error. One whose
    number is in `exact` stays one, of its own type, without an error. Integers stay
    what they are, and get a bound after them. A result becomes three: of a float
    its value, its bound and its mass, which is the sum of the magnitudes of what
    was added up to it (mass / |value| is the condition of the sum); of an integer
    itself, its value in f64 without wrap-around, and a bound of the distance modulo
    2^bits. An integer without a sign is taken with or without one, as it fits.

    What no rule knows gets an infinite bound wherever an operand has an error, and
    is listed in `not_tracked` of the function.

    Requires: functions of one block on tensors of static shape, without calls and
    layouts. Guarantees: no bound is below the error, as long as the device's library functions
    are within 6 units in the last place of f32 (of their own type, where that is
    f64), and a bound is NaN or infinite where none is known.

    Example, with `exact=0`: `%x` has no error, and the sum of two f16 rounds once.

    ```mlir
    // before
    func.func @double(%x: f16) -> f16 {
      %0 = arith.addf %x, %x : f16
      return %0 : f16
    }
    // after
    func.func @double(%x: f16) -> (f64, f64, f64)
    ```
  }];
  let options = [
    ListOption<"exact", "exact", "int64_t",
               "numbers of the arguments that have no error">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
}

#endif // NPU_AUDIT_TRACKERRORS_PASSES_TD
