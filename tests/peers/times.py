"""Times of works by style, measured in one or several processes."""
import statistics


class Times(dict):
    """{work: {style: seconds}}, the medians of what was added."""

    def __init__(self):
        super().__init__()
        self.samples = {}

    def add(self, work, style, seconds):
        samples = self.samples.setdefault((work, style), [])
        samples.append(seconds)
        self.setdefault(work, {})[style] = statistics.median(samples)

    def fastest(self, work):
        return min(self.get(work, {}).values(), default=float("inf"))
