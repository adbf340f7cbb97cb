#include "core/result/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

constexpr std::size_t kSmallOutput = std::size_t{64} << 10;
constexpr std::int64_t kChunkBytes = std::int64_t{1} << 20;
constexpr const char* kParts = "re_im";
/// Attributes of an array, copied from shard to merged file.
constexpr std::array kTextAttributes{"units", "long_name", "device_dtype",
                                     "xxh3",  "dtype",     "full_shape"};
constexpr const char* kStride = "stride";
/// Copy of the axis names: HDF5 finds a scale's name only by searching the whole file.
constexpr const char* kAxes = "axes";

constexpr std::optional<h5::Type> find_stored_type(const DTypeInfo& stored) {
  using enum h5::Type;
  constexpr std::array kSigned{kInt8, kInt16, kInt32, kInt64};
  constexpr std::array kUnsigned{kUInt8, kUInt16, kUInt32, kUInt64};
  const auto power = static_cast<std::size_t>(std::countr_zero(stored.size));
  if (stored.kind == DTypeKind::kSigned) return kSigned[power];
  if (stored.kind == DTypeKind::kUnsigned) return kUnsigned[power];
  if (stored.dtype == DType::kFloat32) return kFloat32;
  return stored.dtype == DType::kFloat64 ? std::optional(kFloat64) : std::nullopt;
}
static_assert(std::ranges::all_of(kDTypes,
                                  [](const DTypeInfo& row) {
                                    return find_stored_type(info(row.stored)).has_value();
                                  }),
              "every dtype is stored as one that result files have");

h5::Type stored_type(DType dtype) { return *find_stored_type(info(info(dtype).stored)); }

template <class To, class From, class Function>
std::vector<std::byte> convert(std::span<const std::byte> bytes, Function function) {
  const std::size_t count = bytes.size() / sizeof(From);
  std::vector<std::byte> result(count * sizeof(To));
  for (std::size_t k = 0; k < count; ++k) {
    From from;
    std::memcpy(&from, bytes.data() + k * sizeof(From), sizeof(From));
    const To to = function(from);
    std::memcpy(result.data() + k * sizeof(To), &to, sizeof(To));
  }
  return result;
}

/// Unlike from_float(), which makes a NaN quiet, this keeps its bits, and so the array's digest.
template <ReducedFloat T>
T exactly_from_float(float value) {
  if (!std::isnan(value)) return from_float<T>(value);
  constexpr std::uint32_t kInfinity = kSignBit<T> - (1u << T::kFractionBits);
  const auto pattern = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = std::signbit(value) ? kSignBit<T> : 0;
  const std::uint32_t payload = (pattern & 0x7f'ffffu) >> (23 - T::kFractionBits);
  return {static_cast<decltype(T::bits)>(sign | kInfinity | payload)};
}

std::vector<std::byte> widen(DType dtype, std::span<const std::byte> bytes) {
  return dispatch(dtype, [&](auto zero) -> std::vector<std::byte> {
    using T = decltype(zero);
    if constexpr (ReducedFloat<T>)
      return convert<float, T>(bytes, [](T value) { return to_float(value); });
    else
      return {bytes.begin(), bytes.end()};
  });
}

std::vector<std::byte> narrow(DType dtype, std::vector<std::byte> bytes) {
  return dispatch(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (ReducedFloat<T>)
      return convert<T, float>(bytes, [](float value) { return exactly_from_float<T>(value); });
    else
      return std::move(bytes);
  });
}

/// Whole trailing axes while they fit, then a part of the next, then single rows.
h5::Shape chunk_of(const h5::Shape& shape, std::size_t item) {
  h5::Shape chunk(shape.size(), 1);
  std::int64_t room = kChunkBytes / static_cast<std::int64_t>(item);
  for (std::size_t axis = shape.size(); axis-- > 0 && room > 0;) {
    chunk[axis] = std::clamp<std::int64_t>(room, 1, shape[axis]);
    room /= shape[axis];
  }
  return chunk;
}

