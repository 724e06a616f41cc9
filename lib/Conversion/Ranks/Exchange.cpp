// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts from one rank to the same other ranks are one payload. Each payload is
// a tree of messages; the messages of one level of all trees get rounds.

#include "Exchange.h"

#include "../Buffers/TransferParts.h"
#include "LibraryCalls.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Mpi/Mpi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MPI/IR/MPI.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

#include <map>

using namespace mlir;

namespace npu {
namespace {

/// A part of so many bytes is a message of its own, which needs not be packed
/// beside others; smaller ones are packed together, because each message takes
/// some time of its own.
constexpr int64_t leastBytesAlone = int64_t(64) << 10;

/// A payload sent to fewer ranks goes to each of them from where it is.
constexpr size_t leastRanksOfTree = 3;

/// Parts that go from one rank to the same others, and where each begins in the
/// bytes of a message.
struct Payload {
  int from = 0;
  std::vector<int> to;
  SmallVector<const ExchangedPart *> parts;
  SmallVector<int64_t> offsets;
  int64_t bytes = 0;
};

struct Message {
  size_t payload = 0;
  RankPair ranks;
  int level = 0;
  int round = 0;
  int tag = 0;
};

MemRefType typeOf(Value buffer) { return cast<MemRefType>(buffer.getType()); }

int64_t bytesOf(MemRefType type) {
  return bufferBytes(type.getElementType(), type.getShape()).value();
}

/// Places the parts one after the other. Larger elements come first, so that
/// each is at a multiple of its size, and nothing is left free between them.
void place(Payload &payload) {
  auto alignment = [](const ExchangedPart *part) {
    Type element = typeOf(part->source).getElementType();
    return isPacked(element) ? 0 : bufferBytes(element).value();
  };
  llvm::sort(payload.parts, [&](const auto *a, const auto *b) {
    return std::pair(-alignment(a), a) < std::pair(-alignment(b), b);
  });
  for (const ExchangedPart *part : payload.parts) {
    payload.offsets.push_back(payload.bytes);
    payload.bytes += bytesOf(typeOf(part->source));
  }
}

std::vector<Payload> payloadsOf(ArrayRef<ExchangedPart> parts) {
  std::map<std::pair<int, std::vector<int>>, size_t> known;
  std::vector<Payload> payloads;
  for (const ExchangedPart &part : parts) {
    std::vector<int> to;
    for (const ExchangedPart::Dest &dest : part.dests)
      to.push_back(dest.rank);
    llvm::sort(to);
    to.erase(llvm::unique(to), to.end());
    size_t number = payloads.size();
    if (bytesOf(typeOf(part.source)) < leastBytesAlone)
      number = known.try_emplace({part.from, to}, number).first->second;
    if (number == payloads.size())
      payloads.push_back({part.from, to, {}, {}, 0});
    payloads[number].parts.push_back(&part);
  }
  llvm::for_each(payloads, place);
  return payloads;
}

/// Whether a buffer can be sent, or received, as it lies: it has strides that
/// are known, and no elements that share bytes with others.
bool isMovedAsItLies(Value buffer) {
  MemRefType type = typeOf(buffer);
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  return !isPacked(type.getElementType()) && type.hasStaticShape() &&
         succeeded(type.getStridesAndOffset(strides, offset)) &&
         !llvm::any_of(strides, ShapedType::isDynamic);
}

/// The destinations of a payload by their ranks, where it is received as it
/// lies: it is one part, which has one such destination on the rank. Null for
/// the other ranks that it goes to.
llvm::DenseMap<int, Value> directDests(const Payload &payload) {
  llvm::DenseMap<int, Value> direct;
  for (const ExchangedPart *part : payload.parts)
    for (const ExchangedPart::Dest &dest : part->dests) {
      auto [known, isFirst] = direct.try_emplace(dest.rank, dest.part);
      if (!isFirst || payload.parts.size() != 1 || !isMovedAsItLies(dest.part))
        known->second = {};
    }
  return direct;
}

/// Whether so many bytes of a buffer lie one after the other that MPI sends
/// them as fast as packed ones: all, or NPU_MPI_RUN at a time.
bool hasLongRuns(Value buffer) {
  MemRefType type = typeOf(buffer);
  if (memref::isStaticShapeAndContiguousRowMajor(type))
    return true;
  SmallVector<int64_t> strides;
  int64_t offset = 0, run = bufferBytes(type.getElementType()).value_or(0);
  if (failed(type.getStridesAndOffset(strides, offset)))
    return false;
  int64_t next = 1;
  for (auto [extent, stride] :
       llvm::reverse(llvm::zip_equal(type.getShape(), strides))) {
    if (extent != 1 && stride != next)
      break;
    next *= extent;
    run *= extent;
  }
  return run >= NPU_MPI_RUN;
}

/// Whether MPI can send, or receive, a payload by itself on a rank that has it.
bool isWholeOn(const Payload &payload, const llvm::DenseMap<int, Value> &direct,
               int rank) {
  const ExchangedPart &first = *payload.parts.front();
  if (rank == payload.from)
    return payload.parts.size() > 1 || !isMovedAsItLies(first.source) ||
           hasLongRuns(first.source);
  Value dest = direct.lookup(rank);
  return !dest || (!first.permutation && hasLongRuns(dest));
}

/// The messages of all payloads, in the order in which ranks begin them.
std::vector<Message> messagesOf(ArrayRef<Payload> payloads,
                                int64_t &messageCount) {
  std::vector<Message> messages;
  for (auto [number, payload] : llvm::enumerate(payloads)) {
    llvm::DenseMap<int, Value> direct = directDests(payload);
    std::vector<int> ranks{payload.from};
    llvm::append_range(ranks, payload.to);
    std::vector<TreeMessage> tree;
    if (payload.to.size() >= leastRanksOfTree)
      tree = broadcastTree(ranks);
    else
      for (int to : payload.to)
        tree.push_back({{payload.from, to}, 0});
    for (const TreeMessage &each : tree) {
      bool isWhole = isWholeOn(payload, direct, each.ranks.from) &&
                     isWholeOn(payload, direct, each.ranks.to);
      auto tag = static_cast<int>(messageCount++ % NPU_MPI_WHOLE);
      messages.push_back({number, each.ranks, each.level, 0,
                          tag + (isWhole ? NPU_MPI_WHOLE : 0)});
    }
  }
  // Of all messages that this rank and others begin, in one order.
  auto inOrder = [](const Message &a, const Message &b) {
    auto key = [](const Message &each) {
      return std::tuple(each.level, each.round, each.payload, each.ranks.to);
    };
    return key(a) < key(b);
  };
  llvm::sort(messages, inOrder);
  for (auto begin = messages.begin(); begin != messages.end();) {
    auto end = std::find_if(begin, messages.end(), [&](const Message &each) {
      return each.level != begin->level;
    });
    std::vector<RankPair> pairs;
    for (const Message &each : llvm::make_range(begin, end))
      pairs.push_back(each.ranks);
    for (auto [each, round] :
         llvm::zip_equal(llvm::make_range(begin, end), exchangeRounds(pairs)))
      each.round = round;
    begin = end;
  }
  llvm::sort(messages, inOrder);
  return messages;
}

/// A part as it lies in the bytes of its payload.
Value viewOf(OpBuilder &builder, Location loc, Value packed, int64_t offset,
             ArrayRef<int64_t> shape, Type elementType) {
  Value begin = arith::ConstantIndexOp::create(builder, loc, offset);
  return memref::ViewOp::create(builder, loc,
                                MemRefType::get(shape, elementType), packed,
                                begin, ValueRange());
}

void waitAndUnpack(OpBuilder &builder, const BegunMessages &messages,
                   Value packed) {
  for (Value request : messages.requests)
    mpi::Wait::create(builder, messages.loc, Type(), request);
  for (const BegunMessages::Unpacked &part : messages.unpacked)
    copyPart(builder, part.loc,
             viewOf(builder, part.loc, packed, part.offset, part.shape,
                    typeOf(part.dest).getElementType()),
             part.dest, part.permutation);
}

/// Begins one rank's side of an exchange.
class SideWriter {
public:
  SideWriter(OpBuilder &builder, ExchangeContext &context,
             ArrayRef<Payload> payloads, int64_t firstMessage)
      : builder(builder), context(context), payloads(payloads),
        firstMessage(firstMessage), buffers(payloads.size()) {}

