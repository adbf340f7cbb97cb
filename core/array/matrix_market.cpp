#include "core/array/matrix_market.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <complex>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

enum class Field { kReal, kInteger, kComplex, kPattern };
enum class Symmetry { kGeneral, kSymmetric, kSkew, kHermitian };

/// A file's lines and numbers, with places for errors.
class Scanner {
 public:
  Scanner(std::string_view text, std::string file) : rest_(text), file_(std::move(file)) {}

  [[noreturn]] void fail(std::string_view what) const {
    throw SpecError(fmt::format("{}:{}: {}", file_, number_, what));
  }

  /// The next line that is neither empty nor a comment; false at the end.
  bool next_line() {
    while (!rest_.empty()) {
      const std::size_t end = rest_.find('\n');
      line_ = trim(rest_.substr(0, end));
      rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
      ++number_;
      if (!line_.empty() && (line_[0] != '%' || number_ == 1)) return true;
    }
    return false;
  }
  std::string_view line() const { return line_; }
  /// Maximum number of remaining lines.
  std::int64_t most_lines() const { return static_cast<std::int64_t>(rest_.size() / 2 + 1); }

  template <class T>
  T number(std::string_view what) {
    while (!line_.empty() && (line_[0] == ' ' || line_[0] == '\t')) line_.remove_prefix(1);
    if (!line_.empty() && line_[0] == '+') line_.remove_prefix(1);
    T value{};
    const auto [end, error] = std::from_chars(line_.data(), line_.data() + line_.size(), value);
    if (error != std::errc{}) fail(fmt::format("expected {}, found '{}'", what, line_));
    line_.remove_prefix(static_cast<std::size_t>(end - line_.data()));
    return value;
  }
  void require_end() {
    if (!trim(line_).empty())
      fail(fmt::format("'{}' is after the expected end of the line", trim(line_)));
  }

 private:
  std::string_view rest_, line_;
  std::string file_;
  std::size_t number_ = 0;
};

struct Header {
  bool is_sparse = true;
  Field field = Field::kReal;
  Symmetry symmetry = Symmetry::kGeneral;
  DType dtype() const {
    if (field == Field::kInteger) return DType::kInt64;
    return field == Field::kComplex ? DType::kComplex128 : DType::kFloat64;
  }
};

template <class T>
T choice(const Scanner& scanner, const std::string& word,
         const std::vector<std::pair<std::string, T>>& table, std::string_view what) {
  std::vector<std::string> names;
  for (const auto& [name, value] : table) {
    if (name == word) return value;
    names.push_back(name);
  }
  scanner.fail(fmt::format("unknown {} '{}'{}", what, word, suggestion(word, names)));
}

