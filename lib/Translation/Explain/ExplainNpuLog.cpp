// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Explains a log in plain words: what differs, what it costs, what to do.

#include "../Log/CutError.h"
#include "../Log/FieldSpelling.h"
#include "../Log/NpuLogOptions.h"
#include "CastFunction.h"
#include "EqualFailures.h"
#include "FieldRepair.h"

#include "npu/Analysis/Choices/Movement.h"
#include "npu/Support/Naming.h"
#include "npu/Support/QuotedForShell.h"

#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

#include <iterator>

using namespace mlir;

namespace npu {
namespace {

/// The most tiles of each kind that are listed (the first ones, and further
/// ones that differ), and the most pieces that are listed of one tile.
constexpr std::size_t kTilesListed = 16;
constexpr std::size_t kPiecesListed = 4;
/// The most failures that are listed of one kind, after its first.
constexpr std::size_t kEqualListed = 8;

std::string spell(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  type.print(os);
  return text;
}

/// Spells the memory box, and the compute box where it differs.
std::string spell(const Placement &placement, std::size_t tile) {
  Box memory = placement.memoryOf(tile), compute = placement.computeOf(tile);
  if (memory == compute)
    return nameOfHeld(memory);
  return fmt::format("{} of which it computes {}", nameOfHeld(memory),
                     nameOfHeld(compute));
}

class Explanation {
public:
  Explanation(const NpuLog &log, const EqualFailures &kind,
              const OtherLengths *lengths, const NpuLogOptions &options,
              std::string &text)
      : log(log), kind(kind), error(log.errors[kind.front()]),
        cast(log.casts[kind.front()]), lengths(lengths), options(options),
        text(text), relation(relate(cast.expected, cast.out)),
        in(*getPlacement(cast.in)), expected(*getPlacement(cast.expected)),
        out(*getPlacement(cast.out)),
        bits(elementBits(cast.in.getElementType()).value_or(64)) {}

  void write() {
    writeHeading();
    writeVerdict();
    writeTypes();
    writeBoxes();
    writeFields();
    writeCost();
    if (lengths)
      writeLengths();
    writeRepair();
    writeFieldRepair();
    writeNextDump();
    writeRepairedIr();
    writeRemarks();
  }

private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args &&...args) {
    fmt::format_to(std::back_inserter(text), format,
                   std::forward<Args>(args)...);
    text += '\n';
  }

  std::size_t tileCount() const {
    return std::max(expected.tiles.size(), out.tiles.size());
  }
  int64_t bytes(int64_t elements) const { return toBytes(elements, bits); }

  /// "model.log:4:94: Add_1106, _mem_permute_1 (Add)"
  std::string placeOf(const LoggedError &each) const {
    FileLineColLoc place = log.location(each.at);
    std::string names = spellNames(each.location);
    return fmt::format("{}:{}:{}: {}", place.getFilename().str(),
                       place.getLine(), place.getColumn(),
                       names.empty() ? "an unnamed operation" : names);
  }

  void writeHeading() {
    line("{}", placeOf(error));
    line("{} {}", error.op, kIncompatibleSentence);
    std::size_t others = kind.size() - 1;
    if (others)
      line("and {} more that differ{} in nothing but place and name:", others,
           others == 1 ? "s" : "");
    for (std::size_t i = 1; i < kind.size() && i <= kEqualListed; ++i)
      line("  {}", placeOf(log.errors[kind[i]]));
    if (others > kEqualListed)
      line("  and {} more", others - kEqualListed);
    line("");
  }

  void writeVerdict() {
    if (cast.contradicting) {
      writeContradiction();
      return;
    }
    switch (relation) {
    case Relation::Identical:
      line("Spelling only: both sides mean the same distribution, written in "
           "different ways.\nEvery tile holds the same box on both sides, so 0 "
           "bytes have to move.");
      break;
    case Relation::SameMemory:
      line("Label only: every tile holds the same box on both sides, so 0 "
           "bytes have to move.\nThe field compiler stopped at the fields "
           "listed below, not at any byte.");
      break;
    case Relation::Contained:
      line("Narrowing only: every tile holds what 'out' wants, and more, so 0 "
           "bytes have to\nmove.");
      break;
    case Relation::DataMoves:
      line("Data moves: {} of {} tiles lack something that 'out' wants on "
           "them.",
           tilesThatLack(), tileCount());
      break;
    }
    line("");
  }

