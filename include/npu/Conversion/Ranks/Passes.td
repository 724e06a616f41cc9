// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_CONVERSION_RANKS_PASSES_TD
#define NPU_CONVERSION_RANKS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertTilesToMpi : Pass<"npu-convert-tiles-to-mpi", "::mlir::ModuleOp"> {
  let summary = "make the program of one MPI rank of a tile program";
  let description = [{
    Turns a bufferized tile program into what one of several processes runs, each
    of which has the memory of some tiles. Of `tiles` tiles (as many as the
    function's `npu.tiles`, or as it has scratchpads), tile `k` is rank
    `k * ranks / tiles` rounded down: ranks have neighbouring tiles, and where
    there are more ranks than tiles, some have none.

    What DDR holds is on one rank each. Arguments that nothing writes and
    constants are on every rank, which is given all of them. A buffer in DDR that
    the tiles of one rank alone use is on that rank; all others, results among
    them, are on rank 0. An operation stays on the rank that has the memory which it
    writes, and is dropped on all others. Scalars that are read
    from memory of one rank are sent to all others, so that all of them
    go the same way through loops and branches. Calls are inlined; functions
    that call themselves are refused.

    Transfers and copies from the memory of one rank to that of another become
    messages. Each is in the earliest *exchange* that its accesses allow, for which
    operations change places: what goes from one rank to another are messages of
    large parts as they lie, and one message of packed bytes with all small ones. Ranks
    send and receive in rounds, in which each sends one and receives one message at
    most, in as few rounds as there can be. A message begins as soon as what it needs has
    been computed, and operations that an exchange does not need come after it; a message
    is waited for in front of the first operation that touches its memory, of the next loop
    or branch with exchanges, or of the block's end. All ranks come to the exchanges in one
    order, and begin all messages of one before they wait for any of it: there is no
    deadlock. What goes to three or more ranks is sent on by those that have it (a binomial
    tree).

    The messages are operations of upstream's `mpi` dialect; `npu-lower-mpi` makes
    calls of them. A call before each exchange tells the library its number, for
    what `npu-run --mpi-report` prints.

    Requires: functions on buffers with tiles' memory spaces (`npu-to-buffers`).
    Guarantees: after all ranks have run, the results on rank 0 have the bits that
    they have without the pass. Errors: an operation that reads memory of one
    rank and writes that of another and is no transfer; calls that
    cannot be inlined.

    Example: the sender's program, rank 0 of 2.

    ```mlir
    // before
    npu.transfer %a[0, 0] from tile 0 to tile 1 into %b[0, 0] box [0:4, 0:4]
        bytes = 64 : memref<4x4xf32, 1> to memref<4x4xf32, 2>
    // after
    %comm = mpi.comm_world : !mpi.comm
    call @npu_mpi_begin_exchange(%number) : (i64) -> ()
    %request = mpi.isend(%a, %tag, %rank1, %comm)
        : memref<4x4xf32, 1>, i32, i32 -> !mpi.request
    mpi.wait(%request) : !mpi.request
    ```
  }];
  let options = [
    Option<"ranks", "ranks", "int64_t", "2", "the number of processes">,
    Option<"rank", "rank", "int64_t", "0",
           "the process whose program is made, from 0 on">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::mpi::MPIDialect"];
}

def LowerMpi : Pass<"npu-lower-mpi", "::mlir::ModuleOp"> {
  let summary = "lower isend, irecv and wait of the mpi dialect to calls";
  let description = [{
    Upstream's conversion to LLVM has no patterns for `mpi.isend`, `mpi.irecv` and
    `mpi.wait`, moves the first dimension of a buffer alone, and has no f16. They become
    calls of the functions of `npu/Mpi/Mpi.h`, a library over MPI that moves
    parts of arrays, and ends the process with a
    message where another one has died. `mpi.comm_world` is dropped: messages go
    between the processes of one job.

    Requires: messages of buffers of static shape and strides. Guarantees: no
    operation of the `mpi` dialect is left, or the pass fails at one.

    Example:

    ```mlir
    // before
    %request = mpi.irecv(%buffer, %tag, %from, %comm)
        : memref<16xi8>, i32, i32 -> !mpi.request
    // after
    %request = call @npu_mpi_irecv(%address, %part, %tag, %from)
        : (index, index, i32, i32) -> i64
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect"];
}

#endif // NPU_CONVERSION_RANKS_PASSES_TD
