// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report as text.

#include "Report.h"
#include "npu/Support/Naming.h"
#include "npu/Support/Report.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace npu {
namespace {

std::string shapeOf(const TensorSpec &spec) { return toString(spec); }

std::string boundOf(double bound) {
  return std::isfinite(bound) ? fmt::format("bound {:.3g}", bound) : "no bound";
}

/// "at most 0.1 (mean 0.02), relative 3e-05 (mean 1e-06), 2.1 ulp (mean 0.3),
/// bound 0.5"
std::string describe(const Errors &errors, ElementType type) {
  if (errors.count == 0)
    return "unknown: no element is finite on both sides";
  if (errors.maxAbsolute == 0)
    return "nothing, " + boundOf(errors.maxBound);
  return fmt::format(
      "at most {:.3g} (mean {:.3g}), relative {:.3g} (mean {:.3g}), {:.3g} {} "
      "(mean {:.3g}), {}",
      errors.maxAbsolute, errors.meanAbsolute, errors.maxRelative,
      errors.meanRelative, errors.maxUlp, isFloat(type) ? "ulp" : "units",
      errors.meanUlp, boundOf(errors.maxBound));
}

std::string numbers(const std::vector<int64_t> &at) {
  return fmt::format("[{}]", fmt::join(at, ", "));
}

void describe(const Finding &finding, std::string &text) {
  text += fmt::format("{} {}: {}\n", nameOf(finding.kind), finding.title(),
                      reasonOf(finding));
  const Measurement *m = finding.worstResult();
  if (!m)
    return;
  if (m->spec.elements() == 0) {
    text +=
        fmt::format("  result {}, which has no elements\n", shapeOf(m->spec));
    return;
  }
  text += fmt::format("  result {}{}\n", shapeOf(m->spec),
                      finding.sums.terms > 1 ? fmt::format(", sums of {} terms",
                                                           finding.sums.terms)
                                             : "");
  text += fmt::format("  here {}\n", describe(m->local, m->spec.type));
  text += fmt::format("  since the inputs {}\n",
                      describe(m->accumulated, m->spec.type));
  text += fmt::format("  worst at {}: expected {:.9g}, got {}, {}, condition "
                      "{:.3g}\n",
                      numbers(coordinatesOf(m->spec, m->worst)), m->expected,
                      m->got, boundOf(m->bound), m->condition);
  if (finding.kind == FindingClass::Cancellation)
    text += fmt::format("  exact operands give {:.9g} there\n",
                        m->expectedSinceInputs);
  if (m->inherited > 0)
    text += fmt::format("  {} elements are NaN or infinite since an earlier "
                        "operation\n",
                        m->inherited);
  if (finding.wrong)
    text += fmt::format("  wrong within {}\n", nameOfHeld(*finding.wrong));
  for (auto &[tile, box] : finding.tiles)
    text += fmt::format("  wrong on {}, which computes {}\n",
                        nameOfTile(static_cast<size_t>(tile)), nameOfHeld(box));
  for (const std::string &hint : finding.hints)
    text += fmt::format("  {}\n", hint);
}

/// "1 STRUCTURAL, 12 ROUNDING"
std::string counts(const AuditReport &report) {
  std::array<int64_t, 6> count{};
  for (const Finding &finding : report.findings)
    ++count[static_cast<size_t>(finding.kind)];
  std::vector<std::string> parts;
  for (size_t kind = 0; kind < count.size(); ++kind)
    if (count[kind] > 0)
      parts.push_back(fmt::format("{} {}", count[kind],
                                  nameOf(static_cast<FindingClass>(kind))));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// "-inf", "0.0721", "3"
std::string numberOf(double value) { return fmt::format("{:.9g}", value); }

/// How a result stands against the original's, where that has to be said.
void describe(const ResultAgainst &result, std::string &text) {
  int64_t elements = result.spec.elements();
  std::string name = fmt::format("  result #{}", result.number);
  std::string worst;
  if (elements > 0)
    worst = fmt::format("at {}: expected {}, got {}",
                        numbers(coordinatesOf(result.spec, result.worst)),
                        numberOf(result.expected), numberOf(result.got));
  if (result.isDifferent()) {
    std::string off =
        std::isfinite(result.distance)
            ? fmt::format("off by {:.3g} in exact arithmetic, allowed {:.3g}, ",
                          result.distance, result.allowed)
            : "";
    text += fmt::format("{} is not the original's: {}{} of {} elements differ",
                        name, off, result.different, elements);
    if (result.nonFinite > 0)
      text += fmt::format(", {} of them infinite or NaN on one side",
                          result.nonFinite);
    text += fmt::format("; the worst {}\n", worst);
  } else if (result.unknown > 0) {
    text += fmt::format(
        "{} cannot be compared in {} of {} elements, which differ by less than "
        "rounding may make of its largest ones and have no bound; the worst "
        "{}\n",
        name, result.unknown, elements, worst);
  } else if (!result.isComparable()) {
    text += fmt::format("{} is not comparable: more than half of it is NaN or "
                        "infinite on both sides\n",
                        name);
  } else if (result.bothNonFinite > 0) {
    text += fmt::format("{}: {} of {} elements are NaN or infinite on both "
                        "sides, and show nothing else\n",
                        name, result.bothNonFinite, elements);
  }
  for (const std::string &hint : result.hints)
    text += fmt::format("  {}\n", hint);
}

/// "result #0 is the original's argument #1, which goes on with ..."
std::string describe(const Mistaken &mistaken) {
  if (mistaken.missing.empty())
    return fmt::format("result #{} is the original's {}, and not its result "
                       "#{}",
                       mistaken.number, mistaken.known, mistaken.number);
  return fmt::format("result #{} is the original's {}, which goes on with {}",
                     mistaken.number, mistaken.known,
                     fmt::join(mistaken.missing, ", "));
}

void describe(const Comparison64 &original, std::string &text) {
  text += fmt::format("against the original: {} of {} values are known there\n",
                      original.matched, original.values);
  if (!original.isDifferent() && original.isComparable())
    text += "  every result is the original's\n";
  for (const ResultAgainst &result : original.results)
    describe(result, text);
  for (const Mistaken &mistaken : original.mistaken)
    text += fmt::format("  {}\n", describe(mistaken));
  for (const Suspect &suspect : original.suspects) {
    text += fmt::format("  {}: its operands are the original's, and its result "
                        "is not\n",
                        suspect.title);
    if (suspect.standsFor.size() > 1)
      text +=
          fmt::format("    fused of {}\n", fmt::join(suspect.standsFor, ", "));
  }
}

/// Why results that cannot be held against the original's cannot.
std::string whyNotComparable(const Comparison64 &original) {
  bool isUnknown =
      llvm::any_of(original.results, [](const ResultAgainst &result) {
        return !result.isComparable() && result.unknown > 0;
      });
  return isUnknown ? "elements differ and have no bound"
                   : "more than half of it is NaN or infinite on both sides";
}

} // namespace

const Finding *AuditReport::worst() const {
  const Finding *notAudited = nullptr;
  for (const Finding &finding : findings) {
    if (finding.kind != FindingClass::NotAudited)
      return &finding;
    notAudited = notAudited ? notAudited : &finding;
  }
  return notAudited;
}

bool AuditReport::isWrong() const {
  const Finding *finding = worst();
  return (finding && finding->kind <= FindingClass::Overflow) ||
         (original && (original->isDifferent() || !original->isComparable()));
}

void sortFindings(std::vector<Finding> &findings) {
  auto weight = [](const Finding &finding) {
    const Measurement *m = finding.worstResult();
    return m ? m->local.meanUlp : 0;
  };
  llvm::sort(findings, [&](const Finding &a, const Finding &b) {
    if (a.kind != b.kind)
      return a.kind < b.kind;
    // Of operations that are wrong, the first.
    if (a.kind <= FindingClass::Overflow)
      return a.number < b.number;
    if (weight(a) != weight(b))
      return weight(a) > weight(b);
    return a.number < b.number;
  });
}

std::string reasonOf(const Finding &finding) {
  const Measurement *m = finding.worstResult();
  int64_t elements = m ? m->spec.elements() : 0;
  switch (finding.kind) {
  case FindingClass::Structural:
    return fmt::format("{} of {} elements are beyond any rounding", m->beyond,
                       elements);
  case FindingClass::Overflow:
    return isFloat(m->spec.type)
               ? fmt::format("{} of {} elements are infinite or NaN where the "
                             "reference is finite",
                             m->overflowed, elements)
               : fmt::format("{} of {} elements have wrapped around",
                             m->overflowed, elements);
  case FindingClass::Cancellation:
    return fmt::format("{} of {} elements have lost more than half of their "
                       "digits to a sum of condition {:.3g} and more",
                       m->lost, elements, m->leastCondition);
  case FindingClass::NotAudited:
    return finding.why;
  case FindingClass::Rounding:
    return fmt::format("{} of {} elements differ, all within their bounds",
                       m->different, elements);
  case FindingClass::Exact:
    return "nothing differs";
  }
  return "";
}

namespace {

/// Whether the verdict is about the original: of what is wrong by itself, only
/// where an operation is not STRUCTURAL; of what cannot be compared, only where
/// nothing is wrong.
bool isAboutDifference(const AuditReport &report) {
  const Finding *finding = report.worst();
  return report.original && report.original->isDifferent() &&
         (!finding || finding->kind > FindingClass::Structural);
}

bool isAboutComparability(const AuditReport &report) {
  const Finding *finding = report.worst();
  return report.original && !report.original->isDifferent() &&
         !report.original->isComparable() &&
         (!finding || finding->kind > FindingClass::Overflow);
}

/// What is different from the original, after the class of the verdict.
std::string differenceOf(const Comparison64 &original) {
  if (!original.suspects.empty()) {
    const Suspect &suspect = original.suspects.front();
    std::string text = fmt::format(
        " at {}: it does not compute what the original does", suspect.title);
    if (suspect.standsFor.size() > 1)
      text += fmt::format(" in the {} operations that it was fused of",
                          suspect.standsFor.size());
    return text;
  }
  if (!original.mistaken.empty())
    return ": " + describe(original.mistaken.front());
  return ": the results are not those of the original";
}

} // namespace

FindingClass classOf(const AuditReport &report) {
  if (isAboutDifference(report))
    return FindingClass::Structural;
  if (isAboutComparability(report))
    return FindingClass::NotAudited;
  const Finding *finding = report.worst();
  return finding ? finding->kind : FindingClass::Exact;
}

std::string verdictOf(const AuditReport &report) {
  const Finding *finding = report.worst();
  FindingClass kind = classOf(report);
  std::string text = nameOf(kind);
  if (isAboutDifference(report))
    text += differenceOf(*report.original);
  else if (isAboutComparability(report))
    text += fmt::format(": result #{} cannot be held against the original's: "
                        "{}",
                        fmt::join(report.original->notComparable(), ", #"),
                        whyNotComparable(*report.original));
  else if (finding)
    text += fmt::format(" at {}: {}", finding->title(), reasonOf(*finding));
  else
    text += ": no operation computes anything";
  auto notAudited = std::count_if(
      report.findings.begin(), report.findings.end(), [](const Finding &other) {
        return other.kind == FindingClass::NotAudited;
      });
  if (notAudited > 0 && finding && finding->kind != FindingClass::NotAudited)
    text += fmt::format(" ({} not audited)", notAudited);
  return text;
}

std::string toText(const AuditReport &report) {
  std::string text = fmt::format(
      "audit of '{}': {} operation{}, {} of them different, inputs {}\n",
      report.entry, report.operations, report.operations == 1 ? "" : "s",
      report.compiled, report.inputs);
  if (report.wasLowered)
    text += "TOSA was lowered first, as npu-compile=compile-to=input does\n";
  if (!report.findings.empty())
    text += counts(report) + "\n";
  for (const Finding &finding : report.findings)
    if (finding.kind != FindingClass::Exact)
      describe(finding, text);
  for (size_t number = 0; number < report.results.size(); ++number)
    if (const Measurement *m = report.results[number])
      text +=
          fmt::format("result #{} {}: off by {}\n", number, shapeOf(m->spec),
                      describe(m->accumulated, m->spec.type));
  if (report.original)
    describe(*report.original, text);
  if (!report.reproducer.empty())
    text += "reproducer: " + report.reproducer + "\n";
  return text + "verdict: " + verdictOf(report) + "\n";
}

namespace {

class JsonWriter {
public:
  explicit JsonWriter(llvm::raw_ostream &os) : json(os, /*IndentSize=*/2) {}

