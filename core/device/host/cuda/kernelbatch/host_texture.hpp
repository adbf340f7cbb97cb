// Textures and surfaces for kernels on the host, by the formulae of the CUDA programming guide
// ("Texture Fetching"): linear filtering weighs with 8 fractional bits, as the hardware does.
// Included only for sources that mention them.
#pragma once

#include "kernelbatch/host_texture_abi.hpp"

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
enum cudaSurfaceBoundaryMode {
  cudaBoundaryModeZero = 0,
  cudaBoundaryModeClamp = 1,
  cudaBoundaryModeTrap = 2
};

namespace kernelbatch {
namespace detail {

/// Scalar type and number of channels of what a fetch returns.
template <class T>
struct texel {
  using scalar = T;
  static constexpr int channels = 1;
};
#define KERNELBATCH_TEXEL(T, name)     \
  template <>                          \
  struct texel<name##2> {              \
    using scalar = T;                  \
    static constexpr int channels = 2; \
  };                                   \
  template <>                          \
  struct texel<name##4> {              \
    using scalar = T;                  \
    static constexpr int channels = 4; \
  };
KERNELBATCH_TEXEL(signed char, char)
KERNELBATCH_TEXEL(unsigned char, uchar)
KERNELBATCH_TEXEL(short, short)
KERNELBATCH_TEXEL(unsigned short, ushort)
KERNELBATCH_TEXEL(int, int)
KERNELBATCH_TEXEL(unsigned, uint)
KERNELBATCH_TEXEL(float, float)
#undef KERNELBATCH_TEXEL

inline const kernelbatch_host::Texture& texture_of(unsigned long long handle) {
  return *reinterpret_cast<const kernelbatch_host::Texture*>(handle);
}

/// One channel as a number: 53 bits hold every element exactly.
inline double channel_at(const kernelbatch_host::Texture& t, const unsigned char* at, int channel) {
  double value = 0;
  double largest = 0;
  const unsigned char* from = at + channel * (t.bits / 8);
  if (t.kind == kernelbatch_host::kTexelFloat) {
    if (t.bits == 16) {
      unsigned short bits;
      memcpy(&bits, from, 2);
      return half_to_float(bits);
    }
    float real;
    memcpy(&real, from, 4);
    return real;
  }
  unsigned bits = 0;
  memcpy(&bits, from, static_cast<size_t>(t.bits / 8));
  if (t.kind == kernelbatch_host::kTexelSigned) {
    const int unused = 32 - t.bits;
    value = static_cast<int>(bits << unused) >> unused;
    largest = static_cast<double>((1ll << (t.bits - 1)) - 1);
  } else {
    value = bits;
    largest = static_cast<double>((1ll << t.bits) - 1);
  }
  if (!t.reads_normalized) return value;
  value /= largest;
  return value < -1 ? -1 : value;
}

/// The index that an address mode makes of one; -1 for the border.
inline long long place(const kernelbatch_host::Texture& t, int axis, long long index) {
  const long long count = t.extent[axis];
  if (index >= 0 && index < count) return index;
  switch (t.address[axis]) {
    case kernelbatch_host::kAddressWrap:
      return ((index % count) + count) % count;
    case kernelbatch_host::kAddressMirror: {
      const long long period = ((index % (2 * count)) + 2 * count) % (2 * count);
      return period < count ? period : 2 * count - 1 - period;
    }
    case kernelbatch_host::kAddressBorder:
      return -1;
    default:
      return index < 0 ? 0 : count - 1;
  }
}

inline double texel_channel(const kernelbatch_host::Texture& t, const long long (&index)[3],
                            int channel) {
  if (channel >= t.channels) return 0;
  long long offset = 0;
  const long long step[3] = {t.bits / 8 * t.channels, t.row_bytes, t.slice_bytes};
  for (int axis = 0; axis < 3; ++axis) {
    const long long at = place(t, axis, index[axis]);
    if (at < 0) return static_cast<double>(t.border[channel]);
    offset += at * step[axis];
  }
  return channel_at(t, t.data + offset, channel);
}

/// One channel at a point given in the texture's own coordinates along `axes` axes.
inline double sample(const kernelbatch_host::Texture& t, int axes, const float (&point)[3],
                     int channel) {
  long long low[3] = {0, 0, 0};
  double weight[3] = {0, 0, 0};
  for (int axis = 0; axis < axes; ++axis) {
    double x = static_cast<double>(point[axis]);
    if (t.is_normalized) x *= static_cast<double>(t.extent[axis]);
    if (t.is_linear) {
      x -= 0.5;
      low[axis] = static_cast<long long>(__builtin_floor(x));
      weight[axis] = __builtin_floor((x - static_cast<double>(low[axis])) * 256.0 + 0.5) / 256.0;
    } else {
      low[axis] = static_cast<long long>(__builtin_floor(x));
    }
  }
  if (!t.is_linear) return texel_channel(t, low, channel);
  double sum = 0;
  for (int corner = 0; corner < (1 << axes); ++corner) {
    long long index[3] = {0, 0, 0};
    double share = 1;
    for (int axis = 0; axis < axes; ++axis) {
      const int up = (corner >> axis) & 1;
      index[axis] = low[axis] + up;
      share *= up != 0 ? weight[axis] : 1 - weight[axis];
    }
    if (share != 0) sum += share * texel_channel(t, index, channel);
  }
  return sum;
}

