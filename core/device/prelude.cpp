#include "core/device/prelude.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <utility>

#include "core/base/text.hpp"
#include "library_headers.hpp"
#include "prelude_embedded.hpp"
#include "standard_headers.hpp"

namespace kernelbatch {
namespace {

/// Parts common to all backends.
std::vector<PreludePart> shared_parts() {
  return {{"kernelbatch/grid.hpp",
           prelude::grid,
           {"grid", "gridsize", "range", "block_range", "shared_array", "dynamic_shared"}},
          {"kernelbatch/collectives.hpp",
           prelude::collectives,
           {"shuffle", "shuffle_up", "shuffle_xor", "warp_reduce", "warp_inclusive_scan",
            "warp_exclusive_scan", "block_reduce", "block_inclusive_scan", "block_exclusive_scan"}},
          {"kernelbatch/groups.hpp",
           prelude::groups,
           {"this_thread_block", "this_grid", "tiled_partition", "thread_block",
            "thread_block_tile", "grid_group"}},
          {"kernelbatch/cooperative_groups.hpp", prelude::cooperative_groups, {}},
          // No words: included only by name.
          {"kernelbatch/cucomplex.hpp", prelude::cucomplex, {}},
          {"kernelbatch/transform.cuh", prelude::transform, {}},
          {"kernelbatch/tile_product.cuh", prelude::tile_product, {}},
          {"kernelbatch/complex_math.hpp", prelude::complex_math, {"complex"}}};
}

std::vector<PreludeName> shared_names() {
  return {{"array_view", "using kernelbatch::array_view;"},
          {"bfloat16", "using kernelbatch::bfloat16;"},
          {"complex", "using kernelbatch::complex;"},
          {"float16", "using kernelbatch::float16;"},
          {"polar", "using kernelbatch::polar;"}};
}

/// Every identifier of a text outside comments.
std::vector<std::string_view> all_words_of(std::string_view text) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  std::vector<std::string_view> words;
  for (std::size_t k = 0; k < text.size();) {
    if (text.substr(k, 2) == "//") k = std::min(text.find('\n', k), text.size());
    if (text.substr(k, 2) == "/*") k = std::min(text.find("*/", k + 2), text.size());
    const std::size_t begin = k;
    while (k < text.size() && is_word(text[k])) ++k;
    if (k > begin) words.push_back(text.substr(begin, k - begin));
    if (k == begin) ++k;
  }
  return words;
}

std::set<std::string_view> words_of(std::string_view text) {
  const std::vector<std::string_view> all = all_words_of(text);
  return {all.begin(), all.end()};
}

/// `type name(…`, where `word` is the name as it occurs in the text and `before` the word before
/// it.
bool declares_function(std::string_view text, std::string_view before, std::string_view name,
                       std::string_view word) {
  static const std::set<std::string_view> kNoTypes{"return", "else", "case", "do",  "throw",
                                                   "new",    "and",  "or",   "not", "in"};
  const auto at = static_cast<std::size_t>(word.data() - text.data());
  const auto end_of_before = static_cast<std::size_t>(before.data() - text.data()) + before.size();
  const std::string_view between = trim(text.substr(end_of_before, at - end_of_before));
  const bool is_type = between.find_first_not_of("*&> ") == std::string_view::npos &&
                       std::isdigit(static_cast<unsigned char>(before.front())) == 0 &&
                       !kNoTypes.contains(before);
  // a * half(b) is a product.
  const bool is_product = between.find_first_of("*&>") != std::string_view::npos;
  return is_type && !is_product && trim(text.substr(at + name.size())).starts_with('(');
}

/// True if a text definitely declares a name, judging by the words around it: `struct name`,
/// `#define name`, `using name = …`, `using other::name;`, `typedef … name;`, `type name(…`.
bool declares(std::string_view text, std::string_view name) {
  static const std::set<std::string_view> kDeclaring{"struct", "class",  "union",    "enum",
                                                     "using",  "define", "namespace"};
  const std::vector<std::string_view> words = all_words_of(text);
  for (std::size_t k = 1; k < words.size(); ++k) {
    if (words[k] != name) continue;
    if (kDeclaring.contains(words[k - 1])) return true;
    if (declares_function(text, words[k - 1], name, words[k])) return true;
    const auto at = static_cast<std::size_t>(words[k].data() - text.data());
    const std::size_t before = text.substr(0, at).find_last_of(";{}\n");
    const std::string_view statement =
        trim(text.substr(before == std::string_view::npos ? 0 : before + 1, at));
    const bool ends = trim(text.substr(at + name.size())).starts_with(';');
    if (ends && (statement.starts_with("typedef") || statement.starts_with("using"))) return true;
  }
  return false;
}

/// Included names of a text, between the quotes or brackets.
std::vector<std::string_view> includes_of(std::string_view text) {
  std::vector<std::string_view> names;
  for (std::size_t at = 0; (at = text.find('#', at)) != std::string_view::npos;) {
    std::string_view rest = text.substr(++at);
    const auto skip_spaces = [&] {
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    };
    skip_spaces();
    if (!rest.starts_with("include")) continue;
    rest.remove_prefix(std::string_view("include").size());
    skip_spaces();
    if (rest.empty() || (rest.front() != '<' && rest.front() != '"')) continue;
    const std::size_t end = rest.find_first_of(rest.front() == '<' ? ">\n" : "\"\n", 1);
    if (end != std::string_view::npos) names.push_back(rest.substr(1, end - 1));
  }
  return names;
}

/// The words of a header's comment "Asked for by:".
std::vector<std::string_view> asking_words(std::string_view text) {
  constexpr std::string_view kMark = "Asked for by:";
  const std::size_t begin = text.substr(0, text.find("#pragma once")).find(kMark);
  if (begin == std::string_view::npos) return {};
  std::string_view rest = text.substr(begin + kMark.size());
  std::vector<std::string_view> words;
  for (bool is_first = true;; is_first = false) {
    std::string_view line = trim(rest.substr(0, rest.find('\n')));
    if (!is_first && !line.starts_with("//")) break;
    if (!is_first) line.remove_prefix(2);
    const bool ends = line.ends_with('.');
    if (ends) line.remove_suffix(1);
    while (!(line = trim(line)).empty()) {
      const std::size_t end = std::min(line.find(' '), line.size());
      words.push_back(line.substr(0, end));
      line.remove_prefix(end);
    }
    if (ends || rest.find('\n') == std::string_view::npos) break;
    rest.remove_prefix(rest.find('\n') + 1);
  }
  return words;
}

bool has_word(const std::set<std::string_view>& words, std::string_view wanted) {
  if (!wanted.ends_with('*')) return words.contains(wanted);
  wanted.remove_suffix(1);
  const auto found = words.lower_bound(wanted);
  return found != words.end() && found->starts_with(wanted);
}

/// True if a text assigns a value to a name: `const float name = 3;`, `name = x;`.
bool assigns(std::string_view text, std::string_view name) {
  for (const std::string_view word : all_words_of(text)) {
    if (word != name) continue;
    const auto end = static_cast<std::size_t>(word.data() - text.data()) + word.size();
    const std::string_view rest = trim(text.substr(end, 20));
    if (rest.starts_with('=') && !rest.starts_with("==")) return true;
  }
  return false;
}

/// True if the words request a header by a word that neither the text nor a macro declares.
bool asks_for(const std::set<std::string_view>& words, std::string_view wanted,
              std::string_view text, const SplitOptions& options) {
  if (!has_word(words, wanted)) return false;
  if (wanted.ends_with('*')) return true;
  const bool is_macro = std::ranges::any_of(
      options.macros, [&](const MacroLine& macro) { return macro.name == wanted; });
  return !is_macro && !declares(text, wanted) && !assigns(text, wanted);
}

}  // namespace

