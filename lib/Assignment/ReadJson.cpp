// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Assignment/ProblemJson.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <limits>

using llvm::json::ObjectMapper;
using llvm::json::Path;
using llvm::json::Value;

namespace npu {
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
  const llvm::json::Array *three = json.getAsArray();
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
  const llvm::json::Array *array = json.getAsArray();
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

static bool fromJSON(const Value &json, ValueForm &form, Path path) {
  const llvm::json::Array *pair = json.getAsArray();
  if (!pair || pair->size() != 2) {
    path.report("expected [value, form]");
    return false;
  }
  return readNumber((*pair)[0], form.value, path.index(0)) &&
         readNumber((*pair)[1], form.form, path.index(1));
}

static bool fromJSON(const Value &json, Way &way, Path path) {
  ObjectMapper object(json, path);
  return object && object.map("what", way.what) &&
         object.map("cost", way.cost) && object.map("makes", way.makes) &&
         object.map("needs", way.needs);
}

static bool fromJSON(const Value &json, AssignedOperation &operation,
                     Path path) {
  ObjectMapper object(json, path);
  return object && object.map("name", operation.name) &&
         object.map("location", operation.location) &&
         object.map("ways", operation.ways);
}

static bool fromJSON(const Value &json, AssignedValue &value, Path path) {
  ObjectMapper object(json, path);
  std::optional<int64_t> madeBy;
  std::vector<std::vector<std::optional<int64_t>>> moves;
  if (!object || !object.map("name", value.name) ||
      !object.map("made_by", madeBy) || !object.map("forms", value.forms) ||
      !object.map("moves", moves))
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

static bool fromJSON(const Value &json, MemoryRow &row, Path path) {
  ObjectMapper object(json, path);
  std::vector<Term> ways, forms;
  if (!object || !object.map("at", row.at) || !object.map("tile", row.tile) ||
      !object.map("capacity", row.capacity) ||
      !object.map("fixed", row.fixed) || !object.map("ways", ways) ||
      !object.map("forms", forms))
    return false;
  for (Term term : ways) {
    if (term.first != row.at) {
      path.field("ways").report("expected ways of the row's operation");
      return false;
    }
    row.ways.push_back({term.second, term.bytes});
  }
  for (Term term : forms)
    row.forms.push_back({{term.first, term.second}, term.bytes});
  return true;
}

static bool fromJSON(const Value &json, Assignment &solution, Path path) {
  ObjectMapper object(json, path);
  return object && object.map("ways", solution.ways) &&
         object.map("forms", solution.forms) &&
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
    Result<> error = checkProblem(report.problem);
    if (error && report.solution)
      error = checkAssignment(report.problem, *report.solution);
    if (!error)
      return Error{"function '" + report.name +
                   "': " + error.error().message};
  }
  return reports;
}

} // namespace npu