  void write(const AuditReport &report) {
    json.object([&] {
      json.attribute("function", report.entry);
      json.attribute("inputs", report.inputs);
      json.attribute("seed", report.seed);
      json.attribute("lowered_from_tosa", report.wasLowered);
      json.attribute("operations", report.operations);
      json.attribute("compiled", report.compiled);
      json.attribute("most_bytes", report.mostBytes);
      write("findings", report.findings);
      json.attributeArray("results", [&] {
        for (const Measurement *m : report.results)
          if (m)
            write(*m);
          else
            json.value(nullptr);
      });
      if (report.original)
        write(*report.original);
      json.attribute("reproducer", report.reproducer);
      json.attribute("class", nameOf(classOf(report)));
      json.attribute("verdict", verdictOf(report));
    });
  }

private:
  /// JSON has neither infinity nor NaN: null.
  void number(llvm::StringRef name, double value) {
    if (std::isfinite(value))
      json.attribute(name, value);
    else
      json.attribute(name, nullptr);
  }

  void write(llvm::StringRef name, const Errors &errors) {
    json.attributeObject(name, [&] {
      number("max_absolute", errors.maxAbsolute);
      number("mean_absolute", errors.meanAbsolute);
      number("max_relative", errors.maxRelative);
      number("mean_relative", errors.meanRelative);
      number("max_ulp", errors.maxUlp);
      number("mean_ulp", errors.meanUlp);
      number("max_bound", errors.maxBound);
    });
  }

