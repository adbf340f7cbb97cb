// The sum of the prime factors of k + 2 in sums[k], by a sieve: a block has SEGMENT of the numbers in shared
// memory, and its warps divide the odd primes out of their multiples; what is left is 1 or a prime.
template <class S, class P>
__global__ void prime_factor_sum(S sums, P primes) {
  __shared__ unsigned rest[SEGMENT], total[SEGMENT];
  const long long begin = static_cast<long long>(blockIdx.x) * SEGMENT;
  const unsigned first = static_cast<unsigned>(begin) + 2;
  for (unsigned k = threadIdx.x; k < SEGMENT; k += blockDim.x) {
    const unsigned twos = __ffs(first + k) - 1;
    rest[k] = (first + k) >> twos;
    total[k] = 2 * twos;
  }
  __syncthreads();
  const unsigned lane = threadIdx.x % LANES;
  for (int j = threadIdx.x / LANES; j < primes.size(); j += blockDim.x / LANES) {
    const unsigned p = primes[j];
    if (p * p > first + (SEGMENT - 1)) break;
    for (unsigned k = (first + p - 1) / p * p - first + lane * p; k < SEGMENT; k += LANES * p) {
      unsigned power = p;
      unsigned sum = p;
      for (unsigned quotient = (first + k) / p; quotient % p == 0; quotient /= p) {
        power *= p;
        sum += p;
      }
      atomicAdd(&total[k], sum);
      // Another prime may divide the same number meanwhile.
      for (unsigned before = *static_cast<volatile unsigned*>(&rest[k]);;) {
        const unsigned seen = atomicCAS(&rest[k], before, before / power);
        if (seen == before) break;
        before = seen;
      }
    }
  }
  __syncthreads();
  for (unsigned k = threadIdx.x; k < SEGMENT && begin + k < sums.size(); k += blockDim.x)
    sums[begin + k] = total[k] + (rest[k] > 1 ? rest[k] : 0);
}
