#include "core/device/fatbin.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "core/device/elf.hpp"

namespace kernelbatch::fatbin {
namespace {

constexpr std::uint32_t kMagic = 0xba55ed50, kWrapperMagic = 0x466243b1;

struct Header {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t code_bytes;
};

struct Wrapper {
  std::uint32_t magic, version;
  const void* code;
};

struct PartHeader {
  std::uint16_t kind, version;
  std::uint32_t header_bytes;
  std::uint64_t padded_bytes;
  std::uint32_t stored_bytes, unknown0[2], capability, unknown1[2];
  std::uint64_t flags, unknown2, bytes;
};

Compression compression_of(std::uint64_t flags) {
  constexpr std::uint64_t kLz4 = 0x2000, kZstd = 0x8000, kOther = 0x1000;
  if ((flags & kLz4) != 0) return Compression::kLz4;
  if ((flags & kZstd) != 0) return Compression::kZstd;
  return (flags & kOther) != 0 ? Compression::kUnknown : Compression::kNone;
}

}  // namespace

std::string_view at_address(const void* code) {
  if (code == nullptr) return {};
  std::uint32_t magic = 0;
  std::memcpy(&magic, code, sizeof magic);
  if (magic == kWrapperMagic) {
    Wrapper wrapper{};
    std::memcpy(&wrapper, code, sizeof wrapper);
    return wrapper.code == code ? std::string_view{} : at_address(wrapper.code);
  }
  if (magic != kMagic) return {};
  Header header{};
  std::memcpy(&header, code, sizeof header);
  return {static_cast<const char*>(code), header.header_bytes + header.code_bytes};
}

std::vector<Part> parts_of(std::string_view binary) {
  constexpr std::uint16_t kPtx = 1, kCubin = 2;
  std::vector<Part> parts;
  const auto header = elf::read_at<Header>(binary, 0);
  if (!header || header->magic != kMagic) return parts;
  for (std::uint64_t at = header->header_bytes;;) {
    const auto part = elf::read_at<PartHeader>(binary, at);
    if (!part || part->header_bytes < sizeof *part) return parts;
    at += part->header_bytes;
    if (at > binary.size() || part->padded_bytes > binary.size() - at) return parts;
    const Compression compression = compression_of(part->flags);
    const bool is_plain = compression == Compression::kNone;
    std::string_view stored = binary.substr(at, part->padded_bytes);
    if (!is_plain) stored = stored.substr(0, part->stored_bytes);
    if (part->kind == kPtx || part->kind == kCubin)
      parts.push_back({.is_ptx = part->kind == kPtx,
                       .capability = part->capability,
                       .compression = compression,
                       .bytes = is_plain ? part->padded_bytes : part->bytes,
                       .stored = stored});
    at += part->padded_bytes;
  }
}

bool has_entry(std::string_view ptx, std::string_view entry) {
  constexpr std::string_view kEntry = ".entry";
  for (std::size_t at = ptx.find(kEntry); at != std::string_view::npos; at = ptx.find(kEntry, at)) {
    at = std::min(ptx.find_first_not_of(" \t\r\n", at + kEntry.size()), ptx.size());
    const std::string_view rest = ptx.substr(at);
    if (rest.starts_with(entry) &&
        (rest.size() == entry.size() ||
         std::isspace(static_cast<unsigned char>(rest[entry.size()])) || rest[entry.size()] == '('))
      return true;
  }
  return false;
}

}  // namespace kernelbatch::fatbin
