// Operations through which the real entries do not go together, at run-time lengths:
// each becomes a linalg.generic that reads entry by entry, and is bit-equal at every
// length with padding on either side.
//
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 poison" -o %t.right.mlir
// RUN: %python %S/../../Inputs/run_every_entry.py %t.right.mlir %s --length=1..8 -O0 | FileCheck %s
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 side=left poison" -o %t.left.mlir
// RUN: %python %S/../../Inputs/run_every_entry.py %t.left.mlir %s --length=1..8 -O0 | FileCheck %s

#id1 = affine_map<(d0) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>

// What is outside of the prompt is repeated with it.
// CHECK: merged: equal
func.func @merged(%x: tensor<2x?x3xf32>) -> tensor<?x3xf32> {
  %0 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x?x3xf32> into tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// There, and back in another order.
// CHECK: merged_and_split: equal
func.func @merged_and_split(%x: tensor<2x?x3xf32>) -> tensor<?x2x3xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<2x?x3xf32>
  %flat = tensor.collapse_shape %x [[0, 1, 2]] : tensor<2x?x3xf32> into tensor<?xf32>
  %0 = tensor.expand_shape %flat [[0, 1, 2]] output_shape [%n, 2, 3] : tensor<?xf32> into tensor<?x2x3xf32>
  return %0 : tensor<?x2x3xf32>
}

// Heads of half the prompt each; there are twice as many entries as the prompt has.
// CHECK: split_outside: equal
func.func @split_outside(%x: tensor<?x4xf32>) -> tensor<4x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  %0 = tensor.expand_shape %flat [[0, 1]] output_shape [4, %n] : tensor<?xf32> into tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

