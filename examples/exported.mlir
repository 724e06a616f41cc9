// A model as exporters write it, with the program around it that makes its input, takes
// the time and prints the result (docs/your-model.md).

func.func private @rtclock() -> f64
func.func private @printMemrefF32(tensor<*xf32>)

func.func @kernel(%x: tensor<16x32xf32>) {
  %begin = call @rtclock() : () -> f64
  %w = "tosa.const"() {values = dense<0.0625> : tensor<16x32xf32>} : () -> tensor<16x32xf32>
  %0 = tosa.add %x, %w : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
  %1 = tosa.tanh %0 : (tensor<16x32xf32>) -> tensor<16x32xf32>
  %end = call @rtclock() : () -> f64
  %time = arith.subf %end, %begin : f64
  vector.print %time : f64
  %printed = tensor.cast %1 : tensor<16x32xf32> to tensor<*xf32>
  call @printMemrefF32(%printed) : (tensor<*xf32>) -> ()
  return
}

func.func @main() {
  %x = arith.constant dense<1.0> : tensor<16x32xf32>
  call @kernel(%x) : (tensor<16x32xf32>) -> ()
  return
}
