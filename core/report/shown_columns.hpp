// The columns of results in tables and on the page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result/schema.hpp"

namespace kernelbatch {

using ShownColumn = schema::Column<ResultRecord>;

/// Columns of the result schema that are shown, and a few that are derived from others and not
/// stored, in the order of tables.
const std::vector<ShownColumn>& shown_columns();
/// Those of the text table, and of Markdown and LaTeX.
std::vector<ShownColumn> text_columns();
std::vector<ShownColumn> export_columns();

bool is_number(const ShownColumn& column) noexcept;
std::optional<Value> shown_value(const ShownColumn& column, const ResultRecord& record);
/// The value in the column's form.
std::string shown_text(const ShownColumn& column, const ResultRecord& record);

/// "1.85x"; empty for NaN.
std::string speedup_text(double speedup);

}  // namespace kernelbatch
