// CUB's operators on the host device, by their names of now and before.
#pragma once

#include "cub/util_type.cuh"
#include "cuda/functional"

namespace cub {

using Equality = cuda::std::equal_to<>;
using Inequality = cuda::std::not_equal_to<>;
using Sum = cuda::std::plus<>;
using Difference = cuda::std::minus<>;
using Division = cuda::std::divides<>;
using Max = cuda::maximum<>;
using Min = cuda::minimum<>;

template <class EqualityOp>
struct InequalityWrapper {
  EqualityOp op;
  explicit InequalityWrapper(EqualityOp equal) : op(equal) {}
  template <class A, class B>
  bool operator()(A&& a, B&& b) {
    return !op(a, b);
  }
};
/// The larger value; of equals, the one of the smaller key.
struct ArgMax {
  template <class Key, class Value>
  KeyValuePair<Key, Value> operator()(const KeyValuePair<Key, Value>& a,
                                      const KeyValuePair<Key, Value>& b) const {
    return (b.value > a.value) || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class Key, class Value>
  KeyValuePair<Key, Value> operator()(const KeyValuePair<Key, Value>& a,
                                      const KeyValuePair<Key, Value>& b) const {
    return (b.value < a.value) || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
template <class B>
struct CastOp {
  template <class A>
  B operator()(A&& a) const {
    return B(a);
  }
};
template <class Op>
struct SwizzleScanOp {
  Op op;
  explicit SwizzleScanOp(Op scan) : op(scan) {}
  template <class T>
  T operator()(const T& a, const T& b) {
    T x = b, y = a;
    return op(x, y);
  }
};
/// Sums of segments; a pair's key counts the segments that it ends.
template <class Op>
struct ReduceBySegmentOp {
  Op op;
  ReduceBySegmentOp() = default;
  explicit ReduceBySegmentOp(Op reduce) : op(reduce) {}
  template <class Pair>
  Pair operator()(const Pair& a, const Pair& b) {
    Pair result;
    result.key = a.key + b.key;
    result.value = b.key ? b.value : op(a.value, b.value);
    return result;
  }
};
template <class Op>
struct ReduceByKeyOp {
  Op op;
  ReduceByKeyOp() = default;
  explicit ReduceByKeyOp(Op reduce) : op(reduce) {}
  template <class Pair>
  Pair operator()(const Pair& a, const Pair& b) {
    Pair result = b;
    if (a.key == b.key) result.value = op(a.value, b.value);
    return result;
  }
};

}  // namespace cub
