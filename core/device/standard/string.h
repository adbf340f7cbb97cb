// Memory and texts byte by byte, for kernels on every device.
#pragma once

#ifdef KERNELBATCH_ON_HOST
extern "C" int memcmp(const void*, const void*, size_t) noexcept;
extern "C" void* memmove(void*, const void*, size_t) noexcept;
extern "C" size_t strlen(const char*) noexcept;
extern "C" int strcmp(const char*, const char*) noexcept;
extern "C" int strncmp(const char*, const char*, size_t) noexcept;
extern "C" char* strcpy(char*, const char*) noexcept;
extern "C" char* strncpy(char*, const char*, size_t) noexcept;
#else
KERNELBATCH_INLINE int memcmp(const void* a, const void* b, size_t bytes) {
  const auto* x = static_cast<const unsigned char*>(a);
  const auto* y = static_cast<const unsigned char*>(b);
  for (size_t k = 0; k < bytes; ++k)
    if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
  return 0;
}
KERNELBATCH_INLINE void* memmove(void* to, const void* from, size_t bytes) {
  auto* x = static_cast<unsigned char*>(to);
  const auto* y = static_cast<const unsigned char*>(from);
  if (x < y)
    for (size_t k = 0; k < bytes; ++k) x[k] = y[k];
  else
    for (size_t k = bytes; k > 0; --k) x[k - 1] = y[k - 1];
  return to;
}
KERNELBATCH_INLINE size_t strlen(const char* text) {
  size_t count = 0;
  while (text[count] != 0) ++count;
  return count;
}
KERNELBATCH_INLINE int strncmp(const char* a, const char* b, size_t most) {
  for (size_t k = 0; k < most; ++k) {
    const auto x = static_cast<unsigned char>(a[k]), y = static_cast<unsigned char>(b[k]);
    if (x != y) return x < y ? -1 : 1;
    if (x == 0) break;
  }
  return 0;
}
KERNELBATCH_INLINE int strcmp(const char* a, const char* b) { return strncmp(a, b, ~size_t(0)); }
KERNELBATCH_INLINE char* strncpy(char* to, const char* from, size_t most) {
  size_t k = 0;
  for (; k < most && from[k] != 0; ++k) to[k] = from[k];
  for (; k < most; ++k) to[k] = 0;
  return to;
}
KERNELBATCH_INLINE char* strcpy(char* to, const char* from) {
  size_t k = 0;
  do to[k] = from[k];
  while (from[k++] != 0);
  return to;
}
#endif
