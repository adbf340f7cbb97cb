// parts[row, piece] = sum of x y over a piece of the row, one block for each.
template <class X, class P>
__global__ void products(X x, X y, P parts) {
  using T = typename P::value_type;
  const long long cols = x.shape()[1];
  const long long pieces = parts.shape()[1];
  for (long long part = blockIdx.x; part < parts.size(); part += gridDim.x) {
    const long long row = part / pieces * cols;
    const long long begin = row + part % pieces * cols / pieces;
    const long long end = row + (part % pieces + 1) * cols / pieces;
    T sums[4] = {};
    long long k = begin + threadIdx.x;
    for (; k + 3 * blockDim.x < end; k += 4 * blockDim.x)
      for (int j = 0; j < 4; ++j) sums[j] += x[k + j * blockDim.x] * y[k + j * blockDim.x];
    for (; k < end; k += blockDim.x) sums[0] += x[k] * y[k];
    const T sum = kernelbatch::block_reduce((sums[0] + sums[1]) + (sums[2] + sums[3]),
                                            [](T a, T b) { return a + b; });
    if (threadIdx.x == 0) parts[part] = sum;
  }
}

// z[row] = sum of its parts.
template <class P, class Z>
__global__ void add_up(P parts, Z z) {
  const long long pieces = parts.shape()[1];
  for (const auto row : kernelbatch::range(z.size())) {
    typename Z::value_type sum = 0;
    for (long long k = 0; k < pieces; ++k) sum += parts[row * pieces + k];
    z[row] = sum;
  }
}
