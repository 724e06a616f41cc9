// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes up functions to be padded: chains of regions over one, two or three
// loops whose extents are the prompt's length or follow from it.

#include "npu-fuzz/Bodies/RegionMaker.h"

#include "mlir/AsmParser/AsmParser.h"

#include <algorithm>

using namespace mlir;

namespace npu {
namespace {

class PromptMaker : public RegionMaker {
public:
  PromptMaker(uint64_t seed, uint64_t number)
      : RegionMaker(seed ^ 0x626f64696573, number, 8), rare(number % 9 == 7),
        atEdges(number % 9 == 4) {}

  MadeFunction run() {
    longest = between(3, 8);
    made.prompt.emplace().longest = longest;
    constant = fixed(between(1, 4));
    constexpr ElementType kTypes[] = {
        ElementType::F32,  ElementType::F32, ElementType::F32, ElementType::F32,
        ElementType::F32,  ElementType::F32, ElementType::I32, ElementType::I32,
        ElementType::I32,  ElementType::F16, ElementType::F64, ElementType::I8,
        ElementType::Bool, ElementType::I64};
    main = oneOf(kTypes);
    setTheme(main);
    // The function takes the prompt's length from its first argument, so that
    // this one is only asked for its size, or not even that.
    if (atEdges && oneIn(2))
      keepArgument();
    addArguments();
    if (atEdges && oneIn(2))
      keepArgument();
    for (int64_t steps = between(1, 4); steps > 0; --steps)
      addStep();
    unsigned last = latest();
    if (!oneIn(8) || isArgument(last))
      last = reduced(last);
    results = {last};
    auto other = static_cast<unsigned>(below(size()));
    if (oneIn(4) && other != last && !isTable(other))
      results.push_back(other);
    if (atEdges)
      addEdges();
    return done();
  }

private:
  MadeFunction done() {
    returnValues(results);
    // Where scratchpads are small, padded operations run in steps.
    if (made.prompt->isCompiled && oneIn(2)) {
      AssignTask task;
      task.device = "npu4000";
      task.scratchpadBytes = between(64, 1024);
      moduleOp()->setAttr("dlti.target_system_spec",
                          parseAttribute(describe(task), b.getContext()));
    }
    // One argument of the prompt's length is there whatever happens.
    return finish([&](unsigned value) {
      return !llvm::is_contained(kept, value) && value != firstPrompt();
    });
  }

  unsigned firstPrompt() const {
    unsigned value = 0;
    while (llvm::find(values[value].dims, kPrompt) == values[value].dims.end())
      ++value;
    return value;
  }

  Dims dims() {
    switch (below(10)) {
    case 0:
    case 1:
      return {kPrompt};
    case 6:
      return {kPrompt, constant};
    case 7:
      return {constant, kPrompt};
    case 8:
      switch (below(5)) {
      case 0:
        return {constant, kPrompt, kPrompt};
      case 1:
        return {extentOfLength(), kPrompt};
      case 2:
        return {kPrompt, extentOfLength()};
      default:
        return {extentOfLength()};
      }
    default:
      return {kPrompt, kPrompt};
    }
  }

  Dims dimsOfArgument() {
    for (;;)
      if (Dims found = dims(); !follow(found))
        return found;
  }

  /// A random extent that follows from the prompt's length.
  Extent extentOfLength() {
    Extent extents[] = {
        {Extent::Linear, longest + between(0, 9), -1},
        {Extent::Linear, 0, between(2, 5)},
        {Extent::Linear, between(1, 4), 1},
        {Extent::Quotient, between(2, 5)},
        {Extent::Remainder, between(2, 5)},
        {Extent::AtLeast, between(2, 5)},
        {Extent::AtMost, between(2, 5)},
    };
    // What is no expression of the length stays dynamic, which npu-compile
    // refuses.
    Extent extent = extents[below(atEdges ? 5 : std::size(extents))];
    extent.byAffine = oneIn(3);
    return extent;
  }

  void addArguments() {
    argument(main, dimsOfArgument());
    for (int64_t others = below(3); others > 0; --others) {
      Dims next = oneIn(4) ? Dims{constant} : dimsOfArgument();
      const ElementType types[] = {main,
                                   main,
                                   main,
                                   ElementType::F32,
                                   ElementType::I32,
                                   ElementType::Bool};
      argument(oneOf(types), next);
    }
    if (llvm::none_of(values, [](const Fact &value) {
          return llvm::is_contained(value.dims, kPrompt);
        }))
      argument(main, {kPrompt});
    if (oneIn(4))
      table(main);
  }

  /// Adds an argument that nothing has to read.
  void keepArgument() {
    Dims next = dimsOfArgument();
    if (!llvm::is_contained(next, kPrompt))
      next = {kPrompt};
    const ElementType types[] = {main, ElementType::Bool, ElementType::I64};
    kept.push_back(argument(oneOf(types), next));
  }

