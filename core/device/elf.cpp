#include "core/device/elf.hpp"

namespace kernelbatch::elf {
namespace {

std::string_view part(std::string_view bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size) return {};
  return bytes.substr(offset, size);
}

}  // namespace

std::string text_at(std::string_view table, std::uint64_t offset) {
  if (offset >= table.size()) return {};
  const std::string_view rest = table.substr(offset);
  return std::string(rest.substr(0, rest.find('\0')));
}

std::vector<Section> sections_of(std::string_view file) {
  std::vector<Section> sections;
  const auto header = read_at<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64)
    return sections;
  const auto section_at = [&](unsigned number) {
    return read_at<Elf64_Shdr>(file, header->e_shoff + std::uint64_t{number} * header->e_shentsize);
  };
  const auto names = section_at(header->e_shstrndx);
  if (!names) return sections;
  const std::string_view table = part(file, names->sh_offset, names->sh_size);
  for (unsigned k = 0; k < header->e_shnum; ++k) {
    const auto section = section_at(k);
    if (!section) return {};
    const bool has_bytes = section->sh_type != SHT_NOBITS;
    sections.push_back(
        {text_at(table, section->sh_name),
         has_bytes ? part(file, section->sh_offset, section->sh_size) : std::string_view(),
         *section});
  }
  return sections;
}

}  // namespace kernelbatch::elf
