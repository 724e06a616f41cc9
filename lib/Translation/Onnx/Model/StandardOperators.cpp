// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the standard and ONNX Runtime say of their operators.

#include "StandardOperators.h"

#include "OnnxModel.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>
#include <map>
#include <set>

namespace npu {
namespace {

using Schema = onnx::OpSchema;

/// One row of OperatorsSince18.def or MicrosoftOperators.def.
struct OperatorRow {
  const char *domain;
  int since;
  const char *name, *operands, *results, *attributes;
};

constexpr OperatorRow kRows[] = {
#define OPERATOR(since, name, operands, results, attributes)                   \
  {"", since, #name, operands, results, attributes},
#include "OperatorsSince18.def"
#undef OPERATOR
#define OPERATOR(domain, since, name, operands, results, attributes)           \
  {domain, since, #name, operands, results, attributes},
#include "MicrosoftOperators.def"
#undef OPERATOR
};

/// Calls `visit` for each word of a row's list.
void forEachWord(llvm::StringRef list,
                 llvm::function_ref<void(llvm::StringRef)> visit) {
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(list, words);
  llvm::for_each(words, visit);
}

/// Calls `add` for each operand or result: name, type, whether it may be left
/// out or repeated, and whether repeated ones have one type.
void forEachFormal(
    llvm::StringRef list,
    llvm::function_ref<void(const std::string &, const std::string &,
                            Schema::FormalParameterOption, bool)>
        add) {
  forEachWord(list, [&](llvm::StringRef word) {
    bool isHomogeneous = !word.consume_back("**");
    auto option = !isHomogeneous || word.consume_back("*") ? Schema::Variadic
                  : word.consume_back("?")                 ? Schema::Optional
                                                           : Schema::Single;
    auto [type, name] = word.split(':');
    add(name.str(), type.str(), option, isHomogeneous);
  });
}

onnx::AttributeProto::AttributeType attributeKind(llvm::StringRef word) {
  return llvm::StringSwitch<onnx::AttributeProto::AttributeType>(word)
      .Case("int", onnx::AttributeProto::INT)
      .Case("ints", onnx::AttributeProto::INTS)
      .Case("float", onnx::AttributeProto::FLOAT)
      .Case("string", onnx::AttributeProto::STRING);
}

Schema schemaOfRow(const OperatorRow &row) {
  Schema schema(row.name, "a table of the importer", 0);
  schema.SetDomain(row.domain);
  schema.SinceVersion(row.since);
  std::set<std::string> types;
  int number = 0;
  forEachFormal(row.operands,
                [&](const std::string &name, const std::string &type,
                    Schema::FormalParameterOption option, bool isHomogeneous) {
                  types.insert(type);
                  schema.Input(number++, name, "", type, option, isHomogeneous);
                });
  number = 0;
  forEachFormal(row.results,
                [&](const std::string &name, const std::string &type,
                    Schema::FormalParameterOption option, bool isHomogeneous) {
                  types.insert(type);
                  schema.Output(number++, name, "", type, option,
                                isHomogeneous);
                });
  // Every type has to have some; nobody looks at which.
  for (const std::string &type : types)
    schema.TypeConstraint(type, Schema::all_tensor_types_with_bfloat(), "");
  forEachWord(row.attributes, [&](llvm::StringRef word) {
    bool isRequired = word.consume_back("!");
    auto [name, kind] = word.split('=');
    schema.Attr(name.str(), "", attributeKind(kind), isRequired);
  });
  schema.Finalize();
  return schema;
}

class StandardOperators final : public onnx::ISchemaRegistry {
public:
  StandardOperators() {
    for (const OperatorRow &row : kRows)
      added[{row.domain, row.name}].emplace(row.since, schemaOfRow(row));
  }

  const Schema *GetSchema(const std::string &name, int opset,
                          const std::string &domain) const override {
    bool isStandard = domain.empty() || domain == "ai.onnx";
    const Schema *own = nullptr;
    auto found = added.find({isStandard ? "" : domain, name});
    if (found != added.end()) {
      auto after = found->second.upper_bound(opset);
      if (after != found->second.begin())
        own = &std::prev(after)->second;
    }
    const Schema *ofLibrary = onnx::OpSchemaRegistry::Schema(
        name,
        isStandard ? std::min(opset, static_cast<int>(newestOpsetOfLibrary()))
                   : opset,
        isStandard ? "" : domain);
    bool isNewer = own && ofLibrary && isStandard &&
                   ofLibrary->SinceVersion() > own->SinceVersion();
    return own && !isNewer ? own : ofLibrary;
  }

private:
  /// By domain and name, and by version.
  std::map<std::pair<std::string, std::string>, std::map<int, Schema>> added;
};

} // namespace

const onnx::ISchemaRegistry &standardOperators() {
  static const StandardOperators operators;
  return operators;
}

int64_t newestOpsetOfLibrary() {
  return onnx::OpSchemaRegistry::DomainToVersionRange::Instance()
      .Map()
      .at("")
      .second;
}

} // namespace npu
