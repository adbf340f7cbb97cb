#include "core/device/host/text/shared_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "core/base/text.hpp"
#include "core/base/text_cursor.hpp"
#include "core/device/host/text/scanner.hpp"

namespace kernelbatch::host {
namespace {

constexpr std::string_view kDynamicShared = "KERNELBATCH_DYNAMIC_SHARED(";

/// True if the `{` after `before` is not a function's: a namespace, or extern "C".
bool opens_file_scope(std::string_view before) {
  const std::string_view last = without_blank_end(before);
  for (const std::string_view language : {"\"C\"", "\"C++\""})
    if (last.ends_with(language))
      return ends_with_word(without_blank_end(last.substr(0, last.size() - language.size())),
                            "extern");
  if (ends_with_word(last, "namespace")) return true;
  std::size_t name = last.size();
  while (name > 0 && (is_word_character(last[name - 1]) || last[name - 1] == ':')) --name;
  return name > 0 && is_blank(last[name - 1]) &&
         ends_with_word(without_blank_end(last.substr(0, name)), "namespace");
}

/// Dynamic shared memory declared outside functions uses another macro: its pointer has no value
/// before a block begins.
std::string mark_file_scope(const std::string& text) {
  std::string result;
  int inside = 0;  // brackets of functions and the like
  std::vector<bool> is_inside;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = skip_literal(text, at);
    if (end == at && text[at] == '{') {
      is_inside.push_back(!opens_file_scope(std::string_view(text).substr(0, at)));
      inside += is_inside.back() ? 1 : 0;
    } else if (end == at && text[at] == '}' && !is_inside.empty()) {
      inside -= is_inside.back() ? 1 : 0;
      is_inside.pop_back();
    } else if (end == at && inside == 0 &&
               text.compare(at, kDynamicShared.size(), kDynamicShared) == 0) {
      result += "KERNELBATCH_FILE_SHARED(";
      at += kDynamicShared.size();
      continue;
    }
    const std::size_t next = std::max(end, at + 1);
    result.append(text, at, next - at);
    at = next;
  }
  return result;
}

/// Moves past `__align__(…)` or `alignas(…)`.
bool take_alignment(TextCursor& cursor) {
  if (cursor.take_one_of({"__align__", "alignas"}).empty()) return false;
  cursor.take_blanks();
  if (!cursor.take("(")) return false;
  cursor.take_while([](char c) { return c != ')'; });
  if (!cursor.take(")")) return false;
  cursor.take_blanks();
  return true;
}

struct SharedDeclaration {
  std::string_view type, name;
  std::size_t end;
};

/// The declaration `extern __shared__ T name[];`, with or without alignment, that begins at `at`.
std::optional<SharedDeclaration> shared_declaration(std::string_view text, std::size_t at) {
  constexpr std::size_t kLongest = 1000;  // so that no text takes time quadratic in its length
  text = text.substr(0, std::min(text.size(), at + kLongest));
  TextCursor cursor(text, at);
  if (!cursor.take("extern") || cursor.take_blanks().empty()) return {};
  take_alignment(cursor);
  if (!cursor.take("__shared__") || cursor.take_blanks().empty()) return {};
  for (TextCursor next = cursor;
       take_alignment(next) || (next.take("volatile") && !next.take_blanks().empty());)
    cursor = next;
  const std::size_t begin = cursor.position();
  cursor.take_while([](char c) {
    return is_word_character(c) || is_blank(c) ||
           std::string_view(":<>,").find(c) != std::string_view::npos;
  });
  std::size_t end = cursor.position();
  // An alignment between type and name.
  constexpr std::string_view kAlign = "__align__";
  std::string_view declared = without_blank_end(text.substr(begin, end - begin));
  std::string_view type, name;
  if (ends_with_word(declared, kAlign)) {
    type = declared.substr(0, declared.size() - kAlign.size());
    cursor = TextCursor(text, begin + type.size());
    if (!take_alignment(cursor)) return {};
    name = cursor.take_word();
  } else {
    std::size_t name_at = declared.size();
    while (name_at > 0 && is_word_character(declared[name_at - 1])) --name_at;
    type = declared.substr(0, name_at);
    name = declared.substr(name_at);
  }
  cursor.take_blanks();
  if (!cursor.take("[")) return {};
  cursor.take_blanks();
  if (!cursor.take("]")) return {};
  cursor.take_blanks();
  if (!cursor.take(";")) return {};
  if (name.empty() || type.empty() || !is_blank(type.back()) || !is_word_character(type.front()) ||
      is_digit(type.front()))
    return {};
  return SharedDeclaration{without_blank_end(type), name, cursor.position()};
}

/// Replaces `static __shared__` by `__shared__`, whose macro includes `static`, and declarations of
/// dynamic shared memory by KERNELBATCH_DYNAMIC_SHARED(T, name).
std::string replace_declarations(std::string_view text) {
  std::string result;
  std::size_t copied = 0;
  const auto replace = [&](std::size_t begin, std::size_t end, std::string_view by) {
    result.append(text, copied, begin - copied) += by;
    copied = end;
  };
  for (std::size_t at = text.find_first_of("es"); at != std::string_view::npos;
       at = text.find_first_of("es", std::max(at + 1, copied))) {
    if (!begins_word(text, at)) continue;
    TextCursor cursor(text, at);
    if (cursor.take("static") && !cursor.take_blanks().empty() &&
        cursor.take_word() == "__shared__") {
      replace(at, cursor.position(), "__shared__");
    } else if (const auto found = shared_declaration(text, at)) {
      replace(at, found->end, fmt::format("{}{}, {});", kDynamicShared, found->type, found->name));
    }
  }
  return result += text.substr(copied);
}

/// The names in `reinterpret_cast<T&>(name)`.
std::set<std::string_view> names_cast_to_references(std::string_view text) {
  constexpr std::string_view kCast = "reinterpret_cast";
  constexpr std::size_t kLongest = 200;  // characters of the type
  std::set<std::string_view> names;
  for (std::size_t at = text.find(kCast); at != std::string_view::npos;
       at = text.find(kCast, at + 1)) {
    TextCursor cursor(text, at + kCast.size());
    cursor.take_blanks();
    if (!cursor.take("<")) continue;
    std::string_view type = cursor.rest().substr(0, kLongest);
    const std::size_t open = type.find_first_of("();");
    if (open == std::string_view::npos || type[open] != '(') continue;
    type = without_blank_end(type.substr(0, open));
    if (!type.ends_with('>')) continue;
    type = without_blank_end(type.substr(0, type.size() - 1));
    if (!type.ends_with('&') || type.size() == 1) continue;
    cursor = TextCursor(text, cursor.position() + open + 1);
    cursor.take_blanks();
    const std::string_view name = cursor.take_word();
    cursor.take_blanks();
    if (cursor.take(")")) names.insert(name);
  }
  return names;
}

/// Uses KERNELBATCH_DYNAMIC_SHARED_ARRAY in the declarations of `names`.
std::string mark_arrays(const std::string& text, const std::set<std::string_view>& names) {
  std::string result;
  std::size_t copied = 0;
  for (std::size_t at = text.find(kDynamicShared); at != std::string::npos;
       at = text.find(kDynamicShared, at + 1)) {
    const std::string_view declared = std::string_view(text).substr(at, text.find(';', at) - at);
    const std::size_t comma = declared.rfind(", ");
    if (comma == std::string_view::npos || !declared.ends_with(')')) continue;
    if (!names.contains(declared.substr(comma + 2, declared.size() - comma - 3))) continue;
    const std::size_t open = at + kDynamicShared.size() - 1;
    result.append(text, copied, open - copied) += "_ARRAY";
    copied = open;
  }
  return result.append(text, copied);
}

}  // namespace

std::string rewrite_shared(const std::string& text) {
  if (text.find("__shared__") == std::string::npos) return text;
  const std::string result = replace_declarations(text);
  if (result.find(kDynamicShared) == std::string::npos) return result;
  return mark_arrays(mark_file_scope(result), names_cast_to_references(text));
}

}  // namespace kernelbatch::host
