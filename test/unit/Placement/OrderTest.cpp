// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cast that reads its permutations the wrong way round looks right on square
// shapes; the definitions are checked here letter by letter.

#include "npu/Placement/Distributions/Order.h"
#include "npu-fuzz/Plans/RandomPlacements.h"

#include <gtest/gtest.h>

namespace npu {
namespace {

TEST(Order, NamesAndPermutations) {
  EXPECT_EQ(parseOrderName("NCHW"), (Permutation{0, 1, 2, 3}));
  EXPECT_EQ(parseOrderName("NHWC"), (Permutation{0, 2, 3, 1}));
  EXPECT_EQ(parseOrderName("NWCH"), (Permutation{0, 3, 1, 2}));
  EXPECT_EQ(parseOrderName("GNHWC"), (Permutation{0, 1, 3, 4, 2}));
  for (const char *word : {"", "NCH", "NCHH", "NCHX", "nchw", "NGHWC", "CHWNN"})
    EXPECT_EQ(parseOrderName(word), std::nullopt) << word;
  EXPECT_EQ(orderName({0, 2, 3, 1}), "NHWC");
  EXPECT_EQ(orderName({0, 1, 3, 4, 2}), "GNHWC");
  EXPECT_EQ(orderName({1, 0, 2, 3, 4}), std::nullopt);
  EXPECT_EQ(orderName({0, 1, 2}), std::nullopt);
  EXPECT_EQ(orderName({0, 0, 1, 2}), std::nullopt);

  Permutation order = identityPermutation(4);
  do {
    std::optional<std::string> name = orderName(order);
    ASSERT_TRUE(name);
    EXPECT_EQ(parseOrderName(*name), order);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Order, PermutationsCompose) {
  EXPECT_TRUE(isPermutation(Permutation{2, 0, 1}.span()));
  EXPECT_FALSE(isPermutation(Permutation{2, 0, 2}.span()));
  EXPECT_FALSE(isPermutation(Permutation{1, 2, 3}.span()));
  EXPECT_FALSE(isPermutation(Permutation{-1, 0, 1}.span()));
  EXPECT_TRUE(isIdentity({}));
  EXPECT_TRUE(isIdentity({0, 1, 2}));
  RandomPlacements random(1);
  for (int round = 0; round < 200; ++round) {
    std::size_t rank = random.between(1, kMaxRank);
    Permutation a = random.permutation(rank), b = random.permutation(rank);
    Extents values;
    for (std::size_t i = 0; i < rank; ++i)
      values.push_back(10 + static_cast<int64_t>(i));
    EXPECT_TRUE(isIdentity(compose(a, inverse(a))));
    EXPECT_TRUE(isIdentity(compose(inverse(a), a)));
    EXPECT_EQ(permute(permute(values, a), b), permute(values, compose(a, b)));
    EXPECT_EQ(permute(values, {}), values);
    EXPECT_EQ(compose(a, {}), a);
    EXPECT_EQ(compose({}, a), a);
  }
}

TEST(Order, CastDimensionsFollowsItsDefinition) {
  EXPECT_EQ(castDimensions({}, {}, {0, 2, 3, 1}), (Permutation{0, 3, 1, 2}));
  RandomPlacements random(2);
  for (int round = 0; round < 200; ++round) {
    std::size_t rank = random.between(1, kMaxRank);
    Permutation in = random.permutation(rank), perm = random.permutation(rank),
                out = random.permutation(rank);
    // Word for word: toMem(v, O)[m] = v[O[m]], perm(w, P)[i] = w[P[i]],
    // toLog(w, O)[O[m]] = w[m].
    Extents inShape, memory(rank, 0), permuted(rank, 0), outShape(rank, 0);
    for (std::size_t i = 0; i < rank; ++i)
      inShape.push_back(100 + static_cast<int64_t>(i));
    for (std::size_t m = 0; m < rank; ++m)
      memory[m] = inShape[in[m]];
    for (std::size_t i = 0; i < rank; ++i)
      permuted[i] = memory[perm[i]];
    for (std::size_t m = 0; m < rank; ++m)
      outShape[out[m]] = permuted[m];
    EXPECT_EQ(permute(inShape, castDimensions(in, perm, out)), outShape);
    if (isIdentity(in))
      EXPECT_EQ(castDimensions({}, perm, out), castDimensions(in, perm, out));
  }
  EXPECT_TRUE(castDimensions({}, {}, {}).empty());
}

TEST(Order, OnlyMovesOfUnitDimensionsAreTrivial) {
  EXPECT_TRUE(isTrivialMemPerm({1, 28, 336, 128}, {0, 1, 2, 3}));
  EXPECT_TRUE(isTrivialMemPerm({1, 28, 336, 128}, {1, 0, 2, 3}));
  EXPECT_TRUE(isTrivialMemPerm({4, 1, 1, 8}, {2, 0, 1, 3}));
  EXPECT_FALSE(isTrivialMemPerm({1, 28, 336, 128}, {0, 2, 1, 3}));
  EXPECT_FALSE(isTrivialMemPerm({2, 1, 3}, {2, 1, 0}));
  EXPECT_TRUE(isTrivialMemPerm({2, 3}, {}));
}

} // namespace
} // namespace npu
