// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Support/OptionReaders.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

namespace npu {

GivenOptions::GivenOptions(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef argument = argv[i];
    // What follows is no option, whatever it looks like.
    if (argument == "--")
      return;
    if (!argument.consume_front("-") || argument.empty())
      continue;
    argument.consume_front("-");
    auto [name, value] = argument.split('=');
    // -O2 is an option and its value in one word.
    if (name.size() == 2 && name.front() == 'O' && llvm::isDigit(name.back()))
      std::tie(name, value) = std::pair(name.take_front(1), name.drop_front(1));
    else if (!argument.contains('=') && i + 1 < argc && argv[i + 1][0] != '-')
      value = argv[i + 1];
    given.emplace_back(name.str(), value.str());
  }
}

GivenOptions::GivenOptions(llvm::StringRef ofPass) {
  for (llvm::StringRef item : llvm::split(ofPass, ' ')) {
    auto [name, value] = item.split('=');
    given.emplace_back(name.str(), value.str());
  }
}

bool GivenOptions::has(llvm::StringRef what) const {
  auto [name, value] = what.split('=');
  bool hasValue = what.contains('=');
  llvm::StringRef ending = value;
  bool isAny = ending.consume_front("*");
  return llvm::any_of(given, [&](const auto &each) {
    llvm::StringRef is = each.second;
    if (each.first != name)
      return false;
    return !hasValue ||
           (isAny ? !is.empty() && is.ends_with(ending) : is == value);
  });
}

std::vector<llvm::StringRef> GivenOptions::names() const {
  std::vector<llvm::StringRef> names;
  for (const auto &[name, value] : given)
    names.push_back(name);
  return names;
}

/// Names of one letter have one dash.
static std::string spelled(llvm::StringRef option, llvm::StringRef dashes) {
  bool isLetter = option.split('=').first.size() == 1;
  return (isLetter ? dashes.take_front(1) : dashes).str() + option.str();
}

std::string notRead(llvm::StringRef option,
                    llvm::ArrayRef<llvm::StringRef> readers,
                    llvm::StringRef dashes) {
  std::string list;
  for (auto [number, reader] : llvm::enumerate(readers))
    list += (number == 0                    ? ""
             : number + 1 == readers.size() ? " or "
                                            : ", ") +
            spelled(reader, dashes);
  return fmt::format("{}: expected {} beside it, which {} it",
                     spelled(option, dashes), list,
                     readers.size() == 1 ? "reads" : "read");
}

static Error notReadBy(llvm::StringRef option, llvm::StringRef other,
                       llvm::StringRef dashes = "--") {
  return Error{
      fmt::format("{}: expected no {} beside it, which does not read it",
                  spelled(option, dashes), spelled(other, dashes))};
}

Result<> checkOptionReaders(llvm::ArrayRef<OptionReaders> table,
                            const GivenOptions &given, llvm::StringRef dashes) {
  auto isGiven = [&](llvm::StringRef what) { return given.has(what); };
  for (const OptionReaders &row : table) {
    bool isDefault = !row.byDefault.empty() &&
                     given.has((row.option + "=" + row.byDefault).str());
    if (!given.has(row.option) || isDefault)
      continue;
    if (!row.readers.empty() && llvm::none_of(row.readers, isGiven))
      return Error{notRead(row.option, row.readers, dashes)};
    if (auto other = llvm::find_if(row.others, isGiven);
        other != row.others.end())
      return notReadBy(row.option, *other, dashes);
  }
  return Success();
}

llvm::LogicalResult verifyOptionReaders(
    llvm::StringRef pass, llvm::ArrayRef<OptionReaders> table,
    llvm::StringRef ofPass,
    llvm::function_ref<llvm::LogicalResult(const llvm::Twine &)> fail) {
  Result<> checked = checkOptionReaders(table, GivenOptions(ofPass), "");
  return checked ? llvm::success()
                 : fail(pass + ": " + checked.error().message);
}

Result<> checkAlone(llvm::StringRef option,
                    llvm::ArrayRef<llvm::StringRef> read,
                    const GivenOptions &given) {
  if (given.has(option))
    for (llvm::StringRef name : given.names())
      if (name != option && !llvm::is_contained(read, name))
        return notReadBy(name, option);
  return Success();
}

} // namespace npu
