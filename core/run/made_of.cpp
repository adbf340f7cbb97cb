#include "core/run/made_of.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/inline/source_headers.hpp"
#include "core/job/resolved.hpp"
#include "core/job/yaml_writer.hpp"
#include "core/verify/input_file.hpp"
#include "core/verify/input_source.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kKernel = "kernel ";
/// Enough to distinguish a job's files.
constexpr std::size_t kDigestLetters = 16;

std::string digest_of(std::string_view text) { return hash_hex(text).substr(0, kDigestLetters); }

std::string digest_of_file(const fs::path& path) {
  try {
    return hash_hex(MappedFile(path).bytes()).substr(0, kDigestLetters);
  } catch (const Error&) {
    return "";
  }
}

class Collection {
 public:
  Collection(std::string job_folder, const std::vector<Axis>& params)
      : job_folder_(std::move(job_folder)), params_(params) {}

  void add(std::string name, std::string digest) { all_.insert_or_assign(std::move(name), digest); }

  /// Adds a file named by the key `file:`, with the member of an archive.
  void add_file(const std::string& name, const Scalar& file) {
    InputSpec spec;
    spec.name = name;
    spec.value = file;
    spec.place = file.place;
    try {
      add(name, digest_of_file(find_input_file(spec, job_folder_)));
    } catch (const SpecError&) {
      add(name, "");
    }
  }

  void add_headers(const std::string& text, const std::vector<std::string>& options,
                   const fs::path& folder) {
    for (const auto& [name, hash] : source_headers(text, options, folder))
      add("header " + name, hash.substr(0, kDigestLetters));
  }

  /// Adds a kernel: option texts may include headers, and `file:` names a source or a value.
  void add_kernel(const std::string& name, const YamlNode& node) {
    std::string text;
    std::vector<std::string> options;
    walk(name, node, "", text, options);
    std::error_code ignored;
    add_headers(text, options, fs::current_path(ignored));
  }

  MadeOf all() const { return {all_.begin(), all_.end()}; }

 private:
  void walk(const std::string& name, const YamlNode& node, const std::string& key,
            std::string& text, std::vector<std::string>& options) {
    if (node.is_scalar()) {
      if (key == "file") return add_source(name, {node.text, node.place, node.quoted}, options);
      if (key == "options") add_option(node.text, options);
      text += node.text + "\n";
      return;
    }
    if (!node.is_mapping()) {
      for (const YamlNode& child : node.children) walk(name, child, key, text, options);
      return;
    }
    // Options first: they define the include folders.
    for (const bool are_options : {true, false})
      for (std::size_t k = 0; k < node.children.size(); ++k)
        if ((node.keys[k].text == "options") == are_options)
          walk(name, node.children[k], node.keys[k].text, text, options);
  }

  /// Replaces `{name}` by each value of that parameter.
  void add_option(const std::string& option, std::vector<std::string>& options) const {
    for (const Axis& axis : params_) {
      const std::string wanted = "{" + axis.name + "}";
      const std::size_t at = option.find(wanted);
      if (at == std::string::npos) continue;
      for (const Scalar& value : axis.values)
        add_option(std::string(option).replace(at, wanted.size(), value.text), options);
      return;
    }
    options.push_back(option);
  }

  void add_source(const std::string& name, const Scalar& file,
                  const std::vector<std::string>& options) {
    add_file("file " + file.text, file);
    InputSpec spec;
    spec.name = name;
    spec.value = file;
    try {
      const fs::path path = find_input_file(spec, job_folder_);
      if (path.extension() == ".cu" || path.extension() == ".cuh")
        add_headers(read_file(path), options, path.parent_path());
    } catch (const SpecError&) {
      // The plan reports the missing file.
    }
  }

  std::string job_folder_;
  const std::vector<Axis>& params_;
  std::map<std::string, std::string> all_;
};

bool is_file(std::string_view name) {
  return std::ranges::any_of(std::initializer_list<std::string_view>{"input ", "header ", "file "},
                             [&](std::string_view kind) { return name.starts_with(kind); });
}

}  // namespace

MadeOf made_of(const PlannedWorkload& workload, const MeasureSpec& measure,
               const std::string& job_folder) {
  Collection all(job_folder, workload.spec.params);
  VerifySpec verify = workload.spec.verify;
  verify.on_fail = VerifySpec().on_fail;  // decides what else runs, not the result itself
  verify.reference.text = workload.reference;
  all.add("measure", digest_of(to_yaml(measure)));
  all.add("verify", digest_of(to_yaml(verify)));
  if (!workload.plugin.empty()) all.add("plugin", digest_of_file(workload.plugin));
  if (verify.reference_file) all.add_file("input reference", verify.reference_file->file);
  for (const InputSpec& input : workload.spec.inputs)
    if (input.kind == InputKind::kFile) all.add_file("input " + input.name, input.value);
  if (const auto& kernels = workload.spec.kernels) {
    for (const InlineVariant& variant : kernels->variants) {
      all.add_kernel(variant.name, variant.options);
      all.add(std::string(kKernel) + variant.name, digest_of(write_yaml(variant.options)));
    }
    all.add_kernel("reference", kernels->reference);
    all.add("reference", digest_of(write_yaml(kernels->reference)));
  }
  return all.all();
}

std::string to_json(const MadeOf& made_of) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [name, digest] : made_of) json[name] = digest;
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<std::string> changes_since(std::string_view stored, const MadeOf& now,
                                       std::string_view variant) {
  const auto is_others = [&](std::string_view name) {
    return name.starts_with(kKernel) && name.substr(kKernel.size()) != variant;
  };
  if (stored.empty()) return {};
  const auto then = nlohmann::json::parse(stored, nullptr, false);
  if (!then.is_object()) return {"its ingredients"};
  std::vector<std::string> changed;
  std::map<std::string, std::string> today(now.begin(), now.end());
  for (const auto& [name, digest] : then.items()) {
    if (is_others(name)) continue;
    const auto found = today.find(name);
    const bool is_same = found != today.end() && digest == found->second;
    if (!is_same && (found != today.end() || is_file(name))) changed.push_back(name);
    if (found != today.end()) today.erase(found);
  }
  for (const auto& [name, digest] : today)
    if (is_file(name)) changed.push_back(name);
  return changed;
}

}  // namespace kernelbatch
