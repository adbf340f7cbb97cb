#include "core/kernel/cache.hpp"

#include <cstring>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/process.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMagic = "kernelbatch-kernel-1\n";
constexpr std::size_t kHashDigits = 32;

void append_text(std::string& to, std::string_view text) {
  const auto size = static_cast<std::uint64_t>(text.size());
  to.append(reinterpret_cast<const char*>(&size), sizeof size);
  to.append(text);
}

/// Reads back what append_text wrote; nothing past the end.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  std::optional<std::string_view> text() {
    std::uint64_t size = 0;
    if (rest_.size() < sizeof size) return std::nullopt;
    std::memcpy(&size, rest_.data(), sizeof size);
    rest_.remove_prefix(sizeof size);
    if (rest_.size() < size) return std::nullopt;
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return text;
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

fs::path entry_path(const fs::path& folder, const std::string& key) {
  return folder / key.substr(0, 2) / (key + ".kernel");
}

}  // namespace

std::optional<fs::path> cache_folder() {
  if (const auto named = environment("KERNELBATCH_CACHE_DIR")) return *named;
  if (const auto cache = environment("XDG_CACHE_HOME")) return fs::path(*cache) / "kernelbatch";
  if (const auto home = environment("HOME")) return fs::path(*home) / ".cache" / "kernelbatch";
  return std::nullopt;
}

std::string cache_key(const KernelSource& source, const Compiler& compiler) {
  std::string all;
  append_text(all, compiler.target());
  append_text(all, compiler.identity());
  append_text(all, source.name);
  append_text(all, source.text);
  for (const std::string& entry : source.entries) append_text(all, "entry " + entry);
  for (const std::string& option : source.options) append_text(all, "option " + option);
  return hash_hex(all);
}

std::optional<Image> load_cached(const fs::path& folder, const std::string& key) {
  std::string bytes;
  try {
    bytes = read_file(entry_path(folder, key));
  } catch (const Error&) {
    return std::nullopt;
  }
  const std::string_view all = bytes;
  if (!all.starts_with(kMagic) || all.size() < kMagic.size() + kHashDigits) return std::nullopt;
  const std::string_view body = all.substr(kMagic.size() + kHashDigits);
  if (hash_hex(body) != all.substr(kMagic.size(), kHashDigits)) return std::nullopt;
  Reader reader(body);
  Image image;
  const auto target = reader.text();
  const auto code = reader.text();
  if (!target || !code) return std::nullopt;
  image.target = *target;
  image.bytes = *code;
  while (!reader.at_end()) {
    const auto entry = reader.text();
    const auto symbol = reader.text();
    if (!entry || !symbol) return std::nullopt;
    image.symbols.emplace(*entry, *symbol);
  }
  return image;
}

void store_cached(const fs::path& folder, const std::string& key, const Image& image) {
  std::string body;
  append_text(body, image.target);
  append_text(body, image.bytes);
  for (const auto& [entry, symbol] : image.symbols) {
    append_text(body, entry);
    append_text(body, symbol);
  }
  try {
    write_file_atomically(entry_path(folder, key), std::string(kMagic) + hash_hex(body) + body);
  } catch (const Error&) {
    // A read-only or full cache costs a compile next time, nothing else.
  }
}

}  // namespace kernelbatch
