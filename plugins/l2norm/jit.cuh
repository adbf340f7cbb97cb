// Constants: WIDTH elements of a load, LANES of a short row, TILE loads side by side in a block.

template <class T>
using Pack = kernelbatch::pack<T, WIDTH>;

// The squares of the load at `at`, element by element, on top of `sums`, where `is_there`; elsewhere, so that no
// branch keeps loads from being in flight together, zeros in place of what the first load brings.
template <class T, class X>
__device__ void add_squares(Pack<T>& sums, const X& x, bool is_there, long long at) {
  const Pack<T> loaded = reinterpret_cast<const Pack<T>*>(x.data())[is_there ? at : 0];
  for (int w = 0; w < WIDTH; ++w) {
    const T value = is_there ? loaded.value[w] : T(0);
    sums.value[w] += value * value;
  }
}

// The sum of what four loads brought, or of one's elements.
template <class T>
__device__ T sum_of(const Pack<T>* sums, int count) {
  T sum = 0;
  for (int u = 0; u < count; ++u)
    for (int w = 0; w < WIDTH; ++w) sum += sums[u].value[w];
  return sum;
}

// What LANES neighbours hold of each of four sums, added up: a lane passes half of its sums on for the other half of
// its neighbour's. It keeps four sums of one lane, two of two, else one: from number first_sum(lane) on.
template <class T>
__device__ void add_lanes(T* sums, int lane) {
  const unsigned all = ~0u;
  if constexpr (LANES >= 2) {
    const bool is_odd = lane % 2 == 1;
    const T first = is_odd ? sums[0] : sums[2], second = is_odd ? sums[1] : sums[3];
    sums[0] = (is_odd ? sums[2] : sums[0]) + __shfl_xor_sync(all, first, 1);
    sums[1] = (is_odd ? sums[3] : sums[1]) + __shfl_xor_sync(all, second, 1);
  }
  if constexpr (LANES >= 4) {
    const bool is_upper = lane / 2 % 2 == 1;
    const T given = is_upper ? sums[0] : sums[1];
    sums[0] = (is_upper ? sums[1] : sums[0]) + __shfl_xor_sync(all, given, 2);
  }
  for (int distance = 4; distance < LANES; distance *= 2) sums[0] += __shfl_xor_sync(all, sums[0], distance);
}
__device__ inline int first_sum(int lane) { return LANES == 1 ? 0 : LANES == 2 ? lane * 2 : lane % 2 * 2 + lane / 2 % 2; }

