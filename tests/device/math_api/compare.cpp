// Runs every function of functions.txt on two devices and prints, for each, how many bits differ
// and the distance of the results, with CUDA's documented bound:
//
//   math_api_compare [--devices host,cuda:0] [--count 1000000] [--processes 8] [--only WORD]
//   math_api_compare --devices host,host --compilers g++,clang++
//   math_api_compare --compile sm_90      compiles all kernels and runs nothing
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <thread>

#include "core/array/array.hpp"
#include "core/base/error.hpp"
#include "core/base/process.hpp"
#include "core/base/text.hpp"
#include "core/device/device_list.hpp"
#include "tests/device/math_api/function_list.hpp"

namespace kernelbatch::test {
namespace {

struct Wanted {
  std::vector<std::string> devices{"host", "cuda:0"};
  std::size_t count = 1'000'000, processes = 8, part = 0, parts = 1;
  std::vector<std::string> compilers;  ///< of the host device, one for each side
  std::string compile, only;
  bool is_part = false;
};

constexpr std::size_t kBatch = 40;

KernelSource source_of(const std::vector<ListedFunction>& functions, std::size_t begin,
                       std::size_t end) {
  KernelSource source;
  source.name = fmt::format("math_api_{}", begin);
  for (std::size_t k = begin; k < end; ++k) {
    source.text += kernel_text(functions[k], k);
    source.entries.push_back(fmt::format("f{}", k));
  }
  return source;
}

/// One device with the kernels of a batch; functions that do not compile are missing.
struct Side {
  std::unique_ptr<Device> device;
  std::unique_ptr<Stream> stream;
  std::vector<std::unique_ptr<Module>> modules;
  std::map<std::size_t, std::unique_ptr<Kernel>> kernels;

  explicit Side(const std::string& selector)
      : device(open_device(choose_device(selector))), stream(device->make_stream()) {}

  void load(const std::vector<ListedFunction>& functions, std::size_t begin, std::size_t end) {
    try {
      const KernelSource source = source_of(functions, begin, end);
      modules.push_back(device->load(device->compiler().compile(source)));
      for (std::size_t k = begin; k < end; ++k)
        kernels[k] = modules.back()->kernel(source.entries[k - begin]);
    } catch (const Error& error) {
      if (end - begin == 1) {
        fmt::print("{}\t{}\tdoes not compile for {}: {}\n", functions[begin].section,
                   functions[begin].signature, device->properties().selector,
                   std::string(error.what()).substr(0, 600));
        return;
      }
      for (std::size_t k = begin; k < end; ++k) load(functions, k, k + 1);
    }
  }

