// The sum of the prime factors of k + 2 in sums[k]. An odd prime p divides x exactly when x times p's
// inverse modulo 2^32 is at most (2^32 - 1) / p, and then that product is x / p: one multiplication and
// one comparison in place of a division.

constexpr int kBlock = 256;

extern "C" __global__ void __launch_bounds__(kBlock)
prime_factor_sum(long long* sums, long long count, const unsigned* primes, const unsigned* inverses,
                 const unsigned* limits, int prime_count) {
  const long long k = (long long)blockIdx.x * kBlock + threadIdx.x;
  if (k >= count) return;
  unsigned number = (unsigned)k + 2;
  const int twos = __ffs((int)number) - 1;
  number >>= twos;
  unsigned total = 2 * (unsigned)twos;
  // All threads of a block read the same primes: one transaction for the warp.
  for (int j = 0; j < prime_count; ++j) {
    const unsigned p = primes[j];
    if (p * p > number) break;
    const unsigned inverse = inverses[j];
    const unsigned limit = limits[j];
    for (unsigned quotient = number * inverse; quotient <= limit; quotient = number * inverse) {
      number = quotient;
      total += p;
    }
  }
  if (number > 1) total += number;
  sums[k] = total;
}
