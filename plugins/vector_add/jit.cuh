// c = a + b.
template <class A, class C>
__global__ void vector_add(A a, A b, C c) {
  for (const auto k : kernelbatch::range(c.size())) c[k] = a[k] + b[k];
}
