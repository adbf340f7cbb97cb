// Views of arrays as written in jobs: slices, transposes, broadcasts, reshapes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/array/array.hpp"

namespace kernelbatch {

/// NumPy's basic indexing as text, with or without brackets: "[::-1, 1:5]", "..., 0", "None, 2:".
/// Integers drop their axis, `None` adds one, negative numbers count from the end, ranges are
/// clipped. Shares the memory. Throws SpecError that quotes the text.
Array slice_view(const Array& array, std::string_view text);

/// One step from an array to a view of it.
struct ViewStep {
  enum class Kind : std::uint8_t { kSlice, kTranspose, kBroadcast, kReshape };
  Kind kind = Kind::kSlice;
  std::string slice = {};  ///< for kSlice: see slice_view()
  std::vector<std::int64_t> numbers =
      {};  ///< axes of kTranspose (none: all reversed), else extents
};

/// Applies the steps in order. Throws SpecError for the first that needs a copy or does not fit.
Array view_of(const Array& array, std::span<const ViewStep> steps);

/// The view of `copy` that corresponds to `view` of `base`: `copy` contains the same elements as
/// `base` elsewhere.
Array same_view(const Array& view, const Array& base, const Array& copy);

}  // namespace kernelbatch
