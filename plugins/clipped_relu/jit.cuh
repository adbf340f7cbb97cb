// y = min(max(x, 0), cap): WIDTH neighbours at once, ITEMS times in each thread.
template <class T>
__device__ T clipped(T x, T cap) {
  return x < T(0) ? T(0) : x > cap ? cap : x;
}

template <class X, class Y>
__global__ void clipped_relu(X x, Y y, double cap) {
  using T = typename Y::value_type;
  using Pack = kernelbatch::pack<T, WIDTH>;
  const T limit = static_cast<T>(cap);
  const Pack* const from = reinterpret_cast<const Pack*>(x.data());
  Pack* const to = reinterpret_cast<Pack*>(y.data());
  const long long packs = y.size() / WIDTH;
  const long long step = kernelbatch::grid_size();
  for (long long k = kernelbatch::grid_index(); k < packs; k += ITEMS * step) {
    Pack loaded[ITEMS];
    // Without a branch, so that the loads are in flight together: past the end the last pack again.
    for (int u = 0; u < ITEMS; ++u) loaded[u] = from[k + u * step < packs ? k + u * step : packs - 1];
    for (int u = 0; u < ITEMS && k + u * step < packs; ++u) {
      for (int w = 0; w < WIDTH; ++w) loaded[u].value[w] = clipped(loaded[u].value[w], limit);
      to[k + u * step] = loaded[u];
    }
  }
  for (long long k = packs * WIDTH + kernelbatch::grid_index(); k < y.size(); k += step) y[k] = clipped(x[k], limit);
}
