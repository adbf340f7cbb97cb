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
inline bool __kernelbatch_ptx_is_shared(unsigned long long bits) {
  auto* const dynamic = static_cast<char*>(kernelbatch_host_thread->dynamic_shared);
  auto* const at = reinterpret_cast<char*>(bits);
  return at >= dynamic && at < dynamic + kernelbatch_host_thread->dynamic_shared_bytes;
}
template <class T>
struct __attribute__((__may_alias__)) __kernelbatch_ptx_word {
  T _value;
};
/// `Order` is -1 for a plain access.
template <class T, int Order>
KERNELBATCH_INLINE T __kernelbatch_ptx_load(const char* at) {
  if constexpr (Order < 0) return reinterpret_cast<const __kernelbatch_ptx_word<T>*>(at)->_value;
  T value;
  if constexpr (Order >= 0) __atomic_load(reinterpret_cast<const T*>(at), &value, Order);
  return value;
}
template <class T, int Order>
KERNELBATCH_INLINE void __kernelbatch_ptx_store(char* at, T value) {
  if constexpr (Order < 0)
    reinterpret_cast<__kernelbatch_ptx_word<T>*>(at)->_value = value;
  else
    __atomic_store(reinterpret_cast<T*>(at), &value, Order);
}
/// A vector is one access, aligned to its size.
template <class T, int Count>
struct __attribute__((__may_alias__, __aligned__(sizeof(T) * Count))) __kernelbatch_ptx_vector {
  T _of[Count];
};
template <class T, int Count>
KERNELBATCH_INLINE __kernelbatch_ptx_vector<T, Count> __kernelbatch_ptx_load_vector(
    const char* at) {
  return *reinterpret_cast<const __kernelbatch_ptx_vector<T, Count>*>(at);
}
template <class T, int Count>
KERNELBATCH_INLINE void __kernelbatch_ptx_store_vector(
    char* at, const __kernelbatch_ptx_vector<T, Count>& value) {
  *reinterpret_cast<__kernelbatch_ptx_vector<T, Count>*>(at) = value;
}
