#include "tests/support/pairwise.hpp"

#include "tests/support/catch.hpp"

namespace kernelbatch::test {
namespace {

bool has_pair(const std::vector<std::vector<std::size_t>>& rows, std::size_t a, std::size_t i,
              std::size_t b, std::size_t j) {
  return std::ranges::any_of(rows, [&](const auto& row) { return row[a] == i && row[b] == j; });
}

TEST_CASE("Every pair of values is in a row, in far fewer rows than combinations") {
  const std::vector<std::size_t> sizes{6, 4, 7, 2, 3};  // 1008 combinations
  const auto rows = pairwise_rows(sizes);
  for (std::size_t a = 0; a < sizes.size(); ++a)
    for (std::size_t b = a + 1; b < sizes.size(); ++b)
      for (std::size_t i = 0; i < sizes[a]; ++i)
        for (std::size_t j = 0; j < sizes[b]; ++j) {
          CAPTURE(a, i, b, j);
          CHECK(has_pair(rows, a, i, b, j));
        }
  CHECK(rows.size() >= 6 * 7);
  CHECK(rows.size() <= 60);
  CHECK(pairwise_rows(sizes) == rows);
}

TEST_CASE("One parameter has a row for each value, two have all combinations") {
  CHECK(pairwise_rows({3}) == std::vector<std::vector<std::size_t>>{{0}, {1}, {2}});
  CHECK(pairwise_rows({2, 3}).size() == 6);
  CHECK(pairwise_rows({}).empty());
}

}  // namespace
}  // namespace kernelbatch::test
