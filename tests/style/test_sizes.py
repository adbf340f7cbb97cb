"""Checks that every test of a build folder has one of the sizes quick, full, nightly and manual, and a limit that ends
only a hang: test_sizes.py CTEST BUILD"""
import json
import subprocess
import sys

SIZES = {"quick", "full", "nightly", "manual"}
LEAST_LIMIT_S = 3600


def main():
    ctest, build = sys.argv[1:]
    listed = subprocess.run([ctest, "--test-dir", build, "-C", "manual", "--show-only=json-v1"], check=True,
                            capture_output=True, text=True).stdout
    wrong = []
    tests = json.loads(listed)["tests"]
    for test in tests:
        properties = {each["name"]: each["value"] for each in test.get("properties", [])}
        sizes = SIZES.intersection(properties.get("LABELS", []))
        if len(sizes) != 1:
            wrong.append(f"{test['name']}: expected one size (test_size in core/cmake/AddTests.cmake), found {sizes or 'none'}")
        elif "manual" not in sizes and properties.get("TIMEOUT", 0) < LEAST_LIMIT_S:
            wrong.append(f"{test['name']}: a limit of {properties.get('TIMEOUT')} s can end a test on a busy machine")
    print("\n".join(wrong) or f"{len(tests)} tests, each with one size")
    return 1 if wrong or not tests else 0


sys.exit(main())
