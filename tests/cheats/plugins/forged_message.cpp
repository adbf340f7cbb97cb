// cheat: forged_message
// fault: sends the supervisor a forged result of its worker, correct and with a time of a
//   nanosecond, and ends the process
// caught by: authenticated messages
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "tests/cheats/plugins/cheat.hpp"
#include "tests/cheats/plugins/memory.hpp"

namespace {

using namespace cheats;

constexpr int kChannel = 3;

void put(std::string& bytes, std::uint64_t value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}
void put(std::string& bytes, const std::string& text) {
  put(bytes, text.size());
  bytes += text;
}

/// Finds the current request in the worker's memory: a text of 16 digits, then a path.
std::string find_case_id() {
  std::string key;
  put(key, 16);
  std::string id = "0123456789abcdef";
  find_bytes(std::as_bytes(std::span(key)), 1, [&](std::uintptr_t place) {
    const std::vector<std::byte> bytes = read_memory(place + 8, 16 + 8 + 1);
    if (bytes.size() < 25) return false;
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    std::uint64_t length = 0;
    std::memcpy(&length, text.data() + 16, sizeof length);
    const bool is_hex = text.find_first_not_of("0123456789abcdef") >= 16;
    if (!is_hex || length == 0 || length > 4096 || text[24] != '/') return false;
    id = text.substr(0, 16);
    return true;
  });
  return id;
}

void forge(const std::string& case_id) {
  const std::string record =
      "{\"case_id\":\"" + case_id +
      "\",\"workload\":\"forged_message\",\"workload_version\":\"1\",\"variant\":\"cheat\","
      "\"kind\":\"raw\",\"device\":\"host\",\"status\":\"ok\",\"verified\":true,"
      "\"cold_median\":1e-9,\"cold_min\":1e-9,\"cold_max\":1e-9,\"cold_mean\":1e-9,"
      "\"cold_ci95_low\":1e-9,\"cold_ci95_high\":1e-9,\"cold_samples\":100,\"params\":{},"
      "\"outputs\":[],\"launches\":[],\"kernels\":[]}";
  std::string frame(1, '\5');  // a result:
  put(frame, record);          // its record,
  for (int k = 0; k < 6; ++k)
    put(frame, 0);  // five columns of samples and a list of outputs, all empty,
  frame += '\0';    // from a worker that is well
  std::string bytes;
  put(bytes, frame);
  const char* at = bytes.data();
  for (std::size_t left = bytes.size(); left > 0;) {
    const ssize_t count = ::write(kChannel, at, left);
    if (count <= 0) break;
    at += count;
    left -= static_cast<std::size_t>(count);
  }
  ::_exit(0);
}

Work cheat(const Mixing&, Run& run) {
  run.output("y");
  return [](Stream&) { forge(find_case_id()); };
}

}  // namespace

CHEAT_PLUGIN(forged_message, cheat);
