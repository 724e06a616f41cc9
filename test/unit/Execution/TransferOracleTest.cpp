// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu.transfer on buffers beside an oracle that reads every element before it
// writes one: what the verifier accepts is what the oracle takes for a
// transfer, and runs to the oracle's elements.

#include "npu/Execution/Jit/CompiledFunction.h"
#include "npu/ExternalModels/RegisterAll.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/TargetSelect.h"
#include "gtest/gtest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <numeric>
#include <random>

using namespace npu;

namespace {

using Numbers = std::vector<int64_t>;

/// One transfer inside tile 0's memory. Positions that are no positions and
/// boxes that overlap are among them.
struct Transfer {
  Numbers shape, size, offset, sourceOffset, destOffset, sourceOrder, destOrder;
  /// Whether source and destination are one buffer.
  bool inPlace = false;
  int64_t bytes = 0;

  Numbers inOrder(const Numbers &numbers, const Numbers &order) const {
    Numbers result;
    for (int64_t dim : order)
      result.push_back(numbers[dim]);
    return result;
  }
  Numbers sourceSize() const { return inOrder(size, sourceOrder); }
  Numbers destSize() const { return inOrder(size, destOrder); }
};

bool isInside(const Numbers &offset, const Numbers &size,
              const Numbers &shape) {
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (offset[dim] < 0 || size[dim] < 0 ||
        __int128(offset[dim]) + size[dim] > shape[dim])
      return false;
  return true;
}

bool overlap(const Numbers &a, const Numbers &aSize, const Numbers &b,
             const Numbers &bSize) {
  for (size_t dim = 0; dim < a.size(); ++dim)
    if (a[dim] + aSize[dim] <= b[dim] || b[dim] + bSize[dim] <= a[dim])
      return false;
  return llvm::none_of(aSize, [](int64_t each) { return each == 0; });
}

/// Whether it says what can be copied, and how many bytes that are.
bool isTransfer(const Transfer &t) {
  __int128 bytes = 4;
  for (size_t dim = 0; dim < t.size.size(); ++dim) {
    if (t.offset[dim] < 0 || t.size[dim] < 0 ||
        __int128(t.offset[dim]) + t.size[dim] >
            std::numeric_limits<int64_t>::max())
      return false;
    bytes *= t.size[dim];
  }
  if (bytes != t.bytes || !isInside(t.sourceOffset, t.sourceSize(), t.shape) ||
      !isInside(t.destOffset, t.destSize(), t.shape))
    return false;
  bool isSame = t.sourceOffset == t.destOffset && t.sourceOrder == t.destOrder;
  return !t.inPlace || isSame ||
         !overlap(t.sourceOffset, t.sourceSize(), t.destOffset, t.destSize());
}

/// Row-major numbers of the box's elements in a buffer, the box in logical
/// order.
Numbers elementsOf(const Transfer &t, const Numbers &offset,
                   const Numbers &order) {
  Numbers result;
  int64_t count = std::accumulate(t.size.begin(), t.size.end(), int64_t(1),
                                  std::multiplies<>());
  for (int64_t number = 0; number < count; ++number) {
    Numbers at(t.size.size());
    int64_t rest = number;
    for (size_t dim = t.size.size(); dim-- > 0; rest /= t.size[dim])
      at[dim] = rest % t.size[dim];
    int64_t element = 0;
    for (size_t dim = 0; dim < t.shape.size(); ++dim)
      element = element * t.shape[dim] + offset[dim] + at[order[dim]];
    result.push_back(element);
  }
  return result;
}

/// What the destination's buffer has in the end; both begin as `initial`.
std::vector<int64_t> runOracle(const Transfer &t,
                               const std::vector<int64_t> &initial) {
  std::vector<int64_t> result = initial, read;
  for (int64_t element : elementsOf(t, t.sourceOffset, t.sourceOrder))
    read.push_back(initial[element]);
  Numbers written = elementsOf(t, t.destOffset, t.destOrder);
  for (size_t i = 0; i < written.size(); ++i)
    result[written[i]] = read[i];
  return result;
}

/// A program that fills two buffers of tile 0 from DDR, does the transfer, and
/// gives the destination's buffer.
std::string spell(const Transfer &t) {
  int64_t elements = std::accumulate(t.shape.begin(), t.shape.end(), int64_t(1),
                                     std::multiplies<>());
  int64_t room = (elements * 4 + 63) / 64 * 64;
  Numbers zeros(t.shape.size(), 0);
  std::string ddr = fmt::format("memref<{}xi32>", fmt::join(t.shape, "x")),
              tile = fmt::format("memref<{}xi32, 1>", fmt::join(t.shape, "x"));
  auto array = [](const Numbers &numbers) {
    return fmt::format("array<i64: {}>", fmt::join(numbers, ", "));
  };
  auto transfer = [&](const char *from, const char *to, int64_t source,
                      int64_t dest, const Transfer &is) {
    return fmt::format(
        "  \"npu.transfer\"({}, {}) <{{source_offset = {}, from = {} : i64, "
        "to = array<i64: {}>, dest_offsets = {}, offset = {}, size = {}, "
        "bytes = {} : i64, source_order = {}, dest_order = {}}}> : ({}, {}) -> "
        "()\n",
        from, to, array(is.sourceOffset), source, dest, array(is.destOffset),
        array(is.offset), array(is.size), is.bytes, array(is.sourceOrder),
        array(is.destOrder), source < 0 ? ddr : tile, dest < 0 ? ddr : tile);
  };
  Numbers identity(t.shape.size());
  std::iota(identity.begin(), identity.end(), 0);
  Transfer whole{t.shape,  t.shape,  zeros, zeros,       zeros,
                 identity, identity, false, elements * 4};
  std::string text = fmt::format(
      "func.func @main(%x: {0}, %r: {0} {{bufferize.result}}, %arena: "
      "memref<{1}xi8, 1> {{npu.arena = 0 : i64}}) attributes {{npu.tiles = 1 : "
      "i64}} {{\n  %c0 = arith.constant 0 : index\n"
      "  %room = arith.constant {2} : index\n"
      "  %a = memref.view %arena[%c0][] : memref<{1}xi8, 1> to {3}\n"
      "  %b = memref.view %arena[%room][] : memref<{1}xi8, 1> to {3}\n",
      ddr, 2 * room, room, tile);
  text += transfer("%x", "%a", -1, 0, whole);
  text += transfer("%x", "%b", -1, 0, whole);
  text += transfer("%a", t.inPlace ? "%a" : "%b", 0, 0, t);
  text += transfer(t.inPlace ? "%a" : "%b", "%r", 0, -1, whole);
  return text + "  return\n}\n";
}

class Random {
public:
  explicit Random(unsigned seed) : engine(seed) {}

