#include "core/case/guard/channel.hpp"

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
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

TEST_CASE("A frame is complete only after its last byte") {
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

TEST_CASE("Frames that arrive together are separated") {
  Pair pair;
  pair.write_raw(framed("one") + framed("") + framed("three") + framed("half").substr(0, 9));

  CHECK(pair.channel.read_available());
  CHECK(pair.next() == "one");
  CHECK(pair.next() == "");
  CHECK(pair.next() == "three");
  CHECK_FALSE(pair.channel.next());
}

TEST_CASE("Frames received before the other end closed are still read") {
  Pair pair;
  pair.write_raw(framed("last words"));
  pair.other.reset();

  CHECK_FALSE(pair.channel.read_available());
  CHECK(pair.next() == "last words");
  CHECK_FALSE(pair.channel.wait());
}

TEST_CASE("Sending to a closed end returns false without ending this process") {
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

TEST_CASE("A frame beyond the limits is refused before its bytes arrive, and never sent") {
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

TEST_CASE("Nothing is sent to another file that reuses the channel's descriptor") {
  Pair pair;
  const FileDescriptor file = file_with("");
  REQUIRE(::dup2(file.get(), pair.channel.descriptor()) >= 0);
  CHECK_FALSE(pair.channel.send("a message"));
  CHECK(content_of(file).empty());
}

/// A supervisor's end that expects signed frames, and a worker's end that signs them; the test
/// controls all bytes between them.
struct SignedPair {
  Pair supervisor, worker;

  SignedPair() {
    REQUIRE(supervisor.channel.give_key());
    char key[sizeof(MessageKey)];
    REQUIRE(::read(supervisor.other.get(), key, sizeof key) == sizeof key);
    worker.write_raw({key, sizeof key});
    REQUIRE(worker.channel.take_key());
  }
  /// Bytes that the worker sends for a text.
  std::string sent(std::string_view text) {
    REQUIRE(worker.channel.send(text));
    std::string bytes(text.size() + 1000, '\0');
    const ssize_t count = ::read(worker.other.get(), bytes.data(), bytes.size());
    REQUIRE(count > 0);
    bytes.resize(static_cast<std::size_t>(count));
    return bytes;
  }
  void arrive(std::string_view bytes) {
    supervisor.write_raw(bytes);
    REQUIRE(supervisor.channel.read_available());
  }
};

TEST_CASE("Signed frames arrive unchanged") {
  SignedPair pair;
  const std::string one = pair.sent("one"), two = pair.sent(""), three = pair.sent("three");
  for (const char byte : one + two) pair.arrive({&byte, 1});
  CHECK(pair.supervisor.next() == "one");
  CHECK(pair.supervisor.next() == "");
  CHECK_FALSE(pair.supervisor.channel.next());
  pair.arrive(three);
  CHECK(pair.supervisor.next() == "three");
}

TEST_CASE("A key is read completely, and nothing after it") {
  Pair pair;
  std::string key(sizeof(MessageKey), 'k');
  std::thread writer([&] {
    for (const char byte : key + framed("request")) pair.write_raw({&byte, 1});
  });
  CHECK(pair.channel.take_key());
  CHECK(pair.channel.wait()->text == "request");
  writer.join();
  Pair gone;
  gone.write_raw("half a key");
  gone.other.reset();
  CHECK_FALSE(gone.channel.take_key());
}

TEST_CASE("A frame with any bit changed is rejected") {
  SignedPair pair;
  const std::string frame = pair.sent("a result");
  for (std::size_t bit = 0; bit < 8 * frame.size(); ++bit) {
    SignedPair other;
    std::string changed = other.sent("a result");
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
    other.arrive(changed);
    CAPTURE(bit);
    CHECK_THROWS_AS(other.supervisor.channel.next(), ForgedMessage);
  }
}

TEST_CASE("A frame signed by another worker is rejected") {
  SignedPair pair, other;
  pair.arrive(other.sent("a result"));
  CHECK_THROWS_AS(pair.supervisor.channel.next(), ForgedMessage);
}

TEST_CASE("A frame without a signature is rejected") {
  SignedPair pair;
  pair.arrive(framed("a result that a variant wrote to the worker's descriptor"));
  CHECK_THROWS_AS(pair.supervisor.channel.next(), ForgedMessage);
}

TEST_CASE("A repeated, early or missing frame is detected") {
  SignedPair pair;
  const std::string one = pair.sent("one"), two = pair.sent("two"), three = pair.sent("three");
  SECTION("replayed") {
    pair.arrive(one + one);
    CHECK(pair.supervisor.next() == "one");
  }
  SECTION("reordered") { pair.arrive(two + one); }
  SECTION("left out") {
    pair.arrive(one + three);
    CHECK(pair.supervisor.next() == "one");
  }
  CHECK_THROWS_AS(pair.supervisor.channel.next(), ForgedMessage);
  // All later frames are rejected, too.
  pair.arrive(two);
  CHECK_THROWS_AS(pair.supervisor.channel.next(), ForgedMessage);
}

TEST_CASE("A truncated frame takes no bytes of the next one") {
  SignedPair pair;
  const std::string one = pair.sent("one"), two = pair.sent("two");
  for (std::size_t kept = 1; kept < one.size(); ++kept) {
    SignedPair other;
    other.arrive(other.sent("one").substr(0, kept));
    CHECK_FALSE(other.supervisor.channel.next());
    other.arrive(other.sent("two"));
    CAPTURE(kept);
    CHECK_THROWS_AS(other.supervisor.channel.next(), ForgedMessage);
  }
}

TEST_CASE("A forged length is not waited for") {
  SignedPair pair;
  std::string frame = pair.sent("a message");
  frame[16] = 127;
  pair.arrive(frame);
  CHECK_THROWS_AS(pair.supervisor.channel.next(), ForgedMessage);
}

TEST_CASE("Random bytes are not accepted as a signed frame") {
  std::mt19937_64 random(7);
  for (int tries = 0; tries < 1000; ++tries) {
    SignedPair pair;
    std::string bytes(32 + random() % 200, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    pair.arrive(bytes);
    CHECK_THROWS_AS(pair.supervisor.channel.next(), ForgedMessage);
  }
}

}  // namespace
}  // namespace kernelbatch
