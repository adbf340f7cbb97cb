// One step: the next field over the one before, one thread for each cell.
template <class F>
__global__ void step(F now, F q, F before) {
  using T = typename F::value_type;
  const long long rows = now.shape()[0];
  const long long cols = now.shape()[1];
  for (const auto k : kernelbatch::range(now.size())) {
    const long long row = k / cols;
    const long long column = k - row * cols;
    const T here = now[k];
    const T north = row > 0 ? now[k - cols] : T(0);
    const T south = row < rows - 1 ? now[k + cols] : T(0);
    const T west = column > 0 ? now[k - 1] : T(0);
    const T east = column < cols - 1 ? now[k + 1] : T(0);
    before[k] = 2 * here - before[k] + q[k] * (north + south + west + east - 4 * here);
  }
}
