// Attributes of the dialect on operations, arguments and results of others are
// verified wherever they stand; one that it does not have is refused.
//
// RUN: npu-opt %s --split-input-file --verify-diagnostics

func.func @no_such_attribute() -> tensor<4xi32> {
  // expected-error@+1 {{'tensor.empty' op expected one of the attributes that this dialect has on operations (npu.begin, npu.device, npu.extents, npu.host, npu.load_cycles, npu.matrix_cycles, npu.of, npu.offset, npu.order, npu.padding, npu.paddings, npu.phase, npu.precision, npu.split_reduction, npu.slots, npu.steps, npu.storage, npu.tile, npu.tiles, npu.vector_cycles), got 'npu.tiel'}}
  %0 = tensor.empty() {npu.tiel = 0 : i64} : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// What says something of an argument says nothing of an operation.
func.func @argument_only() -> tensor<4xi32> {
  // expected-error@+1 {{expected one of the attributes that this dialect has on operations}}
  %0 = tensor.empty() {npu.prompt_dim = 0} : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// expected-error@+1 {{'func.func' op argument #1: expected one of the attributes that this dialect has on arguments (npu.arena, npu.cache, npu.cache_dim, npu.cache_offset, npu.dim_names, npu.layout, npu.name, npu.padding, npu.prompt_dim, npu.prompt_length, npu.storage, npu.unsigned), got 'npu.tile'}}
func.func @operation_only(%x: i32, %y: tensor<4xi32> {npu.tile = 0 : i64}) {
  return
}

// -----

// expected-error@+1 {{'func.func' op result #0: expected one of the attributes that this dialect has on results (npu.layout, npu.name, npu.result, npu.unsigned), got 'npu.arena'}}
func.func @on_a_result(%x: i32) -> (i32 {npu.arena = 0 : i64}) {
  return %x : i32
}

// -----

// expected-error@+1 {{'func.func' op result #0: expected 'npu.result' to be an i64, at least 0, got -1 : i64}}
func.func @number_of_a_result(%x: i32) -> (i32 {npu.result = -1 : i64}) {
  return %x : i32
}

// -----

// expected-error@+1 {{'func.func' op argument #0: expected 'npu.arena' to be an i64 from 0 to 4095, got 4096 : i64}}
func.func @arena(%arena: memref<64xi8, 1> {npu.arena = 4096 : i64}) {
  return
}

// -----

// expected-error@+1 {{argument #1: expected npu.cache_dim to be a dimension of 'tensor<16x4xf32>', got 2 : i64}}
func.func @cache_dim(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 2}) {
  return
}

// -----

// expected-error @+1 {{argument #0: expected npu.prompt_dim to be a dimension of 'tensor<7xf32>' or an array of them, got 1 : i64}}
func.func @no_such_dimension(%x: tensor<7xf32> {npu.prompt_dim = 1}) {
  return
}

// -----

// expected-error @+1 {{argument #0: expected npu.prompt_dim to be a dimension of 'f32' or an array of them, got [0]}}
func.func @no_tensor(%x: f32 {npu.prompt_dim = [0]}) {
  return
}

// -----

// expected-error@+1 {{argument #0: expected npu.prompt_dim to be a dimension of 'tensor<16x4xf32>' or an array of them, got [0, "rows"]}}
func.func @prompt_dim(%x: tensor<16x4xf32> {npu.prompt_dim = [0, "rows"]}) {
  return
}

// -----

// expected-error@+1 {{argument #0: expected 'npu.cache_offset' to be a unit attribute, got true}}
func.func @cache_offset(%offset: index {npu.cache_offset = true}) {
  return
}

// -----

func.func @begin(%x: tensor<4xi32>) -> tensor<2xi32> {
  // expected-error@+1 {{'tensor.extract_slice' op expected 'npu.begin' to be an array<i64>, got [0]}}
  %0 = tensor.extract_slice %x[0] [2] [1] {npu.begin = [0], npu.tile = 0 : i64} : tensor<4xi32> to tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func @begin_of_another_rank(%x: tensor<4xi32>) -> tensor<2xi32> {
  // expected-error@+1 {{'tensor.extract_slice' op expected 'npu.begin' to be one number for each of the 1 dimensions of its result, got array<i64: 0, 0>}}
  %0 = tensor.extract_slice %x[0] [2] [1] {npu.begin = array<i64: 0, 0>} : tensor<4xi32> to tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func @begin_of_two_results(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  // expected-error@+1 {{'scf.execute_region' op expected 'npu.begin' on an operation with one result}}
  %0:2 = scf.execute_region -> (tensor<4xi32>, tensor<4xi32>) {
    scf.yield %x, %x : tensor<4xi32>, tensor<4xi32>
  } {npu.begin = array<i64: 0>}
  return %0#0, %0#1 : tensor<4xi32>, tensor<4xi32>
}

// -----

func.func @offset_of_no_slice() -> tensor<4xi32> {
  // expected-error@+1 {{'tensor.empty' op expected 'npu.offset' on a slice of a tensor, an insertion into one or a permute_cast}}
  %0 = tensor.empty() {npu.offset = array<i64: 0>} : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @phase_of_no_task(%x: tensor<4xi32>) -> tensor<2xi32> {
  // expected-error@+1 {{'tensor.extract_slice' op expected 'npu.phase' on an async.execute}}
  %0 = tensor.extract_slice %x[0] [2] [1] {npu.phase = 0 : i64} : tensor<4xi32> to tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func @phase() {
  // expected-error@+1 {{'async.execute' op expected 'npu.phase' to be an i64, at least 0, got "first"}}
  %0 = async.execute attributes {npu.phase = "first"} {
    async.yield
  }
  return
}

// -----

func.func @tiles_of_an_operation() -> tensor<4xi32> {
  // expected-error@+1 {{'tensor.empty' op expected 'npu.tiles' on a function}}
  %0 = tensor.empty() {npu.tiles = 4 : i64} : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// The note of a split reduction has all that tells which reduction it was.
func.func @split_reduction() -> tensor<4xi32> {
  // expected-error@+1 {{'tensor.empty' op expected 'npu.split_reduction' to be a dictionary of op (a string), number and terms (i64, at least 0), parts (i64, at least 1), and, where they are known, loops (array<i64>) and ranges (array<i64>: a begin and an end for each loop of each part), got {op = "linalg.matmul"}}}
  %0 = tensor.empty() {npu.split_reduction = {op = "linalg.matmul"}} : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @split_reduction_ranges() -> tensor<4xi32> {
  // expected-error@+1 {{'tensor.empty' op expected 'npu.split_reduction' to be a dictionary}}
  %0 = tensor.empty() {npu.split_reduction = {number = 0 : i64, op = "linalg.matmul", parts = 2 : i64, ranges = [0, 2, 2, 4], terms = 4 : i64}} : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @split_reduction_parts() -> tensor<4xi32> {
  // expected-error@+1 {{'tensor.empty' op expected 'npu.split_reduction' to be a dictionary}}
  %0 = tensor.empty() {npu.split_reduction = {number = 0 : i64, op = "linalg.matmul", parts = 3 : i64, loops = array<i64: 2>, ranges = array<i64: 0, 2, 2, 4>, terms = 4 : i64}} : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// expected-error@+1 {{'func.func' op argument #0: expected npu.prompt_length on an index or integer, got 'tensor<4xi32>'}}
func.func @length_is_a_tensor(%x: tensor<4xi32> {npu.prompt_length}) {
  return
}

// -----

// expected-error@+1 {{'func.func' op expected 'npu.tile' on an operation in a function}}
func.func @tile_of_a_function() attributes {npu.tile = 0 : i64} {
  return
}

// -----

func.func @padding_of_nothing() {
  // expected-error@+1 {{'func.return' op with 'npu.padding': expected}}
  return {npu.padding = 3 : i64}
}

// -----

// expected-error@+1 {{argument #1: expected npu.cache_offset on an index or integer, got 'tensor<i32>'}}
func.func @offset_tensor(%x: tensor<?x4xf32>, %o: tensor<i32> {npu.cache_offset}) {
  return
}

// -----

// expected-error@+1 {{'func.func' op argument #0: expected 'npu.layout' to be a #npu.layout, got 4 : i64}}
func.func @no_layout(%x: tensor<4xi32> {npu.layout = 4}) {
  return
}

// -----

// expected-error@+1 {{'func.func' op result #0: expected 'npu.layout' on a ranked tensor, got 'i32'}}
func.func @no_tensor(%x: i32) -> (i32 {npu.layout = #npu.layout<DUPLICATED, tiles = 2>}) {
  return %x : i32
}

// -----

// expected-error@+1 {{'func.func' op argument #0: expected }}
func.func @does_not_fit(%x: tensor<4xi32> {npu.layout = #npu.layout<SEGMENTED, tiles = [2, 2]>}) {
  return
}

// -----

// expected-error@+1 {{'func.func' op argument #0: expected 'npu.name' to be a string, got 3 : i64}}
func.func @name_of_an_argument(%x: i32 {npu.name = 3 : i64}) {
  return
}

// -----

// expected-error@+1 {{'func.func' op result #0: expected npu.unsigned on integers without a sign, got 'tensor<4xf32>'}}
func.func @unsigned_floats(%x: tensor<4xf32>) -> (tensor<4xf32> {npu.unsigned}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error@+1 {{'func.func' op argument #0: expected 'npu.dim_names' to be an array of a string for each dimension of 'tensor<?x4xf32>', got ["S"]}}
func.func @names_of_some_dimensions(%x: tensor<?x4xf32> {npu.dim_names = ["S"]}) {
  return
}

// -----

// expected-error@+1 {{'func.func' op argument #0: expected 'npu.dim_names' to be an array of a string for each dimension of 'f32', got []}}
func.func @names_of_a_scalar(%x: f32 {npu.dim_names = []}) {
  return
}

// -----

// expected-error@+1 {{'func.func' op argument #0: expected 'npu.dim_names' to be an array of a string for each dimension of 'tensor<?xf32>', got [0]}}
func.func @numbers_as_names(%x: tensor<?xf32> {npu.dim_names = [0]}) {
  return
}

// -----

func.func @negative_extents(%x: tensor<4xi32>) -> tensor<2x2xi32> {
  // expected-error@+1 {{'tensor.expand_shape' op expected 'npu.extents' to be numbers of at least 0, got array<i64: 2, -2>}}
  %0 = tensor.expand_shape %x [[0, 1]] output_shape [2, 2] {npu.extents = array<i64: 2, -2>, npu.tile = 0 : i64} : tensor<4xi32> into tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}

// -----

// expected-error@+1 {{'func.func' op expected 'npu.paddings' to be an array of lists of [dimension, begin, end], such as [[[2, 336, 512]]], got [[0, 5, 8]]}}
func.func @one_padding() attributes {npu.paddings = [[0, 5, 8]]} {
  return
}

// -----

func.func @slots_of_nothing(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error@+1 {{expected 'npu.slots' on a loop that is made of steps}}
  %0 = tensor.empty() {npu.slots = 2 : i64} : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @negative_cycles(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error@+1 {{expected 'npu.vector_cycles' to be an array of i64, each at least 0, and one number on the part of one tile}}
  %0 = tensor.empty() {npu.vector_cycles = array<i64: -1>} : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @cycles_of_other_tiles(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error@+1 {{and one number on the part of one tile}}
  %0 = tensor.empty() {npu.tile = 0 : i64, npu.matrix_cycles = array<i64: 1, 2>} : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// expected-error@+1 {{argument #0: expected 'npu.cache' to be the npu.name of a result, or its number as in "#1", got "present"}}
func.func @cache_of_nothing(%past: tensor<?x4xf32> {npu.cache = "present"}) -> tensor<?x4xf32> {
  return %past : tensor<?x4xf32>
}

// -----

// expected-error@+1 {{argument #0: expected 'npu.cache' to be the npu.name of a result, or its number as in "#1", got "#1"}}
func.func @cache_beyond_results(%past: tensor<?x4xf32> {npu.cache = "#1"}) -> tensor<?x4xf32> {
  return %past : tensor<?x4xf32>
}

// -----

// expected-error@+1 {{argument #0: expected a cache and the result that continues it to be tensors of one element type and rank, got tensor<?x4xf16> and, as result #0, tensor<?x4xf32>}}
func.func @cache_of_another_type(%past: tensor<?x4xf16> {npu.cache = "#0"}, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  return %x : tensor<?x4xf32>
}

// -----

// expected-error@+1 {{argument #0: expected a cache and the result that continues it to have one shape but for the dimension of the positions, got tensor<2x4xf32> and, as result #0, tensor<3x5xf32>}}
func.func @cache_of_another_shape(%past: tensor<2x4xf32> {npu.cache = "#0"}, %x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  return %x : tensor<3x5xf32>
}

// -----

// expected-error@+1 {{argument #0: expected a cache and the result that continues it to have one shape but for the dimension of the positions}}
func.func @cache_along_another_dimension(%past: tensor<2x4xf32> {npu.cache = "#0", npu.cache_dim = 1}, %x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  return %x : tensor<3x4xf32>
}

// -----

// expected-error@+1 {{argument #0: expected 'npu.cache_dim' to say which dimension of the cache has one entry for each position, which its type does not: tensor<2x4xf32>}}
func.func @cache_without_positions(%past: tensor<2x4xf32> {npu.cache = "#0"}) -> tensor<2x4xf32> {
  return %past : tensor<2x4xf32>
}

// -----

// expected-error@+1 {{argument #1: expected another result than #0, which continues argument #0}}
func.func @caches_of_one_result(%a: tensor<?x4xf32> {npu.cache = "#0"}, %b: tensor<?x4xf32> {npu.cache = "#0"}) -> tensor<?x4xf32> {
  return %a : tensor<?x4xf32>
}

// -----

func.func @caches(%a: tensor<?x4xf32> {npu.cache = "present"}, %b: tensor<2x4xf32> {npu.cache = "#1"}, %c: tensor<2x4xf32> {npu.cache = "#2", npu.cache_dim = 0}) -> (tensor<?x4xf32> {npu.name = "present"}, tensor<3x4xf32>, tensor<2x4xf32>) {
  %more = tensor.empty() : tensor<3x4xf32>
  return %a, %more, %c : tensor<?x4xf32>, tensor<3x4xf32>, tensor<2x4xf32>
}
