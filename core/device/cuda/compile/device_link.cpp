#include "core/device/cuda/compile/device_link.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <optional>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/shared_library.hpp"
#include "core/device/cuda/toolkit.hpp"

// A toolkit of separate packages may lack this one.
#if __has_include(<nvJitLink.h>)
#include <nvJitLink.h>

namespace kernelbatch::cuda {
namespace {

#define KERNELBATCH_LINK_FUNCTIONS(_) \
  _(nvJitLinkCreate)                  \
  _(nvJitLinkDestroy)                 \
  _(nvJitLinkAddData)                 \
  _(nvJitLinkAddFile)                 \
  _(nvJitLinkComplete)                \
  _(nvJitLinkGetLinkedCubinSize)      \
  _(nvJitLinkGetLinkedCubin)          \
  _(nvJitLinkGetErrorLogSize)         \
  _(nvJitLinkGetErrorLog)

struct Linker {
#define KERNELBATCH_LINK_MEMBER(name) decltype(&::name) name##_ = nullptr;
  KERNELBATCH_LINK_FUNCTIONS(KERNELBATCH_LINK_MEMBER)
#undef KERNELBATCH_LINK_MEMBER
  std::string reason;
};

Linker open_linker(const std::string& beside) {
  Linker linker;
  const std::vector<std::string> names{"libnvJitLink.so.13", "libnvJitLink.so.12"};
  std::vector<std::string> candidates = library_candidates(names);
  for (const std::string& name : names)
    candidates.push_back(std::filesystem::path(beside).parent_path() / name);
  std::optional<SharedLibrary> library;
  for (const std::string& name : candidates) {
    library = SharedLibrary::try_open(name, SharedLibrary::Lifetime::kProcess);
    if (library) break;
  }
  if (!library) {
    linker.reason = "nvJitLink (libnvJitLink.so.13 or .12) not found";
    return linker;
  }
#define KERNELBATCH_LINK_FIND(name)                                                  \
  linker.name##_ = reinterpret_cast<decltype(linker.name##_)>(library->find(#name)); \
  if (linker.name##_ == nullptr)                                                     \
    linker.reason = fmt::format("{} has no {}", library->path().string(), #name);
  KERNELBATCH_LINK_FUNCTIONS(KERNELBATCH_LINK_FIND)
#undef KERNELBATCH_LINK_FIND
  return linker;
}

/// One linking, with its log.
class Link {
 public:
  Link(const Linker& linker, std::string_view target, std::string name)
      : linker_(linker), target_(target), name_(std::move(name)) {
    const std::string arch = fmt::format("-arch={}", target);
    std::array<const char*, 1> options{arch.c_str()};
    check(linker_.nvJitLinkCreate_(&handle_, 1, options.data()));
  }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  ~Link() {
    if (handle_ != nullptr && linker_.nvJitLinkDestroy_(&handle_) != NVJITLINK_SUCCESS)
      warn("nvJitLinkDestroy failed while cleaning up");
  }
  nvJitLinkHandle get() const noexcept { return handle_; }

  void check(nvJitLinkResult result) const {
    if (result == NVJITLINK_SUCCESS) return;
    std::string log;
    std::size_t size = 0;
    if (handle_ != nullptr &&
        linker_.nvJitLinkGetErrorLogSize_(handle_, &size) == NVJITLINK_SUCCESS && size > 0) {
      log.resize(size);
      if (linker_.nvJitLinkGetErrorLog_(handle_, log.data()) != NVJITLINK_SUCCESS) log.clear();
      while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
    }
    throw CompileError(fmt::format("cannot link '{}' for {} (nvJitLink error {}):\n{}", name_,
                                   target_, static_cast<int>(result), log),
                       log, "");
  }

 private:
  const Linker& linker_;
  std::string target_, name_;
  nvJitLinkHandle handle_ = nullptr;
};

}  // namespace

std::string link_device_code(const std::string& object, std::string_view target,
                             const std::string& name, const std::string& beside) {
  static const Linker linker = open_linker(beside);
  const auto missing = [&](const std::string& what) {
    throw UnsupportedError(
        fmt::format("cannot link '{}', whose options ask for relocatable device code: {}; load a "
                    "CUDA module or set CUDA_HOME",
                    name, what));
  };
  if (!linker.reason.empty()) missing(linker.reason);
  const auto runtime = find_library_file("libcudadevrt.a", beside);
  if (!runtime) missing("libcudadevrt.a not found");

  const Link link(linker, target, name);
  link.check(linker.nvJitLinkAddData_(link.get(), NVJITLINK_INPUT_CUBIN, object.data(),
                                      object.size(), name.c_str()));
  link.check(linker.nvJitLinkAddFile_(link.get(), NVJITLINK_INPUT_LIBRARY, runtime->c_str()));
  link.check(linker.nvJitLinkComplete_(link.get()));
  std::size_t size = 0;
  link.check(linker.nvJitLinkGetLinkedCubinSize_(link.get(), &size));
  std::string cubin(size, '\0');
  link.check(linker.nvJitLinkGetLinkedCubin_(link.get(), cubin.data()));
  return cubin;
}

}  // namespace kernelbatch::cuda

#else

namespace kernelbatch::cuda {

std::string link_device_code(const std::string&, std::string_view, const std::string& name,
                             const std::string&) {
  throw UnsupportedError(
      fmt::format("cannot link '{}', whose options ask for relocatable device code: this "
                  "kernelbatch was built without nvJitLink.h",
                  name));
}

}  // namespace kernelbatch::cuda

#endif