// CHECK: every_other: equal
func.func @every_other(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %half = affine.apply affine_map<()[s0] -> ((s0 + 1) floordiv 2)>()[%n]
  %0 = tensor.extract_slice %x[0, 0] [%half, 2] [2, 1] : tensor<?x2xf32> to tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// The second half: a slice that begins where the length says.
// CHECK: second_half: equal
func.func @second_half(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %half = affine.apply affine_map<()[s0] -> (s0 floordiv 2)>()[%n]
  %rest = arith.subi %n, %half : index
  %0 = tensor.extract_slice %x[%half] [%rest] [1] : tensor<?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Two prompts one after the other would have two holes.
// CHECK: two_prompts: equal
func.func @two_prompts(%x: tensor<?x2xf32>, %cache: tensor<3x2xf32>, %y: tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<2xf32>) {
  %zero = arith.constant 0.0 : f32
  %all = tensor.concat dim(0) %x, %cache, %y : (tensor<?x2xf32>, tensor<3x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  %e = tensor.empty() : tensor<2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %sum = linalg.reduce { arith.addf } ins(%all : tensor<?x2xf32>) outs(%f : tensor<2xf32>) dimensions = [0]
  return %all, %sum : tensor<?x2xf32>, tensor<2xf32>
}

// Without its first token, the prompt may be empty.
// CHECK: shifted_out: equal
func.func @shifted_out(%x: tensor<?xf32>, %one: tensor<1xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.subi %n, %c1 : index
  %rest = tensor.extract_slice %x[1] [%m] [1] : tensor<?xf32> to tensor<?xf32>
  %all = tensor.concat dim(0) %rest, %one, %x : (tensor<?xf32>, tensor<1xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %all : tensor<?xf32>
}

// Over a part of the prompt: all but its last token.
// CHECK: written_over: equal
func.func @written_over(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.subi %n, %c1 : index
  %part = tensor.extract_slice %y[0] [%m] [1] : tensor<?xf32> to tensor<?xf32>
  %0 = tensor.insert_slice %part into %x[1] [%m] [1] : tensor<?xf32> into tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Every other entry of a tensor of twice the length, with a dimension dropped.
// CHECK: spread: equal
func.func @spread(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.5 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.muli %n, %c2 : index
  %e = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %0 = tensor.insert_slice %x into %f[1] [%n] [2] : tensor<?xf32> into tensor<?xf32>
  return %0 : tensor<?xf32>
}

// What a pad adds is computed from positions, beside the prompt and along it.
// CHECK: computed_pad: equal
func.func @computed_pad(%x: tensor<?x4xf32>) -> (tensor<?x6xf32>, tensor<?x4xf32>) {
  %0 = tensor.pad %x low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    %k = arith.addi %i, %j : index
    %k2 = arith.index_cast %k : index to i32
    %v = arith.sitofp %k2 : i32 to f32
    tensor.yield %v : f32
  } : tensor<?x4xf32> to tensor<?x6xf32>
  %1 = tensor.pad %x low[2, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    %k2 = arith.index_cast %i : index to i32
    %v = arith.sitofp %k2 : i32 to f32
    tensor.yield %v : f32
  } : tensor<?x4xf32> to tensor<?x4xf32>
  return %0, %1 : tensor<?x6xf32>, tensor<?x4xf32>
}

// By as much as the longest prompt leaves: as many entries at every length.
// CHECK: padded_by_hand: equal
func.func @padded_by_hand(%x: tensor<?xf32>) -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %rest = arith.subi %c16, %n : index
  %0 = tensor.pad %x low[0] high[%rest] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<?xf32> to tensor<16xf32>
  return %0 : tensor<16xf32>
}

// Positions, made from nothing.
// CHECK: generated: equal
func.func @generated(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3xf32>
  %p = tensor.generate %n {
  ^bb0(%i: index, %j: index):
    %k = arith.muli %i, %j : index
    %k2 = arith.index_cast %k : index to i32
    %v = arith.sitofp %k2 : i32 to f32
    tensor.yield %v : f32
  } : tensor<?x3xf32>
  %0 = arith.addf %x, %p : tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// The prompt backwards, as a generated tensor that reads it.
// CHECK: backwards: equal
func.func @backwards(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %last = arith.subi %n, %c1 : index
  %0 = tensor.generate %n {
  ^bb0(%i: index):
    %j = arith.subi %last, %i : index
    %v = tensor.extract %x[%j] : tensor<?xf32>
    tensor.yield %v : f32
  } : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK: repeated: equal
func.func @repeated(%x: tensor<?xf32>, %v: tensor<f32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %s = tensor.extract %v[] : tensor<f32>
  %all = tensor.splat %s[%n] : tensor<?xf32>
  %0 = arith.mulf %x, %all : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Integer division of whole tensors would trap on padding.
// CHECK: divided: equal
func.func @divided(%x: tensor<?xi32>, %y: tensor<?xi32>) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %many = arith.constant 16 : i32
  %n = tensor.dim %x, %c0 : tensor<?xi32>
  %all = tensor.splat %many[%n] : tensor<?xi32>
  %d = arith.addi %y, %all : tensor<?xi32>
  %0 = arith.divsi %x, %d : tensor<?xi32>
  return %0 : tensor<?xi32>
}

// Differences of neighbours: one of the two is read shifted by one.
// CHECK: differences: equal
func.func @differences(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.subi %n, %c1 : index
  %front = tensor.extract_slice %x[0] [%m] [1] : tensor<?xf32> to tensor<?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [#id1, affine_map<(d0) -> (d0 + 1)>, #id1], iterator_types = ["parallel"]} ins(%front, %x : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %b, %a : f32
    linalg.yield %d : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Windows two apart, of which padding in front leaves no whole number.
// CHECK: strided_windows: equal
func.func @strided_windows(%x: tensor<1x?x1xf32>, %w: tensor<3x1x2xf32>) -> tensor<1x?x2xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c1 : tensor<1x?x1xf32>
  %p = tensor.pad %x low[0, 1, 0] high[0, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<1x?x1xf32> to tensor<1x?x1xf32>
  %m = affine.apply affine_map<()[s0] -> ((s0 - 1) floordiv 2 + 1)>()[%n]
  %e = tensor.empty(%m) : tensor<1x?x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x?x2xf32>) -> tensor<1x?x2xf32>
  %0 = linalg.conv_1d_nwc_wcf {strides = dense<2> : tensor<1xi64>, dilations = dense<1> : tensor<1xi64>} ins(%p, %w : tensor<1x?x1xf32>, tensor<3x1x2xf32>) outs(%f : tensor<1x?x2xf32>) -> tensor<1x?x2xf32>
  return %0 : tensor<1x?x2xf32>
}

// A table that begins elsewhere is read beside the prompt; the sum needs its mask.
// CHECK: table_from_three: equal
func.func @table_from_three(%x: tensor<?xf32>, %table: tensor<11xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %0 = linalg.generic {indexing_maps = [#id1, affine_map<(d0) -> (d0 + 3)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x, %table : tensor<?xf32>, tensor<11xf32>) outs(%f : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// Written over in part, after all of it was written.
// CHECK: overwritten: equal
func.func @overwritten(%x: tensor<?xf32>, %cache: tensor<4xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.addi %n, %c4 : index
  %e = tensor.empty(%m) : tensor<?xf32>
  %all = tensor.concat dim(0) %y, %cache : (tensor<?xf32>, tensor<4xf32>) -> tensor<?xf32>
  %0 = tensor.insert_slice %cache into %e[0] [4] [1] : tensor<4xf32> into tensor<?xf32>
  %1 = tensor.insert_slice %all into %0[0] [%m] [1] : tensor<?xf32> into tensor<?xf32>
  %2 = tensor.insert_slice %x into %1[4] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  return %2 : tensor<?xf32>
}

// One entry is read outside of any body, and is all of the result.
// CHECK: first_everywhere: equal
func.func @first_everywhere(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %v = tensor.extract %x[%c0] : tensor<?xf32>
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %s = tensor.splat %v[%n] : tensor<?xf32>
  return %s : tensor<?xf32>
}

// A loop of scalars over the prompt reads where it read.
// CHECK: running_sum: equal
func.func @running_sum(%x: tensor<?xf32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %f) -> tensor<f32> {
    %v = tensor.extract %x[%i] : tensor<?xf32>
    %o = tensor.extract %a[] : tensor<f32>
    %s = arith.addf %o, %v : f32
    %w = tensor.insert %s into %a[] : tensor<f32>
    scf.yield %w : tensor<f32>
  }
  return %r : tensor<f32>
}

// One entry is written.
// CHECK: one_written: equal
func.func @one_written(%x: tensor<?xf32>, %s: f32) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %r = tensor.insert %s into %x[%c0] : tensor<?xf32>
  return %r : tensor<?xf32>
}

// Both dimensions of one loop.
// CHECK: diagonal: equal
func.func @diagonal(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i, i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<?x?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// The last row, entry by entry.
// CHECK: last_row: equal
func.func @last_row(%x: tensor<?x3xf32>) -> (tensor<3xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x3xf32>
  %l = arith.subi %n, %c1 : index
  %g = tensor.generate {
  ^bb0(%j: index):
    %v = tensor.extract %x[%l, %j] : tensor<?x3xf32>
    tensor.yield %v : f32
  } : tensor<3xf32>
  return %g, %n : tensor<3xf32>, index
}