  /// Results of the function for these arguments, output by output.
  std::vector<std::vector<std::uint8_t>> run(const ListedFunction& function, std::size_t number,
                                             const std::vector<std::vector<std::uint8_t>>& inputs,
                                             std::size_t count) {
    std::vector<Array> arrays;
    std::vector<std::byte*> pointers;
    for (const std::vector<std::uint8_t>& input : inputs)
      arrays.push_back(to_device(Array::from(input), *stream));
    for (const ListType* const type : function.outputs)
      arrays.push_back(to_device(
          Array::from(std::vector<std::uint8_t>(count * static_cast<std::size_t>(type->bytes))),
          *stream));
    for (const Array& array : arrays) pointers.push_back(array.data());
    long long n = static_cast<long long>(count);
    std::vector<void*> arguments;
    for (std::byte*& pointer : pointers) arguments.push_back(&pointer);
    arguments.push_back(&n);
    LaunchShape shape;
    shape.grid = {static_cast<std::uint32_t>((count + 255) / 256), 1, 1};
    shape.block = {256, 1, 1};
    kernels.at(number)->launch(shape, arguments, *stream);
    std::vector<std::vector<std::uint8_t>> results;
    for (std::size_t k = 0; k < function.outputs.size(); ++k) {
      const Array host = to_host(arrays[inputs.size() + k], *stream);
      stream->synchronize();
      const auto values = host.as<std::uint8_t>();
      results.emplace_back(values.begin(), values.end());
    }
    return results;
  }
};

std::string verdict(const ListedFunction& function, const Distance& distance) {
  if (distance.different == 0) return "equal";
  if (function.bound == "own") return "-";
  if (function.bound == "exact") return "DIFFERENT";
  double bound = 0;
  if (std::sscanf(function.bound.c_str(), "abs %lf", &bound) == 1)
    return distance.absolute <= bound ? "within" : "BEYOND";
  // Each side may be off by the bound.
  return distance.ulp <= 2 * std::stod(function.bound) ? "within" : "BEYOND";
}

void compare(const std::vector<ListedFunction>& functions, const Wanted& wanted) {
  const auto side = [&](std::size_t k) {
    if (k < wanted.compilers.size()) ::setenv("CXX", wanted.compilers[k].c_str(), 1);
    Side made(wanted.devices.at(k));
    made.device->compiler();  // which is searched for now
    return made;
  };
  Side first = side(0), second = side(1);
  std::vector<std::size_t> batches;
  for (std::size_t begin = 0; begin < functions.size(); begin += kBatch) batches.push_back(begin);
  for (std::size_t batch = wanted.part; batch < batches.size(); batch += wanted.parts) {
    const std::size_t begin = batches[batch], end = std::min(begin + kBatch, functions.size());
    first.load(functions, begin, end);
    second.load(functions, begin, end);
    for (std::size_t k = begin; k < end; ++k) {
      const ListedFunction& function = functions[k];
      if (!first.kernels.contains(k) || !second.kernels.contains(k)) continue;
      std::vector<std::vector<std::uint8_t>> inputs;
      const std::vector<std::uint8_t> none;
      for (std::size_t a = 0; a < function.inputs.size(); ++a)
        inputs.push_back(
            arguments_for(function, a, wanted.count, k + 1, a > 0 ? inputs[a - 1] : none));
      const auto x = first.run(function, k, inputs, wanted.count);
      const auto y = second.run(function, k, inputs, wanted.count);
      for (std::size_t out = 0; out < x.size(); ++out) {
        const ListType& type = *function.outputs[out];
        const Distance distance = distance_of(type, x[out], y[out], wanted.count);
        std::string line = fmt::format(
            "{}\t{}{}\t{}\t{}\t{:.3g}\t{:.3g}\t{}", function.section, function.signature,
            x.size() > 1 ? fmt::format(" [{}]", out) : "", verdict(function, distance),
            distance.different, distance.ulp, distance.absolute, function.bound);
        if (distance.different > 0) {
          line += "\t";
          for (std::size_t a = 0; a < inputs.size(); ++a)
            line += value_text(*function.inputs[a], inputs[a], distance.worst) + " ";
          line += "-> " + value_text(type, x[out], distance.worst) + " and " +
                  value_text(type, y[out], distance.worst);
        }
        fmt::print("{}\n", line);
      }
      std::fflush(stdout);
    }
  }
}

int compile_all(const std::vector<ListedFunction>& functions, const Wanted& wanted) {
  const std::unique_ptr<Compiler> compiler = make_compiler(wanted.compile);
  int failed = 0;
  const auto compile = [&](std::size_t begin, std::size_t end, const auto& again) -> void {
    try {
      compiler->compile(source_of(functions, begin, end));
    } catch (const Error& error) {
      if (end - begin > 1) {
        for (std::size_t k = begin; k < end; ++k) again(k, k + 1, again);
        return;
      }
      ++failed;
      fmt::print("{}: {}\n", functions[begin].signature, error.what());
    }
  };
  for (std::size_t begin = 0; begin < functions.size(); begin += kBatch)
    compile(begin, std::min(begin + kBatch, functions.size()), compile);
  fmt::print("{} functions, {} do not compile for {}\n", functions.size(), failed, wanted.compile);
  return failed == 0 ? 0 : 1;
}

/// Starts this program once per part, and prints the results in the list's order.
int compare_in_processes(const std::vector<ListedFunction>& functions, const Wanted& wanted,
                         const std::vector<std::string>& command) {
  std::vector<ProcessResult> results(wanted.processes);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < wanted.processes; ++k)
    threads.emplace_back([&, k] {
      std::vector<std::string> own = command;
      own.insert(own.end(), {"--part", fmt::format("{}/{}", k, wanted.processes)});
      results[k] = run_process(own);
    });
  for (std::thread& thread : threads) thread.join();
  std::map<std::string, std::size_t> order;
  for (std::size_t k = 0; k < functions.size(); ++k) order.emplace(functions[k].signature, k);
  std::multimap<std::pair<std::size_t, std::string>, std::string> lines;
  std::map<std::string, std::size_t> counts;
  bool failed = false;
  for (const ProcessResult& result : results) {
    failed = failed || !result.succeeded();
    for (const std::string& line : split(result.output, '\n')) {
      const std::vector<std::string> columns = split(line, '\t');
      if (columns.size() < 3) {
        if (!trim(line).empty()) fmt::print("{}\n", line);
        continue;
      }
      const std::string signature = columns[1].substr(0, columns[1].find(" ["));
      lines.emplace(std::pair(order[signature], columns[1]), line);
      ++counts[columns[2].substr(0, columns[2].find(" for "))];
    }
  }
  fmt::print("section\tfunction\tverdict\tdifferent of {}\tulp\tabsolute\tbound\tworst: {}\n",
             wanted.count, fmt::join(wanted.devices, " and "));
  for (const auto& [key, line] : lines) fmt::print("{}\n", line);
  for (const auto& [word, count] : counts) fmt::print("{}: {}\n", word, count);
  return failed || counts["DIFFERENT"] + counts["BEYOND"] + counts["does not compile"] > 0 ? 1 : 0;
}

int run(const std::vector<std::string>& words) {
  Wanted wanted;
  for (std::size_t k = 1; k + 1 < words.size(); k += 2) {
    const std::string& value = words[k + 1];
    if (words[k] == "--devices") wanted.devices = split(value, ',');
    if (words[k] == "--compilers") wanted.compilers = split(value, ',');
    if (words[k] == "--count") wanted.count = std::stoul(value);
    if (words[k] == "--processes") wanted.processes = std::stoul(value);
    if (words[k] == "--compile") wanted.compile = value;
    if (words[k] == "--only") wanted.only = value;
    if (words[k] == "--part") {
      wanted.is_part = true;
      wanted.part = std::stoul(value);
      wanted.parts = std::stoul(value.substr(value.find('/') + 1));
    }
  }
  std::vector<ListedFunction> functions = read_functions(std::string(listed_functions()));
  std::erase_if(functions, [&](const ListedFunction& function) {
    return !function.target.empty() || function.signature.find(wanted.only) == std::string::npos;
  });
  if (!wanted.compile.empty()) return compile_all(functions, wanted);
  if (!wanted.is_part) return compare_in_processes(functions, wanted, words);
  compare(functions, wanted);
  return 0;
}

}  // namespace
}  // namespace kernelbatch::test

int main(int count, char** words) try {
  return kernelbatch::test::run({words, words + count});
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 2;
}
