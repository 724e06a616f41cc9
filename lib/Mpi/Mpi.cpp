// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process has one job, which lives until the process ends: it ends in
// npu_mpi_close, or anywhere where something fails.

#include "npu/Mpi/Mpi.h"
#include "Job.h"
#include "Messages.h"

#include <cstdlib>

namespace {

npu::mpi::Job *job = nullptr;
npu::mpi::Messages *messages = nullptr;

} // namespace

void npu_mpi_open(const char *tool, double timeout, const char *fault) {
  job = new npu::mpi::Job(tool, timeout);
  messages = new npu::mpi::Messages(*job, fault);
  // Programs end the process where an assertion fails, and tools where there is
  // no memory.
  std::at_quick_exit([] { job->tellFailure(); });
  std::atexit([] { job->tellFailure(); });
}

int npu_mpi_rank() { return job->rank(); }
int npu_mpi_size() { return job->size(); }

int64_t npu_mpi_isend(intptr_t address, const int64_t *part, int32_t tag,
                      int32_t to) {
  return messages->send(address, part, tag, to);
}

int64_t npu_mpi_irecv(intptr_t address, const int64_t *part, int32_t tag,
                      int32_t from) {
  return messages->receive(address, part, tag, from);
}

void npu_mpi_wait(int64_t request) { messages->wait(request); }

void npu_mpi_share(uint64_t word, uint64_t *all) { job->share(word, all); }

void npu_mpi_begin_exchange(int64_t number) { messages->beginExchange(number); }

int64_t npu_mpi_exchange_count() {
  return static_cast<int64_t>(messages->exchangeCount());
}

NpuMpiFigures npu_mpi_exchange(int64_t number) {
  return messages->figuresOf(number);
}

int npu_mpi_close(int failed) {
  if (failed)
    job->fail("");
  messages->checkFaultPlanted();
  job->end();
  return 0;
}
