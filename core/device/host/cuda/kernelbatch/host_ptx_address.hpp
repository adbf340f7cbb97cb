// Addresses and memory in PTX. Shared memory has addresses of 32 bits there: the low half of the
// pointer, which is completed from where the block's shared memory is.
#pragma once

/// Where this thread's static shared memory is, roughly: it is thread-local.
inline char* __kernelbatch_ptx_near_shared() {
  static __thread char _place;
  return &_place;
}
inline char* __kernelbatch_ptx_from_shared_bits(unsigned low) {
  auto* const dynamic = static_cast<char*>(kernelbatch_host_thread->dynamic_shared);
  const auto begin = reinterpret_cast<unsigned long long>(dynamic);
  const unsigned offset = low - static_cast<unsigned>(begin);
  if (offset <= kernelbatch_host_thread->dynamic_shared_bytes) return dynamic + offset;
  // The nearest address with these low bits.
  const auto near = reinterpret_cast<unsigned long long>(__kernelbatch_ptx_near_shared());
  const int distance = static_cast<int>(low - static_cast<unsigned>(near));
  return reinterpret_cast<char*>(near +
                                 static_cast<unsigned long long>(static_cast<long long>(distance)));
}
KERNELBATCH_INLINE unsigned long long __kernelbatch_ptx_to_shared(unsigned long long generic) {
  return static_cast<unsigned>(generic);
}
inline unsigned long long __kernelbatch_ptx_from_shared(unsigned long long bits) {
  if (bits >> 32) return bits;
  return reinterpret_cast<unsigned long long>(
      __kernelbatch_ptx_from_shared_bits(static_cast<unsigned>(bits)));
}
/// An operand of a shared instruction: 32 bits, or a pointer that was never converted.
inline char* __kernelbatch_ptx_shared(unsigned long long bits, long long offset) {
  return reinterpret_cast<char*>(__kernelbatch_ptx_from_shared(bits)) + offset;
}
KERNELBATCH_INLINE char* __kernelbatch_ptx_generic(unsigned long long bits, long long offset) {
  return reinterpret_cast<char*>(bits) + offset;
}
inline bool __kernelbatch_ptx_is_shared(unsigned long long bits) {
  auto* const dynamic = static_cast<char*>(kernelbatch_host_thread->dynamic_shared);
  auto* const at = reinterpret_cast<char*>(bits);
  return at >= dynamic && at < dynamic + kernelbatch_host_thread->dynamic_shared_bytes;
}
inline bool __kernelbatch_ptx_is_global(unsigned long long bits) {
  return !__kernelbatch_ptx_is_shared(bits);
}

/// `Order` is -1 for a plain access.
template <class T, int Order>
KERNELBATCH_INLINE T __kernelbatch_ptx_load(const char* at) {
  T value;
  if constexpr (Order < 0)
    memcpy(&value, at, sizeof(T));
  else
    __atomic_load(reinterpret_cast<const T*>(at), &value, Order);
  return value;
}
template <class T, int Order>
KERNELBATCH_INLINE void __kernelbatch_ptx_store(char* at, T value) {
  if constexpr (Order < 0)
    memcpy(at, &value, sizeof(T));
  else
    __atomic_store(reinterpret_cast<T*>(at), &value, Order);
}
/// cp.async: `bytes` are written, `from_source` of them copied and the rest zero.
inline void __kernelbatch_ptx_copy(char* to, const char* from, unsigned bytes,
                                   unsigned from_source) {
  const unsigned copied = from_source < bytes ? from_source : bytes;
  memcpy(to, from, copied);
  memset(to + copied, 0, bytes - copied);
}
