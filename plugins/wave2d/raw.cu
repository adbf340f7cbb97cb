// One step of a 2-D wave in plain CUDA: the next field over the one before. Neighbouring threads share the
// lines of the cache that hold the rows above and below.

namespace {

template <class T>
__device__ void step(const T* now, const T* q, T* before, int rows, int cols) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (column >= cols) return;
  for (int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y); row < rows;
       row += static_cast<int>(gridDim.y * blockDim.y)) {
    const long long k = static_cast<long long>(row) * cols + column;
    const T here = now[k];
    const T north = row > 0 ? now[k - cols] : T(0);
    const T south = row < rows - 1 ? now[k + cols] : T(0);
    const T west = column > 0 ? now[k - 1] : T(0);
    const T east = column < cols - 1 ? now[k + 1] : T(0);
    before[k] = 2 * here - before[k] + q[k] * (north + south + west + east - 4 * here);
  }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(256)
step_float32(const float* now, const float* q, float* before, int rows, int cols) {
  step(now, q, before, rows, cols);
}

extern "C" __global__ void __launch_bounds__(256)
step_float64(const double* now, const double* q, double* before, int rows, int cols) {
  step(now, q, before, rows, cols);
}
