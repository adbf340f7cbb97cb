#include "core/verify/reference_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/cache_folder.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/process.hpp"
#include "core/base/quantity.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

// File format: the magic line, the hash of the rest, a line of JSON, the elements.
constexpr std::string_view kMagic = "kernelbatch-reference-1\n";
constexpr std::size_t kHashDigits = 32;
constexpr double kBytesPerSecond = 100e6, kLeastSeconds = 50e-3;

fs::path file_of(const fs::path& folder, const std::string& key) {
  return folder / (key + ".reference");
}

std::uint64_t bytes_of(const std::map<std::string, Array>& outputs) {
  std::uint64_t bytes = 0;
  for (const auto& [name, array] : outputs) bytes += array.bytes();
  return bytes;
}

/// Reads the arrays listed in a header from the bytes after it. Throws for a header that does not
/// match.
std::map<std::string, Array> arrays_of(const nlohmann::json& header, std::string_view bytes) {
  std::map<std::string, Array> outputs;
  for (const auto& entry : header.at("outputs")) {
    const DType dtype = dtype_named(entry.at("dtype").get<std::string>()).value();
    const Array array =
        Array::on_host(dtype, Shape(entry.at("shape").get<std::vector<std::int64_t>>()));
    if (array.bytes() > bytes.size()) throw StoreError("cut off");
    if (array.bytes() > 0) std::memcpy(array.data(), bytes.data(), array.bytes());
    bytes.remove_prefix(array.bytes());
    outputs[entry.at("name")] = array;
  }
  return outputs;
}

void trim(const fs::path& folder, std::uint64_t limit) {
  struct Entry {
    fs::file_time_type used;
    fs::path path;
    std::uint64_t bytes;
  };
  std::vector<Entry> entries;
  std::uint64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator each(folder, error), end; !error && each != end;
       each.increment(error)) {
    std::error_code ignored;
    if (each->path().extension() != ".reference") continue;
    entries.push_back({fs::last_write_time(each->path(), ignored), each->path(),
                       static_cast<std::uint64_t>(fs::file_size(each->path(), ignored))});
    total += entries.back().bytes;
  }
  std::ranges::sort(entries, {}, &Entry::used);
  for (const Entry& entry : entries) {
    if (total <= limit) return;
    std::error_code ignored;
    if (fs::remove(entry.path, ignored)) total -= entry.bytes;
  }
}

}  // namespace

std::optional<fs::path> reference_folder() {
  if (environment("KERNELBATCH_REFERENCE_CACHE") == "0") return std::nullopt;
  const auto folder = cache_folder();
  return folder ? std::optional(*folder / "references") : std::nullopt;
}

std::uint64_t reference_limit() {
  const auto text = environment("KERNELBATCH_REFERENCE_CACHE");
  if (!text) return std::uint64_t{1} << 30;
  try {
    return static_cast<std::uint64_t>(parse_bytes(*text));
  } catch (const SpecError& error) {
    throw SpecError(fmt::format("KERNELBATCH_REFERENCE_CACHE: {}", error.what()));
  }
}

std::optional<std::map<std::string, Array>> load_reference(const fs::path& folder,
                                                           const std::string& key) {
  const fs::path path = file_of(folder, key);
  for (const fs::path& part : {folder, path})
    if (!reason_no_trust(part, Owner::kUser).empty()) return std::nullopt;
  try {
    std::error_code missing;
    if (!fs::exists(path, missing)) return std::nullopt;
    const MappedFile file(path);
    const std::string_view all(reinterpret_cast<const char*>(file.bytes().data()),
                               file.bytes().size());
    if (!all.starts_with(kMagic) || all.size() < kMagic.size() + kHashDigits) return std::nullopt;
    const std::string_view body = all.substr(kMagic.size() + kHashDigits);
    if (hash_hex(body) != all.substr(kMagic.size(), kHashDigits)) return std::nullopt;
    const std::size_t end = body.find('\n');
    const auto header = nlohmann::json::parse(body.substr(0, end));
    if (header.at("key") != key) return std::nullopt;
    auto outputs = arrays_of(header, body.substr(end + 1));
    ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
    return outputs;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

void store_reference(const fs::path& folder, const std::string& key,
                     const std::map<std::string, Array>& outputs, std::uint64_t limit) {
  if (bytes_of(outputs) > limit / 4) return;
  nlohmann::json header{{"key", key}, {"outputs", nlohmann::json::array()}};
  for (const auto& [name, array] : outputs)
    header["outputs"].push_back(
        {{"name", name},
         {"dtype", std::string(name_of(array.dtype()))},
         {"shape", std::vector<std::int64_t>(array.shape().begin(), array.shape().end())}});
  std::string body = header.dump() + "\n";
  for (const auto& [name, array] : outputs)
    body.append(reinterpret_cast<const char*>(array.data()), array.bytes());
  make_own_folder(folder);
  try {
    write_file_atomically(file_of(folder, key), std::string(kMagic) + hash_hex(body) + body,
                          Writers::kOwner);
  } catch (const Error&) {
    return;  // a read-only or full cache costs a run next time, nothing else
  }
  trim(folder, limit);
}

bool is_worth_keeping(double seconds, const std::map<std::string, Array>& outputs) {
  return seconds > kLeastSeconds + static_cast<double>(bytes_of(outputs)) / kBytesPerSecond;
}

}  // namespace kernelbatch
