// A file that is not what compile-from promises is refused where that shows, and the
// phase is named.
//
// RUN: not npu-opt %s --split-input-file --npu-compile="compile-from=input tiles=2 strategy=rows" -o /dev/null 2>&1 | FileCheck %s --check-prefix=INPUT
// RUN: not npu-opt %s --split-input-file --npu-compile="compile-from=padded tiles=2 strategy=rows" -o /dev/null 2>&1 | FileCheck %s --check-prefix=PADDED
// RUN: not npu-opt %s --split-input-file --npu-compile="compile-from=streamed tiles=2" -o /dev/null 2>&1 | FileCheck %s --check-prefix=STREAMED
// RUN: not npu-opt %s --split-input-file --npu-compile="compile-from=legal" -o /dev/null 2>&1 | FileCheck %s --check-prefix=LEGAL
// RUN: not npu-opt %s --split-input-file --npu-compile="compile-from=tiles" -o /dev/null 2>&1 | FileCheck %s --check-prefix=TILES
// RUN: not npu-opt %s --split-input-file --npu-compile="compile-from=scratchpad" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SCRATCHPAD
// RUN: not npu-opt %s --split-input-file --npu-compile="compile-from=llvm compile-to=llvm" -o /dev/null 2>&1 | FileCheck %s --check-prefix=LLVM
// RUN: not npu-opt %s --split-input-file --npu-compile="tiles=2 strategy=rows" -o /dev/null 2>&1 | FileCheck %s --check-prefix=START

// INPUT: :[[@LINE+4]]:8: error: phase 'input': 'tosa.exp' is TOSA, which was not lowered
// INPUT: :[[@LINE+3]]:8: note: a module of phase 'input' of npu-compile has to hold this
// PADDED: :[[@LINE+2]]:8: error: phase 'padded': 'tosa.exp' is TOSA
func.func @tosa(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = tosa.exp %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// INPUT: :[[@LINE+6]]:1: error: expected max-prompt-len=N, the extent to which dynamic dimensions are padded, for an argument of 'tensor<?x4xf32>'
// PADDED: :[[@LINE+6]]:8: error: expected static shapes, got 'tensor<?x4xf32>'
// PADDED: note: a module of phase 'padded' of npu-compile has to hold this
// STREAMED: error: expected static shapes
// STREAMED: note: a module of phase 'streamed' of npu-compile has to hold this
// START: error: expected max-prompt-len=N
func.func @dynamic(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = linalg.exp ins(%x : tensor<?x4xf32>) outs(%x : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>

// LEGAL: :[[@LINE+4]]:8: error: 'linalg.exp' tile 0 reads
// LEGAL: note: a module of phase 'legal' of npu-compile has to hold this
// TILES: :[[@LINE+1]]:1: error: phase 'tiles': 'func.func' is a tensor with a layout
func.func @mismatch(%x: tensor<4x4xf32, #rows>, %o: tensor<4x4xf32, #columns>) -> tensor<4x4xf32, #columns> {
  %0 = linalg.exp ins(%x : tensor<4x4xf32, #rows>) outs(%o : tensor<4x4xf32, #columns>) -> tensor<4x4xf32, #columns>
  return %0 : tensor<4x4xf32, #columns>
}

// -----

// START: :[[@LINE+5]]:8: error: phase 'start': 'npu.transfer' is a part of a tile program
// LEGAL: :[[@LINE+4]]:8: error: phase 'legal': 'npu.transfer' is a part of a tile program
// SCRATCHPAD: :[[@LINE+1]]:1: error: phase 'scratchpad': 'func.func' is a tensor
func.func @program(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = npu.transfer %x[0] from ddr to tile 0 into %e[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
  return %x : tensor<4xf32>
}

// -----

// TILES: :[[@LINE+4]]:1: error: phase 'tiles': 'func.func' is a function on buffers
// SCRATCHPAD: :[[@LINE+4]]:8: error: phase 'scratchpad': 'memref.alloc' is a tile's buffer without a place in its scratchpad
// LLVM: error: phase 'llvm': expected the LLVM dialect alone, got
// START: :[[@LINE+1]]:1: error: phase 'start': 'func.func' is a function on buffers
func.func @buffers(%x: memref<4xf32>, %o: memref<4xf32> {bufferize.result}) {
  %a = memref.alloc() : memref<4xf32, 1>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32, 1>
  memref.copy %a, %o : memref<4xf32, 1> to memref<4xf32>
  return
}

// -----

// INPUT: :[[@LINE+3]]:1: error: phase 'input': 'llvm.func' is a function of the LLVM dialect
// SCRATCHPAD: :[[@LINE+2]]:1: error: phase 'scratchpad': 'llvm.func' is a function of the LLVM dialect
// START: :[[@LINE+1]]:1: error: phase 'start': 'llvm.func' is a function of the LLVM dialect
llvm.func @lowered() {
  llvm.return
}

// -----

// START: :[[@LINE+1]]:1: error: expected a function with a body, got a module without functions
module @empty {
}

// -----

// START: error: expected a function with a body, got only declarations: 'declared'
func.func private @declared(tensor<4xf32>)

// -----

// START: :[[@LINE+2]]:1: error: expected a function that returns something, got 'nothing', which has no results and no effects: nothing of it is left to compile
// START: note: a module of phase 'input' of npu-compile has to hold this
func.func @nothing(%x: tensor<4xf32>) {
  %0 = math.exp %x : tensor<4xf32>
  return
}

// -----

// START: :[[@LINE+5]]:1: warning: expected a function that returns something, got 'nothing'
func.func @something(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @nothing(%x: tensor<4xf32>) {
  return
}

// -----

// START: :[[@LINE+4]]:3: error: expected what functions without a body return to be used for timing and printing alone, got a use by 'func.return'
func.func private @outside(tensor<4xf32>) -> tensor<4xf32>
func.func @external(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @outside(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// START: :[[@LINE+2]]:8: error: phase 'input': 'tosa.custom' is TOSA, which was not lowered
func.func @custom(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tosa.custom %x {operator_name = "op", domain_name = "domain", implementation_attrs = ""} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
