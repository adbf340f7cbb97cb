// Handwritten CPU loops, with which kernels on the host device are compared. Self-contained: g++
// -std=c++20 -O3 -march=native -fno-math-errno -fopenmp host_loops.cpp
// Prints a line of JSON for each: {"work": name, "seconds": median}.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace {

constexpr long kRows = 10000, kColumns = 5000, kSide = 8192, kMany = 50'000'000, kSome = 10'000'000;

/// Number k of a random sequence in [0, 1): in a regular one, a processor would foresee the
/// branches of sines.
double uniform(std::uint64_t k) {
  k = (k + 1) * 0x9e3779b97f4a7c15u;
  k = (k ^ (k >> 30)) * 0xbf58476d1ce4e5b9u;
  k = (k ^ (k >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((k ^ (k >> 31)) >> 11) / 9007199254740992.0;
}

/// An array whose pages lie where the loops' threads first touched them.
template <class T>
std::unique_ptr<T[], decltype(&std::free)> array(long count) {
  auto* data = static_cast<T*>(
      std::aligned_alloc(64, (sizeof(T) * static_cast<std::size_t>(count) + 63) / 64 * 64));
#pragma omp parallel for
  for (long k = 0; k < count; ++k) {
    data[k] = static_cast<T>(6 * uniform(static_cast<std::uint64_t>(k)) - 3);
  }
  return {data, &std::free};
}

template <class F>
void report(const char* type, const char* name, const F& work) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  work();
  const auto begin = Clock::now();
  while (times.size() < 7 ||
         (times.size() < 50 && Clock::now() - begin < std::chrono::seconds(1))) {
    const auto start = Clock::now();
    work();
    times.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  std::nth_element(times.begin(), times.begin() + static_cast<long>(times.size() / 2), times.end());
  std::printf("{\"work\": \"%s %s\", \"seconds\": %.6e}\n", name, type, times[times.size() / 2]);
  std::fflush(stdout);
}

template <class T>
void elementwise_loops(const char* type) {
  const long n = kRows * kColumns;
  const auto x = array<T>(std::max(n, kSide * kSide)), y = array<T>(std::max(n, kSide * kSide)),
             z = array<T>(std::max(n, kSide * kSide));
  const T *a = x.get(), *b = y.get();
  T* c = z.get();
  report(type, "vector_add", [=] {
#pragma omp parallel for
    for (long k = 0; k < kMany; ++k) c[k] = a[k] + b[k];
  });
  report(type, "squared_diff", [=] {
#pragma omp parallel for
    for (long k = 0; k < n; ++k) c[k] = (a[k] - b[k]) * (a[k] - b[k]);
  });
  report(type, "squared_diff, row broadcast", [=] {
#pragma omp parallel for
    for (long i = 0; i < kRows; ++i)
      for (long j = 0; j < kColumns; ++j)
        c[i * kColumns + j] = (a[i * kColumns + j] - b[j]) * (a[i * kColumns + j] - b[j]);
  });
  report(type, "squared_diff, column broadcast", [=] {
#pragma omp parallel for
    for (long i = 0; i < kRows; ++i)
      for (long j = 0; j < kColumns; ++j)
        c[i * kColumns + j] = (a[i * kColumns + j] - b[i]) * (a[i * kColumns + j] - b[i]);
  });
  report(type, "squared_diff, one transposed", [=] {
#pragma omp parallel for
    for (long i = 0; i < kSide; ++i)
      for (long j = 0; j < kSide; ++j)
        c[i * kSide + j] =
            (a[j * kSide + i] - b[i * kSide + j]) * (a[j * kSide + i] - b[i * kSide + j]);
  });
  report(type, "squared_diff, every second", [=] {
#pragma omp parallel for
    for (long k = 0; k < n / 2; ++k) c[k] = (a[2 * k] - b[k]) * (a[2 * k] - b[k]);
  });
  report(type, "hypotenuse", [=] {
#pragma omp parallel for
    for (long k = 0; k < n; ++k) c[k] = std::sqrt(a[k] * a[k] + b[k] * b[k]);
  });
  report(type, "sin_exp", [=] {
#pragma omp parallel for
    for (long k = 0; k < kSome; ++k) c[k] = std::sin(a[k]) * std::exp(-a[k] * a[k]);
  });
}

template <class T>
void reduction_loops(const char* type) {
  constexpr long kThousand = 1'000'000, kFew = 64;
  const auto x = array<T>(kRows * kRows), y = array<T>(kMany), z = array<T>(kThousand);
  const T *a = x.get(), *b = y.get();
  T* c = z.get();
  report(type, "mse", [=] {
    T sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
    for (long k = 0; k < kMany; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
    c[0] = sum / static_cast<T>(kMany);
  });
  report(type, "l2norm 10000x10000, all", [=] {
    T sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
    for (long k = 0; k < kRows * kRows; ++k) sum += a[k] * a[k];
    c[0] = std::sqrt(sum);
  });
  const auto rows = [=](long count, long length) {
#pragma omp parallel for
    for (long i = 0; i < count; ++i) {
      T sum = 0;
#pragma omp simd reduction(+ : sum)
      for (long j = 0; j < length; ++j) sum += a[i * length + j] * a[i * length + j];
      c[i] = std::sqrt(sum);
    }
  };
  const auto columns = [=](long count, long length) {
    for (long j = 0; j < length; ++j) c[j] = 0;
#pragma omp parallel
    {
      std::vector<T> own(static_cast<std::size_t>(length));
#pragma omp for
      for (long i = 0; i < count; ++i)
        for (long j = 0; j < length; ++j)
          own[static_cast<std::size_t>(j)] += a[i * length + j] * a[i * length + j];
#pragma omp critical
      for (long j = 0; j < length; ++j) c[j] += own[static_cast<std::size_t>(j)];
    }
    for (long j = 0; j < length; ++j) c[j] = std::sqrt(c[j]);
  };
  report(type, "l2norm 10000x10000, axis 1", [=] { rows(kRows, kRows); });
  report(type, "l2norm 10000x10000, axis 0", [=] { columns(kRows, kRows); });
  report(type, "l2norm 1000000x64, axis 1", [=] { rows(kThousand, kFew); });
  report(type, "l2norm 1000000x64, axis 0", [=] { columns(kThousand, kFew); });
}

}  // namespace

int main() {
  elementwise_loops<float>("float32");
  elementwise_loops<double>("float64");
  reduction_loops<float>("float32");
  reduction_loops<double>("float64");
}
