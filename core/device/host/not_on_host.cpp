#include "core/device/host/not_on_host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/base/text.hpp"
#include "core/device/host/text/scanner.hpp"

namespace kernelbatch::host {
namespace {

/// Headers with these prefixes belong to CUDA or its libraries; others are the user's.
constexpr std::array<std::string_view, 19> kFamilies{"cooperative_groups",
                                                     "cub/",
                                                     "cuco/",
                                                     "cuda",
                                                     "cufft",
                                                     "cublas",
                                                     "cusparse",
                                                     "curand",
                                                     "cute/",
                                                     "cutlass",
                                                     "device_",
                                                     "math_const",
                                                     "mma",
                                                     "nccl",
                                                     "npp",
                                                     "nv/",
                                                     "nvtx",
                                                     "sm_",
                                                     "thrust/"};

/// Names of CUDA that the host device lacks; `*` matches any rest.
constexpr std::array<std::string_view, 26> kNames{"curandStateMtgp32*",
                                                  "curandStateSobol*",
                                                  "curandStateScrambledSobol*",
                                                  "curandDirectionVectors*",
                                                  "cudaPitchedPtr",
                                                  "cudaExtent",
                                                  "cudaMemcpy*",
                                                  "cudaMemset*",
                                                  "cudaMalloc*",
                                                  "cudaFree*",
                                                  "cudaDeviceSynchronize",
                                                  "cudaGraph*",
                                                  "cudaEvent*",
                                                  "cudaLaunch*",
                                                  "cudaFuncGetAttributes",
                                                  "DeviceReduce",
                                                  "DeviceScan",
                                                  "DeviceRadixSort",
                                                  "DeviceSelect",
                                                  "device_vector",
                                                  "host_vector",
                                                  "mdspan",
                                                  "chrono",
                                                  "__nv_fp6*",
                                                  "__nv_fp4*",
                                                  "query_shared_rank"};

bool is_of(std::string_view name, std::string_view pattern) {
  if (!pattern.ends_with('*')) return name == pattern;
  pattern.remove_suffix(1);
  return name.starts_with(pattern);
}

/// Quoted words, as in compiler messages: 'x', ‘x’.
std::vector<std::string_view> quoted_words(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < line.size();) {
    const bool is_wide = line.substr(at, 3) == "\xe2\x80\x98";
    if (!is_wide && line[at] != '\'') {
      ++at;
      continue;
    }
    at += is_wide ? 3 : 1;
    const std::size_t end =
        std::min(is_wide ? line.find("\xe2\x80\x99", at) : line.find('\'', at), line.size());
    for (std::size_t begin = at; begin < end;) {
      std::size_t stop = begin;
      while (stop < end && is_word_letter(line[stop])) ++stop;
      if (stop > begin) words.push_back(line.substr(begin, stop - begin));
      begin = stop + 1;
    }
    at = end + 1;
  }
  return words;
}

}  // namespace

std::optional<std::string> lack_of_host(std::string_view log,
                                        std::span<const std::string_view> headers) {
  for (const std::string& line : split(log, '\n')) {
    if (line.find("error:") == std::string::npos) continue;
    // Inline PTX that host_text() could not translate.
    constexpr std::string_view kRefused = "needs cuda: ";
    if (const std::size_t at = line.find(kRefused);
        at != std::string::npos && (line.find("static assertion failed") != std::string::npos ||
                                    line.find("static_assert failed") != std::string::npos))
      return line.substr(at, line.find('"', at) - at);
    constexpr std::string_view kBefore = "fatal error: ";
    const std::size_t begin = line.find(kBefore);
    const bool is_header =
        begin != std::string::npos && (line.find("No such file") != std::string::npos ||
                                       line.find("file not found") != std::string::npos);
    if (is_header) {
      std::string name = line.substr(begin + kBefore.size());
      name = name.substr(name.starts_with('\'') ? 1 : 0);
      name = name.substr(0, name.find_first_of(":'"));
      if (std::ranges::none_of(kFamilies, [&](auto family) { return name.starts_with(family); }))
        return std::nullopt;
      return fmt::format("needs cuda: the header <{}> is not on the host device, which has {}",
                         name, fmt::join(headers, ", "));
    }
    for (const std::string_view word : quoted_words(line))
      for (const std::string_view pattern : kNames)
        if (is_of(word, pattern))
          return fmt::format("needs cuda: '{}' is not on the host device", word);
  }
  return std::nullopt;
}

}  // namespace kernelbatch::host
