// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages between the processes of one job, over MPI: the functions that
// programs of ranks call (npu-lower-mpi), and those that npu-run calls around
// them. They are a shared library of their own, libNPUMpi, so that only who
// uses them needs MPI. A C interface, because compiled code calls it by name.
//
// No function returns an error. Where a process ends, sends another number of
// bytes than is expected, or nothing for too long, every process that notices
// prints one line to standard error, which begins with its rank, and ends with
// exit code 1; it tells the others, which do the same.

#ifndef NPU_MPI_MPI_H
#define NPU_MPI_MPI_H

#include <cstdint>

/// The first tag of messages that MPI sends by itself; twice as many tags are
/// those that every implementation of MPI has.
#define NPU_MPI_WHOLE 16384
#define NPU_MPI_RUN 64

extern "C" {

/// Begins: to be called once, before all others. `tool` is the name that
/// messages begin with. A process ends where it has waited for `timeout`
/// seconds for one message. `fault` is a fault to plant, so that one sees that
/// it is found, or an empty text: KIND:RANK:N, where KIND is kill (the rank
/// kills itself instead of sending its message N, counted from 0), short (that
/// message is one byte shorter) or stall (it never comes).
void npu_mpi_open(const char *tool, double timeout, const char *fault);

/// This process, and the number of processes.
int npu_mpi_rank();
int npu_mpi_size();

/// Begins to send the elements of a part of an array to rank `to`, or to
/// receive them from rank `from`; the part is not to be touched before the
/// request has been waited for. `part` has the number of dimensions, the bytes
/// of an element, then the extent of each dimension, then the distance of its
/// entries in elements. Elements go one after the other in the order of the
/// dimensions; sides that have as many elements need not have the same extents.
/// Messages between two ranks that have one tag arrive in the order in which
/// they are sent. Ranks that begin their messages in one order, whatever it is,
/// do not wait for each other.
///
/// A tag of NPU_MPI_WHOLE or more says that on both sides at least
/// NPU_MPI_RUN bytes at a time lie one after the other: MPI sends such a part
/// by itself. Others are packed here.
///
/// Example: columns 0 and 1 of a 4x8 array of f32 are {2, 4, 4, 2, 8, 1}.
int64_t npu_mpi_isend(intptr_t address, const int64_t *part, int32_t tag,
                      int32_t to);
int64_t npu_mpi_irecv(intptr_t address, const int64_t *part, int32_t tag,
                      int32_t from);
/// Waits for a request, each of which is to be waited for once.
void npu_mpi_wait(int64_t request);

/// Gives every rank the word of each: `all` has room for as many as there are
/// ranks.
void npu_mpi_share(uint64_t word, uint64_t *all);

/// Says that the messages which begin from now on are of an exchange of the
/// program, which may run several times.
void npu_mpi_begin_exchange(int64_t number);

/// What this rank has sent in all runs of an exchange, and how long that took:
/// in functions of this library (`waited`), and from the begin of its first
/// message until its last one had been waited for (`seconds`), during which
/// the rank may have computed as well.
struct NpuMpiFigures {
  int64_t runs;
  int64_t messages;
  int64_t bytes;
  double seconds;
  double waited;
};
/// The exchanges have numbers less than this one.
int64_t npu_mpi_exchange_count();
NpuMpiFigures npu_mpi_exchange(int64_t number);

/// Ends. Returns 0 where every rank has called it with 0, which are those that
/// have succeeded. Where this rank has not, or another one has not, it does
/// not return.
int npu_mpi_close(int failed);

} // extern "C"

#endif // NPU_MPI_MPI_H