  /// Writes that the log's `expected` contradicts the assumed cast. No verdict
  /// is given then, because the logged cast is another one.
  void writeContradiction() {
    const Placement &logged = *getPlacement(cast.contradicting);
    std::size_t count = std::max(logged.tiles.size(), expected.tiles.size());
    std::size_t other = 0;
    for (std::size_t tile = 0; tile < count; ++tile)
      other += !(logged.memoryOf(tile) == expected.memoryOf(tile)) ||
               !(logged.computeOf(tile) == expected.computeOf(tile));
    line(
        "Contradiction: on {} of {} tiles the log's own 'expected' has another "
        "box than 'in'\nseen through the cast. So the cast is another one than "
        "is assumed here or given:\ninput order, mem_perm and output order "
        "are not in the log (see the remarks).",
        other, count);
    line("From the log's own 'expected' to 'out', {}; from the assumed one, "
         "{}.",
         inWords(relate(cast.contradicting, cast.out)), inWords(relation));
    line("");
  }

  static std::string_view inWords(Relation relation) {
    static constexpr std::string_view words[] = {
        "only the spelling differs", "only the label differs",
        "tiles hold what is wanted, and more", "data move"};
    return words[static_cast<std::size_t>(relation)];
  }

  std::size_t tilesThatLack() const {
    std::size_t count = 0;
    for (std::size_t tile = 0; tile < tileCount(); ++tile)
      count += !expected.memoryOf(tile).contains(out.memoryOf(tile));
    return count;
  }

  void writeTypes() {
    line("  in        {}", spell(cast.in));
    line("  expected  {}", spell(cast.expected));
    line("  out       {}", spell(cast.out));
    if (cast.contradicting)
      line("  the log's own 'expected'  {}", spell(cast.contradicting));
    line("");
    line("('expected' is 'in' seen through the cast.)");
    line("");
  }

  void writeBoxes() {
    line("What each tile holds:");
    std::vector<std::size_t> listed;
    std::size_t differing = 0, listedDiffering = 0;
    for (std::size_t tile = 0; tile < tileCount(); ++tile) {
      bool differs = !(expected.memoryOf(tile) == out.memoryOf(tile));
      differing += differs;
      bool special = differs && listedDiffering++ < kTilesListed;
      if (tile < kTilesListed || special)
        listed.push_back(tile);
    }
    // Make columns as wide as their widest entry.
    std::size_t inWidth = 2, expectedWidth = 8, outWidth = 3;
    for (std::size_t tile : listed) {
      inWidth = std::max(inWidth, spell(in, tile).size());
      expectedWidth = std::max(expectedWidth, spell(expected, tile).size());
      outWidth = std::max(outWidth, spell(out, tile).size());
    }
    line("  {:9}  {:{}}  {:{}}  {}", "", "in", inWidth, "expected",
         expectedWidth, "out");
    for (std::size_t tile : listed) {
      bool same = expected.memoryOf(tile) == out.memoryOf(tile);
      line("  {:9}  {:{}}  {:{}}  {:{}}  {}", nameOfTile(tile), spell(in, tile),
           inWidth, spell(expected, tile), expectedWidth, spell(out, tile),
           outWidth, same ? "same" : "differs");
    }
    if (listed.size() < tileCount())
      line("  and {} more tiles", tileCount() - listed.size());
    line("{} of {} tiles hold different boxes.", differing, tileCount());
    line("");
  }

  void writeFields() {
    line("Fields of the attribute that differ between 'expected' and 'out':");
    bool none = true;
    for (const FieldDefinition &definition : fieldDefinitions()) {
      const LoggedField *a = cast.expectedFields.find(definition.name);
      const LoggedField *b = error.out.find(definition.name);
      if (sameValue(a, b))
        continue;
      none = false;
      line("  {}: expected {}, out {}", definition.name, npu::spell(a),
           npu::spell(b));
    }
    if (none)
      line("  none");
    line("");
  }

  void writeCost() {
    line("Cost:");
    Result<RedistributionPlan> plan = planBetween(cast.expected, cast.out);
    if (!plan) {
      line("  between tiles: at least {} ({})",
           nameOfBytes(bytes(elementsMissing(expected, out))),
           plan.error().message);
    } else {
      std::size_t transfers = plan->transfers.size();
      line("  between tiles: {} in {} transfer{} (bound {}); at most {} into "
           "one tile (bound {})",
           nameOfBytes(bytes(plan->received.value)), transfers,
           transfers == 1 ? "" : "s", bytes(plan->received.bound),
           nameOfBytes(bytes(plan->maxTileReceived.value)),
           bytes(plan->maxTileReceived.bound));
      writeReceivers(*plan);
    }
    // For comparison, a compiler without transfers between tiles would go
    // through DDR.
    int64_t whole = bytes(cast.in.getNumElements());
    line("  through DDR and back instead: {} ({} stored, {} loaded)",
         nameOfBytes(2 * whole), whole, whole);
    line("");
  }