  std::vector<BegunMessages> begin(ArrayRef<Message> messages) {
    OpBuilder::InsertPoint end = builder.saveInsertionPoint();
    auto beginAtPlace = [&](const Message &message) {
      // Parts are sorted by size.
      const ExchangedPart *last =
          *llvm::max_element(payloads[message.payload].parts);
      if (last->place)
        builder.setInsertionPoint(last->place);
    };
    for (const Message &each : messages)
      if (each.ranks.to == context.rank) {
        beginAtPlace(each);
        receive(each);
      }
    for (const Message &each : messages)
      if (each.ranks.from == context.rank && isMine(each.payload)) {
        beginAtPlace(each);
        send(each);
      }
    builder.restoreInsertionPoint(end);
    // Others wait for what is sent on, so that it does not wait until this rank
    // has a use for it.
    for (const Message &each : messages)
      if (each.ranks.from == context.rank && !isMine(each.payload)) {
        if (BegunMessages &received = begunOf(each); received.isReceived)
          takeUp(received);
        send(each);
      }
    std::vector<BegunMessages> all;
    for (auto &[payload, each] : begun)
      all.push_back(std::move(each));
    return all;
  }

private:
  bool isMine(size_t payload) const {
    return payloads[payload].from == context.rank;
  }

  Location locOf(const Message &message) const {
    return payloads[message.payload].parts.front()->loc;
  }

