// Slices, pads and concatenations that upstream does not bufferize as they are:
// parts without elements, also where a dimension ends, pads that cut away, and
// dropped dimensions among others of extent 1. Plain and on tiles.
//
// RUN: npu-run %s --entry=pads --inputs=iota | FileCheck %s --check-prefix=PADS
// RUN: npu-run %s --entry=all_padding --inputs=iota | FileCheck %s --check-prefix=ALL
// RUN: npu-run %s --entry=concats --inputs=iota | FileCheck %s --check-prefix=CONCATS
// RUN: npu-run %s --entry=slices --inputs=iota | FileCheck %s --check-prefix=SLICES
// RUN: npu-run %s --entry=dropped --inputs=iota | FileCheck %s --check-prefix=DROPPED
// RUN: npu-run %s --entry=in_parallel --inputs=iota | FileCheck %s --check-prefix=PARALLEL
// RUN: npu-opt %s --npu-legalize-distributions -o %t
// RUN: %python %S/../../Inputs/run_every_entry.py %t %s | FileCheck %s
// RUN: %python %S/../../Inputs/run_every_entry.py %t %s --tiles=parallel | FileCheck %s
// CHECK-NOT: : {{[^e]}}
// CHECK: on_tiles_dropped: equal

// PADS: result #0 1x2xf32: 7 7
// PADS: result #1 0x3xf32:{{ *$}}
// PADS: result #2 2x2xf32: 4 5 7 7
// PADS: result #3 1x3xf32: 7 7 7
func.func @pads(%none: tensor<0x2xf32>, %x: tensor<2x3xf32>)
    -> (tensor<1x2xf32>, tensor<0x3xf32>, tensor<2x2xf32>, tensor<1x3xf32>) {
  %seven = arith.constant 7.0 : f32
  %0 = tensor.pad %none low[1, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %seven : f32
  } : tensor<0x2xf32> to tensor<1x2xf32>
  // Rows 0 and 1 are cut away.
  %1 = tensor.pad %x low[-1, 0] high[-1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %seven : f32
  } : tensor<2x3xf32> to tensor<0x3xf32>
  // Row 0 and column 0 are, and a row follows.
  %2 = tensor.pad %x low[-1, -1] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %seven : f32
  } : tensor<2x3xf32> to tensor<2x2xf32>
  // More rows than there are; what is left of those after is added.
  %3 = tensor.pad %x low[-3, 0] high[2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %seven : f32
  } : tensor<2x3xf32> to tensor<1x3xf32>
  return %0, %1, %2, %3 : tensor<1x2xf32>, tensor<0x3xf32>, tensor<2x2xf32>, tensor<1x3xf32>
}

// What is added depends on where.
// ALL: result #0 2x3xi32: 0 1 2 10 11 12
func.func @all_padding(%none: tensor<0x3xi32>) -> tensor<2x3xi32> {
  %0 = tensor.pad %none low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    %ten = arith.constant 10 : index
    %row = arith.muli %i, %ten : index
    %sum = arith.addi %row, %j : index
    %value = arith.index_cast %sum : index to i32
    tensor.yield %value : i32
  } : tensor<0x3xi32> to tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// CONCATS: result #0 2x2xf32: 0 1 2 3
// CONCATS: result #1 0x4xf32:{{ *$}}
func.func @concats(%x: tensor<2x2xf32>, %none: tensor<0x2xf32>) -> (tensor<2x2xf32>, tensor<0x4xf32>) {
  %0 = tensor.concat dim(0) %none, %x, %none : (tensor<0x2xf32>, tensor<2x2xf32>, tensor<0x2xf32>) -> tensor<2x2xf32>
  %1 = tensor.concat dim(1) %none, %none : (tensor<0x2xf32>, tensor<0x2xf32>) -> tensor<0x4xf32>
  return %0, %1 : tensor<2x2xf32>, tensor<0x4xf32>
}

// SLICES: result #0 0x2xf32:{{ *$}}
// SLICES: result #1 0xf32:{{ *$}}
// SLICES: result #2 2x2xf32: 0 1 2 3
func.func @slices(%x: tensor<2x2xf32>) -> (tensor<0x2xf32>, tensor<0xf32>, tensor<2x2xf32>) {
  %0 = tensor.extract_slice %x[1, 0] [0, 2] [1, 1] : tensor<2x2xf32> to tensor<0x2xf32>
  %1 = tensor.extract_slice %x[1, 1] [1, 0] [1, 1] : tensor<2x2xf32> to tensor<0xf32>
  %2 = tensor.insert_slice %0 into %x[1, 0] [0, 2] [1, 1] : tensor<0x2xf32> into tensor<2x2xf32>
  return %0, %1, %2 : tensor<0x2xf32>, tensor<0xf32>, tensor<2x2xf32>
}

