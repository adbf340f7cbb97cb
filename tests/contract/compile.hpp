// Compiles a text into a loaded module and its kernel, for the contract tests.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/device.hpp"

namespace kernelbatch::test {

inline KernelSource raw_source(std::string_view text, std::vector<std::string> entries,
                               std::string name = "contract") {
  KernelSource source;
  source.name = std::move(name);
  source.text = text;
  source.entries = std::move(entries);
  return source;
}

/// One kernel and its module.
struct LoadedKernel {
  std::unique_ptr<Module> module;
  std::unique_ptr<Kernel> kernel;

  LoadedKernel(std::string_view text, const std::string& entry)
      : module(device().load(device().compiler().compile(raw_source(text, {entry})))),
        kernel(module->kernel(entry)) {}

  /// Launches with these arguments (arrays as pointers) and waits.
  template <class... A>
  void run(const LaunchShape& shape, const A&... arguments) const {
    run_packed(shape, packed(arguments)...);
  }

 private:
  static std::byte* packed(const Array& array) { return array.data(); }
  template <class T>
  static T packed(const T& value) {
    return value;
  }
  template <class... P>
  void run_packed(const LaunchShape& shape, P... values) const {
    void* const pointers[] = {&values...};
    kernel->launch(shape, pointers, stream());
    stream().synchronize();
  }
};

inline LaunchShape grid_of(Dim3 grid, Dim3 block, std::size_t shared_bytes = 0) {
  LaunchShape shape;
  shape.grid = grid;
  shape.block = block;
  shape.shared_bytes = shared_bytes;
  return shape;
}
inline LaunchShape grid_of(unsigned grid, unsigned block, std::size_t shared_bytes = 0) {
  return grid_of(Dim3{grid, 1, 1}, Dim3{block, 1, 1}, shared_bytes);
}

}  // namespace kernelbatch::test
