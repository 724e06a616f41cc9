// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dump reader against brute force: the field compiler's rule beside this
// project's, runs of memory beside the entries that they stand for, one
// distribution in two spellings, verdicts of casts beside boxes of entries, and
// dumps that are broken at random.

#include "../../../lib/Translation/Dump/DumpType.h"
#include "../../../lib/Translation/Dump/FieldRule.h"
#include "../../../lib/Translation/Dump/MemoryRuns.h"

#include "npu/Placement/Plans/RedistributionPlan.h"
#include "npu/Translation/Dump/NpuDumpTranslation.h"

#include "llvm/Support/JSON.h"

#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <sstream>

namespace npu {
namespace {

using Random = std::mt19937;

int64_t upTo(Random &random, int64_t most) {
  return 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(most));
}

LoggedField numbers(std::string name, Extents values) {
  return {std::move(name), 0, {{0, values}}, ""};
}
LoggedField words(std::string name, std::string text) {
  return {std::move(name), 0, {}, std::move(text)};
}

struct Sample {
  Extents shape;
  LoggedAttribute fields;
  /// The same distribution by this project's rule.
  Distribution ours;
};

/// A distribution without alignments, over rows or columns.
Sample randomSample(Random &random) {
  Sample sample;
  sample.shape = {1, upTo(random, 20), upTo(random, 20), upTo(random, 20)};
  int64_t tiles = upTo(random, 4);
  int64_t axis = 2 + static_cast<int64_t>(random() % 2);
  const char *modes[] = {"SEGMENTED", "DUPLICATED|SEGMENTED", "OVERLAPPED"};
  const Mode ours[] = {Mode::Segmented, Mode::SegmentedDuplicated,
                       Mode::Overlapped};
  std::size_t mode = random() % 3;
  Extents grid(4, 1);
  grid[axis] = tiles;
  auto &fields = sample.fields.fields;
  fields = {words("mode", modes[mode]), numbers("num_tiles", grid),
            numbers("num_clusters", {tiles})};
  sample.ours.mode = ours[mode];
  sample.ours.tiles = grid;
  bool uniform = random() % 2;
  if (uniform)
    fields.push_back(words("uniform_distributed_segments", ""));
  sample.ours.split = uniform ? Split::Balanced : Split::Ceil;
  if (mode == 2) {
    int64_t kernel = upTo(random, 5), stride = upTo(random, 3);
    int64_t before = random() % kernel, after = random() % kernel;
    fields.push_back(numbers("kernel", {kernel, kernel}));
    fields.push_back(numbers("strides", {stride, stride}));
    fields.push_back(numbers("pads", {before, after, before, after}));
    Window window;
    window.dim = axis;
    window.kernel = kernel;
    window.stride = stride;
    window.padLo = before;
    window.padHi = after;
    sample.ours.windows = {window};
  }
  normalize(sample.ours);
  return sample;
}

TEST(FieldRule, IsThisProjectsRuleWhereNoTileIsEmpty) {
  Random random(1);
  int compared = 0;
  for (int i = 0; i < 5000; ++i) {
    Sample sample = randomSample(random);
    Result<FieldPlacement> field = placeByField(sample.fields, sample.shape);
    Result<Placement> ours = place(sample.ours, sample.shape);
    ASSERT_TRUE(static_cast<bool>(ours)) << ours.error().message;
    if (!field)
      continue;
    ++compared;
    ASSERT_EQ(field->tiles.size(), ours->tiles.size());
    for (std::size_t tile = 0; tile < field->tiles.size(); ++tile) {
      const TileBoxes &theirs = field->tiles[tile];
      EXPECT_EQ(theirs.compute, ours->computeOf(tile)) << i;
      // This project's rule joins what a window reads with what is computed.
      Box joined = theirs.memory.isEmpty()
                       ? theirs.compute
                       : hull(theirs.memory, theirs.compute);
      EXPECT_EQ(joined, ours->memoryOf(tile)) << i;
    }
  }
  EXPECT_GT(compared, 2000);
}

TEST(MemoryRuns, AreTheEntriesOfTheBox) {
  Random random(2);
  for (int i = 0; i < 3000; ++i) {
    std::size_t rank = 1 + random() % 4;
    Extents shape(rank);
    Box box(rank);
    Permutation order = identityPermutation(rank);
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t dim = 0; dim < rank; ++dim) {
      shape[dim] = upTo(random, 4);
      int64_t a = random() % (shape[dim] + 1), b = random() % (shape[dim] + 1);
      box[dim] = {std::min(a, b), std::max(a, b)};
    }
    std::set<int64_t> expected;
    int64_t volume = *checkedProduct(shape.span());
    for (int64_t place = 0; place < volume; ++place) {
      // The place in memory counts the last dimension of the order fastest.
      int64_t rest = place;
      bool inside = true;
      for (std::size_t m = rank; m-- > 0;) {
        int64_t entry = rest % shape[order[m]];
        rest /= shape[order[m]];
        const Range &range = box[order[m]];
        inside = inside && entry >= range.begin && entry < range.end;
      }
      if (inside)
        expected.insert(place);
    }
    auto runs = runsOf(box, shape, order);
    ASSERT_TRUE(runs.has_value());
    std::set<int64_t> got;
    for (const Range &run : *runs) {
      EXPECT_FALSE(run.isEmpty());
      EXPECT_FALSE(got.count(run.begin - 1)) << "runs are as long as possible";
      for (int64_t place = run.begin; place < run.end; ++place)
        EXPECT_TRUE(got.insert(place).second);
    }
    EXPECT_EQ(got, expected);
    std::vector<Range> held = {{0, volume / 2}};
    int64_t missing =
        std::count_if(expected.begin(), expected.end(),
                      [&](int64_t place) { return place >= volume / 2; });
    EXPECT_EQ(countMissing(*runs, held), missing);
  }
}

