// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report as JSON. docs/audit.md lists the fields.

#include "Report.h"
#include "npu/Support/Report.h"

#include <cmath>

namespace npu {
namespace {

using llvm::json::OStream;

/// JSON has neither infinity nor NaN: null.
void number(OStream &json, llvm::StringRef name, double value) {
  if (std::isfinite(value))
    json.attribute(name, value);
  else
    json.attribute(name, nullptr);
}

void write(OStream &json, llvm::StringRef name, const Errors &errors) {
  json.attributeObject(name, [&] {
    number(json, "max_absolute", errors.maxAbsolute);
    number(json, "mean_absolute", errors.meanAbsolute);
    number(json, "max_relative", errors.maxRelative);
    number(json, "mean_relative", errors.meanRelative);
    number(json, "max_ulp", errors.maxUlp);
    number(json, "mean_ulp", errors.meanUlp);
    number(json, "max_bound", errors.maxBound);
  });
}

void write(OStream &json, const Measurement &m) {
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
    write(json, "local", m.local);
    write(json, "accumulated", m.accumulated);
    if (m.spec.elements() == 0)
      return;
    json.attributeObject("worst", [&] {
      numberArray(json, "at", coordinatesOf(m.spec, m.worst));
      number(json, "expected", m.expected);
      json.attribute("got", m.got);
      number(json, "bound", m.bound);
      number(json, "condition", m.condition);
      number(json, "expected_since_inputs", m.expectedSinceInputs);
      number(json, "bound_since_inputs", m.boundSinceInputs);
    });
  });
}

void write(OStream &json, llvm::StringRef name, const Box &box) {
  json.attributeArray(name, [&] {
    for (const Range &range : box)
      json.value(llvm::json::Array{range.begin, range.end});
  });
}

void write(OStream &json, const Finding &finding) {
  json.object([&] {
    json.attribute("class", nameOf(finding.kind));
    json.attribute("number", finding.number);
    json.attribute("op", finding.name);
    json.attribute("location", finding.location);
    json.attribute("reason", reasonOf(finding));
    json.attribute("terms", finding.sums.terms);
    json.attribute("worst_result", static_cast<int64_t>(finding.worst));
    json.attributeArray("results", [&] {
      for (const Measurement &m : finding.results)
        write(json, m);
    });
    json.attributeArray("hints", [&] {
      for (const std::string &hint : finding.hints)
        json.value(hint);
    });
    if (finding.wrong)
      write(json, "wrong_box", *finding.wrong);
    json.attributeArray("tiles", [&] {
      for (auto &[tile, box] : finding.tiles)
        json.object([&] {
          json.attribute("tile", tile);
          write(json, "box", box);
        });
    });
  });
}

void write(OStream &json, const ResultAgainst &result) {
  json.object([&] {
    json.attribute("number", result.number);
    json.attribute("elements", result.spec.elements());
    json.attribute("different", result.different);
    json.attribute("non_finite_on_one_side", result.nonFinite);
    json.attribute("non_finite_on_both_sides", result.bothNonFinite);
    json.attribute("not_comparable", result.unknown);
    number(json, "distance", result.distance);
    number(json, "bound", result.allowed);
    if (result.different + result.unknown > 0)
      json.attributeObject("worst", [&] {
        numberArray(json, "at", coordinatesOf(result.spec, result.worst));
        number(json, "expected", result.expected);
        number(json, "got", result.got);
      });
    json.attributeArray("hints", [&] {
      for (const std::string &hint : result.hints)
        json.value(hint);
    });
  });
}

void write(OStream &json, const Comparison64 &original) {
  json.attributeObject("original", [&] {
    json.attribute("equal", !original.isDifferent() && original.isComparable());
    numberArray(json, "different_results", original.different());
    numberArray(json, "not_comparable_results", original.notComparable());
    // Of the first result that is not the original's.
    const ResultAgainst *first = original.firstDifferent();
    number(json, "distance", first ? first->distance : 0);
    number(json, "bound", first ? first->allowed : 0);
    json.attributeArray("hints", [&] {
      if (first)
        for (const std::string &hint : first->hints)
          json.value(hint);
    });
    json.attributeArray("results", [&] {
      for (const ResultAgainst &result : original.results)
        write(json, result);
    });
    json.attribute("matched_values", original.matched);
    json.attribute("values", original.values);
    json.attributeArray("mistaken_results", [&] {
      for (const Mistaken &mistaken : original.mistaken)
        json.object([&] {
          json.attribute("number", mistaken.number);
          json.attribute("is", mistaken.known);
          json.attributeArray("missing", [&] {
            for (const std::string &name : mistaken.missing)
              json.value(name);
          });
        });
    });
    json.attributeArray("suspects", [&] {
      for (const Suspect &suspect : original.suspects)
        json.object([&] {
          json.attribute("operation", suspect.title);
          json.attributeArray("stands_for", [&] {
            for (const std::string &name : suspect.standsFor)
              json.value(name);
          });
        });
    });
  });
}

} // namespace

std::string toJson(const AuditReport &report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  OStream json(os, 2);
  json.object([&] {
    json.attribute("function", report.entry);
    json.attribute("inputs", report.inputs);
    json.attribute("seed", report.seed);
    json.attribute("lowered_from_tosa", report.wasLowered);
    json.attribute("operations", report.operations);
    json.attribute("compiled", report.compiled);
    json.attribute("most_bytes", report.mostBytes);
    json.attributeArray("findings", [&] {
      for (const Finding &finding : report.findings)
        write(json, finding);
    });
    json.attributeArray("results", [&] {
      for (const Measurement *m : report.results)
        if (m)
          write(json, *m);
        else
          json.value(nullptr);
    });
    if (report.original)
      write(json, *report.original);
    json.attribute("reproducer", report.reproducer);
    json.attribute("class", nameOf(classOf(report)));
    json.attribute("verdict", verdictOf(report));
  });
  os << "\n";
  return text;
}

} // namespace npu
