#include "core/app/try/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace kernelbatch::app {
namespace {

std::string text_of(const JudgedJson& value, const std::string& key) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number()) return value.dump();
  throw SpecError(fmt::format("'{}' must be a text or a number, not {}", key, value.type_name()));
}

/// An extent, or a list of them with `separator` between.
std::string extents_text(const JudgedJson& value, const std::string& key, char separator) {
  if (!value.is_array()) return text_of(value, key);
  std::string text;
  for (const JudgedJson& each : value)
    text += (text.empty() ? "" : std::string(1, separator)) + text_of(each, key);
  return text;
}

/// "name=value" for each member of an object; the elements of a list as they are.
std::vector<std::string> entries_of(const JudgedJson& value, const std::string& key,
                                    char separator) {
  std::vector<std::string> entries;
  if (value.is_string()) return {value.get<std::string>()};
  if (!value.is_array() && !value.is_object())
    throw SpecError(
        fmt::format("'{}' must be a list or an object, not {}", key, value.type_name()));
  for (const auto& [name, each] : value.items()) {
    if (value.is_array())
      entries.push_back(text_of(each, key));
    else if (each.is_null())
      entries.push_back(name);
    else
      entries.push_back(name + '=' + extents_text(each, key, separator));
  }
  return entries;
}

std::size_t count_of(const JudgedJson& value, const std::string& key) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() == 0 ||
      value.get<std::uint64_t>() > 16)
    throw SpecError(fmt::format("'{}' must be from 1 to 16, not {}", key, value.dump()));
  return value.get<std::size_t>();
}

using Reader = std::function<void(TryOptions&, const JudgedJson&, const std::string&)>;
struct RequestKey {
  const char* name;
  Reader read;
};

Reader list(std::vector<std::string> TryOptions::*member, char separator = 'x') {
  return [=](TryOptions& options, const JudgedJson& value, const std::string& key) {
    options.*member = entries_of(value, key, separator);
  };
}
Reader text(std::string TryOptions::*member, char separator = ',') {
  return [=](TryOptions& options, const JudgedJson& value, const std::string& key) {
    options.*member = extents_text(value, key, separator);
  };
}

const std::vector<RequestKey>& request_keys() {
  static const std::vector<RequestKey> keys{
      {"inputs", list(&TryOptions::inputs)},
      {"outputs", list(&TryOptions::outputs)},
      {"want", list(&TryOptions::want)},
      {"values", list(&TryOptions::values)},
      {"sizes", list(&TryOptions::sizes, ',')},
      {"entry", list(&TryOptions::entries)},
      {"reference", text(&TryOptions::reference)},
      {"grid", text(&TryOptions::grid)},
      {"block", text(&TryOptions::block)},
      {"rtol", text(&TryOptions::rtol)},
      {"atol", text(&TryOptions::atol)},
      {"draws",
       [](TryOptions& options, const JudgedJson& value, const std::string& key) {
         options.draws = static_cast<int>(count_of(value, key));
       }},
      {"timeout",
       [](TryOptions& options, const JudgedJson& value, const std::string& key) {
         if (!value.is_number() || value.get<double>() <= 0)
           throw SpecError(fmt::format("'{}' must be a number of seconds", key));
         options.timeout = value.get<double>();
       }},
      {"sanitize", [](TryOptions& options, const JudgedJson& value, const std::string& key) {
         if (!value.is_boolean()) throw SpecError(fmt::format("'{}' must be true or false", key));
         options.sanitizes = value.get<bool>();
       }}};
  return keys;
}

constexpr std::string_view kOwnKeys[] = {"id", "source", "file", "image"};
constexpr std::span kKernelKeys = std::span(kOwnKeys).subspan(1);

std::vector<std::string> key_names() {
  std::vector<std::string> names(std::begin(kOwnKeys), std::end(kOwnKeys));
  for (const RequestKey& key : request_keys()) names.emplace_back(key.name);
  return names;
}

void read_keys(const JudgedJson& json, TryOptions& options) {
  for (const auto& [name, value] : json.items()) {
    if (std::ranges::find(kOwnKeys, name) != std::end(kOwnKeys)) continue;
    const auto& keys = request_keys();
    const auto key = std::ranges::find(
        keys, name, [](const RequestKey& each) { return std::string(each.name); });
    if (key == keys.end())
      throw SpecError(fmt::format("there is no key '{}'{}", name, suggestion(name, key_names())));
    key->read(options, value, name);
  }
}

/// The path of a file with the text or the PTX of a request.
std::string written_kernel(const JudgedJson& json, const ScratchFolder& folder,
                           std::size_t number) {
  const bool is_text = json.contains("source");
  const std::string key = is_text ? "source" : "image";
  return folder
      .write(fmt::format("candidate_{}.{}", number, is_text ? "cu" : "ptx"),
             text_of(json[key], key))
      .string();
}

}  // namespace

JudgeRequest read_request(std::string_view line, const TryOptions& defaults,
                          const ScratchFolder& folder, std::size_t number) {
  JudgeRequest request{.options = defaults};
  try {
    if (line.size() > kLongestLine)
      throw SpecError(fmt::format("the line has more than {} bytes", kLongestLine));
    const JudgedJson json = JudgedJson::parse(line);
    if (!json.is_object()) throw SpecError("a request is a JSON object");
    if (json.contains("id")) request.id = json["id"];
    read_keys(json, request.options);
    // A request's grid is that of its kernel.
    if (!defaults.reference.empty() && request.options.reference == defaults.reference)
      request.options.launches[defaults.reference] = defaults;
    const auto given = std::ranges::count_if(
        kKernelKeys, [&](std::string_view key) { return json.contains(key); });
    if (given != 1)
      throw SpecError(
          "a request needs the kernel: either 'source', its text, or 'image', its PTX, or 'file'");
    request.is_temporary = !json.contains("file");
    request.options.files = {json.contains("file") ? text_of(json["file"], "file")
                                                   : written_kernel(json, folder, number)};
  } catch (const JudgedJson::exception& error) {
    request.error = fmt::format("no JSON: {}", error.what());
  } catch (const Error& error) {
    request.error = error.what();
  }
  return request;
}

}  // namespace kernelbatch::app
