// cheat: patches_verifier
// fault: does nothing, and patches the function that compares outputs to always succeed
// caught by: comparing outputs elsewhere, on the device or in another process
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "tests/cheats/plugins/cheat.hpp"

namespace {

using namespace cheats;

constexpr const char* kVerify =
    "_ZN11kernelbatch13verify_outputERKNS_11OutputArrayERKNS_5ArrayES5_RNS_12OutputRecordE"
    "RNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";

void patch() {
#if defined(__x86_64__)
  constexpr unsigned char kReturnTrue[] = {0xb8, 1, 0, 0, 0, 0xc3};
  void* const verify = ::dlsym(RTLD_DEFAULT, kVerify);
  if (verify == nullptr) return;
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(verify) / page * page;
  if (::mprotect(reinterpret_cast<void*>(begin), 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC) == 0)
    std::memcpy(verify, kReturnTrue, sizeof kReturnTrue);
#endif
}

Work cheat(const Mixing&, Run& run) {
  run.output("y");
  patch();
  return [](Stream&) {};
}

}  // namespace

CHEAT_PLUGIN(patches_verifier, cheat);
