// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Assignment/ProblemJson.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace npu {
namespace {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

// Text of locations may be no UTF-8, of which JSON is.
Value text(const std::string &bytes) { return llvm::json::fixUTF8(bytes); }

Array numbers(const std::vector<int> &all) {
  Array written;
  for (int number : all)
    written.push_back(number);
  return written;
}

Object writeWay(const Way &way) {
  Array needs;
  for (ValueForm need : way.needs)
    needs.push_back(Array{need.value, need.form});
  return Object{{"what", text(way.what)},
                {"cost", way.cost},
                {"makes", numbers(way.makes)},
                {"needs", std::move(needs)}};
}

Object writeOperation(const AssignedOperation &operation, size_t id) {
  Array ways;
  for (const Way &way : operation.ways)
    ways.push_back(writeWay(way));
  return Object{{"id", static_cast<int64_t>(id)},
                {"name", text(operation.name)},
                {"location", text(operation.location)},
                {"ways", std::move(ways)}};
}

Object writeValue(const AssignedValue &value, size_t id) {
  Array forms, moves;
  for (const std::string &form : value.forms)
    forms.push_back(text(form));
  for (const std::vector<int64_t> &from : value.moves) {
    Array costs;
    for (int64_t cost : from)
      costs.push_back(cost == kImpossible ? Value(nullptr) : Value(cost));
    moves.push_back(std::move(costs));
  }
  return Object{
      {"id", static_cast<int64_t>(id)},
      {"name", text(value.name)},
      {"made_by", value.madeBy < 0 ? Value(nullptr) : Value(value.madeBy)},
      {"forms", std::move(forms)},
      {"moves", std::move(moves)}};
}

Object writeRow(const MemoryRow &row) {
  Array ways, forms;
  for (WayBytes term : row.ways)
    ways.push_back(Array{row.at, term.way, term.bytes});
  for (const FormBytes &term : row.forms)
    forms.push_back(Array{term.form.value, term.form.form, term.bytes});
  return Object{{"at", row.at},
                {"tile", row.tile},
                {"capacity", row.capacity},
                {"fixed", row.fixed},
                {"ways", std::move(ways)},
                {"forms", std::move(forms)}};
}

Value writeSolution(const std::optional<Assignment> &solution) {
  if (!solution)
    return nullptr;
  Array forms;
  for (const std::vector<int> &each : solution->forms)
    forms.push_back(numbers(each));
  return Object{{"ways", numbers(solution->ways)},
                {"forms", std::move(forms)},
                {"cost", solution->cost},
                {"bound", solution->bound},
                {"proved", solution->isProved()}};
}

Object writeReport(const AssignmentReport &report) {
  Array operations, values, memory;
  for (size_t i = 0; i < report.problem.operations.size(); ++i)
    operations.push_back(writeOperation(report.problem.operations[i], i));
  for (size_t v = 0; v < report.problem.values.size(); ++v)
    values.push_back(writeValue(report.problem.values[v], v));
  for (const MemoryRow &row : report.problem.memory)
    memory.push_back(writeRow(row));
  return Object{{"name", text(report.name)},
                {"target", text(report.target)},
                {"unit", "cycles"},
                {"operations", std::move(operations)},
                {"values", std::move(values)},
                {"memory", std::move(memory)},
                {"solution", writeSolution(report.solution)}};
}

} // namespace

std::string assignmentJson(const std::vector<AssignmentReport> &reports) {
  Array functions;
  for (const AssignmentReport &report : reports)
    functions.push_back(writeReport(report));
  std::string written;
  llvm::raw_string_ostream(written)
      << Value(Object{{"functions", std::move(functions)}}) << "\n";
  return written;
}

} // namespace npu
