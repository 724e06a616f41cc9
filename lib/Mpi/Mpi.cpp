// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every wait is a loop that tests a request, looks for ranks that have ended,
// and has a deadline.

#include "npu/Mpi/Mpi.h"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

/// The tag of the message by which a rank says how it has ended.
constexpr int endTag = 0;
constexpr int wordTag = 1;

/// The most bytes of one message of MPI, which counts in int. Longer ones are
/// sent in pieces.
constexpr intptr_t mostBytes = intptr_t(1) << 30;

/// The most exchanges that have figures of their own.
constexpr size_t mostExchanges = 65536;

/// One message: its pieces, and what is expected of each.
struct Request {
  std::vector<MPI_Request> pieces;
  std::vector<int> bytes;
  bool receives = false;
  int other = 0;
  int tag = 0;
};

struct Job {
  std::string tool;
  double timeout = 0;
  /// Messages of programs, and those of this library.
  MPI_Comm messages = MPI_COMM_NULL, control = MPI_COMM_NULL;
  int rank = 0, size = 1;
  std::vector<Request> requests;
  std::vector<int64_t> unused;
  /// Requests that have not been waited for.
  int64_t pending = 0;
  Clock::time_point began;
  std::vector<NpuMpiFigures> exchanges;
  int64_t messageCount = 0;
  /// The ranks that have ended well.
  std::vector<bool> ended;
  std::string faultKind;
  int64_t faultMessage = -1;
};

Job job;

/// What a signal handler may still write.
char endedByOthers[160];

/// mpirun ends all processes of a job with SIGTERM where one has died.
void onTermination(int) {
  size_t length = std::char_traits<char>::length(endedByOthers);
  [[maybe_unused]] ssize_t written = write(2, endedByOthers, length);
  _exit(1);
}

/// Lets messages move for a short time, for which nobody has to wait.
void yieldOnce() { std::this_thread::yield(); }

/// Ends the process with a message, after the other ranks have been told.
[[noreturn]] void fail(const std::string &message, bool tellsOthers = true) {
  std::fflush(stdout);
  if (!message.empty())
    std::fprintf(stderr, "%s: error: rank %d: %s\n", job.tool.c_str(), job.rank,
                 message.c_str());
  if (tellsOthers) {
    char failed = 1;
    std::vector<MPI_Request> sent;
    for (int to = 0; to < job.size; ++to)
      if (to != job.rank && !job.ended[to])
        MPI_Isend(&failed, 1, MPI_CHAR, to, endTag, job.control,
                  &sent.emplace_back());
    // Who does not take the message within a second has ended.
    auto until = Clock::now() + std::chrono::seconds(1);
    int done = 0;
    while (!done && Clock::now() < until) {
      MPI_Testall(static_cast<int>(sent.size()), sent.data(), &done,
                  MPI_STATUSES_IGNORE);
      yieldOnce();
    }
  }
  // MPI_Finalize would wait for the others.
  _exit(1);
}

void check(int code) {
  if (code == MPI_SUCCESS)
    return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  fail(std::string("MPI: ") + text);
}

/// Reads what other ranks say of their end; ends where one has failed.
void lookForEnds() {
  for (;;) {
    int found = 0;
    MPI_Status status;
    check(MPI_Iprobe(MPI_ANY_SOURCE, endTag, job.control, &found, &status));
    if (!found)
      return;
    char failed = 0;
    check(MPI_Recv(&failed, 1, MPI_CHAR, status.MPI_SOURCE, endTag, job.control,
                   MPI_STATUS_IGNORE));
    if (failed)
      fail("rank " + std::to_string(status.MPI_SOURCE) +
               " has ended with an error",
           /*tellsOthers=*/false);
    job.ended[status.MPI_SOURCE] = true;
  }
}

/// Waits until `isDone`, which is called often.
template <typename IsDone>
void waitFor(const std::string &what, IsDone isDone) {
  auto until = Clock::now() + std::chrono::duration<double>(job.timeout);
  for (int64_t i = 0; !isDone(); ++i) {
    // A look at the clock and for ends costs more than a test.
    if (i % 64 == 63) {
      lookForEnds();
      if (Clock::now() > until)
        fail("waited " + std::to_string(static_cast<int64_t>(job.timeout)) +
             " s for " + what);
    }
    yieldOnce();
  }
}

std::string nameOf(const Request &request) {
  return "message " + std::to_string(request.tag) +
         (request.receives ? " from rank " : " to rank ") +
         std::to_string(request.other);
}

void waitForPiece(const Request &request, size_t piece) {
  MPI_Request handle = request.pieces[piece];
  MPI_Status status;
  int code = MPI_SUCCESS;
  waitFor(nameOf(request), [&] {
    int done = 0;
    code = MPI_Test(&handle, &done, &status);
    return done || code != MPI_SUCCESS;
  });
  int got = request.bytes[piece];
  bool isLonger = false;
  if (code != MPI_SUCCESS) {
    int error = MPI_SUCCESS;
    MPI_Error_class(code, &error);
    if (error != MPI_ERR_TRUNCATE)
      check(code);
    isLonger = true;
  } else if (request.receives) {
    check(MPI_Get_count(&status, MPI_BYTE, &got));
  }
  if (isLonger || got != request.bytes[piece])
    fail(nameOf(request) + ": expected " +
         std::to_string(request.bytes[piece]) + " bytes, got " +
         (isLonger ? "more" : std::to_string(got)));
}

