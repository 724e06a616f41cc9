// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every wait is a loop that lets all messages move, looks for ranks that have
// ended, and has a deadline. Messages go in pieces, each of which is packed and
// unpacked here where its part of an array is not contiguous.

#include "npu/Mpi/Mpi.h"
#include "StridedPart.h"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

/// The tag of the message by which a rank says how it has ended.
constexpr int endTag = 0;
constexpr int wordTag = 1;

/// Messages are sent in pieces of this size: while one of them is under way,
/// the next one is packed, and both are in caches.
constexpr int64_t pieceBytes = int64_t(256) << 10;

/// How many pieces of a message are under way at the same time: with a buffer
/// each, or without any where the part of the array is contiguous.
constexpr int64_t mostPacked = 4, mostContiguous = 64;

using Buffer = std::unique_ptr<char[]>;

/// The most exchanges that have figures of their own.
constexpr size_t mostExchanges = 65536;

/// One message, of which pieces `done` to `begun` are under way.
struct Request {
  npu::mpi::StridedPart part;
  bool receives = false;
  int other = 0;
  int tag = 0;
  int64_t begun = 0, done = 0;
  /// Bytes that the last piece lacks, where a fault is planted.
  int64_t missing = 0;
  /// Of the pieces that are under way: piece i has number i modulo their
  /// number.
  std::vector<MPI_Request> handles;
  std::vector<Buffer> buffers;

  int64_t pieces() const {
    return std::max<int64_t>(1, (part.bytes() + pieceBytes - 1) / pieceBytes);
  }
  bool isDone() const { return done == pieces(); }
  size_t slotOf(int64_t piece) const { return piece % handles.size(); }
  int64_t bytesOf(int64_t piece) const {
    return std::min(part.bytes() - piece * pieceBytes, pieceBytes);
  }
};

struct Job {
  std::string tool;
  double timeout = 0;
  /// Messages of programs, and those of this library.
  MPI_Comm messages = MPI_COMM_NULL, control = MPI_COMM_NULL;
  int rank = 0, size = 1;
  /// Their numbers are those of requests; null where a number is not used.
  std::vector<std::unique_ptr<Request>> requests;
  /// Requests that have not been waited for, in the order in which they began.
  std::vector<int64_t> pending;
  /// Buffers of pieces that are not used.
  std::vector<Buffer> buffers;
  Clock::time_point began;
  std::vector<NpuMpiFigures> exchanges;
  int64_t messageCount = 0;
  /// The ranks that have ended well.
  std::vector<bool> ended;
  std::string faultKind;
  int64_t faultMessage = -1;
};

Job job;

/// What signal handlers may still write.
char endedByOthers[160], notBegun[160];

/// mpirun ends all processes of a job with SIGTERM where one has died.
void onTermination(int) {
  size_t length = std::char_traits<char>::length(endedByOthers);
  [[maybe_unused]] ssize_t written = write(2, endedByOthers, length);
  _exit(1);
}

/// The other ranks have not come to MPI_Init, which waits for them forever.
void onAlarm(int) {
  size_t length = std::char_traits<char>::length(notBegun);
  [[maybe_unused]] ssize_t written = write(2, notBegun, length);
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

/// Waits until `isDone`, which is called often; ends where `hasMoved` has said
/// for too long that nothing goes on.
template <typename IsDone>
void waitFor(
    const std::string &what, IsDone isDone,
    bool (*hasMoved)() = [] { return false; }) {
  auto timeout = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(job.timeout));
  auto until = Clock::now() + timeout;
  for (int64_t i = 0; !isDone(); ++i) {
    if (hasMoved())
      until = Clock::now() + timeout;
    else
      yieldOnce();
    // A look at the clock and for ends costs more than a test.
    if (i % 64 != 63)
      continue;
    lookForEnds();
    if (Clock::now() > until)
      fail("waited " + std::to_string(static_cast<int64_t>(job.timeout)) +
           " s for " + what);
  }
}

std::string nameOf(const Request &request) {
  return "message " + std::to_string(request.tag) +
         (request.receives ? " from rank " : " to rank ") +
         std::to_string(request.other);
}

/// Where a piece is received, or sent from.
char *placeOf(Request &request, int64_t piece) {
  if (request.part.isContiguous())
    return request.part.at(piece * pieceBytes);
  Buffer &buffer = request.buffers[request.slotOf(piece)];
  if (!buffer && !job.buffers.empty()) {
    buffer = std::move(job.buffers.back());
    job.buffers.pop_back();
  } else if (!buffer) {
    buffer.reset(new char[pieceBytes]);
  }
  return buffer.get();
}

/// Begins the next piece.
void beginPiece(Request &request) {
  int64_t piece = request.begun++, bytes = request.bytesOf(piece);
  char *place = placeOf(request, piece);
  MPI_Request *handle = &request.handles[request.slotOf(piece)];
  if (request.receives) {
    check(MPI_Irecv(place, static_cast<int>(bytes), MPI_BYTE, request.other,
                    request.tag, job.messages, handle));
    return;
  }
  if (!request.part.isContiguous())
    request.part.pack(piece * pieceBytes, bytes, place);
  if (request.begun == request.pieces())
    bytes = std::max<int64_t>(bytes - request.missing, 0);
  check(MPI_Isend(place, static_cast<int>(bytes), MPI_BYTE, request.other,
                  request.tag, job.messages, handle));
}

