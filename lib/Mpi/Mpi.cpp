// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every wait is one for any message, and for what other ranks say of their end,
// with a deadline. It blocks: where there are more ranks than processors, a
// rank that asked again and again would take turns from those that it waits
// for. Messages go in pieces, each of which is packed and unpacked here where
// its part of an array is not contiguous.

#include "npu/Mpi/Mpi.h"
#include "StridedPart.h"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
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

/// A message with NPU_MPI_WHOLE is one piece where it has at most so many
/// bytes: MPI counts in int.
constexpr int64_t wholeBytes = int64_t(1) << 30;

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

  bool isWhole() const {
    return tag >= NPU_MPI_WHOLE && part.bytes() <= wholeBytes;
  }
  int64_t pieceSize() const { return isWhole() ? wholeBytes : pieceBytes; }
  /// Whether its pieces are packed and unpacked here.
  bool isPacked() const { return !part.isContiguous() && !isWhole(); }
  int64_t pieces() const {
    return std::max<int64_t>(1, (part.bytes() + pieceSize() - 1) / pieceSize());
  }
  bool isDone() const { return done == pieces(); }
  size_t slotOf(int64_t piece) const { return piece % handles.size(); }
  int64_t bytesOf(int64_t piece) const {
    return std::min(part.bytes() - piece * pieceSize(), pieceSize());
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
  std::map<std::vector<int64_t>, MPI_Datatype> types;
  /// The next message in which a rank says how it has ended.
  MPI_Request end = MPI_REQUEST_NULL;
  char endFailed = 0;
  std::string faultKind;
  int64_t faultMessage = -1;
};

Job job;

/// What signal handlers may still write.
char endedByOthers[160], tooLate[256];

/// mpirun ends all processes of a job with SIGTERM where one has died.
void onTermination(int) {
  size_t length = std::char_traits<char>::length(endedByOthers);
  [[maybe_unused]] ssize_t written = write(2, endedByOthers, length);
  _exit(1);
}

/// A wait has taken too long.
void onAlarm(int) {
  size_t length = std::char_traits<char>::length(tooLate);
  [[maybe_unused]] ssize_t written = write(2, tooLate, length);
  _exit(1);
}

/// Ends the process where what it waits for takes longer than is allowed. MPI
/// waits without an end.
class Deadline {
public:
  explicit Deadline(const std::string &what) {
    std::snprintf(tooLate, sizeof tooLate,
                  "%s: error: rank %d: waited %.0f s for %s\n",
                  job.tool.c_str(), job.rank, job.timeout, what.c_str());
    alarm(static_cast<unsigned>(std::max(1.0, std::ceil(job.timeout))));
  }
  ~Deadline() { alarm(0); }
};

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
      std::this_thread::yield();
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

void receiveEnd() {
  check(MPI_Irecv(&job.endFailed, 1, MPI_CHAR, MPI_ANY_SOURCE, endTag,
                  job.control, &job.end));
}

/// Takes what a rank says of its end; ends where it has failed.
void takeEnd(const MPI_Status &status) {
  if (job.endFailed)
    fail("rank " + std::to_string(status.MPI_SOURCE) +
             " has ended with an error",
         /*tellsOthers=*/false);
  job.ended[status.MPI_SOURCE] = true;
  receiveEnd();
}

/// Waits for one of the requests, which becomes MPI_REQUEST_NULL, and takes
/// what other ranks say of their end meanwhile. Returns its number, and MPI's
/// code and status.
size_t waitForOne(std::vector<MPI_Request> &requests, const std::string &what,
                  int &code, MPI_Status &status) {
  Deadline deadline(what);
  requests.push_back(job.end);
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
    requests.back() = job.end;
  }
}

std::string nameOf(const Request &request) {
  return "message " + std::to_string(request.tag) +
         (request.receives ? " from rank " : " to rank ") +
         std::to_string(request.other);
}

/// The type by which MPI sends a part by itself. Types are kept: loops send the
/// same parts again and again.
MPI_Datatype typeOf(const npu::mpi::StridedPart &part) {
  std::vector<int64_t> key{part.runBytes()};
  for (const auto &dim : part.loops())
    key.insert(key.end(), {dim.extent, dim.stride});
  auto [known, isNew] = job.types.try_emplace(key, MPI_DATATYPE_NULL);
  MPI_Datatype &type = known->second;
  if (!isNew)
    return type;
  check(
      MPI_Type_contiguous(static_cast<int>(part.runBytes()), MPI_BYTE, &type));
  for (auto dim = part.loops().rbegin(); dim != part.loops().rend(); ++dim) {
    MPI_Datatype inner = type;
    check(MPI_Type_create_hvector(static_cast<int>(dim->extent), 1, dim->stride,
                                  inner, &type));
    check(MPI_Type_free(&inner));
  }
  check(MPI_Type_commit(&type));
  return type;
}

/// Where a piece is received, or sent from.
char *placeOf(Request &request, int64_t piece) {
  if (!request.isPacked())
    return request.part.at(piece * request.pieceSize());
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
  if (!request.isPacked() && !request.part.isContiguous() &&
      request.missing == 0) {
    MPI_Datatype type = typeOf(request.part);
    check(request.receives ? MPI_Irecv(place, 1, type, request.other,
                                       request.tag, job.messages, handle)
                           : MPI_Isend(place, 1, type, request.other,
                                       request.tag, job.messages, handle));
    return;
  }
  if (request.receives) {
    check(MPI_Irecv(place, static_cast<int>(bytes), MPI_BYTE, request.other,
                    request.tag, job.messages, handle));
    return;
  }
  if (request.isPacked())
    request.part.pack(piece * request.pieceSize(), bytes, place);
  if (request.begun == request.pieces())
    bytes = std::max<int64_t>(bytes - request.missing, 0);
  check(MPI_Isend(place, static_cast<int>(bytes), MPI_BYTE, request.other,
                  request.tag, job.messages, handle));
}

