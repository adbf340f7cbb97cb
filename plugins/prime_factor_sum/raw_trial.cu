// The sum of the prime factors of k + 2 in sums[k], the straightforward way: 64-bit trial division by 2
// and every odd number, one thread per number. Kept slow on purpose: it is what the others are held
// against.
extern "C" __global__ void prime_factor_sum_trial(long long* sums, int count) {
  const int k = blockDim.x * blockIdx.x + threadIdx.x;
  if (k >= count) return;
  long long number = (long long)k + 2;
  long long total = 0;
  for (; number % 2 == 0; number /= 2) total += 2;
  for (long long divisor = 3; divisor * divisor <= number; divisor += 2)
    for (; number % divisor == 0; number /= divisor) total += divisor;
  if (number > 1) total += number;
  sums[k] = total;
}
