#include "core/base/check_kind.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {

namespace {

CheckKind parse_check(std::string_view word, std::vector<std::string> known) {
  if (const auto kind = parse_choice<CheckKind>(word)) return *kind;
  throw SpecError(fmt::format("unknown check '{}'{}; there are {}", word, suggestion(word, known),
                              join(known, ", ")));
}

}  // namespace

CheckKinds parse_checks(std::string_view text) {
  CheckKinds kinds;
  for (const std::string& word : split(text, ','))
    kinds.insert(parse_check(trim(word), names_of<CheckKind>()));
  return kinds;
}

Checks parse_check_words(const std::vector<std::string>& words) {
  std::vector<std::string> known = names_of<CheckKind>();
  for (const std::string& place : names_of<CheckPlace>()) known.push_back(place);
  Checks checks;
  for (const std::string& each : words) {
    const std::string word(trim(each));
    if (const auto place = parse_choice<CheckPlace>(word))
      checks.place = *place;
    else
      checks.kinds.insert(parse_check(word, known));
  }
  if (checks.kinds.empty()) checks.kinds = all_checks();
  return checks;
}

std::string to_text(const Checks& checks) {
  std::string text = to_text(checks.kinds);
  if (!text.empty() && checks.place != CheckPlace::kHost)
    text += "," + std::string(name_of(checks.place));
  return text;
}

std::string to_text(const CheckKinds& kinds) {
  std::string text;
  for (const CheckKind kind : kinds) text += (text.empty() ? "" : ",") + std::string(name_of(kind));
  return text;
}

}  // namespace kernelbatch
