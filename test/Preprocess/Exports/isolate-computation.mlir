// Exported models come with a program around them. What stays is a function with
// tensors in and tensors out, which can be distributed, run and compared.
//
// RUN: npu-opt %s --npu-isolate-computation=function=kernel 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

// Clocks, printing, and a main. A tensor that is printed is a result, after those
// that were there.
// CHECK: module
// CHECK-NOT: rtclock
// CHECK-NOT: @main
// CHECK: func.func @kernel(%[[X:.*]]: tensor<4x8xf32>)
// CHECK-SAME: -> (tensor<8x4xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
// CHECK-NEXT: %[[EXP:.*]] = math.exp %[[X]]
// CHECK-NEXT: %[[TWICE:.*]] = call @twice(%[[EXP]])
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty
// CHECK-NEXT: %[[T:.*]] = linalg.transpose
// CHECK: return %[[T]], %[[EXP]], %[[TWICE]]
// CHECK: func.func private @twice
// CHECK-NEXT: arith.addf
// CHECK-NEXT: return
// CHECK-NOT: func.func
// REMARK: remark: 'kernel': took off 2 of 'rtclock', 1 of 'printMemrefF32', 1 of 'printBuffer', 1 of 'vector.print'; returns 2 tensors that were printed
// REMARK: remark: 'twice': took off 1 of 'rtclock'
// REMARK-NOT: remark:
//
// A function with nothing around it stays as it is, without a remark. Where only one
// public function takes tensors, nobody has to name it.
//
// RUN: echo 'func.func @plain(%%x: tensor<4xf32>) -> tensor<4xf32> { return %%x : tensor<4xf32> } func.func private @other(tensor<4xf32>)' > %t.plain.mlir
// RUN: npu-opt %t.plain.mlir --npu-isolate-computation 2>&1 | FileCheck %s --check-prefix=PLAIN --implicit-check-not=remark --implicit-check-not=@other
// PLAIN: func.func @plain(%[[X:.*]]: tensor<4xf32>) -> tensor<4xf32>
// PLAIN-NEXT: return %[[X]]
func.func private @rtclock() -> f64
func.func private @printMemrefF32(tensor<*xf32>)
func.func private @printBuffer(memref<*xf32>)

func.func @kernel(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %begin = call @rtclock() : () -> f64
  %y = math.exp %x : tensor<4x8xf32>
  %z = call @twice(%y) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %end = call @rtclock() : () -> f64
  %time = arith.subf %end, %begin : f64
  %any = tensor.cast %y : tensor<4x8xf32> to tensor<*xf32>
  call @printMemrefF32(%any) : (tensor<*xf32>) -> ()
  %buffer = bufferization.to_buffer %z : tensor<4x8xf32> to memref<4x8xf32>
  %unranked = memref.cast %buffer : memref<4x8xf32> to memref<*xf32>
  call @printBuffer(%unranked) : (memref<*xf32>) -> ()
  %empty = tensor.empty() : tensor<8x4xf32>
  %t = linalg.transpose ins(%y : tensor<4x8xf32>) outs(%empty : tensor<8x4xf32>) permutation = [1, 0]
  vector.print %time : f64
  return %t : tensor<8x4xf32>
}
func.func @twice(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %unused = call @rtclock() : () -> f64
  %y = arith.addf %x, %x : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
func.func @main() {
  %x = arith.constant dense<1.0> : tensor<4x8xf32>
  %begin = call @rtclock() : () -> f64
  %y = call @kernel(%x) : (tensor<4x8xf32>) -> tensor<8x4xf32>
  vector.print %begin : f64
  return
}