std::string spelled(const Sample &sample, const LoggedAttribute &fields) {
  DumpType type;
  type.head = "!VPU.DistributedTensor";
  type.shape = sample.shape;
  type.element = "f16";
  type.middle = "#NHWC, @CMX_NN";
  return spellType(type, fields);
}

/// The fields with the boxes instead of the rule that they come from.
LoggedAttribute withBoxes(const LoggedAttribute &fields,
                          const std::vector<TileBoxes> &tiles) {
  LoggedAttribute result;
  for (const LoggedField &field : fields.fields)
    if (field.name == "mode" || field.name == "num_tiles" ||
        field.name == "num_clusters")
      result.fields.push_back(field);
  LoggedField rows[4] = {{"compute_shapes", 0, {}, ""},
                         {"compute_offsets", 0, {}, ""},
                         {"memory_shapes", 0, {}, ""},
                         {"memory_offsets", 0, {}, ""}};
  for (const TileBoxes &tile : tiles) {
    rows[0].rows.push_back({0, tile.compute.sizes()});
    rows[1].rows.push_back({0, tile.compute.offsets()});
    rows[2].rows.push_back({0, tile.memory.sizes()});
    rows[3].rows.push_back({0, tile.memory.offsets()});
  }
  for (const LoggedField &field : rows)
    result.fields.push_back(field);
  return result;
}

constexpr const char *header =
    "#NHWC = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>\n";

llvm::json::Object explain(const std::string &dump, int64_t *bad = nullptr) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::string text;
  llvm::raw_string_ostream os(text);
  DumpOptions options;
  options.format = OutputFormat::Json;
  int64_t found = explainNpuDump(dump, "test.mlir", options, os, &context);
  if (bad)
    *bad = found;
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  EXPECT_TRUE(static_cast<bool>(value));
  return std::move(*value->getAsObject());
}

