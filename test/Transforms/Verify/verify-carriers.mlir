// What hands distributed tensors on must be something that every tile can run,
// or verification says which operation is not: what it accepts, lowers.
//
// RUN: npu-opt %s --npu-verify-distributions --split-input-file --verify-diagnostics -o /dev/null

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>

func.func @forall(%x: tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows> {
  // expected-error@+1 {{expected distributed tensors to pass through scf.if, scf.for, scf.while, scf.index_switch and branches only, got 'scf.forall'}}
  %r = scf.forall (%i) in (4) shared_outs(%o = %x) -> tensor<8x4xf32, #rows> {
    %c2 = arith.constant 2 : index
    %j = arith.muli %i, %c2 : index
    %e = tensor.extract_slice %o[%j, 0] [2, 4] [1, 1] : tensor<8x4xf32, #rows> to tensor<2x4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %e into %o[%j, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<8x4xf32, #rows>
    }
  }
  return %r : tensor<8x4xf32, #rows>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>

func.func @affine(%x: tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows> {
  // expected-error@+1 {{got 'affine.for'}}
  %r = affine.for %i = 0 to 3 iter_args(%a = %x) -> tensor<8x4xf32, #rows> {
    %s = arith.addf %a, %x : tensor<8x4xf32, #rows>
    affine.yield %s : tensor<8x4xf32, #rows>
  }
  return %r : tensor<8x4xf32, #rows>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>

func.func @several_blocks(%x: tensor<8x4xf32, #rows>, %c: i1) -> tensor<8x4xf32, #rows> {
  // expected-error@+1 {{got 'scf.execute_region' of several blocks}}
  %r = scf.execute_region -> tensor<8x4xf32, #rows> {
    cf.cond_br %c, ^a, ^b
  ^a:
    %s = arith.addf %x, %x : tensor<8x4xf32, #rows>
    scf.yield %s : tensor<8x4xf32, #rows>
  ^b:
    scf.yield %x : tensor<8x4xf32, #rows>
  }
  return %r : tensor<8x4xf32, #rows>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>

func.func @branches_back(%x: tensor<8x4xf32, #rows>, %c: i1) -> tensor<8x4xf32, #rows> {
  cf.br ^again(%x : tensor<8x4xf32, #rows>)
^again(%a: tensor<8x4xf32, #rows>):
  %s = arith.addf %a, %x : tensor<8x4xf32, #rows>
  // expected-error@+1 {{expected loops around distributed tensors to be scf.for or scf.while, got branches that lead back, in 'branches_back'}}
  cf.cond_br %c, ^again(%s : tensor<8x4xf32, #rows>), ^end
^end:
  return %s : tensor<8x4xf32, #rows>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>

func.func @switch(%x: tensor<8x4xf32, #rows>, %flag: i32) -> tensor<8x4xf32, #rows> {
  // expected-error@+1 {{expected only cf.br and cf.cond_br to lead to blocks where tiles work, got 'cf.switch'}}
  cf.switch %flag : i32, [
    default: ^end(%x : tensor<8x4xf32, #rows>),
    0: ^other
  ]
^other:
  %s = arith.addf %x, %x : tensor<8x4xf32, #rows>
  cf.br ^end(%s : tensor<8x4xf32, #rows>)
^end(%r: tensor<8x4xf32, #rows>):
  return %r : tensor<8x4xf32, #rows>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>

func.func private @callee(%x: tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows> {
  return %x : tensor<8x4xf32, #rows>
}

func.func @call_indirect(%x: tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows> {
  %f = func.constant @callee : (tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows>
  // expected-error@+1 {{expected 'func.call' where distributed tensors are handed to a function, got 'func.call_indirect'}}
  %r = call_indirect %f(%x) : (tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows>
  return %r : tensor<8x4xf32, #rows>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>

func.func private @elsewhere(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = npu.redistribute %x : tensor<8x4xf32> to tensor<8x4xf32, #rows>
  %1 = npu.redistribute %0 : tensor<8x4xf32, #rows> to tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// Its signature says nothing of tiles, but it works on them.
func.func @by_its_address(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error@+1 {{expected only calls of 'elsewhere', which works on tiles, got 'func.constant'}}
  %f = func.constant @elsewhere : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %r = call_indirect %f(%x) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>

func.func @in_a_function_type(%f: (tensor<8x4xf32, #rows>) -> ()) { // expected-error {{expected layouts on tensors only, got one inside the type of %arg0}}
  return
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>

// expected-error@+1 {{expected no recursion where tiles work, got a function that calls itself: 'recursion'}}
func.func @recursion(%x: tensor<8x4xf32, #rows>, %again: i1) -> tensor<8x4xf32, #rows> {
  %false = arith.constant false
  %r = scf.if %again -> tensor<8x4xf32, #rows> {
    %0 = func.call @recursion(%x, %false) : (tensor<8x4xf32, #rows>, i1) -> tensor<8x4xf32, #rows>
    scf.yield %0 : tensor<8x4xf32, #rows>
  } else {
    scf.yield %x : tensor<8x4xf32, #rows>
  }
  return %r : tensor<8x4xf32, #rows>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>

func.func @elements(%x: tensor<8x4xvector<4xf32>, #rows>) { // expected-error {{expected elements of a known size on tiles, got 'vector<4xf32>' in %arg0}}
  return
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>

func.func @adds_to_nothing(%x: tensor<8x4xf32, #rows>, %w: tensor<4x4xf32, #npu.layout<DUPLICATED, tiles = 2>>) -> tensor<8x4xf32, #rows> {
  %e = tensor.empty() : tensor<8x4xf32, #rows>
  // expected-error@+1 {{'linalg.matmul' reads [0:8, 0:4] of operand #2 (%0), which nobody has written: a tensor.empty holds no values}}
  %r = linalg.matmul ins(%x, %w : tensor<8x4xf32, #rows>, tensor<4x4xf32, #npu.layout<DUPLICATED, tiles = 2>>)
      outs(%e : tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows>
  return %r : tensor<8x4xf32, #rows>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>

func.func @written_in_part(%x: tensor<8x3xf32, #rows>) -> tensor<8x4xf32, #rows> {
  %e = tensor.empty() : tensor<8x4xf32, #rows>
  %i = tensor.insert_slice %x into %e[0, 0] [8, 3] [1, 1] : tensor<8x3xf32, #rows> into tensor<8x4xf32, #rows>
  // expected-error@+1 {{'arith.negf' reads [0:8, 3:4] of operand #0}}
  %r = arith.negf %i : tensor<8x4xf32, #rows>
  return %r : tensor<8x4xf32, #rows>
}

// -----

// Nor where the blocks take nothing.
#s = #npu.layout<SEGMENTED, tiles = [2]>
func.func @switch_alone(%x: tensor<8xf32, #s>, %n: i32) -> tensor<8xf32, #s> {
  // expected-error@+1 {{expected only cf.br and cf.cond_br to lead to blocks where tiles work, got 'cf.switch'}}
  cf.switch %n : i32, [
    default: ^a,
    1: ^b
  ]
^a:
  %s = arith.addf %x, %x : tensor<8xf32, #s>
  cf.br ^c(%s : tensor<8xf32, #s>)
^b:
  cf.br ^c(%x : tensor<8xf32, #s>)
^c(%r: tensor<8xf32, #s>):
  return %r : tensor<8xf32, #s>
}

// -----

// A region of an operation that computes runs once for each entry.
#s = #npu.layout<SEGMENTED, tiles = [2]>
#t = #npu.layout<SEGMENTED, tiles = [3]>
func.func @in_a_region(%x: tensor<8xf32, #s>, %t: tensor<8xf32, #t>) -> tensor<8xf32, #s> {
  %e = tensor.empty() : tensor<8xf32, #s>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32, #s>) outs(%e : tensor<8xf32, #s>) {
  ^bb0(%v: f32, %o: f32):
    %i = linalg.index 0 : index
    // expected-error@+1 {{expected nothing but reads of single entries of distributed tensors in the region of 'linalg.generic', got 'arith.addf'}}
    %d = arith.addf %t, %t : tensor<8xf32, #t>
    %q = tensor.extract %d[%i] : tensor<8xf32, #t>
    linalg.yield %q : f32
  } -> tensor<8xf32, #s>
  return %y : tensor<8xf32, #s>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>

// Also where a loop has handed it on.
func.func @handed_on(%x: tensor<8x4xf32, #rows>, %n: index) -> tensor<8x4xf32, #rows> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<8x4xf32, #rows>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %e) -> tensor<8x4xf32, #rows> {
    // expected-error@+1 {{'arith.addf' reads [0:8, 0:4] of operand #0}}
    %s = arith.addf %a, %x : tensor<8x4xf32, #rows>
    scf.yield %s : tensor<8x4xf32, #rows>
  }
  return %r : tensor<8x4xf32, #rows>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>

func.func @returned(%x: tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows> {
  %e = tensor.empty() : tensor<8x4xf32, #rows>
  // expected-error@+1 {{'func.return' reads [0:8, 0:4] of operand #0}}
  return %e : tensor<8x4xf32, #rows>
}

// -----

// In DDR as well: a tile program that reads nothing there has lost a store.
func.func @gathers_nothing(%x: tensor<8x4xf32, #npu.layout<SEGMENTED, tiles = [2, 1]>>, %i: tensor<8x1xi32>) -> tensor<8x4xf32, #npu.layout<SEGMENTED, tiles = [2, 1]>> {
  %e = tensor.empty() : tensor<8x4xf32>
  // expected-error@+1 {{'tensor.gather' reads [0:8, 0:4] of operand #0 (%0), which nobody has written: a tensor.empty holds no values}}
  %g = tensor.gather %e[%i] gather_dims([0]) : (tensor<8x4xf32>, tensor<8x1xi32>) -> tensor<8x4xf32>
  %r = npu.redistribute %g : tensor<8x4xf32> to tensor<8x4xf32, #npu.layout<SEGMENTED, tiles = [2, 1]>>
  return %r : tensor<8x4xf32, #npu.layout<SEGMENTED, tiles = [2, 1]>>
}
