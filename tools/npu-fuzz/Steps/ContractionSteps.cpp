// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps that are sums of products: matmuls, convolutions, and pooling beside
// them. A form names the dimensions of its operands by letters; windows slide
// over `w` and `h`.

#include "npu-fuzz/Steps/Steps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <algorithm>
#include <array>

using namespace mlir;

namespace npu {
namespace {

struct ContractionForm {
  std::string_view op;
  /// Null for a linalg.generic.
  BuildNamed build;
  std::string_view input;
  /// The dimensions of the filter; for a pooling, those of the window.
  std::string_view filter;
  std::string_view output;
  enum { Product, Sum, Most } body = Product;
};
constexpr auto kSums = ContractionForm::Sum, kMost = ContractionForm::Most;

constexpr ContractionForm kForms[] = {
    {"matmul", buildNamed<linalg::MatmulOp>, "mk", "kn", "mn"},
    {"batch_matmul", buildNamed<linalg::BatchMatmulOp>, "bmk", "bkn", "bmn"},
    {"matvec", buildNamed<linalg::MatvecOp>, "mk", "k", "m"},
    {"vecmat", buildNamed<linalg::VecmatOp>, "k", "kn", "n"},
    {"dot", buildNamed<linalg::DotOp>, "k", "k", ""},
    {"generic", nullptr, "mk", "nk", "mn"},
    {"generic", nullptr, "qbd", "kbd", "bqk"},
    {"generic", nullptr, "mk", "kn", "nm"},
    {"conv_1d_nwc_wcf", buildNamed<linalg::Conv1DNwcWcfOp>, "nwc", "wcf",
     "nwf"},
    {"conv_1d_ncw_fcw", buildNamed<linalg::Conv1DNcwFcwOp>, "ncw", "fcw",
     "nfw"},
    {"conv_2d_nhwc_hwcf", buildNamed<linalg::Conv2DNhwcHwcfOp>, "nhwc", "hwcf",
     "nhwf"},
    {"conv_2d_nhwc_fhwc", buildNamed<linalg::Conv2DNhwcFhwcOp>, "nhwc", "fhwc",
     "nhwf"},
    {"conv_2d_nchw_fchw", buildNamed<linalg::Conv2DNchwFchwOp>, "nchw", "fchw",
     "nfhw"},
    {"depthwise_conv_2d_nhwc_hwc", buildNamed<linalg::DepthwiseConv2DNhwcHwcOp>,
     "nhwc", "hwc", "nhwc"},
    {"depthwise_conv_2d_nchw_chw", buildNamed<linalg::DepthwiseConv2DNchwChwOp>,
     "nchw", "chw", "nchw"},
    {"pooling_nhwc_max", buildNamed<linalg::PoolingNhwcMaxOp>, "nhwc", "hw",
     "nhwc", kMost},
    {"pooling_nchw_max", buildNamed<linalg::PoolingNchwMaxOp>, "nchw", "hw",
     "nchw", kMost},
    {"pooling_nhwc_sum", buildNamed<linalg::PoolingNhwcSumOp>, "nhwc", "hw",
     "nhwc", kSums},
    {"pooling_nchw_sum", buildNamed<linalg::PoolingNchwSumOp>, "nchw", "hw",
     "nchw", kSums},
    {"pooling_nwc_sum", buildNamed<linalg::PoolingNwcSumOp>, "nwc", "w", "nwc",
     kSums},
};
constexpr int64_t kPlainForms = 8;

bool isSpatial(char letter) { return letter == 'w' || letter == 'h'; }
bool has(std::string_view letters, char letter) {
  return letters.find(letter) != std::string_view::npos;
}
bool slides(const ContractionForm &form) {
  return llvm::any_of(form.input, isSpatial);
}

/// The dimensions that are summed over: all dimensions of a filter or window
/// that only it has, and those whose letters the output does not have.
std::vector<int64_t> summedDims(const ContractionForm &form,
                                std::string_view letters) {
  std::vector<int64_t> dims;
  for (std::size_t dim = 0; dim < letters.size(); ++dim)
    if (!has(form.output, letters[dim]) ||
        (letters == form.filter && isSpatial(letters[dim])))
      dims.push_back(static_cast<int64_t>(dim));
  return dims;
}

/// Strides and dilations in the order of the input's dimensions.
struct Windows {
  std::vector<int64_t> strides, dilations;
};

/// The outputs of a window that slides over a dimension.
std::optional<Extent> slidOver(OperationMaker &maker, const Extent &extent,
                               int64_t reach, int64_t stride) {
  if (!maker.needAtLeast(extent, reach))
    return std::nullopt;
  std::optional<Extent> room = sum(extent, fixed(-reach));
  if (room)
    room = extent.grows() ? quotient(*room, stride)
                          : std::optional(fixed(room->number / stride));
  return room ? sum(*room, fixed(1)) : std::nullopt;
}

/// The extents of the output; nothing where operands do not fit.
std::optional<Dims> outputDims(OperationMaker &maker,
                               const ContractionForm &form, const Fact &input,
                               const Fact &filter, const Windows &windows) {
  if (input.dims.size() != form.input.size() ||
      filter.dims.size() != form.filter.size())
    return std::nullopt;
  std::array<std::optional<Extent>, 128> extents;
  for (auto [letter, extent] : llvm::zip(form.filter, filter.dims))
    extents[letter] = extent;
  std::size_t spatial = 0;
  for (auto [letter, extent] : llvm::zip(form.input, input.dims)) {
    std::optional<Extent> &known = extents[letter];
    if (isSpatial(letter)) {
      if (!known || known->grows() || known->number < 1)
        return std::nullopt;
      known = slidOver(maker, extent,
                       (known->number - 1) * windows.dilations[spatial] + 1,
                       windows.strides[spatial]);
      ++spatial;
      if (!known)
        return std::nullopt;
    } else if (known && !(*known == extent)) {
      return std::nullopt;
    } else {
      known = extent;
    }
  }
  Dims dims;
  for (char letter : form.output)
    dims.push_back(*extents[letter]);
  return dims;
}

/// Builds a linalg.generic with a loop for each letter.
Value buildGeneric(OperationMaker &maker, const ContractionForm &form,
                   const Fact &input, const Fact &filter, Value init,
                   ElementType to) {
  std::string letters(form.output);
  for (char letter : form.input)
    if (!has(letters, letter))
      letters += letter;
  Nest nest{Nest::Generic, {input.value, filter.value}};
  for (std::string_view dims : {form.input, form.filter, form.output}) {
    std::vector<int64_t> loops;
    for (char letter : dims)
      loops.push_back(static_cast<int64_t>(letters.find(letter)));
    nest.maps.push_back(maker.mapTo(std::ssize(letters), loops));
  }
  nest.inits = {init};
  return buildOne(maker, nest, [&](Region &region) {
    if (input.type != to)
      for (Value &factor : region.in)
        factor =
            region.cast(isFloat(to) ? "arith.extf" : "arith.extsi", to, factor);
    return region.add(region.out[0],
                      region.multiply(region.in[0], region.in[1]));
  });
}

/// The contraction of two values; accumulated on top of a value, if there is
/// one.
Made contract(OperationMaker &maker, const ContractionForm &form,
              unsigned input, unsigned filter, const Windows &windows,
              ElementType type, Made onTop = {}) {
  const Fact a = maker[input], b = maker[filter];
  std::optional<Dims> dims = outputDims(maker, form, a, b, windows);
  bool isProduct = form.body == ContractionForm::Product;
  if (!dims || a.type != b.type ||
      (form.body != kMost &&
       !maker.sumIsSafe(a, summedDims(form, form.input))) ||
      (isProduct && !maker.sumIsSafe(b, summedDims(form, form.filter))))
    return std::nullopt;
  auto vector = [&](llvm::StringRef name, const std::vector<int64_t> &numbers) {
    return maker.b.getNamedAttr(name, maker.b.getI64VectorAttr(numbers));
  };
  std::vector<NamedAttribute> attributes;
  if (slides(form))
    attributes = {vector("strides", windows.strides),
                  vector("dilations", windows.dilations)};
  auto build = [&](const Fact &made) {
    Value init = onTop ? maker[*onTop].value
                       : maker.filled(made, form.body == kMost ? -9 : 0);
    if (form.build)
      return form.build(maker.b, {a.value, b.value}, init, attributes);
    return buildGeneric(maker, form, a, b, init, type);
  };
  Fact result = maker.tensor(type, *dims);
  Made made;
  if (onTop) {
    result.layout = maker[*onTop].layout;
    made = maker.make(result, build);
  } else {
    made = maker.makeLaidOut(result, a, build);
  }
  if (made)
    maker.returnIfSplit(*made);
  return made;
}

/// An input for that form: a value of its rank, or an argument.
unsigned inputFor(OperationMaker &maker, const ContractionForm &form) {
  auto found = maker.pick([&](const Fact &value) {
    return value.shape.size() == form.input.size();
  });
  if (found && !maker.oneIn(3))
    return *found;
  Dims dims;
  for (char letter : form.input)
    dims.push_back(fixed(isSpatial(letter) ? maker.between(4, 9)
                         : maker.wantsSharedSums() && !has(form.output, letter)
                             ? maker.between(8, 24)
                             : maker.between(1, 4)));
  return maker.argument(dims, maker.mainType());
}

/// The input, perhaps with entries around what windows slide over.
unsigned maybePadded(OperationMaker &maker, const ContractionForm &form,
                     unsigned input) {
  if (!slides(form) || !maker.oneIn(3))
    return input;
  std::vector<int64_t> numbers;
  for (char letter : form.input)
    for (int end = 0; end < 2; ++end)
      numbers.push_back(isSpatial(letter) ? maker.below(3) : 0);
  return padded(maker, input, numbers, maker.oneIn(2) ? 0 : -2).value_or(input);
}

void contracting(OperationMaker &maker, const ContractionForm &form) {
  bool isProduct = form.body == ContractionForm::Product;
  unsigned input = maybePadded(maker, form, inputFor(maker, form));
  if (form.body != kMost)
    input = maker.summable(input, summedDims(form, form.input));
  const Fact facts = maker[input];
  ElementType type = facts.type;
  if (isProduct && maker.oneIn(2)) {
    ElementType wide = isFloat(type) ? ElementType::F32 : ElementType::I32;
    if (bitSize(wide) > bitSize(type))
      type = wide;
  }
  Windows windows;
  for (char letter : form.input)
    if (isSpatial(letter)) {
      windows.strides.push_back(maker.oneIn(2) ? 1 : maker.between(1, 3));
      windows.dilations.push_back(maker.oneIn(2) ? 1 : maker.between(1, 3));
    }
  Dims filter;
  for (char letter : form.filter) {
    std::size_t dim = form.input.find(letter);
    filter.push_back(isSpatial(letter) || dim == std::string_view::npos
                         ? fixed(maker.between(1, 3))
                         : facts.dims[dim]);
  }
  unsigned second = maker.valueOf(filter, facts.type);
  if (isProduct)
    second = maker.summable(second, summedDims(form, form.filter));
  // At times, accumulate into a value instead of zeros.
  if (maker.oneIn(4))
    if (auto dims =
            outputDims(maker, form, maker[input], maker[second], windows))
      if (auto value = maker.pick([&](const Fact &value) {
            return value.dims == *dims && value.type == type;
          }))
        if (contract(maker, form, input, second, windows, type, value))
          return;
  contract(maker, form, input, second, windows, type);
}

template <int64_t first, int64_t last>
void contractingOneOf(OperationMaker &maker) {
  contracting(maker, kForms[maker.between(first, last)]);
}

} // namespace

Made contraction(OperationMaker &maker, std::string_view op, unsigned input,
                 unsigned filter, int64_t stride, int64_t dilation) {
  const ContractionForm &form = *llvm::find_if(
      kForms, [&](const ContractionForm &form) { return form.op == op; });
  auto spatial = llvm::count_if(form.input, isSpatial);
  return contract(
      maker, form, input, filter,
      {std::vector(spatial, stride), std::vector(spatial, dilation)},
      maker[input].type);
}

std::span<const StepRow> contractionSteps() {
  static constexpr StepRow kRows[] = {
      {contractingOneOf<0, kPlainForms - 1>, {.plain = 2, .sums = 2}},
      {contractingOneOf<kPlainForms, std::size(kForms) - 1>,
       {.plain = 2, .sums = 2}},
  };
  return kRows;
}

} // namespace npu
