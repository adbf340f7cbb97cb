// y = min(max(x, 0), cap).
template <class X, class Y>
__global__ void clipped_relu(X x, Y y, double cap) {
  using T = typename X::value_type;
  const T limit = static_cast<T>(cap);
  for (const auto k : kernelbatch::range(y.size())) y[k] = x[k] > T(0) ? (x[k] < limit ? x[k] : limit) : T(0);
}
