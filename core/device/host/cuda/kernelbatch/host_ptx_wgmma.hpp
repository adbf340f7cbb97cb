// Asked for by: __kernelbatch_ptx_wgmma*.
// PTX's matrix products of a warp group: each thread computes its own elements. Operands in shared
// memory have the layouts of matrix descriptors: PTX ISA, "Shared Memory Matrix Layout".
#pragma once

#include "kernelbatch/host_async.hpp"
#include "kernelbatch/host_ptx_matrix.hpp"

/// A matrix in shared memory; `Bytes` is the size of an element.
template <int Bytes>
struct __kernelbatch_ptx_matrix {
  unsigned _begin, _leading, _stride, _swizzle;  // bytes; the row's bytes, or 0 without swizzling
  bool _is_transposed;
  const char* _memory;

  __kernelbatch_ptx_matrix(unsigned long long descriptor, bool is_transposed, const char* memory)
      : _begin(static_cast<unsigned>(descriptor & 0x3fff) << 4),
        _leading(static_cast<unsigned>(descriptor >> 16 & 0x3fff) << 4),
        _stride(static_cast<unsigned>(descriptor >> 32 & 0x3fff) << 4),
        _swizzle(descriptor >> 62 ? 256u >> (descriptor >> 62) : 0),
        _is_transposed(is_transposed),
        _memory(memory) {}

  /// Place of the element of row `r` (of A, or column of B) at depth `k`.
  const char* _place(unsigned r, unsigned k) const {
    // The contiguous direction, and the other.
    const unsigned along = (_is_transposed ? r : k) * Bytes, across = _is_transposed ? k : r;
    unsigned at = _begin;
    if (_swizzle == 0) {
      const unsigned next = _is_transposed ? _stride : _leading;
      const unsigned group = _is_transposed ? _leading : _stride;
      at += along / 16 * next + across / 8 * group + across % 8 * 16 + along % 16;
    } else {
      at += along / _swizzle * _leading + across / 8 * _stride + across % 8 * _swizzle +
            along % _swizzle;
      at ^= (at >> 7 & (_swizzle / 16 - 1)) << 4;
    }
    return _memory + at;
  }
  unsigned _at(unsigned r, unsigned k) const {
    const char* const place = _place(r, k);
    unsigned value = 0;
    if constexpr (Bytes == 1) value = *reinterpret_cast<const unsigned char*>(place);
    if constexpr (Bytes == 2) value = *reinterpret_cast<const unsigned short*>(place);
    if constexpr (Bytes == 4) value = *reinterpret_cast<const unsigned*>(place);
    return value;
  }
  /// Under checks the row's memory is being read until the wait for the product.
  void _keep(unsigned r) const {
#ifdef KERNELBATCH_CHECKS
    constexpr unsigned kChunk = 16 / Bytes, kDepth = 32 / Bytes;
    if (_is_transposed && r % kChunk != 0) return;
    for (unsigned k = 0; k < kDepth; k += _is_transposed ? 1 : kChunk)
      __kernelbatch_begin_copy(nullptr, _place(r, k), 0, 16, 1, kernelbatch_host::kCopyProduct);
#else
    (void)r;
#endif
  }
};

