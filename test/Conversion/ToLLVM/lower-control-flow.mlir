// Loops and branches become blocks, whatever stands in what: each is lowered once,
// the last of a block first, and what a lowering makes is lowered as well.
//
// RUN: npu-opt %s --npu-lower-control-flow | FileCheck %s --implicit-check-not=scf.

// The loops of a block keep their order.
// CHECK-LABEL: func.func @row
// CHECK:       cf.br ^[[FIRST:bb[0-9]+]](
// CHECK:     ^[[FIRST]](
// CHECK:       cf.cond_br %{{.*}}, ^{{bb[0-9]+}}, ^[[BETWEEN:bb[0-9]+]]
// CHECK:       "first"
// CHECK:     ^[[BETWEEN]]:
// CHECK:       "between"
// CHECK:       cf.cond_br
// CHECK:       "second"
// CHECK:       "after"
// CHECK:       return
func.func @row(%m: memref<4xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    func.call @named() {name = "first"} : () -> ()
  }
  func.call @named() {name = "between"} : () -> ()
  scf.for %i = %zero to %n step %one {
    func.call @named() {name = "second"} : () -> ()
  }
  func.call @named() {name = "after"} : () -> ()
  return
}

func.func private @named()

// CHECK-LABEL: func.func @nested
// CHECK-COUNT-4: cf.cond_br
// CHECK:       "deep"
// CHECK:       return
func.func @nested(%n: index, %c: i1) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    scf.if %c {
      scf.for %j = %zero to %n step %one {
        scf.for %k = %zero to %j step %one {
          func.call @named() {name = "deep"} : () -> ()
        }
      }
    }
  }
  return
}

// A parallel loop becomes loops, which are lowered in turn.
// CHECK-LABEL: func.func @others
// CHECK:       cf.switch
// CHECK:       "case"
// CHECK:       "default"
// CHECK:       "region"
// CHECK-COUNT-2: cf.cond_br
// CHECK:       "parallel"
// CHECK:       cf.cond_br
// CHECK:       "while"
// CHECK:       return
func.func @others(%n: index, %c: i1) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.index_switch %n
  case 2 {
    func.call @named() {name = "case"} : () -> ()
    scf.yield
  }
  default {
    func.call @named() {name = "default"} : () -> ()
  }
  scf.execute_region {
    func.call @named() {name = "region"} : () -> ()
    scf.yield
  }
  scf.parallel (%i, %j) = (%zero, %zero) to (%n, %n) step (%one, %one) {
    func.call @named() {name = "parallel"} : () -> ()
    scf.reduce
  }
  scf.while : () -> () {
    scf.condition(%c)
  } do {
    func.call @named() {name = "while"} : () -> ()
    scf.yield
  }
  return
}
