// The part of the prelude that is the same on every device: complex and half types, array views,
// index arithmetic. Included by each backend's kernelbatch/device.hpp; includes nothing itself.
#pragma once

namespace kernelbatch {

using int64 = long long;
using uint64 = unsigned long long;

// ---- half precision: stored in 16 bits, computed in float -------------------------------------

struct float16 {
  unsigned short bits;
  float16() = default;
  KERNELBATCH_INLINE float16(float value) : bits(detail::float_to_half(value)) {}
  KERNELBATCH_INLINE operator float() const { return detail::half_to_float(bits); }
  KERNELBATCH_INLINE float16& operator+=(float value) {
    return *this = float16(float(*this) + value);
  }
  KERNELBATCH_INLINE float16& operator-=(float value) {
    return *this = float16(float(*this) - value);
  }
  KERNELBATCH_INLINE float16& operator*=(float value) {
    return *this = float16(float(*this) * value);
  }
  KERNELBATCH_INLINE float16& operator/=(float value) {
    return *this = float16(float(*this) / value);
  }
};

struct bfloat16 {
  unsigned short bits;
  bfloat16() = default;
  KERNELBATCH_INLINE bfloat16(float value) : bits(detail::float_to_bfloat(value)) {}
  KERNELBATCH_INLINE operator float() const {
    return detail::bits_float(static_cast<unsigned>(bits) << 16);
  }
  KERNELBATCH_INLINE bfloat16& operator+=(float value) {
    return *this = bfloat16(float(*this) + value);
  }
  KERNELBATCH_INLINE bfloat16& operator-=(float value) {
    return *this = bfloat16(float(*this) - value);
  }
  KERNELBATCH_INLINE bfloat16& operator*=(float value) {
    return *this = bfloat16(float(*this) * value);
  }
  KERNELBATCH_INLINE bfloat16& operator/=(float value) {
    return *this = bfloat16(float(*this) / value);
  }
};

// ---- complex numbers
// ------------------------------------------------------------------------------

template <class T>
struct alignas(2 * sizeof(T)) complex {
  T re, im;
  complex() = default;
  KERNELBATCH_INLINE constexpr complex(T real_part, T imaginary_part = T(0))
      : re(real_part), im(imaginary_part) {}
  template <class U>
  KERNELBATCH_INLINE constexpr complex(const complex<U>& other)
      : re(T(other.re)), im(T(other.im)) {}
  KERNELBATCH_INLINE constexpr T real() const { return re; }
  KERNELBATCH_INLINE constexpr T imag() const { return im; }
  KERNELBATCH_INLINE void real(T value) { re = value; }
  KERNELBATCH_INLINE void imag(T value) { im = value; }
  KERNELBATCH_INLINE complex& operator+=(const complex& b) { return *this = *this + b; }
  KERNELBATCH_INLINE complex& operator-=(const complex& b) { return *this = *this - b; }
  KERNELBATCH_INLINE complex& operator*=(const complex& b) { return *this = *this * b; }
  KERNELBATCH_INLINE complex& operator/=(const complex& b) { return *this = *this / b; }
  KERNELBATCH_INLINE friend complex operator+(const complex& a, const complex& b) {
    return {a.re + b.re, a.im + b.im};
  }
  KERNELBATCH_INLINE friend complex operator-(const complex& a, const complex& b) {
    return {a.re - b.re, a.im - b.im};
  }
  KERNELBATCH_INLINE friend complex operator*(const complex& a, const complex& b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  /// Smith's method: no overflow where the quotient itself fits.
  KERNELBATCH_INLINE friend complex operator/(const complex& a, const complex& b) {
    const T br = b.re < T(0) ? -b.re : b.re;
    const T bi = b.im < T(0) ? -b.im : b.im;
    if (br >= bi) {
      const T ratio = b.im / b.re;
      const T divisor = b.re + b.im * ratio;
      return {(a.re + a.im * ratio) / divisor, (a.im - a.re * ratio) / divisor};
    }
    const T ratio = b.re / b.im;
    const T divisor = b.re * ratio + b.im;
    return {(a.re * ratio + a.im) / divisor, (a.im * ratio - a.re) / divisor};
  }
  KERNELBATCH_INLINE friend complex operator-(const complex& a) { return {-a.re, -a.im}; }
  KERNELBATCH_INLINE friend complex operator+(const complex& a) { return a; }
  KERNELBATCH_INLINE friend bool operator==(const complex& a, const complex& b) {
    return a.re == b.re && a.im == b.im;
  }
  KERNELBATCH_INLINE friend bool operator!=(const complex& a, const complex& b) {
    return !(a == b);
  }
};

template <class T>
KERNELBATCH_INLINE T real(const complex<T>& z) {
  return z.re;
}
template <class T>
KERNELBATCH_INLINE T imag(const complex<T>& z) {
  return z.im;
}
template <class T>
KERNELBATCH_INLINE complex<T> conj(const complex<T>& z) {
  return {z.re, -z.im};
}
template <class T>
KERNELBATCH_INLINE T norm(const complex<T>& z) {
  return z.re * z.re + z.im * z.im;
}
template <class T>
KERNELBATCH_INLINE T abs(const complex<T>& z) {
  return ::hypot(z.re, z.im);
}
template <class T>
KERNELBATCH_INLINE T arg(const complex<T>& z) {
  return ::atan2(z.im, z.re);
}
template <class T>
KERNELBATCH_INLINE complex<T> polar(T r, T theta) {
  return {r * ::cos(theta), r * ::sin(theta)};
}
template <class T>
KERNELBATCH_INLINE complex<T> exp(const complex<T>& z) {
  return polar(T(::exp(z.re)), z.im);
}

namespace detail {
template <class T>
struct is_pointer {
  static constexpr bool value = false;
};
template <class T>
struct is_pointer<T*> {
  static constexpr bool value = true;
};
}  // namespace detail

// ---- array views
// ------------------------------------------------------------------------------------

/// A typed view of `Rank` axes. Sizes in elements, strides in bytes (negative and zero allowed).
/// `Contiguous` views are in C order without gaps, and index like a pointer.
template <class T, int Rank, bool Contiguous = false>
struct array_view {
  using value_type = typename detail::remove_const<T>::type;
  static constexpr int ndim = Rank;
  T* data_;
  int64 size_;
  int64 shape_[Rank > 0 ? Rank : 1];
  int64 strides_[Rank > 0 ? Rank : 1];

