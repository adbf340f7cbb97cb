// Sums the squared differences of y_true and y_pred in a grid-stride loop, one partial sum per block.
template <class Y, class P>
__global__ void squares(Y y_true, Y y_pred, P partial) {
  using T = typename P::value_type;
  __shared__ T shared[BLOCK];
  T sums[4] = {0, 0, 0, 0};
  const long long n = y_true.size();
  const long long step = kernelbatch::grid_size();
  long long k = kernelbatch::grid_index();
  for (; k + 3 * step < n; k += 4 * step) {
    for (int j = 0; j < 4; ++j) {
      const T difference = y_pred[k + j * step] - y_true[k + j * step];
      sums[j] += difference * difference;
    }
  }
  for (; k < n; k += step) {
    const T difference = y_pred[k] - y_true[k];
    sums[0] += difference * difference;
  }
  shared[threadIdx.x] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = shared[0];
}

// Adds up the partial sums with one block and divides.
template <class P, class M>
__global__ void mean(P partial, M mse, double count) {
  using T = typename P::value_type;
  __shared__ T shared[BLOCK];
  T sum = 0;
  for (long long k = threadIdx.x; k < partial.size(); k += BLOCK) sum += partial[k];
  shared[threadIdx.x] = sum;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) mse[0] = static_cast<T>(shared[0] / count);
}
