// Slope and illumination of a model in plain CUDA: each block loads its tile and the cells around it to
// shared memory once.

constexpr int kWidth = 32;
constexpr int kHeight = 16;

extern "C" __global__ void __launch_bounds__(kWidth * kHeight)
hillshade(const short* dem, int rows, int columns, float scale_x, float scale_y, float east,
          float north, float up, float* slope, float* shade) {
  __shared__ short tile[kHeight + 2][kWidth + 2];
  const int first_row = blockIdx.y * kHeight - 1;
  const int first_column = blockIdx.x * kWidth - 1;
  for (int k = threadIdx.y * kWidth + threadIdx.x; k < (kHeight + 2) * (kWidth + 2);
       k += kWidth * kHeight) {
    const int r = k / (kWidth + 2);
    const int c = k - r * (kWidth + 2);
    const int row = min(max(first_row + r, 0), rows - 1);
    const int column = min(max(first_column + c, 0), columns - 1);
    tile[r][c] = dem[(long long)row * columns + column];
  }
  __syncthreads();
  const int row = blockIdx.y * kHeight + threadIdx.y;
  const int column = blockIdx.x * kWidth + threadIdx.x;
  if (row >= rows || column >= columns) return;
  const short* above = &tile[threadIdx.y][threadIdx.x];
  const short* here = &tile[threadIdx.y + 1][threadIdx.x];
  const short* below = &tile[threadIdx.y + 2][threadIdx.x];
  const int across = (above[2] + 2 * here[2] + below[2]) - (above[0] + 2 * here[0] + below[0]);
  const int along = (above[0] + 2 * above[1] + above[2]) - (below[0] + 2 * below[1] + below[2]);
  const float p = across * scale_x;
  const float q = along * scale_y;
  const float squares = p * p + q * q;
  const long long at = (long long)row * columns + column;
  slope[at] = atanf(sqrtf(squares));
  shade[at] = fmaxf(0.0f, (up - p * east - q * north) / sqrtf(1.0f + squares));
}
