#include "core/job/keys/input_keys.hpp"

namespace kernelbatch {
namespace {

using enum Rule::Kind;

/// A further key of a source.
constexpr Key option(std::string_view name, std::string_view help) {
  return {name, Rule::of(kScalarOrList), help};
}

constexpr Key kShape = option("shape", "lengths along the axes; may be expressions of parameters");
constexpr Key kDtype = option("dtype", "type of the elements, such as `float32`");

constexpr Key kFile[] = {{"file", Rule::of(kScalar),
                          ".npy, .npz:name, Matrix Market .mtx, HDF5 .h5:/path; searched in: the "
                          "job's folder, the current folder, the installed data"},
                         option("dataset", "of HDF5: the path of the data set"),
                         kDtype};
constexpr Key kRandom[] = {{"random", Rule::choice<Distribution>(), "distribution"},
                           option("low", "lower end"),
                           option("high", "upper end"),
                           option("mean", "mean of a normal distribution"),
                           option("std", "its standard deviation"),
                           option("seed", "equal seeds give equal numbers, on every machine"),
                           kShape,
                           kDtype};
constexpr Key kArange[] = {{"arange", Rule::of(kScalar), "length of 0, 1, 2, …"},
                           option("start", "first number"),
                           option("step", "step from one to the next"),
                           kShape,
                           kDtype};
constexpr Key kZeros[] = {option("zeros", "zeros of this shape"), kShape, kDtype};
constexpr Key kOnes[] = {option("ones", "ones of this shape"), kShape, kDtype};
constexpr Key kFull[] = {option("full", "one value in this shape"),
                         option("value", "value of every element"), kShape, kDtype};
constexpr Key kLinspace[] = {option("linspace", "[first, last, count], both ends included"), kShape,
                             kDtype};
constexpr Key kValues[] = {option("values", "the elements: `[[1, 2], [3, 4]]`"), kShape, kDtype};
constexpr Key kOf[] = {
    {"of", Rule::of(kText), "a view of an input above it: the steps below, in the order written"},
    option("slice", "as in Python: `\"[::-1, 1:5]\"`"),
    option("transpose", "the axes in their new order: `[1, 0]`"),
    option("broadcast_to", "a larger shape: `[3, 4]`"),
    option("reshape", "a shape of as many elements")};
constexpr Key kNumber[] = {{"scalar", Rule::of(kScalar), "one number"}, kDtype};

constexpr InputSource kSources[] = {
    {InputKind::kFile, kFile},         {InputKind::kRandom, kRandom}, {InputKind::kArange, kArange},
    {InputKind::kZeros, kZeros},       {InputKind::kOnes, kOnes},     {InputKind::kFull, kFull},
    {InputKind::kLinspace, kLinspace}, {InputKind::kValues, kValues}, {InputKind::kOf, kOf},
    {InputKind::kScalar, kNumber}};

}  // namespace

std::span<const InputSource> input_sources() { return kSources; }

}  // namespace kernelbatch
