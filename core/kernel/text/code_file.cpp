#include "core/kernel/text/code_file.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
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

/// "sm_90a"; empty if the code has none or several.
std::string architecture_of(std::string_view bytes) {
  if (bytes.starts_with(ELFMAG)) {
    Elf64_Ehdr header{};
    if (!read_header(bytes, header)) return "";
    constexpr unsigned char kShiftedFlags = 8;  // since CUDA 13
    const unsigned shift = header.e_ident[EI_ABIVERSION] >= kShiftedFlags ? 8 : 0;
    return fmt::format("sm_{}", header.e_flags >> shift & 0xffu);
  }
  constexpr std::string_view kTarget = "\n.target sm_";
  const std::size_t at = bytes.find(kTarget);
  if (at == std::string_view::npos) return "";
  const std::string_view name = bytes.substr(at + kTarget.size() - 3);
  return std::string(name.substr(0, name.find_first_of(", \t\r\n")));
}

/// 90 for "sm_90a".
int capability_of(const std::string& target) { return std::atoi(target.c_str() + 3); }

}  // namespace

std::string reason_not_for(std::string_view target, std::string_view bytes) {
  const std::string code = architecture_of(bytes);
  if (code.empty() || !target.starts_with("sm_")) return "";
  const int needed = capability_of(code), given = capability_of(std::string(target));
  const bool is_family = bytes.starts_with(ELFMAG) || code.ends_with('f');
  const bool fits = code.ends_with('a')
                        ? needed == given
                        : needed <= given && (!is_family || needed / 10 == given / 10);
  return fits ? "" : fmt::format("it is for {}, and the GPU is {}", code, target);
}

std::string reason_no_code(std::string_view extension, std::string_view bytes) {
  if (extension == ".cubin") return reason_no_cubin(bytes);
  if (extension == ".fatbin") return reason_no_fatbin(bytes);
  if (bytes.find(".version") == std::string_view::npos ||
      bytes.find(".target") == std::string_view::npos)
    return "it has no .version and .target";
  return "";
}

}  // namespace kernelbatch
