func.func @main(%a: tensor<8x8xf32>, %idx: tensor<4xi32>, %table: tensor<16x8xf32>) -> (tensor<8x8xf32>, tensor<4x8xf32>, tensor<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : i32
  %e = tensor.empty() : tensor<8x8xf32>
  %x = linalg.exp ins(%a : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %w:2 = scf.while (%i = %c3, %t = %x) : (i32, tensor<8x8xf32>) -> (i32, tensor<8x8xf32>) {
    %z = arith.constant 0 : i32
    %cond = arith.cmpi sgt, %i, %z : i32
    scf.condition(%cond) %i, %t : i32, tensor<8x8xf32>
  } do {
  ^bb0(%i: i32, %t: tensor<8x8xf32>):
    %one = arith.constant 1 : i32
    %j = arith.subi %i, %one : i32
    %e2 = tensor.empty() : tensor<8x8xf32>
    %u = linalg.add ins(%t, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e2 : tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.yield %j, %u : i32, tensor<8x8xf32>
  }
  %ge = tensor.empty() : tensor<4x8xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%idx : tensor<4xi32>) outs(%ge : tensor<4x8xf32>) {
  ^bb0(%i: i32, %o: f32):
    %k = arith.index_cast %i : i32 to index
    %d = linalg.index 1 : index
    %v = tensor.extract %table[%k, %d] : tensor<16x8xf32>
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  return %w#1, %g, %x : tensor<8x8xf32>, tensor<4x8xf32>, tensor<8x8xf32>
}