/// D = ± A ± B + D, of 64 x K and K x N elements. `a` is a descriptor, or the thread's four
/// registers.
template <int N, class In, class Out, bool HasRegisters>
inline void __kernelbatch_ptx_wgmma(unsigned long long* d, const unsigned long long* a,
                                    unsigned long long b, bool adds, int sign, bool is_transposed_a,
                                    bool is_transposed_b, const char* memory) {
  constexpr int kBytes = In::_bits / 8, kDepth = 32 / kBytes, kPack = 4 / kBytes;
  const unsigned lane = kernelbatch::detail::lane();
  const unsigned row = kernelbatch_host_thread->linear_thread / 32 % 4 * 16 + lane / 4;
  typename In::_sum rows[2][kDepth];
  if constexpr (HasRegisters) {
    const __kernelbatch_ptx_fragments<4> all(a);
    for (int half = 0; half < 2; ++half)
      for (int k = 0; k < kDepth; ++k) {
        const int from = k % (4 * kPack) / kPack, block = k / (4 * kPack);
        const unsigned long long bits =
            all._of[half + 2 * block][lane / 4 * 4 + static_cast<unsigned>(from)];
        const auto word = static_cast<unsigned>(bits) >> (In::_bits * (k % kPack));
        rows[half][k] = In::_value(kBytes == 4 ? word : word & ((1u << In::_bits % 32) - 1));
      }
  } else {
    const __kernelbatch_ptx_matrix<kBytes> matrix(a[0], is_transposed_a, memory);
    for (unsigned half = 0; half < 2; ++half)
      for (unsigned k = 0; k < kDepth; ++k)
        rows[half][k] = In::_value(matrix._at(row + 8 * half, k));
    if (lane % 4 == 0) matrix._keep(row), matrix._keep(row + 8);
  }
  const __kernelbatch_ptx_matrix<kBytes> matrix(b, is_transposed_b, memory);
  for (int column = 0; column < N / 4; ++column) {  // of this thread
    const unsigned n = static_cast<unsigned>(column / 2 * 8 + column % 2) + lane % 4 * 2;
    typename In::_sum sums[2] = {0, 0};
    if (row == 0) matrix._keep(n);
    for (unsigned k = 0; k < kDepth; ++k) {
      const auto value = In::_value(matrix._at(n, k));
      for (int half = 0; half < 2; ++half) sums[half] += rows[half][k] * value;
    }
    for (int half = 0; half < 2; ++half) {
      const auto sum = sign < 0 ? -sums[half] : sums[half];
      const int at = column / 2 * 4 + half * 2 + column % 2;
      if constexpr (Out::_bits == 16) {
        const int shift = at % 2 * 16;
        unsigned long long& word = d[at / 2];
        const auto before = Out::_value(static_cast<unsigned>(word >> shift & 0xffff));
        const unsigned long long bits = Out::_pack(sum + (adds ? before : 0));
        word = (word & ~(0xffffull << shift)) | bits << shift;
      } else {
        d[at] = Out::_pack(sum + (adds ? Out::_value(d[at]) : 0));
      }
    }
  }
}

/// Products whose wait has not come: the registers hold a NaN of every type until then.
template <int Count>
struct __kernelbatch_ptx_wgmma_results {
  static constexpr unsigned _kAbsent = 0x7fff7fff;
  bool _is_pending[Count] = {};
  unsigned _value[Count], _group[Count];
  unsigned* _register[Count];
  unsigned _closed = 0;

  unsigned long long _now(int k, unsigned own) const { return _is_pending[k] ? _value[k] : own; }
  void _begin(int k, unsigned& own, unsigned long long value) {
    _set(k, own, static_cast<unsigned>(value), _closed);
  }
  void _move(int to, unsigned& own, int from, unsigned other) {
    _drop(to);
    own = other;
    if (_is_pending[from]) _set(to, own, _value[from], _group[from]);
  }
  void _drop(int k) { _is_pending[k] = false; }
  void _commit() { ++_closed; }
  void _wait(unsigned prior) {
    for (int k = 0; k < Count; ++k)
      if (_is_pending[k] && _group[k] + prior < _closed) {
        *_register[k] = _value[k];
        _is_pending[k] = false;
      }
  }

 private:
  void _set(int k, unsigned& own, unsigned value, unsigned group) {
    _is_pending[k] = true;
    _value[k] = value;
    _group[k] = group;
    _register[k] = &own;
    own = _kAbsent;
  }
};

/// A register of that number, as an operand.
#ifdef KERNELBATCH_CHECKS
KERNELBATCH_UNCHECKED inline void __kernelbatch_product_in_flight() {
  kernelbatch_host_thread->operations->checks->product_in_flight(__builtin_return_address(0));
}
#define __KERNELBATCH_PTX_PRODUCT(number, own)                                              \
  (__kernelbatch_products._is_pending[number] ? __kernelbatch_product_in_flight() : (void)0, own)
#else
#define __KERNELBATCH_PTX_PRODUCT(number, own) own
#endif

inline void __kernelbatch_ptx_wgmma_commit() {
#ifdef KERNELBATCH_CHECKS
  __kernelbatch_commit_copies(kernelbatch_host::kCopyProduct);
#endif
}
inline void __kernelbatch_ptx_wgmma_wait(unsigned prior) {
#ifdef KERNELBATCH_CHECKS
  __kernelbatch_wait_copies(prior, kernelbatch_host::kCopyProduct);
#else
  (void)prior;
#endif
}
template <int Count>
inline void __kernelbatch_ptx_wgmma_commit(__kernelbatch_ptx_wgmma_results<Count>& results) {
  __kernelbatch_ptx_wgmma_commit();
  results._commit();
}
template <int Count>
inline void __kernelbatch_ptx_wgmma_wait(unsigned prior,
                                         __kernelbatch_ptx_wgmma_results<Count>& results) {
  __kernelbatch_ptx_wgmma_wait(prior);
  results._wait(prior);
}
