#include "core/report/table.hpp"

#include <sstream>

#include "core/report/failures.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/made_result.hpp"

namespace kernelbatch {
namespace {

ResultRecord good_result(const std::string& variant) {
  ResultRecord record = test::MadeResult(variant, 2e-3, 1e-4)
                            .of("demo")
                            .in_case("00112233")
                            .on("host")
                            .with("n", std::int64_t{1000})
                            .with_samples(100)
                            .set(&ResultRecord::bytes_read, 2e6)
                            .set(&ResultRecord::bytes_written, 2e6)
                            .set(&ResultRecord::speedup, 1.5)
                            .made();
  record.outputs.resize(1);
  record.outputs[0].max_abs_err = 0.1;
  record.outputs[0].max_rel_err = 2.5e-7;
  return record;
}

ResultRecord bad_result(const std::string& variant, Status status) {
  ResultRecord record = good_result(variant);
  record.status = status;
  record.phase = Phase::kRun;
  record.reason = "it went wrong";
  return record;
}

/// The line of a table that begins with these words.
std::string line_of(const std::string& text, const std::string& begin) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find(begin) != std::string::npos) return line;
  return "";
}

TEST_CASE("Columns are as wide as their widest cell, and no line ends in spaces") {
  TextTable table({"a", "long header", "c"});
  table.add({"wide cell", "x", "1"});
  table.add({"y", "z", ""});
  CHECK(table.to_text() ==
        "a          long header  c\n"
        "wide cell  x            1\n"
        "y          z\n");
}

TEST_CASE("Columns of numbers are aligned to the right") {
  TextTable table({"name", "count"});
  table.add({"a", "1"});
  table.add({"b", "1234567"});
  CHECK(table.to_text({1}) ==
        "name    count\n"
        "a           1\n"
        "b     1234567\n");
}

TEST_CASE("Letters of several bytes count as one column") {
  TextTable table({"größe", "x"});
  table.add({"µs", "1"});
  table.add({"12345", "2"});
  CHECK(table.to_text() ==
        "größe  x\n"
        "µs     1\n"
        "12345  2\n");
}

TEST_CASE("Lines are cut at the terminal's width, never inside a letter") {
  TextTable table({"äöü", "second"});
  table.add({"ßßß", "x"});
  CHECK(table.to_text({}, {.width = 2}) == "äö\nßß\n");
  CHECK(table.to_text({}, {.width = 3}) == "äöü\nßßß\n");
  CHECK(table.to_text({}, {.width = 7}) == "äöü  se\nßßß  x\n");
}

TEST_CASE("Dropped columns are listed") {
  TextTable table({"  verdict", "time", "where it ran"});
  table.add({"  SAME", "1.00 ms", "device"});
  table.drop_when_narrow({2, 1});
  CHECK(table.to_text({}, {.width = 20}) ==
        "  verdict  time\n"
        "  SAME     1.00 ms\n"
        "Hidden at this\n"
        "width: where it ran\n");
  CHECK(table.to_text({}, {.width = 32}).find("Hidden") == std::string::npos);
  table.drop_when_empty(0);
  CHECK_THAT(table.hidden_text({.width = 10}), Contains("where it\nran,") && Contains("time"));
}

TEST_CASE("Long text takes several lines, and nothing of it is lost") {
  TextTable table({"name", "variants", "from"});
  table.add({"a", "reference, elementwise, reduction", "/here"});
  table.add({"b", "a_name_that_is_longer_than_that", "x"});
  table.wrap({1});
  CHECK(table.to_text({}, {.width = 35}) ==
        "name  variants                from\n"
        "a     reference,              /here\n"
        "      elementwise, reduction\n"
        "b     a_name_that_is_longer_  x\n"
        "      than_that\n");
  CHECK(table.to_text({}, {.width = 400}).find("reference, elementwise, reduction  /here") !=
        std::string::npos);
}

TEST_CASE("Cells that do not fit leave no empty lines") {
  TextTable table({"time", "name"});
  table.add({"1.00 ms of a long time", "several words of which none fits"});
  table.wrap({1});
  CHECK(table.to_text({}, {.width = 20}) == "time\n1.00 ms of a long ti\n");
}

TEST_CASE("A table without rows is its header") {
  CHECK(TextTable({"a", "b"}).to_text() == "a  b\n");
  CHECK(TextTable({"a", "b"}).empty());
}