  Transfer transfer() {
    Transfer t;
    int64_t rank = number(1, 3);
    for (int64_t dim = 0; dim < rank; ++dim) {
      t.shape.push_back(number(1, 4));
      t.size.push_back(one(20) ? 0 : number(1, 3));
      t.offset.push_back(position(9));
      t.sourceOffset.push_back(position(2));
      t.destOffset.push_back(position(2));
    }
    t.sourceOrder = order(rank);
    t.destOrder = one(2) ? t.sourceOrder : order(rank);
    if (one(6))
      t.destOffset = t.sourceOffset;
    t.inPlace = one(2);
    uint64_t bytes = 4;
    for (int64_t extent : t.size)
      bytes *= static_cast<uint64_t>(extent);
    t.bytes = static_cast<int64_t>(bytes) + (one(40) ? 4 : 0);
    return t;
  }

private:
  int64_t number(int64_t first, int64_t last) {
    return std::uniform_int_distribution<int64_t>(first, last)(engine);
  }
  bool one(int64_t of) { return number(1, of) == 1; }
  int64_t position(int64_t last) {
    if (one(30))
      return -1;
    return one(60) ? std::numeric_limits<int64_t>::max() - 1 : number(0, last);
  }
  Numbers order(int64_t rank) {
    Numbers result(rank);
    std::iota(result.begin(), result.end(), 0);
    if (one(2))
      std::shuffle(result.begin(), result.end(), engine);
    return result;
  }

  std::mt19937 engine;
};

TEST(TransferOracle, RunsWhatIsAcceptedAndRefusesTheRest) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  mlir::DialectRegistry registry;
  registerDialects(registry);
  registerExecutionInterfaces(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  mlir::ScopedDiagnosticHandler silent(
      &context, [](mlir::Diagnostic &) { return mlir::success(); });
  Random random(1);
  unsigned ran = 0, inPlace = 0, refused = 0;
  for (unsigned i = 0; i < 1500; ++i) {
    Transfer t = random.transfer();
    std::string text = spell(t);
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_EQ(static_cast<bool>(module), isTransfer(t)) << text;
    refused += !module;
    // Programs are compiled for a part of what is accepted: it takes its time.
    if (!module || (i % 4 != 0 && !t.inPlace))
      continue;
    auto compiled = CompiledFunction::bufferize(std::move(module), "main");
    ASSERT_TRUE(mlir::succeeded(compiled)) << text;
    ASSERT_TRUE(mlir::succeeded((*compiled)->compile(/*optLevel=*/0))) << text;
    std::vector<HostTensor> inputs;
    inputs.emplace_back(TensorSpec{ElementType::I32, t.shape});
    std::vector<int64_t> initial(inputs.front().spec.elements());
    std::iota(initial.begin(), initial.end(), 1);
    for (size_t element = 0; element < initial.size(); ++element)
      setBitsAt(inputs.front(), element, initial[element]);
    auto results = (*compiled)->run(inputs);
    ASSERT_TRUE(mlir::succeeded(results)) << text;
    std::vector<int64_t> expected = runOracle(t, initial), got;
    for (size_t element = 0; element < expected.size(); ++element)
      got.push_back(bitsAt(results->front(), element));
    ASSERT_EQ(got, expected) << text;
    ++ran;
    inPlace += t.inPlace;
  }
  EXPECT_GT(ran, 100u);
  EXPECT_GT(inPlace, 50u);
  EXPECT_GT(refused, 300u);
}

} // namespace
