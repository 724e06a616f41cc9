// Pictures of placements for terminals: every mode as people will see it, in lines of
// at most 80 columns, in colour on a terminal and nowhere else.
//
// RUN: npu-opt %s --npu-print-distributions=format=picture -o /dev/null > %t.txt
// RUN: FileCheck %s --strict-whitespace --match-full-lines < %t.txt
// RUN: not grep -E '^.{81}' %t.txt
// RUN: npu-opt %s --npu-print-distributions="format=picture tiles=0" -o /dev/null > %t.all.txt
// RUN: FileCheck %s --check-prefix=ALL < %t.all.txt
// RUN: not grep -E '^.{81}' %t.all.txt
// RUN: %python %S/Inputs/on_a_terminal.py npu-opt %s --npu-print-distributions=format=picture -o /dev/null | FileCheck %s --check-prefix=COLOUR
// RUN: not npu-opt %s --npu-print-distributions="format=picture tiles=-1" 2>&1 | FileCheck %s --check-prefix=TILES
// RUN: not npu-opt %s --npu-print-distributions=format=pictures 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not npu-opt %s --npu-print-transfers=format=pictures 2>&1 | FileCheck %s --check-prefix=FORMAT

// No character of a picture has a colour of another, and text has none.
// COLOUR: {{^}}function @segmented
// COLOUR: tile 0 |{{.\[0;32m##############.\[0m +\|}}
// COLOUR: {{^}}function @halo
// COLOUR: tile 0 |{{.\[0;32m#+.\[0m.\[0;36m\+.\[0m +\|}}
// COLOUR: {{^}}  %arg1 : tensor<8x4xf16, #npu.layout<SEGMENTED|DUPLICATED, tiles = [2, 1]>>{{.?$}}

// Each group of tiles has borders of its own.
// ALL: function @many
// ALL: tile 63 |
// ALL-NOT: more tiles

// TILES: error: npu-print-distributions: expected tiles of 0 or more, got -1
// FORMAT: error: npu-print-{{.*}}: unknown format 'pictures', expected text, json or picture

// CHECK:# computes   * computes, as other tiles do   + only holds   . padding

// SEGMENTED: each tile has its own part.
func.func @segmented(%x: tensor<1x28x336x128xf16, #npu.layout<SEGMENTED, tiles = [1, 4, 1, 1]>>) {
  return
}
// CHECK-NEXT:function @segmented
// CHECK-NEXT:  %arg0 : tensor<1x28x336x128xf16, #npu.layout<SEGMENTED, tiles = [1, 4, 1, 1]>>
// CHECK-NEXT:    dimension 1 of 28 entries, from left to right
// CHECK-NEXT:           0             7             14            21            28
// CHECK-NEXT:    tile 0 |##############                                          |
// CHECK-NEXT:    tile 1 |              ##############                            |
// CHECK-NEXT:    tile 2 |                            ##############              |
// CHECK-NEXT:    tile 3 |                                          ##############|

// OVERLAPPED with a halo, which has columns however small it is.
func.func @halo(%x: tensor<1x16x56x56xf16, #npu.layout<OVERLAPPED, tiles = [1, 1, 4, 1], window = [[2, 3, 1, 1, 1]]>>) {
  return
}
// CHECK-NEXT:function @halo
// CHECK-NEXT:  %arg0 : tensor<1x16x56x56xf16, #npu.layout<OVERLAPPED, tiles = [1, 1, 4, 1],
// CHECK-NEXT{LITERAL}:      window = [[2, 3, 1, 1, 1]]>>
// CHECK-NEXT:    dimension 2 of 56 entries, from left to right
// CHECK-NEXT:           0            13            27            41             56
// CHECK-NEXT:    tile 0 |##############+                                         |
// CHECK-NEXT:    tile 1 |             +##############+                           |
// CHECK-NEXT:    tile 2 |                           +##############+             |
// CHECK-NEXT:    tile 3 |                                         +##############|

