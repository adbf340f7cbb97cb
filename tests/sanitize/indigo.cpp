// Runs the CUDA kernels of the Indigo suite with the host device's checks, and prints how many of
// each planted bug were found: tests/sanitize/README.md.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/case/findings.hpp"
#include "core/device/access_checks.hpp"
#include "core/device/device_list.hpp"
#include "core/device/host/ptx/ptx_module_text.hpp"
#include "tests/contract/compile.hpp"

namespace kernelbatch {
namespace {
namespace fs = std::filesystem;

/// A graph of the suite: node and edge counts, then the nodes' first neighbours, then neighbours.
struct Graph {
  std::vector<int> first, neighbours;
  int nodes() const { return static_cast<int>(first.size()) - 1; }
};

Graph read_graph(const fs::path& path) {
  const std::string bytes = read_file(path);
  std::vector<int> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  const int nodes = words.at(0), edges = words.at(1);
  Graph graph;
  graph.first.assign(words.begin() + 2, words.begin() + 3 + nodes);
  graph.neighbours.assign(words.begin() + 3 + nodes, words.begin() + 3 + nodes + edges);
  return graph;
}

/// Memory of the checked device.
class Memory {
 public:
  Memory(Device& device, const std::string& name, const std::vector<int>& values)
      : device_(device), data_(static_cast<int*>(device.allocate(values.size() * 4))) {
    std::ranges::copy(values, data_);
    // All four begin with values, and the suite writes to two of them.
    device.access_checks()->describe(data_, values.size() * 4, 4, name, ArrayUse::kUpdated);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { device_.deallocate(data_); }
  int* data() const { return data_; }

 private:
  Device& device_;
  int* data_;
};

std::vector<KernelFinding> run(Device& device, Kernel& kernel, const Graph& graph, unsigned threads,
                               unsigned blocks) {
  const int edges = std::max(1, static_cast<int>(graph.neighbours.size()));
  const int count = std::max(graph.nodes(), edges);
  std::vector<int> one(static_cast<std::size_t>(count)), two = one;
  unsigned state = 1;
  for (std::size_t k = 1; k < one.size(); ++k) {
    state = state * 1103515245u + 12345u;
    one[k] = static_cast<int>((state >> 8) % static_cast<unsigned>(graph.nodes()));
    state = state * 1103515245u + 12345u;
    two[k] = static_cast<int>((state >> 8) % static_cast<unsigned>(edges));
  }
  std::vector<int> neighbours = graph.neighbours;
  neighbours.resize(static_cast<std::size_t>(edges));
  const Memory first(device, "nindex", graph.first), list(device, "nlist", neighbours),
      data1(device, "data1", one), data2(device, "data2", two);
  int *a = first.data(), *b = list.data(), *c = data1.data(), *d = data2.data();
  int nodes = graph.nodes();
  void* const arguments[] = {&a, &b, &c, &d, &nodes};
  const std::unique_ptr<Stream> stream = device.make_stream();
  device.access_checks()->take_findings();
  try {
    kernel.launch(test::grid_of(blocks, threads), arguments, *stream);
    stream->synchronize();
  } catch (const RunError& error) {
    std::cerr << error.what() << '\n';
  }
  return device.access_checks()->take_findings();
}

/// The kernel of a file, without the harness around it.
std::string kernel_text(const fs::path& path) {
  std::string text = read_file(path);
  if (const std::size_t include = text.find("#include \"indigo_cuda.h\"");
      include != std::string::npos)
    text.replace(include, 24, "");
  return "#line 1 \"source\"\n" + text.substr(0, text.find("void serial_code"));
}

void print_findings(Device& device, Kernel& kernel, const std::string& name,
                    const std::vector<std::string>& graphs, unsigned threads, unsigned blocks) {
  for (const std::string& path : graphs) {
    const std::vector<KernelFinding> found = run(device, kernel, read_graph(path), threads, blocks);
    std::map<std::string, int> kinds;
    for (const KernelFinding& finding : found)
      ++kinds[std::string(name_of(finding.kind)) + (finding.is_harmless ? "~" : "")];
    std::cout << fs::path(path).stem().string() << '\t' << name << '\t';
    for (const auto& [kind, times] : kinds) std::cout << kind << ':' << times << ' ';
    std::cout << std::endl;
    if (std::getenv("INDIGO_VERBOSE") != nullptr)
      for (const KernelFinding& finding : found) std::cout << to_text(to_record(finding)) << '\n';
  }
}

int main_of(int count, char** words) {
  if (count < 5) {
    std::cerr << "usage: indigo_checks FOLDER THREADS BLOCKS GRAPH...\n";
    return 2;
  }
  const auto threads = static_cast<unsigned>(std::stoul(words[2]));
  const auto blocks = static_cast<unsigned>(std::stoul(words[3]));
  const std::unique_ptr<Device> device = open_checked_device(
      choose_device("host"),
      {CheckKind::kMemory, CheckKind::kRace, CheckKind::kInit, CheckKind::kSync});
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(words[1]))
    if (entry.path().extension() == ".cu" || entry.path().extension() == ".ptx")
      files.push_back(entry.path());
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    const bool is_module = file.extension() == ".ptx";
    const std::string text = is_module ? read_file(file) : kernel_text(file);
    const std::vector<std::string> entries =
        is_module ? host::ptx_entries(text) : std::vector<std::string>{"test_kernel"};
    try {
      const std::unique_ptr<Module> module =
          device->load(device->compiler().compile(test::raw_source(text, entries)));
      for (const std::string& entry : entries)
        print_findings(*device, *module->kernel(entry), is_module ? entry : file.stem().string(),
                       {words + 4, words + count}, threads, blocks);
    } catch (const Error& error) {
      std::cout << file.stem().string() << ": does not compile: " << error.what() << '\n';
    }
  }
  return 0;
}

}  // namespace
}  // namespace kernelbatch

int main(int count, char** words) {
  try {
    return kernelbatch::main_of(count, words);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
