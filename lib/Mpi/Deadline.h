// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An end to waits, which MPI itself does not have.

#ifndef NPU_LIB_MPI_DEADLINE_H
#define NPU_LIB_MPI_DEADLINE_H

namespace npu::mpi {

/// What is waited for: a text that lives as long as the process, or a message
/// ("message 3 from rank 1"), where there is none.
struct Awaited {
  const char *text = nullptr;
  bool receives = false;
  int other = 0, tag = 0;
};

/// While one of these lives, the process ends with an error and exit code 1
/// where that takes longer than is allowed. There is one at a time.
class Deadline {
public:
  /// To be called before the first one: the seconds that a wait may take, and
  /// what the error begins with.
  static void prepare(const char *prefix, double timeout);

  explicit Deadline(const Awaited &what);
  ~Deadline();
  Deadline(const Deadline &) = delete;
  Deadline &operator=(const Deadline &) = delete;
};

} // namespace npu::mpi

#endif // NPU_LIB_MPI_DEADLINE_H
