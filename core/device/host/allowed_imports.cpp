#include "core/device/host/allowed_imports.hpp"

#include <algorithm>
#include <string_view>

#include "core/base/shared_library.hpp"

namespace kernelbatch::host {
namespace {

/// Functions of the C library and of the compiler.
constexpr std::string_view kPlain[] = {
    // memory and text
    "memcpy", "memmove", "memset", "memcmp", "memchr", "memrchr", "mempcpy", "bcmp", "strlen",
    "strnlen", "strcmp", "strncmp", "strcpy", "strncpy", "strcat", "strncat", "strchr", "strrchr",
    "strstr", "strtol", "strtoul", "strtoll", "strtoull", "strtod", "strtof", "atoi", "atol",
    "atoll", "atof", "malloc", "calloc", "realloc", "free", "aligned_alloc", "posix_memalign",
    // printing to the worker's output, and failed assertions
    "printf", "vprintf", "puts", "putchar", "snprintf", "vsnprintf", "sprintf", "vsprintf",
    "fflush", "fprintf", "fputs", "fputc", "putc", "fwrite", "stdout", "stderr", "abort",
    "__assert_fail", "__assert",
    // numbers
    "abs", "labs", "llabs", "div", "ldiv", "lldiv", "rand", "srand", "rand_r", "qsort", "bsearch",
    // clocks
    "clock", "clock_gettime", "time", "nanosleep", "usleep", "sched_yield",
    // compilers
    "__tls_get_addr", "__stack_chk_fail", "__errno_location", "__gxx_personality_v0",
    "__gmon_start__", "_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable", "__dynamic_cast"};

/// Parts of the C++ library that reach files, threads, processes or the environment.
constexpr std::string_view kRefusedParts[] = {"filebuf", "fstream",  "filesystem",
                                              "6thread", "7jthread", "random_device",
                                              "6locale", "__future", "tzdb"};

bool has_prefix(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::ranges::any_of(prefixes,
                             [&](std::string_view prefix) { return name.starts_with(prefix); });
}

/// `std::…`, its type information and virtual tables, `operator new` and `operator delete`.
bool is_of_cpp_library(std::string_view symbol) {
  if (has_prefix(symbol, {"_Znw", "_Zna", "_Zdl", "_Zda"})) return true;
  return has_prefix(symbol, {"_ZSt", "_ZNSt", "_ZNKSt", "_ZNSa", "_ZNSs", "_ZNKSs", "_ZTVSt",
                             "_ZTVNSt", "_ZTVN10__cxxabiv1", "_ZTISt", "_ZTINSt", "_ZTI", "_ZTSSt",
                             "_ZGVNSt", "_ZTTNSt", "_ZTTSt", "_ZTv0_n"}) &&
         std::ranges::none_of(kRefusedParts, [&](std::string_view part) {
           return symbol.find(part) != std::string_view::npos;
         });
}

/// Arithmetic that the processor lacks: "__fixsfti".
bool is_of_compiler(std::string_view symbol) {
  return has_prefix(
      symbol, {"__fix",    "__float", "__div",     "__udiv",  "__mod",  "__umod", "__mul",
               "__add",    "__sub",   "__pop",     "__ashl",  "__ashr", "__lshr", "__neg",
               "__extend", "__trunc", "__atomic_", "__sync_", "__eq",   "__ne",   "__lt",
               "__le",     "__gt",    "__ge",      "__unord", "__clz",  "__ctz",  "__parity"});
}

bool is_of_mathematics(const std::string& symbol) {
  static const auto mathematics =
      SharedLibrary::try_open("libm.so.6", SharedLibrary::Lifetime::kProcess);
  return mathematics && mathematics->defines(symbol.c_str());
}

}  // namespace

bool is_allowed_import(const std::string& symbol) {
  std::string_view plain = symbol;
  // "__memcpy_chk" is the checked form of "memcpy".
  if (plain.starts_with("__") && plain.ends_with("_chk")) plain = plain.substr(2, plain.size() - 6);
  return std::ranges::find(kPlain, plain) != std::end(kPlain) ||
         has_prefix(symbol, {"__cxa_", "_Unwind_", "kernelbatch_"}) || is_of_compiler(symbol) ||
         is_of_cpp_library(symbol) || is_of_mathematics(symbol);
}

}  // namespace kernelbatch::host
