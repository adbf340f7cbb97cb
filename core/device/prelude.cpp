#include "core/device/prelude.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <set>
#include <string_view>

#include "core/base/text.hpp"
#include "prelude_embedded.hpp"

namespace kernelbatch {
namespace {

/// A header of its own and the words that ask for it; `*` at a word's end stands for any rest.
struct Part {
  std::string_view name, text;
  std::vector<std::string_view> words;
};

std::vector<Part> parts_of(DeviceKind kind) {
  std::vector<Part> parts;
  if (kind == DeviceKind::kCuda)
    parts.push_back({"kernelbatch/cuda_atomics.hpp", prelude::cuda_atomics, {"atomic*"}});
  else
    parts.push_back({"kernelbatch/host_intrinsics.hpp",
                     prelude::host_intrinsics,
                     {"__byte_perm", "__funnelshift_*", "__dp4a", "__dp2a_*", "__brevll", "__sad",
                      "__usad", "__mul24", "__umul24", "__hadd", "__rhadd", "__uhadd", "sinpi*",
                      "cospi*", "sincospi*", "rcbrt*", "rhypot*"}});
  if (kind == DeviceKind::kHost)
    parts.push_back({"kernelbatch/host_texture.hpp",
                     prelude::host_texture,
                     {"cudaTextureObject_t", "cudaSurfaceObject_t", "tex1D*", "tex2D*", "tex3D*",
                      "surf1D*", "surf2D*", "surf3D*"}});
  parts.push_back({"kernelbatch/grid.hpp",
                   prelude::grid,
                   {"grid", "gridsize", "range", "block_range", "shared_array", "dynamic_shared"}});
  parts.push_back(
      {"kernelbatch/collectives.hpp",
       prelude::collectives,
       {"shuffle", "shuffle_up", "shuffle_xor", "warp_reduce", "warp_inclusive_scan",
        "warp_exclusive_scan", "block_reduce", "block_inclusive_scan", "block_exclusive_scan"}});
  parts.push_back({"kernelbatch/groups.hpp",
                   prelude::groups,
                   {"this_thread_block", "this_grid", "tiled_partition", "thread_block",
                    "thread_block_tile", "grid_group"}});
  parts.push_back({"kernelbatch/cooperative_groups.hpp", prelude::cooperative_groups, {}});
  // No words: included by name alone.
  parts.push_back({"kernelbatch/transform.cuh", prelude::transform, {}});
  parts.push_back({"kernelbatch/tile_product.cuh", prelude::tile_product, {}});
  parts.push_back({"kernelbatch/complex_math.hpp", prelude::complex_math, {"complex"}});
  return parts;
}

/// Every identifier of a text outside comments.
std::set<std::string_view> words_of(std::string_view text) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  std::set<std::string_view> words;
  for (std::size_t k = 0; k < text.size();) {
    if (text.substr(k, 2) == "//") k = std::min(text.find('\n', k), text.size());
    if (text.substr(k, 2) == "/*") k = std::min(text.find("*/", k + 2), text.size());
    const std::size_t begin = k;
    while (k < text.size() && is_word(text[k])) ++k;
    if (k > begin) words.insert(text.substr(begin, k - begin));
    if (k == begin) ++k;
  }
  return words;
}

bool has_word(const std::set<std::string_view>& words, std::string_view wanted) {
  if (!wanted.ends_with('*')) return words.contains(wanted);
  wanted.remove_suffix(1);
  const auto found = words.lower_bound(wanted);
  return found != words.end() && found->starts_with(wanted);
}

/// What every source gets, device.hpp first.
std::vector<PreludeFile> base_files(DeviceKind kind) {
  if (kind == DeviceKind::kCuda)
    return {{"kernelbatch/device.hpp", std::string(prelude::device_cuda)},
            {"kernelbatch/common.hpp", std::string(prelude::common)},
            {"kernelbatch/complex.cuh", std::string(prelude::complex)},
            {"kernelbatch/cucomplex.hpp", std::string(prelude::cucomplex)}};
  return {{"kernelbatch/device.hpp", std::string(prelude::device_host)},
          {"kernelbatch/host_abi.hpp", std::string(prelude::host_abi)},
          {"kernelbatch/host_math.hpp", std::string(prelude::host_math)},
          {"kernelbatch/host_atomics.hpp", std::string(prelude::host_atomics)},
          {"kernelbatch/host_texture_abi.hpp", std::string(prelude::host_texture_abi)},
          {"kernelbatch/common.hpp", std::string(prelude::common)},
          {"kernelbatch/complex.cuh", std::string(prelude::complex)},
          {"kernelbatch/cucomplex.hpp", std::string(prelude::cucomplex)},
          // CUDA's own headers of these names are not there.
          {"cooperative_groups.h", "#include \"kernelbatch/cooperative_groups.hpp\"\n"},
          {"cooperative_groups/reduce.h", "#include \"kernelbatch/cooperative_groups.hpp\"\n"},
          {"cooperative_groups/scan.h", "#include \"kernelbatch/cooperative_groups.hpp\"\n"}};
}

}  // namespace

std::vector<PreludeFile> prelude_for(DeviceKind kind, const KernelSource& source) {
  std::set<std::string_view> words = words_of(source.text);
  for (const std::string& entry : source.entries) words.merge(words_of(entry));
  // A text that includes CUDA's header has its groups from there, on CUDA.
  const bool has_own_groups = source.text.find("cooperative_groups.h>") != std::string::npos ||
                              source.text.find("cooperative_groups.h\"") != std::string::npos;
  std::vector<PreludeFile> files = base_files(kind);
  for (const Part& part : parts_of(kind)) {
    const bool is_groups = part.name.ends_with("groups.hpp");
    const bool is_wanted =
        part.name == "kernelbatch/cooperative_groups.hpp"
            ? words.contains("cooperative_groups")
            : std::ranges::any_of(part.words, [&](auto word) { return has_word(words, word); });
    if (is_wanted && !(is_groups && has_own_groups))
      files.front().text += "#include \"" + std::string(part.name) + "\"\n";
    files.push_back({std::string(part.name), std::string(part.text)});
  }
  return files;
}

const std::string& prelude_hash(DeviceKind kind) {
  const auto hash_all = [](DeviceKind which) {
    std::string all;
    for (const PreludeFile& file : base_files(which)) all += file.name + hash_hex(file.text);
    for (const Part& part : parts_of(which)) {
      all += std::string(part.name) + hash_hex(part.text);
      for (const std::string_view word : part.words) all += " " + std::string(word);
    }
    return hash_hex(all);
  };
  static const std::string kHost = hash_all(DeviceKind::kHost);
  static const std::string kCuda = hash_all(DeviceKind::kCuda);
  return kind == DeviceKind::kCuda ? kCuda : kHost;
}

}  // namespace kernelbatch