TEST_CASE("A correct result shows time, interval, rate, speed-up and error") {
  const std::string text = results_table({good_result("raw")});
  const std::string line = line_of(text, "  raw");
  CHECK_THAT(line, Contains("ok") && Contains("2.00 ms") && Contains("± 5 %") && Contains("2.00") &&
                       Contains("1.50x") && Contains("rel 2.5e-07") && Contains("host"));
  CHECK_THAT(text, Contains("demo  n=1000  [00112233]"));
  CHECK(text.find("Not ok") == std::string::npos);
}

TEST_CASE("Incorrect results show no time") {
  for (const Status status : {Status::kVerificationFailed, Status::kCrashed, Status::kTimedOut,
                              Status::kOutOfMemory, Status::kCompileFailed, Status::kSkipped}) {
    const std::string text = results_table({bad_result("raw", status)});
    const std::string line = line_of(text, "  raw  ");
    CAPTURE(text);
    CHECK_THAT(line, Contains(std::string(to_text(status)) + " "));
    CHECK_THAT(line, Contains("  -"));
    CHECK(line.find("ms") == std::string::npos);
    CHECK(line.find('x') == std::string::npos);
    CHECK_THAT(text, Contains("Not ok:\n  demo n=1000 raw: " + std::string(to_text(status)) +
                              " in phase run: it went wrong\n"));
  }
}

TEST_CASE("A failure shows its likely cause and the command that reruns it") {
  ResultRecord wrong = bad_result("raw", Status::kVerificationFailed);
  wrong.fault = "never written";
  const std::string text = failure_text(wrong, {}, "kernelbatch run a/job.yaml -p n=1");
  CHECK_THAT(text, Contains("      likely: the grid has too few threads") &&
                       Contains("      again: kernelbatch run a/job.yaml -p n=1 --case " +
                                wrong.case_id + " --only variant=raw -o again.h5\n"));
  CHECK_THAT(failure_text(wrong), !Contains("again:"));
  wrong.fault = "3 wrong, varies";
  CHECK_THAT(failure_text(wrong),
             Contains("      likely: a race: ") && Contains("--sanitize finds it"));
  // Its findings explain it.
  ResultRecord unsafe = wrong;
  unsafe.status = Status::kUnsafe;
  CHECK_THAT(failure_text(unsafe), !Contains("likely:"));
  CHECK_THAT(failure_text(bad_result("raw", Status::kSkipped), {}, "job.yaml"),
             !Contains("again:"));
  ResultRecord compiled = bad_result("raw", Status::kCompileFailed);
  compiled.reason = "cannot compile 'raw': job.yaml:3: error: no";
  compiled.detail = "job.yaml:3: error: no\n  z = q\n";
  CHECK(failure_text(compiled) ==
        "  demo n=1000 raw: compile_failed in phase run: cannot compile 'raw': job.yaml:3: error: "
        "no\n"
        "      |   z = q\n");
}

TEST_CASE("Failures of a variant that differ in numbers are listed once") {
  ResultRecord first = bad_result("raw", Status::kVerificationFailed), second = first,
               other = first;
  first.reason =
      "output 'y': 10 of 10 elements are wrong (rtol=1e-06 atol=0); first at [0]: got nan";
  second.reason =
      "output 'y': 9 of 20 elements are wrong (rtol=1e-15 atol=0); first at [3]: got -2.5";
  other.reason = "output 'y': 9 of 20 elements were never written";
  const std::string text = results_table({first, second, first, other});
  CHECK_THAT(text, Contains("10 of 10 elements are wrong") &&
                       Contains("      the same in 2 other cases\n") && Contains("never written") &&
                       !Contains("got -2.5"));
  CHECK(results_table({first, other}).find("the same") == std::string::npos);
}

TEST_CASE("An exact output is marked, and the reference is not compared") {
  ResultRecord exact = good_result("raw");
  exact.outputs[0].max_abs_err = 0;
  ResultRecord reference = good_result("reference");
  reference.kind = VariantKind::kReference;
  const std::string text = results_table({reference, exact});
  CHECK_THAT(line_of(text, "  raw"), Contains("exact"));
  CHECK_THAT(line_of(text, "  reference"), Contains("is the reference"));
}

