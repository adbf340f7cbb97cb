// Two sets of inputs at the same addresses.
#include "core/case/prepared_memory.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>

#include "core/array/random.hpp"
#include "core/base/error.hpp"
#include "core/kernel/texture/texture.hpp"
#include "tests/case/small_run.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/error_text.hpp"

namespace kernelbatch {
namespace {

using test::counting;
using test::device;
using test::stream;
using test::values_of;

using Doubles = std::vector<double>;
/// A variant's use of its inputs before its work.
using Preparation = std::function<void(const NamedArrays& in, Run& run)>;

NamedArrays counted_inputs(double first, std::int64_t n = 1000) {
  Doubles values;
  for (std::int64_t k = 0; k < n; ++k) values.push_back(first + static_cast<double>(k));
  return {{"x", Array::from(values)}};
}

/// A variant whose preparation ran on the first inputs.
struct Prepared {
  NamedArrays first = counted_inputs(0), second = counted_inputs(5000);
  PreparedMemory memory{test::check_kernels(), first};
  test::SmallRun run{memory};
  Preparation preparation;
  std::vector<const std::byte*> drawn;

  explicit Prepared(Preparation how, bool is_staged = false) : preparation(std::move(how)) {
    run.is_staged = is_staged;
    memory.prepare([&] { preparation(first, run); }, stream());
  }
  std::string prepare_second(bool has_room = true,
                             const std::optional<Preparation>& other = std::nullopt) {
    return memory.prepare_second(
        {.prepare = [&](Run& again) { (other ? *other : preparation)(second, again); },
         .inner = run,
         .drawn = drawn,
         .may_keep = [&](std::size_t) { return has_room; }},
        stream());
  }
  std::string complaint() {
    return test::error_text<VerificationError>([&] { memory.require_unchanged(stream()); });
  }
};

constexpr std::string_view kNothing = "nothing was thrown";

Doubles held(const Array& array) { return values_of<double>(array); }

TEST_CASE("A second set of inputs replaces the first, which is then restored") {
  for (const bool has_room : {true, false}) {
    std::vector<Array> made;
    Prepared prepared(
        [&](const NamedArrays& in, Run& run) { made.push_back(run.to_device(in[0].second)); });
    CHECK_FALSE(prepared.memory.has_second());
    CHECK(prepared.prepare_second(has_room).empty());
    CHECK(prepared.memory.has_second());
    CHECK(prepared.memory.set() == 1);
    REQUIRE(made.size() == 2);
    CHECK(made[0].data() == made[1].data());
    CHECK(held(made[0]) == counting<double>(1000, 5000));
    CHECK(prepared.complaint() == kNothing);
    for (int k = 0; k < 3; ++k) {
      prepared.memory.exchange(stream());
      CHECK(prepared.memory.set() == 0);
      CHECK(held(made[0]) == counting<double>(1000));
      CHECK(prepared.complaint() == kNothing);
      prepared.memory.exchange(stream());
      CHECK(prepared.memory.set() == 1);
      CHECK(held(made[0]) == counting<double>(1000, 5000));
      CHECK(prepared.complaint() == kNothing);
    }
  }
}

Array squares(const Array& x) {
  Doubles values;
  for (const double each : x.as<double>()) values.push_back(each * each + 0.25);
  return Array::from(values);
}

Array reversed(const Array& x) {
  Doubles values(x.as<double>().begin(), x.as<double>().end());
  std::ranges::reverse(values);
  return Array::from(values);
}

TEST_CASE("Arrays computed from the inputs can be exchanged without the inputs") {
  const HostArrayLog log;
  const NamedArrays first = counted_inputs(0), second = counted_inputs(5000);
  PreparedMemory memory{test::check_kernels(), first, log.made()};
  test::SmallRun run{memory};
  std::vector<Array> on_device;
  const auto preparation = [&](const NamedArrays& in, Run& of) {
    const Array& x = in[0].second;
    on_device = {of.to_device(x),
                 of.to_device(squares(x)),
                 of.to_device(reversed(x)),
                 of.to_device(counted_inputs(7)[0].second),
                 of.scratch(DType::kFloat64, {1000}),
                 of.scratch(DType::kFloat64, {1000})};
    copy(squares(x), on_device[4], of.stream());
    copy(reversed(x), on_device[5], of.stream());
  };
  memory.prepare([&] { preparation(first, run); }, stream());
  CHECK_FALSE(memory.exchange_made(stream()));
  REQUIRE(memory
              .prepare_second({.prepare = [&](Run& again) { preparation(second, again); },
                               .inner = run,
                               .drawn = {},
                               .may_keep = [](std::size_t) { return true; },
                               .problem = log.made()},
                              stream())
              .empty());
  const auto squares_of = [](const NamedArrays& in) {
    const Array made = squares(in[0].second);
    return Doubles(made.as<double>().begin(), made.as<double>().end());
  };
  for (const bool is_crossed : {false, true, false}) {
    CAPTURE(is_crossed);
    CHECK(held(on_device[0]) == counting<double>(1000, 5000));
    CHECK(held(on_device[1]) == squares_of(is_crossed ? first : second));
    CHECK(held(on_device[2]).front() == 5999);
    CHECK(held(on_device[3]) == counting<double>(1000, 7));
    CHECK(held(on_device[4]) == squares_of(is_crossed ? first : second));
    CHECK(held(on_device[5]).front() == 5999);
    if (is_crossed == false) CHECK(memory.set() == 1);
    CHECK(memory.exchange_made(stream()));
  }
}

TEST_CASE("Uploads that are the inputs in another order are not exchanged without them") {
  const HostArrayLog log;
  const NamedArrays first = counted_inputs(0), second = counted_inputs(5000);
  PreparedMemory memory{test::check_kernels(), first, log.made()};
  test::SmallRun run{memory};
  const auto preparation = [](const NamedArrays& in, Run& of) {
    of.to_device(reversed(in[0].second));
  };
  memory.prepare([&] { preparation(first, run); }, stream());
  REQUIRE(memory
              .prepare_second({.prepare = [&](Run& again) { preparation(second, again); },
                               .inner = run,
                               .drawn = {},
                               .may_keep = [](std::size_t) { return true; },
                               .problem = log.made()},
                              stream())
              .empty());
  CHECK_FALSE(memory.exchange_made(stream()));
}

TEST_CASE("Memory for the second set is requested for uploaded and written arrays") {
  Prepared prepared([](const NamedArrays& in, Run& run) {
    run.to_device(in[0].second);
    run.scratch(DType::kFloat64, {10});
    copy(run.to_device(in[0].second), run.scratch(DType::kFloat64, {1000}), run.stream());
  });
  std::vector<std::size_t> asked;
  CHECK(
      prepared.memory
          .prepare_second({.prepare = [&](Run& run) { prepared.preparation(prepared.second, run); },
                           .inner = prepared.run,
                           .drawn = prepared.drawn,
                           .may_keep =
                               [&](std::size_t bytes) {
                                 asked.push_back(bytes);
                                 return false;
                               }},
                          stream())
          .empty());
  // Two uploads and the scratch memory that was written.
  CHECK(asked == std::vector<std::size_t>{8000, 8000, 8000});
}

TEST_CASE("A second preparation that requests other memory is refused without effect") {
  const auto first = [](const NamedArrays& in, Run& run) {
    run.to_device(in[0].second);
    copy(run.to_device(in[0].second), run.scratch(DType::kFloat64, {1000}), run.stream());
  };
  const auto refused = [&](const Preparation& second) {
    std::vector<Array> made;
    Prepared prepared([&](const NamedArrays& in, Run& run) {
      made = {run.to_device(in[0].second), run.to_device(in[0].second),
              run.scratch(DType::kFloat64, {1000})};
      copy(made[0], made[2], run.stream());
    });
    const auto known = prepared.memory.known();
    const std::string reason = prepared.prepare_second(true, second);
    CHECK_FALSE(prepared.memory.has_second());
    CHECK_FALSE(prepared.memory.can_mix());
    CHECK(prepared.memory.set() == 0);
    CHECK(prepared.memory.known() == known);
    for (const Array& array : made) CHECK(held(array) == counting<double>(1000));
    CHECK(prepared.complaint() == kNothing);
    return reason;
  };
  CHECK(refused([&](const NamedArrays& in, Run& run) {
          first(in, run);
          run.to_device(in[0].second);
        }) == "with a second one it uploads more arrays");
  CHECK(refused([&](const NamedArrays& in, Run& run) {
          run.to_device(in[0].second);
          run.to_device(in[0].second.slice(0, 0, 999, 1));
        }) == "with a second one it uploads float64 (999,) instead of float64 (1000,)");
  CHECK(refused([&](const NamedArrays&, Run& run) {
          run.to_device(Array::from(counting<float>(1000)));
        }) == "with a second one it uploads float32 (1000,) instead of float64 (1000,)");
  CHECK(refused([&](const NamedArrays& in, Run& run) { run.to_device(in[0].second); }) ==
        "with a second one it needs less memory");
  CHECK(refused([&](const NamedArrays& in, Run& run) {
          run.to_device(in[0].second);
          run.to_device(in[0].second);
        }) == "with a second one it needs less memory");
  CHECK(refused([&](const NamedArrays& in, Run& run) {
          first(in, run);
          run.scratch(DType::kFloat64, {1});
        }) == "with a second one it needs more scratch memory");
  CHECK(refused([&](const NamedArrays&, Run& run) { run.scratch(DType::kFloat64, {1001}); }) ==
        "with a second one it needs other scratch memory");
  CHECK(refused([&](const NamedArrays&, Run& run) { run.scratch(DType::kInt64, {1000}); }) ==
        "with a second one it needs other scratch memory");
  CHECK(refused([&](const NamedArrays& in, Run& run) {
          first(in, run);
          TextureArray(device(), DType::kFloat32, 1, {4})
              .copy_from(Array::from(counting<float>(4)), run.stream());
        }) == "with a second one it needs other textures");
}

TEST_CASE("Exceptions of a second preparation propagate") {
  Prepared prepared([](const NamedArrays& in, Run& run) { run.to_device(in[0].second); });
  CHECK_THROWS_AS(
      prepared.prepare_second(
          true, [](const NamedArrays&, Run&) { throw std::runtime_error("on purpose"); }),
      std::runtime_error);
}

TEST_CASE("Staged arrays have no second set") {
  Prepared prepared([](const NamedArrays& in, Run& run) { run.to_device(in[0].second); }, true);
  CHECK(prepared.prepare_second() == "arrays pass through the device in pieces");
  CHECK(prepared.complaint() == kNothing);
  CHECK(prepared.memory.uploaded_bytes() == 0);
}

TEST_CASE("Equal inputs are not a second set") {
  Array made;
  Prepared prepared([&](const NamedArrays&, Run& run) {
    made = run.to_device(Array::from(counting<double>(10)));
  });
  const auto known = prepared.memory.known();
  CHECK(prepared.prepare_second() == "all that the variant uploads is the same in a second one");
  CHECK_FALSE(prepared.memory.has_second());
  CHECK(prepared.memory.set() == 0);
  CHECK(prepared.memory.known() == known);
  CHECK(held(made) == counting<double>(10));
}

TEST_CASE("Uploads may be equal if outputs begin with other contents") {
  Prepared prepared(
      [&](const NamedArrays&, Run& run) { run.to_device(Array::from(counting<double>(10))); });
  CHECK(prepared.memory
            .prepare_second(
                {.prepare = [&](Run& again) { prepared.preparation(prepared.second, again); },
                 .inner = prepared.run,
                 .drawn = prepared.drawn,
                 .may_keep = [](std::size_t) { return true; },
                 .differs = true},
                stream())
            .empty());
  CHECK(prepared.memory.has_second());
  prepared.memory.exchange(stream());
  CHECK(prepared.memory.set() == 0);
  CHECK(prepared.complaint() == kNothing);
}

TEST_CASE("An overwritten input is named with the first changed element") {
  Array made;
  Prepared prepared([&](const NamedArrays& in, Run& run) { made = run.to_device(in[0].second); });
  CHECK(prepared.complaint() == kNothing);
  Doubles changed = counting<double>(1000);
  changed[3] = -1;
  changed[7] = -1;
  copy(Array::from(changed), made, stream());
  CHECK(prepared.complaint() ==
        "its calls write into its input 'x', first at [3]: got -1, expected 3");
  try {
    prepared.memory.require_unchanged(stream());
    FAIL("nothing was thrown");
  } catch (const VerificationError& error) {
    CHECK(error.fault() == "input written");
  }
}

TEST_CASE("An overwritten input of the second set is named, too") {
  Array made;
  Prepared prepared([&](const NamedArrays& in, Run& run) { made = run.to_device(in[0].second); });
  REQUIRE(prepared.prepare_second().empty());
  copy(prepared.first[0].second, made, stream());
  CHECK(prepared.complaint() == "its calls write into its input 'x'");
}

TEST_CASE("Arrays created by the preparation are named by number") {
  Array made;
  Prepared prepared([&](const NamedArrays& in, Run& run) {
    run.to_device(in[0].second);
    made = run.to_device(Array::from(counting<double>(10)));
  });
  copy(Array::from(Doubles(10)), made, stream());
  CHECK(prepared.complaint() == "its calls write into the array that it uploads as number 2");
  // Only of the case's own inputs.
  CHECK(prepared.memory.uploaded_bytes() == 8000);
}

TEST_CASE("A part of an input, and an empty array, are checked by their elements") {
  Array made;
  Prepared prepared([&](const NamedArrays& in, Run& run) {
    made = run.to_device(in[0].second.slice(0, 0, 500, 1));
    run.to_device(Array::from(Doubles{}));
  });
  CHECK(prepared.complaint() == kNothing);
  Doubles changed = held(made);
  CHECK(changed[2] == 2);
  changed[2] = 0;
  copy(Array::from(changed), made, stream());
  CHECK(prepared.complaint() ==
        "its calls write into its input 'x', first at [2]: got 0, expected 2");
}

TEST_CASE("Scratch memory that the preparation wrote is exchanged with the inputs") {
  Array kept;
  Prepared prepared([&](const NamedArrays& in, Run& run) {
    kept = run.scratch(DType::kFloat64, {1000});
    copy(run.to_device(in[0].second), kept, run.stream());
  });
  prepared.memory.poison_scratch(true, stream());
  CHECK(held(kept) == counting<double>(1000));
  REQUIRE(prepared.prepare_second().empty());
  CHECK(held(kept) == counting<double>(1000, 5000));
  prepared.memory.exchange(stream());
  CHECK(held(kept) == counting<double>(1000));
  prepared.memory.exchange(stream());
  CHECK(held(kept) == counting<double>(1000, 5000));
}

TEST_CASE("Scratch memory that ends within a word is poisoned to its last byte") {
  Array left;
  Prepared prepared([&](const NamedArrays& in, Run& run) {
    run.to_device(in[0].second);
    left = run.scratch(DType::kUInt8, {7});
  });
  const std::uint32_t sentinel = info(DType::kUInt8).sentinel;
  std::vector<std::uint8_t> expected(8);
  for (const std::size_t k : {0U, 4U}) std::memcpy(expected.data() + k, &sentinel, sizeof sentinel);
  expected.pop_back();
  CHECK(values_of<std::uint8_t>(left) == expected);
  copy(Array::from(std::vector<std::uint8_t>(7, 1)), left, stream());
  prepared.memory.poison_scratch(true, stream());
  CHECK(values_of<std::uint8_t>(left) == expected);
}

TEST_CASE("Scratch memory unused by the preparation is refilled before calls") {
  for (const bool is_whole : {false, true}) {
    Array left;
    Prepared prepared([&](const NamedArrays& in, Run& run) {
      run.to_device(in[0].second);
      run.scratch(DType::kFloat64, {0});
      left = run.scratch(DType::kFloat64, {100});
    });
    const Doubles zeros(100);
    copy(Array::from(zeros), left, stream());
    prepared.memory.poison_scratch(is_whole, stream());
    const Array host = to_host(left, stream());
    CHECK(count_unwritten(host, Array::from(zeros)) == 100);
    // It is not exchanged: with other inputs it is refilled.
    copy(Array::from(zeros), left, stream());
    REQUIRE(prepared.prepare_second().empty());
    prepared.memory.exchange(stream());
    CHECK(held(left) == zeros);
  }
}

TEST_CASE("Textures that the preparation fills are exchanged, however often it fills them") {
  for (const int times : {1, 2, 3}) {
    std::vector<TextureArray> made;
    Prepared prepared([&](const NamedArrays& in, Run& run) {
      std::vector<float> texels;
      for (const double value : in[0].second.as<double>())
        texels.push_back(static_cast<float>(value));
      TextureArray array(device(), DType::kFloat32, 1, {1000});
      for (int k = 0; k < times; ++k) array.copy_from(Array::from(texels), run.stream());
      made.push_back(array);
    });
    REQUIRE(prepared.prepare_second().empty());
    // The work reads the one that the first preparation made.
    const auto texels = [&] {
      const Array host = Array::on_host(DType::kFloat32, {1000});
      made[0].copy_to(host, stream());
      return values_of<float>(host);
    };
    CAPTURE(times);
    CHECK(texels() == counting<float>(1000, 5000));
    prepared.memory.exchange(stream());
    CHECK(texels() == counting<float>(1000));
    prepared.memory.exchange(stream());
    CHECK(texels() == counting<float>(1000, 5000));
  }
}

TEST_CASE("Textures of another form are no second set") {
  TextureArray* made = nullptr;
  std::vector<TextureArray> arrays;
  Prepared prepared([&](const NamedArrays&, Run& run) {
    const auto width = arrays.empty() ? 4 : 5;
    arrays.emplace_back(device(), DType::kFloat32, 1,
                        TextureExtent{static_cast<std::size_t>(width)});
    arrays.back().copy_from(Array::from(counting<float>(width)), run.stream());
    made = &arrays.front();
  });
  CHECK(prepared.prepare_second() == "with a second one it needs other textures");
  const Array host = Array::on_host(DType::kFloat32, {4});
  made->copy_to(host, stream());
  CHECK(values_of<float>(host) == counting<float>(4));
}

/// A variant with an input whose elements may be permuted, with both sets.
struct Mixed {
  Array here;
  Prepared prepared{
      [this](const NamedArrays& in, Run& run) { here = run.to_device(in[0].second); }};

