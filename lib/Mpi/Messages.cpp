// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every wait is one for messages, and for what other ranks say of their end,
// with a deadline. It blocks: where there are more ranks than processors, a
// rank that asked again and again would take turns from those that it waits
// for. Messages go in pieces, each of which is packed and unpacked here where
// its part of an array is not contiguous.

#include "Messages.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <thread>

namespace npu::mpi {
namespace {

/// Messages are sent in pieces of this size: while one of them is under way,
/// the next one is packed, and both are in caches.
constexpr int64_t pieceBytes = int64_t(256) << 10;

/// A message with NPU_MPI_WHOLE is one piece where it has at most so many
/// bytes: MPI counts in int.
constexpr int64_t wholeBytes = int64_t(1) << 30;

/// How many pieces of a message are under way at the same time: with a buffer
/// each, or without any where the part of the array is contiguous.
constexpr int64_t mostPacked = 4, mostContiguous = 64;

double secondsSince(std::chrono::steady_clock::time_point began) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began)
      .count();
}

} // namespace

bool Messages::Request::isWhole() const {
  return tag >= NPU_MPI_WHOLE && part.bytes() <= wholeBytes;
}

int64_t Messages::Request::pieceSize() const {
  return isWhole() ? wholeBytes : pieceBytes;
}

int64_t Messages::Request::pieces() const {
  return std::max<int64_t>(1, (part.bytes() + pieceSize() - 1) / pieceSize());
}

int64_t Messages::Request::bytesOf(int64_t piece) const {
  return std::min(part.bytes() - piece * pieceSize(), pieceSize());
}

Messages::Messages(Job &job, const char *fault) : job(job) {
  char kind[8] = "";
  int rank = -1;
  long long message = -1;
  if (std::sscanf(fault, "%7[a-z]:%d:%lld", kind, &rank, &message) == 3 &&
      rank == job.rank()) {
    faultKind = kind;
    faultMessage = message;
  }
}

/// The type by which MPI sends a part by itself. Types are kept: loops send the
/// same parts again and again.
MPI_Datatype Messages::typeOf(const StridedPart &part) {
  typeKey.assign(1, part.runBytes());
  for (const auto &dim : part.loops())
    typeKey.insert(typeKey.end(), {dim.extent, dim.stride});
  if (auto known = types.find(typeKey); known != types.end())
    return known->second;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  job.check(
      MPI_Type_contiguous(static_cast<int>(part.runBytes()), MPI_BYTE, &type));
  for (auto dim = part.loops().rbegin(); dim != part.loops().rend(); ++dim) {
    MPI_Datatype inner = type;
    job.check(MPI_Type_create_hvector(static_cast<int>(dim->extent), 1,
                                      dim->stride, inner, &type));
    job.check(MPI_Type_free(&inner));
  }
  job.check(MPI_Type_commit(&type));
  types.emplace(typeKey, type);
  return type;
}

/// Where a piece is received, or sent from.
char *Messages::placeOf(Request &request, int64_t piece) {
  if (!request.isPacked())
    return request.part.at(piece * request.pieceSize());
  Buffer &buffer = request.buffers[request.slotOf(piece)];
  if (!buffer && !buffers.empty()) {
    buffer = std::move(buffers.back());
    buffers.pop_back();
  } else if (!buffer) {
    buffer.reset(new char[pieceBytes]);
  }
  return buffer.get();
}

/// Begins the next piece.
void Messages::beginPiece(Request &request) {
  int64_t piece = request.begun++, bytes = request.bytesOf(piece);
  --piecesToBegin;
  char *place = placeOf(request, piece);
  MPI_Request *handle = &request.handles[request.slotOf(piece)];
  if (!request.isPacked() && !request.part.isContiguous() &&
      request.missing == 0) {
    MPI_Datatype type = typeOf(request.part);
    job.check(request.receives
                  ? MPI_Irecv(place, 1, type, request.other, request.tag,
                              job.messages(), handle)
                  : MPI_Isend(place, 1, type, request.other, request.tag,
                              job.messages(), handle));
    return;
  }
  if (request.receives) {
    job.check(MPI_Irecv(place, static_cast<int>(bytes), MPI_BYTE, request.other,
                        request.tag, job.messages(), handle));
    return;
  }
  if (request.isPacked())
    request.part.pack(piece * request.pieceSize(), bytes, place);
  if (request.begun == request.pieces())
    bytes = std::max<int64_t>(bytes - request.missing, 0);
  job.check(MPI_Isend(place, static_cast<int>(bytes), MPI_BYTE, request.other,
                      request.tag, job.messages(), handle));
}

