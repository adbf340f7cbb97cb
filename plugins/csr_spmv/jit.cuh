// y[row] = sum of the row's entries times x, one thread for each row.
template <class I, class V>
__global__ void csr_spmv(I indptr, I indices, V data, V x, V y) {
  for (const auto row : kernelbatch::range(y.size())) {
    typename V::value_type sum = 0;
    for (int k = indptr[row]; k < indptr[row + 1]; ++k) sum += data[k] * x[indices[k]];
    y[row] = sum;
  }
}
