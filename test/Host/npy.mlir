// .npy files in and out: written by a script of this folder, run, read again.
// Several results are numbered; a bf16 tensor is a file of u2.
//
// RUN: rm -rf %t && mkdir -p %t
// RUN: %python %S/../Inputs/npy.py write %t/a.npy '<f4' 2x2 1 -2.5 3e10 0.125
// RUN: %python %S/../Inputs/npy.py write %t/b.npy '|i1' 3 -128 0 127
// RUN: %python %S/../Inputs/npy.py write %t/c.npy '<f2' - 1.5
// RUN: %python %S/../Inputs/npy.py write %t/d.npy '|b1' 2 0 1
// RUN: %python %S/../Inputs/npy.py write %t/e.npy '<u2' 1 16256
// RUN: %python %S/../Inputs/npy.py write %t/f.npy '<f8' 1 0.1
// RUN: npu-run %s --inputs=%t/a.npy,%t/b.npy,%t/c.npy,%t/d.npy,%t/e.npy,%t/f.npy --output=%t/r.npy
// RUN: %python %S/../Inputs/npy.py read %t/r.0.npy | FileCheck %s --check-prefix=R0
// RUN: %python %S/../Inputs/npy.py read %t/r.1.npy | FileCheck %s --check-prefix=R1
// RUN: %python %S/../Inputs/npy.py read %t/r.2.npy | FileCheck %s --check-prefix=R2
// RUN: %python %S/../Inputs/npy.py read %t/r.3.npy | FileCheck %s --check-prefix=R3
// RUN: %python %S/../Inputs/npy.py read %t/r.4.npy | FileCheck %s --check-prefix=R4
// RUN: %python %S/../Inputs/npy.py read %t/r.5.npy | FileCheck %s --check-prefix=R5
//
// What was written can be read: the same results again.
// RUN: npu-run %s --inputs=%t/r.0.npy,%t/r.1.npy,%t/r.2.npy,%t/r.3.npy,%t/r.4.npy,%t/r.5.npy --output=%t/s.npy
// RUN: cmp %t/r.0.npy %t/s.0.npy && cmp %t/r.1.npy %t/s.1.npy && cmp %t/r.2.npy %t/s.2.npy
// RUN: cmp %t/r.3.npy %t/s.3.npy && cmp %t/r.4.npy %t/s.4.npy && cmp %t/r.5.npy %t/s.5.npy
//
// One result keeps its name. MLIR's i8 has no sign: u1 fits as well.
// RUN: %python %S/../Inputs/npy.py write %t/u.npy '|u1' 3 128 0 127
// RUN: npu-run %s --entry=one --inputs=%t/u.npy --output=%t/one.npy
// RUN: %python %S/../Inputs/npy.py read %t/one.npy | FileCheck %s --check-prefix=ONE

// Where one result cannot be written, none is.
// RUN: mkdir %t/n.3.npy && echo old > %t/n.0.npy
// RUN: not npu-run %s --output=%t/n.npy 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: grep old %t/n.0.npy && not ls %t/n.1.npy
// RUN: ls %t | not grep tmp
// NONE: npu-run: error: {{.*}}n.3.npy: Is a directory

// R0: <f4 (2, 2) 1.0 -2.5 30000001024.0 0.125
// R1: |i1 (3,) -128 0 127
// R2: <f2 () 1.5
// R3: |b1 (2,) False True
// R4: <u2 (1,) 16256
// R5: <f8 (1,) 0.1
func.func @main(%a: tensor<2x2xf32>, %b: tensor<3xi8>, %c: tensor<f16>, %d: tensor<2xi1>,
                %e: tensor<1xbf16>, %f: tensor<1xf64>)
    -> (tensor<2x2xf32>, tensor<3xi8>, tensor<f16>, tensor<2xi1>, tensor<1xbf16>, tensor<1xf64>) {
  return %a, %b, %c, %d, %e, %f
      : tensor<2x2xf32>, tensor<3xi8>, tensor<f16>, tensor<2xi1>, tensor<1xbf16>, tensor<1xf64>
}

// ONE: |i1 (3,) -128 0 127
func.func @one(%a: tensor<3xi8>) -> tensor<3xi8> {
  return %a : tensor<3xi8>
}
