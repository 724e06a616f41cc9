// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoggedCast.h"

#include "LogDistribution.h"
#include "LogFields.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "mlir/IR/Diagnostics.h"

#include <fmt/format.h>

#include <algorithm>

using namespace mlir;

namespace npu {
namespace {

// Finds the memory order of the cast's result, which a log does not have, from
// the boxes: in the right order both sides describe the same bytes.

/// The facts of a logged cast from which the output order is found.
struct CastSides {
  const LoggedDistribution &in;
  const LoggedDistribution &out;
  /// Null where the log has no usable one.
  const LoggedDistribution *expected = nullptr;
  Permutation inOrder;
  Permutation memPerm;
  /// The shapes, as far as they are known. Precondition: one of them is.
  std::optional<Extents> inShape;
  std::optional<Extents> outShape;
};

struct OutputOrder {
  Permutation order;
  Extents inShape;
  Extents outShape;
  /// Whether the image of `in` has the boxes of the log's `expected`.
  bool givesExpected = false;
  /// Whether the image of `in` has the boxes of `out`, so that nothing has to
  /// move.
  bool makesBoxesAgree = false;
};

/// The most orders that are tried: all orders of rank 6, and the first ones of
/// a higher rank. Each is placed and compared box by box.
constexpr int kMaxComparedOrders = 720;

class OrderTrial {
public:
  explicit OrderTrial(const CastSides &sides) : sides(sides) {
    if (sides.inShape)
      in = placementOf(sides.in, *sides.inShape);
    if (sides.outShape) {
      out = placementOf(sides.out, *sides.outShape);
      if (sides.expected)
        expected = placementOf(*sides.expected, *sides.outShape);
    }
  }

  std::optional<OutputOrder> tryOrder(const Permutation &order) {
    Permutation inDim = castDimensions(sides.inOrder, sides.memPerm, order);
    OutputOrder result;
    result.order = order;
    result.inShape = sides.inShape ? *sides.inShape
                                   : permute(*sides.outShape, inverse(inDim));
    result.outShape = permute(result.inShape, inDim);
    if (sides.outShape && result.outShape != *sides.outShape)
      return std::nullopt;
    if (!sides.inShape)
      in = placementOf(sides.in, result.inShape);
    if (!sides.outShape) {
      out = placementOf(sides.out, result.outShape);
      if (sides.expected)
        expected = placementOf(*sides.expected, result.outShape);
    }
    if (!in)
      return result;
    Placement image = permute(*in, inDim);
    result.makesBoxesAgree = out && sameMemory(image, *out);
    result.givesExpected = expected && sameMemory(image, *expected);
    return result;
  }

private:
  static std::optional<Placement> placementOf(const LoggedDistribution &logged,
                                              const Extents &shape) {
    Result<Distribution> distribution = distributionAt(logged, shape);
    if (!distribution)
      return std::nullopt;
    Result<Placement> placement = place(*distribution, shape);
    if (!placement)
      return std::nullopt;
    return std::move(*placement);
  }

