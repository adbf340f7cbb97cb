#include "core/array/input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

struct NpyHeader {
  DType dtype = DType::kFloat64;
  bool swap_bytes = false;
  bool fortran_order = false;
  Shape shape;
};

/// Text of a key's value in the header's Python dictionary, up to the comma or brace after it.
std::optional<std::string_view> value_of(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(fmt::format("'{}'", key));
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t colon = text.find(':', at);
  if (colon == std::string_view::npos) return std::nullopt;
  std::size_t end = colon + 1;
  for (int depth = 0; end < text.size(); ++end) {
    if (text[end] == '(' || text[end] == '[') ++depth;
    if (text[end] == ')' || text[end] == ']') --depth;
    if (depth == 0 && (text[end] == ',' || text[end] == '}')) break;
  }
  return trim(text.substr(colon + 1, end - colon - 1));
}

NpyHeader parse_header(std::string_view text, const std::string& path) {
  const auto fail = [&](std::string_view what) -> SpecError {
    return SpecError(fmt::format("'{}': the .npy header {}", path, what));
  };
  NpyHeader header;
  const auto descr = value_of(text, "descr");
  const auto order = value_of(text, "fortran_order");
  const auto shape = value_of(text, "shape");
  if (!descr || !order || !shape) throw fail("lacks descr, fortran_order or shape");
  if (descr->size() < 4) throw fail("has no readable dtype");
  const std::string_view quoted = descr->substr(1, descr->size() - 2);
  // Packages that give NumPy a bfloat16 store it as two bytes without a type.
  const auto dtype = quoted.substr(1) == "V2" ? std::optional(DType::kBFloat16)
                                              : dtype_of_npy_code(quoted.substr(1));
  if (!dtype) throw fail(fmt::format("names the dtype {}, which cannot be read", *descr));
  header.dtype = *dtype;
  header.swap_bytes = quoted[0] == '>' && std::endian::native == std::endian::little;
  header.fortran_order = *order == "True";
  std::string_view list = *shape;
  if (list.size() < 2 || list.front() != '(' || list.back() != ')') throw fail("has no shape");
  list = list.substr(1, list.size() - 2);
  for (const std::string& part : split(list, ',')) {
    const std::string_view digits = trim(part);
    if (digits.empty()) continue;
    std::int64_t extent = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), extent);
    if (error != std::errc{} || end != digits.data() + digits.size() || extent < 0)
      throw fail(fmt::format("has the extent '{}'", digits));
    header.shape.push_back(extent);
  }
  return header;
}

void swap_elements(std::byte* data, std::size_t bytes, DType dtype) {
  const bool is_complex = info(dtype).kind == DTypeKind::kComplex;
  const std::size_t part = is_complex ? size_of(dtype) / 2 : size_of(dtype);
  for (std::size_t k = 0; k < bytes; k += part) std::reverse(data + k, data + k + part);
}

}  // namespace

namespace {

struct Npy {
  NpyHeader header;
  std::size_t begin = 0;  ///< offset of the elements
};

Npy parse_start(std::span<const std::byte> bytes, const std::string& name) {
  const auto byte_at = [&](std::size_t k) { return std::to_integer<std::size_t>(bytes[k]); };
  if (bytes.size() < 12 || std::memcmp(bytes.data(), "\x93NUMPY", 6) != 0)
    throw SpecError(fmt::format("'{}' is not a .npy file", name));
  const bool is_long = byte_at(6) >= 2;
  const std::size_t begin = is_long ? 12 : 10;
  const std::size_t length =
      is_long ? byte_at(8) | byte_at(9) << 8 | byte_at(10) << 16 | byte_at(11) << 24
              : byte_at(8) | byte_at(9) << 8;
  if (bytes.size() < begin + length)
    throw SpecError(fmt::format("'{}' is truncated: its header is incomplete", name));
  return {parse_header(
              std::string_view(reinterpret_cast<const char*>(bytes.data()) + begin, length), name),
          begin + length};
}

}  // namespace

ArrayForm npy_form(const std::filesystem::path& path) {
  const MappedFile file(path);
  return parse_npy_form(file.bytes(), path.string());
}

ArrayForm parse_npy_form(std::span<const std::byte> bytes, const std::string& name) {
  const Npy npy = parse_start(bytes, name);
  element_count(npy.header.shape);
  return {npy.header.dtype, npy.header.shape};
}

Array read_npy(const std::filesystem::path& path) {
  const MappedFile file(path);
  return parse_npy(file.bytes(), path.string());
}

Array parse_npy(std::span<const std::byte> bytes, const std::string& name) {
  const auto [header, begin] = parse_start(bytes, name);
  Shape stored = header.shape;
  if (header.fortran_order)
    for (int axis = 0; axis < stored.count(); ++axis)
      stored[axis] = header.shape[stored.count() - 1 - axis];
  const auto count = static_cast<std::size_t>(element_count(stored));
  const std::size_t available = bytes.size() - begin;
  // Divide: a malformed shape must not overflow into a small product.
  if (count > available / size_of(header.dtype))
    throw SpecError(fmt::format("'{}' is truncated: shape {} of {} needs {}, the file has {}", name,
                                to_text(header.shape), name_of(header.dtype),
                                format_bytes(count * size_of(header.dtype)),
                                format_bytes(available)));
  Array array = Array::on_host(header.dtype, stored);
  if (array.bytes() > 0) std::memcpy(array.data(), bytes.data() + begin, array.bytes());
  if (header.swap_bytes) swap_elements(array.data(), array.bytes(), header.dtype);
  return header.fortran_order ? array.transpose() : array;
}

}  // namespace kernelbatch
