// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one would take instead, and memcpy as the limit.

#include "Methods.h"

extern "C" {
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridexit(int context);
void Cpdgemr2d(int rows, int columns, const double *source, int row, int column,
               const int *sourceDescriptor, double *target, int targetRow,
               int targetColumn, const int *targetDescriptor, int context);
}

namespace exchange {
namespace {

int rankHere() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// Copies as many bytes as this rank has afterwards, in one piece.
class Memcpy final : public Method {
public:
  Memcpy(const Case &each, const Memory &memory)
      : memory(memory), from(each.targetBytes(rankHere()), 1) {}
  const char *name() const override { return "memcpy"; }
  void run() override { std::memcpy(memory.target, from.data(), from.size()); }

private:
  const Memory &memory;
  std::vector<char> from;
};

class Alltoallw final : public Method {
public:
  Alltoallw(const Case &each, const Memory &memory) : memory(memory) {
    int here = rankHere();
    std::size_t ranks = each.source.size();
    zeros.resize(ranks);
    for (bool sending : {true, false}) {
      Side &side = sending ? send : receive;
      for (std::size_t other = 0; other < ranks; ++other) {
        std::vector<MPI_Datatype> parts;
        for (const Transfer &transfer : each.transfers)
          if ((sending ? transfer.from : transfer.to) == here &&
              (sending ? transfer.to : transfer.from) ==
                  static_cast<int>(other))
            parts.push_back(
                subarray(each, transfer.box,
                         sending ? each.source[here] : each.target[here]));
        side.counts.push_back(parts.empty() ? 0 : 1);
        side.types.push_back(together(parts));
      }
    }
  }
  ~Alltoallw() override {
    for (Side *side : {&send, &receive})
      for (std::size_t i = 0; i < side->types.size(); ++i)
        if (side->counts[i])
          MPI_Type_free(&side->types[i]);
  }
  const char *name() const override { return "MPI_Alltoallw"; }
  void run() override {
    MPI_Alltoallw(memory.source, send.counts.data(), zeros.data(),
                  send.types.data(), memory.target, receive.counts.data(),
                  zeros.data(), receive.types.data(), MPI_COMM_WORLD);
  }

private:
  struct Side {
    std::vector<int> counts;
    std::vector<MPI_Datatype> types;
  };

  static MPI_Datatype subarray(const Case &each, const Box &box,
                               const Box &held) {
    Place place = placeIn(held, box);
    Extents sizes = box.sizes();
    std::vector<int> array(place.array.begin(), place.array.end()),
        begin(place.begin.begin(), place.begin.end()),
        size(sizes.begin(), sizes.end());
    MPI_Datatype result, element = each.elementBytes == 8   ? MPI_DOUBLE
                                   : each.elementBytes == 4 ? MPI_FLOAT
                                   : each.elementBytes == 2 ? MPI_INT16_T
                                                            : MPI_BYTE;
    MPI_Type_create_subarray(static_cast<int>(array.size()), array.data(),
                             size.data(), begin.data(), MPI_ORDER_C, element,
                             &result);
    return result;
  }

  static MPI_Datatype together(std::vector<MPI_Datatype> &parts) {
    if (parts.empty())
      return MPI_BYTE;
    MPI_Datatype result = parts[0];
    if (parts.size() > 1) {
      std::vector<int> ones(parts.size(), 1);
      std::vector<MPI_Aint> begin(parts.size(), 0);
      MPI_Type_create_struct(static_cast<int>(parts.size()), ones.data(),
                             begin.data(), parts.data(), &result);
      for (MPI_Datatype &part : parts)
        MPI_Type_free(&part);
    }
    MPI_Type_commit(&result);
    return result;
  }

  const Memory &memory;
  Side send, receive;
  std::vector<int> zeros;
};

/// Fortran's matrices have columns in a row: a tensor of M x N is a matrix of
/// N x M, and a grid of P x Q ranks one of Q x P.
class Pdgemr2d final : public Method {
public:
  Pdgemr2d(const Case &each, const Memory &memory)
      : memory(memory), rows(extent(each, 1)), columns(extent(each, 0)) {
    const std::vector<int> &blocks = *each.blocks;
    from = grid(blocks[0], blocks[1]);
    to = grid(blocks[2], blocks[3]);
    all = grid(1, static_cast<int>(each.source.size()));
    describe(from, blocks[0], blocks[1], source);
    describe(to, blocks[2], blocks[3], target);
  }
  ~Pdgemr2d() override {
    for (int context : {from, to, all})
      Cblacs_gridexit(context);
  }
  const char *name() const override { return "pdgemr2d"; }
  void run() override {
    Cpdgemr2d(rows, columns, reinterpret_cast<const double *>(memory.source), 1,
              1, source, reinterpret_cast<double *>(memory.target), 1, 1,
              target, all);
  }

private:
  static int extent(const Case &each, std::size_t dim) {
    int64_t end = 0;
    for (const Box &box : each.source)
      end = std::max(end, box.end[dim]);
    return static_cast<int>(end);
  }
  static int grid(int p, int q) {
    int context = 0;
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "C", q, p);
    return context;
  }
  void describe(int context, int p, int q, int (&descriptor)[9]) const {
    int all[9] = {1,           context, rows, columns, rows / q,
                  columns / p, 0,       0,    rows / q};
    std::copy(all, all + 9, descriptor);
  }

  const Memory &memory;
  int rows, columns;
  int from = 0, to = 0, all = 0;
  int source[9], target[9];
};

} // namespace

std::unique_ptr<Method> makeMemcpy(const Case &each, const Memory &memory) {
  return std::make_unique<Memcpy>(each, memory);
}

std::unique_ptr<Method> makeAlltoallw(const Case &each, const Memory &memory) {
  return std::make_unique<Alltoallw>(each, memory);
}

std::unique_ptr<Method> makePdgemr2d(const Case &each, const Memory &memory) {
  if (!each.blocks)
    return nullptr;
  return std::make_unique<Pdgemr2d>(each, memory);
}

} // namespace exchange
