// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_PREPROCESS_EXPORTS_PASSES_TD
#define NPU_PREPROCESS_EXPORTS_PASSES_TD

include "mlir/Pass/PassBase.td"

def IsolateComputation : Pass<"npu-isolate-computation", "::mlir::ModuleOp"> {
  let summary = "keep one function's tensors, without timing and printing around them";
  let description = [{
    Exported models come with a program around them: a `main` that makes inputs,
    clocks before and after, and results that are printed instead of returned.
    Calls of functions without a body cannot be distributed, and a function
    without results has nothing to compare. This pass keeps one function and what
    it calls, and there

    * a tensor that is given to a function without a body becomes a result of the
      kept function, after those that it has, in program order; casts to unranked
      tensors and to buffers are looked through;
    * calls of functions without a body, `vector.print`, and the arithmetic on what
      such calls return are taken off;
    * functions that are no longer called go, and those that are called become
      private: `--inline` and `--symbol-dce` can do without them.

    A remark says what was taken off. What cannot be taken off is an error: a call
    whose result is used for more than timing and printing, or a tensor that is
    printed inside a region or in a called function.

    Requires: `function` names a function with a body, unless only one
    public function takes tensors. Guarantees: results that were there stay the same, and
    no function without a body is called.

    Example:

    ```mlir
    // before
    func.func @kernel(%x: tensor<4x8xf32>) {
      %begin = call @rtclock() : () -> f64
      %y = math.exp %x : tensor<4x8xf32>
      %end = call @rtclock() : () -> f64
      %time = arith.subf %end, %begin : f64
      %any = tensor.cast %y : tensor<4x8xf32> to tensor<*xf32>
      call @printMemrefF32(%any) : (tensor<*xf32>) -> ()
      vector.print %time : f64
      return
    }
    // after
    func.func @kernel(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %y = math.exp %x : tensor<4x8xf32>
      return %y : tensor<4x8xf32>
    }
    ```
  }];
  let options = [
    Option<"function", "function", "std::string", /*default=*/"\"\"",
           "the function to keep; empty: the only public one that takes tensors">,
  ];
}

#endif // NPU_PREPROCESS_EXPORTS_PASSES_TD
