#include "core/app/capture/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "core/app/capture/element_types.hpp"
#include "core/app/capture/nodes.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/job/yaml_writer.hpp"

namespace kernelbatch::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPtxFile = "kernel.ptx";

/// Composes the job of one record.
class CaptureComposer {
 public:
  CaptureComposer(const LaunchRecord& record, const CapturedJob& job)
      : record_(record),
        job_(job),
        names_(array_names(record)),
        guesses_(guessed_types(record)),
        data_(job.file.filename().stem().string() + ".data") {
    // A kernel that wrote the same values again has outputs, too.
    has_changes_ = std::ranges::any_of(
        record_.memory, [](const RecordedMemory& memory) { return !memory.after.empty(); });
  }

  void move_files() const;
  std::string text() const;

 private:
  bool is_output(const RecordedMemory& memory) const {
    return !has_changes_ || !memory.after.empty();
  }
  std::string file_of(std::size_t k, const char* suffix) const {
    return data_ + "/" + names_[k] + suffix;
  }
  DType dtype_of(std::size_t k) const;
  std::vector<std::int64_t> extents_of(std::size_t k) const;
  YamlNode argument(const RecordedParameter& place) const;
  YamlNode variant() const;
  std::string comment() const;
  void describe_elements(const fs::path& file, std::size_t k) const;

  const LaunchRecord& record_;
  const CapturedJob& job_;
  std::vector<std::string> names_;
  std::vector<std::optional<DType>> guesses_;
  std::string data_;
  bool has_changes_ = false;
};

DType CaptureComposer::dtype_of(std::size_t k) const {
  const auto own = job_.forms.find(names_[k]), all = job_.forms.find("");
  const DType dtype = own != job_.forms.end()   ? own->second.dtype
                      : all != job_.forms.end() ? all->second.dtype
                                                : guesses_[k].value_or(DType::kUInt8);
  return record_.memory[k].bytes % size_of(dtype) == 0 ? dtype : DType::kUInt8;
}

std::vector<std::int64_t> CaptureComposer::extents_of(std::size_t k) const {
  const auto own = job_.forms.find(names_[k]);
  if (own != job_.forms.end() && own->second.shape)
    return {own->second.shape->begin(), own->second.shape->end()};
  return {static_cast<std::int64_t>(record_.memory[k].bytes / size_of(dtype_of(k)))};
}

YamlNode CaptureComposer::argument(const RecordedParameter& place) const {
  if (place.size == 8) {
    const auto address = value_at<std::uint64_t>(record_.bytes, place.offset);
    for (std::size_t k = 0; k < record_.memory.size(); ++k) {
      const RecordedMemory& memory = record_.memory[k];
      if (!memory.contains(address)) continue;
      const std::uint64_t offset = address - memory.address, item = size_of(dtype_of(k));
      if (offset == 0) return scalar_node(names_[k]);
      if (offset % item == 0)
        return mapping_node({{"of", scalar_node(names_[k])},
                             {"slice", quoted_node(fmt::format("[{}:]", offset / item))}});
    }
  }
  return scalar_argument_node(record_.bytes, place);
}

YamlNode CaptureComposer::variant() const {
  std::vector<std::pair<std::string, YamlNode>> keys{
      {"kind", scalar_node("image")},
      {"image", scalar_node(data_ + "/" + record_.image)},
      {"entry", quoted_node(record_.kernel)},
      {"grid", extent_node(record_.shape.grid)},
      {"block", extent_node(record_.shape.block)}};
  if (!record_.ptx.empty())
    keys.insert(keys.begin() + 2, {"ptx", scalar_node(data_ + "/" + kPtxFile)});
  if (record_.shape.shared_bytes > 0)
    keys.emplace_back("shared_mem", scalar_node(std::to_string(record_.shape.shared_bytes)));
  if (record_.carveout >= 0)
    keys.emplace_back("carveout", scalar_node(std::to_string(record_.carveout)));
  if (record_.shape.cooperative) keys.emplace_back("cooperative", scalar_node("true"));
  if (record_.shape.cluster.count() > 1)
    keys.emplace_back("cluster", extent_node(record_.shape.cluster));
  std::vector<YamlNode> arguments;
  for (const RecordedParameter& place : record_.parameters) arguments.push_back(argument(place));
  keys.emplace_back("args", list_node(std::move(arguments)));
  std::vector<std::pair<std::string, YamlNode>> addresses, globals;
  for (std::size_t k = 0; k < names_.size(); ++k) {
    const RecordedMemory& memory = record_.memory[k];
    if (memory.variable.empty())
      addresses.emplace_back(names_[k], quoted_node(fmt::format("{:#x}", memory.address)));
    else
      globals.emplace_back(memory.variable, scalar_node(names_[k]));
  }
  if (!globals.empty()) keys.emplace_back("globals", mapping_node(std::move(globals)));
  if (!addresses.empty()) keys.emplace_back("addresses", mapping_node(std::move(addresses)));
  return mapping_node(std::move(keys));
}

