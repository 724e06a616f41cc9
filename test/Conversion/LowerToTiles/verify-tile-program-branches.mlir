// Parts that come through any kind of branch begin where they began before it:
// here the stores of both tiles name each other's rows.
//
// RUN: npu-opt %s --split-input-file --verify-diagnostics --npu-verify-tile-program

func.func @switch(%x: tensor<4x4xf32>, %case: index) -> tensor<4x4xf32> attributes {npu.tiles = 2 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<2x4xf32>
  %e1 = tensor.empty() {npu.tile = 1 : i64} : tensor<2x4xf32>
  %x0 = npu.transfer %x[0, 0] from ddr to tile 0 into %e0[0, 0] box [0:2, 0:4] bytes = 32
      : tensor<4x4xf32> to tensor<2x4xf32>
  %x1 = npu.transfer %x[2, 0] from ddr to tile 1 into %e1[0, 0] box [2:4, 0:4] bytes = 32
      : tensor<4x4xf32> to tensor<2x4xf32>
  %r:2 = scf.index_switch %case -> tensor<2x4xf32>, tensor<2x4xf32>
  case 0 {
    %a0 = math.absf %x0 {npu.tile = 0 : i64} : tensor<2x4xf32>
    %a1 = math.absf %x1 {npu.tile = 1 : i64} : tensor<2x4xf32>
    scf.yield %a0, %a1 : tensor<2x4xf32>, tensor<2x4xf32>
  }
  default {
    scf.yield %x0, %x1 : tensor<2x4xf32>, tensor<2x4xf32>
  }
  %e = tensor.empty() : tensor<4x4xf32>
  // expected-error@+1 {{expected box [2:4, 0:4] at [2, 0] of its source, got [0, 0]}}
  %0 = npu.transfer %r#0[0, 0] from tile 0 to ddr into %e[2, 0] box [2:4, 0:4] bytes = 32
      : tensor<2x4xf32> to tensor<4x4xf32>
  %1 = npu.transfer %r#1[0, 0] from tile 1 to ddr into %0[0, 0] box [0:2, 0:4] bytes = 32
      : tensor<2x4xf32> to tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

func.func @branch(%x: tensor<4x4xf32>, %flag: i1) -> tensor<4x4xf32> attributes {npu.tiles = 2 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<2x4xf32>
  %e1 = tensor.empty() {npu.tile = 1 : i64} : tensor<2x4xf32>
  %x0 = npu.transfer %x[0, 0] from ddr to tile 0 into %e0[0, 0] box [0:2, 0:4] bytes = 32
      : tensor<4x4xf32> to tensor<2x4xf32>
  %x1 = npu.transfer %x[2, 0] from ddr to tile 1 into %e1[0, 0] box [2:4, 0:4] bytes = 32
      : tensor<4x4xf32> to tensor<2x4xf32>
  cf.cond_br %flag, ^exp, ^end(%x0, %x1 : tensor<2x4xf32>, tensor<2x4xf32>)
^exp:
  %a0 = math.exp %x0 {npu.tile = 0 : i64} : tensor<2x4xf32>
  %a1 = math.exp %x1 {npu.tile = 1 : i64} : tensor<2x4xf32>
  cf.br ^end(%a0, %a1 : tensor<2x4xf32>, tensor<2x4xf32>)
^end(%r0: tensor<2x4xf32>, %r1: tensor<2x4xf32>):
  %e = tensor.empty() : tensor<4x4xf32>
  // expected-error@+1 {{expected box [2:4, 0:4] at [2, 0] of its source, got [0, 0]}}
  %0 = npu.transfer %r0[0, 0] from tile 0 to ddr into %e[2, 0] box [2:4, 0:4] bytes = 32
      : tensor<2x4xf32> to tensor<4x4xf32>
  %1 = npu.transfer %r1[0, 0] from tile 1 to ddr into %0[0, 0] box [0:2, 0:4] bytes = 32
      : tensor<2x4xf32> to tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// One value is one tile's, also where branches give it to a block.
func.func @exchanged(%x: tensor<4x4xf32>, %flag: i1) attributes {npu.tiles = 2 : i64} {
  %e0 = tensor.empty() {npu.padding, npu.tile = 0 : i64} : tensor<2x4xf32>
  %e1 = tensor.empty() {npu.padding, npu.tile = 1 : i64} : tensor<2x4xf32>
  // expected-error@+1 {{'cf.cond_br' hands on a tensor of tile 1 and one of tile 0 as one value; only npu.transfer crosses tiles}}
  cf.cond_br %flag, ^end(%e0 : tensor<2x4xf32>), ^end(%e1 : tensor<2x4xf32>)
^end(%r: tensor<2x4xf32>):
  return
}
