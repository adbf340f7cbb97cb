#include "core/kernel/raw/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text_cursor.hpp"
#include "core/device/compile_options.hpp"
#include "core/device/fatbin.hpp"
#include "core/kernel/text/code_file.hpp"
#include "core/kernel/text/signature.hpp"

namespace kernelbatch {
namespace {

/// The number of lines is unchanged, so that compile errors keep theirs.
std::string translate_cucomplex(const std::string& text) {
  std::string result;
  std::size_t copied = 0;
  for (std::size_t at = text.find('#'); at != std::string::npos; at = text.find('#', at + 1)) {
    const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
    TextCursor cursor(text, at + 1);
    cursor.take_while(is_space);
    if (!cursor.take("include")) continue;
    cursor.take_while(is_space);
    if (cursor.take_one_of({"<cuComplex.h>", "\"cuComplex.h\""}).empty()) continue;
    result.append(text, copied, at - copied) += "#include \"kernelbatch/cucomplex.hpp\"";
    copied = cursor.position();
  }
  return result.append(text, copied);
}

void require_plain_names(const KernelSource& source) {
  for (const std::string& entry : source.entries)
    if (entry.find_first_of("<:") != std::string::npos)
      throw SpecError(
          fmt::format("'{}' of '{}': only backend nvrtc finds templates and namespaces by name; "
                      "give the kernel an extern \"C\" name, or use nvrtc",
                      entry, source.name));
}

/// Compiled code with this extension. Throws SpecError if it is not complete.
std::string read_code(const std::filesystem::path& path, const std::string& extension) {
  std::string code = read_file(path);
  if (const std::string problem = reason_no_code(extension, code); !problem.empty())
    throw SpecError(
        fmt::format("'{}' is no {} file: {}", path.string(), extension.substr(1), problem));
  return code;
}

/// PTX with the entries of compiled code; empty if there is none.
std::string ptx_of(const KernelFile& file, const RawSource& raw) {
  if (!file.ptx.empty()) return read_code(file.ptx, ".ptx");
  const std::string extension = file.path.extension().string();
  if (extension == ".fatbin")
    return fatbin::ptx_with(fatbin::parts_of(raw.binary), raw.source.entries).value_or("");
  return extension == ".ptx" ? raw.binary : "";
}

}  // namespace

RawSource raw_source(std::string_view text, std::string_view fatbin,
                     std::vector<std::string> entries, RawOptions options) {
  RawSource raw;
  KernelSource& source = raw.source;
  source.name = std::move(options.name);
  source.text = text;
  source.entries = std::move(entries);
  require_no_response_files(options.options);
  source.options = std::move(options.options);
  source.prebuilt = fatbin;
  source.backend = options.backend;
  if (source.entries.empty()) source.entries = kernel_names(source.text);
  if (options.translate_cucomplex) source.text = translate_cucomplex(source.text);
  if (source.backend == CompilerBackend::kNvcc) require_plain_names(source);
  return raw;
}

RawSource raw_source(const KernelFile& file, std::vector<std::string> entries, RawOptions options) {
  const std::string extension = file.path.extension().string();
  if (options.name == RawOptions{}.name) options.name = file.path.stem().string();
  if (extension == ".cu") {
    // Its own folder is searched for its includes.
    const std::filesystem::path folder = std::filesystem::absolute(file.path).parent_path();
    options.options.push_back("-I" + folder.string());
    std::string text = read_file(file.path);
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
    return raw_source(text, {}, std::move(entries), std::move(options));
  }
  constexpr std::array<std::string_view, 3> kCompiled{".ptx", ".cubin", ".fatbin"};
  if (std::find(kCompiled.begin(), kCompiled.end(), extension) == kCompiled.end())
    throw SpecError(
        fmt::format("cannot take '{}' as a kernel: expected .cu, .ptx, .cubin or "
                    ".fatbin",
                    file.path.string()));
  RawSource raw;
  raw.binary = read_code(file.path, extension);
  raw.file = file.path;
  raw.source.name = std::move(options.name);
  raw.source.entries = std::move(entries);
  // The host device translates it; a GPU's driver takes the file as it is.
  raw.source.text = ptx_of(file, raw);
  return raw;
}

}  // namespace kernelbatch