/// Ends with a message where a piece has not the bytes that it should have.
void checkPiece(const Request &request, int code, MPI_Status &status) {
  int64_t expected = request.bytesOf(request.done);
  MPI_Count got = 0;
  int error = MPI_SUCCESS;
  MPI_Error_class(code, &error);
  if (error != MPI_ERR_TRUNCATE)
    check(code);
  if (code == MPI_SUCCESS)
    check(MPI_Get_elements_x(&status, MPI_BYTE, &got));
  if (code != MPI_SUCCESS || got != expected)
    fail(nameOf(request) + ": expected " + std::to_string(expected) +
         " bytes, got " + (code == MPI_SUCCESS ? std::to_string(got) : "more"));
}

/// Takes up a piece that has arrived or left, and begins another one.
void finishPiece(Request &request, int code, MPI_Status &status) {
  request.handles[request.slotOf(request.done)] = MPI_REQUEST_NULL;
  if (request.receives) {
    checkPiece(request, code, status);
    if (request.isPacked())
      request.part.unpack(request.done * request.pieceSize(),
                          request.bytesOf(request.done),
                          placeOf(request, request.done));
  } else {
    check(code);
  }
  ++request.done;
  if (request.begun < request.pieces())
    beginPiece(request);
}

/// Waits for all messages of one piece together, which costs a rank one turn
/// where there are more ranks than processors.
void waitForSinglePieces(const std::string &what) {
  std::vector<MPI_Request> handles;
  std::vector<Request *> requests;
  for (int64_t number : job.pending)
    if (Request &request = *job.requests[number];
        request.pieces() == 1 && !request.isDone()) {
      handles.push_back(request.handles.front());
      requests.push_back(&request);
    }
  std::vector<MPI_Status> statuses(handles.size());
  Deadline deadline(what);
  int code = MPI_Waitall(static_cast<int>(handles.size()), handles.data(),
                         statuses.data());
  if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS)
    check(code);
  for (size_t i = 0; i < requests.size(); ++i)
    finishPiece(*requests[i],
                code == MPI_SUCCESS ? MPI_SUCCESS : statuses[i].MPI_ERROR,
                statuses[i]);
}

/// Waits for the next piece of any message.
void waitForPiece(const std::string &what) {
  std::vector<MPI_Request> handles;
  std::vector<Request *> requests;
  for (int64_t number : job.pending) {
    Request &request = *job.requests[number];
    if (request.done == request.begun)
      continue;
    handles.push_back(request.handles[request.slotOf(request.done)]);
    requests.push_back(&request);
  }
  int code = MPI_SUCCESS;
  MPI_Status status;
  size_t found = waitForOne(handles, what, code, status);
  finishPiece(*requests[found], code, status);
}

int64_t beginMessage(std::unique_ptr<Request> request) {
  if (job.pending.empty()) {
    job.began = Clock::now();
    if (job.exchanges.size() < mostExchanges)
      job.exchanges.push_back({});
  }
  bool isPacked = request->isPacked();
  request->handles.resize(
      std::min(isPacked ? mostPacked : mostContiguous, request->pieces()));
  if (isPacked)
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

std::unique_ptr<Request> makeRequest(intptr_t address, const int64_t *part,
                                     int tag, int other) {
  auto request = std::make_unique<Request>();
  request->part = {address, part};
  request->other = other;
  request->tag = tag;
  return request;
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
  std::signal(SIGALRM, onAlarm);
  {
    Deadline deadline("the other ranks to begin");
    MPI_Init(nullptr, nullptr);
  }
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
  receiveEnd();
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
  auto request = makeRequest(address, part, tag, to);
  plantFault(*request);
  int64_t bytes = request->part.bytes();
  int64_t number = beginMessage(std::move(request));
  ++job.exchanges.back().messages;
  job.exchanges.back().bytes += bytes;
  return number;
}

int64_t npu_mpi_irecv(intptr_t address, const int64_t *part, int32_t tag,
                      int32_t from) {
  auto request = makeRequest(address, part, tag, from);
  request->receives = true;
  return beginMessage(std::move(request));
}

void npu_mpi_wait(int64_t number) {
  Request &request = *job.requests[number];
  std::string what = request.isDone() ? "" : nameOf(request);
  while (!request.isDone()) {
    if (request.pieces() == 1)
      waitForSinglePieces(what);
    else
      waitForPiece(what);
  }
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
  for (size_t left = requests.size(); left > 0; --left) {
    int code = MPI_SUCCESS;
    MPI_Status status;
    waitForOne(requests, "what the other ranks run", code, status);
    check(code);
  }
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
  while (std::ranges::count(job.ended, false) > 0) {
    Deadline deadline("the end of the other ranks");
    MPI_Status status;
    check(MPI_Wait(&job.end, &status));
    takeEnd(status);
  }
  check(MPI_Waitall(static_cast<int>(sent.size()), sent.data(),
                    MPI_STATUSES_IGNORE));
  check(MPI_Cancel(&job.end));
  check(MPI_Request_free(&job.end));
  MPI_Finalize();
  return 0;
}
