// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The messages of a rank's program, from their begin until they are waited for.

#ifndef NPU_LIB_MPI_MESSAGES_H
#define NPU_LIB_MPI_MESSAGES_H

#include "Job.h"
#include "StridedPart.h"

#include "npu/Mpi/Mpi.h"

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace npu::mpi {

class Messages {
public:
  /// `fault` is as npu_mpi_open describes it.
  Messages(Job &job, const char *fault);

  /// As the functions of npu/Mpi/Mpi.h that have these names.
  int64_t send(intptr_t address, const int64_t *part, int tag, int to);
  int64_t receive(intptr_t address, const int64_t *part, int tag, int from);
  void wait(int64_t number);
  void beginExchange(size_t number);
  /// Ends the process with an error where a fault was to be planted in a
  /// message that this rank has not sent.
  void checkFaultPlanted();

  size_t exchangeCount() const { return exchanges.size(); }
  const NpuMpiFigures &figuresOf(size_t exchange) const {
    return exchanges[exchange].figures;
  }

private:
  using Buffer = std::unique_ptr<char[]>;

  /// One message, of which pieces `done` to `begun` are under way.
  struct Request {
    StridedPart part;
    bool receives = false;
    int other = 0;
    int tag = 0;
    /// The number of its exchange.
    size_t exchange = 0;
    int64_t begun = 0, done = 0;
    /// Bytes that the last piece lacks, where a fault is planted.
    int64_t missing = 0;
    /// Of the pieces that are under way: piece i has number i modulo their
    /// number.
    std::vector<MPI_Request> handles;
    std::vector<Buffer> buffers;

    bool isWhole() const;
    int64_t pieceSize() const;
    /// Whether its pieces are packed and unpacked here.
    bool isPacked() const { return !part.isContiguous() && !isWhole(); }
    int64_t pieces() const;
    bool isDone() const { return done == pieces(); }
    size_t slotOf(int64_t piece) const { return piece % handles.size(); }
    int64_t bytesOf(int64_t piece) const;
    Awaited awaited() const {
      return {.receives = receives, .other = other, .tag = tag};
    }
  };

  using Clock = std::chrono::steady_clock;

  /// An exchange of the program.
  struct Exchange {
    NpuMpiFigures figures = {};
    /// Of its messages, how many have begun and have not been waited for, and
    /// when the first of these began.
    int64_t pending = 0;
    Clock::time_point began;
  };

  Request &make(intptr_t address, const int64_t *part, int tag, int other);
  int64_t begin(Request &request);
  void plantFault(Request &request);
  MPI_Datatype typeOf(const StridedPart &part);
  char *placeOf(Request &request, int64_t piece);
  void beginPiece(Request &request);
  void checkPiece(const Request &request, int code, MPI_Status &status);
  void finishPiece(Request &request, int code, MPI_Status &status);
  void waitForPiece(Request &wanted);

  Job &job;
  /// Their numbers are those of requests. A request that has been waited for is
  /// used again, with the memory that it has.
  std::deque<Request> requests;
  std::vector<int64_t> unused;
  /// Requests that have not been waited for, in the order in which they began.
  std::vector<int64_t> pending;
  /// Of the messages under way, how many pieces begin when others have been
  /// waited for.
  int64_t piecesToBegin = 0;
  /// Buffers of pieces that are not used.
  std::vector<Buffer> buffers;
  std::map<std::vector<int64_t>, MPI_Datatype> types;
  std::vector<Exchange> exchanges{1};
  /// The exchange whose messages begin.
  size_t exchange = 0;
  int64_t sent = 0;
  std::string faultKind;
  int64_t faultMessage = -1;
  /// What a function here needs for as long as it runs, kept for its memory.
  std::vector<int64_t> typeKey;
  std::vector<MPI_Request> waited;
  std::vector<Request *> waiting;
};

} // namespace npu::mpi

#endif // NPU_LIB_MPI_MESSAGES_H