Header read_header(Scanner& scanner) {
  if (!scanner.next_line() || !scanner.line().starts_with("%%MatrixMarket"))
    scanner.fail("not a Matrix Market file: its first line does not begin with %%MatrixMarket");
  std::vector<std::string> words;
  for (const std::string& word : split(scanner.line(), ' '))
    if (!word.empty()) {
      words.push_back(word);
      std::ranges::transform(words.back(), words.back().begin(),
                             [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    }
  if (words.size() != 5 || words[1] != "matrix")
    scanner.fail("the first line must read %%MatrixMarket matrix FORMAT FIELD SYMMETRY");
  Header header;
  header.is_sparse =
      choice<bool>(scanner, words[2], {{"coordinate", true}, {"array", false}}, "format");
  header.field = choice<Field>(scanner, words[3],
                               {{"real", Field::kReal},
                                {"double", Field::kReal},
                                {"integer", Field::kInteger},
                                {"complex", Field::kComplex},
                                {"pattern", Field::kPattern}},
                               "field");
  header.symmetry = choice<Symmetry>(scanner, words[4],
                                     {{"general", Symmetry::kGeneral},
                                      {"symmetric", Symmetry::kSymmetric},
                                      {"skew-symmetric", Symmetry::kSkew},
                                      {"hermitian", Symmetry::kHermitian}},
                                     "symmetry");
  if (!header.is_sparse && header.field == Field::kPattern)
    scanner.fail("a dense matrix cannot be a pattern");
  return header;
}

template <class T>
T read_value(Scanner& scanner, Field field) {
  if (field == Field::kPattern) return T(1);
  if constexpr (std::is_same_v<T, std::complex<double>>) {
    const double real = scanner.number<double>("a real part");
    return {real, scanner.number<double>("an imaginary part")};
  } else {
    return scanner.number<T>("a value");
  }
}

template <class T>
T mirrored(const Scanner& scanner, T value, Symmetry symmetry) {
  if constexpr (std::is_same_v<T, std::int64_t>)
    if (symmetry == Symmetry::kSkew && value == std::numeric_limits<std::int64_t>::min())
      scanner.fail(fmt::format("{} has no negative among 64-bit integers", value));
  if (symmetry == Symmetry::kSkew) return -value;
  if constexpr (std::is_same_v<T, std::complex<double>>)
    if (symmetry == Symmetry::kHermitian) return std::conj(value);
  return value;
}

template <class T>
struct Entry {
  std::int32_t row, column;
  T value;
};

/// Adds a duplicate entry.
template <class T>
void add(const Scanner& scanner, T& sum, T value) {
  if constexpr (std::is_same_v<T, std::int64_t>) {
    if (__builtin_add_overflow(sum, value, &sum))
      scanner.fail("the entries of one place add up to more than 64-bit integers hold");
  } else {
    sum += value;
  }
}

template <class T>
CsrMatrix to_csr(const Scanner& scanner, std::vector<Entry<T>> entries, std::int64_t rows,
                 std::int64_t columns) {
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return std::pair(a.row, a.column) < std::pair(b.row, b.column);
  });
  std::size_t kept = 0;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (kept > 0 && entries[kept - 1].row == entries[k].row &&
        entries[kept - 1].column == entries[k].column)
      add(scanner, entries[kept - 1].value, entries[k].value);
    else
      entries[kept++] = entries[k];
  }
  const auto count = static_cast<std::int64_t>(kept);
  CsrMatrix matrix{rows, columns, Array::on_host(DType::kInt32, {rows + 1}),
                   Array::on_host(DType::kInt32, {count}), Array::on_host(kDTypeOf<T>, {count})};
  const auto indptr = matrix.indptr.as<std::int32_t>();
  std::ranges::fill(indptr, 0);
  for (std::size_t k = 0; k < kept; ++k) {
    ++indptr[static_cast<std::size_t>(entries[k].row) + 1];
    matrix.indices.as<std::int32_t>()[k] = entries[k].column;
    matrix.data.as<T>()[k] = entries[k].value;
  }
  for (std::size_t row = 1; row < indptr.size(); ++row) indptr[row] += indptr[row - 1];
  return matrix;
}

