// squares[row] = sum of the squares of a row of p, a block for each row.
template <class P, class S>
__global__ void row_squares(P p, S squares) {
  using T = typename S::value_type;
  const long long cols = p.shape()[1];
  for (long long row = blockIdx.x; row < squares.size(); row += gridDim.x) {
    T sum = 0;
    for (long long k = row * cols + threadIdx.x; k < (row + 1) * cols; k += blockDim.x)
      sum += p[k] * p[k];
    sum = kernelbatch::block_reduce(sum, [](T x, T y) { return x + y; });
    if (threadIdx.x == 0) squares[row] = sum;
  }
}

// c = a·b of square matrices, a block for each tile of c.
template <class A>
__global__ void product(A a, A b, A c, int across) {
  using T = typename A::value_type;
  __shared__ T a_tile[TILE][TILE], b_tile[TILE][TILE];
  const long long m = a.shape()[0];
  const long long row = blockIdx.x / across * TILE + threadIdx.y;
  const long long column = blockIdx.x % across * TILE + threadIdx.x;
  T sum = 0;
  for (long long first = 0; first < m; first += TILE) {
    const long long a_column = first + threadIdx.x;
    const long long b_row = first + threadIdx.y;
    a_tile[threadIdx.y][threadIdx.x] = row < m && a_column < m ? a[row * m + a_column] : T(0);
    b_tile[threadIdx.y][threadIdx.x] = b_row < m && column < m ? b[b_row * m + column] : T(0);
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += a_tile[threadIdx.y][k] * b_tile[k][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < m) c[row * m + column] = sum;
}