Request &newRequest(int64_t &number) {
  if (job.pending++ == 0) {
    job.began = Clock::now();
    if (job.exchanges.size() < mostExchanges)
      job.exchanges.push_back({});
  }
  if (job.unused.empty()) {
    job.unused.push_back(static_cast<int64_t>(job.requests.size()));
    job.requests.emplace_back();
  }
  number = job.unused.back();
  job.unused.pop_back();
  return job.requests[number];
}

/// Calls `begin` for each piece of a message.
template <typename Begin>
int64_t beginMessage(bool receives, intptr_t address, intptr_t bytes, int tag,
                     int other, Begin begin) {
  int64_t number = 0;
  Request &request = newRequest(number);
  request = {{}, {}, receives, other, tag};
  for (intptr_t done = 0; done < bytes || request.pieces.empty();) {
    auto size = static_cast<int>(std::min(bytes - done, mostBytes));
    request.bytes.push_back(size);
    check(begin(reinterpret_cast<void *>(address + done), size,
                &request.pieces.emplace_back()));
    done += size;
  }
  return number;
}

/// Plants the fault where this is its message. Returns the bytes to send.
intptr_t plantFault(intptr_t bytes) {
  if (job.messageCount++ != job.faultMessage)
    return bytes;
  if (job.faultKind == "kill")
    std::raise(SIGKILL);
  if (job.faultKind == "stall")
    for (;;)
      std::this_thread::sleep_for(std::chrono::seconds(1));
  return std::max<intptr_t>(bytes - 1, 0);
}

} // namespace

void npu_mpi_open(const char *tool, double timeout, const char *fault) {
  job.tool = tool;
  job.timeout = timeout;
  MPI_Init(nullptr, nullptr);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job.size);
  check(MPI_Comm_dup(MPI_COMM_WORLD, &job.messages));
  check(MPI_Comm_dup(MPI_COMM_WORLD, &job.control));
  job.ended.assign(job.size, false);
  std::snprintf(endedByOthers, sizeof endedByOthers,
                "%s: error: rank %d: another rank has died, or the job was "
                "ended\n",
                tool, job.rank);
  std::signal(SIGTERM, onTermination);
  char kind[8] = "";
  int rank = -1;
  long long message = -1;
  if (std::sscanf(fault, "%7[a-z]:%d:%lld", kind, &rank, &message) == 3 &&
      rank == job.rank) {
    job.faultKind = kind;
    job.faultMessage = message;
  }
}

int npu_mpi_rank() { return job.rank; }
int npu_mpi_size() { return job.size; }

int64_t npu_mpi_isend(intptr_t address, intptr_t bytes, int32_t tag,
                      int32_t to) {
  bytes = plantFault(bytes);
  int64_t request = beginMessage(false, address, bytes, tag, to,
                                 [&](void *data, int size, MPI_Request *piece) {
                                   return MPI_Isend(data, size, MPI_BYTE, to,
                                                    tag, job.messages, piece);
                                 });
  ++job.exchanges.back().messages;
  job.exchanges.back().bytes += bytes;
  return request;
}

int64_t npu_mpi_irecv(intptr_t address, intptr_t bytes, int32_t tag,
                      int32_t from) {
  return beginMessage(true, address, bytes, tag, from,
                      [&](void *data, int size, MPI_Request *request) {
                        return MPI_Irecv(data, size, MPI_BYTE, from, tag,
                                         job.messages, request);
                      });
}

void npu_mpi_wait(int64_t number) {
  Request &request = job.requests[number];
  for (size_t i = 0; i < request.pieces.size(); ++i)
    waitForPiece(request, i);
  job.unused.push_back(number);
  if (--job.pending == 0)
    job.exchanges.back().seconds +=
        std::chrono::duration<double>(Clock::now() - job.began).count();
}

void npu_mpi_share(uint64_t word, uint64_t *all) {
  std::vector<MPI_Request> requests;
  for (int other = 0; other < job.size; ++other) {
    if (other == job.rank) {
      all[other] = word;
      continue;
    }
    check(MPI_Irecv(&all[other], 1, MPI_UINT64_T, other, wordTag, job.control,
                    &requests.emplace_back()));
    check(MPI_Isend(&word, 1, MPI_UINT64_T, other, wordTag, job.control,
                    &requests.emplace_back()));
  }
  waitFor("what the other ranks run", [&] {
    int done = 0;
    check(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done,
                      MPI_STATUSES_IGNORE));
    return done != 0;
  });
}

int64_t npu_mpi_exchange_count() {
  return static_cast<int64_t>(job.exchanges.size());
}

NpuMpiFigures npu_mpi_exchange(int64_t number) { return job.exchanges[number]; }

int npu_mpi_close(int failed) {
  if (failed)
    fail("");
  char ending = 0;
  std::vector<MPI_Request> sent;
  for (int to = 0; to < job.size; ++to)
    if (to != job.rank)
      check(MPI_Isend(&ending, 1, MPI_CHAR, to, endTag, job.control,
                      &sent.emplace_back()));
  job.ended[job.rank] = true;
  waitFor("the end of the other ranks", [&] {
    lookForEnds();
    int done = 0;
    check(MPI_Testall(static_cast<int>(sent.size()), sent.data(), &done,
                      MPI_STATUSES_IGNORE));
    return done && std::ranges::count(job.ended, false) == 0;
  });
  MPI_Finalize();
  return 0;
}