/// Ends with a message where a piece has not the bytes that it should have.
void Messages::checkPiece(const Request &request, int code,
                          MPI_Status &status) {
  int64_t expected = request.bytesOf(request.done);
  MPI_Count got = 0;
  int error = MPI_SUCCESS;
  MPI_Error_class(code, &error);
  if (error != MPI_ERR_TRUNCATE)
    job.check(code);
  if (code == MPI_SUCCESS)
    job.check(MPI_Get_elements_x(&status, MPI_BYTE, &got));
  if (code != MPI_SUCCESS || got != expected)
    job.fail("message " + std::to_string(request.tag) + " from rank " +
             std::to_string(request.other) + ": expected " +
             std::to_string(expected) + " bytes, got " +
             (code == MPI_SUCCESS ? std::to_string(got) : "more"));
}

/// Takes up a piece that has arrived or left, and begins another one.
void Messages::finishPiece(Request &request, int code, MPI_Status &status) {
  request.handles[request.slotOf(request.done)] = MPI_REQUEST_NULL;
  if (request.receives) {
    checkPiece(request, code, status);
    if (request.isPacked())
      request.part.unpack(request.done * request.pieceSize(),
                          request.bytesOf(request.done),
                          placeOf(request, request.done));
  } else {
    job.check(code);
  }
  ++request.done;
  if (request.begun < request.pieces())
    beginPiece(request);
}

/// Waits for the next piece of a message, or of any where one has pieces that
/// have not begun: another rank may wait for them before it sends this one.
void Messages::waitForPiece(Request &wanted) {
  waited.clear();
  waiting.clear();
  auto waitFor = [&](Request &request) {
    if (request.done == request.begun)
      return;
    waited.push_back(request.handles[request.slotOf(request.done)]);
    waiting.push_back(&request);
  };
  if (piecesToBegin == 0)
    waitFor(wanted);
  else
    for (int64_t number : pending)
      waitFor(requests[number]);
  int code = MPI_SUCCESS;
  MPI_Status status;
  size_t found = job.waitForOne(waited, wanted.awaited(), code, status);
  finishPiece(*waiting[found], code, status);
}

Messages::Request &Messages::make(intptr_t address, const int64_t *part,
                                  int tag, int other) {
  int64_t number = static_cast<int64_t>(requests.size());
  if (unused.empty()) {
    requests.emplace_back();
  } else {
    number = unused.back();
    unused.pop_back();
  }
  Request &request = requests[number];
  request.part.assign(address, part);
  request.receives = false;
  request.other = other;
  request.tag = tag;
  request.exchange = exchange;
  request.begun = request.done = request.missing = 0;
  pending.push_back(number);
  return request;
}

/// Begins the request that was made last. Returns its number.
int64_t Messages::begin(Request &request) {
  Exchange &of = exchanges[request.exchange];
  Clock::time_point now = Clock::now();
  if (of.pending++ == 0)
    of.began = now;
  if (!request.receives) {
    ++of.figures.messages;
    of.figures.bytes += request.part.bytes();
  }
  bool isPacked = request.isPacked();
  request.handles.resize(
      std::min(isPacked ? mostPacked : mostContiguous, request.pieces()));
  request.buffers.resize(isPacked ? request.handles.size() : 0);
  piecesToBegin += request.pieces();
  for (size_t i = 0; i < request.handles.size(); ++i)
    beginPiece(request);
  of.figures.waited += secondsSince(now);
  return pending.back();
}

/// Plants the fault where this is its message.
void Messages::plantFault(Request &request) {
  if (sent++ != faultMessage)
    return;
  if (faultKind == "kill")
    std::raise(SIGKILL);
  while (faultKind == "stall")
    std::this_thread::sleep_for(std::chrono::seconds(1));
  request.missing = 1;
}

void Messages::checkFaultPlanted() {
  if (faultMessage >= sent)
    job.fail("a fault was to be planted in message " +
             std::to_string(faultMessage) + ", got " + std::to_string(sent) +
             " messages");
}

int64_t Messages::send(intptr_t address, const int64_t *part, int tag, int to) {
  Request &request = make(address, part, tag, to);
  plantFault(request);
  return begin(request);
}

int64_t Messages::receive(intptr_t address, const int64_t *part, int tag,
                          int from) {
  Request &request = make(address, part, tag, from);
  request.receives = true;
  return begin(request);
}

void Messages::wait(int64_t number) {
  Request &request = requests[number];
  Clock::time_point began = Clock::now();
  while (!request.isDone())
    waitForPiece(request);
  for (Buffer &buffer : request.buffers)
    if (buffer)
      buffers.push_back(std::move(buffer));
  unused.push_back(number);
  std::erase(pending, number);
  Exchange &of = exchanges[request.exchange];
  of.figures.waited += secondsSince(began);
  if (--of.pending == 0)
    of.figures.seconds += secondsSince(of.began);
}

void Messages::beginExchange(size_t number) {
  exchange = number;
  if (exchange >= exchanges.size())
    exchanges.resize(exchange + 1);
  ++exchanges[exchange].figures.runs;
}

} // namespace npu::mpi
