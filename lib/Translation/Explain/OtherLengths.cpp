// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OtherLengths.h"

#include "../Log/LogDistribution.h"
#include "../Log/LogFields.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

Extents shapeOf(RankedTensorType type) {
  Extents shape;
  for (int64_t extent : type.getShape())
    shape.push_back(extent);
  return shape;
}

/// The prompt's dimension of the input, or nothing where it has none.
Result<std::optional<std::size_t>> promptDimOf(const LoggedError &error,
                                               const Extents &shape,
                                               const NpuLogOptions &options) {
  if (options.promptDim) {
    auto dim = static_cast<std::size_t>(*options.promptDim);
    if (dim >= shape.size())
      return Error{fmt::format("expected --npu-log-prompt-dim below {}, the "
                               "rank of 'in', got {}",
                               shape.size(), dim)};
    return std::optional(dim);
  }
  if (!error.promptLength)
    return Error{
        "expected the prompt's dimension of 'in' as "
        "--npu-log-prompt-dim=2 beside --prompt-len, as the log has no "
        "line such as 'input length: 336'"};
  std::optional<std::size_t> found;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    if (shape[dim] != *error.promptLength)
      continue;
    if (found)
      return Error{fmt::format("expected --npu-log-prompt-dim beside "
                               "--prompt-len, as dimensions {} and {} of 'in' "
                               "have the prompt's extent {}",
                               *found, dim, shape[dim])};
    found = dim;
  }
  return found;
}

/// The boxes of a side at another extent of one of its dimensions.
Result<Placement> placementAt(const LoggedDistribution &side,
                              const Extents &shape, std::size_t dim,
                              int64_t length) {
  Extents longer = shape;
  longer[dim] = length;
  Result<Distribution> logged = distributionAt(side, shape);
  if (!logged)
    return logged.error();
  Result<Placement> written = place(*logged, shape);
  if (!written)
    return written.error();
  if (side.hasRule()) {
    Result<Placement> ruled = place(side.rule, shape);
    if (ruled && sameMemory(*written, *ruled) && sameCompute(*written, *ruled))
      return place(side.rule, longer);
  }
  Placement changed{longer, written->tiles};
  for (TileBoxes &tile : changed.tiles)
    for (Box *box : {&tile.compute, &tile.memory}) {
      if (box->isEmpty())
        continue;
      Range &range = (*box)[dim];
      if (range.begin != 0 || range.end != shape[dim])
        return Error{fmt::format("the boxes of '{}' cut dimension {}, the "
                                 "prompt's, by no rule that the log has",
                                 side.side, dim)};
      range.end = length;
    }
  return changed;
}

/// The attribute with the boxes of another extent, in the fields that it has.
Result<LoggedAttribute> attributeAt(const LoggedAttribute &attribute,
                                    const Extents &shape, std::size_t dim,
                                    int64_t length) {
  LogMessages ignored;
  std::optional<LoggedDistribution> side = understand(attribute, ignored);
  if (!side)
    return Error{fmt::format("'{}' is not understood", attribute.side)};
  LoggedAttribute changed = attribute;
  if (!side->hasBoxes())
    return changed;
  Result<Placement> placement = placementAt(*side, shape, dim, length);
  if (!placement)
    return placement.error();
  for (LoggedField &field : changed.fields) {
    if (findFieldDefinition(field.name)->kind != FieldKind::Rows)
      continue;
    bool ofMemory = field.name.starts_with("memory");
    bool areSizes = field.name.ends_with("shapes");
    std::size_t at = field.at;
    field.rows.clear();
    for (const TileBoxes &tile : placement->tiles) {
      const Box &box = ofMemory ? tile.memory : tile.compute;
      field.rows.push_back({at, areSizes ? box.sizes() : box.offsets()});
    }
  }
  return changed;
}

/// The logged error as it would be at a length; the input's dimension is `dim`.
Result<LoggedError> errorAt(const LoggedError &error, const LoggedCast &cast,
                            std::size_t dim, std::size_t outDim,
                            int64_t length) {
  LoggedError changed = error;
  changed.messages.clear();
  Result<LoggedAttribute> in =
      attributeAt(error.in, shapeOf(cast.in), dim, length);
  if (!in)
    return in.error();
  Result<LoggedAttribute> out =
      attributeAt(error.out, shapeOf(cast.out), outDim, length);
  if (!out)
    return out.error();
  changed.in = *in;
  changed.out = *out;
  if (error.expected) {
    // Without it, it is the image of `in`.
    Result<LoggedAttribute> expected =
        attributeAt(*error.expected, shapeOf(cast.out), outDim, length);
    changed.expected = expected ? std::optional(*expected) : std::nullopt;
  }
  return changed;
}

LengthAnswer answerOf(const LoggedError &error, const LoggedCast &cast,
                      int64_t length) {
  LengthAnswer answer;
  answer.length = length;
  for (const FieldDefinition &definition : fieldDefinitions())
    if (!sameValue(cast.expectedFields.find(definition.name),
                   error.out.find(definition.name)))
      answer.fields.push_back(definition.name);
  answer.relation = relate(cast.expected, cast.out);
  int64_t bits = elementBits(cast.in.getElementType()).value_or(64);
  answer.bytes = toBytes(
      elementsMissing(*getPlacement(cast.expected), *getPlacement(cast.out)),
      bits);
  answer.bytesThroughDdr = 2 * toBytes(cast.in.getNumElements(), bits);
  return answer;
}

} // namespace

std::vector<int64_t> OtherLengths::failing() const {
  std::vector<int64_t> lengths;
  for (const LengthAnswer &answer : answers)
    if (answer.fails())
      lengths.push_back(answer.length);
  return lengths;
}

Result<OtherLengths> askOtherLengths(const LoggedError &error,
                                     const LoggedCast &cast,
                                     const NpuLogOptions &options) {
  Extents shape = shapeOf(cast.in);
  Result<std::optional<std::size_t>> dim = promptDimOf(error, shape, options);
  if (!dim)
    return dim.error();
  OtherLengths result{.dim = *dim, .answers = {}};
  // The orders are those that were found at the log's own length.
  NpuLogOptions pinned;
  pinned.elementType = cast.in.getElementType();
  pinned.inOrder = getOrder(cast.in);
  pinned.outOrder = getOrder(cast.out);
  pinned.memPerm = cast.memPerm;
  Permutation inDim =
      castDimensions(*pinned.inOrder, *pinned.memPerm, *pinned.outOrder);
  for (int64_t length : options.promptLengths) {
    if (!result.dim) {
      result.answers.push_back(answerOf(error, cast, length));
      continue;
    }
    std::size_t outDim = llvm::find(inDim, *result.dim) - inDim.begin();
    Result<LoggedError> changed =
        errorAt(error, cast, *result.dim, outDim, length);
    if (!changed)
      return changed.error();
    pinned.inShape = shape;
    (*pinned.inShape)[*result.dim] = length;
    LogMessages messages;
    std::optional<LoggedCast> again =
        resolve(*changed, pinned, cast.in.getContext(), messages);
    if (again) {
      result.answers.push_back(answerOf(*changed, *again, length));
      continue;
    }
    LengthAnswer none;
    none.length = length;
    for (const LogMessage &message : messages)
      if (message.severity == LogMessage::Severity::Error)
        none.problem = message.text;
    result.answers.push_back(std::move(none));
  }
  return result;
}

} // namespace npu
