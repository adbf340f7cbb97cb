template <class T>
__device__ T value(T x) {
  return sin(x) * exp(-x * x);
}

// y = sin(x)·exp(−x²): WIDTH neighbours at once, ITEMS times in each thread.
template <class X, class Y>
__global__ void sin_exp(X x, Y y) {
  using Pack = kernelbatch::pack<typename Y::value_type, WIDTH>;
  const Pack* const from = reinterpret_cast<const Pack*>(x.data());
  Pack* const to = reinterpret_cast<Pack*>(y.data());
  const long long packs = y.size() / WIDTH;
  const long long step = kernelbatch::grid_size();
  for (long long k = kernelbatch::grid_index(); k < packs; k += ITEMS * step) {
    Pack loaded[ITEMS];
    // Without a branch, so that the loads are in flight together: past the end the last pack again.
    for (int u = 0; u < ITEMS; ++u) loaded[u] = from[k + u * step < packs ? k + u * step : packs - 1];
    for (int u = 0; u < ITEMS && k + u * step < packs; ++u) {
      for (int w = 0; w < WIDTH; ++w) loaded[u].value[w] = value(loaded[u].value[w]);
      to[k + u * step] = loaded[u];
    }
  }
  for (long long k = packs * WIDTH + kernelbatch::grid_index(); k < y.size(); k += step) y[k] = value(x[k]);
}