  /// Writes which tiles lack elements, and which ones.
  void writeReceivers(const RedistributionPlan &plan) {
    std::vector<int64_t> received(tileCount(), 0);
    for (const Transfer &transfer : plan.transfers)
      for (int tile : transfer.to)
        received[tile] += transfer.box.volume();
    std::size_t listed = 0;
    for (std::size_t tile = 0; tile < tileCount(); ++tile) {
      std::vector<Box> missing =
          subtract(out.memoryOf(tile), expected.memoryOf(tile));
      if (missing.empty())
        continue;
      if (++listed > kTilesListed)
        continue;
      int64_t bound = 0;
      std::string boxes;
      for (std::size_t i = 0; i < missing.size(); ++i) {
        bound += missing[i].volume();
        if (i < kPiecesListed)
          boxes += (i ? ", " : "") + toString(missing[i]);
        else if (i == kPiecesListed)
          boxes += ", ...";
      }
      line("    {} lacks {}: receives {} (bound {})", nameOfTile(tile), boxes,
           nameOfBytes(bytes(received[tile])), bytes(bound));
    }
    if (listed > kTilesListed)
      line("    and {} more tiles", listed - kTilesListed);
  }

  void writeRepair() {
    if (cast.contradicting)
      line("What to do: find out in which orders both sides lie in memory, and "
           "say so with\n--npu-log-in-order, --npu-log-mem-perm and "
           "--npu-log-out-order. For the cast as it is\nassumed: {}",
           advice());
    else
      line("What to do: {}", advice());
    line("");
    StringRef file = log.fileName.getValue();
    line("  npu-translate --import-npu-log{} {} -o failing.mlir",
         spellForCommandLine(options),
         file == "<stdin>" ? std::string("LOG") : quotedForShell(file));
    line("  npu-opt failing.mlir --npu-legalize-distributions");
    line("");
  }

  void writeRepairedIr() {
    line("The repaired IR:");
    line("");
    std::string ir = spellRepaired(log, kind.front());
    for (StringRef row : llvm::split(StringRef(ir).rtrim('\n'), '\n'))
      line("{}{}", row.empty() ? "" : "  ", row.str());
  }

  std::string_view advice() const {
    switch (relation) {
    case Relation::Identical:
      return "nothing; whoever compares boxes instead of fields accepts this "
             "cast.\nThese commands check it:";
    case Relation::SameMemory:
      return "give the tensor the label that its consumer asks for.\n"
             "npu.distribution_cast does, and moves nothing. These commands "
             "insert it:";
    case Relation::Contained:
      return "let each tile use the part that its consumer asks for.\n"
             "npu.distribution_cast does, and moves nothing. These commands "
             "insert it:";
    case Relation::DataMoves:
      return "move what is missing from tile to tile, and nothing else.\n"
             "npu.redistribute does. These commands insert it:";
    }
    return "";
  }

  /// The repair for somebody who has the field compiler and not this one.
  void writeFieldRepair() {
    std::string changes = spellChanges(cast.expectedFields, error.out);
    if (changes.empty()) {
      line("In the field compiler's own spelling: nothing to change.");
      line("");
      return;
    }
    line(
        "In the field compiler's own spelling: change the attribute of 'out':");
    line("");
    line("  {}", changes);
    line("");
    std::vector<std::string> repair = spellFieldRepair(error, cast);
    if (repair.empty())
      return;
    line("or, where 'out' has to stay as it is, write");
    line("");
    for (const std::string &row : repair)
      line("  {}", row);
    line("");
  }

