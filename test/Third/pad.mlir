// Third operations with a prompt that is padded: by what they say of padding,
// in front and after, of a length that is known and of one that is not; and
// refused where they say nothing.
// RUN: split-file %s %t
// RUN: sed -e 's/tensor<[57]x/tensor<?x/g' %t/static.mlir > %t/dynamic.mlir

// RUN: npu-third-opt %t/dynamic.mlir --npu-print-padding="max-prompt-len=8" -o /dev/null | FileCheck %s --check-prefix=STATE
// RUN: npu-third-opt %t/static.mlir --npu-pad-to-max-prompt-len="max-prompt-len=8 poison" -o %t/known-right.mlir
// RUN: npu-third-run %t/known-right.mlir --reference=%t/static.mlir | FileCheck %s
// RUN: npu-third-opt %t/static.mlir --npu-pad-to-max-prompt-len="max-prompt-len=8 poison side=left" -o %t/known-left.mlir
// RUN: npu-third-run %t/known-left.mlir --reference=%t/static.mlir | FileCheck %s

// A function that runs at several lengths is given the one that it runs at.
// RUN: sed -e 's/tensor<6x4xf32>)/tensor<6x4xf32>, %length: i64)/' %t/static.mlir > %t/at-5.mlir
// RUN: npu-third-opt %t/dynamic.mlir --npu-pad-to-max-prompt-len="max-prompt-len=8 poison" -o %t/right.mlir
// RUN: FileCheck %s --check-prefix=PADDED --input-file=%t/right.mlir
// RUN: npu-third-run %t/right.mlir --reference=%t/at-5.mlir --length=5 | FileCheck %s
// RUN: npu-third-opt %t/dynamic.mlir --npu-pad-to-max-prompt-len="max-prompt-len=8 poison side=left" -o %t/left.mlir
// RUN: npu-third-run %t/left.mlir --reference=%t/at-5.mlir --length=5 | FileCheck %s

// RUN: npu-third-opt %t/refused.mlir --split-input-file --verify-diagnostics --npu-pad-to-max-prompt-len="max-prompt-len=8"
// RUN: not npu-third-opt --without-models %t/dynamic.mlir --npu-pad-to-max-prompt-len="max-prompt-len=8" 2>&1 | FileCheck %s --check-prefix=NO-MODEL

// CHECK-COUNT-5: 0 different
// CHECK: {{^}}equal
// NO-MODEL: error: 'third.reverse' cannot be padded to max-prompt-len = 8 and stay exact: its dialect promises a model of npu::PaddingOpInterface, which is not registered

// STATE: %0: dim 0: L real of 8, padding in front is anything
// STATE: %low: dim 0: L real of 8, padding after is anything
// STATE: %high: dim 0: L real of 8, padding after is anything

// PADDED-LABEL: @main
// PADDED: third.reverse %{{.*}} along 0 : tensor<8x4xf32> -> tensor<8x4xf32>
// PADDED: third.blur %{{.*}} into %{{.*}} : tensor<10x4xf32>, tensor<8x4xf32> -> tensor<8x4xf32>
// PADDED: third.minmax %{{.*}} : tensor<8x4xf32> -> tensor<8xf32>, tensor<8xf32>
// PADDED: third.take %{{.*}}[%{{.*}}] : tensor<6x4xf32>, tensor<8xi32> -> tensor<8x4xf32>
// The rows of a table that is padded are taken entry by entry.
// PADDED-NOT: third.take
// PADDED: tensor.extract

//--- static.mlir

func.func @main(%x: tensor<5x4xf32> {npu.prompt_dim = 0}, %p: tensor<5xi32> {npu.prompt_dim = 0},
                %table: tensor<6x4xf32>)
    -> (tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>) {
  %back = third.reverse %x along 0 : tensor<5x4xf32> -> tensor<5x4xf32>
  // Both have padding, at different ends.
  %sum = arith.addf %x, %back : tensor<5x4xf32>
  %zero = arith.constant 0.0 : f32
  %wide = tensor.pad %x low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<5x4xf32> to tensor<7x4xf32>
  %blurred = third.blur %wide into %x : tensor<7x4xf32>, tensor<5x4xf32> -> tensor<5x4xf32>
  %low, %high = third.minmax %x : tensor<5x4xf32> -> tensor<5xf32>, tensor<5xf32>
  %range = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%low, %high : tensor<5xf32>, tensor<5xf32>) outs(%x : tensor<5x4xf32>) {
  ^bb0(%l: f32, %h: f32, %o: f32):
    %difference = arith.subf %h, %l : f32
    linalg.yield %difference : f32
  } -> tensor<5x4xf32>
  %taken = third.take %table[%p] : tensor<6x4xf32>, tensor<5xi32> -> tensor<5x4xf32>
  %rows = third.take %x[%p] : tensor<5x4xf32>, tensor<5xi32> -> tensor<5x4xf32>
  return %sum, %blurred, %range, %taken, %rows
      : tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>
}

//--- refused.mlir

func.func @columns(%x: tensor<4x?xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'third.minmax' cannot be padded to max-prompt-len = 8 and stay exact: it compares entries of '%arg0' with its padding}}
  %low, %high = third.minmax %x : tensor<4x?xf32> -> tensor<4xf32>, tensor<4xf32>
  return %low, %high : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @window(%x: tensor<?x4xf32>, %sums: tensor<3x4xf32>) -> tensor<3x4xf32> {
  // expected-error@+1 {{'third.blur' cannot be padded to max-prompt-len = 8 and stay exact: its window would slide over padding of '%arg0'}}
  %y = third.blur %x into %sums : tensor<?x4xf32>, tensor<3x4xf32> -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// -----

func.func @hermit(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error@+1 {{'third.hermit' cannot be padded to max-prompt-len = 8 and stay exact: it is not known what it does with padding, and it reads '%arg0'}}
  %y = third.hermit %x : tensor<?x4xf32> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// It has a model that says nothing of its result,
func.func @no_answer(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{'third.half_taught' cannot be padded to max-prompt-len = 8 and stay exact: it is not known what it does with padding, and it reads '%arg0'}}
  %y = third.half_taught %x : tensor<?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// or does not make it,
func.func @not_made(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error@+1 {{'third.half_taught' cannot be padded: its model does not make what it has said}}
  %y = third.half_taught %x : tensor<?x4xf32> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// or has extents, and no entries.
func.func @no_entry(%x: tensor<?x4x4xf32>) -> tensor<?x4x4xf32> {
  // expected-error@+1 {{'third.half_taught' cannot be padded: its model does not say how an entry of it is computed}}
  %y = third.half_taught %x : tensor<?x4x4xf32> -> tensor<?x4x4xf32>
  return %y : tensor<?x4x4xf32>
}