  const CastSides &sides;
  std::optional<Placement> in;
  std::optional<Placement> out;
  std::optional<Placement> expected;
};

bool isBetter(const OutputOrder &a, const OutputOrder &b) {
  return std::pair(a.givesExpected, a.makesBoxesAgree) >
         std::pair(b.givesExpected, b.makesBoxesAgree);
}

/// Examines a given order.
std::optional<OutputOrder> tryOutputOrder(const CastSides &sides,
                                          const Permutation &order) {
  return OrderTrial(sides).tryOrder(order);
}

/// The order under which the image of `in` has the boxes that the log expects,
/// else one under which it has those of `out`, else one that the shapes allow.
/// Of several orders it is the first of NHWC (GNHWC), the identity, and the
/// others in increasing order. Dimensions of extent 1 may be anywhere. Nothing
/// when the extents of both sides differ.
std::optional<OutputOrder> findOutputOrder(const CastSides &sides) {
  std::size_t rank = (sides.inShape ? sides.inShape : sides.outShape)->size();
  OrderTrial trial(sides);
  std::optional<OutputOrder> best;
  int compared = 0;
  // Returns whether no other order can be better.
  auto consider = [&](const Permutation &order) {
    std::optional<OutputOrder> found = trial.tryOrder(order);
    if (!found)
      return false;
    ++compared;
    if (!best || isBetter(*found, *best))
      best = found;
    return (best->givesExpected || !sides.expected) && best->makesBoxesAgree;
  };
  if (std::optional<Permutation> usual = parseOrderName(rank == 4   ? "NHWC"
                                                        : rank == 5 ? "GNHWC"
                                                                    : ""))
    if (consider(*usual))
      return best;
  Permutation order = identityPermutation(rank);
  do {
    if (consider(order))
      return best;
  } while (compared < kMaxComparedOrders &&
           std::next_permutation(order.begin(), order.end()));
  return best;
}

class Resolution {
public:
  Resolution(const LoggedError &logged, const NpuLogOptions &options,
             MLIRContext *context, LogMessages &messages)
      : logged(logged), options(options), context(context), messages(messages) {
  }

  std::optional<LoggedCast> run() {
    if (!understandSides() || !chooseRank() || !chooseOrders() ||
        !chooseShapes() || !chooseOutputOrder() || !makeTypes() ||
        !compareExpected())
      return std::nullopt;
    return std::move(cast);
  }

private:
  bool error(std::size_t at, std::string text) {
    messages.push_back({LogMessage::Severity::Error, at, std::move(text)});
    return false;
  }
  void remark(std::size_t at, std::string text) {
    messages.push_back({LogMessage::Severity::Remark, at, std::move(text)});
  }

  bool understandSides() {
    in = understand(logged.in, messages);
    out = understand(logged.out, messages);
    if (!in || !out)
      return false;
    if (!logged.expected)
      return true;
    // Errors in `expected` are ignored, because it follows from `in`.
    LogMessages ofExpected;
    expected = understand(*logged.expected, ofExpected);
    for (LogMessage &message : ofExpected) {
      if (message.severity == LogMessage::Severity::Error)
        message.text += "; computed from 'in' and the cast";
      message.severity = LogMessage::Severity::Remark;
      messages.push_back(std::move(message));
    }
    return true;
  }

  bool chooseRank() {
    rank = in->rank ? in->rank : out->rank;
    if (!rank && options.inShape)
      rank = options.inShape->size();
    if (!rank)
      return error(logged.in.at,
                   "expected boxes or 'num_tiles' in 'in' or 'out', or the "
                   "input's shape as --npu-log-in-shape=1x28x336x128, got "
                   "none");
    if (out->rank && out->rank != rank)
      return error(logged.out.at, fmt::format("expected rank {} in 'out' as in "
                                              "'in', got {}",
                                              rank, out->rank));
    if (expected && expected->rank && expected->rank != rank) {
      remark(logged.expected->at,
             fmt::format("expected rank {} in 'expected' as in 'in', got {}; "
                         "computed from 'in' and the cast",
                         rank, expected->rank));
      expected.reset();
    }
    auto check = [&](llvm::StringRef option, const auto &value) {
      return !value || value->size() == rank ||
             error(logged.in.at,
                   fmt::format("expected --{} of rank {} as 'in' has, got {}",
                               option.str(), rank, toString(*value)));
    };
    return check("npu-log-in-order", options.inOrder) &&
           check("npu-log-out-order", options.outOrder) &&
           check("npu-log-mem-perm", options.memPerm) &&
           check("npu-log-in-shape", options.inShape);
  }