// Uneven parts.
func.func @uneven(%x: tensor<10x4xf32, #npu.layout<SEGMENTED, tiles = [4, 1]>>) {
  return
}
// CHECK-NEXT:function @uneven
// CHECK-NEXT:  %arg0 : tensor<10x4xf32, #npu.layout<SEGMENTED, tiles = [4, 1]>>
// CHECK-NEXT:    dimension 0 of 10 entries, from left to right
// CHECK-NEXT:           0           3           6       8       10
// CHECK-NEXT:    tile 0 |############                            |
// CHECK-NEXT:    tile 1 |            ############                |
// CHECK-NEXT:    tile 2 |                        ########        |
// CHECK-NEXT:    tile 3 |                                ########|

// Two dimensions: rows and columns of each tile.
func.func @two(%x: tensor<8x6xf32, #npu.layout<SEGMENTED, tiles = [2, 2]>>) {
  return
}
// CHECK-NEXT:function @two
// CHECK-NEXT:  %arg0 : tensor<8x6xf32, #npu.layout<SEGMENTED, tiles = [2, 2]>>
// CHECK-NEXT:    dimension 0 of 8 entries, downwards
// CHECK-NEXT:    dimension 1 of 6 entries, from left to right
// CHECK-NEXT:    rows end at 4 8
// CHECK-NEXT:    columns end at 3 6
// CHECK-NEXT:    tile 0          tile 1          tile 2          tile 3
// CHECK-NEXT:    |######      |  |      ######|  |            |  |            |
// CHECK-NEXT:    |######      |  |      ######|  |            |  |            |
// CHECK-NEXT:    |######      |  |      ######|  |            |  |            |
// CHECK-NEXT:    |######      |  |      ######|  |            |  |            |
// CHECK-NEXT:    |            |  |            |  |######      |  |      ######|
// CHECK-NEXT:    |            |  |            |  |######      |  |      ######|
// CHECK-NEXT:    |            |  |            |  |######      |  |      ######|
// CHECK-NEXT:    |            |  |            |  |######      |  |      ######|

// Halos in two dimensions; the dimensions are to scale where there is room.
func.func @twohalo(%x: tensor<1x8x56x56xf32, #npu.layout<OVERLAPPED, tiles = [1, 1, 2, 3], window = [[2, 3, 1, 1, 1], [3, 3, 1, 1, 1]]>>) {
  return
}
// CHECK-NEXT:function @twohalo
// CHECK-NEXT:  %arg0 : tensor<1x8x56x56xf32, #npu.layout<OVERLAPPED, tiles = [1, 1, 2, 3],
// CHECK-NEXT{LITERAL}:      window = [[2, 3, 1, 1, 1], [3, 3, 1, 1, 1]]>>
// CHECK-NEXT:    dimension 2 of 56 entries, downwards
// CHECK-NEXT:    dimension 3 of 56 entries, from left to right
// CHECK-NEXT:    rows end at 27 28 29 56
// CHECK-NEXT:    columns end at 18 19 20 37 38 39 56
// CHECK-NEXT:    tile 0             tile 1             tile 2             tile 3
// CHECK-NEXT:    |####+          |  |   +######+    |  |         +#####|  |               |
// CHECK-NEXT:    |####+          |  |   +######+    |  |         +#####|  |               |
// CHECK-NEXT:    |####+          |  |   +######+    |  |         +#####|  |+++++          |
// CHECK-NEXT:    |####+          |  |   +######+    |  |         +#####|  |+++++          |
// CHECK-NEXT:    |+++++          |  |   ++++++++    |  |         ++++++|  |####+          |
// CHECK-NEXT:    |               |  |               |  |               |  |####+          |
// CHECK-NEXT:    |               |  |               |  |               |  |####+          |
// CHECK-NEXT:    |               |  |               |  |               |  |####+          |
// CHECK-NEXT:    tile 4             tile 5
// CHECK-NEXT:    |               |  |               |
// CHECK-NEXT:    |               |  |               |
// CHECK-NEXT:    |   ++++++++    |  |         ++++++|
// CHECK-NEXT:    |   ++++++++    |  |         ++++++|
// CHECK-NEXT:    |   +######+    |  |         +#####|
// CHECK-NEXT:    |   +######+    |  |         +#####|
// CHECK-NEXT:    |   +######+    |  |         +#####|
// CHECK-NEXT:    |   +######+    |  |         +#####|