/// Names of launch attributes (CUlaunchAttributeID) that may change a time.
std::string attribute_names(const std::vector<unsigned>& attributes) {
  constexpr std::pair<unsigned, const char*> kNames[] = {{1, "access policy window"},
                                                         {3, "synchronization policy"},
                                                         {5, "cluster scheduling policy"},
                                                         {6, "programmatic stream serialization"},
                                                         {7, "programmatic event"},
                                                         {8, "priority"},
                                                         {9, "memory synchronization domain map"},
                                                         {10, "memory synchronization domain"},
                                                         {11, "preferred cluster dimension"},
                                                         {12, "launch completion event"},
                                                         {13, "device-updatable node"}};
  std::vector<std::string> names;
  for (const unsigned id : attributes) {
    const auto* const known =
        std::ranges::find(kNames, id, [](const auto& row) { return row.first; });
    names.push_back(known == std::end(kNames) ? std::to_string(id) : known->second);
  }
  return join(names);
}

std::string CaptureComposer::comment() const {
  std::string text = fmt::format(
      "# One launch of {}\n# in the program: {}\n# on {}.\n# {} contains the memory that it "
      "reached, before and after the launch.\n",
      visible_line(record_.name), visible_line(job_.program), record_.device, data_);
  if (!has_changes_) text += "# The launch changed no memory: every array is compared.\n";
  if (!record_.attributes.empty())
    text += fmt::format("# The job's launch lacks attributes of the program's: {}.\n",
                        attribute_names(record_.attributes));
  text += types_comment(record_, names_, guesses_, job_.forms);
  if (record_.images_of_name > 1)
    text += fmt::format(
        "# The program loaded {} images with a kernel of this name; this is the "
        "last one.\n",
        record_.images_of_name);
  const std::pair<const char*, const std::vector<double>&> times[] = {
      {"L2 cache flushed", record_.cold_s},
      {"memory in the L2 cache", record_.warm_s},
      {"later launches", record_.later_s}};
  for (const auto& [title, seconds] : times) {
    if (seconds.empty()) continue;
    text += fmt::format("# Times in the program, {}:", title);
    for (const double each : seconds) text += fmt::format(" {:.2f}", 1e6 * each);
    text += " us\n";
  }
  return text;
}

std::string CaptureComposer::text() const {
  std::vector<std::pair<std::string, YamlNode>> inputs, outputs, reference;
  for (std::size_t k = 0; k < names_.size(); ++k) {
    const std::string& name = names_[k];
    const bool is_output = this->is_output(record_.memory[k]);
    const std::string input = is_output ? name + "_before" : name;
    inputs.emplace_back(input, mapping_node({{"file", scalar_node(file_of(k, ".npy"))}}));
    if (!is_output) continue;
    outputs.emplace_back(name,
                         mapping_node({{"fill", scalar_node(input)},
                                       {"dtype", scalar_node(std::string(name_of(dtype_of(k))))},
                                       {"shape", extents_node(extents_of(k))}}));
    reference.emplace_back(
        name, scalar_node(file_of(k, record_.memory[k].after.empty() ? ".npy" : "_after.npy")));
  }
  const YamlNode job =
      mapping_node({{"kernelbatch", scalar_node("1")},
                    {"name", scalar_node(job_.file.filename().stem().string())},
                    {"workload", scalar_node("inline")},
                    {"inputs", mapping_node(std::move(inputs))},
                    {"outputs", mapping_node(std::move(outputs))},
                    {"variants", mapping_node({{"captured", variant()}})},
                    {"reference", mapping_node({{"file", mapping_node(std::move(reference))}})},
                    // A process in which an address is occupied ends.
                    {"limits", mapping_node({{"retries", scalar_node("5")}})}});
  return comment() + write_yaml(job);
}

