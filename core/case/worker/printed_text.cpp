#include "core/case/worker/printed_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/sandbox/sandbox.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

/// ASCII's record and unit separators, which do not occur in text.
constexpr char kMarkEnd = '\x1e', kMarkMiddle = '\x1f';
constexpr std::size_t kLongestMark = 512;
constexpr std::size_t kKeptBytes = 16 * 1024, kFirstCallBytes = 4 * 1024;
constexpr std::size_t kShownLines = 12;

}  // namespace

std::string phase_mark(std::string_view variant, Phase phase) {
  return fmt::format("{}{}{}{}{}", kMarkEnd, variant, kMarkMiddle, name_of(phase), kMarkEnd);
}

void PrintedText::add(std::string_view piece) {
  std::string joined;
  if (!waiting_.empty()) {
    joined = std::exchange(waiting_, {}) + std::string(piece);
    piece = joined;
  }
  while (!piece.empty()) {
    const std::size_t begin = std::min(piece.find(kMarkEnd), piece.size());
    text(piece.substr(0, begin));
    piece.remove_prefix(begin);
    if (piece.empty()) return;
    const std::size_t end = piece.find(kMarkEnd, 1);
    if (end == std::string_view::npos) {
      if (piece.size() < kLongestMark)
        waiting_ = piece;
      else
        text(piece);  // a kernel printed that character
      return;
    }
    this->begin(piece.substr(1, end - 1));
    piece.remove_prefix(end + 1);
  }
}

void PrintedText::begin(std::string_view mark) {
  constexpr std::string_view kRefused = kRefusalMark.substr(1);
  if (mark.starts_with(kRefused)) refusal_ = mark.substr(kRefused.size());
  const std::size_t at = mark.find(kMarkMiddle);
  if (at == std::string_view::npos) return;
  std::string variant(mark.substr(0, at));
  if (variant != variant_) tail_.clear();
  variant_ = std::move(variant);
  is_first_call_ = mark.substr(at + 1) == name_of(Phase::kRun) && !first_calls_.contains(variant_);
  if (is_first_call_) first_calls_[variant_];
}

void PrintedText::text(std::string_view piece) {
  if (piece.empty()) return;
  tail_ += piece;
  if (tail_.size() > 2 * kKeptBytes) tail_.erase(0, tail_.size() - kKeptBytes);
  if (!is_first_call_) return;
  std::string& first = first_calls_[variant_];
  // One extra byte shows that the text is longer.
  first += piece.substr(0, kFirstCallBytes + 1 - std::min(first.size(), kFirstCallBytes + 1));
}

std::string PrintedText::last_lines() const {
  std::vector<std::string> lines = split(trim(tail_), '\n');
  if (lines.size() > kShownLines) lines.erase(lines.begin(), lines.end() - kShownLines);
  return join(lines, "\n");
}

std::string PrintedText::take_first_call(const std::string& variant) {
  const auto found = first_calls_.find(variant);
  if (found == first_calls_.end()) return {};
  std::string first = std::exchange(found->second, {});
  if (first.size() > kFirstCallBytes) {
    // Cut at the end of a line, so that no UTF-8 character is split.
    const std::size_t end = std::string_view(first).substr(0, kFirstCallBytes).rfind('\n');
    first.resize(end == std::string::npos ? 0 : end + 1);
    first += fmt::format("(more than {} bytes)\n", kFirstCallBytes);
  }
  return first;
}

}  // namespace kernelbatch