// Of 1x2x1x2 either dimension of extent 1 may be the one that is dropped.
// DROPPED: result #0 2x2x2x2xf32: 0 1 2 3 4 5 6 7 8 9 0 1 12 13 2 3
// DROPPED: result #1 1x2x2xf32: 10 11 14 15
// DROPPED: result #2 2x1x2xf32: 10 11 14 15
func.func @dropped(%x: tensor<2x2x2x2xf32>, %y: tensor<1x2x2xf32>) -> (tensor<2x2x2x2xf32>, tensor<1x2x2xf32>, tensor<2x1x2xf32>) {
  %0 = tensor.insert_slice %y into %x[1, 0, 1, 0] [1, 2, 1, 2] [1, 1, 1, 1] : tensor<1x2x2xf32> into tensor<2x2x2x2xf32>
  %1 = tensor.extract_slice %x[1, 0, 1, 0] [1, 2, 1, 2] [1, 1, 1, 1] : tensor<2x2x2x2xf32> to tensor<1x2x2xf32>
  %2 = tensor.extract_slice %x[1, 0, 1, 0] [1, 2, 1, 2] [1, 1, 1, 1] : tensor<2x2x2x2xf32> to tensor<2x1x2xf32>
  return %0, %1, %2 : tensor<2x2x2x2xf32>, tensor<1x2x2xf32>, tensor<2x1x2xf32>
}

// PARALLEL: result #0 2x2x2x2xf32: 0 1 2 3 4 5 6 7 8 9 0 1 12 13 2 3
func.func @in_parallel(%x: tensor<2x2x2x2xf32>, %y: tensor<1x2x2xf32>) -> tensor<2x2x2x2xf32> {
  %0 = scf.forall (%i) in (1) shared_outs(%o = %x) -> tensor<2x2x2x2xf32> {
    %none = tensor.extract_slice %y[0, 0, 0] [0, 2, 2] [1, 1, 1] : tensor<1x2x2xf32> to tensor<0x2x2xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %o[1, 0, 1, 0] [1, 2, 1, 2] [1, 1, 1, 1] : tensor<1x2x2xf32> into tensor<2x2x2x2xf32>
      tensor.parallel_insert_slice %none into %o[1, 0, 1, 0] [0, 2, 1, 2] [1, 1, 1, 1] : tensor<0x2x2xf32> into tensor<2x2x2x2xf32>
    }
  }
  return %0 : tensor<2x2x2x2xf32>
}

#two = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>
#middle = #npu.layout<SEGMENTED, tiles = [1, 2, 1, 1]>
#part = #npu.layout<SEGMENTED, tiles = [1, 2, 1]>

func.func @on_tiles(%none: tensor<0x4xf32, #columns>, %x: tensor<3x4xf32, #two>, %z: f32)
    -> (tensor<1x4xf32, #columns>, tensor<3x4xf32, #two>, tensor<3x4xf32, #columns>) {
  %0 = tensor.pad %none low[1, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<0x4xf32, #columns> to tensor<1x4xf32, #columns>
  %1 = tensor.pad %x low[-1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<3x4xf32, #two> to tensor<3x4xf32, #two>
  %2 = tensor.concat dim(0) %none, %x : (tensor<0x4xf32, #columns>, tensor<3x4xf32, #two>) -> tensor<3x4xf32, #columns>
  return %0, %1, %2 : tensor<1x4xf32, #columns>, tensor<3x4xf32, #two>, tensor<3x4xf32, #columns>
}

func.func @on_tiles_dropped(%x: tensor<2x3x2x2xf32, #middle>, %y: tensor<1x3x2xf32, #part>)
    -> (tensor<2x3x2x2xf32, #middle>, tensor<1x3x2xf32, #part>) {
  %0 = tensor.insert_slice %y into %x[1, 0, 1, 0] [1, 3, 1, 2] [1, 1, 1, 1] : tensor<1x3x2xf32, #part> into tensor<2x3x2x2xf32, #middle>
  %1 = tensor.extract_slice %0[1, 0, 0, 0] [1, 3, 1, 2] [1, 1, 1, 1] : tensor<2x3x2x2xf32, #middle> to tensor<1x3x2xf32, #part>
  return %0, %1 : tensor<2x3x2x2xf32, #middle>, tensor<1x3x2xf32, #part>
}
