// The sum of the prime factors of k + 2 in sums[k], by a sieve: a block has a segment of the numbers in
// shared memory and divides the primes up to the root out of their multiples; what is left of a number
// is 1 or its largest prime.
//
// An odd prime p divides x exactly when x times p's inverse modulo 2^32 is at most (2^32 - 1) / p, and then
// that product is x / p: one multiplication and one comparison in place of a division.

namespace {

constexpr int kBlock = 512;
constexpr int kLongestSegment = 4096;

__host__ __device__ constexpr int odd_primes_below(unsigned limit) {
  int count = 0;
  for (unsigned number = 3; number < limit; number += 2) {
    bool is_prime = true;
    for (unsigned factor = 3; factor * factor <= number; factor += 2) is_prime = is_prime && number % factor != 0;
    count += is_prime ? 1 : 0;
  }
  return count;
}

// By how many multiples a prime has in a segment: those of one below 128 keep a warp busy, those of one
// below 1024 eight lanes; larger ones have at most four.
constexpr int kFirstOfWarps = odd_primes_below(11);
constexpr int kFirstOfLanes = odd_primes_below(128);
constexpr int kFirstAlone = odd_primes_below(1024);

/// What is not yet divided out of a number in the upper half, the sum of what is in the lower one: they
/// change together.
using State = unsigned long long;

__device__ State state_of(unsigned rest, unsigned sum) { return static_cast<State>(rest) << 32 | sum; }

struct Prime {
  unsigned value, inverse, limit;
};

/// Moves all factors `p` from rest to sum.
__device__ void divide_out(unsigned& rest, unsigned& sum, Prime p) {
  for (unsigned quotient = rest * p.inverse; quotient <= p.limit; quotient = rest * p.inverse) {
    rest = quotient;
    sum += p.value;
  }
}

struct Primes {
  const unsigned* values;
  const unsigned* inverses;
  const unsigned* limits;
  int count;
};

/// Divides the primes of the list from `begin` to `end` out of their multiples among first, first + 1, …, first +
/// length − 1; `kLanes` neighbouring threads share the multiples of a prime.
template <int kLanes>
__device__ void sieve(State* states, unsigned first, unsigned length, const Primes& primes, int begin, int end) {
  for (int j = begin + threadIdx.x / kLanes; j < end; j += kBlock / kLanes) {
    const unsigned p = primes.values[j];
    if (p * p > first + (length - 1)) break;
    const Prime prime{p, primes.inverses[j], primes.limits[j]};
    unsigned at = (first + p - 1) / p * p - first + threadIdx.x % kLanes * p;
    for (; at < length; at += kLanes * p) {
      // Another prime may divide the same number meanwhile.
      State before = *static_cast<volatile State*>(&states[at]);
      for (;;) {
        unsigned rest = static_cast<unsigned>(before >> 32), sum = static_cast<unsigned>(before);
        divide_out(rest, sum, prime);
        const State seen = atomicCAS(&states[at], before, state_of(rest, sum));
        if (seen == before) break;
        before = seen;
      }
    }
  }
}

}  // namespace

/// `count` numbers from 2 on, in segments of `length` ≤ kLongestSegment, one for each block.
extern "C" __global__ void __launch_bounds__(kBlock)
prime_factor_sum(long long* sums, unsigned count, unsigned length, const unsigned* values, const unsigned* inverses,
                 const unsigned* limits, int prime_count) {
  __shared__ State states[kLongestSegment];
  const unsigned begin = blockIdx.x * length;
  if (begin >= count) return;
  if (length > count - begin) length = count - begin;
  const unsigned first = begin + 2;

  for (unsigned k = threadIdx.x; k < length; k += kBlock) {
    unsigned rest = first + k;
    const int twos = __ffs(static_cast<int>(rest)) - 1;
    rest >>= twos;
    unsigned sum = 2 * static_cast<unsigned>(twos);
    divide_out(rest, sum, {3, 0xaaaaaaabu, 0x55555555u});
    divide_out(rest, sum, {5, 0xcccccccdu, 0x33333333u});
    divide_out(rest, sum, {7, 0xb6db6db7u, 0x24924924u});
    states[k] = state_of(rest, sum);
  }
  __syncthreads();

  const Primes primes{values, inverses, limits, prime_count};
  const auto at_most = [prime_count](int end) { return end < prime_count ? end : prime_count; };
  sieve<32>(states, first, length, primes, kFirstOfWarps, at_most(kFirstOfLanes));
  sieve<8>(states, first, length, primes, kFirstOfLanes, at_most(kFirstAlone));
  sieve<1>(states, first, length, primes, kFirstAlone, prime_count);
  __syncthreads();

  for (unsigned k = threadIdx.x; k < length; k += kBlock) {
    const unsigned rest = static_cast<unsigned>(states[k] >> 32), sum = static_cast<unsigned>(states[k]);
    sums[begin + k] = sum + (rest > 1 ? rest : 0u);
  }
}