template <class T>
inline T sample_all(unsigned long long handle, int axes, const float (&point)[3]) {
  using scalar = typename texel<T>::scalar;
  T result;
  for (int channel = 0; channel < texel<T>::channels; ++channel)
    reinterpret_cast<scalar*>(&result)[channel] =
        static_cast<scalar>(sample(texture_of(handle), axes, point, channel));
  return result;
}

/// Address of the bytes at (x in bytes, y, z) of a surface; null for the zero of
/// cudaBoundaryModeZero.
template <class T>
inline unsigned char* surface_at(unsigned long long handle, int x, int y, int z,
                                 cudaSurfaceBoundaryMode mode) {
  const kernelbatch_host::Texture& t = texture_of(handle);
  const long long bytes = t.extent[0] * (t.bits / 8 * t.channels);
  long long at[3] = {x, y, z};
  const long long last[3] = {bytes - static_cast<long long>(sizeof(T)), t.extent[1] - 1,
                             t.extent[2] - 1};
  for (int axis = 0; axis < 3; ++axis) {
    if (at[axis] >= 0 && at[axis] <= last[axis]) continue;
    if (mode == cudaBoundaryModeZero) return nullptr;
    if (mode == cudaBoundaryModeTrap) __trap();
    at[axis] = at[axis] < 0 ? 0 : last[axis];
  }
  return t.data + at[0] + at[1] * t.row_bytes + at[2] * t.slice_bytes;
}
template <class T>
inline T surface_read(unsigned long long handle, int x, int y, int z,
                      cudaSurfaceBoundaryMode mode) {
  T value{};
  if (const unsigned char* at = surface_at<T>(handle, x, y, z, mode)) memcpy(&value, at, sizeof(T));
  return value;
}
template <class T>
inline void surface_write(const T& value, unsigned long long handle, int x, int y, int z,
                          cudaSurfaceBoundaryMode mode) {
  if (unsigned char* at = surface_at<T>(handle, x, y, z, mode)) memcpy(at, &value, sizeof(T));
}

}  // namespace detail
}  // namespace kernelbatch

/// Linear memory: no filter, zero beyond the ends.
template <class T>
inline T tex1Dfetch(cudaTextureObject_t handle, int x) {
  using scalar = typename kernelbatch::detail::texel<T>::scalar;
  const kernelbatch_host::Texture& t = kernelbatch::detail::texture_of(handle);
  T result{};
  if (x < 0 || x >= t.extent[0]) return result;
  const unsigned char* at = t.data + static_cast<long long>(x) * (t.bits / 8 * t.channels);
  for (int channel = 0; channel < kernelbatch::detail::texel<T>::channels && channel < t.channels;
       ++channel)
    reinterpret_cast<scalar*>(&result)[channel] =
        static_cast<scalar>(kernelbatch::detail::channel_at(t, at, channel));
  return result;
}
template <class T>
inline T tex1D(cudaTextureObject_t handle, float x) {
  return kernelbatch::detail::sample_all<T>(handle, 1, {x, 0, 0});
}
template <class T>
inline T tex2D(cudaTextureObject_t handle, float x, float y) {
  return kernelbatch::detail::sample_all<T>(handle, 2, {x, y, 0});
}
template <class T>
inline T tex3D(cudaTextureObject_t handle, float x, float y, float z) {
  return kernelbatch::detail::sample_all<T>(handle, 3, {x, y, z});
}
template <class T>
inline void tex1Dfetch(T* to, cudaTextureObject_t handle, int x) {
  *to = tex1Dfetch<T>(handle, x);
}
template <class T>
inline void tex1D(T* to, cudaTextureObject_t handle, float x) {
  *to = tex1D<T>(handle, x);
}
template <class T>
inline void tex2D(T* to, cudaTextureObject_t handle, float x, float y) {
  *to = tex2D<T>(handle, x, y);
}
template <class T>
inline void tex3D(T* to, cudaTextureObject_t handle, float x, float y, float z) {
  *to = tex3D<T>(handle, x, y, z);
}

// surfNDread and surfNDwrite; x counts bytes.
#define KERNELBATCH_SURFACE(N, parameters, indices)                                             \
  template <class T>                                                                            \
  inline T surf##N##Dread(cudaSurfaceObject_t handle, KERNELBATCH_LIST parameters,              \
                          cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                \
    return kernelbatch::detail::surface_read<T>(handle, KERNELBATCH_LIST indices, mode);        \
  }                                                                                             \
  template <class T>                                                                            \
  inline void surf##N##Dread(T* to, cudaSurfaceObject_t handle, KERNELBATCH_LIST parameters,    \
                             cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {             \
    *to = kernelbatch::detail::surface_read<T>(handle, KERNELBATCH_LIST indices, mode);         \
  }                                                                                             \
  template <class T>                                                                            \
  inline void surf##N##Dwrite(T value, cudaSurfaceObject_t handle, KERNELBATCH_LIST parameters, \
                              cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {            \
    kernelbatch::detail::surface_write<T>(value, handle, KERNELBATCH_LIST indices, mode);       \
  }
#define KERNELBATCH_LIST(...) __VA_ARGS__
KERNELBATCH_SURFACE(1, (int x), (x, 0, 0))
KERNELBATCH_SURFACE(2, (int x, int y), (x, y, 0))
KERNELBATCH_SURFACE(3, (int x, int y, int z), (x, y, z))
#undef KERNELBATCH_LIST
#undef KERNELBATCH_SURFACE
