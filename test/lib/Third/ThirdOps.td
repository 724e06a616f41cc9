// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TEST_THIRD_OPS_TD
#define TEST_THIRD_OPS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/IndexingMapOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Third_Dialect : Dialect {
  let name = "third";
  let summary = "What somebody else could bring: operations that lib/ knows nothing of";
  let cppNamespace = "::third";
}

class Third_Op<string mnemonic, list<Trait> traits = []>
    : Op<Third_Dialect, mnemonic, !listconcat([Pure], traits)>;

def Third_ReverseOp : Third_Op<"reverse"> {
  let summary = "the entries along one dimension backwards";
  let description = [{ result[.., i, ..] = input[.., n - 1 - i, ..] }];
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$dim);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input `along` $dim attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Third_BlurOp : Third_Op<"blur", [DestinationStyleOpInterface,
                                     IndexingMapOpInterface]> {
  let summary = "sums of neighbouring rows";
  let description = [{
    result[i, c] = output[i, c] + the sum over k of input[i + k, c], for as many k
    as the input has rows more than the output, and one.
  }];
  let arguments = (ins 2DTensorOf<[F32]>:$input, 2DTensorOf<[F32]>:$output);
  let results = (outs 2DTensorOf<[F32]>:$result);
  let assemblyFormat = "$input `into` $output attr-dict `:` type($input) `,` type($output) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::ArrayAttr getIndexingMaps();
    ::mlir::AffineMap getShapesToLoopsMap();
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputMutable(); }
    ::llvm::ArrayRef<int64_t> getShape(::mlir::OpOperand *operand) {
      return ::mlir::cast<::mlir::RankedTensorType>(operand->get().getType()).getShape();
    }
  }];
}

def Third_MinMaxOp : Third_Op<"minmax"> {
  let summary = "the smallest and the largest entry of every row";
  let description = [{ low[i] = min over k of input[i, k]; high[i] = max over k. }];
  let arguments = (ins 2DTensorOf<[F32]>:$input);
  let results = (outs 1DTensorOf<[F32]>:$low, 1DTensorOf<[F32]>:$high);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($low) `,` type($high)";
  let hasVerifier = 1;
}

def Third_TakeOp : Third_Op<"take"> {
  let summary = "rows of a table, by position";
  let description = [{
    result[i, c] = table[positions[i], c]; a position outside is the nearest row's.
  }];
  let arguments = (ins 2DTensorOf<[F32]>:$table, 1DTensorOf<[I32]>:$positions);
  let results = (outs 2DTensorOf<[F32]>:$result);
  let assemblyFormat = "$table `[` $positions `]` attr-dict `:` type($table) `,` type($positions) `->` type($result)";
  let hasVerifier = 1;
}

def Third_HermitOp : Third_Op<"hermit"> {
  let summary = "says nothing of itself";
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

def Third_HalfTaughtOp : Third_Op<"half_taught"> {
  let summary = "says what it reads, and not how a part of it is made";
  let description = [{ result = 2 * input }];
  let arguments = (ins TensorOf<[F32]>:$input);
  let results = (outs TensorOf<[F32]>:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

def Third_CrashOp : Third_Op<"crash"> {
  let summary = "ends the process that asks what it reads";
  let description = [{
    `how` is `abort`, `fatal` (an error that LLVM cannot go on from), `null` (a
    write to address 0), `overflow` (of the stack) or `kill` (as systems do that
    have no memory left).
  }];
  let arguments = (ins AnyRankedTensor:$input, StrAttr:$how);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input `by` $how attr-dict `:` type($input) `->` type($result)";
}

#endif // TEST_THIRD_OPS_TD
