// A maximum over the positions of a cache that a row sees, compared in i16.
func.func @prefill(%x: tensor<?xi8>, %cache: tensor<CACHExi8> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?xi8>, tensor<CACHExi8>) {
  %c0 = arith.constant 0 : index
  %k = arith.constant 64 : i16
  %low = arith.constant -128 : i8
  %n = tensor.dim %x, %c0 : tensor<?xi8>
  %full = tensor.insert_slice %x into %cache[%offset] [%n] [1] : tensor<?xi8> into tensor<CACHExi8>
  %e = tensor.empty(%n) : tensor<?xi8>
  %f = linalg.fill ins(%low : i8) outs(%e : tensor<?xi8>) -> tensor<?xi8>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%full : tensor<CACHExi8>) outs(%f : tensor<?xi8>) {
  ^bb0(%v: i8, %o: i8):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %p = arith.addi %i, %offset : index
    %pi = arith.index_cast %p : index to i16
    %ji = arith.index_cast %j : index to i16
    %pk = arith.muli %pi, %k : i16
    %jk = arith.muli %ji, %k : i16
    %sees = arith.cmpi sle, %jk, %pk : i16
    %t = arith.select %sees, %v, %low : i8
    %s = arith.maxsi %o, %t : i8
    linalg.yield %s : i8
  } -> tensor<?xi8>
  return %y, %full : tensor<?xi8>, tensor<CACHExi8>
}
