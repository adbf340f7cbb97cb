#include "core/base/shared_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <utility>

#include "core/base/error.hpp"

namespace kernelbatch {

std::optional<SharedLibrary> SharedLibrary::try_open(const std::string& name, Lifetime lifetime,
                                                     std::string* reason) {
  const int keep = lifetime == Lifetime::kProcess ? RTLD_NODELETE : 0;
  void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | keep);
  if (handle == nullptr) {
    const char* text = ::dlerror();
    if (reason != nullptr) *reason = text != nullptr ? text : "unknown reason";
    return std::nullopt;
  }
  return SharedLibrary(handle, lifetime);
}

SharedLibrary::SharedLibrary(const std::string& name, Lifetime lifetime) : lifetime_(lifetime) {
  std::string reason;
  auto opened = try_open(name, lifetime, &reason);
  if (!opened) throw SpecError(fmt::format("cannot load '{}': {}", name, reason));
  handle_ = std::exchange(opened->handle_, nullptr);
}

SharedLibrary::SharedLibrary(SharedLibrary&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), lifetime_(other.lifetime_) {}

SharedLibrary& SharedLibrary::operator=(SharedLibrary&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(lifetime_, other.lifetime_);
  return *this;
}

SharedLibrary::~SharedLibrary() {
  if (handle_ != nullptr && lifetime_ == Lifetime::kWhileOwned) ::dlclose(handle_);
}

void* SharedLibrary::find(const char* symbol) const noexcept {
  return handle_ == nullptr ? nullptr : ::dlsym(handle_, symbol);
}

std::filesystem::path SharedLibrary::path() const {
  link_map* map = nullptr;
  if (handle_ == nullptr || ::dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr)
    return {};
  return map->l_name;
}

}  // namespace kernelbatch