  bool chooseOrders() {
    inOrder = options.inOrder.value_or(identityPermutation(rank));
    cast.memPerm = options.memPerm.value_or(identityPermutation(rank));
    elementType =
        options.elementType ? options.elementType : Float16Type::get(context);
    std::vector<std::string> assumed;
    if (!options.elementType)
      assumed.emplace_back("element type f16");
    if (!options.inOrder)
      assumed.push_back("input order " + spellOrder(inOrder));
    if (!options.memPerm)
      assumed.push_back("mem_perm " + toString(cast.memPerm));
    if (!assumed.empty())
      remark(logged.at, fmt::format("assumed, as the log does not say it: {}",
                                    fmt::join(assumed, ", ")));
    return true;
  }

  bool chooseShapes() {
    inShape = in->shapeOfBoxes();
    outShape = out->shapeOfBoxes();
    if (options.inShape) {
      if (inShape && *inShape != *options.inShape)
        return error(in->at,
                     fmt::format("expected --npu-log-in-shape={} as the boxes "
                                 "of 'in' say, got {}",
                                 spellShape(*inShape),
                                 spellShape(*options.inShape)));
      inShape = options.inShape;
    }
    if (!inShape && !outShape)
      return error(logged.in.at,
                   fmt::format("expected boxes in 'in' or 'out', or the "
                               "input's shape (rank {}) as "
                               "--npu-log-in-shape=1x28x336x128, got none",
                               rank));
    // Report wrong boxes before an order is searched for.
    return (!inShape || checkBoxes(*in, *inShape)) &&
           (!outShape || checkBoxes(*out, *outShape));
  }

  bool checkBoxes(const LoggedDistribution &side, const Extents &shape) {
    Result<Distribution> distribution = distributionAt(side, shape);
    return distribution ||
           error(side.at, fmt::format("'{}': {}", side.side,
                                      distribution.error().message));
  }

  bool chooseOutputOrder() {
    CastSides sides{.in = *in,
                    .out = *out,
                    .expected = expected ? &*expected : nullptr,
                    .inOrder = inOrder,
                    .memPerm = cast.memPerm,
                    .inShape = inShape,
                    .outShape = outShape};
    std::optional<OutputOrder> found =
        options.outOrder       ? tryOutputOrder(sides, *options.outOrder)
        : changesOrder(logged) ? findOutputOrder(sides)
                               : tryOutputOrder(sides, inOrder);
    if (!found)
      return error(out->at, whyNoOutputOrder());
    outOrder = found->order;
    inShape = found->inShape;
    outShape = found->outShape;
    if (!options.outOrder)
      remark(logged.at,
             fmt::format(
                 "assumed, as the log does not say it: output order {}, {}",
                 spellOrder(outOrder),
                 !changesOrder(logged)    ? "because " + logged.op + " keeps it"
                 : found->makesBoxesAgree ? "which makes the boxes agree"
                 : found->givesExpected   ? "which gives the log's 'expected'"
                                          : "which the shapes allow; no order "
                                            "makes the boxes agree"));
    return checkMemPerm();
  }

  std::string whyNoOutputOrder() const {
    if (!options.outOrder)
      return fmt::format("expected the extents of 'in' {} in some order, got "
                         "'out' {}",
                         toString(*inShape), toString(*outShape));
    Extents image = permute(
        *inShape, castDimensions(inOrder, cast.memPerm, *options.outOrder));
    return fmt::format("expected 'out' of shape {} with --npu-log-out-order={} "
                       "(input order {}, mem_perm {}), got boxes of {}",
                       spellShape(image), spellOrder(*options.outOrder),
                       spellOrder(inOrder), toString(cast.memPerm),
                       spellShape(*outShape));
  }

  bool checkMemPerm() {
    Extents memShape = permute(*inShape, inOrder);
    return isTrivialMemPerm(memShape, cast.memPerm) ||
           error(logged.at,
                 fmt::format("expected --npu-log-mem-perm to move no byte "
                             "(dimensions of extent other than 1 keep their "
                             "order), got {} on memory of shape {}",
                             toString(cast.memPerm), spellShape(memShape)));
  }

