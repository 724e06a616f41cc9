// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Execution/Compare/Decode.h"

#include "DecodePlan.h"
#include "DecodeState.h"
#include "ReportResults.h"
#include "npu/Artefact/CacheCapacity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

using namespace mlir;

namespace npu {
namespace {

/// The number of the result with the logits: the one of that name, or else the
/// first of floats that continues no cache.
std::optional<size_t> logitsOf(const ArtefactHeader &header) {
  std::optional<size_t> first;
  for (auto [number, result] : llvm::enumerate(header.results)) {
    if (result.name == "logits")
      return number;
    bool isCache = llvm::any_of(header.caches, [&](const ArtefactCache &each) {
      return each.result == static_cast<int64_t>(number);
    });
    if (!first && !isCache && isFloat(result.spec.type) &&
        !result.spec.shape.empty())
      first = number;
  }
  return first;
}

/// The numbers of the largest entries in the last row of each sequence: the
/// first of equal ones, and a NaN only where there is nothing else.
std::vector<int64_t> largestOfLastRows(const HostTensor &logits) {
  const std::vector<int64_t> &shape = logits.spec.shape;
  int64_t words = shape.back(),
          rows = shape.size() > 1 ? shape[shape.size() - 2] : 1,
          sequences = shape.size() > 2 ? shape.front() : 1;
  std::vector<int64_t> chosen;
  int64_t ofSequence = logits.spec.elements() / std::max<int64_t>(sequences, 1);
  for (int64_t sequence = 0; sequence < sequences && rows > 0; ++sequence) {
    int64_t begin = (sequence + 1) * ofSequence - words, best = 0;
    double most = std::numeric_limits<double>::quiet_NaN();
    for (int64_t word = 0; word < words; ++word)
      if (double value = valueAt(logits, begin + word);
          value > most || (std::isnan(most) && !std::isnan(value))) {
        best = word;
        most = value;
      }
    chosen.push_back(best);
  }
  return chosen;
}

class Decoder {
public:
  Decoder(ArtefactHeader header, DecodePlan plan, const RunOptions &options,
          const DecodeOptions &decode, llvm::raw_ostream &out)
      : header(std::move(header)), plan(std::move(plan)), options(options),
        decode(decode), out(out) {}

  /// Reads the state, says what runs, and refuses what does not fit.
  LogicalResult prepare(const std::string &file);

  /// The prompt lengths of the runs of the reference, which is compiled for
  /// all of them.
  PromptLengths lengthsOfReference(bool isCompared) const;

  LogicalResult run(Sides &sides);

private:
  size_t inputs() const { return plan.uses.size(); }
  int64_t total() const { return begin.position + newRows; }
  /// Whether the reference gets all rows and no cache.
  bool isStateless() const { return plan.rows.has_value(); }

  LogicalResult readRows();
  LogicalResult setWords(int64_t position, ArrayRef<int64_t> words);
  std::vector<HostTensor> makeArguments(DecodeRun run, DecodeState &state,
                                        bool isReference);
  HostTensor makeInput(size_t input, DecodeRun run);
  Outcome compare(DecodeRun run, const std::vector<HostTensor> &results,
                  const DecodeState &state,
                  const std::vector<HostTensor> &expected);
  LogicalResult runOnce(Sides &sides, DecodeRun run, DecodeState &state,
                        DecodeState &other);

