#include "core/device/cuda/capture/record.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace kernelbatch::capture {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

[[noreturn]] void fail(const fs::path& file) {
  throw std::runtime_error(file.string() + ": " + std::strerror(errno));
}

/// A new file with mode 0600.
class PrivateFile {
 public:
  explicit PrivateFile(fs::path path)
      : path_(std::move(path)),
        descriptor_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) {
    if (descriptor_ < 0) fail(path_);
  }
  PrivateFile(const PrivateFile&) = delete;
  PrivateFile& operator=(const PrivateFile&) = delete;
  ~PrivateFile() { ::close(descriptor_); }

  void write(const void* bytes, std::size_t count) {
    const char* from = static_cast<const char*>(bytes);
    while (count > 0) {
      const ssize_t written = ::write(descriptor_, from, count);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) fail(path_);
      from += written;
      count -= static_cast<std::size_t>(written);
    }
  }

 private:
  fs::path path_;
  int descriptor_;
};

void write_array(const fs::path& file, std::span<const std::byte> bytes) {
  PrivateFile array(file);
  const std::string header = npy_header(bytes.size());
  array.write(header.data(), header.size());
  array.write(bytes.data(), bytes.size());
}

Json json_of(const Extent& extent) { return Json::array({extent.x, extent.y, extent.z}); }

/// Writes the contents of memory into files of this name. Returns its description.
Json write_block(const Block& block, const std::string& name, const fs::path& folder) {
  Json entry{
      {"address", block.range.address}, {"bytes", block.range.bytes}, {"before", name + ".npy"}};
  write_array(folder / (name + ".npy"), block.before);
  if (block.is_changed()) {
    entry["after"] = name + "_after.npy";
    write_array(folder / (name + "_after.npy"), block.after);
  }
  return entry;
}

Json json_of(const Launch& launch) {
  Json parameters = Json::array();
  for (const ParameterPlace& place : launch.parameters)
    parameters.push_back({{"offset", place.offset}, {"size", place.size}});
  return {{"kernel", launch.kernel},
          {"name", demangled(launch.kernel)},
          {"grid", json_of(launch.grid)},
          {"block", json_of(launch.block)},
          {"cluster", json_of(launch.cluster)},
          {"shared_bytes", launch.shared_bytes},
          {"cooperative", launch.is_cooperative},
          {"carveout", launch.carveout},
          {"attributes", launch.attributes},
          {"parameters", std::move(parameters)},
          {"bytes", hex_of(launch.bytes)}};
}

}  // namespace

bool Variable::is_set() const {
  return block.is_changed() || block.before.size() != initial.size() ||
         std::memcmp(block.before.data(), initial.data(), initial.size()) != 0;
}

std::string npy_header(std::uint64_t bytes) {
  std::string header("\x93NUMPY\x01\x00\x76\x00", 10);
  header += "{'descr': '|u1', 'fortran_order': False, 'shape': (" + std::to_string(bytes) + ",), }";
  header.resize(127, ' ');
  return header + "\n";
}

void write_private(const fs::path& file, std::string_view content) {
  fs::path partial = file;
  partial += "." + std::to_string(::getpid());
  { PrivateFile(partial).write(content.data(), content.size()); }
  fs::rename(partial, file);
}

void write_record(const Capture& capture, const fs::path& folder) {
  fs::path partial = folder;
  partial += ".partial";
  if (::mkdir(partial.c_str(), 0700) != 0 && errno != EEXIST) fail(partial);
  Json description = json_of(capture.launch);
  description["device"] = capture.device;
  description["images_of_name"] = capture.images_of_name;
  description["reason"] = capture.reason;
  if (!capture.image.empty()) {
    write_private(partial / "image.cubin", capture.image);
    description["image"] = "image.cubin";
  }
  Json ptx = Json::array();
  for (const Ptx& each : capture.ptx) {
    const std::string name = "ptx" + std::to_string(ptx.size());
    write_private(partial / name, each.stored);
    ptx.push_back({{"file", name},
                   {"compression", each.part.compression},
                   {"bytes", each.part.bytes},
                   {"capability", each.part.capability}});
  }
  description["ptx"] = std::move(ptx);
  Json memory = Json::array();
  for (std::size_t k = 0; k < capture.blocks.size(); ++k)
    memory.push_back(write_block(capture.blocks[k], "memory" + std::to_string(k), partial));
  description["memory"] = std::move(memory);
  Json variables = Json::array();
  for (const Variable& variable : capture.variables) {
    if (!variable.is_set()) continue;
    const std::string name = "variable" + std::to_string(variables.size());
    variables.push_back(write_block(variable.block, name, partial));
    variables.back()["name"] = variable.name;
  }
  description["variables"] = std::move(variables);
  description["pointers"] = capture.pointers;
  write_private(partial / "launch.json", description.dump(1));
  fs::rename(partial, folder);
}

}  // namespace kernelbatch::capture