/// Ends with a message where a piece has not the bytes that it should have.
void checkPiece(const Request &request, int code, MPI_Status &status) {
  int64_t expected = request.bytesOf(request.done);
  int got = 0, error = MPI_SUCCESS;
  MPI_Error_class(code, &error);
  if (error != MPI_ERR_TRUNCATE)
    check(code);
  if (code == MPI_SUCCESS)
    check(MPI_Get_count(&status, MPI_BYTE, &got));
  if (code != MPI_SUCCESS || got != expected)
    fail(nameOf(request) + ": expected " + std::to_string(expected) +
         " bytes, got " + (code == MPI_SUCCESS ? std::to_string(got) : "more"));
}

/// Takes up pieces that have arrived or left, and begins others. Returns
/// whether there were any.
bool advance(Request &request) {
  bool moved = false;
  while (request.done < request.begun) {
    int done = 0;
    MPI_Status status;
    int code = MPI_Test(&request.handles[request.slotOf(request.done)], &done,
                        &status);
    if (!done && code == MPI_SUCCESS)
      break;
    if (request.receives) {
      checkPiece(request, code, status);
      if (!request.part.isContiguous())
        request.part.unpack(request.done * pieceBytes,
                            request.bytesOf(request.done),
                            placeOf(request, request.done));
    } else {
      check(code);
    }
    ++request.done;
    moved = true;
    if (request.begun < request.pieces())
      beginPiece(request);
  }
  return moved;
}

/// Lets all messages move.
bool advanceAll() {
  bool moved = false;
  for (int64_t number : job.pending)
    moved |= advance(*job.requests[number]);
  return moved;
}

int64_t beginMessage(std::unique_ptr<Request> request) {
  if (job.pending.empty()) {
    job.began = Clock::now();
    if (job.exchanges.size() < mostExchanges)
      job.exchanges.push_back({});
  }
  bool isContiguous = request->part.isContiguous();
  request->handles.resize(
      std::min(isContiguous ? mostContiguous : mostPacked, request->pieces()));
  if (!isContiguous)
    request->buffers.resize(request->handles.size());
  for (size_t i = 0; i < request->handles.size(); ++i)
    beginPiece(*request);
  auto unused = std::ranges::find_if(
      job.requests, [](const auto &each) { return each == nullptr; });
  int64_t number = unused - job.requests.begin();
  if (unused == job.requests.end())
    job.requests.push_back(std::move(request));
  else
    *unused = std::move(request);
  job.pending.push_back(number);
  return number;
}

/// Plants the fault where this is its message.
void plantFault(Request &request) {
  if (job.messageCount++ != job.faultMessage)
    return;
  if (job.faultKind == "kill")
    std::raise(SIGKILL);
  while (job.faultKind == "stall")
    std::this_thread::sleep_for(std::chrono::seconds(1));
  request.missing = 1;
}

} // namespace

void npu_mpi_open(const char *tool, double timeout, const char *fault) {
  job.tool = tool;
  job.timeout = timeout;
  std::snprintf(notBegun, sizeof notBegun,
                "%s: error: waited %.0f s for the other ranks to begin\n", tool,
                timeout);
  std::signal(SIGALRM, onAlarm);
  alarm(static_cast<unsigned>(std::max(1.0, std::ceil(timeout))));
  MPI_Init(nullptr, nullptr);
  alarm(0);
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

int64_t npu_mpi_isend(intptr_t address, const int64_t *part, int32_t tag,
                      int32_t to) {
  auto request = std::make_unique<Request>();
  request->part = {address, part};
  request->other = to;
  request->tag = tag;
  plantFault(*request);
  int64_t bytes = request->part.bytes();
  int64_t number = beginMessage(std::move(request));
  ++job.exchanges.back().messages;
  job.exchanges.back().bytes += bytes;
  return number;
}

int64_t npu_mpi_irecv(intptr_t address, const int64_t *part, int32_t tag,
                      int32_t from) {
  auto request = std::make_unique<Request>();
  request->part = {address, part};
  request->receives = true;
  request->other = from;
  request->tag = tag;
  return beginMessage(std::move(request));
}

void npu_mpi_wait(int64_t number) {
  Request &request = *job.requests[number];
  waitFor(nameOf(request), [&] { return request.isDone(); }, advanceAll);
  for (Buffer &buffer : request.buffers)
    if (buffer)
      job.buffers.push_back(std::move(buffer));
  job.requests[number] = nullptr;
  std::erase(job.pending, number);
  if (job.pending.empty())
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
  waitFor(
      "the end of the other ranks",
      [&] {
        lookForEnds();
        int done = 0;
        check(MPI_Testall(static_cast<int>(sent.size()), sent.data(), &done,
                          MPI_STATUSES_IGNORE));
        return done && std::ranges::count(job.ended, false) == 0;
      },
      [] { return false; });
  MPI_Finalize();
  return 0;
}
