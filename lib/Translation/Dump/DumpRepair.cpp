// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The repair of a bad edge, in the field compiler's spelling.

#include "../Log/FieldSpelling.h"
#include "DumpText.h"

#include "llvm/ADT/StringRef.h"

#include <fmt/format.h>

namespace npu {
namespace {

/// %r = VPU.DistributedCast(%a : T) -> U, or with `inputs(...)` among buffers.
std::string spellCast(bool buffers, std::string_view result,
                      std::string_view operand, std::string_view from,
                      std::string_view to) {
  if (buffers)
    return fmt::format("{} = VPUIP.DistributedCast inputs({} : {}) -> {}",
                       result, operand, from, to);
  return fmt::format("{} = VPU.DistributedCast({} : {}) -> {}", result, operand,
                     from, to);
}

} // namespace

std::vector<std::string> spellRepair(const DumpEdge &edge,
                                     const std::vector<DumpValue> &values) {
  const EdgeFinding &finding = *edge.finding;
  std::vector<std::string> lines;
  if (!finding.expected)
    return lines;
  const DumpType &from = *finding.from, &to = *finding.to;
  const std::string &source = values[edge.from].name;
  const std::string &result = values[edge.to].name;
  bool buffers = llvm::StringRef(to.head).starts_with("!VPUIP.");
  std::string made = result + "_made";
  std::string declared = spellType(to, to.fields);
  if (finding.reads) {
    std::string wanted = spellType(from, *finding.expected);
    lines.push_back(fmt::format("let {} have the type {}", source, wanted));
    return lines;
  }
  std::string expected = spellType(to, *finding.expected);
  std::string changes = spellChanges(*finding.expected, to.fields);
  lines.push_back(
      fmt::format("change the attribute of {}: {}", result, changes));
  // An operation that is there to relabel cannot be helped by another one.
  bool relabels = wordOf(edge.op) == DumpWord::Relabel;
  switch (finding.verdict) {
  case EdgeVerdict::Label:
    if (relabels || !fieldRelabels(finding.expected->find("mode")->words,
                                   to.fields.find("mode")->words))
      break;
    lines.push_back(
        fmt::format("or let {} give {} : {}", edge.op, made, expected));
    lines.emplace_back("and after it write");
    lines.push_back("  " +
                    spellCast(buffers, result, made, expected, declared));
    break;
  case EdgeVerdict::Narrow:
    lines.emplace_back("every tile has more than that declares, and a "
                       "DistributedCast takes equal memory only");
    break;
  default:
    if (!relabels)
      lines.push_back(
          fmt::format("or let {} give {} : {}", edge.op, made, expected));
    lines.push_back(fmt::format(
        "{} move its data: a copy to @DDR and another one back to {} would, "
        "and transfers of {} bytes between tiles",
        relabels ? "or" : "and", declared, finding.bound));
  }
  return lines;
}

} // namespace npu
