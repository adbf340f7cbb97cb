// out = (a + b)·scale.
template <class A, class C>
__global__ void scaled_add(A a, A b, C out, double scale) {
  const auto factor = static_cast<typename A::value_type>(scale);
  for (const auto k : kernelbatch::range(out.size())) out[k] = (a[k] + b[k]) * factor;
}
