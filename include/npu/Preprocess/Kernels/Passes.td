// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_PREPROCESS_KERNELS_PASSES_TD
#define NPU_PREPROCESS_KERNELS_PASSES_TD

include "mlir/Pass/PassBase.td"

def SelectKernels : Pass<"npu-select-kernels", "::mlir::ModuleOp"> {
  let summary = "give every operation a kernel that its device has, or the host";
  let description = [{
    Asks the device's table of kernels ([kernels](../devices.md#kernels)) for every
    operation that computes. One that no row takes is repaired where that changes
    no bit of its results; each repair is a remark (`kernel`) with the bytes that
    it reads and writes:

    * positions (npu.gather, npu.scatter) get the first type of the row's `indices`
      that holds all of them: constants and upstream's analysis of integer ranges,
      also through linalg, say how large they are. Positions of which nothing is
      known are first bounded by the extents that they index, because one beyond
      them ends the run with an error in any case. An `index` or an i64 becomes an
      i32, an i16 or an i8;
    * lookups, structured operations that read entries of whole tensors at positions
      that they compute, get them in such a type as well: inputs of which the range
      is known are cast in front of the operation and back in its body, and
      otherwise an operation of its own computes the positions;
    * an operation that only moves entries (npu.gather, npu.scatter, transposes)
      moves their bits as another type that the row takes: of the same width, or
      of integers that are wider;
    * tensors of rank 4 that lie on tiles already, in a storage kind that the row
      does not take, are converted around the operation (`npu.convert_storage`).

    Positions that are computed of loops and constants alone, at most 4,096 of them,
    become constants, and operations at them slices where they form one. An
    npu.gather or npu.scatter at no more than 16 constant positions that no row
    takes becomes a slice for each, where the device moves those. Of one at
    positions that are known to be inside, each entry is chosen by comparing, if it
    is one of at most 64.

    A gather of rows (npu.gather, tensor.gather) whose table lies in DDR becomes
    a lookup, of which tiles load the rows that positions name
    ([costs](../costs.md#rows-that-data-name)). A table of no more than a quarter
    of a scratchpad is held by tiles instead where that takes fewer cycles: then a
    lookup in it becomes an npu.gather, if the device has the kernels for it.
    Gathers of which tiles can neither hold the table nor load rows are the
    host's.

    What is left runs on the host: `npu.host` on the operation says why, and no
    later pass gives it to tiles.

    Requires: a target description, or `target`. A device without a table takes
    everything. Operations on tensors with layouts are asked as well.
    Guarantees: every operation has a kernel or is marked, which
    `npu-verify-phase` verifies after each later phase; results stay the same to
    the bit. With `kernels`, the table of the file is written into the module's
    target description.

    Example: on npu4000, whose kernels take positions of i32, i16 and i8,

    ```mlir
    %r = npu.scatter %new into %x at %at
        : tensor<4xf16>, tensor<172032xf16>, tensor<4x1xi64> -> tensor<172032xf16>
    ```

    becomes a scatter at `tensor<4x1xi32>`: "no kernel: index type i64; narrowed to
    i32 (largest index 172031)".
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"\"",
           "the device instead of the module's own: a built-in one, or the "
           "module's by its name">,
    Option<"kernels", "kernels", "std::string", /*default=*/"\"\"",
           "file with a target description whose table of kernels counts instead "
           "of the device's own">,
  ];
  let dependentDialects = ["::npu::NPUDialect", "::mlir::arith::ArithDialect",
                           "::mlir::DLTIDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // NPU_PREPROCESS_KERNELS_PASSES_TD
