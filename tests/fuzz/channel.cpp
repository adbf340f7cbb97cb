#include "core/case/guard/channel.hpp"

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

/// Reads what the other end wrote before it closed. `is_signed`: the channel has a key that the
/// bytes do not use.
void read_channel(Bytes input, bool is_signed) {
  constexpr std::size_t kSocketHolds = 64 << 10;
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw BrokenClaim("there is no pair of sockets");
  Channel here(FileDescriptor{ends[0]});
  {
    const FileDescriptor other{ends[1]};
    if (is_signed) claim(here.give_key(), "the socket takes no key");
    const auto sent = input.first(std::min(input.size(), kSocketHolds));
    claim(sent.empty() || ::send(ends[1], sent.data(), sent.size(), MSG_NOSIGNAL) ==
                              static_cast<ssize_t>(sent.size()),
          "the socket takes less than it should");
  }
  is_refused([&] {
    while (const auto frame = here.wait()) {
      claim(!is_signed, "an unsigned frame is accepted");
      read_messages(frame->text);
    }
  });
}

}  // namespace

/// Reads the same bytes as one message, as frames, and as frames that should be signed.
void channel(Bytes input) {
  read_messages(text_of(input));
  read_channel(input, false);
  read_channel(input, true);
}

}  // namespace kernelbatch::fuzz
