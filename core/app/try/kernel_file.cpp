#include "core/app/try/kernel_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"

namespace kernelbatch::app {
namespace fs = std::filesystem;
namespace {

bool is_code(const fs::path& file) {
  return file.extension() == ".ptx" || file.extension() == ".cubin" ||
         file.extension() == ".fatbin";
}

/// Compiled code has the parameters of the reference.
TryKernel read_code(const std::string& file, const std::vector<std::string>& entries,
                    const std::optional<TryKernel>& reference) {
  if (!reference)
    throw SpecError(fmt::format(
        "'{}' is compiled code, whose parameters are those of a reference: --reference ref.cu",
        file));
  return {fs::path(file).stem().string(), fs::absolute(file).string(),
          entries.empty() ? reference->entry : entries.front(), file, reference->parameters};
}

TryKernel read_text(const std::string& file, const std::vector<std::string>& entries) {
  const std::string source = read_file(file);
  if (source.find('\0') != std::string::npos)
    throw SpecError(fmt::format("'{}' contains a NUL byte: expected a text", file));
  std::vector<std::string> names = kernel_names(source);
  if (names.empty()) throw SpecError(fmt::format("'{}' has no __global__ function", file));
  std::vector<std::string> chosen;
  for (const std::string& name : names)
    if (std::ranges::find(entries, name) != entries.end()) chosen.push_back(name);
  if (chosen.empty()) chosen = names;
  if (chosen.size() != 1)
    throw SpecError(
        fmt::format("'{}' has the kernels {}: choose one with --entry", file, join(chosen)));
  const auto parameters = find_parameters(source, chosen.front());
  if (!parameters)
    throw SpecError(fmt::format("'{}': the parameters of '{}' cannot be read from its text", file,
                                chosen.front()));
  return {fs::path(file).stem().string(), fs::absolute(file).string(), chosen.front(), file,
          *parameters};
}

}  // namespace

NamedFile named_file(const std::string& text) {
  const std::size_t at = text.find('=');
  const fs::path file = at == std::string::npos ? text : text.substr(at + 1);
  NamedFile named{at == std::string::npos ? file.stem().string() : text.substr(0, at), file};
  if (named.name.empty() || named.file.empty())
    throw SpecError(
        fmt::format("'{}': expected a file, x.npy, or a name and a file, x=file.npy", text));
  if (!fs::exists(file)) throw SpecError(fmt::format("there is no file '{}'", file.string()));
  return named;
}

TryKernel read_kernel(const std::string& file, const std::vector<std::string>& entries,
                      const std::optional<TryKernel>& reference) {
  if (!fs::exists(file)) throw SpecError(fmt::format("there is no file '{}'", file));
  return is_code(file) ? read_code(file, entries, reference) : read_text(file, entries);
}

std::string name_of_parameter(const FormalParameter& parameter) {
  const std::string text(trim(parameter.text));
  std::size_t at = text.size();
  while (at > 0 && (std::isalnum(static_cast<unsigned char>(text[at - 1])) || text[at - 1] == '_'))
    --at;
  return text.substr(at);
}

}  // namespace kernelbatch::app
