func.func @main(%x: tensor<64x64xf32>, %rounds: index) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %rounds step %c1 iter_args(%a = %x) -> tensor<64x64xf32> {
    %e = math.exp %a : tensor<64x64xf32>
    scf.yield %e : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}
