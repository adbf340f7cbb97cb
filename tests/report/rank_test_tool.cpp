// Reads pairs of lines of numbers; prints for each pair U and p of the exact and the normal form,
// and the chosen p. For the test against SciPy.
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "core/report/rank_test.hpp"

int main() {
  const auto read = [](std::vector<double>& values) {
    std::string line;
    if (!std::getline(std::cin, line)) return false;
    std::istringstream stream(line);
    for (double value = 0; stream >> value;) values.push_back(value);
    return true;
  };
  for (;;) {
    std::vector<double> a, b;
    if (!read(a) || !read(b)) return 0;
    const auto exact = kernelbatch::mann_whitney_exact(a, b);
    const auto normal = kernelbatch::mann_whitney_normal(a, b);
    const auto chosen = kernelbatch::mann_whitney(a, b);
    std::printf("%.17g %.17g %.17g %.17g\n", normal.u, exact.p, normal.p, chosen.p);
  }
}
