// y[row] = sum over the diagonals, one thread for each row.
template <class O, class D, class V>
__global__ void diagonal_spmv(O offsets, D diagonals, V x, V y) {
  for (const auto row : kernelbatch::range(y.size())) {
    typename V::value_type sum = 0;
    for (long long d = 0; d < offsets.size(); ++d) {
      const long long column = row + offsets[d];
      if (column >= 0 && column < x.size()) sum += diagonals[{d, row}] * x[column];
    }
    y[row] = sum;
  }
}
