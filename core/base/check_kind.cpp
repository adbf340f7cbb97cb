#include "core/base/check_kind.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {

CheckKinds parse_checks(std::string_view text) {
  CheckKinds kinds;
  for (const std::string& word : split(text, ',')) {
    const auto kind = parse_choice<CheckKind>(trim(word));
    if (!kind)
      throw SpecError(fmt::format("unknown check '{}'{}; there are {}", trim(word),
                                  suggestion(trim(word), names_of<CheckKind>()),
                                  join(names_of<CheckKind>(), ", ")));
    kinds.insert(*kind);
  }
  return kinds;
}

std::string to_text(const CheckKinds& kinds) {
  std::string text;
  for (const CheckKind kind : kinds) text += (text.empty() ? "" : ",") + std::string(name_of(kind));
  return text;
}

}  // namespace kernelbatch
