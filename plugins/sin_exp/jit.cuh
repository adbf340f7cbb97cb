// y = sin(x)·exp(−x²).
template <class X, class Y>
__global__ void sin_exp(X x, Y y) {
  for (const auto k : kernelbatch::range(y.size())) y[k] = sin(x[k]) * exp(-x[k] * x[k]);
}
