#include "core/array/dtype.hpp"

#include <algorithm>

namespace kernelbatch {
namespace {

static_assert(std::ranges::all_of(kDTypes,
                                  [](const DTypeInfo& row) { return &row == &info(row.dtype); }),
              "dtype_rows() must list the dtypes in the order of DType");
static_assert(std::ranges::all_of(kDTypes,
                                  [](const DTypeInfo& row) {
                                    if (!is_reduced_float(row.dtype)) return true;
                                    if (row.accumulator != DType::kFloat32) return false;
                                    return row.stored == DType::kFloat32;
                                  }),
              "a float of few bits is computed in float and stored as one");
static_assert(std::ranges::all_of(kDTypes,
                                  [](const DTypeInfo& row) {
                                    return info(row.stored).stored == row.stored &&
                                           info(row.accumulator).accumulator == row.accumulator;
                                  }),
              "what is stored and what is computed in must be dtypes that are so themselves");

/// The dtype of the first row for which `fits` is true.
template <class Fits>
std::optional<DType> find(const Fits& fits) noexcept {
  const auto found = std::ranges::find_if(kDTypes, fits);
  return found == kDTypes.end() ? std::nullopt : std::optional(found->dtype);
}

}  // namespace

std::optional<DType> dtype_named(std::string_view name) noexcept {
  return find([&](const DTypeInfo& row) { return row.name == name; });
}

std::optional<DType> dtype_of_cpp_name(std::string_view name) noexcept {
  if (name.empty()) return std::nullopt;
  return find([&](const DTypeInfo& row) {
    return row.c_name == name || std::ranges::find(row.cpp_names, name) != row.cpp_names.end();
  });
}

std::optional<DType> dtype_of_npy_code(std::string_view code) noexcept {
  if (code.empty()) return std::nullopt;
  return find([&](const DTypeInfo& row) { return row.npy_code == code; });
}

std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  for (const DTypeInfo& row : kDTypes) names.emplace_back(row.name);
  return names;
}

}  // namespace kernelbatch
