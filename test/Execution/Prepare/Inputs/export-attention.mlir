// As an exporter writes it: a step of grouped-query attention in TOSA and linalg,
// four heads on two of keys and values, with clocks, printing, and a main.
func.func private @rtclock() -> f64
func.func private @printMemrefF32(tensor<*xf32>)

func.func @attend(%q: tensor<1x4x6x8xf32>, %k: tensor<1x2x10x8xf32>,
                  %v: tensor<1x2x10x8xf32>, %mask: tensor<1x1x6x10xf32>) {
  %begin = call @rtclock() : () -> f64
  // Every head of keys and values serves two heads of queries.
  %five = tosa.const_shape {values = dense<[1, 2, 1, 10, 8]> : tensor<5xindex>} : () -> !tosa.shape<5>
  %four = tosa.const_shape {values = dense<[4, 10, 8]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %zeros = "tosa.const"() <{values = dense<0.0> : tensor<1x2x2x10x8xf32>}> : () -> tensor<1x2x2x10x8xf32>
  %k5 = tosa.reshape %k, %five : (tensor<1x2x10x8xf32>, !tosa.shape<5>) -> tensor<1x2x1x10x8xf32>
  %kk = tosa.add %k5, %zeros : (tensor<1x2x1x10x8xf32>, tensor<1x2x2x10x8xf32>) -> tensor<1x2x2x10x8xf32>
  %keys = tosa.reshape %kk, %four : (tensor<1x2x2x10x8xf32>, !tosa.shape<3>) -> tensor<4x10x8xf32>
  %v5 = tosa.reshape %v, %five : (tensor<1x2x10x8xf32>, !tosa.shape<5>) -> tensor<1x2x1x10x8xf32>
  %vv = tosa.add %v5, %zeros : (tensor<1x2x1x10x8xf32>, tensor<1x2x2x10x8xf32>) -> tensor<1x2x2x10x8xf32>
  %values = tosa.reshape %vv, %four : (tensor<1x2x2x10x8xf32>, !tosa.shape<3>) -> tensor<4x10x8xf32>

  // Scores, as linalg, with the keys transposed by its maps.
  %rows = tosa.const_shape {values = dense<[4, 6, 8]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %queries = tosa.reshape %q, %rows : (tensor<1x4x6x8xf32>, !tosa.shape<3>) -> tensor<4x6x8xf32>
  %none = arith.constant dense<0.0> : tensor<4x6x10xf32>
  %scores = linalg.batch_matmul
      indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>,
                       affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%queries, %keys : tensor<4x6x8xf32>, tensor<4x10x8xf32>)
      outs(%none : tensor<4x6x10xf32>) -> tensor<4x6x10xf32>
  %scale = arith.constant 0.353553391 : f32
  %scales = tensor.splat %scale : tensor<4x6x10xf32>
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %scaled = tosa.mul %scores, %scales, %shift : (tensor<4x6x10xf32>, tensor<4x6x10xf32>, tensor<1xi8>) -> tensor<4x6x10xf32>
  %three = tosa.const_shape {values = dense<[1, 6, 10]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %m = tosa.reshape %mask, %three : (tensor<1x1x6x10xf32>, !tosa.shape<3>) -> tensor<1x6x10xf32>
  %masked = tosa.add %scaled, %m : (tensor<4x6x10xf32>, tensor<1x6x10xf32>) -> tensor<4x6x10xf32>

  // Softmax, with one operation of math on whole tensors.
  %max = tosa.reduce_max %masked {axis = 2 : i32} : (tensor<4x6x10xf32>) -> tensor<4x6x1xf32>
  %centred = tosa.sub %masked, %max : (tensor<4x6x10xf32>, tensor<4x6x1xf32>) -> tensor<4x6x10xf32>
  %exp = math.exp %centred : tensor<4x6x10xf32>
  %sum = tosa.reduce_sum %exp {axis = 2 : i32} : (tensor<4x6x10xf32>) -> tensor<4x6x1xf32>
  %reciprocal = tosa.reciprocal %sum : (tensor<4x6x1xf32>) -> tensor<4x6x1xf32>
  %weights = tosa.mul %exp, %reciprocal, %shift : (tensor<4x6x10xf32>, tensor<4x6x1xf32>, tensor<1xi8>) -> tensor<4x6x10xf32>

  %zero = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %out = tosa.matmul %weights, %values, %zero, %zero : (tensor<4x6x10xf32>, tensor<4x10x8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4x6x8xf32>
  %joined = tosa.transpose %out {perms = array<i32: 1, 0, 2>} : (tensor<4x6x8xf32>) -> tensor<6x4x8xf32>
  %flat = tosa.const_shape {values = dense<[1, 6, 32]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %result = tosa.reshape %joined, %flat : (tensor<6x4x8xf32>, !tosa.shape<3>) -> tensor<1x6x32xf32>

  %end = call @rtclock() : () -> f64
  %time = arith.subf %end, %begin : f64
  %any = tensor.cast %result : tensor<1x6x32xf32> to tensor<*xf32>
  call @printMemrefF32(%any) : (tensor<*xf32>) -> ()
  vector.print %time : f64
  return
}

func.func @main() {
  %q = arith.constant dense<1.0> : tensor<1x4x6x8xf32>
  %k = arith.constant dense<2.0> : tensor<1x2x10x8xf32>
  %v = arith.constant dense<3.0> : tensor<1x2x10x8xf32>
  %mask = arith.constant dense<0.0> : tensor<1x1x6x10xf32>
  call @attend(%q, %k, %v, %mask) : (tensor<1x4x6x8xf32>, tensor<1x2x10x8xf32>, tensor<1x2x10x8xf32>, tensor<1x1x6x10xf32>) -> ()
  return
}
