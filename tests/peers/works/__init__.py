"""The sets of works to compare, with a module for each family.

| module | works |
|---|---|
| `first_table`, `first_random` | the first round, against CuPy only |
| `rows`, `reductions`, `elementwise`, `layouts`, `products` | the second round, against four peers |
| `targets` | targets of the second round's families |
| `work` | the class of a work, and helpers to make works |"""
import random

from works import elementwise, layouts, products, reductions, rows
from works.first_random import random_works
from works.first_table import table
from works.work import Work, inline_squared_diff, plugin

__all__ = ["SETS", "Work", "inline_squared_diff", "make_set", "plugin", "random_works", "table"]

SETS = ("table", "random", "second", "random2")


def every_ability(workload):
    return (("raw", "jit", "library", "raw_tensor"), ("float32", "float64", "float16", "bfloat16"))


def make_set(name, seed=0, small=False, every=False, abilities=every_ability):
    """A list of works. `small`: small shapes, to check on a CPU that the works are right; `every`: all operations of
    rows for all dtypes and shapes; `abilities`: what plugins' workloads have (products.second)."""
    if name == "table":
        return table()
    if name == "random":
        return random_works(seed)
    if name == "second":
        made = [*rows.second(small, every), *reductions.second(small), *elementwise.second(small),
                *layouts.second(small), *products.second(abilities, small)]
    else:
        rng = random.Random(seed)
        made = [*rows.random_rows(rng, 40, small), *reductions.random_reductions(rng, 40, small),
                *layouts.random_layouts(rng, 40, small), *elementwise.random_maps(rng, 40, small)]
    return list({work.name: work for work in made}.values())  # small shapes may be the same
