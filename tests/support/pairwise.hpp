// Pairwise combinations: few rows in which every pair of values of two parameters occurs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <tuple>
#include <vector>

namespace kernelbatch::test {

/// Rows of value indices, one index for each of `sizes`. Every pair of values of any two parameters
/// is in at least one row; the same sizes always give the same rows.
inline std::vector<std::vector<std::size_t>> pairwise_rows(const std::vector<std::size_t>& sizes) {
  using Pair =
      std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>;  // a, its value, b, its value
  std::set<Pair> missing;
  for (std::size_t a = 0; a < sizes.size(); ++a)
    for (std::size_t b = a + 1; b < sizes.size(); ++b)
      for (std::size_t i = 0; i < sizes[a]; ++i)
        for (std::size_t j = 0; j < sizes[b]; ++j) missing.emplace(a, i, b, j);
  const auto pair_of = [](const std::vector<std::size_t>& row, std::size_t a, std::size_t b) {
    return a < b ? Pair{a, row[a], b, row[b]} : Pair{b, row[b], a, row[a]};
  };
  std::vector<std::vector<std::size_t>> rows;
  if (sizes.size() == 1)
    for (std::size_t i = 0; i < sizes[0]; ++i) rows.push_back({i});
  while (!missing.empty()) {
    const auto [a, i, b, j] = *missing.begin();
    std::vector<std::size_t> row(sizes.size(), 0), chosen{a, b};
    row[a] = i;
    row[b] = j;
    for (std::size_t next = 0; next < sizes.size(); ++next) {
      if (next == a || next == b) continue;
      std::size_t best = 0, most = 0;
      // Each row starts with another value, so that none is preferred if all cover the same number.
      for (std::size_t k = 0; k < sizes[next]; ++k) {
        row[next] = (rows.size() + k) % sizes[next];
        const auto covered =
            static_cast<std::size_t>(std::ranges::count_if(chosen, [&](std::size_t other) {
              return missing.contains(pair_of(row, next, other));
            }));
        if (k == 0 || covered > most) {
          best = row[next];
          most = covered;
        }
      }
      row[next] = best;
      chosen.push_back(next);
    }
    for (std::size_t one = 0; one < sizes.size(); ++one)
      for (std::size_t other = one + 1; other < sizes.size(); ++other)
        missing.erase(pair_of(row, one, other));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace kernelbatch::test
