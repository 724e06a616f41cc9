// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Eviction.h"

#include <algorithm>
#include <tuple>

namespace npu {

bool Eviction::run() {
  for (;;) {
    int row = prefix.firstExceeded();
    if (row < 0 || index.rows[row].at > newest)
      return true;
    std::vector<ValueForm> forms = candidates(index.rows[row]);
    // Each form is given up at most once: this comes to an end.
    if (std::ranges::none_of(forms,
                             [&](ValueForm form) { return giveUp(form); }))
      return false;
  }
}

bool Eviction::uses(int operation, int way, ValueForm form) const {
  const Way &chosen = index.problem.operations[operation].ways[way];
  const std::vector<int> &made = index.made[operation];
  for (size_t r = 0; r < made.size(); ++r)
    if (ValueForm{made[r], chosen.makes[r]} == form)
      return true;
  return std::ranges::find(chosen.needs, form) != chosen.needs.end();
}

/// The forms that take bytes of the row, that with the furthest next use first.
std::vector<ValueForm> Eviction::candidates(const MemoryRow &row) const {
  std::vector<std::tuple<int, int64_t, ValueForm>> ranked;
  for (const FormBytes &term : row.forms) {
    auto [value, form] = term.form;
    bool isArgument = index.problem.values[value].madeBy < 0 && form == 0;
    if (term.bytes > 0 && prefix.exists(term.form) && !isArgument &&
        !uses(newest, prefix.way(newest), term.form))
      ranked.emplace_back(-index.nextUse(term.form, newest), -term.bytes,
                          term.form);
  }
  std::ranges::sort(ranked);
  std::vector<ValueForm> forms;
  forms.reserve(ranked.size());
  for (const auto &[use, bytes, form] : ranked)
    forms.push_back(form);
  return forms;
}

/// Chooses again whatever made or needed the form; changes nothing where that
/// cannot be done.
bool Eviction::giveUp(ValueForm form) {
  std::vector<int> operations;
  if (int maker = index.problem.values[form.value].madeBy; maker >= 0)
    operations.push_back(maker);
  const std::vector<int> &users = index.users(form);
  operations.insert(operations.end(), users.begin(),
                    std::ranges::upper_bound(users, newest));
  std::erase_if(operations, [&](int operation) {
    return !uses(operation, prefix.way(operation), form);
  });
  given.push_back(form);
  if (chooseAgain(operations))
    return true;
  given.pop_back();
  return false;
}

bool Eviction::chooseAgain(const std::vector<int> &operations) {
  std::vector<Change> changes;
  for (int operation : operations) {
    changes.push_back({operation, prefix.way(operation), -1});
    prefix.takeBack(operation);
  }
  for (Change &change : changes) {
    std::vector<int> ways = prefix.waysByCost(change.operation);
    auto way = std::ranges::find_if(ways, [&](int candidate) {
      return std::ranges::none_of(given, [&](ValueForm form) {
        return uses(change.operation, candidate, form);
      });
    });
    if (way == ways.end())
      break;
    change.after = *way;
    prefix.choose(change.operation, change.after);
  }
  if (changes.empty() || changes.back().after >= 0)
    return true;
  for (const Change &change : changes) {
    if (prefix.way(change.operation) >= 0)
      prefix.takeBack(change.operation);
    prefix.choose(change.operation, change.before);
  }
  return false;
}

} // namespace npu