// Permuted: dimensions stand in memory order.
func.func @permuted(%x: tensor<1x8x8x4xf16, #npu.layout<SEGMENTED, tiles = [1, 2, 2, 1], order = NHWC>>) {
  return
}
// CHECK-NEXT:function @permuted
// CHECK-NEXT:  %arg0 : tensor<1x8x8x4xf16, #npu.layout<SEGMENTED, tiles = [1, 2, 2, 1], order
// CHECK-NEXT:      = NHWC>>
// CHECK-NEXT:    dimension 2 of 8 entries, downwards
// CHECK-NEXT:    dimension 1 of 8 entries, from left to right
// CHECK-NEXT:    rows end at 4 8
// CHECK-NEXT:    columns end at 4 8
// CHECK-NEXT:    tile 0      tile 1      tile 2      tile 3
// CHECK-NEXT:    |####    |  |        |  |    ####|  |        |
// CHECK-NEXT:    |####    |  |        |  |    ####|  |        |
// CHECK-NEXT:    |####    |  |        |  |    ####|  |        |
// CHECK-NEXT:    |####    |  |        |  |    ####|  |        |
// CHECK-NEXT:    |        |  |####    |  |        |  |    ####|
// CHECK-NEXT:    |        |  |####    |  |        |  |    ####|
// CHECK-NEXT:    |        |  |####    |  |        |  |    ####|
// CHECK-NEXT:    |        |  |####    |  |        |  |    ####|

// Padded: padding is held, and nothing depends on it.
func.func @padded(%x: tensor<1x512x64xf32, #npu.layout<SEGMENTED, tiles = [1, 4, 1]>> {npu.padding = [[1, 336, 512]]}) {
  return
}
// CHECK-NEXT:function @padded
// CHECK-NEXT:  %arg0 : tensor<1x512x64xf32, #npu.layout<SEGMENTED, tiles = [1, 4, 1]>>
// CHECK-NEXT:    padding: 336:512 of dimension 1
// CHECK-NEXT:    dimension 1 of 512 entries, from left to right
// CHECK-NEXT:           0               128             256       336    384             512
// CHECK-NEXT:    tile 0 |################                                                 |
// CHECK-NEXT:    tile 1 |                ################                                 |
// CHECK-NEXT:    tile 2 |                                ##########.......                |
// CHECK-NEXT:    tile 3 |                                                 ................|

// Replicated: all of it, parts of it, and two copies.
func.func @replicated(%x: tensor<8x4xf16, #npu.layout<DUPLICATED, tiles = 3>>,
    %y: tensor<8x4xf16, #npu.layout<SEGMENTED|DUPLICATED, tiles = [2, 1]>>,
    %z: tensor<8x4xf16, #npu.layout<SEGMENTED, tiles = [2, 1], copies = 2>>) {
  return
}
// CHECK-NEXT:function @replicated
// CHECK-NEXT:  %arg0 : tensor<8x4xf16, #npu.layout<DUPLICATED, tiles = 3>>
// CHECK-NEXT:    dimension 0 of 8 entries, from left to right
// CHECK-NEXT:           0                               8
// CHECK-NEXT:    tile 0 |********************************|
// CHECK-NEXT:    tile 1 |********************************|
// CHECK-NEXT:    tile 2 |********************************|
// CHECK-NEXT:  %arg1 : tensor<8x4xf16, #npu.layout<SEGMENTED|DUPLICATED, tiles = [2, 1]>>
// CHECK-NEXT:    dimension 0 of 8 entries, from left to right
// CHECK-NEXT:           0               4               8
// CHECK-NEXT:    tile 0 |################++++++++++++++++|
// CHECK-NEXT:    tile 1 |++++++++++++++++################|
// CHECK-NEXT:  %arg2 : tensor<8x4xf16, #npu.layout<SEGMENTED, tiles = [2, 1], copies = 2>>
// CHECK-NEXT:    dimension 0 of 8 entries, from left to right
// CHECK-NEXT:           0               4               8
// CHECK-NEXT:    tile 0 |****************                |
// CHECK-NEXT:    tile 1 |****************                |
// CHECK-NEXT:    tile 2 |                ****************|
// CHECK-NEXT:    tile 3 |                ****************|