  Mixed() {
    prepared.drawn = {prepared.second[0].second.data()};
    REQUIRE(prepared.prepare_second().empty());
  }
};

TEST_CASE("Mixed inputs are nearly all from the other set, at other positions") {
  Mixed mixed;
  REQUIRE(mixed.prepared.memory.can_mix());
  const Doubles own = held(mixed.here);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    mixed.prepared.memory.mix(seed, stream());
    const Doubles some = held(mixed.here);
    std::size_t others = 0, at_their_place = 0;
    for (std::size_t k = 0; k < some.size(); ++k) {
      if (some[k] == own[k]) continue;
      REQUIRE(some[k] < 1000);
      ++others;
      at_their_place += some[k] == static_cast<double>(k) ? 1u : 0u;
    }
    CAPTURE(seed);
    CHECK(others >= 900);
    CHECK(others < 1000);
    CHECK(at_their_place == 0);
    CHECK_THAT(mixed.prepared.complaint(), Contains("write into its input 'x'"));
    mixed.prepared.memory.mix(seed, stream());
    CHECK(held(mixed.here) == own);
    CHECK(mixed.prepared.complaint() == kNothing);
  }
}

TEST_CASE("Mixing loses no element of either set") {
  Mixed mixed;
  mixed.prepared.memory.mix(11, stream());
  Doubles all = held(mixed.here);
  mixed.prepared.memory.exchange(stream());
  const Doubles other = held(mixed.here);
  all.insert(all.end(), other.begin(), other.end());
  std::ranges::sort(all);
  Doubles wanted = counting<double>(1000), more = counting<double>(1000, 5000);
  wanted.insert(wanted.end(), more.begin(), more.end());
  CHECK(all == wanted);
}

TEST_CASE("Only drawn inputs on the device, of some size, are mixed") {
  Prepared not_drawn([](const NamedArrays& in, Run& run) { run.to_device(in[0].second); });
  CHECK_FALSE(not_drawn.memory.can_mix());
  REQUIRE(not_drawn.prepare_second().empty());
  CHECK_FALSE(not_drawn.memory.can_mix());

  Prepared no_room([](const NamedArrays& in, Run& run) { run.to_device(in[0].second); });
  no_room.drawn = {no_room.second[0].second.data()};
  REQUIRE(no_room.prepare_second(false).empty());
  CHECK_FALSE(no_room.memory.can_mix());

  Array large, small;
  Prepared both([&](const NamedArrays& in, Run& run) {
    large = run.to_device(in[0].second);
    small = run.to_device(in[0].second.slice(0, 0, 100, 1));
  });
  both.drawn = {both.second[0].second.data()};
  REQUIRE(both.prepare_second().empty());
  CHECK(both.memory.can_mix());
  const Doubles before = held(small);
  both.memory.mix(1, stream());
  CHECK(held(small) == before);
  CHECK(held(large) != counting<double>(1000, 5000));
}

TEST_CASE("Arrays that are already on the device are copied from there") {
  for (const bool is_there : {true, false}) {
    Array made;
    Prepared prepared([&](const NamedArrays& in, Run& run) { made = run.to_device(in[0].second); });
    const Array there =
        is_there ? kernelbatch::to_device(prepared.second[0].second, stream()) : Array{};
    // Makes the copied array recognizable.
    prepared.second[0].second.as<double>()[0] = -1;
    std::vector<const std::byte*> asked;
    REQUIRE(prepared.memory
                .prepare_second(
                    {.prepare = [&](Run& run) { prepared.preparation(prepared.second, run); },
                     .inner = prepared.run,
                     .drawn = prepared.drawn,
                     .may_keep = [](std::size_t) { return true; },
                     .on_device =
                         [&](const Array& host) {
                           asked.push_back(host.data());
                           return there;
                         }},
                    stream())
                .empty());
    CHECK(asked == std::vector<const std::byte*>{prepared.second[0].second.data()});
    CHECK(held(made)[0] == (is_there ? 5000 : -1));
    CHECK(held(made)[999] == 5999);
  }
}

TEST_CASE("An array of the preparation that contains the answer is found") {
  const Array answer = Array::from(counting<double>(10, 3));
  const auto is_answer = [](const Array& array) {
    return array.dtype() == DType::kFloat64 && array.size() == 10 && held(array)[0] == 3;
  };
  const auto found = [&](const Preparation& preparation) {
    Prepared prepared(preparation);
    return prepared.memory.find_answer(is_answer);
  };
  CHECK(found([](const NamedArrays& in, Run& run) {
          run.to_device(in[0].second);
          run.scratch(DType::kFloat64, {10});
        }).empty());
  CHECK(found([&](const NamedArrays& in, Run& run) {
          run.to_device(in[0].second);
          run.to_device(answer);
        }) == "the array that it uploads as number 2");
  CHECK(found([&](const NamedArrays&, Run& run) {
          copy(kernelbatch::to_device(answer, run.stream()), run.scratch(DType::kFloat64, {10}),
               run.stream());
        }) == "scratch memory");
}

TEST_CASE("An input of the case that contains the answer is no finding") {
  Prepared prepared([](const NamedArrays& in, Run& run) { run.to_device(in[0].second); });
  CHECK(prepared.memory.find_answer([](const Array&) { return true; }).empty());
}

TEST_CASE("Digests of uploads are the same in every process") {
  const auto preparation = [](const NamedArrays& in, Run& run) { run.to_device(in[0].second); };
  Prepared one(preparation);
  CheckKernels others(device());
  PreparedMemory other(others, one.first);
  test::SmallRun run(other);
  other.prepare([&] { preparation(one.first, run); }, stream());
  CHECK(one.memory.known().size() == 1);
  CHECK(other.known() == one.memory.known());
  REQUIRE(one.prepare_second().empty());
  CHECK(one.memory.known().size() == 2);
  CHECK_FALSE(one.memory.known()[0] == one.memory.known()[1]);
}

}  // namespace
}  // namespace kernelbatch
