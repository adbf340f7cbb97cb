#include "core/result/note.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

constexpr std::string_view kNoteSeparator = "; ";

std::vector<std::string> split_at_separator(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t end = text.find(kNoteSeparator); end != std::string_view::npos;
       end = text.find(kNoteSeparator)) {
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end + kNoteSeparator.size());
  }
  parts.emplace_back(text);
  return parts;
}

}  // namespace

void add_note(std::vector<Note>& notes, NoteKind about, std::string_view text) {
  if (text.empty()) return;
  Note note{about, join(split_at_separator(text), ", ")};
  std::ranges::replace(note.text, '\n', ' ');
  if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
}

std::string to_text(const Note& note) {
  if (note.about == NoteKind::kOther) return note.text;
  return fmt::format("{}: {}", name_of(note.about), note.text);
}

std::string to_text(const std::vector<Note>& notes) {
  std::vector<std::string> texts;
  for (const Note& note : notes) texts.push_back(to_text(note));
  return join(texts, kNoteSeparator);
}

std::vector<Note> parse_notes(std::string_view text) {
  std::vector<Note> notes;
  if (text.empty()) return notes;
  for (const std::string& one : split_at_separator(text)) {
    Note note{NoteKind::kOther, one};
    for (const Named<NoteKind>& row : Names<NoteKind>::rows)
      if (const std::string begin = fmt::format("{}: ", row.name); one.starts_with(begin))
        note = {row.value, one.substr(begin.size())};
    notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace kernelbatch