  Value number(Location loc, int value) {
    return arith::ConstantIntOp::create(builder, loc, value, 32);
  }

  mpi::RequestType requestType() {
    return mpi::RequestType::get(builder.getContext());
  }

  BegunMessages &begunOf(const Message &message) {
    return begun.try_emplace(message.payload, locOf(message), firstMessage)
        .first->second;
  }

  void receive(const Message &message) {
    Location loc = locOf(message);
    const Payload &payload = payloads[message.payload];
    BegunMessages &received = begunOf(message);
    received.isReceived = true;
    Value &buffer = buffers[message.payload];
    if (Value dest = directDests(payload).lookup(context.rank)) {
      buffer = inSourceOrder(*payload.parts.front(), dest);
    } else {
      buffer = received.packed = allocate(loc, payload.bytes);
      noteUnpacked(payload, received);
    }
    for (const ExchangedPart *part : payload.parts)
      for (const ExchangedPart::Dest &dest : part->dests)
        if (dest.rank == context.rank)
          received.accesses.push_back(accessOf(dest.part, /*writes=*/true));
    received.requests.push_back(
        mpi::IRecvOp::create(builder, loc, TypeRange{requestType()}, buffer,
                             number(loc, message.tag),
                             number(loc, message.ranks.from), context.comm)
            .getReq());
  }

  void send(const Message &message) {
    Location loc = locOf(message);
    BegunMessages &sent = begunOf(message);
    if (!buffers[message.payload])
      pack(message.payload, sent);
    if (!sent.packed)
      sent.accesses = {accessOf(buffers[message.payload], /*writes=*/false)};
    sent.requests.push_back(
        mpi::ISendOp::create(builder, loc, TypeRange{requestType()},
                             buffers[message.payload], number(loc, message.tag),
                             number(loc, message.ranks.to), context.comm)
            .getReq());
  }

  /// Waits for what is to be sent on.
  void takeUp(BegunMessages &received) {
    Value packed = std::exchange(received.packed, Value());
    waitAndUnpack(builder, received, packed);
    received = BegunMessages(received.loc, firstMessage);
    received.packed = packed;
  }

