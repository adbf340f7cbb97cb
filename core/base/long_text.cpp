#include "core/base/long_text.hpp"

#include <fmt/format.h>

namespace kernelbatch {

std::string head_and_tail(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::string_view head = text.substr(0, most / 2), tail = text.substr(text.size() - most / 2);
  // Whole lines, unless a single line is that long.
  if (const std::size_t end = head.rfind('\n'); end != std::string_view::npos)
    head = head.substr(0, end);
  if (const std::size_t end = tail.find('\n');
      end != std::string_view::npos && end + 1 < tail.size())
    tail.remove_prefix(end + 1);
  return fmt::format("{}\n… {} bytes left out …\n{}", head, text.size() - head.size() - tail.size(),
                     tail);
}

}  // namespace kernelbatch
