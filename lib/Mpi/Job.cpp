// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank that ends tells all others how, by a message that every wait of theirs
// takes as well.

#include "Job.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <thread>
#include <unistd.h>

namespace npu::mpi {
namespace {

/// The tags of what this library sends itself.
constexpr int endTag = 0;
constexpr int wordTag = 1;

/// What a signal handler may still write.
char endedByOthers[160];

/// mpirun ends all processes of a job with SIGTERM where one has died.
void onTermination(int) {
  [[maybe_unused]] ssize_t written =
      write(2, endedByOthers, std::strlen(endedByOthers));
  _exit(1);
}

} // namespace

Job::Job(const char *tool, double timeout) : tool(tool) {
  Deadline::prepare((this->tool + ": error: ").c_str(), timeout);
  {
    Deadline deadline({.text = "the other ranks to begin"});
    MPI_Init(nullptr, nullptr);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &here);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  ended.assign(ranks, false);
  std::string prefix =
      this->tool + ": error: rank " + std::to_string(here) + ": ";
  Deadline::prepare(prefix.c_str(), timeout);
  std::snprintf(endedByOthers, sizeof endedByOthers,
                "%sanother rank has died, or the job was ended\n",
                prefix.c_str());
  std::signal(SIGTERM, onTermination);
  check(MPI_Comm_dup(MPI_COMM_WORLD, &ofPrograms));
  check(MPI_Comm_dup(MPI_COMM_WORLD, &control));
  receiveEnd();
}

void Job::tellFailure() {
  int isOver = 0;
  MPI_Finalized(&isOver);
  if (isOver || ended[here])
    return;
  char failed = 1;
  std::vector<MPI_Request> sent;
  for (int to = 0; to < ranks; ++to)
    if (to != here && !ended[to])
      MPI_Isend(&failed, 1, MPI_CHAR, to, endTag, control,
                &sent.emplace_back());
  // Who does not take the message within a second has ended.
  auto until = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  int done = 0;
  while (!done && std::chrono::steady_clock::now() < until) {
    MPI_Testall(static_cast<int>(sent.size()), sent.data(), &done,
                MPI_STATUSES_IGNORE);
    std::this_thread::yield();
  }
}

void Job::fail(const std::string &message, bool tellsOthers) {
  std::fflush(stdout);
  if (!message.empty())
    std::fprintf(stderr, "%s: error: rank %d: %s\n", tool.c_str(), here,
                 message.c_str());
  if (tellsOthers)
    tellFailure();
  // MPI_Finalize would wait for the others.
  _exit(1);
}

void Job::check(int code) {
  if (code == MPI_SUCCESS)
    return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  fail(std::string("MPI: ") + text);
}

void Job::receiveEnd() {
  check(MPI_Irecv(&endFailed, 1, MPI_CHAR, MPI_ANY_SOURCE, endTag, control,
                  &ending));
}

void Job::takeEnd(const MPI_Status &status) {
  if (endFailed)
    fail("rank " + std::to_string(status.MPI_SOURCE) +
             " has ended with an error",
         /*tellsOthers=*/false);
  ended[status.MPI_SOURCE] = true;
  receiveEnd();
}

size_t Job::waitForOne(std::vector<MPI_Request> &requests, const Awaited &what,
                       int &code, MPI_Status &status) {
  Deadline deadline(what);
  requests.push_back(ending);
  for (;;) {
    int index = MPI_UNDEFINED;
    code = MPI_Waitany(static_cast<int>(requests.size()), requests.data(),
                       &index, &status);
    if (index == MPI_UNDEFINED)
      check(code);
    if (index + 1 < static_cast<int>(requests.size())) {
      requests.pop_back();
      return index;
    }
    takeEnd(status);
    requests.back() = ending;
  }
}

void Job::share(uint64_t word, uint64_t *all) {
  std::vector<MPI_Request> requests;
  for (int other = 0; other < ranks; ++other) {
    if (other == here) {
      all[other] = word;
      continue;
    }
    check(MPI_Irecv(&all[other], 1, MPI_UINT64_T, other, wordTag, control,
                    &requests.emplace_back()));
    check(MPI_Isend(&word, 1, MPI_UINT64_T, other, wordTag, control,
                    &requests.emplace_back()));
  }
  for (size_t left = requests.size(); left > 0; --left) {
    int code = MPI_SUCCESS;
    MPI_Status status;
    waitForOne(requests, {.text = "what the other ranks run"}, code, status);
    check(code);
  }
}

void Job::end() {
  char failed = 0;
  std::vector<MPI_Request> sent;
  for (int to = 0; to < ranks; ++to)
    if (to != here)
      check(MPI_Isend(&failed, 1, MPI_CHAR, to, endTag, control,
                      &sent.emplace_back()));
  ended[here] = true;
  while (std::ranges::count(ended, false) > 0) {
    Deadline deadline({.text = "the end of the other ranks"});
    MPI_Status status;
    check(MPI_Wait(&ending, &status));
    takeEnd(status);
  }
  check(MPI_Waitall(static_cast<int>(sent.size()), sent.data(),
                    MPI_STATUSES_IGNORE));
  check(MPI_Cancel(&ending));
  check(MPI_Request_free(&ending));
  MPI_Finalize();
}

} // namespace npu::mpi