  /// A view of a destination whose dimensions are in the source's order.
  Value inSourceOrder(const ExchangedPart &part, Value dest) {
    if (!part.permutation)
      return dest;
    // Dimension i of the destination is dimension permutation[i] of the source.
    SmallVector<int64_t> inverse = invertPermutationVector(*part.permutation);
    AffineMap map = AffineMap::getPermutationMap(inverse, builder.getContext());
    return memref::TransposeOp::create(builder, part.loc, dest,
                                       AffineMapAttr::get(map));
  }

  Value allocate(Location loc, int64_t bytes) {
    return memref::AllocOp::create(
        builder, loc, MemRefType::get({bytes}, builder.getI8Type()));
  }

  void pack(size_t number, BegunMessages &sent) {
    const Payload &payload = payloads[number];
    const ExchangedPart &first = *payload.parts.front();
    if (payload.parts.size() == 1 && isMovedAsItLies(first.source)) {
      buffers[number] = first.source;
      return;
    }
    buffers[number] = sent.packed = allocate(first.loc, payload.bytes);
    for (auto [part, offset] : llvm::zip_equal(payload.parts, payload.offsets))
      copyPart(builder, part->loc, part->source,
               viewOf(builder, part->loc, sent.packed, offset,
                      typeOf(part->source).getShape(),
                      typeOf(part->source).getElementType()),
               std::nullopt);
  }

  void noteUnpacked(const Payload &payload, BegunMessages &received) {
    for (auto [part, offset] : llvm::zip_equal(payload.parts, payload.offsets))
      for (const ExchangedPart::Dest &dest : part->dests)
        if (dest.rank == context.rank)
          received.unpacked.push_back(
              {part->loc, offset, dest.part,
               llvm::to_vector(typeOf(part->source).getShape()),
               part->permutation});
  }

  OpBuilder &builder;
  ExchangeContext &context;
  ArrayRef<Payload> payloads;
  int64_t firstMessage;
  /// Where each payload is on this rank; null where it is not.
  SmallVector<Value> buffers;
  std::map<size_t, BegunMessages> begun;
};

} // namespace

/// Tells the library which exchange begins, so that its figures are those of
/// the same exchange on all ranks.
static void announceExchange(OpBuilder &builder, Location loc, int64_t number) {
  Value value = arith::ConstantIntOp::create(builder, loc, number, 64);
  callLibrary(builder, loc, "npu_mpi_begin_exchange", TypeRange(), value);
}

BufferAccesses accessesOf(ArrayRef<ExchangedPart> parts, int rank) {
  BufferAccesses accesses;
  for (const ExchangedPart &part : parts) {
    if (part.from == rank)
      accesses.push_back(accessOf(part.source, /*writes=*/false));
    for (const ExchangedPart::Dest &dest : part.dests)
      if (dest.rank == rank)
        accesses.push_back(accessOf(dest.part, /*writes=*/true));
  }
  return accesses;
}

std::vector<BegunMessages> beginExchange(OpBuilder &builder,
                                         ExchangeContext &context,
                                         ArrayRef<ExchangedPart> parts) {
  if (parts.empty())
    return {};
  {
    OpBuilder::InsertionGuard guard(builder);
    if (Operation *place = parts.front().place)
      builder.setInsertionPoint(place);
    announceExchange(builder, parts.front().loc, context.exchangeCount++);
  }
  int64_t firstMessage = context.messageCount;
  std::vector<Payload> payloads = payloadsOf(parts);
  std::vector<Message> messages = messagesOf(payloads, context.messageCount);
  return SideWriter(builder, context, payloads, firstMessage).begin(messages);
}

void finishMessages(OpBuilder &builder, const BegunMessages &messages) {
  waitAndUnpack(builder, messages, messages.packed);
  if (messages.packed)
    memref::DeallocOp::create(builder, messages.packed.getLoc(),
                              messages.packed);
}

} // namespace npu
