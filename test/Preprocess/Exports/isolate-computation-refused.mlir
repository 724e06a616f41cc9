// What cannot be taken off without changing what is computed is an error.
//
// RUN: npu-opt %s --npu-isolate-computation --split-input-file --verify-diagnostics
// RUN: echo 'func.func @a(%%x: tensor<4xf32>) { return } func.func @b(%%x: tensor<4xf32>) { return }' > %t.two.mlir
// RUN: not npu-opt %t.two.mlir --npu-isolate-computation 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not npu-opt %t.two.mlir --npu-isolate-computation=function=c 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: npu-opt %t.two.mlir --npu-isolate-computation=function=b | FileCheck %s --check-prefix=KEPT --implicit-check-not=@a
// RUN: echo 'module {}' | not npu-opt --npu-isolate-computation 2>&1 | FileCheck %s --check-prefix=EMPTY
//
// TWO: error: npu-isolate-computation: expected one public function that takes tensors, got 2 (a, b); function=NAME names one
// NAME: error: npu-isolate-computation: expected a function 'c' with a body, got none
// KEPT: func.func @b
// EMPTY: error: npu-isolate-computation: expected one public function that takes tensors, got 0; function=NAME names one

func.func private @scale() -> f32
func.func @computes(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = call @scale() : () -> f32
  // expected-error @below {{expected what functions without a body return to be used for timing and printing alone, got a use by 'tensor.splat'}}
  %y = tensor.splat %s : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func private @scale() -> f32
func.func @returns(%x: tensor<4xf32>) -> f32 {
  %s = call @scale() : () -> f32
  %t = arith.addf %s, %s : f32
  // expected-error @below {{expected what functions without a body return to be used for timing and printing alone, got a use by 'func.return'}}
  return %t : f32
}

// -----

func.func private @print(tensor<4xf32>)
func.func @in_a_loop(%x: tensor<4xf32>, %n: index) {
  scf.for %i = %n to %n step %n {
    // expected-error @below {{expected tensors to be printed by the kept function, outside its regions, got one that is given to 'print' in a region}}
    func.call @print(%x) : (tensor<4xf32>) -> ()
  }
  return
}

// -----

func.func private @print(tensor<4xf32>)
func.func @calls(%x: tensor<4xf32>) {
  call @callee() : () -> ()
  return
}
func.func private @callee() {
  %x = arith.constant dense<1.0> : tensor<4xf32>
  // expected-error @below {{expected tensors to be printed by the kept function, outside its regions, got one that is given to 'print' in a function that it calls}}
  call @print(%x) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func private @print(tensor<*xf32>)
func.func @unranked(%x: tensor<*xf32>) {
  // expected-error @below {{expected a ranked tensor after what is given to 'print', got 'tensor<*xf32>'}}
  call @print(%x) : (tensor<*xf32>) -> ()
  return
}

// -----

func.func private @print(tensor<4xf32>)
// expected-error @below {{expected a function of one block around tensors that are printed, got 2 blocks in 'blocks'}}
func.func @blocks(%x: tensor<4xf32>) {
  call @print(%x) : (tensor<4xf32>) -> ()
  cf.br ^end
^end:
  return
}

// -----

// What fills a buffer prints nothing: what reads the buffer afterwards would change.
func.func private @fill(memref<8x16xf32>)
func.func @fills(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %m = bufferization.to_buffer %x : tensor<8x16xf32> to memref<8x16xf32>
  // expected-error @below {{the buffer that is passed to 'fill' may be modified by it, and is read elsewhere}}
  call @fill(%m) : (memref<8x16xf32>) -> ()
  %t = bufferization.to_tensor %m restrict : memref<8x16xf32> to tensor<8x16xf32>
  return %t : tensor<8x16xf32>
}

// -----

llvm.func @printf(!llvm.ptr, ...) -> i32
func.func @prints(%x: tensor<4xf32>, %text: !llvm.ptr) -> tensor<4xf32> {
  // expected-error @below {{expected functions without a body to be called by 'func.call', got 'llvm.call'}}
  %0 = llvm.call @printf(%text) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr) -> i32
  return %x : tensor<4xf32>
}
