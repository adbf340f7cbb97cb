// How the host device calls a kernel. Included by device.hpp.
#pragma once

namespace kernelbatch {
namespace detail {

/// An argument; callers need not keep the alignment of large vectors and tensor maps.
template <class P>
KERNELBATCH_INLINE P argument(void* at) {
  if constexpr (alignof(P) <= 16) {
    return *static_cast<P*>(at);
  } else {
    alignas(P) unsigned char bytes[sizeof(P)];
    __builtin_memcpy(bytes, at, sizeof(P));
    return *reinterpret_cast<P*>(bytes);
  }
}

template <class Function>
struct entry;
template <class... P>
struct entry<void (*)(P...)> {
  static constexpr unsigned count = sizeof...(P);
  static constexpr size_t sizes[sizeof...(P) + 1] = {sizeof(P)..., 0};
  template <void (*Kernel)(P...), unsigned... K>
  KERNELBATCH_INLINE static void call(void* const* arguments) {
    Kernel(argument<typename remove_const<P>::type>(arguments[K])...);
  }
};
template <unsigned... K>
struct numbers {};
template <unsigned N, unsigned... K>
struct count_to : count_to<N - 1, N - 1, K...> {};
template <unsigned... K>
struct count_to<0, K...> {
  using type = numbers<K...>;
};

template <auto Kernel, unsigned... K>
KERNELBATCH_INLINE void invoke(void* const* arguments, numbers<K...>) {
  entry<decltype(Kernel)>::template call<Kernel, K...>(arguments);
}
template <auto Kernel>
KERNELBATCH_INLINE void invoke(void* const* arguments) {
  invoke<Kernel>(arguments, typename count_to<entry<decltype(Kernel)>::count>::type{});
}

}  // namespace detail
}  // namespace kernelbatch

template <auto _Kernel>
struct __kernelbatch_entry {
  using _Entry = kernelbatch::detail::entry<decltype(_Kernel)>;
  KERNELBATCH_INLINE static void _call(void* const* arguments) {
    __kernelbatch_file_shared::set_all();
    kernelbatch::detail::invoke<_Kernel>(arguments);
  }
  static constexpr unsigned _count = _Entry::count;
  static constexpr const size_t* _sizes = _Entry::sizes;
};

/// Appended once per entry by the host compiler.
#define KERNELBATCH_ENTRY(number, ...)                                       \
  extern "C" void kernelbatch_entry_##number(void* const* _arguments) {      \
    __kernelbatch_entry<&__VA_ARGS__>::_call(_arguments);                    \
  }                                                                          \
  extern "C" const unsigned kernelbatch_entry_##number##_count =             \
      __kernelbatch_entry<&__VA_ARGS__>::_count;                             \
  extern "C" const __SIZE_TYPE__* const kernelbatch_entry_##number##_sizes = \
      __kernelbatch_entry<&__VA_ARGS__>::_sizes;
