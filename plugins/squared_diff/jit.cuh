// z = (x − y)² of views: WIDTH columns of ROWS rows for each thread, whose loads are in flight together.
template <class V>
__device__ auto load(const V& v, long long row, long long column) {
  using T = typename V::value_type;
  const T* const from = &v[{row, column}];
  const long long step = v.strides()[1] / static_cast<long long>(sizeof(T));
  kernelbatch::pack<T, WIDTH> loaded;
  if (WIDTH > 1 && step == 1)
    loaded = *reinterpret_cast<const kernelbatch::pack<T, WIDTH>*>(from);
  else
    for (int w = 0; w < WIDTH; ++w) loaded.value[w] = from[w * step];
  return loaded;
}

template <class X, class Y, class Z>
__global__ void squared_diff(X x, Y y, Z z) {
  using T = typename Z::value_type;
  using Pack = kernelbatch::pack<T, WIDTH>;
  const long long rows = z.shape()[0];
  const long long column = (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x) * WIDTH;
  if (column >= z.shape()[1]) return;
  const long long step = static_cast<long long>(gridDim.y) * blockDim.y * ROWS;
  for (long long first = (static_cast<long long>(blockIdx.y) * blockDim.y + threadIdx.y) * ROWS; first < rows;
       first += step) {
    Pack left[ROWS], right[ROWS];
    for (int u = 0; u < ROWS; ++u) {
      // The last row again in place of those that are not there; a row that is repeated is loaded once.
      const long long row = first + u < rows ? first + u : rows - 1;
      left[u] = load(x, row, column);
      if (u == 0 || y.strides()[0] != 0)
        right[u] = load(y, row, column);
      else
        right[u] = right[0];
    }
    for (int u = 0; u < ROWS && first + u < rows; ++u) {
      for (int w = 0; w < WIDTH; ++w) {
        const T difference = left[u].value[w] - right[u].value[w];
        left[u].value[w] = difference * difference;
      }
      *reinterpret_cast<Pack*>(&z[{first + u, column}]) = left[u];
    }
  }
}
