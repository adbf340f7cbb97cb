// Modules: which loaded image a kernel's function belongs to.
#pragma once

#include <cuda.h>
#include <cupti.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/device/cuda/capture/images.hpp"
#include "core/device/cuda/capture/loaded_cuda.hpp"
#include "core/device/cuda/capture/ptx_sources.hpp"
#include "core/device/cuda/capture/record.hpp"
#include "core/device/cuda/capture/selection.hpp"

namespace kernelbatch::capture {

class Modules {
 public:
  Modules(const LoadedCuda& cuda, const Selection& selection)
      : cuda_(cuda), selection_(selection) {}

  /// A module was loaded, in a call of this thread.
  void add(const CUpti_ModuleResourceData& module);
  /// A call of this thread that may load modules begins, or ends with this module.
  void begin_call();
  void end_call(CUmodule module);
  /// PTX that the program loads.
  PtxSources& ptx() noexcept { return ptx_; }

  struct Found {
    std::shared_ptr<const Images::Image> image = {};  ///< null if it was not seen
    std::uint64_t candidates = 0;                     ///< images with a kernel of this name
    std::vector<Ptx> ptx = {};                        ///< from which the image may be compiled
    std::vector<Variable> variables = {};             ///< places, without contents
  };
  /// The image of a function, which may be a CUkernel.
  Found find(CUfunction function, const std::string& kernel);

 private:
  const void* library_of(CUfunction function) const;
  unsigned capability() const;
  std::vector<Variable> variables_in(CUmodule module, std::string_view image) const;

  const LoadedCuda& cuda_;
  const Selection& selection_;
  Images images_;
  PtxSources ptx_;
  std::mutex mutex_;
  std::map<CUmodule, std::uint64_t> image_of_module_;
};

}  // namespace kernelbatch::capture
