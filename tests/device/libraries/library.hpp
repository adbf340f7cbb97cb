// Runs a library's kernel and compares its rows with values computed in C++.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/contract/compile.hpp"
#include "tests/device/libraries/cub_texts.hpp"
#include "tests/device/libraries/standard_texts.hpp"
#include "tests/device/libraries/texts.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch::test {

/// Input of the kernels: 8 rows of numbers from 0 to 96.
inline const std::vector<int>& library_input() {
  static const std::vector<int> kValues = [] {
    std::vector<int> values;
    for (int k = 0; k < 8 * kLibraryThreads; ++k) values.push_back(k * 37 % 97);
    return values;
  }();
  return kValues;
}
inline int in(int k) { return library_input()[static_cast<std::size_t>(k)]; }

class LibraryRun {
 public:
  /// Each text runs once in a process.
  LibraryRun(const std::string& text, int rows) : rows_(rows) {
    static std::map<std::string, std::vector<double>> known;
    std::vector<double>& values = known[text];
    if (values.empty()) {
      const LoadedKernel loaded(text, "f");
      const std::size_t count = static_cast<std::size_t>(rows) * kLibraryThreads;
      const Array out = device_array(std::vector<double>(count, -1e9));
      loaded.run(grid_of(1, kLibraryThreads), device_array(library_input()), out);
      values = values_of<double>(out);
    }
    values_ = values;
  }
  double at(int row, int thread) const {
    return values_[static_cast<std::size_t>(row) * kLibraryThreads +
                   static_cast<std::size_t>(thread)];
  }
  /// Compares a row with `expected(thread)`; exactly, unless a tolerance is given.
  template <class Expected>
  void check(int row, const Expected& expected, double tolerance = 0) const {
    REQUIRE(row < rows_);
    for (int t = 0; t < kLibraryThreads; ++t) {
      INFO("row " << row << ", thread " << t);
      const double want = static_cast<double>(expected(t));
      if (tolerance == 0)
        REQUIRE(at(row, t) == want);
      else
        REQUIRE(std::abs(at(row, t) - want) <= tolerance * std::max(1.0, std::abs(want)));
    }
  }

 private:
  int rows_;
  std::vector<double> values_;
};

}  // namespace kernelbatch::test
