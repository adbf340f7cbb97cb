// y[row] = sum over the diagonals, one thread for each row. Constant: DIAGONALS.
template <class O, class D, class V>
__global__ void diagonal_spmv(O offsets, D diagonals, V x, V y) {
  for (const auto row : kernelbatch::range(y.size())) {
    typename V::value_type sum = 0;
#pragma unroll 8
    for (int d = 0; d < DIAGONALS; ++d) {
      const long long column = row + offsets[d];
      const auto entry = diagonals[{d, row}];
      if (column >= 0 && column < x.size()) {
        // Loaded either way: waiting for the entry first would take longer.
        const auto term = entry * x[column];
        sum += entry != 0 ? term : 0;
      }
    }
    y[row] = sum;
  }
}
