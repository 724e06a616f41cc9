// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DumpScope.h"

namespace npu {

std::size_t DumpScope::define(std::string_view name, std::size_t at,
                              std::string_view op, DumpTypePtr type) {
  if (!type)
    type = std::make_shared<const DumpType>();
  bind(name, all.size());
  all.push_back({std::string(name), at, op, std::move(type)});
  return all.size() - 1;
}

void DumpScope::bind(std::string_view name, std::size_t value) {
  auto [it, isNew] = numbers.try_emplace(name, value);
  shadowed.emplace_back(name, isNew ? DumpOperand::kUnknown : it->second);
  it->second = value;
}

std::size_t DumpScope::find(std::string_view name) const {
  auto it = numbers.find(name);
  if (it == numbers.end() && name.ends_with("#0"))
    it = numbers.find(name.substr(0, name.size() - 2));
  return it == numbers.end() ? DumpOperand::kUnknown : it->second;
}

void DumpScope::leave(std::size_t entered) {
  for (; shadowed.size() > entered; shadowed.pop_back()) {
    auto &[name, before] = shadowed.back();
    if (before == DumpOperand::kUnknown)
      numbers.erase(name);
    else
      numbers[name] = before;
  }
}

void DumpScope::clear() {
  all.clear();
  numbers.clear();
  shadowed.clear();
}

} // namespace npu
