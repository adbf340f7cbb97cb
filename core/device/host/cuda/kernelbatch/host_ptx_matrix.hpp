// Asked for by: __kernelbatch_ptx_mma __kernelbatch_ptx_ldmatrix __kernelbatch_ptx_stmatrix
// __kernelbatch_ptx_movmatrix.
// PTX's matrix instructions: every lane gathers the warp's fragments and computes its own share
// plainly. Where elements lie: PTX ISA, "Matrix Fragments for mma".
#pragma once

struct __kernelbatch_ptx_type_f16 {
  static constexpr int _bits = 16;
  using _sum = double;
  static double _value(unsigned bits) {
    return kernelbatch::detail::half_to_float(static_cast<unsigned short>(bits));
  }
  static unsigned _pack(double x) {
    return kernelbatch::detail::float_to_half(static_cast<float>(x));
  }
};
struct __kernelbatch_ptx_type_bf16 {
  static constexpr int _bits = 16;
  using _sum = double;
  static double _value(unsigned bits) { return kernelbatch::detail::bits_float(bits << 16); }
};
struct __kernelbatch_ptx_type_tf32 {
  static constexpr int _bits = 32;
  using _sum = double;
  static double _value(unsigned bits) {
    return kernelbatch::detail::bits_float(bits & 0xffffe000u);
  }
};
struct __kernelbatch_ptx_type_f32 {
  static constexpr int _bits = 32;
  static double _value(unsigned long long bits) {
    return kernelbatch::detail::bits_float(static_cast<unsigned>(bits));
  }
  static unsigned long long _pack(double x) {
    return kernelbatch::detail::float_bits(static_cast<float>(x));
  }
};
struct __kernelbatch_ptx_type_f64 {
  static constexpr int _bits = 64;
  using _sum = double;
  static double _value(unsigned long long bits) { return __builtin_bit_cast(double, bits); }
  static unsigned long long _pack(double x) { return __builtin_bit_cast(unsigned long long, x); }
};
struct __kernelbatch_ptx_type_s8 {
  static constexpr int _bits = 8;
  using _sum = long long;
  static long long _value(unsigned bits) { return static_cast<signed char>(bits); }
};
struct __kernelbatch_ptx_type_u8 {
  static constexpr int _bits = 8;
  using _sum = long long;
  static long long _value(unsigned bits) { return static_cast<unsigned char>(bits); }
};
/// Floats of 8 bits: `Mantissa` bits, and whether the largest exponent has numbers.
template <int Mantissa, int Bias, bool IsFinite>
struct __kernelbatch_ptx_type_fp8 {
  static constexpr int _bits = 8;
  using _sum = double;
  static double _value(unsigned bits) {
    const int exponent = static_cast<int>(bits & 0x7fu) >> Mantissa;
    const int fraction = static_cast<int>(bits & ((1u << Mantissa) - 1));
    constexpr int kTop = (1 << (7 - Mantissa)) - 1;
    double value;
    if (exponent == kTop && (!IsFinite || fraction == (1 << Mantissa) - 1))
      value = fraction == 0 ? __builtin_inf() : __builtin_nan("");
    else
      value = __builtin_ldexp(fraction + (exponent == 0 ? 0 : 1 << Mantissa),
                              (exponent == 0 ? 1 : exponent) - Bias - Mantissa);
    return bits & 0x80u ? -value : value;
  }
};
using __kernelbatch_ptx_type_e4m3 = __kernelbatch_ptx_type_fp8<3, 7, true>;
using __kernelbatch_ptx_type_e5m2 = __kernelbatch_ptx_type_fp8<2, 15, false>;
struct __kernelbatch_ptx_type_s32 {
  static constexpr int _bits = 32;
  static long long _value(unsigned long long bits) { return static_cast<int>(bits); }
  static unsigned long long _pack(long long x) { return static_cast<unsigned>(x); }
};

/// Every lane's registers: [register][lane].
template <int Count>
struct __kernelbatch_ptx_fragments {
  unsigned long long _of[Count][32];
  explicit __kernelbatch_ptx_fragments(const unsigned long long* own) {
    for (int r = 0; r < Count; ++r) {
      const auto warp = kernelbatch::detail::exchange(0xffffffffu, own[r]);
      for (int lane = 0; lane < 32; ++lane) _of[r][lane] = warp.value[lane];
    }
  }
};

