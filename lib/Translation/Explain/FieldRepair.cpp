// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FieldRepair.h"

#include "../Log/FieldSpelling.h"
#include "npu/Analysis/Choices/Movement.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// #NHWC, or the map itself where the order has no name.
std::string spellFieldOrder(const Permutation &order) {
  if (std::optional<std::string> name = orderName(order))
    return "#" + *name;
  std::string from, to;
  for (std::size_t dim = 0; dim < order.size(); ++dim) {
    from += fmt::format("{}d{}", dim ? ", " : "", dim);
    to += fmt::format("{}d{}", dim ? ", " : "", order[dim]);
  }
  return fmt::format("affine_map<({}) -> ({})>", from, to);
}

std::string spellElement(RankedTensorType type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  type.getElementType().print(os);
  return text;
}

/// !Name = !VPU.DistributedTensor<...>, a field on each line.
void addAlias(std::vector<std::string> &lines, std::string_view name,
              RankedTensorType type, const LoggedAttribute &fields) {
  lines.push_back(fmt::format("!{} = !VPU.DistributedTensor<", name));
  std::string shape;
  for (int64_t extent : type.getShape())
    shape += fmt::format("{}x", extent);
  lines.push_back(fmt::format("  {}{}, {}, @CMX_NN, {{", shape,
                              spellElement(type),
                              spellFieldOrder(getOrder(type))));
  std::vector<std::string> each = spellEachField(fields);
  for (std::size_t i = 0; i < each.size(); ++i)
    lines.push_back(
        fmt::format("    {}{}", each[i], i + 1 < each.size() ? "," : ""));
  lines.emplace_back("  }>");
}

/// The operation's name without its dialect and without "Op".
std::string_view plainName(std::string_view op) {
  if (std::size_t dot = op.rfind('.'); dot != std::string_view::npos)
    op.remove_prefix(dot + 1);
  if (op.ends_with("Op"))
    op.remove_suffix(2);
  return op;
}

} // namespace

std::vector<std::string> spellFieldRepair(const LoggedError &error,
                                          const LoggedCast &cast) {
  Relation relation = relate(cast.expected, cast.out);
  std::string_view op = plainName(error.op);
  const LoggedField *expectedMode = cast.expectedFields.find("mode");
  const LoggedField *outMode = error.out.find("mode");
  bool relabels = relation == Relation::SameMemory && op != "DistributedCast" &&
                  expectedMode && outMode &&
                  fieldRelabels(expectedMode->words, outMode->words);
  if (!relabels && relation != Relation::DataMoves)
    return {};
  std::vector<std::string> lines;
  addAlias(lines, "In", cast.in, error.in);
  addAlias(lines, "Expected", cast.expected, cast.expectedFields);
  addAlias(lines, "Out", cast.out, error.out);
  std::string orders = changesOrder(error)
                           ? fmt::format(" {{dst_order = {}, mem_perm = {}}}",
                                         spellFieldOrder(getOrder(cast.out)),
                                         spellFieldOrder(cast.memPerm))
                           : "";
  lines.push_back(
      fmt::format("%cast = VPU.{}(%in){} : !In -> !Expected", op, orders));
  if (relabels) {
    lines.emplace_back("%out = VPU.DistributedCast(%cast : !Expected) -> !Out");
    return lines;
  }
  std::string shape;
  for (int64_t extent : cast.out.getShape())
    shape += fmt::format("{}x", extent);
  std::string whole =
      fmt::format("tensor<{}{}, {{mem_space = @DDR, order = {}}}>", shape,
                  spellElement(cast.out), spellFieldOrder(getOrder(cast.out)));
  lines.push_back(fmt::format(
      "%ddr = VPU.Copy(%cast) {{out_mem_space = @DDR}} : !Expected -> {}",
      whole));
  lines.push_back(fmt::format(
      "%out = VPU.Copy(%ddr) {{out_mem_space = @CMX_NN}} : {} -> !Out", whole));
  return lines;
}

} // namespace npu
