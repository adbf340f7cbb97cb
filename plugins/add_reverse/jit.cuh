// z[i] = x[i] + y[n − 1 − i].
template <class X, class Z>
__global__ void add_reverse(X x, X y, Z z) {
  for (const auto k : kernelbatch::range(z.size())) z[k] = x[k] + y[y.size() - 1 - k];
}