  /// Answers at other prompt lengths; a row for lengths in turn with equal
  /// answers.
  void writeLengths() {
    if (lengths->dim)
      line("At other prompt lengths (dimension {} of 'in', which is {} here):",
           *lengths->dim, cast.in.getDimSize(*lengths->dim));
    else
      line("At other prompt lengths: 'in' has no dimension of the prompt's "
           "length {}, so\nthat the cast is the same at each.",
           *error.promptLength);
    const std::vector<LengthAnswer> &answers = lengths->answers;
    auto alike = [](const LengthAnswer &a, const LengthAnswer &b) {
      return a.length + 1 == b.length && a.fields == b.fields &&
             a.relation == b.relation && a.problem == b.problem;
    };
    line("  {:>12}  {:14}  {}", "length", "field compiler", "tiles");
    for (std::size_t i = 0; i < answers.size(); ++i) {
      std::size_t last = i;
      int64_t least = answers[i].bytes, most = answers[i].bytes;
      for (;
           last + 1 < answers.size() && alike(answers[last], answers[last + 1]);
           ++last) {
        least = std::min(least, answers[last + 1].bytes);
        most = std::max(most, answers[last + 1].bytes);
      }
      std::string range = last == i ? fmt::format("{}", answers[i].length)
                                    : fmt::format("{}..{}", answers[i].length,
                                                  answers[last].length);
      const LengthAnswer &answer = answers[i];
      i = last;
      if (!answer.problem.empty()) {
        line("  {:>12}  {:14}  {}", range, "stops", answer.problem);
        continue;
      }
      line("  {:>12}  {:14}  {}, {}{}{}", range,
           answer.fields.empty() ? "accepts" : "stops",
           inWords(answer.relation),
           least == most ? nameOfBytes(most)
                         : fmt::format("{} to {}", least, nameOfBytes(most)),
           answer.fields.empty() ? "" : "; fields: ",
           fmt::join(answer.fields, ", "));
    }
    std::vector<int64_t> failing = lengths->failing(), moving;
    for (const LengthAnswer &answer : answers)
      if (answer.problem.empty() && answer.relation == Relation::DataMoves)
        moving.push_back(answer.length);
    line("Lengths that fail: {}",
         failing.empty() ? "none" : spellLengths(failing));
    line("Lengths at which data have to move: {}",
         moving.empty() ? "none" : spellLengths(moving));
    line("");
  }

  /// How to learn what the log does not say.
  void writeNextDump() {
    if (error.messages.empty())
      return;
    line("A dump of the IR says what the remarks below assume. A developer "
         "build of the "
         "field\ncompiler writes it where these are set:");
    line("");
    for (std::string_view variable : kDumpVariables)
      line("  export {}", variable);
    line("");
    line("or its test driver with these options: {}", kDumpOptions);
    line("Then ask the dump, where the last part before the failure counts:");
    line("");
    line("  npu-translate --explain-npu-dump dump.mlir");
    line("");
  }

  void writeRemarks() {
    if (error.messages.empty())
      return;
    line("");
    for (const LogMessage &message : error.messages) {
      LogLines::Position place = log.lines.position(message.at);
      line("remark: {}:{}: {}", place.line, place.column, message.text);
    }
  }

  const NpuLog &log;
  const EqualFailures &kind;
  const LoggedError &error;
  const LoggedCast &cast;
  /// Null where no other lengths are asked for.
  const OtherLengths *lengths;
  const NpuLogOptions &options;
  std::string &text;
  Relation relation;
  const Placement &in;
  const Placement &expected;
  const Placement &out;
  int64_t bits;
};

} // namespace

FailureOr<std::string> explainNpuLog(StringRef text, StringRef fileName,
                                     const NpuLogOptions &options,
                                     MLIRContext *context) {
  loadCastDialects(context);
  FailureOr<NpuLog> log =
      readNpuLog(text, fileName, options, context, BesideCut::Kept);
  if (failed(log))
    return failure();
  std::vector<EqualFailures> kinds = equalFailures(*log);
  // One for each kind, where other lengths are asked for.
  std::vector<OtherLengths> lengths;
  if (!options.promptLengths.empty())
    for (const EqualFailures &kind : kinds) {
      const LoggedError &first = log->errors[kind.front()];
      Result<OtherLengths> asked =
          askOtherLengths(first, log->casts[kind.front()], options);
      if (!asked) {
        emitError(log->location(first.at)) << asked.error().message;
        return failure();
      }
      lengths.push_back(std::move(*asked));
    }
  if (options.format == OutputFormat::Json)
    return explainAsJson(*log, kinds, lengths);
  std::string words;
  std::size_t count = log->errors.size();
  if (count > 1)
    words += fmt::format("{} errors in this log{}.\n\n", count,
                         kinds.size() == count
                             ? ""
                             : fmt::format(", of {} kind{}", kinds.size(),
                                           kinds.size() == 1 ? "" : "s"));
  for (const EqualFailures &kind : kinds) {
    if (&kind != &kinds.front())
      words += fmt::format("\n{:-<80}\n\n", "");
    const OtherLengths *asked =
        lengths.empty() ? nullptr : &lengths[&kind - kinds.data()];
    Explanation(*log, kind, asked, options, words).write();
  }
  return words;
}

} // namespace npu
