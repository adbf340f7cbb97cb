// Asked for by: __kernelbatch_ptx_simd*.
// PTX's SIMD video instructions: two or four lanes of a register.
#pragma once

/// Lanes `L`, whose results have the sign of D's, and those of the operands the signs of A and B.
/// With `Adds`, the sum of the lanes and c.
template <int L, bool D, bool A, bool B, bool Saturates, bool Adds, class Operation>
inline unsigned __kernelbatch_ptx_simd(unsigned a, unsigned b, unsigned c, Operation operation) {
  constexpr int kBits = 32 / L;
  constexpr unsigned kMask = (1u << kBits) - 1;
  const auto lane = [](unsigned word, int k, bool is_signed) {
    const int value = static_cast<int>(word >> (k * kBits) & kMask);
    return is_signed && (value >> (kBits - 1)) != 0 ? value - (1 << kBits) : value;
  };
  constexpr int kLow = D ? -(1 << (kBits - 1)) : 0, kHigh = D ? -kLow - 1 : static_cast<int>(kMask);
  unsigned result = 0, sum = c;
  for (int k = 0; k < L; ++k) {
    int value = operation(lane(a, k, A), lane(b, k, B));
    if (Saturates) value = value < kLow ? kLow : value > kHigh ? kHigh : value;
    result |= (static_cast<unsigned>(value) & kMask) << (k * kBits);
    sum += static_cast<unsigned>(value);
  }
  return Adds ? sum : result;
}
inline int __kernelbatch_ptx_simd_add(int a, int b) { return a + b; }
inline int __kernelbatch_ptx_simd_sub(int a, int b) { return a - b; }
inline int __kernelbatch_ptx_simd_avrg(int a, int b) { return (a + b + (a + b >= 0)) >> 1; }
inline int __kernelbatch_ptx_simd_absdiff(int a, int b) { return a < b ? b - a : a - b; }
inline int __kernelbatch_ptx_simd_min(int a, int b) { return b < a ? b : a; }
inline int __kernelbatch_ptx_simd_max(int a, int b) { return a < b ? b : a; }
inline int __kernelbatch_ptx_simd_eq(int a, int b) { return a == b; }
inline int __kernelbatch_ptx_simd_ne(int a, int b) { return a != b; }
inline int __kernelbatch_ptx_simd_lt(int a, int b) { return a < b; }
inline int __kernelbatch_ptx_simd_le(int a, int b) { return a <= b; }
inline int __kernelbatch_ptx_simd_gt(int a, int b) { return a > b; }
inline int __kernelbatch_ptx_simd_ge(int a, int b) { return a >= b; }
