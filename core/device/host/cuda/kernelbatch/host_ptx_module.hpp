// Asked for by: __KERNELBATCH_PTX_WINDOWS __kernelbatch_ptx_is_dynamic.
// Parts of translated PTX modules: memory, functions of the device runtime.
#pragma once

#include "kernelbatch/host_ptx.hpp"

template <unsigned long Count, unsigned long Alignment>
struct __attribute__((__may_alias__, __aligned__(Alignment))) __kernelbatch_ptx_bytes {
  unsigned char _of[Count];
};

// Shared memory has a window of 32-bit addresses: the dynamic part begins at 1024, variables lie
// around 2^31 + 2^24. Bits 26 to 30 are the number of a cluster's block plus one, 0 for the own one.
inline char* __kernelbatch_ptx_static_place() {
  static __thread __attribute__((__aligned__(1024))) char _place;
  return &_place;
}
#define __KERNELBATCH_PTX_WINDOWS                                                   \
  char* const __kernelbatch_dynamic = static_cast<char*>(__kernelbatch_shared()) - 1024; \
  char* const __kernelbatch_static = __kernelbatch_ptx_static_place() - 0x81000000ull;
inline bool __kernelbatch_ptx_is_dynamic(const char* p) {
  auto* const dynamic = static_cast<char*>(kernelbatch_host_thread->dynamic_shared);
  return p >= dynamic && p < dynamic + kernelbatch_host_thread->dynamic_shared_bytes;
}
inline unsigned long long __kernelbatch_ptx_into_window(char* p, char* dynamic, char* variables) {
  return static_cast<unsigned>(p - (__kernelbatch_ptx_is_dynamic(p) ? dynamic : variables));
}
inline char* __kernelbatch_ptx_of_cluster(unsigned long long bits, char* dynamic, char* variables) {
  const unsigned block = static_cast<unsigned>(bits) >> 26 & 31, own = static_cast<unsigned>(bits) & ~(31u << 26);
  char* const p = (own >> 31 ? variables : dynamic) + own;
  return block == 0 ? p : static_cast<char*>(__kernelbatch_map_shared(p, block - 1));
}
KERNELBATCH_INLINE unsigned long long __kernelbatch_ptx_map_window(unsigned long long bits,
                                                                   unsigned block) {
  return (static_cast<unsigned>(bits) & ~(31u << 26)) | (block + 1) << 26;
}

/// One conversion of a format, and the value that it takes from the arguments.
struct __kernelbatch_ptx_print {
  const char* _format;
  const char* _arguments;
  unsigned long long _at = 0;
  int _count = 0;

  template <class T>
  T _next() {
    _at = (_at + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value;
    memcpy(&value, _arguments + _at, sizeof(T));
    _at += sizeof(T);
    return value;
  }
  /// Prints the text up to a `%` and one conversion.
  void _one() {
    char piece[64];
    unsigned length = 0;
    int stars = 0, width[2] = {0, 0};
    bool is_wide = false;
    piece[length++] = *_format++;
    for (; *_format != 0 && length < 60; ++_format) {
      const char c = *_format;
      if (c == '*' && stars < 2) width[stars++] = _next<int>();
      is_wide = is_wide || c == 'l' || c == 'z' || c == 'j' || c == 't';
      piece[length++] = c;
      if ((c >= 'a' && c <= 'z' && c != 'l' && c != 'h' && c != 'z' && c != 'j' && c != 't') ||
          (c >= 'A' && c <= 'Z' && c != 'L') || c == '%')
        break;
    }
    const char kind = *_format;
    if (kind != 0) ++_format;
    piece[length] = 0;
    const auto print = [&](auto value) {
      if (stars == 2)
        printf(piece, width[0], width[1], value);
      else if (stars == 1)
        printf(piece, width[0], value);
      else
        printf(piece, value);
    };
    if (kind == '%') {
      printf("%%");
      return;
    }
    ++_count;
    if (kind == 's')
      print(_next<const char*>());
    else if (kind == 'p')
      print(_next<void*>());
    else if (kind == 'f' || kind == 'F' || kind == 'e' || kind == 'E' || kind == 'g' ||
             kind == 'G' || kind == 'a' || kind == 'A')
      print(_next<double>());
    else if (is_wide)
      print(_next<long long>());
    else
      print(_next<int>());
  }
};
inline unsigned __kernelbatch_ptx_call_vprintf(unsigned long long format,
                                               unsigned long long arguments) {
  __kernelbatch_ptx_print all{reinterpret_cast<const char*>(format),
                              reinterpret_cast<const char*>(arguments)};
  while (*all._format != 0) {
    if (*all._format == '%')
      all._one();
    else
      printf("%c", *all._format++);
  }
  return static_cast<unsigned>(all._count);
}
[[noreturn]] inline void __kernelbatch_ptx_call___assertfail(unsigned long long condition,
                                                             unsigned long long file, unsigned line,
                                                             unsigned long long,
                                                             unsigned long long) {
  __kernelbatch_fail(reinterpret_cast<const char*>(file), static_cast<int>(line),
                     reinterpret_cast<const char*>(condition));
}
extern "C" void* malloc(size_t) noexcept;
extern "C" void free(void*) noexcept;
inline unsigned long long __kernelbatch_ptx_call_malloc(unsigned long long bytes) {
  return reinterpret_cast<unsigned long long>(malloc(bytes));
}
inline void __kernelbatch_ptx_call_free(unsigned long long address) {
  free(reinterpret_cast<void*>(address));
}
