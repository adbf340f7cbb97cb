// y = re(z)² + im(z)².
template <class Z, class Y>
__global__ void abs2(Z z, Y y) {
  for (const auto k : kernelbatch::range(y.size())) {
    const auto value = z[k];
    y[k] = value.real() * value.real() + value.imag() * value.imag();
  }
}