/// D = A B + C of a warp: A is M x K, B is K x 8.
template <int M, int K, class In, class Out>
inline void __kernelbatch_ptx_mma(unsigned long long* d, const unsigned long long* a,
                                  const unsigned long long* b, const unsigned long long* c) {
  // Elements in one register, registers of a lane.
  constexpr int kPack = In::_bits >= 32 ? 1 : 32 / In::_bits;
  constexpr int kHalves = M / 8;
  constexpr int kRegistersB = K / (4 * kPack), kRegistersA = kHalves * kRegistersB;
  const __kernelbatch_ptx_fragments<kRegistersA> all_a(a);
  const __kernelbatch_ptx_fragments<kRegistersB> all_b(b);
  const auto element = [](const auto& fragments, int reg, int lane, int part) {
    unsigned long long bits = fragments._of[reg][lane];
    if constexpr (In::_bits < 32) bits = bits >> (In::_bits * part) & ((1ull << In::_bits) - 1);
    return In::_value(static_cast<decltype(In::_bits == 64 ? 0ull : 0u)>(bits));
  };
  const int group = static_cast<int>(kernelbatch::detail::lane()) / 4;
  const int column = static_cast<int>(kernelbatch::detail::lane()) % 4 * 2;
  constexpr bool kPacked = Out::_bits == 16;
  for (int part = 0; part < 2 * kHalves; ++part) {
    const int half = part / 2, n = column + part % 2;
    typename In::_sum sum = 0;
    for (int k = 0; k < K; ++k) {
      // The lane of a group of four, its register and the part of that which hold k.
      const int lane = k % (4 * kPack) / kPack, block = k / (4 * kPack), at = k % kPack;
      sum += element(all_a, half + kHalves * block, 4 * group + lane, at) *
             element(all_b, block, 4 * n + lane, at);
    }
    if constexpr (kPacked) {
      const auto before = Out::_value(static_cast<unsigned>(c[half] >> (16 * (part % 2)) & 0xffff));
      const unsigned long long bits = Out::_pack(sum + before);
      d[half] = part % 2 == 0 ? bits : d[half] | bits << 16;
    } else {
      d[part] = Out::_pack(sum + Out::_value(c[part]));
    }
  }
}

/// Up to four matrices of 8 x 8 elements of 16 bits; lane 8 k + r gives the address of row r of
/// matrix k.
template <int Count, bool Transposed>
inline void __kernelbatch_ptx_ldmatrix(unsigned long long* d, const char* own) {
  const auto address = reinterpret_cast<unsigned long long>(own);
  const auto warp = kernelbatch::detail::exchange(0xffffffffu, address);
  const char* rows[32];
  for (int lane = 0; lane < 32; ++lane)
    rows[lane] = reinterpret_cast<const char*>(warp.value[lane]);
  const int row = static_cast<int>(kernelbatch::detail::lane()) / 4;
  const int column = static_cast<int>(kernelbatch::detail::lane()) % 4 * 2;
  for (int k = 0; k < Count; ++k) {
    d[k] = 0;
    for (int part = 0; part < 2; ++part) {
      const int r = Transposed ? column + part : row, c = Transposed ? row : column + part;
      unsigned short element;
      memcpy(&element, rows[8 * k + r] + 2 * c, 2);
      d[k] |= static_cast<unsigned long long>(element) << (16 * part);
    }
  }
}
/// The reverse: stores the matrices.
template <int Count, bool Transposed>
inline void __kernelbatch_ptx_stmatrix(char* own, const unsigned long long* d) {
  const auto address = reinterpret_cast<unsigned long long>(own);
  const auto warp = kernelbatch::detail::exchange(0xffffffffu, address);
  char* rows[32];
  for (int lane = 0; lane < 32; ++lane) rows[lane] = reinterpret_cast<char*>(warp.value[lane]);
  const int row = static_cast<int>(kernelbatch::detail::lane()) / 4;
  const int column = static_cast<int>(kernelbatch::detail::lane()) % 4 * 2;
  for (int k = 0; k < Count; ++k)
    for (int part = 0; part < 2; ++part) {
      const int r = Transposed ? column + part : row, c = Transposed ? row : column + part;
      const auto element = static_cast<unsigned short>(d[k] >> (16 * part));
      memcpy(rows[8 * k + r] + 2 * c, &element, 2);
    }
}
/// Transposes the 8 x 8 elements of 16 bits that a warp has in one register each.
inline unsigned __kernelbatch_ptx_movmatrix(unsigned own) {
  const auto warp = kernelbatch::detail::exchange(0xffffffffu, own);
  const unsigned row = kernelbatch::detail::lane() / 4;
  const unsigned column = kernelbatch::detail::lane() % 4 * 2;
  unsigned result = 0;
  for (unsigned part = 0; part < 2; ++part) {
    const unsigned from = static_cast<unsigned>(warp.value[4 * (column + part) + row / 2]);
    result |= (from >> (16 * (row % 2)) & 0xffffu) << (16 * part);
  }
  return result;
}
