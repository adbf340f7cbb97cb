#include "core/device/host/image_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/device/elf.hpp"
#include "core/device/host/allowed_imports.hpp"
#include "core/device/launch_log.hpp"

namespace kernelbatch::host {
namespace {

#if defined(__aarch64__)
constexpr std::uint32_t kResolverRelocation = 1032;  // R_AARCH64_IRELATIVE
#else
constexpr std::uint32_t kResolverRelocation = R_X86_64_IRELATIVE;
#endif
constexpr std::size_t kNamed = 5;

[[noreturn]] void refuse(std::string_view action, std::vector<std::string> names) {
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::string text;
  for (std::size_t k = 0; k < std::min(names.size(), kNamed); ++k)
    text += fmt::format("{}'{}'", k == 0 ? "" : ", ", visible_line(names[k]));
  if (names.size() > kNamed) text += fmt::format(" and {} more", names.size() - kNamed);
  throw CompileError(
      fmt::format("the kernel's image {} {}, which kernels may not use; --no-sandbox trusts a text",
                  action, text),
      "", "");
}

/// Only symbols of C++: "x" alone is the type long long to the demangler.
std::string readable(const std::string& symbol) {
  return symbol.starts_with("_Z") ? demangled(symbol.c_str()) : symbol;
}

struct Symbol {
  std::string name;
  Elf64_Sym entry;
};

class LibraryFile {
 public:
  explicit LibraryFile(std::string_view bytes) : sections_(elf::sections_of(bytes)) {
    if (sections_.empty()) throw CompileError("the kernel's image is no ELF file", "", "");
    for (const elf::Section& section : sections_)
      if (section.header.sh_type == SHT_SYMTAB || section.header.sh_type == SHT_DYNSYM)
        read_symbols(section);
  }

  std::vector<std::string> forbidden_imports() const {
    std::vector<std::string> names;
    for (const Symbol& symbol : dynamic_)
      if (symbol.entry.st_shndx == SHN_UNDEF && !symbol.name.empty() &&
          !is_allowed_import(symbol.name))
        names.push_back(readable(symbol.name));
    return names;
  }

  /// Names of functions that resolve others while the library is loaded.
  std::vector<std::string> resolvers() const {
    std::vector<std::string> names;
    for (const Symbol& symbol : all_)
      if (ELF64_ST_TYPE(symbol.entry.st_info) == STT_GNU_IFUNC && is_defined(symbol))
        names.push_back(readable(symbol.name));
    each_relocation([&](const Elf64_Rela& relocation) {
      if (names.empty() && ELF64_R_TYPE(relocation.r_info) == kResolverRelocation)
        names.push_back(function_at(static_cast<std::uint64_t>(relocation.r_addend)));
    });
    return names;
  }

  /// Functions that the loader calls, by the tags of the dynamic section.
  std::vector<std::string> called_by_loader() const {
    std::vector<std::string> names;
    for (const elf::Section& section : sections_) {
      if (section.header.sh_type != SHT_DYNAMIC) continue;
      std::array<std::uint64_t, 64> value{};
      for (std::uint64_t at = 0; const auto tag = elf::read_at<Elf64_Dyn>(section.bytes, at);
           at += sizeof *tag)
        if (tag->d_tag >= 0 && static_cast<std::size_t>(tag->d_tag) < value.size())
          value[static_cast<std::size_t>(tag->d_tag)] = tag->d_un.d_val;
      for (const std::uint64_t address : {value[DT_INIT], value[DT_FINI]})
        if (address != 0) names.push_back(function_at(address));
      add_array(value[DT_PREINIT_ARRAY], value[DT_PREINIT_ARRAYSZ], names);
      add_array(value[DT_INIT_ARRAY], value[DT_INIT_ARRAYSZ], names);
      add_array(value[DT_FINI_ARRAY], value[DT_FINI_ARRAYSZ], names);
    }
    return names;
  }

 private:
  static bool is_defined(const Symbol& symbol) { return symbol.entry.st_shndx != SHN_UNDEF; }

  void read_symbols(const elf::Section& section) {
    if (section.header.sh_link >= sections_.size()) return;
    const std::string_view names = sections_[section.header.sh_link].bytes;
    for (std::uint64_t at = 0; const auto entry = elf::read_at<Elf64_Sym>(section.bytes, at);
         at += sizeof *entry) {
      all_.push_back({elf::text_at(names, entry->st_name), *entry});
      if (section.header.sh_type == SHT_DYNSYM) dynamic_.push_back(all_.back());
    }
  }

  template <class Visit>
  void each_relocation(const Visit& visit) const {
    for (const elf::Section& section : sections_)
      if (section.header.sh_type == SHT_RELA)
        for (std::uint64_t at = 0;
             const auto relocation = elf::read_at<Elf64_Rela>(section.bytes, at);
             at += sizeof *relocation)
          visit(*relocation);
  }

  /// An array's functions are the addends of the relocations inside it, or named by their symbols.
  void add_array(std::uint64_t begin, std::uint64_t bytes, std::vector<std::string>& names) const {
    const std::size_t wanted = names.size() + bytes / sizeof(std::uint64_t);
    each_relocation([&](const Elf64_Rela& relocation) {
      if (names.size() == wanted || relocation.r_offset < begin ||
          relocation.r_offset - begin >= bytes)
        return;
      const std::uint64_t symbol = ELF64_R_SYM(relocation.r_info);
      names.push_back(symbol != 0 && symbol < dynamic_.size()
                          ? readable(dynamic_[symbol].name)
                          : function_at(static_cast<std::uint64_t>(relocation.r_addend)));
    });
    while (names.size() < wanted) names.emplace_back("a function without a name");
  }

  std::string function_at(std::uint64_t address) const {
    for (const Symbol& symbol : all_)
      if (is_defined(symbol) && symbol.entry.st_value == address &&
          ELF64_ST_TYPE(symbol.entry.st_info) != STT_SECTION && !symbol.name.empty())
        return readable(symbol.name);
    return "a function without a name";
  }

  std::vector<elf::Section> sections_;
  std::vector<Symbol> all_, dynamic_;
};

}  // namespace

void require_plain_image(std::string_view library, bool reports_accesses) {
  const LibraryFile file(library);
  if (auto names = file.forbidden_imports(); !names.empty()) refuse("calls", std::move(names));
  if (auto names = file.resolvers(); !names.empty())
    refuse("has the IFUNC resolver", std::move(names));
  auto names = file.called_by_loader();
  // Dynamic initialisation, which shared memory declared outside of functions needs; the worker is
  // confined before it runs.
  std::erase_if(names, [](const std::string& name) { return name.starts_with("_GLOBAL__sub_I_"); });
  if (names.size() > (reports_accesses ? 1 : 0))
    refuse("has the constructor or destructor", std::move(names));
}

}  // namespace kernelbatch::host