  /// Lets the function return arguments and concatenations on both sides, and
  /// says what is to become of it.
  void addEdges() {
    for (unsigned value = 0; value < size(); ++value)
      if (isArgument(value) && oneIn(4))
        results.push_back(value);
    for (int64_t i = below(3); i > 0; --i)
      if (concat(below(size())))
        results.push_back(latest());
    constexpr LastExtent kExtents[] = {LastExtent::Same, LastExtent::Same,
                                       LastExtent::Same, LastExtent::Longer,
                                       LastExtent::Named};
    made.prompt->lastExtent = oneOf(kExtents);
    made.prompt->isCompiled = oneIn(2);
  }

  void addStep() {
    // A value to work on: mostly the latest one.
    unsigned from = oneIn(3) ? below(size()) : latest();
    const Fact &source = values[from];
    switch (rare ? below(5) : 4) {
    case 0:
      map(main, dims(), true);
      return;
    case 1:
      takeSlice(from);
      return;
    case 2:
      putSlice(from);
      return;
    case 3:
      sumOfGuarded();
      return;
    default:
      break;
    }
    switch (below(15)) {
    case 0:
    case 1:
    case 2:
    case 12:
      masked(from);
      return;
    case 3:
    case 4:
    case 13:
    case 14:
      if (isFloat(source.type) && !source.dims.empty() && !isTable(from))
        softmaxInParts(from);
      else
        masked(from);
      return;
    case 5:
    case 6:
      constantByDetour(main, dims());
      return;
    case 7:
      map(main, {extentOfLength()});
      return;
    case 8:
      if (!source.dims.empty()) {
        reduced(from);
        return;
      }
      break;
    case 9:
      if (concat(from))
        return;
      break;
    default:
      break;
    }
    ElementType type = oneIn(8) ? ElementType::Bool : main;
    map(type, dims());
  }

protected:
  /// Gives the last of several prompt dimensions a name of its own, or adds a
  /// function that calls `main` with the prompt one entry short of the longest,
  /// and with one more in that dimension.
  void beforeText() override {
    LastExtent &how = made.prompt->lastExtent;
    func::FuncOp function = FunctionMaker::main();
    std::vector<Fact> arguments;
    int64_t prompts = 0, seen = 0;
    for (BlockArgument argument : body().getArguments()) {
      arguments.push_back(*llvm::find_if(
          values, [&](const Fact &each) { return each.value == argument; }));
      prompts += llvm::count(arguments.back().dims, kPrompt);
    }
    if (prompts < 2)
      how = LastExtent::Same;
    SmallVector<Type> given;
    for (auto [number, value] : llvm::enumerate(arguments)) {
      SmallVector<Attribute> names;
      SmallVector<int64_t> shape;
      for (const Extent &extent : value.dims) {
        bool isLast = extent == kPrompt && ++seen == prompts;
        names.push_back(b.getStringAttr(!extent.grows() ? ""
                                        : isLast        ? "P"
                                                        : "S"));
        shape.push_back(extent.at(longest - 1) + isLast);
      }
      given.push_back(RankedTensorType::get(shape, elementType(value.type)));
      if (how == LastExtent::Named)
        function.setArgAttr(number, "npu.dim_names", b.getArrayAttr(names));
    }
    if (how == LastExtent::Longer)
      addCaller(given);
  }

private:
  void addCaller(ArrayRef<Type> given) {
    OpBuilder at = OpBuilder::atBlockEnd(moduleOp().getBody());
    Location loc = at.getUnknownLoc();
    auto caller =
        func::FuncOp::create(at, loc, "caller", at.getFunctionType(given, {}));
    at.setInsertionPointToStart(caller.addEntryBlock());
    SmallVector<Value> arguments;
    for (auto [argument, type] : llvm::zip(
             caller.getArguments(), FunctionMaker::main().getArgumentTypes()))
      arguments.push_back(
          argument.getType() == type
              ? Value(argument)
              : call(at, "tensor.cast", argument, type)->getResult(0));
    func::CallOp::create(at, loc, FunctionMaker::main(), arguments);
    func::ReturnOp::create(at, loc);
  }

  /// Whether most steps are rare ones. Only a share of the cases has them.
  bool rare;
  /// Whether the function has arguments that it does not compute with, returns
  /// such, and returns concatenations; again a share of the cases alone.
  bool atEdges;
  Extent constant;
  ElementType main = ElementType::F32;
  std::vector<unsigned> results, kept;
};

} // namespace

MadeFunction randomPromptBodies(uint64_t seed, uint64_t number) {
  return PromptMaker(seed, number).run();
}

} // namespace npu
