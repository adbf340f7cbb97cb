// norm[row] = root of the sum of the row's squares, `lanes` neighbours of a warp for each row.
template <class X, class N>
__global__ void short_rows(X x, N norm, long long length, int lanes) {
  using T = typename N::value_type;
  const long long thread = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x / lanes;
  const int lane = threadIdx.x % lanes;
  // A warp's lanes stay together to the last round: they exchange their sums.
  for (long long first = 0; first < norm.size(); first += step) {
    const long long row = first + thread / lanes;
    T sum = 0;
    if (row < norm.size())
      for (long long k = lane; k < length; k += lanes) sum += x[row * length + k] * x[row * length + k];
    for (int distance = lanes / 2; distance > 0; distance /= 2) sum += __shfl_xor_sync(~0u, sum, distance);
    if (lane == 0 && row < norm.size()) norm[row] = sqrt(sum);
  }
}

// parts[piece, row] = sum of squares of a piece of the row, one block for each.
template <class X, class P>
__global__ void row_squares(X x, P parts, long long length) {
  using T = typename P::value_type;
  const long long pieces = parts.shape()[0];
  const long long rows = parts.shape()[1];
  for (long long part = blockIdx.x; part < parts.size(); part += gridDim.x) {
    const long long row = part % rows * length;
    const long long begin = row + part / rows * length / pieces;
    const long long end = row + (part / rows + 1) * length / pieces;
    T sums[4] = {};
    long long k = begin + threadIdx.x;
    for (; k + 3 * blockDim.x < end; k += 4 * blockDim.x)
      for (int j = 0; j < 4; ++j) sums[j] += x[k + j * blockDim.x] * x[k + j * blockDim.x];
    for (; k < end; k += blockDim.x) sums[0] += x[k] * x[k];
    const T sum = kernelbatch::block_reduce((sums[0] + sums[1]) + (sums[2] + sums[3]),
                                            [](T a, T b) { return a + b; });
    if (threadIdx.x == 0) parts[part] = sum;
  }
}

// parts[piece, column] = sum of squares of a piece of the column, one thread for each.
template <class X, class P>
__global__ void column_squares(X x, P parts, long long length) {
  using T = typename P::value_type;
  const long long pieces = parts.shape()[0];
  const long long columns = parts.shape()[1];
  for (const auto part : kernelbatch::range(parts.size())) {
    const long long column = part % columns;
    const long long end = (part / columns + 1) * length / pieces;
    long long k = part / columns * length / pieces;
    T sums[8] = {};
    for (; k + 7 < end; k += 8)
      for (int j = 0; j < 8; ++j) {
        const T value = x[(k + j) * columns + column];
        sums[j] += value * value;
      }
    for (int j = 0; k < end; ++k, ++j) {
      const T value = x[k * columns + column];
      sums[j] += value * value;
    }
    parts[part] = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  }
}

// norm[k] = root of the sum of its parts.
template <class P, class N>
__global__ void roots(P parts, N norm) {
  const long long pieces = parts.shape()[0];
  for (const auto k : kernelbatch::range(norm.size())) {
    typename P::value_type sum = 0;
    for (long long piece = 0; piece < pieces; ++piece) sum += parts[piece * norm.size() + k];
    norm[k] = sqrt(sum);
  }
}
