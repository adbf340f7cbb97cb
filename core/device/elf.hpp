// Sections of a 64-bit ELF file: a cubin, or a library of the host device.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernelbatch::elf {

/// Reads a plain struct at an offset; nothing past the end.
template <class T>
std::optional<T> read_at(std::string_view bytes, std::uint64_t offset) {
  T value;
  if (offset > bytes.size() || bytes.size() - offset < sizeof value) return std::nullopt;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

struct Section {
  std::string name;
  std::string_view bytes;
  Elf64_Shdr header;
};

/// Sections of a file, whose bytes must outlive them. Empty if it is not a 64-bit ELF file.
std::vector<Section> sections_of(std::string_view file);

/// The null-terminated text at an offset; empty past the end.
std::string text_at(std::string_view table, std::uint64_t offset);

}  // namespace kernelbatch::elf
