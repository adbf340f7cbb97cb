// Decompression of a fat binary's parts. The injected library does without it.
#include <algorithm>
#include <string>

#include "core/base/shared_library.hpp"
#include "core/device/fatbin.hpp"

namespace kernelbatch::fatbin {
namespace {

/// Reads an LZ4 block: literals alternate with copies of earlier bytes.
class Lz4 {
 public:
  explicit Lz4(std::string_view from) : from_(from) {}

  std::optional<std::string> read(std::uint64_t bytes) {
    while (at_ < from_.size()) {
      const unsigned token = next();
      const std::uint64_t literals = length(token >> 4);
      if (literals > from_.size() - at_ || text_.size() + literals > bytes) return std::nullopt;
      text_ += from_.substr(at_, literals);
      at_ += literals;
      if (at_ == from_.size()) break;  // the last literals have no copy
      std::uint64_t distance = next();
      distance |= std::uint64_t{next()} << 8;
      const std::uint64_t copied = length(token & 15u) + 4;
      if (distance == 0 || distance > text_.size() || text_.size() + copied > bytes)
        return std::nullopt;
      for (std::uint64_t k = 0; k < copied; ++k) text_ += text_[text_.size() - distance];
    }
    return text_.size() == bytes ? std::optional(std::move(text_)) : std::nullopt;
  }

 private:
  unsigned next() { return at_ < from_.size() ? static_cast<unsigned char>(from_[at_++]) : 0; }
  std::uint64_t length(std::uint64_t value) {
    constexpr unsigned kMore = 255;
    if (value < 15) return value;
    for (unsigned more = kMore; more == kMore && at_ < from_.size(); value += more) more = next();
    return value;
  }

  std::string_view from_;
  std::size_t at_ = 0;
  std::string text_;
};

std::optional<std::string> read_zstd(std::string_view from, std::uint64_t bytes) {
  using Decompress = std::size_t(void*, std::size_t, const void*, std::size_t);
  static const auto library =
      SharedLibrary::try_open("libzstd.so.1", SharedLibrary::Lifetime::kProcess);
  if (!library) return std::nullopt;
  auto* const decompress = reinterpret_cast<Decompress*>(library->find("ZSTD_decompress"));
  if (decompress == nullptr) return std::nullopt;
  std::string text(bytes, '\0');
  // An error is a number above every size.
  if (decompress(text.data(), bytes, from.data(), from.size()) != bytes) return std::nullopt;
  return text;
}

}  // namespace

std::optional<std::string> content_of(const Part& part) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30;  // a damaged size
  if (part.bytes > kMost) return std::nullopt;
  switch (part.compression) {
    case Compression::kNone:
      return std::string(part.stored);
    case Compression::kLz4:
      return Lz4(part.stored).read(part.bytes);
    case Compression::kZstd:
      return read_zstd(part.stored, part.bytes);
    case Compression::kUnknown:
      break;
  }
  return std::nullopt;
}

std::optional<std::string> ptx_with(std::vector<Part> parts,
                                    const std::vector<std::string>& entries) {
  std::ranges::stable_sort(parts, std::ranges::greater{}, &Part::capability);
  for (const Part& part : parts) {
    if (!part.is_ptx) continue;
    auto text = content_of(part);
    if (!text) continue;
    text->resize(std::min(text->find('\0'), text->size()));
    if (std::ranges::all_of(entries,
                            [&](const std::string& entry) { return has_entry(*text, entry); }))
      return text;
  }
  return std::nullopt;
}

}  // namespace kernelbatch::fatbin
