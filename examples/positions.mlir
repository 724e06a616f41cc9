// A cache of 172,032 entries, in which a model writes at positions of i64 and from which it
// reads at others. No kernel of npu4000 takes positions of 64 bits: npu-print-kernels says
// so, and npu-select-kernels narrows them.
func.func @main(%cache: tensor<172032xf16>, %new: tensor<2xf16>, %rows: tensor<3x1xi64>)
    -> tensor<3xf16> {
  %at = arith.constant dense<[[172031], [7]]> : tensor<2x1xi64>
  %written = npu.scatter %new into %cache at %at
      : tensor<2xf16>, tensor<172032xf16>, tensor<2x1xi64> -> tensor<172032xf16>
  %read = npu.gather %written at %rows
      : tensor<172032xf16>, tensor<3x1xi64> -> tensor<3xf16>
  return %read : tensor<3xf16>
}
