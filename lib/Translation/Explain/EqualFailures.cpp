// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EqualFailures.h"
#include "../Log/LogFields.h"
#include "CastFunction.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace npu {

/// Every value of a field, which may have many rows.
static void print(const LoggedField &field, llvm::raw_ostream &os) {
  os << field.name << '=' << field.words;
  for (const LoggedRow &row : field.rows) {
    os << '[';
    llvm::interleaveComma(row.numbers, os);
    os << ']';
  }
  os << ';';
}

/// All that an explanation says of a failure but its place and its names.
static std::string kindOf(const LoggedError &error, const LoggedCast &cast) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << error.op << ' ' << cast.in << ' ' << cast.out << ' ' << cast.expected;
  if (cast.contradicting)
    os << ' ' << cast.contradicting;
  os << " [";
  llvm::interleaveComma(cast.memPerm, os);
  os << "] ";
  for (const LoggedField &field : cast.expectedFields.fields)
    print(field, os);
  os << '|';
  for (const LoggedField &field : error.out.fields)
    print(field, os);
  return text;
}

std::vector<EqualFailures> equalFailures(const NpuLog &log) {
  std::vector<EqualFailures> kinds;
  llvm::StringMap<std::size_t> known;
  for (std::size_t i = 0; i < log.errors.size(); ++i) {
    auto [it, isNew] =
        known.try_emplace(kindOf(log.errors[i], log.casts[i]), kinds.size());
    if (isNew)
      kinds.emplace_back();
    kinds[it->second].push_back(i);
  }
  return kinds;
}

std::string spellRepaired(const NpuLog &log, std::size_t failure) {
  const LoggedCast &cast = log.casts[failure];
  MLIRContext *context = cast.in.getContext();
  OpBuilder builder(context);
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(builder, UnknownLoc::get(context));
  builder.setInsertionPointToStart(module->getBody());
  buildRepairedFunction(builder, cast, log.location(log.errors[failure]));
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  return text;
}

} // namespace npu
