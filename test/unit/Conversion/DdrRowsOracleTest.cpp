// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DdrRows, which looks parts up in order, beside a list of all accesses that
// compares every pair, on random parts of tensors: both wait for the same rows,
// and what shares a byte is never taken to lie apart.

#include "MemoryRanges.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <random>
#include <set>

using namespace npu;

namespace {

struct Access {
  StridedPart part;
  RowId row;
  bool writes;
};

bool stridesNest(const StridedPart &part) {
  for (size_t dim = 0; dim < part.strides.size(); ++dim)
    if (part.strides[dim] <= 0 ||
        (dim > 0 && part.strides[dim - 1] % part.strides[dim] != 0))
      return false;
  return true;
}

bool isSamePart(const StridedPart &a, const StridedPart &b) {
  return a.elementBits == b.elementBits && a.offset == b.offset &&
         a.extents == b.extents && a.strides == b.strides;
}

bool lieApart(const StridedPart &a, const StridedPart &b) {
  if (a.hull().second <= b.hull().first || b.hull().second <= a.hull().first)
    return true;
  if (a.elementBits != b.elementBits || a.strides != b.strides ||
      !stridesNest(a))
    return false;
  int64_t ofA = a.offset, ofB = b.offset;
  for (size_t dim = 0; dim < a.strides.size(); ++dim) {
    int64_t beginA = ofA / a.strides[dim], beginB = ofB / b.strides[dim];
    if (beginA + a.extents[dim] <= beginB || beginB + b.extents[dim] <= beginA)
      return true;
    ofA %= a.strides[dim];
    ofB %= b.strides[dim];
  }
  return false;
}

std::set<int64_t> bytesOf(const StridedPart &part) {
  std::set<int64_t> bytes;
  part.forEachRun(0, [&](int64_t begin, int64_t end) {
    for (int64_t byte = begin; byte < end; ++byte)
      bytes.insert(byte);
  });
  return bytes;
}

bool shareByte(const StridedPart &a, const StridedPart &b) {
  std::set<int64_t> ofA = bytesOf(a);
  return llvm::any_of(bytesOf(b),
                      [&](int64_t byte) { return ofA.contains(byte); });
}

/// The rows that one has to wait for which comes after `done`; drops those that
/// whoever waits for it need not wait for.
std::vector<RowId> waitsOf(const Access &access, std::vector<Access> &done) {
  std::vector<RowId> waits;
  for (const Access &each : done)
    if ((access.writes || each.writes) && !lieApart(access.part, each.part))
      waits.push_back(each.row);
  if (access.writes)
    llvm::erase_if(done, [&](const Access &each) {
      return isSamePart(each.part, access.part);
    });
  done.push_back(access);
  return waits;
}

/// A box of a tensor of 6 by 8 by 10 elements, or of a view of it.
StridedPart randomPart(std::mt19937 &random) {
  auto below = [&](int64_t end) {
    return std::uniform_int_distribution<int64_t>(0, end - 1)(random);
  };
  struct View {
    std::vector<int64_t> shape, strides;
  };
  static const std::vector<View> views = {{{6, 8, 10}, {80, 10, 1}},
                                          {{48, 10}, {10, 1}},
                                          {{2, 3, 8, 10}, {240, 80, 10, 1}},
                                          {{8, 6, 10}, {10, 80, 1}},
                                          {{6, 8, 5}, {80, 10, 2}},
                                          {{480}, {1}},
                                          {{6, 8}, {80, -10}},
                                          {{}, {}}};
  const View &view = views[below(views.size())];
  StridedPart part;
  part.elementBits = std::vector<int64_t>{4, 8, 16}[below(3)];
  part.strides.assign(view.strides.begin(), view.strides.end());
  bool isWhole = below(20) == 0;
  for (auto [extent, stride] : llvm::zip_equal(view.shape, view.strides)) {
    // Few extents, so that there are many of each.
    part.extents.push_back(isWhole ? extent : 1 + below(2) * (extent / 2));
    int64_t begin = below(extent - part.extents.back() + 1);
    part.offset += (stride < 0 ? extent - 1 - begin : begin) * std::abs(stride);
  }
  if (part.strides.empty())
    part.offset = below(480);
  return part;
}

TEST(DdrRowsOracle, WaitForTheSame) {
  for (int seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    DdrRows rows;
    std::vector<Access> done;
    std::vector<StridedPart> parts;
    for (RowId row = 0; row < 120; ++row) {
      // A part that was there, now and then.
      StridedPart part = parts.empty() || random() % 3 != 0
                             ? randomPart(random)
                             : parts[random() % parts.size()];
      parts.push_back(part);
      Access access = {part, row, random() % 2 == 0};
      llvm::SmallVector<RowId> waits;
      access.writes ? rows.write(part, row, waits)
                    : rows.read(part, row, waits);
      std::vector<RowId> found(waits.begin(), waits.end());
      std::ranges::sort(found);
      std::vector<RowId> expected = waitsOf(access, done);
      std::ranges::sort(expected);
      ASSERT_EQ(found, expected) << "seed " << seed << ", row " << row;
    }
  }
}

TEST(DdrRowsOracle, WhatLiesApartSharesNoByte) {
  std::mt19937 random(1);
  int apart = 0;
  for (int number = 0; number < 4000; ++number) {
    StridedPart a = randomPart(random), b = randomPart(random);
    // Layouts that cut a byte of packed elements are refused.
    bool areWholeBytes = a.elementBits >= 8 && b.elementBits >= 8;
    if (areWholeBytes && lieApart(a, b)) {
      ++apart;
      ASSERT_FALSE(shareByte(a, b)) << "number " << number;
    }
  }
  EXPECT_GT(apart, 100);
}

} // namespace