std::vector<std::string> axes_of(const h5::Dataset& dataset) {
  const std::string names = dataset.text(kAxes).value_or("");
  std::vector<std::string> axes = names.empty() ? std::vector<std::string>{} : split(names, ',');
  if (axes.size() != dataset.shape().size())
    throw StoreError("an output's attribute axes does not name its axes");
  return axes;
}

struct Axes {
  std::vector<std::int64_t> shape;
  std::vector<std::string> names;
};

Axes axes_of(const OutputRecord& record, const OutputData& data) {
  Axes axes{record.shape, record.dimensions};
  std::size_t expected = size_of(record.dtype);
  for (const std::int64_t extent : record.shape) expected *= static_cast<std::size_t>(extent);
  if (data.stride > 1) {
    axes.shape = {static_cast<std::int64_t>(data.bytes.size() / size_of(record.dtype))};
    axes.names = {"sampled"};
  } else if (data.bytes.size() != expected) {
    throw StoreError(
        fmt::format("output '{}' of variant '{}' has {} bytes, and not the {} of its "
                    "shape and dtype",
                    data.output, data.variant, data.bytes.size(), expected));
  }
  for (std::size_t axis = axes.names.size(); axis < axes.shape.size(); ++axis)
    axes.names.push_back(fmt::format("d{}", axis));
  axes.names.resize(axes.shape.size());
  if (info(record.dtype).kind == DTypeKind::kComplex) {
    axes.shape.push_back(2);
    axes.names.emplace_back(kParts);
  }
  return axes;
}

}  // namespace

OutputWriter::OutputWriter(h5::Group group, std::vector<std::string> names)
    : group_(std::move(group)), names_(std::move(names)) {}

void OutputWriter::write(const OutputRecord& record, const OutputData& data, int deflate) {
  const Axes axes = axes_of(record, data);
  h5::Layout layout{.type = stored_type(record.dtype), .shape = axes.shape};
  if (data.bytes.size() > kSmallOutput) {
    layout.chunk = chunk_of(layout.shape, h5::size_of(layout.type));
    layout.deflate = deflate;
    layout.checksum = true;
  }
  h5::Dataset dataset = group_.create_dataset(record.name, layout);
  if (is_reduced_float(record.dtype))
    dataset.write(widen(record.dtype, data.bytes));
  else
    dataset.write(data.bytes);
  dataset.set("units", record.units.empty() ? "1" : record.units);
  if (!record.help.empty()) dataset.set("long_name", record.help);
  dataset.set("device_dtype", name_of(record.dtype));
  if (!record.xxh3.empty()) dataset.set("xxh3", record.xxh3);
  if (record.dtype == DType::kBool) dataset.set("dtype", "bool");
  if (data.stride > 1) {
    dataset.set(kStride, data.stride);
    dataset.set("full_shape", fmt::format("{}", fmt::join(record.shape, ",")));
  }
  name_axes(dataset, record.name, axes.names);
}

void OutputWriter::copy(const std::string& name, const h5::Dataset& source) {
  h5::Dataset dataset = group_.create_dataset(name, source.layout());
  dataset.copy_from(source);
  for (const char* attribute : kTextAttributes)
    if (const auto text = source.text(attribute)) dataset.set(attribute, *text);
  if (const auto stride = source.integer(kStride)) dataset.set(kStride, *stride);
  name_axes(dataset, name, axes_of(source));
}

void OutputWriter::name_axes(h5::Dataset& dataset, const std::string& output,
                             const std::vector<std::string>& wanted) {
  const h5::Shape shape = dataset.shape();
  std::vector<std::string> names;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    names.push_back(scale_named(wanted[axis], shape[axis], output));
    const auto scale = std::ranges::find(scales_, names.back(), &Scale::name);
    dataset.attach_scale(scale->dataset, static_cast<unsigned>(axis));
  }
  if (!names.empty()) dataset.set(kAxes, join(names, ","));
}

