// What pad-gather.mlir gathers, as upstream's loops can run it.

func.func @rows(%x: tensor<?x4xf32>, %at: tensor<?xi32>) -> tensor<?x1x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %last = arith.subi %n, %c1 : index
  %e = tensor.empty(%n) : tensor<?x1x4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%at : tensor<?xi32>) outs(%e : tensor<?x1x4xf32>) {
  ^bb0(%p: i32, %o: f32):
    %q = arith.index_cast %p : i32 to index
    %low = arith.maxsi %q, %c0 : index
    %in = arith.minsi %low, %last : index
    %k = linalg.index 2 : index
    %v = tensor.extract %x[%in, %k] : tensor<?x4xf32>
    linalg.yield %v : f32
  } -> tensor<?x1x4xf32>
  return %0 : tensor<?x1x4xf32>
}

func.func @entries(%x: tensor<3x?xf32>) -> tensor<2x?xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c1 : tensor<3x?xf32>
  %e = tensor.empty(%n) : tensor<2x?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<2x?xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.subi %c2, %i : index
    %v = tensor.extract %x[%row, %j] : tensor<3x?xf32>
    linalg.yield %v : f32
  } -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}
