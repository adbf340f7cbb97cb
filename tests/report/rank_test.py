"""The Mann-Whitney test against SciPy's. Usage: rank_test.py TOOL. Exits 77 without SciPy."""
import random
import subprocess
import sys

try:
    from scipy.stats import mannwhitneyu
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

random.seed(1)
sets = []
for n, m in [(1, 1), (1, 5), (3, 4), (8, 8), (12, 7), (20, 30), (60, 45)]:
    for shift in (0, 0.3, 3):
        sets.append(([random.gauss(0, 1) for _ in range(n)],
                     [random.gauss(shift, 1) for _ in range(m)]))
        # With ties, for which only the normal form holds.
        sets.append(([float(random.randint(0, 5)) for _ in range(n)],
                     [float(random.randint(0, 5)) + round(shift) for _ in range(m)]))
sets.append(([1.0] * 10, [1.0] * 10))

text = "".join(" ".join(map(repr, side)) + "\n" for pair in sets for side in pair)
lines = subprocess.run([sys.argv[1]], input=text, capture_output=True, text=True,
                       check=True).stdout.splitlines()
assert len(lines) == len(sets)
close = lambda got, want: abs(got - want) <= 1e-9 * max(1, abs(want))
for (a, b), line in zip(sets, lines):
    u, exact, normal, chosen = map(float, line.split())
    has_ties = len(set(a + b)) < len(a) + len(b)
    if len(set(a + b)) == 1:  # SciPy divides by zero here
        assert normal == 1
        continue
    want = mannwhitneyu(a, b, alternative="two-sided", method="asymptotic")
    assert close(u, want.statistic), (a, b, u, want)
    assert close(normal, want.pvalue), (a, b, normal, want)
    if not has_ties and len(a) * len(b) <= 2500:
        want = mannwhitneyu(a, b, alternative="two-sided", method="exact")
        assert close(exact, want.pvalue), (a, b, exact, want)
        assert chosen == exact
    else:
        assert chosen == normal
print(f"{len(sets)} pairs of sets agree with SciPy")
