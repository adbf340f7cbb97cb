#include "core/verify/input_file.hpp"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/array/hidden_array.hpp"
#include "core/array/input.hpp"
#include "core/array/npz.hpp"
#include "core/base/confined.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/result/digest.hpp"
#include "core/result/h5/h5.hpp"
#include "core/result/shard_files.hpp"

namespace kernelbatch {
namespace {

std::optional<DType> dtype_of(h5::Type type) {
  switch (type) {
    case h5::Type::kInt8:
      return DType::kInt8;
    case h5::Type::kInt16:
      return DType::kInt16;
    case h5::Type::kInt32:
      return DType::kInt32;
    case h5::Type::kInt64:
      return DType::kInt64;
    case h5::Type::kUInt8:
      return DType::kUInt8;
    case h5::Type::kUInt16:
      return DType::kUInt16;
    case h5::Type::kUInt32:
      return DType::kUInt32;
    case h5::Type::kUInt64:
      return DType::kUInt64;
    case h5::Type::kFloat32:
      return DType::kFloat32;
    case h5::Type::kFloat64:
      return DType::kFloat64;
    case h5::Type::kText:
      break;
  }
  return std::nullopt;
}

/// Limits for reading an HDF5 file: compressed arrays expand.
constexpr double kInputBytesPerSecond = 10e6;
constexpr std::uint64_t kMemoryPerByte = 64;

Array dataset_of(const InputPath& path) {
  const std::string name = path.file.string();
  require_regular_file(path.file);
  try {
    const h5::Group root = h5::File::open(path.file).root();
    std::string member(trim(path.member));
    while (member.starts_with('/')) member.erase(0, 1);
    const std::vector<std::string> names = root.names();
    if (member.empty() && names.size() == 1) member = names[0];
    if (member.empty())
      throw SpecError(fmt::format("'{}' holds {}: name one, as in '{}:/{}'", name, join(names),
                                  name, names.empty() ? "x" : names[0]));
    if (!root.has(member))
      throw SpecError(
          fmt::format("'{}' has no dataset '/{}'{}", name, member, suggestion(member, names)));
    const h5::Dataset dataset = root.dataset(member);
    const h5::Layout layout = dataset.layout();
    const auto dtype = dtype_of(layout.type);
    if (!dtype) throw SpecError(fmt::format("'{}': '/{}' holds text", name, member));
    // Read first: this rejects a layout that claims more than the file has.
    const std::vector<std::byte> bytes = dataset.read();
    Array array = Array::on_host(*dtype, Shape(layout.shape));
    if (!bytes.empty()) std::memcpy(array.data(), bytes.data(), bytes.size());
    return array;
  } catch (const StoreError& error) {
    throw SpecError(fmt::format("'{}' cannot be read as HDF5: {}", name, error.what()));
  }
}

/// An array as text for another process: dtype, axes, extents, elements.
std::string packed(const Array& array) {
  std::string text;
  const auto add = [&](std::int64_t value) {
    text.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  add(static_cast<std::int64_t>(array.dtype()));
  add(array.shape().count());
  for (int axis = 0; axis < array.shape().count(); ++axis) add(array.shape()[axis]);
  text.append(reinterpret_cast<const char*>(array.data()), array.bytes());
  return text;
}

Array unpacked(std::string_view text) {
  const auto take = [&] {
    std::int64_t value = 0;
    if (text.size() < sizeof value) throw StoreError("the process that read it gave no array");
    std::memcpy(&value, text.data(), sizeof value);
    text.remove_prefix(sizeof value);
    return value;
  };
  const auto dtype = static_cast<DType>(take());
  std::vector<std::int64_t> extents(static_cast<std::size_t>(take()));
  for (std::int64_t& extent : extents) extent = take();
  Array array = Array::on_host(dtype, Shape(extents));
  if (text.size() != array.bytes()) throw StoreError("the process that read it gave another array");
  if (!text.empty()) std::memcpy(array.data(), text.data(), text.size());
  return array;
}

/// Files of other programs are unknown, so HDF5 opens them in a child: it crashes or hangs on some
/// damaged ones.
Array read_hdf5(const InputPath& path) {
  const std::string name = path.file.string();
  if (!h5::is_hdf5(path.file)) throw SpecError(fmt::format("'{}' is not HDF5", name));
  if (integrity_of(path.file) == Integrity::kDamaged)
    throw SpecError(
        fmt::format("'{}' is damaged: run `kernelbatch check-results {}` for details", name, name));
  const auto size = static_cast<double>(identity_of(path.file).size);
  ConfinedLimits limits;
  limits.seconds += size / kInputBytesPerSecond;
  limits.memory_bytes += kMemoryPerByte * static_cast<std::uint64_t>(size);
  try {
    return unpacked(run_confined([&] { return packed(dataset_of(path)); }, limits));
  } catch (const StoreError& error) {
    throw SpecError(fmt::format("'{}' cannot be read as HDF5: {}", name, error.what()));
  }
}

std::string member_of(const InputPath& path) {
  if (!path.member.empty()) return path.member;
  const std::vector<std::string> names = npz_names(path.file);
  if (names.size() == 1) return names[0];
  throw SpecError(fmt::format("'{}' holds {}: name one, as in '{}:{}'", path.file.string(),
                              join(names), path.file.string(), names.empty() ? "x" : names[0]));
}

}  // namespace

InputPath split_input_path(const std::string& text) {
  for (const char* suffix : {".npz", ".h5", ".hdf5", ".nc"}) {
    const std::size_t at = text.rfind(std::string(suffix) + ":");
    if (at == std::string::npos) continue;
    const std::size_t colon = at + std::strlen(suffix);
    return {text.substr(0, colon), text.substr(colon + 1)};
  }
  return {text, ""};
}

std::optional<ArrayForm> input_form(const InputPath& path) {
  const std::string suffix = path.file.extension();
  if (suffix == ".npy") return npy_form(path.file);
  if (suffix == ".npz") return npz_form(path.file, member_of(path));
  return std::nullopt;
}

namespace {

std::variant<CsrMatrix, Array> read_file_of(const InputPath& path) {
  const std::string suffix = path.file.extension();
  if (suffix == ".npy") return read_npy(path.file);
  if (suffix == ".npz") return read_npz(path.file, member_of(path));
  if (suffix == ".mtx") return read_matrix_market(path.file);
  if (suffix == ".h5" || suffix == ".hdf5" || suffix == ".nc") return read_hdf5(path);
  throw SpecError(
      fmt::format("'{}': unknown file extension; known are .npy, .npz, .mtx, .h5, "
                  ".hdf5 and .nc",
                  path.file.string()));
}

/// Arrays may be expected outputs.
using KeptFiles =
    std::map<std::pair<std::string, std::string>, std::variant<CsrMatrix, HiddenArray>>;

/// Null unless files are kept.
std::unique_ptr<KeptFiles>& kept_files() {
  static std::unique_ptr<KeptFiles> kept;
  return kept;
}

/// Each problem has memory of its own, as if the file were read again.
Array copy_of(const Array& array) {
  if (contiguous(array).data() != array.data()) return array;
  const Array copy = Array::on_host(array.dtype(), array.shape());
  if (copy.bytes() > 0) std::memcpy(copy.data(), array.data(), copy.bytes());
  return copy;
}

}  // namespace

void keep_input_files() {
  if (!kept_files()) kept_files() = std::make_unique<KeptFiles>();
}

std::variant<CsrMatrix, Array> read_input_file(const InputPath& path) {
  KeptFiles* const kept = kept_files().get();
  if (kept == nullptr) return read_file_of(path);
  const std::pair key{path.file.string(), path.member};
  auto found = kept->find(key);
  if (found == kept->end()) {
    const auto read = read_file_of(path);
    if (const Array* array = std::get_if<Array>(&read))
      found = kept->emplace(key, HiddenArray(*array)).first;
    else
      found = kept->emplace(key, std::get<CsrMatrix>(read)).first;
  }
  if (const auto* array = std::get_if<HiddenArray>(&found->second)) return copy_of(array->shown());
  const auto& matrix = std::get<CsrMatrix>(found->second);
  CsrMatrix copy = matrix;
  copy.indptr = copy_of(matrix.indptr);
  copy.indices = copy_of(matrix.indices);
  copy.data = copy_of(matrix.data);
  return copy;
}

}  // namespace kernelbatch
