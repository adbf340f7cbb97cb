// The grid at the coordinates of each sample, one thread for each.
template <class G, class S>
__global__ void resample(G grid, G x, G y, S sampled) {
  const int rows = static_cast<int>(grid.shape()[0]), columns = static_cast<int>(grid.shape()[1]);
  const long long width = sampled.shape()[1];
  const auto cell = [&](float row, float column) {
    const int r = min(max(static_cast<int>(row), 0), rows - 1);
    const int c = min(max(static_cast<int>(column), 0), columns - 1);
    return grid[static_cast<long long>(r) * columns + c];
  };
  for (const auto k : kernelbatch::range(sampled.size())) {
    const float u = x[k % width], v = y[k / width];
    if (LINEAR) {
      const float left = floorf(u - 0.5f), top = floorf(v - 0.5f);
      const float alpha = u - 0.5f - left, beta = v - 0.5f - top;
      const float above = (1 - alpha) * cell(top, left) + alpha * cell(top, left + 1);
      const float below = (1 - alpha) * cell(top + 1, left) + alpha * cell(top + 1, left + 1);
      sampled[k] = (1 - beta) * above + beta * below;
    } else {
      sampled[k] = cell(floorf(v), floorf(u));
    }
  }
}
