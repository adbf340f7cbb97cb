#include "core/device/host/tensor_box.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "core/base/error.hpp"
#include "core/device/host/tensor_reduction.hpp"

namespace kernelbatch::host {
namespace {

constexpr int kMostAxes = TensorMapForm::kMostAxes;

/// PTX's numbers of a swizzle: the span and the size of chunks.
struct SwizzleParts {
  unsigned char span, atom;
};
constexpr SwizzleParts kSwizzles[] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {3, 1}, {3, 2}, {3, 3}};

/// The NaN outside of a tensor, of whose bits elements of all types are (seen on an H200).
constexpr std::uint16_t kNanBits = 0x7ff7;

/// Rounds to the format of tensor cores, ties to even. Loads keep subnormal numbers, also in maps
/// with ftz (seen on an H200).
void convert(TensorType type, char* elements, std::size_t bytes) {
  if (type != TensorType::kTFloat32 && type != TensorType::kTFloat32Ftz) return;
  constexpr std::uint32_t kSign = 1u << 31, kInfinity = 0xffu << 23, kNan = 0x7fffe000,
                          kLast = 1u << 13;
  for (std::size_t at = 0; at < bytes; at += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, elements + at, 4);
    const bool is_odd = (word & kLast) != 0;
    if ((word & ~kSign) > kInfinity)
      word = kNan;
    else
      word = (word + kLast / 2 - (is_odd ? 0 : 1)) & ~(kLast - 1);
    std::memcpy(elements + at, &word, 4);
  }
}

}  // namespace

TensorMap encode_tensor_map(const TensorMapForm& form) {
  if (form.interleave != TensorInterleave::kNone)
    throw UnsupportedError("needs cuda: interleaved tensor maps are not on the host device");
  const SwizzleParts swizzle = kSwizzles[static_cast<std::size_t>(form.swizzle)];
  kernelbatch_host::TensorMap map{};
  map.mark = kernelbatch_host::kTensorMapMark;
  map.address = static_cast<char*>(form.address);
  map.axes = static_cast<unsigned char>(form.axes);
  map.type = static_cast<unsigned char>(form.type);
  map.swizzle = swizzle.span;
  map.atom = swizzle.atom;
  map.fills_nan = form.fill == TensorFill::kNan;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(form.axes); ++axis) {
    map.extents[axis] = form.extents[axis];
    if (axis > 0) map.strides[axis - 1] = form.strides[axis];
    map.box[axis] = static_cast<unsigned short>(form.box[axis]);
    map.element_strides[axis] = static_cast<unsigned char>(form.element_strides[axis]);
  }
  static_assert(sizeof map <= sizeof(TensorMap));
  TensorMap encoded;
  std::memcpy(encoded.words.data(), &map, sizeof map);
  return encoded;
}

const char* TensorBox::error_of(const kernelbatch_host::TensorCopy& copy) {
  kernelbatch_host::TensorMap map;
  if (reinterpret_cast<std::uintptr_t>(copy.map) % 64 != 0)
    return "the tensor map's address is no multiple of 64";
  std::memcpy(&map, copy.map, sizeof map);
  if (map.mark != kernelbatch_host::kTensorMapMark)
    return "the tensor map is not one of the host device: it was encoded for a GPU, or is "
           "uninitialized (a job makes one with {tensor_map: x, box: …})";
  if (map.axes != copy.axes)
    return "the tensor map and the instruction have different numbers of axes";
  if (map.is_interleaved != 0) return "interleaved tensor maps are not on the host device";
  if (map.type > static_cast<unsigned>(TensorType::kTFloat32Ftz) || map.swizzle > 3)
    return "the tensor map has a type or swizzle that is not on the host device";
  for (int axis = 0; axis < map.axes; ++axis)
    if (map.box[axis] < 1 || map.box[axis] > 256 || map.extents[axis] == 0 ||
        map.element_strides[axis] < 1 || map.element_strides[axis] > 8)
      return "the tensor map is incomplete: a length of the tensor or of its box is not valid";
  const NamedTensorType& type = row_of(static_cast<TensorType>(map.type));
  const unsigned row = map.box[0] * type.bytes;
  if (row % 16 != 0 || (map.swizzle > 0 && row > 16u << map.swizzle))
    return "the tensor map's box has rows that its swizzle does not allow, or whose bytes are no "
           "multiple of 16";
  // An H200 ends the kernel with an illegal instruction, here and in the next case.
  if (copy.at[0] * static_cast<int>(type.bytes) % 16 != 0)
    return "the box's first coordinate is no multiple of 16 bytes";
  const bool writes = copy.action != kernelbatch_host::kTensorLoad;
  for (int axis = 0; writes && axis < copy.axes; ++axis)
    if (copy.at[axis] < 0)
      return "the box that is written has a negative coordinate, which only loads may have";
  return nullptr;
}

