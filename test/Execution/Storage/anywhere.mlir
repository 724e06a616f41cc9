// Images through calls, branches and loops, as constants and as numbers of loops, of nothing,
// and in operations that tiles do not do entry by entry.

// RUN: npu-opt %s --npu-legalize-distributions -o %t.mlir
// RUN: npu-run -O0 %s --entry=call --reference=%s --inputs=random --seed=3 | FileCheck %s
// RUN: npu-run -O0 %t.mlir --entry=call --reference=%s --inputs=random --seed=3 | FileCheck %s
// RUN: npu-run -O0 %s --entry=constants --reference=%s --inputs=random --seed=3 | FileCheck %s
// RUN: npu-run -O0 %t.mlir --entry=constants --reference=%s --inputs=random --seed=3 | FileCheck %s
// RUN: npu-run -O0 %s --entry=iota --reference=%s --inputs=random --seed=3 | FileCheck %s
// RUN: npu-run -O0 %t.mlir --entry=iota --reference=%s --inputs=random --seed=3 | FileCheck %s
// RUN: npu-run -O0 %s --entry=branch --reference=%s --inputs=random --seed=3 | FileCheck %s
// RUN: npu-run -O0 %t.mlir --entry=branch --reference=%s --inputs=random --seed=3 | FileCheck %s
// RUN: npu-run -O0 %s --entry=ifs --reference=%s --inputs=random --seed=3 | FileCheck %s
// RUN: npu-run -O0 %t.mlir --entry=ifs --reference=%s --inputs=random --seed=3 | FileCheck %s
// RUN: npu-run -O0 %s --entry=zero --reference=%s --inputs=random --seed=3 | FileCheck %s
// RUN: npu-run -O0 %t.mlir --entry=zero --reference=%s --inputs=random --seed=3 | FileCheck %s
// RUN: npu-run -O0 %s --entry=softmax --reference=%s --inputs=random --seed=3 | FileCheck %s
// RUN: npu-run -O0 %t.mlir --entry=softmax --reference=%s --inputs=random --seed=3 | FileCheck %s
// RUN: npu-run -O0 %s --entry=pad --reference=%s --inputs=random --seed=3 | FileCheck %s
// RUN: npu-run -O0 %t.mlir --entry=pad --reference=%s --inputs=random --seed=3 | FileCheck %s
// RUN: npu-run -O0 %s --entry=slice --reference=%s --inputs=random --seed=3 | FileCheck %s
// RUN: npu-run -O0 %t.mlir --entry=slice --reference=%s --inputs=random --seed=3 | FileCheck %s
// RUN: npu-run -O0 %s --entry=reshape --reference=%s --inputs=random --seed=3 | FileCheck %s
// RUN: npu-run -O0 %t.mlir --entry=reshape --reference=%s --inputs=random --seed=3 | FileCheck %s
// CHECK: equal

#image = #npu.layout<SEGMENTED, tiles = [1, 2, 1, 1], storage = tiled2d>
#dup = #npu.layout<DUPLICATED, tiles = 3, storage = tiled2d>
#ovl = #npu.layout<OVERLAPPED, tiles = [1, 1, 2, 1], window = [[2, 3, 1, 1, 1]], storage = tiled2d>
func.func private @callee(%x: tensor<1x7x5x6xf16, #image>) -> tensor<1x7x5x6xf16, #image> attributes {no_inline} {
  %0 = math.absf %x : tensor<1x7x5x6xf16, #image>
  return %0 : tensor<1x7x5x6xf16, #image>
}

func.func @call(%x: tensor<1x7x5x6xf16, #image>) -> tensor<1x7x5x6xf16, #image> {
  %0 = call @callee(%x) : (tensor<1x7x5x6xf16, #image>) -> tensor<1x7x5x6xf16, #image>
  return %0 : tensor<1x7x5x6xf16, #image>
}

func.func @constants() -> tensor<1x3x2x2xf16, #image> {
  %c = arith.constant dense<[[[[1.0,2.0],[3.0,4.0]],[[5.0,6.0],[7.0,8.0]],[[9.0,10.0],[11.0,12.0]]]]> : tensor<1x3x2x2xf16, #image>
  %s = arith.constant dense<2.0> : tensor<1x3x2x2xf16, #image>
  %0 = arith.mulf %c, %s : tensor<1x3x2x2xf16, #image>
  return %0 : tensor<1x3x2x2xf16, #image>
}

