// cheat: alters_messages
// fault: replaces the system call that sends messages, and reduces the times in them
// caught by: authenticated messages
#include <sys/socket.h>

#include <cstring>
#include <string_view>

#include "tests/cheats/plugins/cheat.hpp"
#include "tests/cheats/plugins/redirect.hpp"

namespace {

using namespace cheats;

/// Replaces the first digits of each median by zeros: still a number, of the same length.
void shorten_times(char* bytes, std::size_t size) {
  constexpr std::string_view kName = "median\":";
  const std::string_view text(bytes, size);
  for (std::size_t at = 0; (at = text.find(kName, at)) != text.npos;) {
    at += kName.size();
    const std::size_t digit = text.find_first_of("123456789", at);
    if (digit != text.npos && text.find_first_of(",}", at) > digit) bytes[digit] = '0';
  }
}

ssize_t send_altered(int socket, const msghdr* message, int flags) {
  for (std::size_t k = 0; k < message->msg_iovlen; ++k)
    shorten_times(static_cast<char*>(message->msg_iov[k].iov_base), message->msg_iov[k].iov_len);
  return ::sendmsg(socket, message, flags);
}

Work cheat(const Mixing& in, Run& run) {
  redirect_calls("sendmsg", reinterpret_cast<void*>(&send_altered));
  return honest(in, run);
}

}  // namespace

CHEAT_PLUGIN(alters_messages, cheat);
