// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Interfaces/OpAccess.h"
#include "AffineRanges.h"

#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;

namespace npu {

Box nothingOf(const Extents &shape) {
  return Box(std::max<size_t>(shape.size(), 1));
}

double IterationDomain::volume() const {
  if (empty)
    return 0;
  double product = 1;
  for (Range range : loops)
    product *= static_cast<double>(range.extent());
  return product;
}

IterationDomain hull(const IterationDomain &a, const IterationDomain &b) {
  if (a.empty)
    return b;
  if (b.empty)
    return a;
  IterationDomain result = a;
  for (auto [range, other] : llvm::zip_equal(result.loops, b.loops))
    range = hull(range, other);
  return result;
}

OpOperand *tiedOutput(Operation *op, unsigned number) {
  auto style = dyn_cast<DestinationStyleOpInterface>(op);
  if (!style || !isa<RankedTensorType>(op->getResult(number).getType()))
    return nullptr;
  return style.getTiedOpOperand(op->getResult(number));
}

std::optional<unsigned> tiedResult(OpOperand &operand) {
  Operation *op = operand.getOwner();
  for (unsigned number = 0; number < op->getNumResults(); ++number)
    if (tiedOutput(op, number) == &operand)
      return number;
  return std::nullopt;
}

IterationDomain OpAccess::domain() const {
  IterationDomain all;
  for (int64_t extent : loopExtents) {
    all.loops.push_back({0, extent});
    all.empty |= extent == 0;
  }
  return all;
}

SmallVector<unsigned> OpAccess::loopsRunWhole() const {
  SmallVector<unsigned> loops;
  for (unsigned loop = 0; loop < loopExtents.size(); ++loop)
    if (llvm::none_of(resultMaps, [&](const TensorMap &result) {
          return result.map && result.map.isFunctionOfDim(loop);
        }))
      loops.push_back(loop);
  return loops;
}

IterationDomain OpAccess::iterationsFor(unsigned result, const Box &box) const {
  IterationDomain iteration = domain();
  if (box.isEmpty()) {
    iteration.empty = true;
    return iteration;
  }
  if (!iteration.empty)
    iteration.empty = !narrowAround(resultMaps[result].map.getResults(), box,
                                    iteration.loops);
  return iteration;
}

Box OpAccess::imageOf(const TensorMap &map,
                      const IterationDomain &iteration) const {
  if (iteration.empty)
    return nothingOf(map.extents);
  Box box(map.extents.size());
  for (auto [dim, expr] : llvm::enumerate(map.map.getResults()))
    box[dim] =
        intersect(valuesOf(expr, iteration.loops), {0, map.extents[dim]});
  return box;
}

Box OpAccess::read(unsigned operand, const IterationDomain &iteration) const {
  const TensorMap &map = operandMaps[operand];
  return map.unread ? nothingOf(map.extents) : imageOf(map, iteration);
}

Box OpAccess::spanned(unsigned operand,
                      const IterationDomain &iteration) const {
  return imageOf(operandMaps[operand], iteration);
}

Box OpAccess::produced(unsigned result,
                       const IterationDomain &iteration) const {
  return imageOf(resultMaps[result], iteration);
}

std::optional<IterationDomain>
OpAccess::iterationsWithin(unsigned operand, const Box &box,
                           bool mayCutReductions) const {
  const TensorMap &map = operandMaps[operand];
  if (!map.map)
    return std::nullopt;
  IterationDomain iteration = domain();
  if (box.isEmpty()) {
    iteration.empty = true;
    return iteration;
  }
  if (!narrowToValues(map.map.getResults(), box, map.extents, loopExtents,
                      iteration.loops))
    return std::nullopt;
  if (!mayCutReductions)
    for (unsigned loop : reductionLoops)
      if (iteration.loops[loop] != Range{0, loopExtents[loop]})
        return std::nullopt;
  iteration.empty |= llvm::any_of(iteration.loops,
                                  [](Range range) { return range.isEmpty(); });
  return iteration;
}

std::vector<Window> OpAccess::windowsOver(unsigned operand) const {
  const TensorMap &map = operandMaps[operand];
  std::vector<Window> windows;
  if (!map.map)
    return windows;
  for (auto [dim, expr] : llvm::enumerate(map.map.getResults())) {
    std::optional<WindowForm> form = asWindow(expr, reductionLoops);
    if (!form)
      continue;
    Window window;
    window.dim = static_cast<int64_t>(dim);
    window.kernel = loopExtents[form->tap];
    window.stride = form->stride;
    window.dilation = form->dilation;
    // Positions before the first entry are the window's padding.
    window.padLo = std::max<int64_t>(-form->offset, 0);
    windows.push_back(window);
  }
  return windows;
}

} // namespace npu