  void write(const Measurement &m) {
    json.object([&] {
      json.attribute("type", nameOf(m.spec.type));
      shapeArray(json, m.spec.shape);
      json.attribute("elements", m.spec.elements());
      json.attribute("different", m.different);
      json.attribute("beyond", m.beyond);
      json.attribute("overflowed", m.overflowed);
      json.attribute("lost", m.lost);
      json.attribute("unbounded", m.unbounded);
      json.attribute("inherited", m.inherited);
      write("local", m.local);
      write("accumulated", m.accumulated);
      if (m.spec.elements() == 0)
        return;
      json.attributeObject("worst", [&] {
        numberArray(json, "at", coordinatesOf(m.spec, m.worst));
        number("expected", m.expected);
        json.attribute("got", m.got);
        number("bound", m.bound);
        number("condition", m.condition);
        number("expected_since_inputs", m.expectedSinceInputs);
        number("bound_since_inputs", m.boundSinceInputs);
      });
    });
  }

  template <typename Row>
  void write(llvm::StringRef name, const std::vector<Row> &rows) {
    json.attributeArray(name, [&] {
      for (const Row &row : rows)
        write(row);
    });
  }

  void write(llvm::StringRef name, const Box &box) {
    json.attributeArray(name, [&] {
      for (const Range &range : box)
        json.value(llvm::json::Array{range.begin, range.end});
    });
  }

