// Translates PTX modules for the host device and reports those that it cannot: one line a file.
// --compile also compiles them and adds the seconds; --text FOLDER writes their C++ there.
#include <chrono>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>

#include "core/device/device_list.hpp"
#include "core/device/host/ptx/ptx_module_text.hpp"

namespace {

using namespace kernelbatch;
namespace fs = std::filesystem;

void translate(const std::string& path, const fs::path& folder, Compiler* compiler) {
  std::ifstream file(path);
  const std::string module{std::istreambuf_iterator<char>(file), {}};
  const auto entries = host::ptx_entries(module);
  const auto result = host::ptx_module_text(module, path, entries);
  if (!folder.empty())
    std::ofstream(folder / (fs::path(path).stem().string() + ".cpp")) << result.text;
  const auto start = std::chrono::steady_clock::now();
  if (compiler != nullptr) {
    KernelSource source;
    source.name = fs::path(path).stem().string().substr(0, 100);
    source.text = module;
    source.entries = entries;
    compiler->compile(source);
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::cout << "translated\t" << path << '\t' << entries.size() << '\t' << seconds.count() << '\n';
}

}  // namespace

int main(int count, char** arguments) {
  fs::path folder;
  std::unique_ptr<Compiler> compiler;
  for (int k = 1; k < count; ++k) {
    const std::string argument = arguments[k];
    if (argument == "--text" && k + 1 < count) {
      folder = arguments[++k];
    } else if (argument == "--compile") {
      compiler = make_compiler("host");
    } else {
      try {
        translate(argument, folder, compiler.get());
      } catch (const std::exception& error) {
        std::string what = error.what();
        for (char& c : what) c = c == '\n' || c == '\t' ? ' ' : c;
        std::cout << "refused\t" << argument << '\t' << what << '\n';
      }
    }
    std::cout.flush();
  }
}