  KERNELBATCH_INLINE int64 size() const { return size_; }
  KERNELBATCH_INLINE const int64* shape() const { return shape_; }
  KERNELBATCH_INLINE const int64* strides() const { return strides_; }
  KERNELBATCH_INLINE T* data() const { return data_; }

  /// The element at a linear index in C order, whatever the strides; or, of an array or a pointer,
  /// at its one index per axis. A template, so that the list of `y[{0}]` is no such index.
  template <class Index>
  KERNELBATCH_INLINE T& operator[](Index at) const {
    if constexpr (detail::is_pointer<Index>::value) {
      int64 offset = 0;
      for (int axis = 0; axis < Rank; ++axis) offset += int64(at[axis]) * strides_[axis];
      return at_byte(offset);
    } else if constexpr (Contiguous || Rank == 0) {
      return data_[static_cast<int64>(at)];
    } else {
      int64 linear = static_cast<int64>(at);
      int64 offset = 0;
      for (int axis = Rank - 1; axis > 0; --axis) {
        const int64 quotient = linear / shape_[axis];
        offset += (linear - quotient * shape_[axis]) * strides_[axis];
        linear = quotient;
      }
      return at_byte(offset + linear * strides_[0]);
    }
  }
  /// The element at one index per axis: `y[{i, j}]`.
  KERNELBATCH_INLINE T& operator[](const int64 (&index)[Rank > 0 ? Rank : 1]) const {
    int64 offset = 0;
    for (int axis = 0; axis < Rank; ++axis) offset += index[axis] * strides_[axis];
    return at_byte(offset);
  }
  template <class... Index>
  KERNELBATCH_INLINE T& operator()(Index... index) const {
    static_assert(sizeof...(Index) == Rank, "one index per axis");
    const int64 list[] = {int64(index)...};
    return (*this)[list];
  }

 private:
  KERNELBATCH_INLINE T& at_byte(int64 offset) const {
    return *reinterpret_cast<T*>(
        reinterpret_cast<char*>(const_cast<typename detail::remove_const<T>::type*>(data_)) +
        offset);
  }
};

// ---- generated loops
// ----------------------------------------------------------------------------------

/// Extents of a loop and the byte strides of `Arrays` arrays along its `Rank` axes.
template <class Index, int Rank, int Arrays>
struct layout {
  Index extent[Rank > 0 ? Rank : 1];
  Index stride[Arrays > 0 ? Arrays : 1][Rank > 0 ? Rank : 1];

  /// Byte offset of each array at a linear loop index; `index` gets the index along each axis.
  KERNELBATCH_INLINE void locate(Index linear, Index (&offset)[Arrays > 0 ? Arrays : 1],
                                 Index (&index)[Rank > 0 ? Rank : 1]) const {
    if constexpr (Rank == 1) {
      // The same without nested loops, which take a tenth of a reduction's compile time.
      index[0] = linear;
      if constexpr (Arrays > 0) offset[0] = linear * stride[0][0];
      if constexpr (Arrays > 1) offset[1] = linear * stride[1][0];
      if constexpr (Arrays > 2) offset[2] = linear * stride[2][0];
      if constexpr (Arrays > 3) {
        KERNELBATCH_UNROLL
        for (int a = 3; a < Arrays; ++a) offset[a] = linear * stride[a][0];
      }
    } else {
      KERNELBATCH_UNROLL
      for (int a = 0; a < Arrays; ++a) offset[a] = 0;
      KERNELBATCH_UNROLL
      for (int axis = Rank - 1; axis >= 0; --axis) {
        const Index quotient = axis > 0 ? linear / extent[axis] : Index(0);
        index[axis] = linear - quotient * extent[axis];
        linear = quotient;
        KERNELBATCH_UNROLL
        for (int a = 0; a < Arrays; ++a) offset[a] += index[axis] * stride[a][axis];
      }
    }
  }
};

/// `Count` elements read or written at once.
template <class T, int Count>
struct alignas(sizeof(T) * Count) pack {
  T value[Count];
};

/// What the special name `_ind` (and `_in_ind`, `_out_ind`) of a kernel's text is.
template <class Index, int Rank>
struct indexer {
  static constexpr int ndim = Rank;
  int64 size_;
  const Index* index_;
  KERNELBATCH_INLINE int64 size() const { return size_; }
  KERNELBATCH_INLINE const Index* get() const { return index_; }
};

template <class T>
KERNELBATCH_INLINE T* offset_pointer(T* base, int64 bytes) {
  using byte = typename detail::copy_const<T, char>::type;
  return reinterpret_cast<T*>(reinterpret_cast<byte*>(base) + bytes);
}

}  // namespace kernelbatch

// Code that is compiled ahead has all of these; what is compiled later those that it does not
// declare itself (core/device/prelude).
#ifdef KERNELBATCH_CHOSEN_NAMES
#undef KERNELBATCH_CHOSEN_NAMES
#else
using kernelbatch::array_view;
using kernelbatch::bfloat16;
using kernelbatch::complex;
using kernelbatch::float16;
using kernelbatch::polar;
#endif
