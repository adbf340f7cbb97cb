#include "core/result/h5/detail.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <type_traits>

#include "core/base/error.hpp"

namespace kernelbatch::h5 {
namespace {

static_assert(std::is_same_v<Id, hid_t> || sizeof(Id) == sizeof(hid_t));

constexpr std::size_t kConversionBuffer = std::size_t{64} << 10;

extern "C" herr_t keep_innermost(unsigned, const H5E_error2_t* error, void* reason) {
  if (error->desc != nullptr) *static_cast<std::string*>(reason) = error->desc;
  return 0;
}

/// Shortens HDF5's message for a failed read or write, which has the time, the descriptor and a
/// buffer address on several lines, to the system's error text.
std::string simplified(const std::string& reason) {
  constexpr std::string_view kBefore = "error message = '";
  const std::size_t begin = reason.find(kBefore);
  if (begin == std::string::npos) return reason;
  const std::size_t from = begin + kBefore.size();
  return fmt::format("{}: {}", reason.substr(0, reason.find(": ")),
                     reason.substr(from, reason.find('\'', from) - from));
}

using detail::check;
using detail::own;

Handle text_type() {
  Handle type = own(::H5Tcopy(H5T_C_S1), "copy a type");
  check(::H5Tset_size(type.get(), H5T_VARIABLE), "make text of any length");
  check(::H5Tset_cset(type.get(), H5T_CSET_UTF8), "make text UTF-8");
  return type;
}

hid_t number_type(Type type) {
  switch (type) {
    case Type::kInt8:
      return H5T_NATIVE_INT8;
    case Type::kInt16:
      return H5T_NATIVE_INT16;
    case Type::kInt32:
      return H5T_NATIVE_INT32;
    case Type::kInt64:
      return H5T_NATIVE_INT64;
    case Type::kUInt8:
      return H5T_NATIVE_UINT8;
    case Type::kUInt16:
      return H5T_NATIVE_UINT16;
    case Type::kUInt32:
      return H5T_NATIVE_UINT32;
    case Type::kUInt64:
      return H5T_NATIVE_UINT64;
    case Type::kFloat32:
      return H5T_NATIVE_FLOAT;
    default:
      return H5T_NATIVE_DOUBLE;
  }
}

}  // namespace

extern "C" herr_t follow_no_link(const char*, const char*, const char*, const char*, unsigned*,
                                 hid_t, void*) {
  return -1;
}

namespace {

Handle access_to_one_file(hid_t kind) {
  Handle list = detail::property_list(kind);
  check(::H5Pset_elink_cb(list.get(), follow_no_link, nullptr), "keep to one file");
  return list;
}

}  // namespace

namespace {
std::atomic<std::uint64_t> closes_that_failed{0};
}

void detail::close(Id id) noexcept {
  if (::H5Idec_ref(id) < 0) ++closes_that_failed;
}

std::uint64_t detail::failed_closes() noexcept { return closes_that_failed; }

void detail::fail(std::string_view action, std::string_view name) {
  std::string reason = "no reason given";
  ::H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_innermost, &reason);
  ::H5Eclear2(H5E_DEFAULT);
  reason = simplified(reason);
  throw StoreError(name.empty() ? fmt::format("HDF5 cannot {}: {}", action, reason)
                                : fmt::format("HDF5 cannot {} '{}': {}", action, name, reason));
}

/// HDF5 prints its error stack by default, a setting per thread. After a failed write it crashes at
/// process exit, when it retries; all files are closed by their owners.
void detail::be_quiet() {
  static const bool has_no_end = ::H5dont_atexit() >= 0;
  static_cast<void>(has_no_end);
  thread_local const bool quiet = ::H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;
  static_cast<void>(quiet);
}

Handle detail::property_list(hid_t kind) {
  return own(::H5Pcreate(kind), "create a property list");
}

Handle detail::ordered(hid_t kind) {
  Handle list = property_list(kind);
  check(::H5Pset_link_creation_order(list.get(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED),
        "track the order of creation");
  return list;
}

/// HDF5 would allocate and clear the default conversion buffer of 1 MiB for each column.
hid_t detail::transfer() {
  static const Handle list = [] {
    Handle made = property_list(H5P_DATASET_XFER);
    check(::H5Pset_buffer(made.get(), kConversionBuffer, nullptr, nullptr), "set a buffer");
    return made;
  }();
  return list.get();
}

hid_t detail::group_access() {
  static const Handle list = access_to_one_file(H5P_GROUP_ACCESS);
  return list.get();
}

hid_t detail::dataset_access() {
  static const Handle list = access_to_one_file(H5P_DATASET_ACCESS);
  return list.get();
}

hid_t detail::native_type(Type type) {
  static const Handle text = text_type();
  return type == Type::kText ? text.get() : number_type(type);
}

Type detail::type_of(hid_t type) {
  const std::size_t size = ::H5Tget_size(type);
  const H5T_class_t kind = ::H5Tget_class(type);
  if (kind == H5T_STRING && ::H5Tis_variable_str(type) > 0) return Type::kText;
  if (kind == H5T_FLOAT && size == 4) return Type::kFloat32;
  if (kind == H5T_FLOAT && size == 8) return Type::kFloat64;
  if (kind == H5T_INTEGER) {
    const bool is_signed = ::H5Tget_sign(type) == H5T_SGN_2;
    switch (size) {
      case 1:
        return is_signed ? Type::kInt8 : Type::kUInt8;
      case 2:
        return is_signed ? Type::kInt16 : Type::kUInt16;
      case 4:
        return is_signed ? Type::kInt32 : Type::kUInt32;
      case 8:
        return is_signed ? Type::kInt64 : Type::kUInt64;
      default:
        break;
    }
  }
  throw StoreError("HDF5 holds an element type that kernelbatch never writes");
}

std::vector<hsize_t> detail::extents(const Shape& shape) { return {shape.begin(), shape.end()}; }

Handle detail::space_of(const Shape& shape, bool growable) {
  if (shape.empty()) return own(::H5Screate(H5S_SCALAR), "create a scalar");
  const std::vector<hsize_t> now = extents(shape);
  std::vector<hsize_t> most = now;
  if (growable) most[0] = H5S_UNLIMITED;
  return own(::H5Screate_simple(static_cast<int>(now.size()), now.data(), most.data()),
             "create a shape");
}

std::size_t detail::count_of(const Shape& shape) {
  return std::accumulate(
      shape.begin(), shape.end(), std::size_t{1},
      [](std::size_t n, std::int64_t k) { return n * static_cast<std::size_t>(k); });
}

std::vector<const char*> detail::pointers(std::span<const std::string> texts) {
  std::vector<const char*> result(texts.size());
  std::ranges::transform(texts, result.begin(), [](const auto& text) { return text.c_str(); });
  return result;
}

detail::OwnedTexts::~OwnedTexts() {
  for (char* text : texts_) ::H5free_memory(text);
}

std::vector<std::string> detail::OwnedTexts::copy() const {
  std::vector<std::string> result;
  result.reserve(texts_.size());
  for (const char* text : texts_) result.emplace_back(text == nullptr ? "" : text);
  return result;
}

}  // namespace kernelbatch::h5
