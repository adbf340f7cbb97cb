// Slope and illumination of the model, one thread per cell.
template <class D, class F>
__global__ void hillshade(D dem, F slope, F shade, float scale_x, float scale_y, float east,
                          float north, float up) {
  const long long rows = dem.shape()[0];
  const long long columns = dem.shape()[1];
  for (long long k = kernelbatch::grid_index(); k < dem.size(); k += kernelbatch::grid_size()) {
    const long long row = k / columns;
    const long long column = k - row * columns;
    const long long above = row > 0 ? k - columns : k;
    const long long below = row < rows - 1 ? k + columns : k;
    const int left = column > 0 ? 1 : 0;
    const int right = column < columns - 1 ? 1 : 0;
    const int a = dem[above - left], b = dem[above], c = dem[above + right];
    const int d = dem[k - left], f = dem[k + right];
    const int g = dem[below - left], h = dem[below], i = dem[below + right];
    const float p = static_cast<float>((c + 2 * f + i) - (a + 2 * d + g)) * scale_x;
    const float q = static_cast<float>((a + 2 * b + c) - (g + 2 * h + i)) * scale_y;
    const float squares = p * p + q * q;
    slope[k] = atanf(sqrtf(squares));
    shade[k] = max(0.0f, (up - p * east - q * north) / sqrtf(1.0f + squares));
  }
}
