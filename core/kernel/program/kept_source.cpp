#include "core/kernel/program/kept_source.hpp"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>

#include "core/base/file.hpp"
#include "core/base/process.hpp"

namespace kernelbatch {

void keep_source(const KernelSource& source, std::string_view key) {
  const auto folder = environment("KERNELBATCH_KEEP_SOURCE");
  if (!folder) return;
  std::string name = source.name;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '.') c = '_';
  const auto path =
      std::filesystem::path(*folder) / fmt::format("{}-{}.cu", name, key.substr(0, 8));
  std::error_code ignored;
  // The name contains the content's key: an existing file has the same content.
  if (std::filesystem::exists(path, ignored)) return;
  std::string text = source.text;
  if (!text.ends_with('\n')) text += '\n';
  // Other settings needed to compile it again.
  for (const std::string& option : source.options) text += "// option: " + option + "\n";
  if (!source.has_plain_names)
    for (const std::string& entry : source.entries) text += "// entry: " + entry + "\n";
  write_file_atomically(path, text);
}

}  // namespace kernelbatch
