// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A union-find whose links have lengths: it has one node for every dimension of
// every value, and one for every loop of an operation.

#include "TilePositions.h"
#include "TileLoops.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/Interfaces/RematerializableOpInterface.h"

#include "npu/Analysis/Access/WrittenParts.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Interfaces/LinearForm.h"
#include "npu/TileProgram/TileProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;

namespace npu {
namespace {

/// Whether `value` is a tensor with elements; the position of an empty tensor
/// does not matter.
bool hasElements(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getNumElements() > 0;
}

bool isOfTile(Operation *op) { return op->hasAttr(tileAttrName); }

bool isOneByOne(Operation *op) {
  auto model = modelOf<PartwiseOpInterface>(op);
  return (model && model.partsBeginTogether()) || isTensorCast(op);
}

/// Whether `op` computes equal elements from equal operands, independent of
/// their positions.
bool computesAlike(Operation *op) {
  if (viewedTensor(op))
    return true;
  // An insertion into another tensor than an unwritten one does not.
  if (Value into = writtenOver(op))
    return isUnwritten(into);
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return !structured.hasIndexSemantics();
  return isOneByOne(op);
}

LogicalResult reportUnlike(Operation *op) {
  return mlir::emitError(op->getLoc())
         << "'" << op->getName()
         << "' uses parts that begin at different indices of their tensors as "
            "if they began at one ('"
         << beginAttrName << "' says where a new tensor's part begins, '"
         << offsetAttrName << "' where one begins in another)";
}

} // namespace

unsigned TilePositions::addDimension() {
  auto number = static_cast<unsigned>(links.size());
  links.push_back({number, 0});
  positions.emplace_back();
  return number;
}

unsigned TilePositions::numberOf(Value value, unsigned dim) {
  auto [it, isNew] = numbers.try_emplace({value, dim});
  if (isNew)
    it->second = addDimension();
  return it->second;
}

TilePositions::Link TilePositions::find(unsigned dim) {
  Link link{dim, 0};
  while (links[link.to].to != link.to)
    link = {links[link.to].to, link.distance + links[link.to].distance};
  // Compress the path.
  for (int64_t after = link.distance; links[dim].to != dim;) {
    Link next = links[dim];
    links[dim] = {link.to, after};
    after -= next.distance;
    dim = next.to;
  }
  return link;
}

bool TilePositions::relate(unsigned a, unsigned b, int64_t distance) {
  Link toA = find(a), toB = find(b);
  // The distance from the class of b to the class of a.
  int64_t after = distance + toB.distance - toA.distance;
  if (toA.to == toB.to)
    return after == 0;
  std::optional<int64_t> &known = positions[toB.to], &moved = positions[toA.to];
  if (known && moved && *moved != *known + after)
    return false;
  if (moved && !known)
    known = *moved - after;
  links[toA.to] = {toB.to, after};
  return true;
}

bool TilePositions::relate(Value a, unsigned dimOfA, Value b, unsigned dimOfB,
                           int64_t distance) {
  if (isAnyPart(a) || isAnyPart(b))
    return true;
  return relate(numberOf(a, dimOfA), numberOf(b, dimOfB), distance);
}

bool TilePositions::beginTogether(Value a, Value b) {
  auto type = dyn_cast<RankedTensorType>(a.getType());
  auto other = dyn_cast<RankedTensorType>(b.getType());
  if (!type || !other || type.getRank() != other.getRank())
    return true;
  bool agree = true;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    agree &= relate(a, dim, b, dim, 0);
  return agree;
}

bool TilePositions::begins(Value value, ArrayRef<int64_t> begin) {
  if (isAnyPart(value))
    return true;
  bool agree = true;
  for (auto [dim, at] : llvm::enumerate(begin))
    agree &= set(numberOf(value, dim), at);
  return agree;
}

bool TilePositions::set(unsigned dim, int64_t at) {
  Link link = find(dim);
  std::optional<int64_t> &position = positions[link.to];
  if (!position)
    position = at - link.distance;
  return *position + link.distance == at;
}

std::optional<int64_t> TilePositions::positionOf(unsigned dim) {
  Link link = find(dim);
  if (!positions[link.to])
    return std::nullopt;
  return *positions[link.to] + link.distance;
}

bool TilePositions::relate(unsigned a, Sum sum, Operation *op) {
  llvm::erase_if(sum.terms, [](auto term) { return term.second == 0; });
  if (sum.terms.empty())
    return set(a, sum.offset);
  if (sum.terms.size() == 1 && sum.terms.front().second == 1)
    return relate(a, sum.terms.front().first, sum.offset);
  equations.push_back({a, std::move(sum), op});
  return true;
}

SmallVector<int64_t> TilePositions::beginOf(Value value,
                                            ArrayRef<int64_t> otherwise) {
  SmallVector<int64_t> begin(otherwise);
  for (auto [dim, at] : llvm::enumerate(begin)) {
    Link link = find(numberOf(value, dim));
    if (positions[link.to])
      at = *positions[link.to] + link.distance;
  }
  return begin;
}

bool TilePositions::isAnyPart(Value value) {
  if (!hasElements(value))
    return true;
  auto [it, isNew] = alike.try_emplace(value, false);
  if (!isNew)
    return it->second;
  Operation *op = value.getDefiningOp();
  if (!op || op->hasAttr(beginAttrName))
    return false;
  bool any = isMadeAnywhere(value);
  if (!any && computesAlike(op))
    any = llvm::all_of(op->getOperands(), [&](Value operand) {
      return !isa<TensorType>(operand.getType()) || isAnyPart(operand);
    });
  return alike[value] = any;
}

/// Relates the operands of an operation through its loops: dimensions that are
/// read at the same plain loop begin where the loop does. Offsets in the maps
/// do not count, because the maps are in the tile's own coordinates. A loop
/// that no result has reduces all of its range on every tile, so that it begins
/// at 0.
bool TilePositions::readLoops(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured) {
    Value result = op->getResult(0);
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return beginTogether(operand, result);
    });
  }
  SmallVector<unsigned> loops;
  for (unsigned i = 0; i < structured.getNumLoops(); ++i)
    loops.push_back(addDimension());
  bool agree = true;
  auto readMap = [&](Value value, AffineMap map) {
    if (isAnyPart(value))
      return;
    for (auto [dim, index] : llvm::enumerate(map.getResults())) {
      std::optional<LinearForm> form = asLinearForm(index);
      if (!form)
        continue;
      Sum sum;
      sum.offset = -form->offset;
      for (auto [loop, factor] : form->factors)
        sum.terms.push_back({loops[loop], factor});
      agree &= relate(numberOf(value, dim), std::move(sum), op);
    }
  };
  if (std::optional<OpAccess> access = OpAccess::get(op))
    for (unsigned loop : access->loopsRunWhole())
      agree &= set(loops[loop], 0);
  for (OpOperand &operand : op->getOpOperands())
    readMap(operand.get(), structured.getMatchingIndexingMap(&operand));
  for (OpResult result : op->getResults())
    readMap(result, structured.getIndexingMapMatchingResult(result));
  return agree;
}

