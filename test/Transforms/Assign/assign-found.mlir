// Programs that came out wrong once: each verifies, costs what was told, and
// computes the same.
//
// RUN: npu-opt %s --npu-assign-distributions=target=npu4000 -o %t.mlir 2>/dev/null
// RUN: npu-opt %t.mlir --npu-verify-distributions=strict -o /dev/null
// RUN: %python %S/../../Inputs/check_assigned_costs.py npu-opt %s %t
// RUN: npu-run -O0 %t.mlir --reference=%s --entry=overwritten | FileCheck %s
// RUN: npu-run -O0 %t.mlir --reference=%s --entry=branch --inputs=small-integers | FileCheck %s
// RUN: npu-run -O0 %t.mlir --reference=%s --entry=loop --inputs=small-integers | FileCheck %s
// RUN: npu-run -O0 %t.mlir --reference=%s --entry=read_in_body | FileCheck %s
// RUN: npu-run -O0 %t.mlir --reference=%s --entry=reads_none | FileCheck %s
// RUN: npu-opt %s --npu-assign-distributions=target=npu3720 2>/dev/null | FileCheck %s --check-prefix=ORDER
// CHECK: {{^}}equal
// ORDER-LABEL: func.func @ordered(
// ORDER-NOT: npu.redistribute
// ORDER: return

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#parts = #npu.layout<SEGMENTED, tiles = [2]>

// An output whose entries are not read, and an operand whose entries are: an
// empty tensor does for one of them only.
func.func @overwritten(%s: tensor<f32>, %x: tensor<64x48xf32>) -> (tensor<64x48xf32>, tensor<64x48xf32>) {
  %a = linalg.broadcast ins(%s : tensor<f32>) outs(%x : tensor<64x48xf32>) dimensions = [0, 1]
  %e = tensor.empty() : tensor<64x48xf32>
  %b = linalg.tanh ins(%x : tensor<64x48xf32>) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %a, %b : tensor<64x48xf32>, tensor<64x48xf32>
}

// A branch and a loop take the argument as they did before it was pinned.
func.func @branch(%x: tensor<8x8xf32> {npu.layout = #rows}, %c: i1, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %r = scf.if %c -> tensor<8x8xf32> {
    scf.yield %x : tensor<8x8xf32>
  } else {
    scf.yield %y : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}
func.func @loop(%x: tensor<8x8xf32> {npu.layout = #rows}) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %x) -> (tensor<8x8xf32>) {
    %e = tensor.empty() : tensor<8x8xf32>
    %y = linalg.exp ins(%t : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.yield %y : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}

// A body reads whole tensors in DDR, and what brings them there is paid.
func.func @read_in_body(%x: tensor<16xf32> {npu.layout = #parts}, %y: tensor<16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%y : tensor<16xf32>) outs(%e : tensor<16xf32>) {
  ^bb0(%b: f32, %o: f32):
    %i = linalg.index 0 : index
    %t = tensor.extract %x[%i] : tensor<16xf32>
    %s = arith.subf %b, %t : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %v : tensor<16xf32>
}

// What runs in parallel is not gone into: the loop is one operation in DDR.
func.func @parallel(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %r = scf.forall (%i) in (2) shared_outs(%o = %e) -> (tensor<8x4xf32>) {
    %j = affine.apply affine_map<(d0) -> (d0 * 4)>(%i)
    %s = tensor.extract_slice %x[%j, 0] [4, 4] [1, 1] : tensor<8x4xf32> to tensor<4x4xf32>
    %t = tensor.empty() : tensor<4x4xf32>
    %y = linalg.exp ins(%s : tensor<4x4xf32>) outs(%t : tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %o[%j, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<8x4xf32>
    }
  }
  return %r : tensor<8x4xf32>
}

// A memory order that is pinned after an operation is made by it, and not
// re-laid; the function costs what it did.
#transposed = #npu.layout<SEGMENTED, tiles = [2, 1], order = [1, 0]>
func.func @ordered(%x: tensor<64x64xf32, #transposed>) -> tensor<64x64xf32, #transposed> {
  %e = tensor.empty() : tensor<64x64xf32, #transposed>
  %a = linalg.exp ins(%x : tensor<64x64xf32, #transposed>) outs(%e : tensor<64x64xf32, #transposed>) -> tensor<64x64xf32, #transposed>
  return %a : tensor<64x64xf32, #transposed>
}

// An operation that reads no tensor, and is written over one that lies on tiles.
func.func @reads_none(%x: tensor<16xf64>, %y: tensor<1xf64>) -> tensor<16xf64> {
  %e = tensor.empty() : tensor<16xf64>
  %a = linalg.exp ins(%x : tensor<16xf64>) outs(%e : tensor<16xf64>) -> tensor<16xf64>
  %m = linalg.map ins(%a : tensor<16xf64>) outs(%a : tensor<16xf64>)
    (%in: f64, %out: f64) {
      %i = arith.constant 0 : index
      %entry = tensor.extract %y[%i] : tensor<1xf64>
      linalg.yield %entry : f64
    }
  return %m : tensor<16xf64>
}
