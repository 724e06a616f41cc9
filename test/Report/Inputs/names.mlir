func.func @"a long name of a function,\0A with a line in it, that goes on and on and on and on"(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  return %x : tensor<4x4xf32>
}
