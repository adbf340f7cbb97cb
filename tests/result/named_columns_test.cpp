#include "core/result/named_columns.hpp"

#include <cmath>

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

using Row = NamedValues;

/// The cells of a column of a table of these rows, as text.
std::vector<std::string> column(const std::vector<Row>& rows, const std::string& name) {
  h5::File file = h5::File::create_in_memory();
  TableWriter table(file.root(), {"t", "row"}, {});
  NamedColumns named;
  for (const Row& row : rows) {
    table.append({});
    named.add_row(row);
  }
  named.write(table, "param_", "parameter");
  table.finish();
  ColumnReader reader(file.root().dataset("t/param_" + name));
  REQUIRE(reader.rows() == static_cast<std::int64_t>(rows.size()));
  std::vector<std::string> cells;
  for (std::int64_t row = 0; row < reader.rows(); ++row)
    cells.push_back(to_text(reader.value(row)));
  return cells;
}

Value text(const char* value) { return std::string(value); }
Value integer(std::int64_t value) { return value; }

using Cells = std::vector<std::string>;

TEST_CASE("A column of one type has that type") {
  CHECK(column({{{"n", integer(1)}}, {{"n", integer(2)}}}, "n") == Cells{"1", "2"});
  CHECK(column({{{"a", 0.5}}, {{"a", 1.5}}}, "a") == Cells{"0.5", "1.5"});
  CHECK(column({{{"b", true}}, {{"b", false}}}, "b") == Cells{"true", "false"});
  CHECK(column({{{"t", text("x")}}, {{"t", text("y")}}, {{"t", text("x")}}}, "t") ==
        Cells{"x", "y", "x"});
}

TEST_CASE("Missing cells are empty, at any position") {
  const Row none;
  CHECK(column({none, {{"n", integer(1)}}, none}, "n") == Cells{"-1", "1", "-1"});
  CHECK(column({none, {{"t", text("x")}}, none}, "t") == Cells{"", "x", ""});
  CHECK(column({none, {{"b", true}}, none}, "b") == Cells{"", "true", ""});
  const Cells reals = column({none, {{"a", 0.5}}}, "a");
  CHECK(reals == Cells{to_text(Value(std::nan(""))), "0.5"});
}

TEST_CASE("Numbers of two types are reals, anything else of two types is text") {
  CHECK(column({{{"a", integer(1)}}, {{"a", 0.5}}}, "a") ==
        Cells{to_text(Value(1.0)), to_text(Value(0.5))});
  CHECK(column({{{"a", integer(1)}}, {{"a", text("x")}}}, "a") == Cells{"1", "x"});
  CHECK(column({{{"a", true}}, {{"a", integer(2)}}}, "a") == Cells{"true", "2"});
}

TEST_CASE("Names may come in any order, and columns are found by name") {
  const std::vector<Row> rows{{{"n", integer(1)}, {"m", integer(2)}},
                              {{"m", integer(3)}, {"n", integer(4)}},
                              {{"k", integer(5)}}};
  CHECK(column(rows, "n") == Cells{"1", "4", "-1"});
  CHECK(column(rows, "m") == Cells{"2", "3", "-1"});
  CHECK(column(rows, "k") == Cells{"-1", "-1", "5"});
}

}  // namespace
}  // namespace kernelbatch
