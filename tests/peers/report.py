"""The table of the second round: ours and each peer, and the works that are behind or miss their targets."""
import json
import math

from works import targets

PEERS = ("cupy", "eager", "compiled", "cub")
HEADS = {"cupy": "CuPy", "eager": "PyTorch", "compiled": "Inductor", "cub": "CUB"}


def in_words(seconds):
    if seconds is None:
        return "-"
    return f"{seconds * 1e3:.4g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.4g} us"


def best_of(styles):
    """(seconds, style) of the fastest, or (None, "")."""
    return min(((seconds, style) for style, seconds in styles.items()), default=(None, ""))


def rows_of(list_of_works, found, peers):
    """One dictionary for each work."""
    ceilings = found.ceilings()
    rows = []
    for work in list_of_works:
        ours, style = best_of(found.times.get(work.name, {}))
        theirs = {peer: best_of(peers.times[peer].get(work.name, {}))[0] for peer in PEERS}
        known = {peer: seconds for peer, seconds in theirs.items() if seconds is not None}
        best = min(known, key=known.get, default=None)
        peer = known.get(best)
        ceiling = ceilings["read" if work.reads_only else "copy"]
        has_share = ours is not None and work.bytes and work.bytes >= targets.LARGE and not math.isnan(ceiling)
        share = work.bytes / ours / ceiling if has_share else None
        rows.append({"work": work.name, "family": work.family, "bytes": work.bytes, "ours": ours, "style": style,
                     **theirs, "best": best, "ratio": peer / ours if ours and peer else None, "share": share,
                     "target": targets.TARGETS[work.family].in_words(work),
                     "missed": targets.missed(work, ours, peer, share) if ours is not None else ["no time of ours"],
                     "behind": ours is not None and targets.is_behind(work, ours, peer)})
    return rows


def cells(row):
    ours = f"{row['style']} {in_words(row['ours'])}" if row["ours"] is not None else "-"
    share = f"{100 * row['share']:.0f} %" if row["share"] is not None else "-"
    return [row["work"], ours, *(in_words(row[peer]) for peer in PEERS),
            HEADS[row["best"]] if row["best"] else "-", f"{row['ratio']:.2f}" if row["ratio"] else "-", share,
            row["target"] + (" MISSED" if row["missed"] else "")]


HEAD = ["work", "ours", *(HEADS[peer] for peer in PEERS), "best peer", "ratio", "ceiling", "target"]


def head_lines(found, peers):
    ceilings, empty = found.ceilings(), {"kernelbatch": found.median("empty_launch")}
    empty.update({HEADS[peer]: seconds for peer, seconds in peers.empty.items()})
    return [f"ceilings of this run: copy {ceilings['copy'] / 1e12:.3f} TB/s, read {ceilings['read'] / 1e12:.3f} TB/s",
            "an empty kernel: " + ", ".join(f"{name} {in_words(seconds)}" for name, seconds in empty.items()
                                            if not math.isnan(seconds))]


def print_table(rows, found, peers):
    for line in head_lines(found, peers):
        print(line)
    table = [HEAD, *(cells(row) for row in rows)]
    table = [[line[0][:64], *line[1:]] for line in table]
    widths = [max(len(line[k]) for line in table) for k in range(len(HEAD))]
    for line in table:
        print("  ".join(cell.ljust(width) if k in (0, 6, 9) else cell.rjust(width)
                        for k, (cell, width) in enumerate(zip(line, widths))).rstrip())
    held = [row for row in rows if row["ratio"]]
    print(f"{len(held)} works compared with a peer, {sum(row['behind'] for row in rows)} of ours behind the best one")
    for title, chosen in (("behind", [row for row in rows if row["behind"]]),
                          ("misses its target", [row for row in rows if len(row["missed"]) > row["behind"]])):
        for row in chosen:
            print(f"  {title}: {row['work']}: {'; '.join(row['missed'])}")
            if row.get("reason"):
                print(f"    {row['style']}: {row['reason']}")
    for work, styles in found.wrong.items():
        for style, reason in styles.items():
            print(f"  wrong or failed: {work} {style}: {reason}")
    for peer in PEERS:
        works_of = {}  # many works fail for one reason
        for work, styles in peers.errors[peer].items():
            for style, reason in styles.items():
                works_of.setdefault(reason, []).append(f"{work} {style}".strip())
        for reason, names in works_of.items():
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            print(f"  {HEADS[peer]} failed: {names[0]}{more}: {reason}")


def write_markdown(path, rows, found, peers):
    with open(path, "w", encoding="utf-8") as file:
        for line in head_lines(found, peers):
            file.write(f"{line}\n\n")
        file.write("| " + " | ".join(HEAD) + " |\n|" + "---|" * len(HEAD) + "\n")
        for row in rows:
            file.write("| " + " | ".join(cells(row)).replace(" us", " µs") + " |\n")


def write_reasons(path, rows):
    """Below the table: the reason for each row that has one."""
    with open(path, "a", encoding="utf-8") as file:
        file.write("\n| work | ours | missed | why ours takes its time |\n|---|---|---|---|\n")
        for row in rows:
            if row["reason"]:
                file.write(f"| {row['work']} | {row['style']} {in_words(row['ours'])} | {'; '.join(row['missed'])} | "
                           f"{row['reason']} |\n".replace(" us", " µs"))


def write_json(path, rows, found, peers):
    """All figures, every style of every side; the samples are one time for each process."""
    for row in rows:
        name = row["work"]
        row["styles"] = {"kernelbatch": found.times.get(name, {}),
                         **{peer: peers.times[peer].get(name, {}) for peer in PEERS}}
        row["samples"] = {side: {style: times.samples[name, style] for style in times.get(name, {})}
                          for side, times in (("kernelbatch", found.times), *peers.times.items())}
        row["compile_seconds"] = peers.compile_seconds.get(name, {})
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"calibration": {kind: found.median(kind) for kind in found.calibration}, "works": rows,
                   "empty_kernels": peers.empty, "versions": peers.versions, "missing": peers.missing,
                   "wrong": found.wrong, "errors": peers.errors}, file, indent=1)