  void write(const Finding &finding) {
    json.object([&] {
      json.attribute("class", nameOf(finding.kind));
      json.attribute("number", finding.number);
      json.attribute("op", finding.name);
      json.attribute("location", finding.location);
      json.attribute("reason", reasonOf(finding));
      json.attribute("terms", finding.sums.terms);
      json.attribute("worst_result", static_cast<int64_t>(finding.worst));
      write("results", finding.results);
      json.attribute("hints", llvm::json::Array(finding.hints));
      if (finding.wrong)
        write("wrong_box", *finding.wrong);
      json.attributeArray("tiles", [&] {
        for (auto &[tile, box] : finding.tiles)
          json.object([&] {
            json.attribute("tile", tile);
            write("box", box);
          });
      });
    });
  }

  void write(const ResultAgainst &result) {
    json.object([&] {
      json.attribute("number", result.number);
      json.attribute("elements", result.spec.elements());
      json.attribute("different", result.different);
      json.attribute("non_finite_on_one_side", result.nonFinite);
      json.attribute("non_finite_on_both_sides", result.bothNonFinite);
      json.attribute("not_comparable", result.unknown);
      number("distance", result.distance);
      number("bound", result.allowed);
      if (result.different + result.unknown > 0)
        json.attributeObject("worst", [&] {
          numberArray(json, "at", coordinatesOf(result.spec, result.worst));
          number("expected", result.expected);
          number("got", result.got);
        });
      json.attribute("hints", llvm::json::Array(result.hints));
    });
  }

  void write(const Comparison64 &original) {
    json.attributeObject("original", [&] {
      json.attribute("equal",
                     !original.isDifferent() && original.isComparable());
      numberArray(json, "different_results", original.different());
      numberArray(json, "not_comparable_results", original.notComparable());
      // Of the first result that is not the original's.
      const ResultAgainst *first = original.firstDifferent();
      number("distance", first ? first->distance : 0);
      number("bound", first ? first->allowed : 0);
      json.attribute("hints", first ? llvm::json::Array(first->hints)
                                    : llvm::json::Array());
      write("results", original.results);
      json.attribute("matched_values", original.matched);
      json.attribute("values", original.values);
      json.attributeArray("mistaken_results", [&] {
        for (const Mistaken &mistaken : original.mistaken)
          json.object([&] {
            json.attribute("number", mistaken.number);
            json.attribute("is", mistaken.known);
            json.attribute("missing", llvm::json::Array(mistaken.missing));
          });
      });
      json.attributeArray("suspects", [&] {
        for (const Suspect &suspect : original.suspects)
          json.object([&] {
            json.attribute("operation", suspect.title);
            json.attribute("stands_for", llvm::json::Array(suspect.standsFor));
          });
      });
    });
  }

  llvm::json::OStream json;
};

} // namespace

std::string toJson(const AuditReport &report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  JsonWriter(os).write(report);
  os << "\n";
  return text;
}

} // namespace npu