/// Writes dtype and shape into a .npy file of unsigned bytes, whose header has 128 bytes.
void CaptureComposer::describe_elements(const fs::path& file, std::size_t k) const {
  const DType dtype = dtype_of(k);
  if (dtype == DType::kUInt8 && extents_of(k).size() == 1) return;
  // The code that packages with a bfloat16 for NumPy use.
  const std::string_view code = dtype == DType::kBFloat16 ? "V2" : info(dtype).npy_code;
  std::string extents;
  for (const std::int64_t each : extents_of(k)) extents += fmt::format("{}, ", each);
  std::string header =
      fmt::format("{{'descr': '<{}', 'fortran_order': False, 'shape': ({}), }}", code, extents);
  header.resize(117, ' ');
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(10);
  stream << header << '\n';
  if (!stream.flush()) throw StoreError(fmt::format("cannot write {}", file.string()));
}

void CaptureComposer::move_files() const {
  const fs::path folder = job_.file.parent_path() / data_;
  std::error_code error;
  fs::remove_all(folder, error);
  fs::create_directories(folder, error);
  fs::permissions(folder, fs::perms::owner_all, error);
  const auto move = [&](const std::string& from, const fs::path& to) {
    fs::rename(record_.folder / from, to, error);
    if (error) throw StoreError(fmt::format("{}: {}", to.string(), error.message()));
    fs::permissions(to, fs::perms::owner_read | fs::perms::owner_write, error);
  };
  move(record_.image, folder / record_.image);
  if (!record_.ptx.empty()) {
    write_file_atomically(folder / kPtxFile, record_.ptx);
    fs::permissions(folder / kPtxFile, fs::perms::owner_read | fs::perms::owner_write, error);
  }
  for (std::size_t k = 0; k < names_.size(); ++k) {
    const RecordedMemory& memory = record_.memory[k];
    const fs::path before = folder / (names_[k] + ".npy"),
                   after = folder / (names_[k] + "_after.npy");
    move(memory.before, before);
    describe_elements(before, k);
    if (memory.after.empty()) continue;
    move(memory.after, after);
    describe_elements(after, k);
  }
}

void require_forms(const LaunchRecord& record, const std::vector<std::string>& names,
                   const CapturedForms& forms) {
  for (const auto& [name, form] : forms) {
    if (name.empty()) continue;
    const auto found = std::ranges::find(names, name);
    if (found == names.end())
      throw SpecError(fmt::format("--dtype {}={}: the captured arrays are {}", name,
                                  name_of(form.dtype), join(names)));
    if (!form.shape) continue;
    const std::uint64_t bytes =
        record.memory[static_cast<std::size_t>(found - names.begin())].bytes;
    if (static_cast<std::uint64_t>(element_count(*form.shape)) * size_of(form.dtype) != bytes)
      throw SpecError(fmt::format(
          "--dtype {}: {} {} are not its {} bytes; --separate-arrays may give it its exact size",
          name, name_of(form.dtype), to_text(*form.shape), bytes));
  }
}

}  // namespace

std::vector<std::string> array_names(const LaunchRecord& record) {
  std::vector<std::string> names;
  std::size_t others = 0, variables = 0;
  for (const RecordedMemory& memory : record.memory) {
    const auto pointers = std::ranges::count_if(
        record.pointers, [&](std::uint64_t pointer) { return memory.contains(pointer); });
    std::string name;
    for (std::size_t k = 0; k < record.parameters.size() && pointers == 1 && name.empty(); ++k)
      if (record.parameters[k].size == 8 &&
          value_at<std::uint64_t>(record.bytes, record.parameters[k].offset) == memory.address)
        name = fmt::format("p{}", k);
    if (!memory.variable.empty()) name = fmt::format("v{}", variables++);
    names.push_back(name.empty() ? fmt::format("m{}", others++) : name);
  }
  return names;
}

void write_captured_job(const LaunchRecord& record, const CapturedJob& job) {
  const std::vector<std::string> names = array_names(record);
  require_forms(record, names, job.forms);
  const CaptureComposer composer(record, job);
  composer.move_files();
  write_file_atomically(job.file, composer.text());
}

}  // namespace kernelbatch::app