  bool makeTypes() {
    inDim = castDimensions(inOrder, cast.memPerm, outOrder);
    Result<Distribution> input = shortestAt(*in, *inShape);
    if (!input)
      return error(in->at, fmt::format("'in': {}", input.error().message));
    Result<Distribution> output = shortestAt(*out, *outShape);
    if (!output)
      return error(out->at, fmt::format("'out': {}", output.error().message));
    remarkOnWindow(*in, *input);
    remarkOnWindow(*out, *output);
    return makeType(*in, *inShape, *input, inOrder, cast.in) &&
           makeType(*out, *outShape, *output, outOrder, cast.out) &&
           makeType(*in, *outShape, permute(*input, inDim), outOrder,
                    cast.expected);
  }

  /// Remarks where boxes and a window contradict each other; the boxes are
  /// used.
  void remarkOnWindow(const LoggedDistribution &side,
                      const Distribution &result) {
    if (!side.rule.windows.empty() && result.windows.empty() &&
        !result.memory.empty())
      remark(side.at, fmt::format("'kernel' of '{}' does not give its memory "
                                  "boxes: the boxes count",
                                  side.side));
  }

  bool makeType(const LoggedDistribution &side, const Extents &shape,
                const Distribution &distribution, const Permutation &order,
                RankedTensorType &type) {
    // The only remaining error is a size in bits that is too large.
    std::string why;
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
      why = diagnostic.str();
      return success();
    });
    type = RankedTensorType::getChecked(
        [&] { return emitError(UnknownLoc::get(context)); },
        ArrayRef<int64_t>(shape.begin(), shape.size()), elementType,
        makeLayout(context, {distribution, order}));
    return type || error(side.at, fmt::format("'{}': {}", side.side, why));
  }

  bool compareExpected() {
    cast.expectedFields = imageOf(logged.in, inDim);
    if (!expected)
      return true;
    Result<Distribution> written = shortestAt(*expected, *outShape);
    if (!written) {
      remark(expected->at, fmt::format("'expected': {}; computed from 'in' and "
                                       "the cast",
                                       written.error().message));
      return true;
    }
    Distribution computed = getLayout(cast.expected).getDistribution();
    if (*written == canonical(computed, *outShape)) {
      cast.expectedFields = *logged.expected;
      return true;
    }
    Result<Placement> logPlacement = place(*written, *outShape);
    const Placement *placement = getPlacement(cast.expected);
    bool sameBoxes = logPlacement && placement &&
                     sameMemory(*logPlacement, *placement) &&
                     sameCompute(*logPlacement, *placement);
    if (logPlacement && !sameBoxes &&
        !makeType(*expected, *outShape, *written, outOrder, cast.contradicting))
      return false;
    remark(logged.expected->at,
           fmt::format("the log's 'expected' has {} than 'in' seen through the "
                       "cast; the latter counts",
                       sameBoxes ? "another label" : "other boxes"));
    return true;
  }

  const LoggedError &logged;
  const NpuLogOptions &options;
  MLIRContext *context;
  LogMessages &messages;
  std::optional<LoggedDistribution> in, out, expected;
  std::size_t rank = 0;
  Type elementType;
  Permutation inOrder, outOrder;
  /// The input dimension of each output dimension.
  Permutation inDim;
  std::optional<Extents> inShape, outShape;
  LoggedCast cast;
};

} // namespace

std::optional<LoggedCast> resolve(const LoggedError &logged,
                                  const NpuLogOptions &options,
                                  MLIRContext *context, LogMessages &messages) {
  return Resolution(logged, options, context, messages).run();
}

std::string spellOrder(const Permutation &order) {
  std::optional<std::string> name = orderName(order);
  return name ? *name : toString(order);
}

std::string spellShape(const Extents &shape) {
  return fmt::format("{}", fmt::join(shape.begin(), shape.end(), "x"));
}

} // namespace npu
