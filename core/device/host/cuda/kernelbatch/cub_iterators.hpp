// CUB's iterators on the host device.
#pragma once

#include "cub/thread/thread_load.cuh"
#include "cub/thread/thread_store.cuh"

namespace cub {
namespace detail {
/// Places counted from a start; `Self` has at(place).
template <class Self, class T, class Offset>
struct counted {
  using self_type = Self;
  using difference_type = Offset;
  using value_type = T;
  using pointer = T*;
  using reference = T;
  using iterator_category = cuda::std::random_access_iterator_tag;
  Offset place = 0;
  const Self& self() const { return static_cast<const Self&>(*this); }
  Self moved(Offset by) const {
    Self other = self();
    other.place += by;
    return other;
  }
  decltype(auto) operator*() const { return self().at(place); }
  template <class Distance>
  decltype(auto) operator[](Distance k) const {
    return self().at(place + Offset(k));
  }
  template <class Distance>
  Self operator+(Distance by) const {
    return moved(Offset(by));
  }
  template <class Distance>
  requires(cuda::std::is_integral_v<Distance>) Self operator-(Distance by) const {
    return moved(-Offset(by));
  }
  Offset operator-(const Self& other) const { return place - other.place; }
  template <class Distance>
  Self& operator+=(Distance by) {
    place += Offset(by);
    return static_cast<Self&>(*this);
  }
  Self& operator++() {
    ++place;
    return static_cast<Self&>(*this);
  }
  Self operator++(int) {
    const Self old = self();
    ++place;
    return old;
  }
  bool operator==(const Self& other) const { return place == other.place; }
  bool operator!=(const Self& other) const { return place != other.place; }
};
}  // namespace detail

template <CacheLoadModifier Modifier, class T, class Offset = ptrdiff_t>
struct CacheModifiedInputIterator
    : detail::counted<CacheModifiedInputIterator<Modifier, T, Offset>, T, Offset> {
  const T* ptr;
  template <class U>
  CacheModifiedInputIterator(U* from) : ptr(from) {}
  T at(Offset k) const { return ptr[k]; }
};
template <CacheStoreModifier Modifier, class T, class Offset = ptrdiff_t>
struct CacheModifiedOutputIterator
    : detail::counted<CacheModifiedOutputIterator<Modifier, T, Offset>, T, Offset> {
  T* ptr;
  template <class U>
  CacheModifiedOutputIterator(U* to) : ptr(to) {}
  T& at(Offset k) const { return ptr[k]; }
};
template <class T, class Offset = ptrdiff_t>
struct CountingInputIterator : detail::counted<CountingInputIterator<T, Offset>, T, Offset> {
  T first;
  CountingInputIterator(const T& value) : first(value) {}
  T at(Offset k) const { return T(first + T(k)); }
};
template <class T, class Offset = ptrdiff_t>
struct ConstantInputIterator : detail::counted<ConstantInputIterator<T, Offset>, T, Offset> {
  T value;
  ConstantInputIterator(const T& all, Offset = 0) : value(all) {}
  T at(Offset) const { return value; }
};
template <class T, class Convert, class Input, class Offset = ptrdiff_t>
struct TransformInputIterator
    : detail::counted<TransformInputIterator<T, Convert, Input, Offset>, T, Offset> {
  Input input;
  mutable Convert convert;
  TransformInputIterator(Input from, Convert op) : input(from), convert(op) {}
  T at(Offset k) const { return convert(input[k]); }
};
template <class Input, class Offset = ptrdiff_t, class T = cuda::std::iter_value_t<Input>>
struct ArgIndexInputIterator
    : detail::counted<ArgIndexInputIterator<Input, Offset, T>, KeyValuePair<Offset, T>, Offset> {
  Input input;
  ArgIndexInputIterator(Input from, Offset offset = 0) : input(from) { this->place = offset; }
  KeyValuePair<Offset, T> at(Offset k) const { return {k, T(input[k])}; }
};
template <class Offset = ptrdiff_t>
struct DiscardOutputIterator : detail::counted<DiscardOutputIterator<Offset>, NullType, Offset> {
  DiscardOutputIterator(Offset offset = 0) { this->place = offset; }
  NullType at(Offset) const { return {}; }
};

}  // namespace cub
