#include "core/inline/job_lines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.hpp"
#include "core/kernel/text/signature.hpp"

namespace kernelbatch {
namespace {

/// The number at the begin of a text, which is removed from it; -1 if there is none.
int leading_number(std::string_view& text) {
  constexpr std::size_t kMostDigits = 9;
  std::size_t digits = 0;
  while (digits < std::min(text.size(), kMostDigits) && text[digits] >= '0' && text[digits] <= '9')
    ++digits;
  if (digits == 0) return -1;
  const int number = std::stoi(std::string(text.substr(0, digits)));
  text.remove_prefix(digits);
  return number;
}

/// "job.yaml:27: error: …" for "name.cu:3:21: error: …"; other lines are unchanged.
std::string translated(const std::string& line, const std::vector<TextPlace>& texts) {
  for (const TextPlace& text : texts) {
    // After the headline of an error, or at the begin of a line.
    const std::string mark = text.file + ":";
    const std::size_t at = line.starts_with(mark) ? 0 : line.find(" " + mark);
    if (at == std::string::npos) continue;
    const std::size_t begin = at == 0 && line.starts_with(mark) ? 0 : at + 1;
    std::string_view rest = std::string_view(line).substr(begin + mark.size());
    const int number = leading_number(rest);
    if (number < 1 || !rest.starts_with(":")) continue;
    std::string_view behind = rest.substr(1);
    if (leading_number(behind) >= 0 && behind.starts_with(":")) rest = behind;
    return fmt::format("{}{}:{}{}", line.substr(0, begin), text.begin.file,
                       text.begin.line + number - 1, rest);
  }
  return line;
}

std::string translated_all(const std::string& text, const std::vector<TextPlace>& texts) {
  std::vector<std::string> lines = split(text, '\n');
  for (std::string& line : lines) line = translated(line, texts);
  return join(lines, "\n");
}

}  // namespace

std::vector<TextPlace> texts_of(const InlineVariant& variant) {
  std::vector<TextPlace> texts;
  for (std::size_t k = 0; k < variant.options.keys.size(); ++k) {
    const YamlNode& value = variant.options.children[k];
    if (!value.is_scalar() || value.place.line == 0) continue;
    TextPlace text{variant.options.keys[k].text, value.place};
    if (text.file == "source") text.file = variant.name + ".cu";
    // The text of a YAML block begins on the line after its mark.
    if (value.text.find('\n') != std::string::npos) ++text.begin.line;
    texts.push_back(std::move(text));
  }
  return texts;
}

CompileError in_job_lines(const CompileError& error, const std::vector<TextPlace>& texts) {
  return {translated_all(error.what(), texts), translated_all(error.log(), texts), error.source()};
}

std::string with_job_places(const std::string& text, const std::vector<TextPlace>& texts) {
  std::string result = text;
  for (const TextPlace& each : texts) {
    const std::string mark = each.file + ":";
    std::size_t from = 0;
    for (std::size_t at; (at = result.find(mark, from)) != std::string::npos;) {
      from = at + mark.size();
      if (at > 0 && result[at - 1] != ' ') continue;
      std::string_view rest = std::string_view(result).substr(from);
      const int line = leading_number(rest);
      if (line < 1) continue;
      if (std::string_view column = rest.starts_with(":") ? rest.substr(1) : "";
          leading_number(column) >= 0)
        rest = column;
      const std::string place = fmt::format("{}:{}", each.begin.file, each.begin.line + line - 1);
      const std::string behind(rest);
      result = result.substr(0, at) + place + behind;
      from = at + place.size();
    }
  }
  return result;
}

void require_kernel(const std::string& source, std::string_view entry, const SourcePlace& place) {
  const std::string name(trim(entry));
  const std::vector<std::string> known = kernel_names(source);
  constexpr std::string_view kMore[] = {"template", "#define", "#include \"", "namespace"};
  const bool may_have_more = std::ranges::any_of(
      kMore, [&](std::string_view word) { return source.find(word) != std::string::npos; });
  if (known.empty() || may_have_more || std::ranges::find(known, name) != known.end()) return;
  fail_at(place,
          fmt::format("'entry': the source has no kernel '{}'{}", name, suggestion(name, known)));
}

}  // namespace kernelbatch
