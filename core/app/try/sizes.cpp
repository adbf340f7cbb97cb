#include "core/app/try/sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "core/array/input.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/quantity.hpp"
#include "core/base/text.hpp"
#include "core/report/export.hpp"

namespace kernelbatch::app {
namespace fs = std::filesystem;
namespace {

/// Around the sizes of a warp and a block.
constexpr std::int64_t kRagged[] = {1, 31, 32, 33, 1000};

/// The name and the file of "x.npy" or "x=file.npy".
std::pair<std::string, fs::path> named_input(const std::string& text) {
  const std::size_t at = text.find('=');
  if (at == std::string::npos) return {fs::path(text).stem().string(), text};
  return {text.substr(0, at), text.substr(at + 1)};
}

std::optional<std::int64_t> first_extent(const std::string& input) {
  const fs::path file = named_input(input).second;
  if (!fs::exists(file)) return std::nullopt;
  const Shape shape = npy_form(file).shape;
  if (shape.begin() == shape.end()) return std::nullopt;
  return *shape.begin();
}

/// Rows beyond the last one begin again with the first.
std::vector<std::byte> with_rows(const Array& array, std::int64_t rows) {
  const Array whole = contiguous(array);
  const auto given = static_cast<std::size_t>(*whole.shape().begin());
  const std::size_t row = given == 0 ? 0 : whole.bytes() / given;
  std::vector<std::byte> bytes(row * static_cast<std::size_t>(rows));
  for (std::size_t k = 0; given > 0 && k < static_cast<std::size_t>(rows); ++k)
    std::memcpy(bytes.data() + k * row, whole.data() + (k % given) * row, row);
  return bytes;
}

}  // namespace

std::vector<std::int64_t> extents_of(const TryOptions& options) {
  std::vector<std::int64_t> extents;
  if (options.is_ragged) extents.assign(std::begin(kRagged), std::end(kRagged));
  for (const std::string& text : options.sizes) {
    const std::size_t at = text.find('=');
    if (at == std::string::npos || at == 0)
      throw SpecError(fmt::format("-p {}: expected a name and sizes, n=1,31,1000", text));
    for (const std::string& size : split(text.substr(at + 1), ',')) {
      const std::int64_t extent = parse_integer(std::string(trim(size)));
      if (extent < 1) throw SpecError(fmt::format("-p {}: a size must be at least 1", text));
      extents.push_back(extent);
    }
  }
  if (!extents.empty() && !options.want.empty())
    throw SpecError("other sizes need a reference, --want-from or a first file, not --want");
  if (!extents.empty() && (options.inputs.empty() || !first_extent(options.inputs.front())))
    throw SpecError("other sizes need an input array with an axis");
  return extents;
}

TryOptions with_extent(const TryOptions& options, std::int64_t extent, const fs::path& folder) {
  TryOptions made = options;
  if (options.inputs.empty()) return made;
  const std::optional<std::int64_t> given = first_extent(options.inputs.front());
  if (!given) return made;
  for (const std::string& text : options.sizes)
    made.values.push_back(
        fmt::format("{}={}", text.substr(0, text.find('=')), extent == 0 ? *given : extent));
  if (extent == 0) return made;
  for (std::string& input : made.inputs) {
    const auto [name, file] = named_input(input);
    if (first_extent(input) != given) continue;
    const Array array = read_npy(file);
    StoredOutput resized;
    resized.dtype = array.dtype();
    resized.shape.assign(array.shape().begin(), array.shape().end());
    resized.shape.front() = extent;
    resized.bytes = with_rows(array, extent);
    const fs::path path = folder / fmt::format("{}_{}.npy", name, extent);
    write_file_atomically(path, to_npy(resized));
    input = name + '=' + path.string();
  }
  return made;
}

}  // namespace kernelbatch::app
