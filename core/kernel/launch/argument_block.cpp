#include "core/kernel/launch/argument_block.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"

namespace kernelbatch {
namespace {

std::size_t view_word_count(const Array& array) {
  return 2 + 2 * static_cast<std::size_t>(std::max(array.axes(), 1));
}

void write_view_words(const Array& array, std::int64_t* to) noexcept {
  *to++ = reinterpret_cast<std::int64_t>(array.data());
  *to++ = array.size();
  // Zero-length arrays are not allowed in a struct: a view without axes has length 1.
  if (array.axes() == 0) {
    *to++ = 1;
    *to++ = 0;
    return;
  }
  to = std::copy(array.shape().begin(), array.shape().end(), to);
  std::copy(array.strides().begin(), array.strides().end(), to);
}

}  // namespace

void require_same_layout(const ArgumentBlock& block, const Kernel& kernel,
                         const std::string& name) {
  const std::span<const std::size_t> given = block.sizes(), wanted = kernel.parameter_sizes();
  if (wanted.empty() || std::equal(given.begin(), given.end(), wanted.begin(), wanted.end()))
    return;
  throw RunError(
      fmt::format("'{}' was compiled with parameters of {} bytes, the host packs {}: "
                  "this is a fault of kernelbatch",
                  name, fmt::join(wanted, ", "), fmt::join(given, ", ")));
}

std::byte* ArgumentBlock::append_space(std::size_t size) {
  const std::size_t offset = (bytes_.size() + 15) / 16 * 16;
  bytes_.resize(offset + size);
  offsets_.push_back(offset);
  sizes_.push_back(size);
  return bytes_.data() + offset;
}

std::size_t ArgumentBlock::append(const void* bytes, std::size_t size) {
  std::byte* const to = append_space(size);
  std::memcpy(to, bytes, size);
  return static_cast<std::size_t>(to - bytes_.data());
}

void ArgumentBlock::append_view(const Array& array) {
  const std::size_t words = view_word_count(array);
  write_view_words(array,
                   reinterpret_cast<std::int64_t*>(append_space(words * sizeof(std::int64_t))));
}

std::span<void* const> ArgumentBlock::addresses() {
  addresses_.resize(offsets_.size());
  for (std::size_t k = 0; k < offsets_.size(); ++k)
    addresses_.data()[k] = bytes_.data() + offsets_.data()[k];
  return {addresses_.data(), addresses_.size()};
}

std::size_t StructBytes::append(std::string_view type, std::string_view name, const void* bytes,
                                std::size_t size, std::size_t alignment, std::string_view comment) {
  alignment_ = std::max(alignment_, alignment);
  const std::size_t offset = (bytes_.size() + alignment - 1) / alignment * alignment;
  bytes_.resize(offset);
  const auto* from = static_cast<const std::byte*>(bytes);
  bytes_.insert(bytes_.end(), from, from + size);
  members_ += fmt::format("{}  {} {};{}{}", members_.empty() ? "" : "\n", type, name,
                          comment.empty() ? "" : "  // ", comment);
  return offset;
}

std::size_t StructBytes::append_struct(std::string_view type, std::string_view name,
                                       const StructBytes& value) {
  const std::vector<std::byte> bytes = value.finish();
  return append(type, name, bytes.data(), bytes.size(), value.alignment_);
}

std::string StructBytes::assertion(std::string_view name) const {
  return fmt::format(
      "static_assert(sizeof({}) == {}, \"the host packs the arguments differently\");", name,
      finish().size());
}

std::vector<std::byte> StructBytes::finish() const {
  std::vector<std::byte> bytes = bytes_;
  bytes.resize(std::max<std::size_t>(1, (bytes.size() + alignment_ - 1) / alignment_) * alignment_);
  return bytes;
}

std::string view_type(const Array& array, std::string_view element_type) {
  return fmt::format("kernelbatch::array_view<{}, {}, {}>", element_type, array.axes(),
                     array.is_contiguous());
}

std::vector<std::int64_t> view_words(const Array& array) {
  std::vector<std::int64_t> words(view_word_count(array));
  write_view_words(array, words.data());
  return words;
}

}  // namespace kernelbatch