// Three dimensions: rows and columns for each range of the first.
func.func @three(%x: tensor<4x6x8xf16, #npu.layout<SEGMENTED, tiles = [2, 2, 2]>>) {
  return
}
// CHECK-NEXT:function @three
// CHECK-NEXT:  %arg0 : tensor<4x6x8xf16, #npu.layout<SEGMENTED, tiles = [2, 2, 2]>>
// CHECK-NEXT:    dimension 0 of 4 entries, from picture to picture
// CHECK-NEXT:    dimension 1 of 6 entries, downwards
// CHECK-NEXT:    dimension 2 of 8 entries, from left to right
// CHECK-NEXT:    rows end at 3 6
// CHECK-NEXT:    columns end at 4 8
// CHECK-NEXT:    dimension 0 at 0:2
// CHECK-NEXT:    tile 0      tile 1      tile 2      tile 3
// CHECK-NEXT:    |####    |  |    ####|  |        |  |        |
// CHECK-NEXT:    |####    |  |    ####|  |        |  |        |
// CHECK-NEXT:    |####    |  |    ####|  |        |  |        |
// CHECK-NEXT:    |        |  |        |  |####    |  |    ####|
// CHECK-NEXT:    |        |  |        |  |####    |  |    ####|
// CHECK-NEXT:    |        |  |        |  |####    |  |    ####|
// CHECK-NEXT:    dimension 0 at 2:4
// CHECK-NEXT:    tile 4      tile 5      tile 6      tile 7
// CHECK-NEXT:    |####    |  |    ####|  |        |  |        |
// CHECK-NEXT:    |####    |  |    ####|  |        |  |        |
// CHECK-NEXT:    |####    |  |    ####|  |        |  |        |
// CHECK-NEXT:    |        |  |        |  |####    |  |    ####|
// CHECK-NEXT:    |        |  |        |  |####    |  |    ####|
// CHECK-NEXT:    |        |  |        |  |####    |  |    ####|

// Of four dimensions that are cut, the three largest.
func.func @four(%x: tensor<2x4x6x8xf16, #npu.layout<SEGMENTED, tiles = [2, 2, 2, 2]>>) {
  return
}
// CHECK-NEXT:function @four
// CHECK-NEXT:  %arg0 : tensor<2x4x6x8xf16, #npu.layout<SEGMENTED, tiles = [2, 2, 2, 2]>>
// CHECK-NEXT:    dimension 1 of 4 entries, from picture to picture
// CHECK-NEXT:    dimension 2 of 6 entries, downwards
// CHECK-NEXT:    dimension 3 of 8 entries, from left to right
// CHECK-NEXT:    dimension 0 of 2 entries is cut as well, and not drawn
// CHECK-NEXT:    rows end at 3 6
// CHECK-NEXT:    columns end at 4 8
// CHECK-NEXT:    dimension 1 at 0:2
// CHECK-NEXT:    tile 0      tile 1      tile 2      tile 3
// CHECK-NEXT:    |####    |  |    ####|  |        |  |        |
// CHECK-NEXT:    |####    |  |    ####|  |        |  |        |
// CHECK-NEXT:    |####    |  |    ####|  |        |  |        |
// CHECK-NEXT:    |        |  |        |  |####    |  |    ####|
// CHECK-NEXT:    |        |  |        |  |####    |  |    ####|
// CHECK-NEXT:    |        |  |        |  |####    |  |    ####|
// CHECK-NEXT:    tile 8      tile 9      tile 10     tile 11
// CHECK-NEXT:    |####    |  |    ####|  |        |  |        |
// CHECK-NEXT:    |####    |  |    ####|  |        |  |        |
// CHECK-NEXT:    |####    |  |    ####|  |        |  |        |
// CHECK-NEXT:    |        |  |        |  |####    |  |    ####|
// CHECK-NEXT:    |        |  |        |  |####    |  |    ####|
// CHECK-NEXT:    |        |  |        |  |####    |  |    ####|
// CHECK-NEXT:    dimension 1 at 2:4
// CHECK-NEXT:    tile 4      tile 5      tile 6      tile 7
// CHECK-NEXT:    |####    |  |    ####|  |        |  |        |
// CHECK-NEXT:    |####    |  |    ####|  |        |  |        |
// CHECK-NEXT:    |####    |  |    ####|  |        |  |        |
// CHECK-NEXT:    |        |  |        |  |####    |  |    ####|
// CHECK-NEXT:    |        |  |        |  |####    |  |    ####|
// CHECK-NEXT:    |        |  |        |  |####    |  |    ####|
// CHECK-NEXT:    tile 12     tile 13     tile 14     tile 15
// CHECK-NEXT:    |####    |  |    ####|  |        |  |        |
// CHECK-NEXT:    |####    |  |    ####|  |        |  |        |
// CHECK-NEXT:    |####    |  |    ####|  |        |  |        |
// CHECK-NEXT:    |        |  |        |  |####    |  |    ####|
// CHECK-NEXT:    |        |  |        |  |####    |  |    ####|
// CHECK-NEXT:    |        |  |        |  |####    |  |    ####|