const llvm::json::Object &firstEdge(const llvm::json::Object &explained) {
  return *(*explained.getArray("functions"))[0]
              .getAsObject()
              ->getArray("edges")
              ->front()
              .getAsObject();
}

TEST(ExplainDump, RuleAndBoxesAreTheSame) {
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    Sample sample = randomSample(random);
    Result<FieldPlacement> field = placeByField(sample.fields, sample.shape);
    if (!field)
      continue;
    std::string rule = spelled(sample, sample.fields);
    std::string boxes = spelled(sample, withBoxes(sample.fields, field->tiles));
    for (auto [from, to] : {std::pair(rule, boxes), std::pair(boxes, rule)}) {
      std::string dump = fmt::format(
          "{}func.func @f(%a: {}) {{\n %b = VPU.QuantizeCast(%a) : {} -> {}\n "
          "return\n}}\n",
          header, from, from, to);
      int64_t bad = 0;
      llvm::json::Object explained = explain(dump, &bad);
      ASSERT_EQ(explained.getInteger("types_read"), 3) << dump;
      EXPECT_EQ(firstEdge(explained).getString("verdict"), "same") << dump;
      EXPECT_EQ(bad, 0);
    }
  }
}

/// What moves where one distribution is taken for another, entry by entry.
int64_t missingEntries(const Placement &have, const Placement &want) {
  int64_t missing = 0;
  for (std::size_t tile = 0; tile < want.tiles.size(); ++tile) {
    Box wanted = want.memoryOf(tile), held = have.memoryOf(tile);
    for (int64_t c = wanted[1].begin; c < wanted[1].end; ++c)
      for (int64_t h = wanted[2].begin; h < wanted[2].end; ++h)
        for (int64_t w = wanted[3].begin; w < wanted[3].end; ++w)
          missing +=
              !held.contains({wanted[0], {c, c + 1}, {h, h + 1}, {w, w + 1}});
  }
  return missing;
}

TEST(ExplainDump, VerdictsAreThoseOfTheEntries) {
  Random random(4);
  int moves = 0, others = 0;
  for (int i = 0; i < 400; ++i) {
    Sample a = randomSample(random), b = randomSample(random);
    b.shape = a.shape;
    Result<FieldPlacement> have = placeByField(a.fields, a.shape);
    Result<FieldPlacement> want = placeByField(b.fields, b.shape);
    if (!have || !want)
      continue;
    std::string dump = fmt::format(
        "{}func.func @f(%a: {}) {{\n %b = VPU.DistributedCast(%a) : {} -> {}\n "
        "return\n}}\n",
        header, spelled(a, a.fields), spelled(a, a.fields),
        spelled(b, b.fields));
    llvm::json::Object explained = explain(dump);
    const llvm::json::Object &edge = firstEdge(explained);
    int64_t missing =
        missingEntries(clipped(*have, a.shape), clipped(*want, b.shape));
    EXPECT_EQ(edge.getInteger("bytes"), 2 * missing) << dump;
    EXPECT_EQ(edge.getInteger("bytes_bound"), 2 * missing) << dump;
    EXPECT_EQ(edge.getString("verdict") == "moves", missing > 0) << dump;
    ++(missing ? moves : others);
  }
  EXPECT_GT(moves, 50);
  EXPECT_GT(others, 20);
}

std::string explainText(const std::string &dump) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::string text;
  llvm::raw_string_ostream os(text);
  explainNpuDump(dump, "test.mlir", {}, os, &context);
  // Lines end where a terminal's do, and go on further in.
  std::string joined;
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::size_t next = text.find_first_not_of(' ', at + 1);
    if (text[at] == '\n' && next != std::string::npos && next - at > 9) {
      joined += ' ';
      at = next - 1;
    } else {
      joined += text[at];
    }
  }
  return joined;
}

/// What stands after `words` on its line; "" where they do not occur.
std::string textAfter(const std::string &text, const std::string &words) {
  std::size_t at = text.find(words);
  if (at == std::string::npos)
    return "";
  at += words.size();
  return text.substr(at, text.find('\n', at) - at);
}