/// A loop or a branch hands its values on at the same position.
bool TilePositions::readHandedOn(Value value) {
  return llvm::all_of(handedOnAs(value), [&](Value before) {
    return beginTogether(value, before);
  });
}

bool TilePositions::readOperation(Operation *op) {
  bool handedOn = true;
  for (Region &region : op->getRegions())
    for (BlockArgument argument : region.getArguments())
      handedOn &= readHandedOn(argument);
  for (Block *block : op->getSuccessors())
    for (BlockArgument argument : block->getArguments())
      handedOn &= readHandedOn(argument);
  if (isa<RegionBranchOpInterface>(op))
    return llvm::all_of(op->getResults(),
                        [&](Value result) { return readHandedOn(result); }) &&
           handedOn;
  if (!handedOn)
    return false;
  if (!isOfTile(op) || op->getNumResults() == 0 ||
      !llvm::all_of(op->getResults(), hasElements))
    return true;
  if (auto begin = op->getAttrOfType<DenseI64ArrayAttr>(beginAttrName)) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (op->getNumResults() != 1 || begin.size() != type.getRank() ||
        !begins(op->getResult(0), begin))
      return false;
  }
  if (!hasOffsetOfOthers(op))
    return false;
  if (isa<linalg::LinalgOp>(op) || isOneByOne(op))
    return readLoops(op);
  if (isa<PermuteCastOp>(op))
    return readRename(op);
  if (auto convert = dyn_cast<ConvertStorageOp>(op))
    return readConversion(convert);
  if (isa<OffsetSizeAndStrideOpInterface>(op))
    return writtenOver(op) ? readInsertion(op) : readSlice(op);
  if (reassociationOf(op))
    return readReshape(op);
  return true;
}

