// A grid at new coordinates in plain CUDA, one thread for each sample: by hand, by a texture, and by a
// texture into a surface.

extern "C" __global__ void __launch_bounds__(256)
resample(const float* grid, int grid_rows, int grid_columns, const float* x, const float* y, float* sampled,
         int rows, int cols, int is_linear) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (column >= cols || row >= rows) return;
  const auto cell = [&](float r, float c) {
    const int at_row = min(max(static_cast<int>(r), 0), grid_rows - 1);
    const int at_column = min(max(static_cast<int>(c), 0), grid_columns - 1);
    return __ldg(grid + static_cast<long long>(at_row) * grid_columns + at_column);
  };
  const float shift = is_linear ? 0.5f : 0.0f;
  const float u = x[column] - shift, v = y[row] - shift;
  const float left = floorf(u), top = floorf(v);
  float value = cell(top, left);
  if (is_linear) {
    const float alpha = u - left, beta = v - top;
    const float above = (1 - alpha) * value + alpha * cell(top, left + 1);
    const float below = (1 - alpha) * cell(top + 1, left) + alpha * cell(top + 1, left + 1);
    value = (1 - beta) * above + beta * below;
  }
  sampled[static_cast<long long>(row) * cols + column] = value;
}

extern "C" __global__ void __launch_bounds__(256)
resample_texture(cudaTextureObject_t texture, const float* x, const float* y, float* sampled, int rows, int cols) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (column >= cols || row >= rows) return;
  sampled[static_cast<long long>(row) * cols + column] = tex2D<float>(texture, x[column], y[row]);
}

extern "C" __global__ void __launch_bounds__(256)
resample_surface(cudaTextureObject_t texture, cudaSurfaceObject_t surface, const float* x, const float* y,
                 int rows, int cols) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (column >= cols || row >= rows) return;
  surf2Dwrite(tex2D<float>(texture, x[column], y[row]), surface, column * static_cast<int>(sizeof(float)), row);
}