  ArtefactHeader header;
  DecodePlan plan;
  const RunOptions &options;
  const DecodeOptions &decode;
  llvm::raw_ostream &out;
  /// The state that every repetition begins with.
  DecodeState begin;
  std::vector<DecodeRun> runs;
  size_t promptRuns = 0;
  int64_t newRows = 0;
  /// The inputs as they were read or generated, those of rows with all of them.
  std::vector<HostTensor> whole;
  std::optional<size_t> logits;
  Outcome worst = Outcome::Equal;
  int64_t different = 0;
};

LogicalResult Decoder::prepare(const std::string &file) {
  auto fail = [&](const std::string &message) {
    return failRun(file + ": " + message);
  };
  begin = DecodeState::empty(header);
  if (!decode.loadState.empty()) {
    auto loaded = DecodeState::load(decode.loadState, header);
    if (!loaded)
      return failRun(loaded.error().message);
    begin = std::move(*loaded);
  }
  int64_t rowsOfPrompt = static_cast<int64_t>(decode.prompt.size());
  if (!options.lengths.names.empty() || options.lengths.runs.size() > 1)
    return failRun("--length: expected the number of the prompt's rows with "
                   "--steps, which follows the lengths of all prompts from it");
  if (decode.prompt.empty() && !options.lengths.empty())
    rowsOfPrompt = options.lengths.runs.front().front();
  if (rowsOfPrompt == 0 && begin.position == 0)
    return fail("expected a prompt: --prompt=IDS, or --length=N for one of N "
                "rows that are read or generated");
  if (rowsOfPrompt == 0 && decode.steps == 0)
    return fail("expected a prompt or --steps of at least 1: there is nothing "
                "to run");
  int64_t rowsOfStep = isStateless() ? 1 : plan.rowsOfRun;
  if (rowsOfPrompt % rowsOfStep != 0)
    return fail(fmt::format("expected a prompt of a multiple of {} rows, which "
                            "every run adds, got {}",
                            rowsOfStep, rowsOfPrompt));
  int64_t room = plan.capacity - begin.position;
  if (decode.steps > room / rowsOfStep ||
      !fitsCache(begin.position, rowsOfPrompt + decode.steps * rowsOfStep,
                 plan.capacity))
    return fail(fmt::format(
        "expected at most {} positions, the capacity of {}, got {} in the "
        "state, {} of the prompt and {} steps of {}{}",
        plan.capacity, nameOf(header.caches.front(), header), begin.position,
        rowsOfPrompt, decode.steps, rowsOfStep,
        plan.past ? " (npu-compile --max-prompt-len=N makes room for N)" : ""));
  int64_t position = begin.position;
  auto add = [&](int64_t rows) {
    runs.push_back({position, rows});
    position += rows;
  };
  while (position < begin.position + rowsOfPrompt)
    add(std::min(plan.mostRows, begin.position + rowsOfPrompt - position));
  promptRuns = runs.size();
  for (int64_t step = 0; step < decode.steps; ++step)
    add(rowsOfStep);
  newRows = position - begin.position;
  logits = logitsOf(header);
  bool hasWords = llvm::is_contained(plan.uses, InputUse::Words);
  if (!decode.prompt.empty() && !hasWords)
    return fail("--prompt: expected an artefact with an input 'input_ids'");
  if (decode.isGreedy && (!hasWords || !logits || rowsOfStep != 1))
    return fail("--sample=greedy: expected an artefact with an input "
                "'input_ids', of which a step takes one, and a result "
                "'logits'");
  if (decode.isGreedy && promptRuns == 0 && begin.next.empty())
    return fail("--sample=greedy: expected a prompt, or a state of which "
                "greedy sampling has chosen the next word");
  return readRows();
}

/// Reads or generates the new rows, after those of the state.
LogicalResult Decoder::readRows() {
  std::vector<TensorSpec> specs;
  std::vector<InputRole> roles;
  DecodeRun added{0, newRows}, all{begin.position, newRows};
  for (size_t input = 0; input < inputs(); ++input) {
    specs.push_back({header.inputs[input].spec.type,
                     plan.shapeOf(header, input, added, /*whole=*/true)});
    roles.push_back(header.inputs[input].role);
  }
  auto made = makeInputs(specs, roles, options);
  if (failed(made))
    return failure();
  for (size_t input = 0; input < inputs(); ++input) {
    TensorSpec spec = specs[input];
    spec.shape = plan.shapeOf(header, input, all, /*whole=*/true);
    HostTensor &tensor = whole.emplace_back(spec);
    std::vector<int64_t> offsets(spec.shape.size(), 0);
    for (size_t dim = 0; dim < offsets.size(); ++dim)
      offsets[dim] = spec.shape[dim] - specs[input].shape[dim];
    putInto(tensor, offsets, (*made)[input]);
    auto known = begin.rows.find(static_cast<int64_t>(input));
    if (known != begin.rows.end())
      copyCommon(known->second, tensor);
    if (plan.uses[input] == InputUse::Cache && !options.inputFiles.empty() &&
        decode.loadState.empty())
      for (auto [cache, state] : llvm::zip_equal(header.caches, begin.caches))
        if (cache.input == static_cast<int64_t>(input))
          copyCommon((*made)[input], state);
  }
  if (!decode.prompt.empty())
    for (auto [number, word] : llvm::enumerate(decode.prompt))
      if (failed(
              setWords(begin.position + static_cast<int64_t>(number), {word})))
        return failure();
  return success();
}

/// Makes these the words at a position: one for each sequence, or one for all.
LogicalResult Decoder::setWords(int64_t position, ArrayRef<int64_t> words) {
  for (size_t input = 0; input < inputs(); ++input) {
    if (plan.uses[input] != InputUse::Words)
      continue;
    HostTensor &tensor = whole[input];
    int64_t rows = tensor.spec.shape.back(),
            sequences = tensor.spec.elements() / std::max<int64_t>(rows, 1);
    for (int64_t sequence = 0; sequence < sequences; ++sequence) {
      int64_t word = words.size() == 1
                         ? words.front()
                         : words[std::min<size_t>(sequence, words.size() - 1)];
      setBitsAt(tensor, sequence * rows + position,
                static_cast<uint64_t>(word));
      if (static_cast<int64_t>(valueAt(tensor, sequence * rows + position)) !=
          word)
        return failRun(fmt::format("--prompt: expected a word that {} can be, "
                                   "got {}",
                                   nameOf(tensor.spec.type), word));
    }
  }
  return success();
}

HostTensor Decoder::makeInput(size_t input, DecodeRun run) {
  TensorSpec spec{header.inputs[input].spec.type,
                  plan.shapeOf(header, input, run)};
  auto filled = [&](auto valueOf) {
    HostTensor made(spec);
    for (int64_t i = 0; i < spec.elements(); ++i)
      setBitsAt(made, i, static_cast<uint64_t>(valueOf(i)));
    return made;
  };
  switch (plan.uses[input]) {
  case InputUse::Positions:
    return filled([&](int64_t i) {
      int64_t rows = spec.shape.empty() ? 1 : spec.shape.back();
      return run.position + i % std::max<int64_t>(rows, 1);
    });
  case InputUse::Mask:
    return filled([&](int64_t i) {
      // A mask of static shape has 0 for positions that are still empty.
      int64_t extent = spec.shape.empty() ? 1 : spec.shape.back();
      return i % extent < run.end() ||
                     plan.hasRows(header, input,
                                  static_cast<int64_t>(spec.shape.size()) - 1)
                 ? 1
                 : 0;
    });
  case InputUse::Past:
    return filled([&](int64_t) { return run.position; });
  case InputUse::Last:
    return filled([&](int64_t) { return run.end() - 1; });
  case InputUse::Total:
    return filled([&](int64_t) { return run.end(); });
  case InputUse::Words:
  case InputUse::Rows:
    return sliceOf(whole[input], plan.offsetsOf(header, input, run),
                   spec.shape);
  case InputUse::Cache:
  case InputUse::Whole:
    return clone(whole[input]);
  }
  llvm_unreachable("every use is handled");
}

/// The arguments of a run. The caches are taken out of `state`, unless the
/// reference, which gets copies, runs.
std::vector<HostTensor>
Decoder::makeArguments(DecodeRun run, DecodeState &state, bool isReference) {
  std::vector<HostTensor> arguments;
  for (size_t input = 0; input < inputs(); ++input) {
    const TensorSpec &spec = header.inputs[input].spec;
    if (plan.uses[input] == InputUse::Cache) {
      for (auto [cache, tensor] : llvm::zip_equal(header.caches, state.caches))
        if (cache.input == static_cast<int64_t>(input))
          arguments.push_back(isReference ? clone(tensor) : std::move(tensor));
      continue;
    }
    HostTensor made = makeInput(input, run);
    arguments.push_back(made.spec == spec ? std::move(made)
                                          : resized(made, spec));
  }
  for (int64_t length : plan.lengths(header, run)) {
    HostTensor &argument =
        arguments.emplace_back(header.inputs[arguments.size()].spec);
    setBitsAt(argument, 0, static_cast<uint64_t>(length));
  }
  return arguments;
}

/// Compares what a run has computed with the last rows of what the reference
/// has, and the caches with its caches.
Outcome Decoder::compare(DecodeRun run, const std::vector<HostTensor> &results,
                         const DecodeState &state,
                         const std::vector<HostTensor> &expected) {
  Outcome outcome = Outcome::Equal;
  for (size_t number = 0; number < expected.size(); ++number) {
    const HostTensor *got = &results[number];
    HostTensor want = clone(expected[number]);
    std::optional<HostTensor> real;
    for (auto [cache, tensor] : llvm::zip_equal(header.caches, state.caches)) {
      if (cache.result != static_cast<int64_t>(number))
        continue;
      TensorSpec spec = want.spec;
      spec.shape[cache.dimension] = run.end();
      want = resized(want, spec);
      real = resized(tensor, spec);
      got = &*real;
    }
    std::vector<int64_t> offsets;
    bool isPart = true;
    for (auto [all, part] : llvm::zip_equal(want.spec.shape, got->spec.shape)) {
      offsets.push_back(all - part);
      isPart &= all >= part;
    }
    if (!isPart) {
      out << fmt::format("  result #{}: expected {}, got {}\n", number,
                         toString(want.spec), toString(got->spec));
      outcome = Outcome::Different;
      continue;
    }
    if (want.spec != got->spec)
      want = sliceOf(want, offsets, got->spec.shape);
    Comparison comparison = compareTensors(want, *got, options.tolerance);
    outcome = std::max(outcome, outcomeOf(comparison));
    if (!comparison.first)
      continue;
    out << fmt::format(
        "  result #{} {}: {} of {} elements different, max absolute "
        "difference {:.3g}, first at [{}]: expected {}, got {}\n",
        number, toString(got->spec), comparison.different, comparison.elements,
        comparison.maxAbsolute,
        fmt::join(coordinatesOf(got->spec, *comparison.first), ", "),
        elementToString(want, *comparison.first),
        elementToString(*got, *comparison.first));
  }
  return outcome;
}

LogicalResult Decoder::runOnce(Sides &sides, DecodeRun run, DecodeState &state,
                               DecodeState &other) {
  auto results = sides.own.function->runInPlace(
      makeArguments(run, state, /*isReference=*/false));
  if (failed(results))
    return failure();
  ++sides.own.runs;
  // The caches go back into the state; the other results are compared.
  for (auto [cache, tensor] : llvm::zip_equal(header.caches, state.caches)) {
    HostTensor &result = (*results)[*cache.result];
    tensor = cache.isInPlace ? std::move(result)
                             : resized(result, header.inputs[cache.input].spec);
  }
  state.position = run.end();
  if (logits)
    state.next = largestOfLastRows((*results)[*logits]);
  if (!sides.reference)
    return success();
  // What a cache of static shape holds at first is known of no loaded state.
  DecodeState none =
      begin.position == 0 ? begin.copy() : DecodeState::empty(header);
  DecodeRun asked = isStateless() ? DecodeRun{0, run.end()} : run;
  auto expected = sides.reference.function->run(
      makeArguments(asked, isStateless() ? none : other, /*isReference=*/true));
  if (failed(expected))
    return failure();
  ++sides.reference.runs;
  Outcome outcome = compare(run, *results, state, *expected);
  worst = std::max(worst, outcome);
  different += outcome == Outcome::Different;
  if (!isStateless())
    for (auto [cache, tensor] : llvm::zip_equal(header.caches, other.caches))
      tensor =
          resized((*expected)[*cache.result], header.inputs[cache.input].spec);
  return success();
}

LogicalResult Decoder::run(Sides &sides) {
  for (unsigned repetition = 0; repetition < options.repeat; ++repetition) {
    DecodeState state = begin.copy(), other = begin.copy();
    std::vector<int64_t> words;
    worst = Outcome::Equal;
    different = 0;
    for (auto [number, run] : llvm::enumerate(runs)) {
      bool isStep = number >= promptRuns;
      if (isStep && decode.isGreedy) {
        if (state.next.empty())
          return failRun("--sample=greedy: expected logits of at least one "
                         "sequence, got none");
        words.push_back(state.next.front());
        if (failed(setWords(run.position, state.next)))
          return failure();
      }
      if (failed(runOnce(sides, run, state, other)))
        return failure();
      out << (isStep ? fmt::format("step {}", number - promptRuns + 1)
                     : std::string("prompt"))
          << fmt::format(": {} {} at position {}", run.rows,
                         run.rows == 1 ? "row" : "rows", run.position)
          << (isStep && decode.isGreedy ? fmt::format(", word {}", words.back())
                                        : std::string())
          << "\n";
    }
    if (decode.isGreedy && !state.next.empty()) {
      words.push_back(state.next.front());
      out << fmt::format("words: {}\n", fmt::join(words, " "));
    }
    out << fmt::format("state: {} of {} positions\n", state.position,
                       plan.capacity);
    if (repetition + 1 < options.repeat)
      continue;
    if (!decode.saveState.empty()) {
      for (size_t input = 0; input < inputs(); ++input)
        if (plan.uses[input] == InputUse::Rows ||
            plan.uses[input] == InputUse::Words)
          state.rows.emplace(input, clone(whole[input]));
      if (Result<> saved = state.save(decode.saveState, header); !saved)
        return failRun("--save-state: " + saved.error().message);
    }
  }
  if (!sides.reference)
    return success();
  out << fmt::format("{} runs, {} different\n", runs.size(), different);
  out << (worst == Outcome::Equal     ? "equal\n"
          : worst == Outcome::Allowed ? "equal within what is allowed\n"
                                      : "different\n");
  return success(worst == Outcome::Equal || worst == Outcome::Allowed);
}

PromptLengths Decoder::lengthsOfReference(bool isCompared) const {
  PromptLengths lengths;
  if (header.prompts.empty())
    return lengths;
  for (const std::string &name : header.prompts)
    if (!name.empty())
      lengths.names.push_back(name);
  lengths.hasOthers = header.prompts.front().empty();
  for (const DecodeRun &run : runs) {
    DecodeRun asked =
        isStateless() && isCompared ? DecodeRun{0, run.end()} : run;
    LengthsOfRun ofNames{1};
    for (auto [name, length] :
         llvm::zip_equal(header.prompts, plan.lengths(header, asked))) {
      if (name.empty())
        ofNames.front() = length;
      else
        ofNames.push_back(length);
    }
    lengths.runs.push_back(std::move(ofNames));
  }
  return lengths;
}

} // namespace

LogicalResult decodeArtefact(Artefact artefact, const std::string &file,
                             OwningOpRef<ModuleOp> reference,
                             MLIRContext &context, const RunOptions &asked,
                             const DecodeOptions &decode,
                             llvm::raw_ostream &out) {
  auto plan = DecodePlan::of(artefact.header);
  if (!plan)
    return failRun(file + ": " + plan.error().message);
  Decoder decoder(artefact.header, std::move(*plan), asked, decode, out);
  if (failed(decoder.prepare(file)))
    return failure();
  RunOptions options = asked;
  options.lengths = decoder.lengthsOfReference(static_cast<bool>(reference));
  FailureOr<Sides> sides = prepareArtefact(
      std::move(artefact), file, std::move(reference), context, options);
  if (failed(sides) || failed(compileSides(*sides, options)))
    return failure();
  return decoder.run(*sides);
}

} // namespace npu