TEST_CASE("An error without a number is neither exact nor zero") {
  ResultRecord wrong = good_result("raw");
  wrong.status = Status::kVerificationFailed;
  OutputRecord& output = wrong.outputs[0];
  output.mismatches = 0;
  output.max_abs_err = 0;
  CHECK_THAT(line_of(results_table({wrong}), "  raw"), Contains("NaN") && !Contains("exact"));
  output.max_abs_err = output.max_rel_err = kMissing;
  CHECK_THAT(line_of(results_table({wrong}), "  raw"), Contains("NaN") && !Contains("rel"));
  OutputRecord right = output;
  right.max_abs_err = right.max_rel_err = 0;
  wrong.outputs = {right, wrong.outputs[0], right};
  wrong.outputs.back().mode = "none";
  CHECK_THAT(line_of(results_table({wrong}), "  raw"), Contains("NaN"));
  wrong.outputs = {right};
  wrong.outputs[0].max_abs_err = wrong.outputs[0].max_rel_err = HUGE_VAL;
  CHECK_THAT(line_of(results_table({wrong}), "  raw"), Contains("rel inf"));
}

TEST_CASE("A right result without time shows a dash") {
  ResultRecord untimed = good_result("raw");
  untimed.cold = {};
  untimed.speedup = kMissing;
  CHECK_THAT(line_of(results_table({untimed}), "  raw"), Contains(" - "));
}

TEST_CASE("Too few samples for an interval show none") {
  ResultRecord few = good_result("raw");
  few.cold.samples = 5;
  few.cold.ci95_low = few.cold.ci95_high = few.cold.median;
  CHECK(line_of(results_table({few}), "  raw").find("±") == std::string::npos);
}

TEST_CASE("Each case has a block of its own") {
  ResultRecord other = good_result("raw");
  other.case_id = "44556677";
  const std::string text = results_table({good_result("raw"), good_result("jit"), other});
  CHECK_THAT(text, Contains("[00112233]") && Contains("[44556677]"));
  CHECK(text.find("[00112233]") == text.rfind("[00112233]"));
}

TEST_CASE("A failure shows the worker's last lines, set apart") {
  ResultRecord record = bad_result("raw", Status::kCrashed);
  record.detail = "first\n\nlast\n";
  CHECK(failure_text(record) ==
        "  demo n=1000 raw: crashed in phase run: it went wrong\n"
        "      | first\n"
        "      | last\n");
}

TEST_CASE("A narrow terminal drops the least informative columns, and no line is wider") {
  ResultRecord record = good_result("raw");
  record.ceiling = 4e9;
  const std::string wide = results_table({record}, {.width = 200});
  CHECK_THAT(line_of(wide, "  raw"), Contains("host") && Contains("50 %"));
  std::size_t columns = 1000;
  for (const std::size_t width : {100u, 70u, 60u, 50u, 40u, 30u}) {
    const std::string text = results_table({record}, {.width = width});
    CAPTURE(width, text);
    const std::string line = line_of(text, "  raw");
    CHECK(columns_of(line) <= width);
    CHECK_THAT(line, Contains("2.00 ms"));
    CHECK(columns_of(line) <= columns);
    columns = columns_of(line);
  }
  const std::string narrow = line_of(results_table({record}, {.width = 60}), "  raw");
  CHECK_THAT(narrow, Contains("1.50x"));
  CHECK(narrow.find("host") == std::string::npos);
}

TEST_CASE("A column that no result fills is not shown") {
  CHECK(results_table({good_result("raw")}).find("ceiling") == std::string::npos);
}

TEST_CASE("Colour marks correct and wrong results, only if it is supported") {
  const std::vector<ResultRecord> results{good_result("raw"), bad_result("jit", Status::kCrashed)};
  const std::string coloured = results_table(results, {.has_colour = true});
  CHECK_THAT(coloured, Contains("\x1b[32mok\x1b[0m") && Contains("\x1b[1;31mcrashed\x1b[0m"));
  std::string plain = coloured;
  for (std::size_t at; (at = plain.find('\x1b')) != std::string::npos;)
    plain.erase(at, plain.find('m', at) - at + 1);
  CHECK(plain == results_table(results));
  CHECK(results_table(results).find('\x1b') == std::string::npos);
}

TEST_CASE("Launches are listed with their resources") {
  ResultRecord record = good_result("raw");
  record.launches = {{"add_up", 0, {7, 2, 1}, {256, 1, 1}, 4096, 24, 0, 0, 1.5e-6}};
  const std::string text = launches_table({record});
  CHECK_THAT(text, Contains("1 launch\n"));
  CHECK_THAT(line_of(text, "add_up"), Contains("7 x 2") && Contains("256") &&
                                          Contains("4.00 KiB") && Contains("24") &&
                                          Contains("1.50 µs"));
  record.launches.clear();
  CHECK_THAT(launches_table({record}), Contains("no launch was recorded"));
}

TEST_CASE("No results are no table") { CHECK(results_table({}).empty()); }