// norm[row] = root of the sum of the row's squares: LANES neighbours of a warp for each row, four rows in flight.
template <class X, class N>
__global__ void short_rows(X x, N norm, int length) {
  using T = typename N::value_type;
  const int lane = threadIdx.x % LANES, at_once = 32 / LANES, packs = length / WIDTH;
  const long long rows = norm.size();
  const long long warp = static_cast<long long>(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32;
  const long long first = warp * 4 * at_once + threadIdx.x % 32 / LANES;
  const Pack<T>* row[4];
  // Past the end the last row again: no branch keeps the loads from being in flight together.
  for (int u = 0; u < 4; ++u)
    row[u] = reinterpret_cast<const Pack<T>*>(x.data()) + min(first + u * at_once, rows - 1) * packs;
  Pack<T> squares[4] = {};
  for (int k = lane; k < packs; k += LANES) {
    Pack<T> loaded[4];
    for (int u = 0; u < 4; ++u) loaded[u] = row[u][k];
    for (int u = 0; u < 4; ++u)
      for (int w = 0; w < WIDTH; ++w) squares[u].value[w] += loaded[u].value[w] * loaded[u].value[w];
  }
  T sums[4];
  for (int u = 0; u < 4; ++u) sums[u] = sum_of<T>(&squares[u], 1);
  add_lanes(sums, lane);
  const int kept = LANES >= 4 ? 1 : 4 / LANES;
  for (int u = 0; u < kept; ++u) {
    const long long number = first + (first_sum(lane) + u) * at_once;
    if (lane < 4 && number < rows) norm[number] = sqrt(sums[u]);
  }
}

// parts[piece, row] = sum of squares of a piece of the row, LANES threads for each; the root where there is one.
template <class X, class P>
__global__ void row_squares(X x, P parts, long long length) {
  using T = typename P::value_type;
  const long long pieces = parts.shape()[0], rows = parts.shape()[1], packs = length / WIDTH;
  const long long part = static_cast<long long>(blockIdx.x) * (blockDim.x / LANES) + threadIdx.x / LANES;
  if (part >= parts.size()) return;
  const long long row = part / pieces, piece = part % pieces;
  const long long end = packs * (piece + 1) / pieces;
  Pack<T> sums[4] = {};
  for (long long k = packs * piece / pieces + threadIdx.x % LANES; k < end; k += 4 * LANES)
    for (int u = 0; u < 4; ++u) add_squares(sums[u], x, k + u * LANES < end, row * packs + k + u * LANES);
  T sum = sum_of<T>(sums, 4);
  if constexpr (LANES > 32)
    sum = kernelbatch::block_reduce(sum, kernelbatch::plus());
  else
    sum = kernelbatch::warp_reduce<LANES>(sum, kernelbatch::plus());
  if (threadIdx.x % LANES == 0) parts[piece * rows + row] = pieces == 1 ? sqrt(sum) : sum;
}

// parts[piece, column] = sum of squares of a piece of the column, TILE threads side by side in each row; the root
// where there is one piece.
template <class X, class P>
__global__ void column_squares(X x, P parts, long long length) {
  using T = typename P::value_type;
  __shared__ Pack<T> shared[256];
  const long long pieces = parts.shape()[0], packs = parts.shape()[1] / WIDTH;
  const int own = threadIdx.x / TILE, at_once = 256 / TILE;
  // Neighbouring blocks read whole rows.
  const long long across = gridDim.x / pieces;
  const long long column = blockIdx.x % across * TILE + threadIdx.x % TILE;
  const long long piece = blockIdx.x / across;
  const bool is_mine = own < at_once && column < packs;
  const long long end = is_mine ? length * (piece + 1) / pieces : 0;
  Pack<T> sums[4] = {};
  for (long long row = length * piece / pieces + own; row < end; row += 4 * at_once)
    for (int u = 0; u < 4; ++u)
      add_squares(sums[u], x, row + u * at_once < end, (row + u * at_once) * packs + column);
  for (int w = 0; w < WIDTH; ++w)
    shared[threadIdx.x].value[w] =
        (sums[0].value[w] + sums[1].value[w]) + (sums[2].value[w] + sums[3].value[w]);
  __syncthreads();
  for (int rows = at_once; rows > 1; rows = (rows + 1) / 2) {
    const int half = (rows + 1) / 2;
    if (own < rows - half)
      for (int w = 0; w < WIDTH; ++w) shared[threadIdx.x].value[w] += shared[threadIdx.x + half * TILE].value[w];
    __syncthreads();
  }
  if (own > 0 || column >= packs) return;
  for (int w = 0; w < WIDTH; ++w) {
    const T sum = shared[threadIdx.x].value[w];
    parts[piece * parts.shape()[1] + column * WIDTH + w] = pieces == 1 ? sqrt(sum) : sum;
  }
}

// norm[k] = root of the sum of its parts: LANES threads for each.
template <class P, class N>
__global__ void roots(P parts, N norm) {
  using T = typename P::value_type;
  const long long k = static_cast<long long>(blockIdx.x) * (blockDim.x / LANES) + threadIdx.x / LANES;
  T sum = 0;
  if (k < norm.size())
    for (long long piece = threadIdx.x % LANES; piece < parts.shape()[0]; piece += LANES)
      sum += parts[piece * norm.size() + k];
  if constexpr (LANES > 32)
    sum = kernelbatch::block_reduce(sum, kernelbatch::plus());
  else
    sum = kernelbatch::warp_reduce<LANES>(sum, kernelbatch::plus());
  if (threadIdx.x % LANES == 0 && k < norm.size()) norm[k] = sqrt(sum);
}
