#include "core/kernel/text/code_file.hpp"

#include <elf.h>

#include <cstdint>
#include <cstring>

namespace kernelbatch {
namespace {

template <class Header>
bool read_header(std::string_view bytes, Header& header) {
  if (bytes.size() < sizeof header) return false;
  std::memcpy(&header, bytes.data(), sizeof header);
  return true;
}

std::string reason_no_cubin(std::string_view bytes) {
  constexpr std::uint16_t kMachineCuda = 190;
  if (!bytes.starts_with(ELFMAG)) return "it is not an ELF image";
  Elf64_Ehdr header{};
  if (!read_header(bytes, header)) return "it is cut off";
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != kMachineCuda)
    return "it is an ELF image, but not for a GPU";
  const auto holds = [&](std::uint64_t offset, std::uint64_t count, std::uint64_t size) {
    return offset <= bytes.size() && count * size <= bytes.size() - offset;
  };
  if (!holds(header.e_shoff, header.e_shnum, header.e_shentsize) ||
      !holds(header.e_phoff, header.e_phnum, header.e_phentsize))
    return "it is cut off";
  return "";
}

std::string reason_no_fatbin(std::string_view bytes) {
  struct {
    std::uint32_t magic;
    std::uint16_t version, header_bytes;
    std::uint64_t code_bytes;
  } header{};
  constexpr std::uint32_t kFatbinMagic = 0xba55ed50;
  const bool is_whole = read_header(bytes, header);
  if (!is_whole || header.magic != kFatbinMagic) return "it does not begin like a fat binary";
  if (header.header_bytes > bytes.size() || header.code_bytes > bytes.size() - header.header_bytes)
    return "it is cut off";
  return "";
}

}  // namespace

std::string reason_no_code(std::string_view extension, std::string_view bytes) {
  if (extension == ".cubin") return reason_no_cubin(bytes);
  if (extension == ".fatbin") return reason_no_fatbin(bytes);
  if (bytes.find(".version") == std::string_view::npos ||
      bytes.find(".target") == std::string_view::npos)
    return "it has no .version and .target";
  return "";
}

}  // namespace kernelbatch
