// What iterations insert at the same time into an empty tensor is written, the
// whole of it as far as boxes know, and inserting reads nothing.
//
// RUN: npu-opt %s --npu-compile="compile-to=legal tiles=4 strategy=rows gather=allow" -o %t
// RUN: %python %S/../Inputs/run_every_entry.py %t %s | FileCheck %s
// CHECK: into_an_empty_tensor: equal

func.func @into_an_empty_tensor(%x: tensor<8x12xf32>) -> tensor<8x12xf32> {
  %e = tensor.empty() : tensor<8x12xf32>
  %r = scf.forall (%i) in (8) shared_outs(%o = %e) -> (tensor<8x12xf32>) {
    %s = tensor.extract_slice %x[%i, 0] [1, 12] [1, 1] : tensor<8x12xf32> to tensor<1x12xf32>
    %q = math.exp %s : tensor<1x12xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %q into %o[%i, 0] [1, 12] [1, 1] : tensor<1x12xf32> into tensor<8x12xf32>
    }
  }
  %z = math.absf %r : tensor<8x12xf32>
  return %z : tensor<8x12xf32>
}