Prelude::Prelude(Own own)
    : files_(std::move(own.files)),
      parts_(std::move(own.parts)),
      names_(std::move(own.names)),
      has_other_headers_(own.has_other_headers) {
  files_.push_back({"kernelbatch/common.hpp", std::string(prelude::common)});
  files_.push_back({"kernelbatch/complex.cuh", std::string(prelude::complex)});
  std::ranges::move(shared_parts(), std::back_inserter(parts_));
  std::ranges::move(shared_names(), std::back_inserter(names_));
  std::string all;
  for (const PreludeFile& file : files_) all += file.name + hash_hex(file.text);
  for (const PreludePart& part : parts_) {
    all += std::string(part.name) + hash_hex(part.text);
    for (const std::string_view word : part.words) all += " " + std::string(word);
  }
  for (const PreludeName& name : names_) all += std::string(name.declaration);
  std::ranges::move(prelude::library_headers(), std::back_inserter(own.headers));
  for (const auto& [name, text] : own.headers) {
    headers_[name] = {text, asking_words(text), includes_of(text)};
    all += std::string(name) + hash_hex(text);
  }
  for (const auto& [name, text] : prelude::standard_headers()) {
    headers_[name] = {text, asking_words(text), includes_of(text), true};
    all += std::string(name) + hash_hex(text);
  }
  hash_ = hash_hex(all);
}

