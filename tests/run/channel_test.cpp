#include "core/run/channel.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <thread>

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

struct Pair {
  Channel channel{FileDescriptor{}};
  FileDescriptor other;

  Pair() {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    channel = Channel(FileDescriptor{ends[0]});
    other = FileDescriptor{ends[1]};
  }
  void write_raw(std::string_view bytes) const {
    REQUIRE(::write(other.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
};

std::string framed(std::string_view text) {
  const auto size = static_cast<std::uint64_t>(text.size());
  return std::string(reinterpret_cast<const char*>(&size), sizeof size) + std::string(text);
}

TEST_CASE("A frame is whole only when its last byte is there") {
  Pair pair;
  const std::string bytes = framed("hello");
  for (const char byte : bytes.substr(0, bytes.size() - 1)) {
    pair.write_raw({&byte, 1});
    REQUIRE(pair.channel.read_available());
    REQUIRE_FALSE(pair.channel.next());
  }

  pair.write_raw(bytes.substr(bytes.size() - 1));

  CHECK(pair.channel.read_available());
  CHECK(pair.channel.next() == "hello");
  CHECK_FALSE(pair.channel.next());
}

TEST_CASE("Frames that arrive together come out apart") {
  Pair pair;
  pair.write_raw(framed("one") + framed("") + framed("three") + framed("half").substr(0, 9));

  CHECK(pair.channel.read_available());
  CHECK(pair.channel.next() == "one");
  CHECK(pair.channel.next() == "");
  CHECK(pair.channel.next() == "three");
  CHECK_FALSE(pair.channel.next());
}

TEST_CASE("Frames that came before the other end closed are still read") {
  Pair pair;
  pair.write_raw(framed("last words"));
  pair.other.reset();

  CHECK_FALSE(pair.channel.read_available());
  CHECK(pair.channel.next() == "last words");
  CHECK_FALSE(pair.channel.wait());
}

TEST_CASE("Sending to a closed end is false, not the end of this process") {
  Pair pair;
  pair.other.reset();
  CHECK_FALSE(pair.channel.send("anybody there?"));
}

TEST_CASE("A frame larger than the socket's buffer passes") {
  Pair pair;
  Channel other(std::move(pair.other));
  const std::string large(8 << 20, 'x');
  std::thread sender([&] { other.send(large); });

  const auto got = pair.channel.wait();

  sender.join();
  CHECK(got == large);
}

}  // namespace
}  // namespace kernelbatch
