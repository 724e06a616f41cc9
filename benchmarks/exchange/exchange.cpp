// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carries out one redistribution between MPI ranks in several ways, in turn,
// and prints a JSON object for each way: its name, the seconds of every
// repetition (of the rank that took longest), and how many elements came out
// wrong.
//
//   mpirun -n RANKS exchange CASE REPETITIONS

#include "Methods.h"

#include "npu/Mpi/Mpi.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <random>

namespace exchange {
namespace {

/// An element's value says where it is in the whole tensor.
template <typename Visit>
void forEachElement(const Box &box, Visit visit) {
  int64_t volume = box.volume();
  Extents place = box.begin;
  for (int64_t i = 0; i < volume; ++i) {
    int64_t number = 0;
    for (int64_t at : place)
      number = number * 1000003 + at;
    visit(i, number);
    for (std::size_t dim = place.size(); dim-- > 0;) {
      if (++place[dim] < box.end[dim])
        break;
      place[dim] = box.begin[dim];
    }
  }
}

int64_t countWrong(const Case &each, int here, const char *target) {
  int64_t wrong = 0;
  forEachElement(each.target[here], [&](int64_t i, int64_t number) {
    wrong += std::memcmp(target + i * each.elementBytes, &number,
                         each.elementBytes) != 0;
  });
  return wrong;
}

std::vector<std::unique_ptr<Method>> methodsFor(const Case &each,
                                                const Memory &memory) {
  std::vector<std::unique_ptr<Method>> methods;
  methods.push_back(makeMemcpy(each, memory));
  methods.push_back(makeAlltoallw(each, memory));
  if (std::unique_ptr<Method> pdgemr2d = makePdgemr2d(each, memory))
    methods.push_back(std::move(pdgemr2d));
  methods.push_back(makeOurs(each, memory));
  return methods;
}

void measure(const Case &each, int here, int repetitions) {
  std::vector<char> source(each.sourceBytes(here)),
      target(each.targetBytes(here));
  Memory memory{source.data(), target.data()};
  forEachElement(each.source[here], [&](int64_t i, int64_t number) {
    std::memcpy(memory.source + i * each.elementBytes, &number,
                each.elementBytes);
  });
  std::vector<std::unique_ptr<Method>> methods = methodsFor(each, memory);
  std::vector<std::vector<double>> seconds(methods.size());
  std::vector<long> wrong(methods.size());
  for (std::size_t i = 0; i < methods.size(); ++i) {
    std::fill(target.begin(), target.end(), char(-1));
    MPI_Barrier(MPI_COMM_WORLD);
    methods[i]->run();
    wrong[i] = countWrong(each, here, target.data());
  }
  // Each method comes after each other one equally often: what the one before
  // has left in caches is not in anyone's favour.
  std::vector<std::size_t> order(methods.size());
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 random(0);
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    std::ranges::shuffle(order, random);
    for (std::size_t i : order) {
      MPI_Barrier(MPI_COMM_WORLD);
      double begin = MPI_Wtime();
      methods[i]->run();
      double took = MPI_Wtime() - begin, longest = 0;
      MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
      seconds[i].push_back(longest);
    }
  }
  for (std::size_t i = 0; i < methods.size(); ++i) {
    long total = 0;
    MPI_Reduce(&wrong[i], &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (here != 0)
      continue;
    std::printf("{\"case\": \"%s\", \"method\": \"%s\", \"wrong\": %ld, "
                "\"seconds\": [",
                each.name.c_str(), methods[i]->name(), total);
    for (std::size_t j = 0; j < seconds[i].size(); ++j)
      std::printf("%s%.9f", j ? ", " : "", seconds[i][j]);
    std::printf("]}\n");
  }
}

int fail(int here, const char *message) {
  if (here == 0)
    std::fprintf(stderr, "exchange: %s\n", message);
  MPI_Finalize();
  return 1;
}

} // namespace
} // namespace exchange

int main(int argc, char **argv) {
  npu_mpi_open("exchange", 300, "");
  int here = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &here);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3 || std::atoi(argv[2]) < 1)
    return exchange::fail(here, "expected a case and a number of repetitions");
  std::ifstream file(argv[1]);
  do {
    std::optional<exchange::Case> each = exchange::readCase(file);
    if (!each)
      return exchange::fail(here, "expected a case, which Case.h describes");
    if (static_cast<int>(each->source.size()) != ranks)
      return exchange::fail(here, "expected as many ranks as the case has");
    exchange::measure(*each, here, std::atoi(argv[2]));
  } while (file >> std::ws && !file.eof());
  MPI_Finalize();
  return 0;
}
