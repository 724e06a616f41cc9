// That an operation takes at least so many bytes of a scratchpad is said of
// buffers which every program has. What lowering makes one buffer counts once:
// each of these functions of two tiles fits scratchpads of 1,024 bytes, and no
// smaller ones. Buffers begin at multiples of 64 bytes, and the last one ends
// with its tensor.
//
// RUN: split-file %s %t
// RUN: cat %t/device %t/last > %t/last.mlir
// RUN: sed 's/1024/144/' %t/last.mlir | npu-opt --npu-compile="compile-to=scratchpad report=%t.json" | FileCheck %s --check-prefix=LAST
// RUN: sed 's/1024/143/' %t/last.mlir | not npu-opt --npu-compile="compile-to=scratchpad in-steps=false" 2>&1 | FileCheck %s --check-prefix=LAST-SMALLER
// RUN: %python -c 'import json, sys; (row,) = [r for r in json.load(open(sys.argv[1]))["functions"][0]["memory"] if r["at"] == 0 and r["tile"] == 0]; assert row["capacity"] == 144 and min(w[2] for w in row["ways"]) == 144, row' %t.json
// RUN: cat %t/device %t/whole-part > %t/whole-part.mlir
// RUN: cat %t/device %t/replaced > %t/replaced.mlir
// RUN: cat %t/device %t/called > %t/called.mlir
// RUN: cat %t/device %t/no-operand > %t/no-operand.mlir
// RUN: sed 's/1024/4096/' %t/no-operand.mlir | npu-opt --npu-compile=compile-to=scratchpad | FileCheck %s --check-prefix=NO-OPERAND
// RUN: sed 's/1024/64/' %t/called.mlir | npu-opt --npu-compile=compile-to=scratchpad -o /dev/null
// RUN: npu-opt %t/whole-part.mlir --npu-compile=compile-to=scratchpad | FileCheck %s
// RUN: npu-opt %t/replaced.mlir --npu-compile=compile-to=scratchpad | FileCheck %s
// RUN: sed 's/1024/960/' %t/whole-part.mlir | not npu-opt --npu-compile="compile-to=scratchpad in-steps=false" 2>&1 | FileCheck %s --check-prefix=SMALLER -DOP=tensor.insert_slice
// RUN: sed 's/1024/960/' %t/replaced.mlir | not npu-opt --npu-compile="compile-to=scratchpad in-steps=false" 2>&1 | FileCheck %s --check-prefix=SMALLER -DOP=linalg.exp

// CHECK: func.func @main
// CHECK-SAME: memref<1024xi8, 1> {npu.arena = 0 : i64}

// SMALLER: error: no assignment of layouts fits the scratchpads of d, 960 bytes each: '[[OP]]' takes at least 1024 bytes of one

// NO-OPERAND: func.func @main

// LAST: memref<144xi8, 1> {npu.arena = 0 : i64}
// LAST-SMALLER: error: no assignment of layouts fits the scratchpads of d, 143 bytes each: 'linalg.reduce' takes at least 144 bytes of one

//--- device
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" =
    #dlti.target_device_spec<"npu.name" = "d", "npu.like" = "npu4000", "npu.tiles" = 2, "npu.max_tiles" = 2, "npu.scratchpad_bytes" = 1024>>} {

//--- last
// Tile 0 has 112 bytes of the operand from 0 on, and 16 of the result from 128
// on.
func.func @main(%x: tensor<16x7xi16>) -> tensor<16xi16> {
  %lowest = arith.constant -9 : i16
  %empty = tensor.empty() : tensor<16xi16>
  %init = linalg.fill ins(%lowest : i16) outs(%empty : tensor<16xi16>) -> tensor<16xi16>
  %r = linalg.reduce { arith.maxsi } ins(%x : tensor<16x7xi16>) outs(%init : tensor<16xi16>) dimensions = [1]
  return %r : tensor<16xi16>
}
}

//--- whole-part
// What is inserted is the whole part of tile 0, which keeps nothing of the
// destination.
func.func @main(%a: tensor<1x512xf32>, %b: tensor<1x256xf32>) -> tensor<1x512xf32> {
  %r = tensor.insert_slice %b into %a[0, 0] [1, 256] [1, 1] : tensor<1x256xf32> into tensor<1x512xf32>
  return %r : tensor<1x512xf32>
}
}

//--- replaced
// Two insertions replace all that the first operation computes.
func.func @main(%a: tensor<1x512xf32>, %left: tensor<1x256xf32>, %right: tensor<1x256xf32>) -> tensor<1x512xf32> {
  %empty = tensor.empty() : tensor<1x512xf32>
  %exp = linalg.exp ins(%a : tensor<1x512xf32>) outs(%empty : tensor<1x512xf32>) -> tensor<1x512xf32>
  %half = tensor.insert_slice %left into %exp[0, 0] [1, 256] [1, 1] : tensor<1x256xf32> into tensor<1x512xf32>
  %both = tensor.insert_slice %right into %half[0, 256] [1, 256] [1, 1] : tensor<1x256xf32> into tensor<1x512xf32>
  return %both : tensor<1x512xf32>
}
}

//--- called
// What is called takes and gives whole tensors in DDR, and nobody reads one of
// the results: 64 bytes are enough.
func.func private @twice(%x: tensor<4x4xf32, #npu.layout<DUPLICATED, tiles = 1>>) -> (tensor<4x4xf32, #npu.layout<DUPLICATED, tiles = 1>>, tensor<4x4xf32, #npu.layout<DUPLICATED, tiles = 1>>) {
  return %x, %x : tensor<4x4xf32, #npu.layout<DUPLICATED, tiles = 1>>, tensor<4x4xf32, #npu.layout<DUPLICATED, tiles = 1>>
}
func.func @main(%x: tensor<4x4xf32, #npu.layout<DUPLICATED, tiles = 1>>) -> tensor<4x4xf32, #npu.layout<DUPLICATED, tiles = 1>> {
  %r:2 = func.call @twice(%x) : (tensor<4x4xf32, #npu.layout<DUPLICATED, tiles = 1>>) -> (tensor<4x4xf32, #npu.layout<DUPLICATED, tiles = 1>>, tensor<4x4xf32, #npu.layout<DUPLICATED, tiles = 1>>)
  return %r#0 : tensor<4x4xf32, #npu.layout<DUPLICATED, tiles = 1>>
}
}

//--- no-operand
// What is gone into and kept is made by an operation without operands.
func.func @main(%b: tensor<1x256xf32>) -> tensor<1x512xf32> {
  %made = tensor.generate {
  ^bb0(%i: index, %j: index):
    %n = arith.index_cast %j : index to i32
    %f = arith.sitofp %n : i32 to f32
    tensor.yield %f : f32
  } : tensor<1x512xf32>
  %r = tensor.insert_slice %b into %made[0, 0] [1, 256] [1, 1] : tensor<1x256xf32> into tensor<1x512xf32>
  return %r : tensor<1x512xf32>
}
}