std::string OutputWriter::scale_named(const std::string& wanted, std::int64_t extent,
                                      const std::string& output) {
  std::string name = wanted;
  for (;;) {
    const auto scale = std::ranges::find(scales_, name, &Scale::name);
    const bool is_output = std::ranges::find(names_, name) != names_.end();
    if (scale != scales_.end() && scale->extent == extent) return name;
    if (scale == scales_.end() && !is_output) break;
    name += "_" + output;
  }
  // netCDF's marker of an axis without coordinates. Nothing is written, so it takes no space.
  h5::Dataset dataset =
      group_.create_dataset(name, {.type = h5::Type::kFloat32, .shape = {extent}});
  dataset.make_scale(
      fmt::format("This is a netCDF dimension but not a netCDF variable.{:>10}", extent));
  scales_.push_back({name, extent, std::move(dataset)});
  return name;
}

void add_statistics(OutputRecord& record, std::span<const std::byte> elements) {
  const auto to_double = [](const auto& value) {
    using T = std::remove_cvref_t<decltype(value)>;
    if constexpr (ReducedFloat<T>)
      return static_cast<double>(to_float(value));
    else if constexpr (std::is_same_v<T, std::complex<float>> ||
                       std::is_same_v<T, std::complex<double>>)
      return static_cast<double>(std::abs(value));
    else
      return static_cast<double>(value);
  };
  double low = kMissing, high = kMissing, sum = 0;
  std::int64_t finite = 0, nonfinite = 0;
  dispatch(record.dtype, [&](auto element) {
    for (std::size_t at = 0; at + sizeof(element) <= elements.size(); at += sizeof(element)) {
      std::memcpy(&element, elements.data() + at, sizeof(element));
      const double value = to_double(element);
      if (!std::isfinite(value)) {
        ++nonfinite;
        continue;
      }
      low = finite == 0 ? value : std::min(low, value);
      high = finite == 0 ? value : std::max(high, value);
      sum += value;
      ++finite;
    }
  });
  record.minimum = low;
  record.maximum = high;
  record.mean = finite > 0 ? sum / static_cast<double>(finite) : kMissing;
  record.nonfinite = nonfinite;
}

StoredOutput read_output(const h5::Dataset& dataset) {
  const auto dtype = dtype_named(dataset.text("device_dtype").value_or(""));
  if (!dtype) throw StoreError("an output lacks the attribute device_dtype, or it is unknown");
  const bool is_complex = info(*dtype).kind == DTypeKind::kComplex;
  const h5::Layout& layout = dataset.layout();
  if (layout.type != stored_type(*dtype) ||
      (is_complex && (layout.shape.empty() || layout.shape.back() != 2)))
    throw StoreError("an output's elements do not match its attribute device_dtype");
  StoredOutput output{.dtype = *dtype,
                      .shape = dataset.shape(),
                      .dimensions = axes_of(dataset),
                      .units = dataset.text("units").value_or("1"),
                      .long_name = dataset.text("long_name").value_or(""),
                      .xxh3 = dataset.text("xxh3").value_or(""),
                      .stride = dataset.integer(kStride).value_or(1),
                      .bytes = dataset.read()};
  if (is_complex) {
    output.shape.pop_back();
    output.dimensions.pop_back();
  }
  output.bytes = narrow(*dtype, std::move(output.bytes));
  return output;
}

void require_whole(const h5::Dataset& dataset, const OutputRecord& record, std::string_view what) {
  if (record.xxh3.empty()) return;
  // If the record lacks the stride, the dataset has it.
  const std::int64_t stride =
      record.stride >= 0 ? record.stride : dataset.integer(kStride).value_or(1);
  if (stride != 1) return;
  std::vector<std::byte> bytes = dataset.read();
  bytes = narrow(record.dtype, std::move(bytes));
  if (hash_hex(bytes) != record.xxh3)
    throw StoreError(fmt::format("{} is damaged: its elements do not fit their digest", what));
}

void require_whole(const StoredOutput& output, std::string_view known, std::string_view what) {
  if (!known.empty() && output.xxh3 != known)
    throw StoreError(fmt::format("{} does not match its record", what));
  if (output.stride == 1 && !output.xxh3.empty() && hash_hex(output.bytes) != output.xxh3)
    throw StoreError(fmt::format("{} is damaged: its elements do not fit their digest", what));
}

}  // namespace kernelbatch
