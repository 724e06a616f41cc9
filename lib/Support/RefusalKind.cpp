// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Support/RefusalKind.h"

using namespace mlir;

namespace npu {
namespace {

/// Stands before the metadata of this project, because others may write some.
constexpr llvm::StringLiteral kKey = "npu.kind";

using ArgumentKind = DiagnosticArgument::DiagnosticArgumentKind;

bool isKey(const DiagnosticArgument &argument) {
  return argument.getKind() == ArgumentKind::String &&
         argument.getAsString() == kKey;
}

} // namespace

void mark(InFlightDiagnostic &diagnostic, RefusalKind kind,
          ArrayRef<int64_t> numbers, StringAttr name) {
  Diagnostic *underlying = diagnostic.getUnderlyingDiagnostic();
  if (!underlying)
    return;
  auto &metadata = underlying->getMetadata();
  metadata.emplace_back(StringRef(kKey));
  metadata.emplace_back(static_cast<int64_t>(kind));
  for (int64_t number : numbers)
    metadata.emplace_back(number);
  if (name)
    metadata.emplace_back(Attribute(name));
}

InFlightDiagnostic marked(InFlightDiagnostic &&diagnostic, RefusalKind kind) {
  mark(diagnostic, kind);
  return std::move(diagnostic);
}

std::optional<RefusalMark> markOf(Diagnostic &diagnostic) {
  ArrayRef<DiagnosticArgument> metadata = diagnostic.getMetadata();
  const auto *key = llvm::find_if(metadata, isKey);
  if (key == metadata.end() || key + 1 == metadata.end())
    return std::nullopt;
  RefusalMark mark{
      static_cast<RefusalKind>(key[1].getAsInteger()), {}, StringAttr()};
  for (const DiagnosticArgument &argument :
       llvm::make_range(key + 2, metadata.end())) {
    if (argument.getKind() == ArgumentKind::Integer)
      mark.numbers.push_back(argument.getAsInteger());
    else if (argument.getKind() == ArgumentKind::Attribute)
      mark.name = dyn_cast<StringAttr>(argument.getAsAttribute());
  }
  return mark;
}

} // namespace npu
