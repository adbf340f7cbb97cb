#include "core/kernel/text/macro_guard.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string_view>

#include "core/base/text.hpp"
#include "core/device/compile_options.hpp"
#include "core/kernel/text/tokens.hpp"

namespace kernelbatch {
namespace {

constexpr std::string_view kLine = "#line 1 \"", kGenerated = "#line 1 \"generated\"";

/// A piece of the text, whole lines; the first line of all but the first is its `#line`.
struct TextPiece {
  std::string text;
  bool is_generated = true;
};

std::vector<TextPiece> text_pieces(std::string_view text) {
  std::vector<TextPiece> pieces(1);
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with(kLine)) pieces.push_back({"", line.starts_with(kGenerated)});
    pieces.back().text += line + "\n";
  }
  pieces.back().text.pop_back();
  return pieces;
}

/// Definitions in the user's texts: name and directive. A name defined more than once is omitted,
/// since only the compiler knows its definition.
std::map<std::string, std::string> definitions_in(std::string_view text) {
  std::map<std::string, std::string> found;
  std::set<std::string> again;
  const std::vector<Token> tokens = read_tokens(text);
  for (std::size_t k = 2; k < tokens.size(); ++k) {
    if (!tokens[k].in_directive || tokens[k - 1].text != "define" || tokens[k - 2].text != "#")
      continue;
    std::size_t end = tokens[k].at;
    do end = text.find('\n', end + 1);
    while (end != std::string_view::npos && text[end - 1] == '\\');
    const std::string name(tokens[k].text);
    if (found.contains(name)) again.insert(name);
    const std::size_t begin = tokens[k - 2].at;
    found[name] = text.substr(begin, std::min(end, text.size()) - begin);
  }
  for (const std::string& name : again) found.erase(name);
  return found;
}

}  // namespace

std::string guard_macros(std::string text, const std::vector<std::string>& options) {
  std::map<std::string, std::string> macros;
  for (const MacroLine& macro : split_options(options).macros)
    if (macro.line.starts_with("#define")) macros[macro.name] = macro.line;
  const std::vector<TextPiece> pieces = text_pieces(text);
  for (const TextPiece& piece : pieces)
    if (!piece.is_generated) macros.merge(definitions_in(piece.text));
  if (macros.empty()) return text;
  text.clear();
  bool is_generated = false;
  for (const TextPiece& piece : pieces) {
    if (piece.is_generated != is_generated)
      for (const auto& [name, line] : macros)
        text +=
            piece.is_generated
                ? fmt::format("#ifdef {0}\n#undef {0}\n#define _kernelbatch_{0}\n#endif\n", name)
                : fmt::format("#ifdef _kernelbatch_{0}\n#undef _kernelbatch_{0}\n{1}\n#endif\n",
                              name, line);
    is_generated = piece.is_generated;
    text += piece.text;
  }
  return text;
}

}  // namespace kernelbatch