namespace {

/// The attribute of a slice or an insertion that says where the other tensor
/// begins; nothing where the attribute has another form.
std::optional<SmallVector<int64_t>> wholeOffset(Operation *op, int64_t rank) {
  Attribute attr = op->getAttr(offsetAttrName);
  if (!attr)
    return SmallVector<int64_t>(rank, 0);
  if (std::optional<ModelSlice> slice = modelSliceOf(op))
    return llvm::to_vector(slice->offsets);
  auto offset = dyn_cast<DenseI64ArrayAttr>(attr);
  if (!offset || offset.size() != rank)
    return std::nullopt;
  return llvm::to_vector(offset.asArrayRef());
}

} // namespace

/// Whether only a run knows where a slice begins in a dimension of its source.
static bool isAnywhere(Operation *slice, unsigned dim) {
  return cast<OffsetSizeAndStrideOpInterface>(slice).isDynamicOffset(dim);
}

bool TilePositions::hasOffsetOfOthers(Operation *op) {
  Attribute of = op->getAttr(ofAttrName);
  auto offset = op->getAttrOfType<DenseI64ArrayAttr>(offsetAttrName);
  if (!of || !offset)
    return !of;
  SmallVector<int64_t> distance(offset.asArrayRef());
  // An insertion says where what it puts begins in the result; a slice, and the
  // view that stands for either where a tile takes or puts a whole part, says
  // where the result begins in what it is taken from.
  if (writtenOver(op))
    for (int64_t &at : distance)
      at = -at;
  auto [it, isNew] = offsets.try_emplace(of, distance);
  return isNew || it->second == distance;
}

bool TilePositions::readSlice(Operation *slice) {
  Value source = slice->getOperand(0), result = slice->getResult(0);
  auto whole =
      wholeOffset(slice, cast<RankedTensorType>(source.getType()).getRank());
  if (!whole)
    return false;
  std::optional<OpAccess> access = OpAccess::get(slice);
  if (!access || isAnyPart(source) || isAnyPart(result))
    return true;
  bool agree = true;
  for (auto [dim, at] : llvm::enumerate(access->mapOf(0).getResults())) {
    std::optional<LinearForm> form = asLinearForm(at);
    // The result does not have this dimension, or a run alone knows where the
    // slice begins in it.
    if (!form || form->factors.empty() || isAnywhere(slice, dim))
      continue;
    Sum sum;
    sum.offset = (*whole)[dim] - form->offset;
    for (auto [resultDim, stride] : form->factors)
      sum.terms.push_back({numberOf(result, resultDim), stride});
    agree &= relate(numberOf(source, dim), std::move(sum), slice);
  }
  return agree;
}

/// An entry of the tensor with fewer dimensions is as many entries after its
/// first one as the other tensor has in front of it: the index in each
/// dimension of a group, times the extents of the dimensions after.
bool TilePositions::readReshape(Operation *reshape) {
  Reassociation shapes = *reassociationOf(reshape);
  Value source = reshape->getOperand(0), result = reshape->getResult(0);
  if (isAnyPart(source) || isAnyPart(result))
    return true;
  Value coarse = shapes.refines ? source : result,
        fine = shapes.refines ? result : source;
  ArrayRef<int64_t> extents = cast<RankedTensorType>(fine.getType()).getShape();
  if (auto whole = reshape->getAttrOfType<DenseI64ArrayAttr>(extentsAttrName))
    extents = whole;
  bool agree = true;
  for (auto [dim, group] : llvm::enumerate(shapes.groups)) {
    Sum sum;
    int64_t inner = 1;
    for (int64_t each : llvm::reverse(group)) {
      sum.terms.push_back({numberOf(fine, each), inner});
      if (llvm::MulOverflow(inner, extents[each], inner))
        return false;
    }
    agree &= relate(numberOf(coarse, dim), std::move(sum), reshape);
  }
  return agree;
}

