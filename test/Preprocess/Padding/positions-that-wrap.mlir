// A comparison of positions that are counted in i16 says which entries are real
// only as long as no position wraps: with 64 per entry, up to 511 entries. One
// more, and padding has a mask of its own. The same holds for chunks, where the
// cache says how far positions go.
//
// RUN: npu-opt %s --npu-pad-to-max-prompt-len=max-prompt-len=511 | FileCheck %s --check-prefix=FITS
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=512 poison" -o %t.padded
// RUN: FileCheck %s --check-prefix=WRAPS --input-file=%t.padded
// RUN: npu-run %t.padded --reference=%s --length=1,5,511,512 | FileCheck %s --check-prefix=LENGTHS
// RUN: sed 's/CACHE/255/g' %S/Inputs/positions-in-i16.mlir | npu-opt --npu-chunk-prefill=chunk-len=4 -o /dev/null
// RUN: sed 's/CACHE/512/g' %S/Inputs/positions-in-i16.mlir | not npu-opt --npu-chunk-prefill=chunk-len=4 2>&1 | FileCheck %s --check-prefix=CHUNKS

// FITS: arith.select
// FITS-NOT: arith.select
// FITS: return
// WRAPS-COUNT-2: arith.select
// LENGTHS: 4 lengths, 0 different
// CHUNKS: error: 'linalg.generic' cannot be run in chunks: row i reads entries of operand #0 at positions after row i
func.func @main(%x: tensor<?xi8>) -> tensor<i8> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi8>
  %n16 = arith.index_cast %n : index to i16
  %k = arith.constant 64 : i16
  %end = arith.muli %n16, %k : i16
  %most = arith.constant 127 : i8
  %e = tensor.empty() : tensor<i8>
  %f = linalg.fill ins(%most : i8) outs(%e : tensor<i8>) -> tensor<i8>
  %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<?xi8>) outs(%f : tensor<i8>) {
  ^bb0(%a: i8, %o: i8):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i16
    %p = arith.muli %j, %k : i16
    %c = arith.cmpi slt, %p, %end : i16
    %t = arith.select %c, %a, %most : i8
    %r = arith.minsi %o, %t : i8
    linalg.yield %r : i8
  } -> tensor<i8>
  return %m : tensor<i8>
}
