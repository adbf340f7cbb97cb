#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/base/file.hpp"
#include "core/report/export.hpp"
#include "core/report/flat_rows.hpp"
#include "core/result/h5/h5.hpp"

namespace kernelbatch {
namespace {

/// The smallest type that can store all cells of a column.
h5::Member member_of(const FlatRows& table, std::size_t column) {
  h5::Member member{table.names[column], h5::Type::kInt64, 0};
  bool has_any = false, has_gap = false;
  const auto widen = [&](h5::Type type) {
    if (static_cast<int>(type) > static_cast<int>(member.type)) member.type = type;
  };
  for (const auto& row : table.rows) {
    const auto& cell = row[column];
    if (!cell) {
      has_gap = true;
      continue;
    }
    has_any = true;
    if (std::holds_alternative<double>(*cell)) widen(h5::Type::kFloat64);
    if (std::holds_alternative<std::string>(*cell)) widen(h5::Type::kText);
    member.text_bytes = std::max(member.text_bytes, to_text(*cell).size());
  }
  // Integers have no missing value here; as in pandas, the column becomes float with NaN.
  if (!has_any || (has_gap && member.type == h5::Type::kInt64)) widen(h5::Type::kFloat64);
  member.text_bytes = std::max<std::size_t>(member.text_bytes, 1);
  return member;
}

void add_cell(std::vector<std::byte>& bytes, const h5::Member& member,
              const std::optional<Value>& cell) {
  const std::size_t at = bytes.size();
  bytes.resize(at + member.size());
  if (member.type == h5::Type::kText) {
    const std::string text = cell ? to_text(*cell) : "";
    std::memcpy(bytes.data() + at, text.data(), text.size());
    return;
  }
  const auto put = [&](auto value) { std::memcpy(bytes.data() + at, &value, sizeof(value)); };
  const auto number = [&] {
    if (const auto* real = std::get_if<double>(&*cell)) return *real;
    if (const auto* flag = std::get_if<bool>(&*cell)) return *flag ? 1.0 : 0.0;
    return static_cast<double>(std::get<std::int64_t>(*cell));
  };
  if (member.type == h5::Type::kFloat64) return put(cell ? number() : kMissing);
  if (const auto* flag = std::get_if<bool>(&*cell)) return put(std::int64_t{*flag});
  put(std::get<std::int64_t>(*cell));
}

}  // namespace

void write_flat_table(const ResultFile& file, const std::filesystem::path& path) {
  const FlatRows table = flat_rows(file);
  std::vector<h5::Member> members;
  for (std::size_t k = 0; k < table.names.size(); ++k) members.push_back(member_of(table, k));
  std::vector<std::byte> bytes;
  for (const auto& row : table.rows)
    for (std::size_t k = 0; k < row.size(); ++k) add_cell(bytes, members[k], row[k]);
  h5::File out = h5::File::create_in_memory();
  // pandas searches for groups with a `table`, so it finds this one without a key.
  out.root().create_group("cases").write_table("table", members, bytes);
  write_file_atomically(path, out.image());
}

}  // namespace kernelbatch
