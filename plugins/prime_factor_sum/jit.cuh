// The sum of the prime factors of k + 2 in sums[k], by trial division by 2 and the odd primes.
template <class S, class P>
__global__ void prime_factor_sum(S sums, P primes) {
  for (long long k = kernelbatch::grid_index(); k < sums.size(); k += kernelbatch::grid_size()) {
    unsigned number = static_cast<unsigned>(k) + 2;
    unsigned total = 0;
    while (number % 2 == 0) {
      number /= 2;
      total += 2;
    }
    for (int j = 0; j < primes.size(); ++j) {
      const unsigned p = primes[j];
      if (p * p > number) break;
      while (number % p == 0) {
        number /= p;
        total += p;
      }
    }
    if (number > 1) total += number;
    sums[k] = total;
  }
}