TEST(ExplainDump, PastedRepairsAgree) {
  Random random(6);
  constexpr const char *orders[] = {"(d0, d1, d2, d3)", "(d0, d2, d3, d1)",
                                    "(d0, d3, d1, d2)", "(d0, d1, d3, d2)"};
  int replaced = 0, relabelled = 0;
  for (int i = 0; i < 1500; ++i) {
    Sample from = randomSample(random), to = randomSample(random);
    if (i % 2)
      to.fields.fields.resize(3),
          from.fields = to.fields,
          from.fields.fields[0].words =
              i % 4 == 1 ? "SEGMENTED" : "DUPLICATED|SEGMENTED";
    // A cast from NHWC to another order of the same memory.
    std::string order = orders[random() % 4];
    std::string map = "affine_map<(d0, d1, d2, d3) -> " + order + ">";
    Permutation out = {order[2] - '0', order[6] - '0', order[10] - '0',
                       order[14] - '0'};
    Permutation dims = castDimensions({0, 2, 3, 1}, {}, out);
    to.shape = permute(from.shape, dims);
    std::string a = spelled(from, from.fields);
    std::string b = spelled(to, to.fields);
    b.replace(b.find("#NHWC"), 5, map);
    auto dump = [&](const std::string &given, const std::string &more) {
      return fmt::format(
          "{}func.func @f(%a: {}) {{\n %{} = VPU.PermuteCast(%a) "
          "{{dst_order = {}, mem_perm = affine_map<(d0, d1, d2, "
          "d3) -> (d0, d1, d2, d3)>}} : {} -> {}\n {}\n "
          "return\n}}\n",
          header, a, more.empty() ? "b" : "b_made", map, a, given, more);
    };
    std::string said = explainText(dump(b, ""));
    std::string made = textAfter(said, "give %b_made : ");
    std::string cast = textAfter(said, "       %b = VPU.DistributedCast");
    int64_t bad = 0;
    if (!made.empty()) {
      ++replaced;
      llvm::json::Object explained = explain(dump(made, ""), &bad);
      EXPECT_EQ(bad, 0) << said;
      EXPECT_EQ(explained.getInteger("types"),
                explained.getInteger("types_read"));
      EXPECT_EQ(firstEdge(explained).getString("verdict"), "same") << said;
    }
    if (!cast.empty()) {
      ++relabelled;
      explain(dump(made, "%b = VPU.DistributedCast" + cast), &bad);
      EXPECT_EQ(bad, 0) << said;
    }
  }
  EXPECT_GT(replaced, 100);
  EXPECT_GT(relabelled, 10);
}

std::string readFile(const std::string &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(ExplainDump, ReadsWhatIsBroken) {
  Random random(5);
  std::string whole =
      readFile(std::string(NPU_EXAMPLES_DIR) + "/field-dump.mlir");
  ASSERT_FALSE(whole.empty());
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.getDiagEngine().registerHandler(
      [](mlir::Diagnostic &) { return mlir::success(); });
  for (int i = 0; i < 500; ++i) {
    std::string text = whole;
    for (int change = 0; change < 3; ++change) {
      std::size_t at = random() % text.size();
      std::size_t length =
          std::min<std::size_t>(random() % 20, text.size() - at);
      switch (random() % 4) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, text.substr(random() % text.size(), length));
        break;
      case 2:
        text[at] = "<>{}()[]%!#@,:=x\n"[random() % 17];
        break;
      default:
        text.resize(at + 1);
      }
    }
    std::string words;
    llvm::raw_string_ostream os(words);
    DumpOptions options;
    options.all = true;
    explainNpuDump(text, "broken.mlir", options, os, &context);
    EXPECT_TRUE(static_cast<bool>(importNpuDump(text, "broken.mlir", &context)))
        << text;
  }
}

} // namespace
} // namespace npu
