#include "tests/cheats/plugins/redirect.hpp"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace cheats {
namespace {

/// Redirects every relocation of `symbol` in one library.
void redirect(const dl_phdr_info& library, const char* symbol, void* to) {
  const ElfW(Dyn)* entry = nullptr;
  for (int k = 0; k < library.dlpi_phnum; ++k)
    if (library.dlpi_phdr[k].p_type == PT_DYNAMIC)
      entry = reinterpret_cast<const ElfW(Dyn)*>(library.dlpi_addr + library.dlpi_phdr[k].p_vaddr);
  const ElfW(Sym)* symbols = nullptr;
  const char* names = nullptr;
  const ElfW(Rela) * tables[2] = {};
  std::size_t sizes[2] = {};
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    const auto address = entry->d_un.d_ptr;
    if (address < library.dlpi_addr && entry->d_tag != DT_PLTRELSZ && entry->d_tag != DT_RELASZ)
      continue;  // the kernel's own library is not relocated
    if (entry->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(address);
    if (entry->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(address);
    if (entry->d_tag == DT_JMPREL) tables[0] = reinterpret_cast<const ElfW(Rela)*>(address);
    if (entry->d_tag == DT_RELA) tables[1] = reinterpret_cast<const ElfW(Rela)*>(address);
    if (entry->d_tag == DT_PLTRELSZ) sizes[0] = entry->d_un.d_val;
    if (entry->d_tag == DT_RELASZ) sizes[1] = entry->d_un.d_val;
  }
  if (symbols == nullptr || names == nullptr) return;
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  for (int table = 0; table < 2; ++table)
    for (std::size_t k = 0; tables[table] != nullptr && k < sizes[table] / sizeof(ElfW(Rela));
         ++k) {
      const ElfW(Rela)& place = tables[table][k];
      const auto number = place.r_info >> 32;
      if (number == 0 || std::strcmp(names + symbols[number].st_name, symbol) != 0) continue;
      const std::uintptr_t address = library.dlpi_addr + place.r_offset;
      ::mprotect(reinterpret_cast<void*>(address / page * page), page, PROT_READ | PROT_WRITE);
      std::memcpy(reinterpret_cast<void*>(address), &to, sizeof to);
    }
}

struct Redirection {
  const char* symbol;
  void* to;
};

}  // namespace

void redirect_calls(const char* symbol, void* to) {
  Redirection redirection{symbol, to};
  ::dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void* data) {
        const auto& wanted = *static_cast<const Redirection*>(data);
        if (std::string_view(library->dlpi_name).find("libkernelbatch") != std::string_view::npos)
          redirect(*library, wanted.symbol, wanted.to);
        return 0;
      },
      &redirection);
}

}  // namespace cheats
