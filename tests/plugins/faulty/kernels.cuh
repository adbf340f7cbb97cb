// The correct kernel and those that are slightly wrong.
#define FAULTY(name) extern "C" __global__ void name(float* y, long long n)
#define INDEX() ((long long)blockDim.x * blockIdx.x + threadIdx.x)

static __device__ float right(long long i) { return 1.0f + 0.5f * (float)i; }

FAULTY(good) {
  const long long i = INDEX();
  if (i < n) y[i] = right(i);
}

FAULTY(out_of_bounds) {
  const long long i = INDEX();
  if (i <= n) y[i] = right(i);
}

FAULTY(out_of_bounds_before) {
  const long long i = INDEX();
  if (i == 0) y[-1] = 1.0f;
  if (i < n) y[i] = right(i);
}

FAULTY(never_writes) {
  if (n < 0) y[0] = 0.0f;
}

FAULTY(misses_last) {
  const long long i = INDEX();
  if (i < n - 1) y[i] = right(i);
}

FAULTY(off_by_one) {
  const long long i = INDEX();
  if (i < n) y[i] = right(i + 1);
}

FAULTY(one_nan) {
  const long long i = INDEX();
  const float zero = n < 0 ? 1.0f : 0.0f;
  if (i < n) y[i] = i == n / 2 ? zero / zero : right(i);
}

FAULTY(slightly_wrong) {
  const long long i = INDEX();
  if (i < n) y[i] = i == n / 2 ? right(i) * 1.00001f : right(i);
}

FAULTY(traps) {
  const long long i = INDEX();
  if (i < n) y[i] = right(i);
  if (i == 0) __trap();
}

FAULTY(illegal_address) {
  const long long i = INDEX();
  if (i < n) y[i] = right(i);
  if (i == 0) y[1ll << 42] = 1.0f;
}

FAULTY(misaligned) {
  const long long i = INDEX();
  if (i < n) y[i] = right(i);
  if (i == 0) *reinterpret_cast<volatile float*>(reinterpret_cast<char*>(y) + 2) = 1.0f;
}

FAULTY(hangs) {
  // Memory, not a local variable: compilers for GPUs drop a loop on a volatile local.
  const auto* cell = reinterpret_cast<const volatile unsigned*>(y);
  while (*cell != 0x12345678u) {
  }
  const long long i = INDEX();
  if (i < n) y[i] = right(i);
}