TensorBox::TensorBox(const kernelbatch_host::TensorCopy& copy)
    : action_(copy.action), shared_(static_cast<char*>(copy.place)) {
  std::memcpy(&map_, copy.map, sizeof map_);
  type_ = static_cast<TensorType>(map_.type);
  row_bytes_ = map_.box[0] * std::size_t{row_of(type_).bytes};
  pitch_ = map_.swizzle == 0 ? row_bytes_ : std::size_t{16} << map_.swizzle;
  chunk_ = map_.swizzle == 0 ? 0 : map_.atom == 2 ? 8 : 16;
  add_rows(copy);
}

void TensorBox::add_rows(const kernelbatch_host::TensorCopy& copy) {
  const auto item = std::int64_t{row_of(type_).bytes};
  const auto extent = static_cast<std::int64_t>(map_.extents[0]);
  // Elements of axis 0 that lie in the tensor.
  const std::int64_t first = std::clamp<std::int64_t>(-std::int64_t{copy.at[0]}, 0, map_.box[0]);
  const std::int64_t last = std::clamp<std::int64_t>(extent - copy.at[0], first, map_.box[0]);
  std::array<unsigned, kMostAxes> at{};
  for (;;) {
    bool is_inside = last > first;
    std::int64_t offset = (copy.at[0] + first) * item;
    for (std::size_t axis = 1; axis < map_.axes; ++axis) {
      const std::int64_t place = copy.at[axis] + std::int64_t{at[axis]};
      is_inside = is_inside && place >= 0 && static_cast<std::uint64_t>(place) < map_.extents[axis];
      offset += place * static_cast<std::int64_t>(map_.strides[axis - 1]);
    }
    Row row{.offset = rows_.size() * pitch_};
    if (is_inside) {
      row.global = map_.address + offset;
      row.skipped = static_cast<std::size_t>(first * item);
      row.inside = static_cast<std::size_t>((last - first) * item);
    }
    rows_.push_back(row);
    std::size_t axis = 1;
    for (; axis < map_.axes; ++axis) {
      if ((at[axis] += map_.element_strides[axis]) < map_.box[axis]) break;
      at[axis] = 0;
    }
    if (axis >= map_.axes) return;
  }
}

/// PTX ISA, "Swizzling Modes": chunks of a span are exchanged by the address's bits from 7 on.
char* TensorBox::place(char* unswizzled) const {
  if (map_.swizzle == 0) return unswizzled;
  auto address = reinterpret_cast<std::uintptr_t>(unswizzled);
  const std::uintptr_t line = address >> 7;
  if (map_.swizzle < 3 || map_.atom == 0) {
    address ^= (line & ((std::uintptr_t{1} << map_.swizzle) - 1)) << 4;
  } else if (map_.atom == 3) {
    address ^= (line & 1) << 6;
  } else {
    address ^= (line & 3) << 5;
    if (map_.atom == 2) address ^= (line & 1) << 3;
  }
  return reinterpret_cast<char*>(address);
}

void TensorBox::load(const Row& row) const {
  std::array<char, 256 * 8> elements;
  std::memset(elements.data(), 0, row_bytes_);
  for (std::size_t k = 0; map_.fills_nan != 0 && k < row_bytes_; k += sizeof kNanBits)
    std::memcpy(elements.data() + k, &kNanBits, sizeof kNanBits);
  if (row.inside > 0) std::memcpy(elements.data() + row.skipped, row.global, row.inside);
  convert(type_, elements.data() + row.skipped, row.inside);
  for_pieces(row, 0, row_bytes_, [&](char* to, std::size_t from, std::size_t bytes) {
    std::memcpy(to, elements.data() + from, bytes);
  });
}

std::vector<char> TensorBox::gather() const {
  std::vector<char> data(bytes());
  for (std::size_t k = 0; k < rows_.size(); ++k)
    for_pieces(rows_[k], rows_[k].skipped, rows_[k].skipped + rows_[k].inside,
               [&](const char* from, std::size_t at, std::size_t count) {
                 std::memcpy(data.data() + k * row_bytes_ + at, from, count);
               });
  return data;
}

void TensorBox::land(const std::vector<char>& data) const {
  if (is_load()) {
    for (const Row& row : rows_) load(row);
    return;
  }
  const std::vector<char> now = data.empty() ? gather() : std::vector<char>{};
  const std::vector<char>& source = data.empty() ? now : data;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const Row& row = rows_[k];
    const char* const from = source.data() + k * row_bytes_ + row.skipped;
    if (row.inside == 0) continue;
    if (is_reduction())
      reduce_elements(type_, action_, row.global, from, row.inside);
    else
      std::memcpy(row.global, from, row.inside);
  }
}

}  // namespace kernelbatch::host
