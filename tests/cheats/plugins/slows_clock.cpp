// cheat: slows_clock
// fault: puts its own clock, at a quarter of the speed, in the place of the C++ library's
// caught by: a clock that cannot be replaced, or a second one beside it
// needs: host: a GPU's times are its own
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstring>

#include "tests/cheats/plugins/cheat.hpp"

namespace {

using namespace cheats;
using Clock = std::chrono::steady_clock;

Clock::time_point (*true_now)() noexcept = nullptr;
Clock::time_point begin;

Clock::time_point slow_now() noexcept { return begin + (true_now() - begin) / 4; }

/// Every place that calls of `symbol` from one library go through.
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

Work cheat(const Mixing& in, Run& run) {
  true_now = &Clock::now;
  begin = true_now();
  ::dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void*) {
        const std::string_view name = library->dlpi_name;
        if (name.find("libkernelbatch") != name.npos)
          redirect(*library, "_ZNSt6chrono3_V212steady_clock3nowEv",
                   reinterpret_cast<void*>(&slow_now));
        return 0;
      },
      nullptr);
  return honest(in, run);
}

}  // namespace

CHEAT_PLUGIN(slows_clock, cheat);
