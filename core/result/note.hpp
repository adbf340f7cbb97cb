// Notes of a result: limits of its measurement, each with its subject.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/base/choice.hpp"

namespace kernelbatch {

/// The subject of a note.
enum class NoteKind : std::uint8_t {
  kOther,
  kCounters,
  kEnergy,
  kEvidence,
  kHotSamples,
  kSanitizer,
  kSecondSet,
};
/// The beginnings of notes.
template <>
struct Names<NoteKind> {
  static constexpr Named<NoteKind> rows[] = {
      {NoteKind::kCounters, "no hardware counters"}, {NoteKind::kEnergy, "no energy"},
      {NoteKind::kEvidence, "no evidence"},          {NoteKind::kHotSamples, "no hot samples"},
      {NoteKind::kSanitizer, "not sanitized"},       {NoteKind::kSecondSet, "one set of inputs"}};
};

/// One limit of a measurement.
struct Note {
  NoteKind about = NoteKind::kOther;
  std::string text;  ///< one line without "; "; for all but kOther, the reason
  bool operator==(const Note&) const = default;
  static constexpr auto kMembers = std::tuple{&Note::about, &Note::text};
};
/// Adds a note unless it is empty or there already; its text becomes one line without "; ".
void add_note(std::vector<Note>& notes, NoteKind about, std::string_view text);
/// "no energy: the counter went back".
std::string to_text(const Note& note);
/// All notes with "; " between them, and the inverse.
std::string to_text(const std::vector<Note>& notes);
std::vector<Note> parse_notes(std::string_view text);

}  // namespace kernelbatch
