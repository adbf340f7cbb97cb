// Launches kernels of PTX modules on one device, as requested on standard input; for `equal`.
// A request is a line of words, then the bytes of its buffers:
//   FILE ENTRY GRID(3) BLOCK(3) SHARED COUNT, then COUNT times "p BYTES" or "v HEX"
// The answer is "ok FINDINGS" and the bytes of the buffers, or "error MESSAGE".
#include <unistd.h>

#include <cstdint>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "core/array/array.hpp"
#include "core/device/access_checks.hpp"
#include "core/device/device_list.hpp"
#include "core/device/host/ptx/ptx_module_text.hpp"
#include "core/kernel/raw/kernel.hpp"

namespace {

using namespace kernelbatch;
using Bytes = std::vector<std::uint8_t>;

struct Request {
  std::string file, entry;
  LaunchShape shape;
  std::vector<Bytes> buffers, values;
  std::vector<bool> is_buffer;
};

Request read_request(const std::string& line) {
  Request request;
  std::istringstream words(line);
  std::size_t count = 0;
  Dim3 &grid = request.shape.grid, &block = request.shape.block;
  words >> request.file >> request.entry >> grid.x >> grid.y >> grid.z >> block.x >> block.y >>
      block.z >> request.shape.shared_bytes >> count;
  for (std::string kind, text; count > 0 && words >> kind >> text; --count) {
    request.is_buffer.push_back(kind == "p");
    if (kind == "p") {
      request.buffers.emplace_back(std::stoul(text));
      continue;
    }
    request.values.emplace_back();
    for (std::size_t k = 0; k + 1 < text.size(); k += 2)
      request.values.back().push_back(
          static_cast<std::uint8_t>(std::stoul(text.substr(k, 2), nullptr, 16)));
  }
  for (Bytes& each : request.buffers)
    std::cin.read(reinterpret_cast<char*>(each.data()), static_cast<std::streamsize>(each.size()));
  return request;
}

std::size_t answer(Device& device, Stream& stream, Request& request) {
  std::vector<Array> arrays;
  for (const Bytes& each : request.buffers) arrays.push_back(to_device(Array::from(each), stream));
  stream.synchronize();
  AccessChecks* const checks = device.access_checks();
  for (std::size_t k = 0; checks != nullptr && k < arrays.size(); ++k)
    checks->describe(arrays[k].data(), request.buffers[k].size(), 4, "b" + std::to_string(k),
                     ArrayUse::kUpdated);
  if (checks != nullptr) checks->take_findings();
  std::vector<Argument> arguments;
  std::size_t buffer = 0, value = 0;
  for (const bool is_buffer : request.is_buffer)
    if (is_buffer)
      arguments.push_back(as_pointer(arrays[buffer++]));
    else
      arguments.push_back(
          as_bytes(std::span(reinterpret_cast<const std::byte*>(request.values[value].data()),
                             request.values[value].size()))),
          ++value;
  static std::map<std::string, RawModule> modules;
  auto found = modules.find(request.file);
  if (found == modules.end()) {
    std::ifstream text(request.file);
    const std::string module{std::istreambuf_iterator<char>(text), {}};
    found =
        modules
            .emplace(request.file, RawModule(KernelFile{request.file}, host::ptx_entries(module)))
            .first;
  }
  found->second.function(request.entry).launch(stream, request.shape, arguments);
  stream.synchronize();
  std::size_t findings = 0;
  if (checks != nullptr)
    for (const KernelFinding& each : checks->take_findings()) {
      findings += each.is_harmless ? 0 : 1;
      std::cerr << each.place.line << ": " << each.what << '\n';
    }
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    const Array host = to_host(arrays[k], stream);
    stream.synchronize();
    std::copy_n(reinterpret_cast<const std::uint8_t*>(host.data()), request.buffers[k].size(),
                request.buffers[k].begin());
  }
  return findings;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string wanted = count > 1 ? arguments[1] : "host";
  const auto device = wanted == "checked" ? open_checked_device(choose_device("host"), all_checks())
                                          : open_device(choose_device(wanted));
  const auto stream = device->make_stream();
  // Kernels may print: the answers have a descriptor of their own.
  const int answers = dup(1);
  dup2(2, 1);
  const auto write_all = [&](const void* data, std::size_t bytes) {
    for (const auto* at = static_cast<const char*>(data); bytes > 0;) {
      const auto done = write(answers, at, bytes);
      if (done <= 0) _exit(1);
      at += done;
      bytes -= static_cast<std::size_t>(done);
    }
  };
  std::string line;
  while (std::getline(std::cin, line)) {
    Request request = read_request(line);
    std::string text;
    bool is_lost = false;
    try {
      text = "ok " + std::to_string(answer(*device, *stream, request)) + "\n";
    } catch (const std::exception& error) {
      text = "error " + std::string(error.what());
      for (char& c : text) c = c == '\n' ? ' ' : c;
      text += '\n';
      is_lost = true;
    }
    write_all(text.data(), text.size());
    if (is_lost) continue;
    for (const Bytes& each : request.buffers) write_all(each.data(), each.size());
  }
  _exit(0);  // modules are of a device that is closed before them
}
