// Generates the tables of keys in jobs/README.md from the parser's tables. `key_tables README`
// compares, `key_tables README --write` writes them to the file.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/job/keys/inline_keys.hpp"
#include "core/job/keys/settings.hpp"
#include "core/job/keys/slurm_keys.hpp"
#include "tests/support/generated_page.hpp"

namespace kernelbatch {
namespace {

using Lines = std::vector<std::string>;

struct Row {
  std::string name, otherwise;
  std::string_view help;
};

/// " `standard`", " 3"; empty if there is none.
std::string shown_default(const KeyInfo& info) {
  using enum Rule::Kind;
  const Rule::Kind kind = info.key.rule.kind;
  if (info.otherwise.empty()) return "";
  const bool is_text = kind == kChoice || kind == kText || kind == kSchema;
  return is_text ? fmt::format(" `{}`", info.otherwise) : " " + info.otherwise;
}

void add_rows(std::vector<Row>& rows, const std::vector<KeyInfo>& keys, const std::string& prefix) {
  for (const KeyInfo& info : keys) {
    const std::string name = prefix + std::string(info.key.name);
    if (!info.nested.empty()) {
      add_rows(rows, info.nested, name + ".");
      continue;
    }
    rows.push_back({name, shown_default(info), info.key.help});
  }
}

Lines settings_table(const std::vector<KeyInfo>& keys) {
  std::vector<Row> rows;
  add_rows(rows, keys, "");
  const bool has_defaults =
      std::ranges::any_of(rows, [](const Row& row) { return !row.otherwise.empty(); });
  Lines table = has_defaults ? Lines{"| key | default | means |", "|---|---|---|"}
                             : Lines{"| key | means |", "|---|---|"};
  for (const Row& row : rows)
    table.push_back(has_defaults
                        ? fmt::format("| `{}` |{} | {} |", row.name, row.otherwise, row.help)
                        : fmt::format("| `{}` | {} |", row.name, row.help));
  return table;
}

Lines kinds_table() {
  Lines table{"| `kind` | needs | may have |", "|---|---|---|"};
  for (const InlineKind& kind : inline_kinds()) {
    Lines needed, further;
    for (const Key& key : kind.keys) (key.is_required ? needed : further).emplace_back(key.name);
    table.push_back(
        fmt::format("| `{}` | `{}` | `{}` |", kind.name, join(needed, "`, `"), join(further, " ")));
  }
  return table;
}

struct Section {
  std::string heading;
  Lines table;
};

std::vector<Section> sections() {
  return {{"## tune", settings_table(infos(fields<TuneSpec>()))},
          {"## verify", settings_table(infos(fields<VerifySpec>()))},
          {"## measure", settings_table(infos(fields<MeasureSpec>()))},
          {"## limits", settings_table(infos(fields<LimitsSpec>()))},
          {"## output", settings_table(infos(fields<OutputSpec>()))},
          {"## slurm", settings_table(infos(slurm_keys()))},
          {"## workload: inline", kinds_table()}};
}

/// Replaces the section's table that has the same head.
void put(Lines& page, const Section& section) {
  const auto heading = std::find(page.begin(), page.end(), section.heading);
  const auto first = std::find(heading, page.end(), section.table.front());
  if (first == page.end())
    throw SpecError(fmt::format("no table '{}' after '{}'", section.table[0], section.heading));
  const auto last = std::find_if(first, page.end(),
                                 [](const std::string& line) { return !line.starts_with('|'); });
  page.insert(page.erase(first, last), section.table.begin(), section.table.end());
}

std::string with_tables(const std::string& written) {
  Lines page = split(written, '\n');
  for (const Section& section : sections()) put(page, section);
  return join(page, "\n");
}

}  // namespace
}  // namespace kernelbatch

int main(int count, char** arguments) {
  return kernelbatch::test::run_page_program(count, arguments, "the tables in core/job/keys",
                                             kernelbatch::with_tables);
}