// Many tiles: the first of them, and how to see all.
func.func @many(%x: tensor<4096x8xf16, #npu.layout<SEGMENTED, tiles = [64, 1]>>) {
  return
}
// CHECK-NEXT:function @many
// CHECK-NEXT:  %arg0 : tensor<4096x8xf16, #npu.layout<SEGMENTED, tiles = [64, 1]>>
// CHECK-NEXT:    dimension 0 of 4096 entries, from left to right
// CHECK-NEXT:            0  64  128 192 256 320 384 448 512 576 640 704 768 832 896 960 1024
// CHECK-NEXT:    tile 0  |###                                                            |
// CHECK-NEXT:    tile 1  |   ####                                                        |
// CHECK-NEXT:    tile 2  |       ####                                                    |
// CHECK-NEXT:    tile 3  |           ####                                                |
// CHECK-NEXT:    tile 4  |               ####                                            |
// CHECK-NEXT:    tile 5  |                   ####                                        |
// CHECK-NEXT:    tile 6  |                       ####                                    |
// CHECK-NEXT:    tile 7  |                           ####                                |
// CHECK-NEXT:    tile 8  |                               ####                            |
// CHECK-NEXT:    tile 9  |                                   ####                        |
// CHECK-NEXT:    tile 10 |                                       ####                    |
// CHECK-NEXT:    tile 11 |                                           ####                |
// CHECK-NEXT:    tile 12 |                                               ####            |
// CHECK-NEXT:    tile 13 |                                                   ####        |
// CHECK-NEXT:    tile 14 |                                                       ####    |
// CHECK-NEXT:    tile 15 |                                                           ####|
// CHECK-NEXT:    ... 48 more tiles; all with tiles=0

// Explicit boxes; two tiles compute some rows.
func.func @boxes(%x: tensor<8x4xf16, #npu.layout<OVERLAPPED, compute = [[0:5, 0:4], [3:8, 0:4]], memory = [[0:6, 0:4], [3:8, 0:4]]>>) {
  return
}
// CHECK-NEXT:function @boxes
// CHECK-NEXT{LITERAL}:  %arg0 : tensor<8x4xf16, #npu.layout<OVERLAPPED, compute = [[0:5, 0:4], [3:8,
// CHECK-NEXT{LITERAL}:      0:4]], memory = [[0:6, 0:4], [3:8, 0:4]]>>
// CHECK-NEXT:    dimension 0 of 8 entries, from left to right
// CHECK-NEXT:           0           3       5   6       8
// CHECK-NEXT:    tile 0 |############********++++        |
// CHECK-NEXT:    tile 1 |            ********############|

// A scalar has no dimensions.
func.func @sc(%x: tensor<f16, #npu.layout<DUPLICATED, tiles = 2>>) {
  return
}
// CHECK-NEXT:function @sc
// CHECK-NEXT:  %arg0 : tensor<f16, #npu.layout<DUPLICATED, tiles = 2>>
// CHECK-NEXT:    a single entry
// CHECK-NEXT:    tile 0 |*|
// CHECK-NEXT:    tile 1 |*|