TEST_CASE("Older files get a note on the variation between runs that compare allows for") {
  ResultRecord result = good_result("raw");
  CHECK(reruns_text({result}).empty());
  result.device = "NVIDIA H200";
  CHECK(reruns_text({good_result("reference"), result}) ==
        "95 %: of the median in this run; another run's may lie 0.75 µs a launch and 1 % further "
        "off.\n");
  result.processes = 1;
  CHECK(reruns_text({result}).empty());
}

TEST_CASE("A noisy calibration is reported below the table") {
  DeviceCalibration calibration;
  calibration.device = "host";
  calibration.noise_floor = kQuietNoise;
  CHECK(noise_text({calibration}).empty());
  CHECK(noise_text({}).empty());
  calibration.noise_floor = 5.75;
  CHECK_THAT(noise_text({calibration}), Contains("noise of host is 575 %"));
  calibration.noise_floor = kMissing;
  CHECK_THAT(noise_text({calibration}), Contains("noise of host is not known"));
}

TEST_CASE("The error column shows a fault first") {
  ResultRecord wrong = bad_result("raw", Status::kVerificationFailed);
  wrong.outputs[0].mode = "none";
  for (const std::string fault : {"100 wrong", "never written", "out of bounds", "varies",
                                  "input written", "inputs not read", "prepared answer"}) {
    wrong.fault = fault;
    CHECK_THAT(line_of(results_table({wrong}), "  raw"),
               Contains(fault) && !Contains("UNVERIFIED"));
  }
}

TEST_CASE("A correct but nondeterministic result is marked") {
  ResultRecord record = good_result("raw");
  const auto line = [&] { return line_of(results_table({record}), "  raw"); };
  CHECK_THAT(line(), !Contains("varies"));
  record.deterministic = true;
  CHECK_THAT(line(), !Contains("varies"));
  record.deterministic = false;
  CHECK_THAT(line(), Contains("rel 2.5e-07, varies"));
}

TEST_CASE("An output without a reference is marked unverified") {
  ResultRecord record = good_result("raw");
  record.outputs[0].mode = "none";
  CHECK_THAT(line_of(results_table({record}), "  raw"), Contains("UNVERIFIED: no reference"));
}

TEST_CASE("Results that are not verified are counted") {
  ResultRecord whole = good_result("raw"), half = good_result("jit"), none = good_result("fused");
  CHECK(results_table({whole}).find("verified") == std::string::npos);
  half.outputs.push_back(half.outputs[0]);
  half.outputs[1].mode = "none";
  none.outputs[0].mode = "none";
  const std::vector results{whole, half, none, bad_result("slow", Status::kSuspect)};
  CHECK_THAT(results_table(results), Contains("Unverified: 3 timed, 1 verified; "));
  CHECK(count_verified(results).timed == 3);
  CHECK(count_verified(results).verified == 1);
}

TEST_CASE("A result with one set of inputs is marked in its row") {
  ResultRecord one = good_result("raw"), two = good_result("jit");
  one.verified = two.verified = true;
  one.checked_calls = two.checked_calls = 10;
  one.input_sets = 1;
  two.input_sets = 2;
  const std::string text = results_table({one, two});
  CHECK_THAT(line_of(text, "  raw"), Contains(", one set"));
  CHECK_THAT(line_of(text, "  jit"), !Contains("one set"));
}

TEST_CASE("A suspect result has no time, and its reason below the table") {
  const std::string text = results_table({bad_result("raw", Status::kSuspect)});
  const std::string line = line_of(text, "  raw  ");
  CHECK_THAT(line, Contains("suspect ") && Contains("  -") && !Contains("ms") && !Contains("x"));
  CHECK_THAT(text, Contains("Not ok:\n  demo n=1000 raw: suspect in phase run: it went wrong\n"));
}

TEST_CASE("The number of checked calls is below the table, without the reference's") {
  ResultRecord one = good_result("raw"), two = good_result("jit"), reference = good_result("cpu");
  CHECK(results_table({one, two}).find("Checked") == std::string::npos);
  one.checked_calls = 100;
  one.input_sets = 2;
  two.checked_calls = 23;
  two.input_sets = 1;
  reference.kind = VariantKind::kReference;
  reference.checked_calls = 1000;
  CHECK_THAT(results_table({reference, one, two}),
             Contains("Checked: 123 calls of 2 results, 1 of them on two sets of inputs\n"));
  one.check_time = 2e-6;
  two.check_time = 5e-6;
  CHECK_THAT(results_table({reference, one, two}),
             Contains("; a check takes 5.00 µs at most, outside of what is timed\n"));
}

}  // namespace
}  // namespace kernelbatch
