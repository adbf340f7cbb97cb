#include "core/case/channel.hpp"

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

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
  std::optional<std::string> next() {
    auto frame = channel.next();
    return frame ? std::optional(std::move(frame->text)) : std::nullopt;
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
  CHECK(pair.next() == "hello");
  CHECK_FALSE(pair.channel.next());
}

TEST_CASE("Frames that arrive together come out apart") {
  Pair pair;
  pair.write_raw(framed("one") + framed("") + framed("three") + framed("half").substr(0, 9));

  CHECK(pair.channel.read_available());
  CHECK(pair.next() == "one");
  CHECK(pair.next() == "");
  CHECK(pair.next() == "three");
  CHECK_FALSE(pair.channel.next());
}

TEST_CASE("Frames that came before the other end closed are still read") {
  Pair pair;
  pair.write_raw(framed("last words"));
  pair.other.reset();

  CHECK_FALSE(pair.channel.read_available());
  CHECK(pair.next() == "last words");
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

  const auto got = pair.channel.wait().value().text;

  sender.join();
  CHECK(got == large);
}

TEST_CASE("A frame beyond the bounds is refused before its bytes come, and never sent") {
  Pair pair;
  const std::uint64_t size = Channel::kLargestFrame + 1;
  pair.write_raw({reinterpret_cast<const char*>(&size), sizeof size});
  CHECK(pair.channel.read_available());
  CHECK_THROWS_WITH(pair.channel.next(), Contains("a message of 268435457 bytes was announced"));

  CHECK_FALSE(pair.channel.send(std::string(size, 'x')));
}

TEST_CASE("A reader takes a mebibyte at a time, however much there is") {
  Pair pair;
  const std::string some(64 << 10, 'x');
  std::jthread writer([&](const std::stop_token& stop) {
    while (!stop.stop_requested() &&
           ::send(pair.other.get(), some.data(), some.size(), MSG_DONTWAIT) != 0) {
    }
  });
  CHECK(pair.channel.read_available());
}

std::string content_of(const FileDescriptor& file) {
  char text[64];
  const ssize_t count = ::pread(file.get(), text, sizeof text, 0);
  return {text, count > 0 ? static_cast<std::size_t>(count) : 0};
}

FileDescriptor file_with(std::string_view text) {
  FileDescriptor file{::memfd_create("test", MFD_CLOEXEC)};
  REQUIRE(::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  return file;
}

TEST_CASE("Open files arrive with the frame that they were sent with") {
  Pair pair;
  Channel other(std::move(pair.other));
  std::vector<FileDescriptor> one, two;
  one.push_back(file_with("one"));
  two.push_back(file_with("two"));
  two.push_back(file_with("three"));
  REQUIRE(other.send("nothing"));
  REQUIRE(other.send("first", one));
  REQUIRE(other.send("between"));
  REQUIRE(other.send("second", two));
  REQUIRE(other.send("after"));

  for (int reads = 0; reads < 5; ++reads) REQUIRE(pair.channel.read_available());

  CHECK(pair.channel.next()->files.empty());
  const auto first = pair.channel.next();
  REQUIRE(first->files.size() == 1);
  CHECK(first->text == "first");
  CHECK(content_of(first->files[0]) == "one");
  CHECK(pair.channel.next()->files.empty());
  const auto second = pair.channel.next();
  REQUIRE(second->files.size() == 2);
  CHECK(content_of(second->files[1]) == "three");
  CHECK(pair.channel.next()->files.empty());
}

TEST_CASE("Nothing is sent to another file that has got the channel's number") {
  Pair pair;
  const FileDescriptor file = file_with("");
  REQUIRE(::dup2(file.get(), pair.channel.descriptor()) >= 0);
  CHECK_FALSE(pair.channel.send("a message"));
  CHECK(content_of(file).empty());
}

}  // namespace
}  // namespace kernelbatch
