// Matrix Market files: their content and their errors.
#include "core/array/matrix_market.hpp"

#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/message.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

std::variant<CsrMatrix, Array> read(const std::string& text) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "a.mtx") << text;
  return read_matrix_market(folder / "a.mtx");
}
std::string matrix_market_error(const std::string& text) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "a.mtx") << text;
  const std::string message = test::message_of([&] { read_matrix_market(folder / "a.mtx"); });
  return message.substr(message.find("a.mtx"));
}
template <class T>
std::vector<T> list(const Array& array) {
  return {array.as<T>().begin(), array.as<T>().end()};
}
const std::string kReal = "%%MatrixMarket matrix coordinate real general\n";

TEST_CASE("A sparse matrix comes in rows, its columns sorted, repeated entries added") {
  const auto matrix = std::get<CsrMatrix>(
      read(kReal + "% a comment\n3 4 5\n3 1 5\n1 4 2.5\n1 2 1\n3 1 1\n3 3 -1e2\n"));
  CHECK(matrix.rows == 3);
  CHECK(matrix.columns == 4);
  CHECK(list<std::int32_t>(matrix.indptr) == std::vector<std::int32_t>{0, 2, 2, 4});
  CHECK(list<std::int32_t>(matrix.indices) == std::vector<std::int32_t>{1, 3, 0, 2});
  CHECK(list<double>(matrix.data) == std::vector<double>{1, 2.5, 6, -100});
}

TEST_CASE("Half a matrix is completed by its symmetry") {
  const auto pattern = std::get<CsrMatrix>(
      read("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n"));
  CHECK(list<std::int32_t>(pattern.indices) == std::vector<std::int32_t>{0, 1, 0});
  CHECK(list<double>(pattern.data) == std::vector<double>{1, 1, 1});
  const auto skew = std::get<CsrMatrix>(
      read("%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 7\n"));
  CHECK(list<std::int64_t>(skew.data) == std::vector<std::int64_t>{-7, 7});
  const auto hermitian = std::get<CsrMatrix>(
      read("%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 1 1 2\n"));
  CHECK(list<std::complex<double>>(hermitian.data) ==
        std::vector<std::complex<double>>{{1, -2}, {1, 2}});
}

TEST_CASE("A dense matrix is listed by columns") {
  const auto array =
      std::get<Array>(read("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n"));
  CHECK(array.shape() == Shape{2, 3});
  CHECK(list<double>(array) == std::vector<double>{1, 3, 5, 2, 4, 6});
}

TEST_CASE("Errors of a file are reported with the line") {
  CHECK(matrix_market_error("hello\n") ==
        "a.mtx:1: not a Matrix Market file: its first line does not begin with %%MatrixMarket");
  CHECK(matrix_market_error("%%MatrixMarket matrix coordinate reel general\n") ==
        "a.mtx:1: unknown field 'reel' (did you mean 'real'?)");
  CHECK(matrix_market_error(kReal) == "a.mtx:1: truncated: the line of sizes is missing");
  CHECK(matrix_market_error(kReal + "2 2 2\n1 1 5\n") ==
        "a.mtx:3: truncated: only 1 of 2 entries are present");
  CHECK(matrix_market_error(kReal + "2 2 1\n3 1 5\n") ==
        "a.mtx:3: entry (3, 1) is outside the 2 x 2 matrix");
  CHECK(matrix_market_error(kReal + "2 2 1\n1 1 x\n") == "a.mtx:3: expected a value, found 'x'");
  CHECK(matrix_market_error(kReal + "2 2 1\n1 1 5 6\n") ==
        "a.mtx:3: '6' is after the expected end of the line");
  CHECK(matrix_market_error(kReal + "2 2 1\n1 1 5\n1 2 5\n") ==
        "a.mtx:4: there are more than 1 entries");
  CHECK(matrix_market_error(kReal + "9999999999 2 1\n") ==
        "a.mtx:2: a matrix of 9999999999 x 2 with 1 entries is out of range");
}

TEST_CASE("A file that claims more than it contains is refused before memory is allocated") {
  CHECK(matrix_market_error(kReal + "2147483646 1 0\n") ==
        "a.mtx:2: a matrix of 2147483646 rows with 0 entries is too sparse for compressed rows");
  const std::string dense = "%%MatrixMarket matrix array real ";
  CHECK(
      matrix_market_error(dense + "general\n1000000000 1000\n1\n") ==
      "a.mtx:2: truncated: a matrix of 1000000000 x 1000 has more values than the file has lines");
  CHECK(matrix_market_error(dense + "symmetric\n2000000000 2000000000\n1\n")
            .starts_with("a.mtx:2: truncated"));
  CHECK(matrix_market_error(dense + "general\n4294967296 4294967296\n1\n") ==
        "a.mtx:2: a matrix of 4294967296 x 4294967296 is out of range");
  CHECK(std::get<Array>(read(dense + "skew-symmetric\n2 2\n5")).size() == 4);
}

TEST_CASE("Half a matrix that is not square has no other half") {
  for (const char* symmetry : {"symmetric", "skew-symmetric", "hermitian"})
    CHECK(matrix_market_error(std::string("%%MatrixMarket matrix coordinate complex ") + symmetry +
                              "\n1 7 1\n1 7 1 0\n") ==
          "a.mtx:2: a symmetric matrix must be square");
}

TEST_CASE("A matrix without rows may have any number of columns") {
  const auto array =
      std::get<Array>(read("%%MatrixMarket matrix array real general\n0 2147483648\n"));
  CHECK(array.size() == 0);
}

TEST_CASE("Integers that do not fit are refused, not wrapped around") {
  const std::string integers = "%%MatrixMarket matrix coordinate integer ";
  CHECK(matrix_market_error(integers + "skew-symmetric\n2 2 1\n2 1 -9223372036854775808\n") ==
        "a.mtx:3: -9223372036854775808 has no negative among 64-bit integers");
  CHECK_THAT(matrix_market_error(integers + "general\n1 1 2\n1 1 9223372036854775807\n1 1 1\n"),
             Contains("add up to more than 64-bit integers hold"));
}

}  // namespace
}  // namespace kernelbatch