bool TilePositions::readRename(Operation *op) {
  Value source = op->getOperand(0), result = op->getResult(0);
  auto type = cast<RankedTensorType>(source.getType());
  auto whole = wholeOffset(op, type.getRank());
  if (!whole || type != result.getType())
    return false;
  bool agree = true;
  for (auto [dim, at] : llvm::enumerate(*whole))
    agree &= relate(source, dim, result, dim, at);
  return agree;
}

/// An image begins where its box does: its groups of channels where the
/// channels do.
bool TilePositions::readConversion(ConvertStorageOp convert) {
  Value plain = convert.getInput(), image = convert.getResult();
  if (!convert.packs())
    std::swap(plain, image);
  constexpr unsigned dimOfImage[] = {0, 2, 1, 3};
  bool agree = true;
  for (auto [dim, inImage] : llvm::enumerate(dimOfImage))
    agree &= relate(plain, dim, image, inImage, 0);
  return agree;
}

bool TilePositions::readInsertion(Operation *insert) {
  Value source = insert->getOperand(0), result = insert->getResult(0);
  auto whole =
      wholeOffset(insert, cast<RankedTensorType>(result.getType()).getRank());
  if (!whole || !beginTogether(result, writtenOver(insert)))
    return false;
  std::optional<OpAccess> access = OpAccess::get(insert);
  if (!access)
    return true;
  ArrayRef<AffineExpr> positions = access->mapOf(0).getResults();
  // With a stride, positions of the source are no sums of those of the result.
  if (!llvm::all_of(positions, asLinearForm))
    return true;
  bool agree = true;
  for (auto [dim, at] : llvm::enumerate(positions)) {
    LinearForm form = *asLinearForm(at);
    if (form.factors.size() != 1)
      continue;
    unsigned resultDim = form.factors.begin()->first;
    // A run alone knows where the source goes.
    if (resultDim >= cast<RankedTensorType>(result.getType()).getRank())
      continue;
    agree &= relate(source, dim, result, resultDim,
                    -form.offset - (*whole)[resultDim]);
  }
  return agree;
}

TilePositions::Progress TilePositions::follow(unsigned a, const Sum &sum) {
  // Solve for the one dimension of unknown position.
  std::optional<int64_t> begin = positionOf(a);
  std::optional<std::pair<unsigned, int64_t>> unknown;
  int64_t rest = sum.offset, product = 0, missing = 0;
  for (auto [dim, factor] : sum.terms) {
    std::optional<int64_t> at = positionOf(dim);
    if (!at && (unknown || !begin))
      return Progress::None;
    if (!at)
      unknown = {dim, factor};
    else if (llvm::MulOverflow(factor, *at, product) ||
             llvm::AddOverflow(rest, product, rest))
      return Progress::Contradiction;
  }
  if (!begin)
    return set(a, rest) ? Progress::Some : Progress::Contradiction;
  if (!unknown)
    return *begin == rest ? Progress::None : Progress::Contradiction;
  auto [dim, factor] = *unknown;
  if (llvm::SubOverflow(*begin, rest, missing) ||
      missing == std::numeric_limits<int64_t>::min() || missing % factor != 0)
    return Progress::Contradiction;
  return set(dim, missing / factor) ? Progress::Some : Progress::Contradiction;
}

LogicalResult TilePositions::verifySums() {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Equation &equation : equations) {
      Progress progress = follow(equation.dim, equation.sum);
      changed |= progress == Progress::Some;
      if (progress == Progress::Contradiction)
        return reportUnlike(equation.op);
    }
  }
  return success();
}

LogicalResult TilePositions::read(func::FuncOp function) {
  LogicalResult fine = success();
  function.walk([&](Operation *op) {
    if (succeeded(fine) && !readOperation(op))
      fine = reportUnlike(op);
  });
  return fine;
}

} // namespace npu