std::vector<PreludeFile> Prelude::files_for(const KernelSource& source) const {
  std::set<std::string_view> words = words_of(source.text);
  for (const std::string& entry : source.entries) words.merge(words_of(entry));
  const SplitOptions options = split_options(source.options);
  std::vector<std::string_view> included = includes_of(source.text);
  included.insert(included.end(), options.headers.begin(), options.headers.end());
  const auto includes_one_of = [&](std::string_view begin, std::string_view end) {
    return std::ranges::any_of(included, [&](std::string_view name) {
      return name.starts_with(begin) && name.ends_with(end);
    });
  };
  // A text that includes CUDA's header gets its groups from there.
  const bool has_own_groups = includes_one_of("cooperative_groups", ".h");
  // A library's complex numbers may be used without their namespace.
  const bool has_own_complex =
      includes_one_of("thrust/", "complex.h") || includes_one_of("cuda/std/", "complex");
  std::vector<PreludeFile> files = files_;
  files.front().text.insert(0, "#define KERNELBATCH_CHOSEN_NAMES 1\n");
  for (const PreludeName& name : names_)
    if (!declares(source.text, name.name) &&
        !(has_own_complex && (name.name == "complex" || name.name == "polar")))
      files.front().text += std::string(name.declaration) + "\n";
  for (const PreludePart& part : parts_) {
    const bool is_groups = part.name.ends_with("groups.hpp");
    // Headers that the text includes itself also come before its macros.
    const bool is_included = source.text.find(std::string(part.name) + '"') != std::string::npos ||
                             source.text.find(std::string(part.name) + '>') != std::string::npos;
    const bool is_wanted =
        is_included ||
        (part.name == "kernelbatch/cooperative_groups.hpp"
             ? words.contains("cooperative_groups")
             : std::ranges::any_of(part.words, [&](auto word) { return has_word(words, word); }));
    if (is_wanted && !(is_groups && has_own_groups))
      files.front().text += "#include \"" + std::string(part.name) + "\"\n";
    files.push_back({std::string(part.name), std::string(part.text)});
  }
  for (const MacroLine& macro : options.macros) words.merge(words_of(macro.line));
  const bool with_standard = gives_standard(source, options, included);
  // The compiler's own C++ headers must come before the prelude's functions.
  if (has_other_headers_ && !with_standard && source.backend != CompilerBackend::kNvcc)
    files.front().text.insert(
        0,
        "#ifndef KERNELBATCH_STANDARD_HEADERS\n#define KERNELBATCH_STANDARD_HEADERS 1\n#endif\n");
  for (const auto& [name, header] : headers_) {
    if (header.is_standard && !with_standard) continue;
    // Headers that the text includes itself also come before its macros.
    const bool is_included = std::ranges::find(included, name) != included.end();
    if (!is_included && std::ranges::none_of(header.words, [&](auto word) {
          return asks_for(words, word, source.text, options);
        }))
      continue;
    files.front().text += "#include \"" + std::string(name) + "\"\n";
    if (!is_included) included.push_back(name);
  }
  add_headers(files, std::move(included), with_standard);
  return files;
}

std::vector<std::string_view> Prelude::header_names() const {
  std::vector<std::string_view> names;
  for (const auto& [name, header] : headers_)
    if (!name.starts_with("kernelbatch/")) names.push_back(name);
  return names;
}

bool Prelude::gives_standard(const KernelSource& source, const SplitOptions& options,
                             const std::vector<std::string_view>& included) const {
  if (source.backend == CompilerBackend::kNvcc) return false;
  if (std::ranges::find(options.others, "-DKERNELBATCH_STANDARD_HEADERS") != options.others.end())
    return false;
  return !has_other_headers_ || std::ranges::all_of(included, [&](std::string_view name) {
    return headers_.contains(name) || name.starts_with("kernelbatch/");
  });
}

void Prelude::add_headers(std::vector<PreludeFile>& files, std::vector<std::string_view> included,
                          bool with_standard) const {
  std::set<std::string_view> added;
  while (!included.empty()) {
    const std::string_view name = included.back();
    included.pop_back();
    const auto found = headers_.find(name);
    if (found == headers_.end() || !added.insert(name).second) continue;
    if (found->second.is_standard && !with_standard) continue;
    files.push_back({std::string(name), std::string(found->second.text)});
    included.insert(included.end(), found->second.includes.begin(), found->second.includes.end());
  }
}

std::string Prelude::with_prelude(const std::string& name, const SplitOptions& options,
                                  std::string_view text) {
  return "#include \"kernelbatch/device.hpp\"\n" + with_macros(name, options, text);
}

std::string with_macros(const std::string& name, const SplitOptions& options,
                        std::string_view text) {
  std::string all = "#line 1 \"options\"\n";
  for (const MacroLine& macro : options.macros) all += macro.line + "\n";
  for (const std::string& header : options.headers) all += "#include \"" + header + "\"\n";
  return all + fmt::format("#line 1 \"{}.cu\"\n{}", name, text);
}

}  // namespace kernelbatch
