// Binary serialization of values, for messages between processes of one build.
//
// Integers and reals are stored as in memory, texts and lists with their length first, structs
// member by member. Members have no names: both ends are the same executable.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/choice.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {

/// Members to serialize for a struct: `static constexpr auto kMembers = std::tuple{&T::a, …}` in
/// it, or a specialisation of this for a struct of another room.
template <class T>
inline constexpr auto kMembersOf = T::kMembers;

class ArchiveReader;
class ArchiveWriter;

/// Serialization of a type that is not a plain list of members: a specialisation has `static void
/// write(ArchiveWriter&, const T&)` and `static void read(ArchiveReader&, T&)`.
template <class T>
struct Archived;

namespace detail {
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsPair : std::false_type {};
template <class A, class B>
struct IsPair<std::pair<A, B>> : std::true_type {};
template <class T>
struct IsVariant : std::false_type {};
template <class... T>
struct IsVariant<std::variant<T...>> : std::true_type {};
/// True if a list of these is one block of memory.
template <class T>
inline constexpr bool kIsPlain = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;
}  // namespace detail

class ArchiveWriter {
 public:
  template <class T>
  void put(const T& value) {
    if constexpr (requires { Archived<T>::write(*this, value); }) {
      Archived<T>::write(*this, value);
    } else if constexpr (std::is_arithmetic_v<T>) {
      put_bytes(&value, sizeof value);
    } else if constexpr (Choice<T>) {
      put(static_cast<std::uint8_t>(value));
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      const std::string_view text = value;
      put(static_cast<std::uint64_t>(text.size()));
      put_bytes(text.data(), text.size());
    } else if constexpr (detail::IsVector<T>::value) {
      put(static_cast<std::uint64_t>(value.size()));
      if constexpr (detail::kIsPlain<typename T::value_type>)
        put_bytes(value.data(), value.size() * sizeof(typename T::value_type));
      else
        for (const auto& each : value) put(each);
    } else if constexpr (detail::IsOptional<T>::value) {
      put(value.has_value());
      if (value) put(*value);
    } else if constexpr (detail::IsPair<T>::value) {
      put(value.first);
      put(value.second);
    } else if constexpr (detail::IsVariant<T>::value) {
      put(static_cast<std::uint8_t>(value.index()));
      std::visit([&](const auto& each) { put(each); }, value);
    } else {
      std::apply([&](auto... member) { (put(value.*member), ...); }, kMembersOf<T>);
    }
  }

  std::string take() { return std::move(bytes_); }

 private:
  void put_bytes(const void* from, std::size_t size) {
    bytes_.append(static_cast<const char*>(from), size);
  }
  std::string bytes_;
};

/// Reads the output of an ArchiveWriter. The bytes are not trusted: for any input it throws
/// std::runtime_error or returns valid values; invalid UTF-8 in text becomes U+FFFD.
class ArchiveReader {
 public:
  explicit ArchiveReader(std::string_view bytes) : rest_(bytes) {}

  template <class T>
  T get() {
    T value{};
    read(value);
    return value;
  }
  /// Throws std::runtime_error unless everything has been read.
  void require_end() const {
    if (!rest_.empty()) fail("it is longer than its content");
  }

  template <class T>
  void read(T& value) {
    if constexpr (requires { Archived<T>::read(*this, value); }) {
      Archived<T>::read(*this, value);
    } else if constexpr (std::is_same_v<T, bool>) {
      value = read_below(2) != 0;
    } else if constexpr (std::is_arithmetic_v<T>) {
      std::memcpy(&value, bytes(sizeof value).data(), sizeof value);
    } else if constexpr (Choice<T>) {
      value = static_cast<T>(get<std::uint8_t>());
      if (name_of(value).data() == nullptr) fail("it has a choice that does not exist");
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = valid_utf8(bytes(get<std::uint64_t>()));
    } else if constexpr (detail::IsVector<T>::value) {
      read_list(value);
    } else if constexpr (detail::IsOptional<T>::value) {
      if (get<bool>()) read(value.emplace());
    } else if constexpr (detail::IsPair<T>::value) {
      read(value.first);
      read(value.second);
    } else if constexpr (detail::IsVariant<T>::value) {
      read_alternative(value, std::make_index_sequence<std::variant_size_v<T>>());
    } else {
      std::apply([&](auto... member) { (read(value.*member), ...); }, kMembersOf<T>);
    }
  }

 private:
  [[noreturn]] static void fail(const char* reason) { throw std::runtime_error(reason); }

  template <class T>
  void read_list(std::vector<T>& list) {
    const auto count = get<std::uint64_t>();
    // Every element takes at least a byte: a larger count is invalid.
    if (count > rest_.size() / (detail::kIsPlain<T> ? sizeof(T) : 1)) fail("it ends within a list");
    list.resize(static_cast<std::size_t>(count));
    if constexpr (detail::kIsPlain<T>) {
      const std::string_view from = bytes(count * sizeof(T));
      if (count > 0) std::memcpy(list.data(), from.data(), from.size());
    } else {
      for (T& each : list) read(each);
    }
  }

  template <class V, std::size_t... I>
  void read_alternative(V& value, std::index_sequence<I...>) {
    const std::size_t chosen = read_below(sizeof...(I));
    ((chosen == I ? read(value.template emplace<I>()) : void()), ...);
  }

  std::size_t read_below(std::size_t limit) {
    const auto value = get<std::uint8_t>();
    if (value >= limit) fail("it has a choice that does not exist");
    return value;
  }

  std::string_view bytes(std::uint64_t count) {
    if (count > rest_.size()) fail("it ends too early");
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(count));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view rest_;
};

}  // namespace kernelbatch
