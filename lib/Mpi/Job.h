// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The job: how its processes begin, fail and end together.

#ifndef NPU_LIB_MPI_JOB_H
#define NPU_LIB_MPI_JOB_H

#include "Deadline.h"

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

namespace npu::mpi {

class Job {
public:
  /// Begins; to be called once in a process.
  Job(const char *tool, double timeout);

  int rank() const { return here; }
  int size() const { return ranks; }
  /// What programs send goes over a communicator of its own.
  MPI_Comm messages() const { return ofPrograms; }

  /// Ends the process with an error, after the other ranks have been told.
  [[noreturn]] void fail(const std::string &message, bool tellsOthers = true);
  /// Ends the process where MPI says that something has failed.
  void check(int code);

  /// Waits for one of the requests, which becomes MPI_REQUEST_NULL, and takes
  /// what other ranks say of their end meanwhile. Returns its number, and MPI's
  /// code and status.
  size_t waitForOne(std::vector<MPI_Request> &requests, const Awaited &what,
                    int &code, MPI_Status &status);

  /// Gives every rank the word of each.
  void share(uint64_t word, uint64_t *all);

  /// Ends well, when all other ranks do.
  void end();

  /// Tells the other ranks that this one has failed, unless it has ended well.
  void tellFailure();

private:
  void receiveEnd();
  /// Takes what a rank says of its end; ends where it has failed.
  void takeEnd(const MPI_Status &status);

  std::string tool;
  MPI_Comm ofPrograms = MPI_COMM_NULL, control = MPI_COMM_NULL;
  int here = 0, ranks = 1;
  /// The ranks that have ended well.
  std::vector<bool> ended;
  /// The next message in which a rank says how it has ended.
  MPI_Request ending = MPI_REQUEST_NULL;
  char endFailed = 0;
};

} // namespace npu::mpi

#endif // NPU_LIB_MPI_JOB_H
