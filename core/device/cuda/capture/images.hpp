// Images of the modules that the program loaded.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace kernelbatch::capture {

/// Mangled names of a cubin's kernels.
std::vector<std::string> kernels_of(std::string_view cubin);

/// A __device__ or __constant__ variable of a cubin.
struct ImageVariable {
  std::string name;     ///< mangled
  std::string initial;  ///< contents when the image is loaded
};
std::vector<ImageVariable> variables_of(std::string_view cubin);

class Images {
 public:
  struct Image {
    std::string bytes;
    std::vector<std::string> kernels;
    std::uint64_t number = 0;  ///< in the order of loading, from 1
  };

  /// Keeps an image if `is_wanted` accepts one of its kernels. Returns its number; 0 if not kept.
  std::uint64_t add(std::string_view cubin,
                    const std::function<bool(const std::string& kernel)>& is_wanted);
  /// Images with a kernel of this name, in the order of loading.
  std::vector<std::shared_ptr<const Image>> with_kernel(const std::string& kernel) const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<const Image>> images_;
};

}  // namespace kernelbatch::capture
