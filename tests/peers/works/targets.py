"""Targets of the families of the second round, relative to this run's own ceilings and the best peer."""
import dataclasses

LARGE = 50e6  # bytes; works that move less are bound by latency
NEAR = 0.3e-6  # seconds that a small work may be behind the best peer
NOISE = 1.01  # two medians of the same work may differ by this much


@dataclasses.dataclass
class Target:
    share: float = 0.0  # of the ceiling, for a large work

    def in_words(self, work):
        if work.bytes and work.bytes < LARGE:
            return f"best + {NEAR * 1e6:.1f} us"
        return f"{100 * self.share:.0f} %, ahead" if self.share else "ahead"


TARGETS = {"rows": Target(0.90), "mse": Target(0.90), "sums": Target(0.85), "elementwise": Target(0.90),
           "16-bit": Target(0.95), "layouts": Target(0.80), "transposes": Target(0.90), "sparse": Target(0.90),
           "matmul": Target()}


def is_behind(work, seconds, peer):
    if peer is None:
        return False
    slack = NEAR if work.bytes and work.bytes < LARGE else 0
    return seconds > peer * NOISE + slack


def missed(work, seconds, peer, share):
    """The missed targets of a result, in words; empty if it misses none."""
    reasons = []
    wanted = TARGETS[work.family].share
    if wanted and share is not None and work.bytes >= LARGE and share < wanted:
        reasons.append(f"{100 * share:.0f} % of the ceiling, {100 * wanted:.0f} % required")
    if is_behind(work, seconds, peer):
        reasons.append(f"{seconds / peer:.2f} of the best peer's time")
    return reasons
