// A graph as that of Kokoro, which assigns to slices of a tensor: every other entry, the
// others, and the last row. No scatter is left, and nothing runs on the host.

// RUN: npu-opt %s --npu-compile="target=npu4000 device=NPU compile-to=legal" | FileCheck %s --implicit-check-not=npu.scatter --implicit-check-not=npu.host
// RUN: npu-run %s --compile="target=npu4000 device=NPU" | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run %s --compile="target=npu3720 device=NPU" | FileCheck %s --check-prefix=EQUAL

// CHECK: tensor.insert_slice
// CHECK: tensor.insert_slice
// CHECK: tensor.insert_slice
// EQUAL: {{^}}equal
func.func @main(%x: tensor<1x256x64xf16>, %even: tensor<128x64xf16>, %odd: tensor<128x64xf16>, %last: tensor<1x64xf16>) -> tensor<1x256x64xf16> {
  %begin = tensor.collapse_shape %x [[0, 1], [2]] : tensor<1x256x64xf16> into tensor<256x64xf16>
  %evens = arith.constant dense<[[0], [2], [4], [6], [8], [10], [12], [14], [16], [18], [20], [22], [24], [26], [28], [30], [32], [34], [36], [38], [40], [42], [44], [46], [48], [50], [52], [54], [56], [58], [60], [62], [64], [66], [68], [70], [72], [74], [76], [78], [80], [82], [84], [86], [88], [90], [92], [94], [96], [98], [100], [102], [104], [106], [108], [110], [112], [114], [116], [118], [120], [122], [124], [126], [128], [130], [132], [134], [136], [138], [140], [142], [144], [146], [148], [150], [152], [154], [156], [158], [160], [162], [164], [166], [168], [170], [172], [174], [176], [178], [180], [182], [184], [186], [188], [190], [192], [194], [196], [198], [200], [202], [204], [206], [208], [210], [212], [214], [216], [218], [220], [222], [224], [226], [228], [230], [232], [234], [236], [238], [240], [242], [244], [246], [248], [250], [252], [254]]> : tensor<128x1xi64>
  %scaled = arith.addf %even, %odd : tensor<128x64xf16>
  %0 = npu.scatter %scaled into %begin at %evens : tensor<128x64xf16>, tensor<256x64xf16>, tensor<128x1xi64> -> tensor<256x64xf16>
  %odds = arith.constant dense<[[1], [3], [5], [7], [9], [11], [13], [15], [17], [19], [21], [23], [25], [27], [29], [31], [33], [35], [37], [39], [41], [43], [45], [47], [49], [51], [53], [55], [57], [59], [61], [63], [65], [67], [69], [71], [73], [75], [77], [79], [81], [83], [85], [87], [89], [91], [93], [95], [97], [99], [101], [103], [105], [107], [109], [111], [113], [115], [117], [119], [121], [123], [125], [127], [129], [131], [133], [135], [137], [139], [141], [143], [145], [147], [149], [151], [153], [155], [157], [159], [161], [163], [165], [167], [169], [171], [173], [175], [177], [179], [181], [183], [185], [187], [189], [191], [193], [195], [197], [199], [201], [203], [205], [207], [209], [211], [213], [215], [217], [219], [221], [223], [225], [227], [229], [231], [233], [235], [237], [239], [241], [243], [245], [247], [249], [251], [253], [255]]> : tensor<128x1xi64>
  %1 = npu.scatter %odd into %0 at %odds : tensor<128x64xf16>, tensor<256x64xf16>, tensor<128x1xi64> -> tensor<256x64xf16>
  %end = arith.constant dense<-1> : tensor<1x1xi64>
  %2 = npu.scatter %last into %1 at %end : tensor<1x64xf16>, tensor<256x64xf16>, tensor<1x1xi64> -> tensor<256x64xf16>
  %y = math.tanh %2 : tensor<256x64xf16>
  %r = tensor.expand_shape %y [[0, 1], [2]] output_shape [1, 256, 64] : tensor<256x64xf16> into tensor<1x256x64xf16>
  return %r : tensor<1x256x64xf16>
}
