// What cannot be meant by #npu.precision is refused where it is written; the
// numbers are those of the constraints of the attribute.
// RUN: npu-opt %s --split-input-file --verify-diagnostics

// 1.
// expected-error@+1 {{expected a precision that says something: storage, accumulation or intermediate}}
#nothing = #npu.precision<>

// -----

// 2.
// expected-error@+1 {{expected accumulation to be one of f16, bf16, f32, f64, i8, i16, i32, i64, got tf32}}
#unknown = #npu.precision<accumulation = tf32>

// -----

// 3.
// expected-error@+1 {{expected floats alone or integers alone, got storage f16 and accumulation i32}}
#mixed = #npu.precision<storage = f16, accumulation = i32>

// -----

// 4.
// expected-error@+1 {{expected accumulation to hold every number of storage f32, got f16}}
#short = #npu.precision<storage = f32, accumulation = f16>

// -----

// 4.
// expected-error@+1 {{expected intermediate to hold every number of storage i32, got i8}}
#bytes = #npu.precision<storage = i32, intermediate = i8>

// -----

// expected-error@+1 {{duplicate or unknown struct parameter name: storage}}
#twice = #npu.precision<storage = f32, storage = f32>

// -----

// 5.
func.func @elsewhere(%x: tensor<4xf16>) -> tensor<4xf16> {
  // expected-error@+1 {{expected 'npu.precision' on an operation of linalg}}
  %0 = tosa.exp %x {npu.precision = #npu.precision<intermediate = f32>} : (tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// 5.
func.func @integers(%x: tensor<4xf16>) -> tensor<4xf16> {
  // expected-error@+1 {{expected intermediate to be a float for a result of f16, got i32}}
  %0 = linalg.exp {npu.precision = #npu.precision<intermediate = i32>} ins(%x : tensor<4xf16>) outs(%x : tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

func.func @other(%x: tensor<4xf16>) -> tensor<4xf16> {
  // expected-error@+1 {{expected 'npu.precision' to be a #npu.precision, got "f32"}}
  %0 = linalg.exp {npu.precision = "f32"} ins(%x : tensor<4xf16>) outs(%x : tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}
