// Arrays in .npz archives, stored and deflated, whole and damaged.
#include "core/array/npz.hpp"

#include <zlib.h>

#include <cstring>
#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/message.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

template <class T>
void put(std::string& to, T value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Three float64: 1, 2, 3.
std::string npy() {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }";
  header.resize(117, ' ');
  header += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += '\x01';
  bytes += '\0';
  put(bytes, static_cast<std::uint16_t>(header.size()));
  bytes += header;
  for (const double value : {1.0, 2.0, 3.0}) put(bytes, value);
  return bytes;
}

std::string deflated(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(bytes.size() + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

std::string archive(std::uint16_t method) {
  const std::string content = npy();
  const std::string packed = method == 8 ? deflated(content) : content;
  const auto crc = static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
  const std::string name = "x.npy";
  const auto sizes = [&](std::string& to) {
    put(to, method);
    put(to, std::uint32_t{0});
    put(to, crc);
    put(to, static_cast<std::uint32_t>(packed.size()));
    put(to, static_cast<std::uint32_t>(content.size()));
    put(to, static_cast<std::uint16_t>(name.size()));
  };
  std::string file = "PK\x03\x04";
  put(file, std::uint32_t{20});
  sizes(file);
  put(file, std::uint16_t{0});
  file += name + packed;
  const auto central = static_cast<std::uint32_t>(file.size());
  file += "PK\x01\x02";
  put(file, std::uint32_t{20});
  put(file, std::uint16_t{0});
  sizes(file);
  file += std::string(12, '\0');
  put(file, std::uint32_t{0});
  file += name;
  const auto end = static_cast<std::uint32_t>(file.size());
  file += "PK\x05\x06";
  put(file, std::uint32_t{0});
  put(file, std::uint16_t{1});
  put(file, std::uint16_t{1});
  put(file, end - central);
  put(file, central);
  put(file, std::uint16_t{0});
  return file;
}

struct Saved {
  explicit Saved(const std::string& bytes) { std::ofstream(path(), std::ios::binary) << bytes; }
  std::filesystem::path path() const { return folder / "a.npz"; }
  test::TemporaryFolder folder;
};

std::string npz_error(const std::string& bytes, const std::string& name = "x") {
  const Saved saved(bytes);
  const std::string message = test::message_of([&] { read_npz(saved.path(), name); });
  return message.substr(message.find("a.npz"));
}

TEST_CASE("The form of an array needs only the beginning of its member") {
  for (const std::uint16_t method : {std::uint16_t{0}, std::uint16_t{8}}) {
    CAPTURE(method);
    const Saved saved(archive(method));
    const Array array = read_npz(saved.path(), "x");
    CHECK(npz_form(saved.path(), "x") == ArrayForm{array.dtype(), array.shape()});
    CHECK_THAT(test::message_of([&] { npz_form(saved.path(), "y"); }),
               Contains("has no array 'y'"));
  }
}

TEST_CASE("Arrays are read stored and deflated") {
  for (const std::uint16_t method : {std::uint16_t{0}, std::uint16_t{8}}) {
    const Saved saved(archive(method));
    CHECK(npz_names(saved.path()) == std::vector<std::string>{"x"});
    const Array array = read_npz(saved.path(), "x");
    CHECK(array.shape() == Shape{3});
    CHECK(array.as<double>()[2] == 3);
  }
}

TEST_CASE("A damaged or cut archive is refused, whatever byte is wrong") {
  CHECK(npz_error("text, and quite a lot of it") == "a.npz' is not a .npz archive");
  CHECK(npz_error(archive(8), "y") == "a.npz' has no array 'y' (did you mean 'x'?)");
  const std::string whole = archive(8);
  for (std::size_t length = 0; length < whole.size(); ++length)
    CHECK_FALSE(npz_error(whole.substr(0, length)).empty());
  std::string changed = archive(0);
  changed[170] = static_cast<char>(changed[170] ^ 1);
  CHECK(npz_error(changed) == "a.npz' is damaged: the CRC of 'x' differs");
}

}  // namespace
}  // namespace kernelbatch
