#pragma once
#ifndef offsetof
#ifdef KERNELBATCH_ON_HOST
#define offsetof(type, member) __builtin_offsetof(type, member)
#else
#define offsetof(type, member) \
  reinterpret_cast<size_t>(    \
      &reinterpret_cast<const volatile char&>(static_cast<type*>(nullptr)->member))
#endif
#endif
#ifndef NULL
#define NULL 0
#endif
using ptrdiff_t = decltype(static_cast<char*>(nullptr) - static_cast<char*>(nullptr));
