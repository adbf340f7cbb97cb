// Both differences of each cell; neighbours are read through the cache.
template <class F>
__global__ void gradient(F u, F dx, F dy) {
  const long long rows = u.shape()[0];
  const long long cols = u.shape()[1];
  for (const auto k : kernelbatch::range(u.size())) {
    const long long row = k / cols;
    const long long column = k - row * cols;
    dx[k] = (u[column < cols - 1 ? k + 1 : k] - u[column > 0 ? k - 1 : k]) / 2;
    dy[k] = (u[row < rows - 1 ? k + cols : k] - u[row > 0 ? k - cols : k]) / 2;
  }
}
