// c = a·b, a block for each tile of c.
template <class A, class C>
__global__ void matmul(A a, A b, C c, int across) {
  using T = typename C::value_type;
  __shared__ T a_tile[TILE][TILE], b_tile[TILE][TILE];
  const long long depth = a.shape()[1];
  const long long row = blockIdx.x / across * TILE + threadIdx.y;
  const long long column = blockIdx.x % across * TILE + threadIdx.x;
  T sum = 0;
  for (long long first = 0; first < depth; first += TILE) {
    const long long a_column = first + threadIdx.x;
    const long long b_row = first + threadIdx.y;
    a_tile[threadIdx.y][threadIdx.x] =
        row < a.shape()[0] && a_column < depth ? a[{row, a_column}] : T(0);
    b_tile[threadIdx.y][threadIdx.x] =
        b_row < depth && column < b.shape()[1] ? b[{b_row, column}] : T(0);
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += a_tile[threadIdx.y][k] * b_tile[k][threadIdx.x];
    __syncthreads();
  }
  if (row < c.shape()[0] && column < c.shape()[1]) c[{row, column}] = sum;
}
