#include "core/case/channel.hpp"

#include <sys/socket.h>

#include <string>

#include "core/case/message.hpp"
#include "core/verify/input_source.hpp"
#include "tests/fuzz/refused.hpp"

namespace kernelbatch::fuzz {
namespace {

void read_messages(std::string_view frame) {
  is_refused([&] {
    const std::string bytes = to_frame(reply_from_frame(frame));
    claim(to_frame(reply_from_frame(bytes)) == bytes, "a reply reads back as another");
  });
  is_refused([&] {
    const std::string bytes = to_frame(request_from_frame(frame));
    claim(to_frame(request_from_frame(bytes)) == bytes, "a request reads back as another");
  });
}

}  // namespace

/// What the other end wrote before it closed; the same bytes also as one message.
void channel(Bytes input) {
  constexpr std::size_t kSocketHolds = 64 << 10;
  read_messages(text_of(input));
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw BrokenClaim("there is no pair of sockets");
  Channel here(FileDescriptor{ends[0]});
  {
    const FileDescriptor other{ends[1]};
    const auto sent = input.first(std::min(input.size(), kSocketHolds));
    claim(sent.empty() || ::send(ends[1], sent.data(), sent.size(), MSG_NOSIGNAL) ==
                              static_cast<ssize_t>(sent.size()),
          "the socket takes less than it should");
  }
  is_refused([&] {
    while (const auto frame = here.wait()) read_messages(frame->text);
  });
}

}  // namespace kernelbatch::fuzz
