// z = (x − y)² of views.
template <class X, class Y, class Z>
__global__ void squared_diff(X x, Y y, Z z) {
  const long long cols = z.shape()[1];
  for (const auto k : kernelbatch::range(z.size())) {
    const long long row = k / cols;
    const long long column = k - row * cols;
    const auto difference = x[{row, column}] - y[{row, column}];
    z[k] = difference * difference;
  }
}
