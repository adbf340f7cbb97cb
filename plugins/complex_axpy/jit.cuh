// y = x1 + a·x2.
template <class X, class Y>
__global__ void complex_axpy(X x1, X x2, Y y, double a_real, double a_imag) {
  using T = typename X::value_type;
  using R = decltype(T().real());
  const T a(static_cast<R>(a_real), static_cast<R>(a_imag));
  for (const auto k : kernelbatch::range(y.size())) y[k] = x1[k] + a * x2[k];
}
