// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Assignment/ProblemJson.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <limits>

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::ObjectMapper;
using llvm::json::Path;
using llvm::json::Value;

namespace npu {
namespace {

// Text of locations may be no UTF-8, of which JSON is.
Value text(const std::string &bytes) { return llvm::json::fixUTF8(bytes); }

Array numbers(const std::vector<int> &all) {
  Array written;
  for (int number : all)
    written.push_back(number);
  return written;
}

Object writeCandidate(const Candidate &candidate) {
  Array needs;
  for (ValueLayout operand : candidate.operandLayouts)
    needs.push_back(Array{operand.value, operand.layout});
  return Object{{"what", text(candidate.what)},
                {"cost", candidate.cost},
                {"makes", numbers(candidate.resultLayouts)},
                {"needs", std::move(needs)}};
}

Object writeOperation(const AssignedOperation &operation, size_t id) {
  Array candidates;
  for (const Candidate &candidate : operation.candidates)
    candidates.push_back(writeCandidate(candidate));
  return Object{{"id", static_cast<int64_t>(id)},
                {"name", text(operation.name)},
                {"location", text(operation.location)},
                {"ways", std::move(candidates)}};
}

Object writeValue(const AssignedValue &value, size_t id) {
  Array layouts, moves;
  for (const std::string &layout : value.layouts)
    layouts.push_back(text(layout));
  for (const std::vector<int64_t> &from : value.moves) {
    Array costs;
    for (int64_t cost : from)
      costs.push_back(cost == kImpossible ? Value(nullptr) : Value(cost));
    moves.push_back(std::move(costs));
  }
  Object written{
      {"id", static_cast<int64_t>(id)},
      {"name", text(value.name)},
      {"made_by", value.madeBy < 0 ? Value(nullptr) : Value(value.madeBy)},
      {"forms", std::move(layouts)},
      {"moves", std::move(moves)}};
  if (!value.storage.empty())
    written["storage"] = text(value.storage);
  return written;
}

Object writeRow(const CapacityRow &row) {
  Array candidates, layouts;
  for (CandidateBytes term : row.candidates)
    candidates.push_back(Array{row.at, term.candidate, term.bytes});
  for (const LayoutBytes &term : row.layouts)
    layouts.push_back(Array{term.layout.value, term.layout.layout, term.bytes});
  return Object{{"at", row.at},
                {"tile", row.tile},
                {"capacity", row.capacity},
                {"fixed", row.fixed},
                {"ways", std::move(candidates)},
                {"forms", std::move(layouts)}};
}

Value writeSolution(const std::optional<Assignment> &solution) {
  if (!solution)
    return nullptr;
  Array layouts;
  for (const std::vector<int> &each : solution->layouts)
    layouts.push_back(numbers(each));
  return Object{{"ways", numbers(solution->candidates)},
                {"forms", std::move(layouts)},
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
  for (const CapacityRow &row : report.problem.memory)
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

namespace {

/// A number from 0 on that fits in an int.
bool readNumber(const Value &json, int &number, Path path) {
  auto got = json.getAsInteger();
  if (!got || *got < 0 || *got > std::numeric_limits<int>::max()) {
    path.report("expected a number from 0 on");
    return false;
  }
  number = static_cast<int>(*got);
  return true;
}

/// Three numbers, of which the last one is bytes.
struct Term {
  int first = 0, second = 0;
  int64_t bytes = 0;
};

bool fromJSON(const Value &json, Term &term, Path path) {
  const Array *three = json.getAsArray();
  if (!three || three->size() != 3) {
    path.report("expected three numbers");
    return false;
  }
  return readNumber((*three)[0], term.first, path.index(0)) &&
         readNumber((*three)[1], term.second, path.index(1)) &&
         llvm::json::fromJSON((*three)[2], term.bytes, path.index(2));
}

/// The id in an object, which has to be its place in the array.
bool readId(const Value &json, int64_t place, Path path) {
  ObjectMapper object(json, path);
  int64_t id = 0;
  if (!object || !object.map("id", id))
    return false;
  if (id != place)
    path.field("id").report("expected the number of the place in the array");
  return id == place;
}

template <typename T>
bool readEach(const Value &json, std::vector<T> &all, Path path) {
  const Array *array = json.getAsArray();
  if (!array) {
    path.report("expected array");
    return false;
  }
  all.resize(array->size());
  for (size_t i = 0; i < all.size(); ++i)
    if (!readId((*array)[i], static_cast<int64_t>(i), path.index(i)) ||
        !fromJSON((*array)[i], all[i], path.index(i)))
      return false;
  return true;
}

} // namespace

// llvm::json finds these by the namespace of their arguments.

static bool fromJSON(const Value &json, ValueLayout &layout, Path path) {
  const Array *pair = json.getAsArray();
  if (!pair || pair->size() != 2) {
    path.report("expected [value, layout]");
    return false;
  }
  return readNumber((*pair)[0], layout.value, path.index(0)) &&
         readNumber((*pair)[1], layout.layout, path.index(1));
}

static bool fromJSON(const Value &json, Candidate &candidate, Path path) {
  ObjectMapper object(json, path);
  return object && object.map("what", candidate.what) &&
         object.map("cost", candidate.cost) &&
         object.map("makes", candidate.resultLayouts) &&
         object.map("needs", candidate.operandLayouts);
}

static bool fromJSON(const Value &json, AssignedOperation &operation,
                     Path path) {
  ObjectMapper object(json, path);
  return object && object.map("name", operation.name) &&
         object.map("location", operation.location) &&
         object.map("ways", operation.candidates);
}

static bool fromJSON(const Value &json, AssignedValue &value, Path path) {
  ObjectMapper object(json, path);
  std::optional<int64_t> madeBy;
  std::vector<std::vector<std::optional<int64_t>>> moves;
  if (!object || !object.map("name", value.name) ||
      !object.map("made_by", madeBy) || !object.map("forms", value.layouts) ||
      !object.map("moves", moves) ||
      !object.mapOptional("storage", value.storage))
    return false;
  if (madeBy && (*madeBy < 0 || *madeBy > std::numeric_limits<int>::max())) {
    path.field("made_by").report("expected null or a number from 0 on");
    return false;
  }
  value.madeBy = madeBy ? static_cast<int>(*madeBy) : -1;
  for (const auto &from : moves) {
    value.moves.emplace_back();
    for (std::optional<int64_t> cost : from) {
      if (cost && *cost < 0) {
        path.field("moves").report("expected costs from 0 on, or null");
        return false;
      }
      value.moves.back().push_back(cost.value_or(kImpossible));
    }
  }
  return true;
}

static bool fromJSON(const Value &json, CapacityRow &row, Path path) {
  ObjectMapper object(json, path);
  std::vector<Term> candidates, layouts;
  if (!object || !object.map("at", row.at) || !object.map("tile", row.tile) ||
      !object.map("capacity", row.capacity) ||
      !object.map("fixed", row.fixed) || !object.map("ways", candidates) ||
      !object.map("forms", layouts))
    return false;
  for (Term term : candidates) {
    if (term.first != row.at) {
      path.field("ways").report("expected candidates of the row's operation");
      return false;
    }
    row.candidates.push_back({term.second, term.bytes});
  }
  for (Term term : layouts)
    row.layouts.push_back({{term.first, term.second}, term.bytes});
  return true;
}

static bool fromJSON(const Value &json, Assignment &solution, Path path) {
  ObjectMapper object(json, path);
  return object && object.map("ways", solution.candidates) &&
         object.map("forms", solution.layouts) &&
         object.map("cost", solution.cost) &&
         object.map("bound", solution.bound);
}

static bool fromJSON(const Value &json, AssignmentReport &report, Path path) {
  ObjectMapper object(json, path);
  const llvm::json::Object *members = json.getAsObject();
  if (!object || !object.map("name", report.name) ||
      !object.map("target", report.target) ||
      !object.map("memory", report.problem.memory) ||
      !object.map("solution", report.solution))
    return false;
  for (const char *name : {"operations", "values"})
    if (!members->get(name)) {
      path.field(name).report("missing value");
      return false;
    }
  return readEach(*members->get("operations"), report.problem.operations,
                  path.field("operations")) &&
         readEach(*members->get("values"), report.problem.values,
                  path.field("values"));
}

Result<std::vector<AssignmentReport>>
readAssignmentJson(std::string_view text) {
  auto json = llvm::json::parse(llvm::StringRef(text.data(), text.size()));
  if (!json)
    return Error{llvm::toString(json.takeError())};
  std::vector<AssignmentReport> reports;
  Path::Root root("report");
  ObjectMapper object(*json, root);
  if (!object || !object.map("functions", reports))
    return Error{llvm::toString(root.getError())};
  for (const AssignmentReport &report : reports) {
    Result<> checked = checkProblem(report.problem);
    if (checked && report.solution)
      checked = checkAssignment(report.problem, *report.solution);
    if (!checked)
      return Error{"function '" + report.name +
                   "': " + checked.error().message};
  }
  return reports;
}

} // namespace npu
