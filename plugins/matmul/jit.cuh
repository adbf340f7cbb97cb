// c = a·b: a block of 256 threads for each tile of 128 by 128 of c, and 8 by 8 sums in each thread, of four rows and
// columns next to each other twice.
template <class A, class C>
__global__ void matmul(A a, A b, C c, int across) {
  using T = typename C::value_type;
  using Sum = decltype(T() * T());  // float for floats of 16 bits
  using Four = kernelbatch::pack<T, 4>;
  // One more four keeps threads that write down a column off each other's banks.
  __shared__ Four a_tile[DEPTH][33], b_tile[DEPTH][32];
  const long long depth = a.shape()[1];
  const long long first_row = blockIdx.x / across * 128, first_column = blockIdx.x % across * 128;
  const int own_row = threadIdx.x / 16, own_column = threadIdx.x % 16;
  Sum sums[8][8] = {};
  for (long long first = 0; first < depth; first += DEPTH) {
    for (int at = threadIdx.x; at < 128 * DEPTH; at += 256) {
      const int row = at / DEPTH, a_depth = at % DEPTH, b_depth = at / 128, column = at % 128;
      a_tile[a_depth][row / 4].value[row % 4] =
          first_row + row < a.shape()[0] && first + a_depth < depth ? a[{first_row + row, first + a_depth}] : T(0);
      b_tile[b_depth][column / 4].value[column % 4] = first + b_depth < depth && first_column + column < b.shape()[1]
                                                          ? b[{first + b_depth, first_column + column}]
                                                          : T(0);
    }
    __syncthreads();
    for (int k = 0; k < DEPTH; ++k) {
      const Four left[2] = {a_tile[k][own_row], a_tile[k][16 + own_row]};
      const Four right[2] = {b_tile[k][own_column], b_tile[k][16 + own_column]};
      for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) sums[i][j] += left[i / 4].value[i % 4] * right[j / 4].value[j % 4];
    }
    __syncthreads();
  }
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) {
      const long long row = first_row + i / 4 * 64 + own_row * 4 + i % 4;
      const long long column = first_column + j / 4 * 64 + own_column * 4 + j % 4;
      if (row < c.shape()[0] && column < c.shape()[1]) c[{row, column}] = T(sums[i][j]);
    }
}