template <class T>
CsrMatrix read_sparse(Scanner& scanner, const Header& header) {
  const auto rows = scanner.number<std::int64_t>("the number of rows");
  const auto columns = scanner.number<std::int64_t>("the number of columns");
  const auto count = scanner.number<std::int64_t>("the number of entries");
  scanner.require_end();
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max() - 1;
  if (rows < 0 || columns < 0 || count < 0 || rows > kMost || columns > kMost || count > kMost / 2)
    scanner.fail(
        fmt::format("a matrix of {} x {} with {} entries is out of range", rows, columns, count));
  // The mirrored entry would be outside the matrix.
  if (header.symmetry != Symmetry::kGeneral && rows != columns)
    scanner.fail("a symmetric matrix must be square");
  std::vector<Entry<T>> entries;
  for (std::int64_t k = 0; k < count; ++k) {
    if (!scanner.next_line())
      scanner.fail(fmt::format("truncated: only {} of {} entries are present", k, count));
    const auto row = scanner.number<std::int64_t>("a row");
    const auto column = scanner.number<std::int64_t>("a column");
    if (row < 1 || row > rows || column < 1 || column > columns)
      scanner.fail(
          fmt::format("entry ({}, {}) is outside the {} x {} matrix", row, column, rows, columns));
    const Entry<T> entry{static_cast<std::int32_t>(row - 1), static_cast<std::int32_t>(column - 1),
                         read_value<T>(scanner, header.field)};
    scanner.require_end();
    entries.push_back(entry);
    if (header.symmetry != Symmetry::kGeneral && row != column)
      entries.push_back({entry.column, entry.row, mirrored(scanner, entry.value, header.symmetry)});
  }
  if (scanner.next_line()) scanner.fail(fmt::format("there are more than {} entries", count));
  // Prevents a small file from creating gigabytes of empty rows.
  constexpr std::int64_t kEmptyRows = std::int64_t{1} << 26;
  if (rows > kEmptyRows && rows / 64 > count)
    scanner.fail(fmt::format(
        "a matrix of {} rows with {} entries is too sparse for compressed rows", rows, count));
  return to_csr(scanner, std::move(entries), rows, columns);
}

/// Dense files list the columns in sequence; for a symmetric matrix only the lower triangle.
template <class T>
Array read_dense(Scanner& scanner, const Header& header) {
  const auto rows = scanner.number<std::int64_t>("the number of rows");
  const auto columns = scanner.number<std::int64_t>("the number of columns");
  scanner.require_end();
  if (rows < 0 || columns < 0) scanner.fail("a matrix cannot have a negative size");
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  if (rows > kMost || columns > kMost)
    scanner.fail(fmt::format("a matrix of {} x {} is out of range", rows, columns));
  const bool is_half = header.symmetry != Symmetry::kGeneral;
  if (is_half && rows != columns) scanner.fail("a symmetric matrix must be square");
  const std::int64_t elements = element_count({rows, columns});
  const std::int64_t diagonal = header.symmetry == Symmetry::kSkew ? -rows : rows;
  if ((is_half ? (elements + diagonal) / 2 : elements) > scanner.most_lines())
    scanner.fail(fmt::format(
        "truncated: a matrix of {} x {} has more values than the file has lines", rows, columns));
  Array array = Array::on_host(kDTypeOf<T>, {rows, columns});
  const auto values = array.as<T>();
  std::ranges::fill(values, T{});
  const auto at = [&](std::int64_t row, std::int64_t column) -> T& {
    return values[static_cast<std::size_t>(row * columns + column)];
  };
  for (std::int64_t column = 0; column < columns && rows > 0; ++column)
    for (std::int64_t row = is_half ? column + (header.symmetry == Symmetry::kSkew ? 1 : 0) : 0;
         row < rows; ++row) {
      if (!scanner.next_line()) scanner.fail("truncated: values are missing at the end");
      const T value = read_value<T>(scanner, header.field);
      scanner.require_end();
      at(row, column) = value;
      if (is_half && row != column) at(column, row) = mirrored(scanner, value, header.symmetry);
    }
  if (scanner.next_line()) scanner.fail("there are more values than the matrix has elements");
  return array;
}

template <class T>
std::variant<CsrMatrix, Array> read_values(Scanner& scanner, const Header& header) {
  if (header.is_sparse) return read_sparse<T>(scanner, header);
  return read_dense<T>(scanner, header);
}

}  // namespace

std::variant<CsrMatrix, Array> read_matrix_market(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  Scanner scanner(text, path.string());
  const Header header = read_header(scanner);
  if (!scanner.next_line()) scanner.fail("truncated: the line of sizes is missing");
  switch (header.dtype()) {
    case DType::kInt64:
      return read_values<std::int64_t>(scanner, header);
    case DType::kComplex128:
      return read_values<std::complex<double>>(scanner, header);
    default:
      return read_values<double>(scanner, header);
  }
}

}  // namespace kernelbatch