func.func @iota() -> tensor<1x5x2x2xi32, #image> {
  %e = tensor.empty() : tensor<1x5x2x2xi32, #image>
  %0 = linalg.generic {indexing_maps = [affine_map<(a,b,c,d)->(a,b,c,d)>], iterator_types = ["parallel","parallel","parallel","parallel"]} outs(%e : tensor<1x5x2x2xi32, #image>) {
  ^bb0(%o: i32):
    %i = linalg.index 1 : index
    %v = arith.index_cast %i : index to i32
    linalg.yield %v : i32
  } -> tensor<1x5x2x2xi32, #image>
  return %0 : tensor<1x5x2x2xi32, #image>
}

func.func @branch(%c: i1, %x: tensor<1x7x5x6xf32, #dup>, %y: tensor<1x7x5x6xf32, #dup>) -> tensor<1x7x5x6xf32, #ovl> {
  cf.cond_br %c, ^a(%x : tensor<1x7x5x6xf32, #dup>), ^a(%y : tensor<1x7x5x6xf32, #dup>)
^a(%z: tensor<1x7x5x6xf32, #dup>):
  %0 = npu.redistribute %z : tensor<1x7x5x6xf32, #dup> to tensor<1x7x5x6xf32, #ovl>
  return %0 : tensor<1x7x5x6xf32, #ovl>
}

func.func @ifs(%c: i1, %x: tensor<1x7x5x6xf32, #dup>) -> tensor<1x7x5x6xf32, #dup> {
  %0 = scf.if %c -> tensor<1x7x5x6xf32, #dup> {
    %1 = math.absf %x : tensor<1x7x5x6xf32, #dup>
    scf.yield %1 : tensor<1x7x5x6xf32, #dup>
  } else {
    scf.yield %x : tensor<1x7x5x6xf32, #dup>
  }
  return %0 : tensor<1x7x5x6xf32, #dup>
}

func.func @zero(%x: tensor<1x0x5x6xf32, #dup>, %y: tensor<1x1x5x6xi1, #image>) -> (tensor<1x0x5x6xf32, #dup>, tensor<1x1x5x6xi1, #image>) {
  %0 = math.absf %x : tensor<1x0x5x6xf32, #dup>
  %1 = arith.andi %y, %y : tensor<1x1x5x6xi1, #image>
  return %0, %1 : tensor<1x0x5x6xf32, #dup>, tensor<1x1x5x6xi1, #image>
}

func.func @softmax(%x: tensor<1x7x5x6xf32, #dup>) -> tensor<1x7x5x6xf32, #dup> {
  %e = tensor.empty() : tensor<1x7x5x6xf32, #dup>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<1x7x5x6xf32, #dup>) outs(%e : tensor<1x7x5x6xf32, #dup>) -> tensor<1x7x5x6xf32, #dup>
  return %0 : tensor<1x7x5x6xf32, #dup>
}

func.func @pad(%x: tensor<1x7x5x6xf32, #image>) -> tensor<1x7x7x8xf32, #image> {
  %c = arith.constant 0.0 : f32
  %0 = tensor.pad %x low[0,0,1,1] high[0,0,1,1] {
  ^bb0(%a: index, %b: index, %d: index, %e: index):
    tensor.yield %c : f32
  } : tensor<1x7x5x6xf32, #image> to tensor<1x7x7x8xf32, #image>
  return %0 : tensor<1x7x7x8xf32, #image>
}

func.func @slice(%x: tensor<1x9x5x6xf32, #dup>) -> tensor<1x6x5x6xf32, #dup> {
  %0 = tensor.extract_slice %x[0, 2, 0, 0] [1, 6, 5, 6] [1, 1, 1, 1] : tensor<1x9x5x6xf32, #dup> to tensor<1x6x5x6xf32, #dup>
  return %0 : tensor<1x6x5x6xf32, #dup>
}

func.func @reshape(%x: tensor<1x8x5x6xf32, #dup>) -> tensor<8x5x6xf32> {
  %0 = tensor.collapse_shape %x [[0, 1], [2], [3]] : tensor<1x8x5x6xf32, #dup> into tensor<8x5x6xf32, #npu.layout<DUPLICATED, tiles = 3>>
  %1 = npu.redistribute %0 : tensor<8x5x6xf32, #npu.layout<DUPLICATED, tiles = 3>> to tensor<8x5x6xf32>
  return %1 : tensor<8x5x6xf32>
}
