#!/usr/bin/env python3
"""Holds Frostline's zero-bubble schedules against those of the method's authors, with their code.

* zb_1p, zb_2p: their heuristic and ours search for an order with the same times and the same limit
  of activations. Compared are the orders, rank by rank, and the bubble rates; and their order,
  given to Frostline as a file, has to have the bubble rate that they say.
* zb_v: their heuristic looks at the times, our order does not. Both orders are played by Frostline.
* The seconds that their search takes beside ours, alone (bench-schedule) and in `frostline simulate`:
  the whole process, which searches, places transfers, checks and simulates with discrete events.

    git clone https://github.com/sail-sg/zero-bubble-pipeline-parallelism peer
    pip install pulp torch    # what their modules import; the CPU wheel of torch is enough
    ninja -C build/bench app/frostline bench/bench-schedule
    python bench/peers/zero_bubble_schedules.py build/bench peer

Fails where their order is shorter than ours, or where the two simulators differ.
"""

import argparse
import contextlib
import importlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import types
from dataclasses import dataclass

PEER_PACKAGE = "megatron.core.pipeline_parallel.zerobubble.scheduler"
LETTERS = {"F": "F", "B": "I", "W": "W"}
NS_PER_MS = 10**6


@dataclass(frozen=True)
class Case:
    """Times in ms: forward, input gradient, weight gradient, transfer."""
    name: str
    p: int
    m: int
    times: tuple
    sizes: tuple = (2, 1)  # MiB held from F, and between I and W

    @property
    def shape(self):
        return f"{self.p} x {self.m}"

    def nanoseconds(self):
        return tuple(float(round(ms * NS_PER_MS)) for ms in self.times)


def sizes(hidden, heads):
    """Of a layer, per unit of sequence x batch, with sequences of 1024."""
    return 34 * hidden + 5 * heads * 1024, 32 * hidden


# Qi et al. 2023, arXiv 2401.10241, table 9.
PUBLISHED = [
    Case("1.5B", 8, 24, (18.522, 18.086, 9.337, 0.601), sizes(2304, 24)),
    Case("1.5B", 8, 64, (18.546, 18.097, 9.321, 0.762), sizes(2304, 24)),
    Case("6.2B", 8, 24, (29.718, 29.444, 19.927, 0.527), sizes(4096, 32)),
    Case("6.2B", 8, 32, (29.802, 29.428, 19.530, 0.577), sizes(4096, 32)),
    Case("6.2B", 8, 64, (29.935, 29.621, 19.388, 0.535), sizes(4096, 32)),
    Case("14.6B", 16, 48, (11.347, 11.248, 8.132, 0.377), sizes(5120, 40)),
    Case("14.6B", 16, 128, (11.325, 11.308, 8.109, 0.378), sizes(5120, 40)),
    Case("28.3B", 32, 96, (10.419, 10.207, 7.715, 0.408), sizes(6144, 48)),
    Case("28.3B", 32, 256, (10.402, 10.248, 7.698, 0.460), sizes(6144, 48)),
]
GRID_TIMES = [(1, 1, 1, 0), (10, 12, 8, 0), (10, 12, 8, 1), (7.86, 11.58, 15.15, 0.5), (3, 1, 2, 0)]
GRID = [Case("grid", p, m, times) for p in (2, 3, 4, 8)
        for m in (1, p, 2 * p, 2 * p + 1, 4 * p) for times in GRID_TIMES]
V_CASES = [Case("zb_v", p, m, times) for p, m in ((4, 8), (4, 12), (8, 16), (8, 24))
           for times in ((1, 1, 1, 0), (10, 12, 8, 0), (18.522, 18.086, 9.337, 0.601))]


def load_peer(checkout):
    """Their scheduler modules alone: the packages around them would import all of Megatron."""
    path = pathlib.Path(checkout)
    name = ""
    for part in PEER_PACKAGE.split("."):
        name = f"{name}.{part}" if name else part
        path /= part
        package = types.ModuleType(name)
        package.__path__ = [str(path)]
        sys.modules[name] = package
    return types.SimpleNamespace(**{module: importlib.import_module(f"{PEER_PACKAGE}.{module}")
                                    for module in ("graph", "zb", "zbv")})


@dataclass
class PeerResult:
    lines: list  # one list of actions a rank, as in PyTorch's CSV
    seconds: float
    rate: float = 0.0


def action_text(node):
    return f"{node.layer_group_idx}{LETTERS[str(node.type)]}{node.microbatch}"


def lines_of(order):
    return [[action_text(node) for node in rank] for rank in order]


def peer_search(peer, case, limit):
    """Their zb_1p (limit 1) and zb_2p (limit 2); None where they find no order."""
    f, b, w, comm = case.nanoseconds()
    whole, part = (float(size) for size in case.sizes)
    p = case.p
    config = peer.graph.GraphConfig(
        cost_f=[f] * p, cost_b=[b] * p, cost_w=[w] * p, cost_comm=comm, n_stages=p, n_micro=case.m,
        mem_f=[whole] * p, mem_b=[part - whole] * p, mem_w=[-part] * p,
        max_mem=[limit * p * whole] * p)
    begin = time.perf_counter()
    try:
        graph = peer.zb.Graph.build_graph(p, case.m, config)
        cost, _, ends = peer.zb.initial_solution(graph, print_result=False)
    except (ValueError, AssertionError):
        return None
    seconds = time.perf_counter() - begin
    order = peer.zb.create_scheduled_nodes(graph, ends)
    return PeerResult(lines_of(order), seconds, 1 - case.m * (f + b + w) / cost)


def peer_v(peer, case):
    f, b, w, comm = case.nanoseconds()
    graph = peer.zbv.PipelineGraph(case.p, case.m, f, b, w, comm, 2, -1, -1)
    config = types.SimpleNamespace(n_stages=case.p, max_chunks=2)
    begin = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        order = graph.create_schedule(config)
    return PeerResult(lines_of(order), time.perf_counter() - begin)


class Frostline:
    def __init__(self, command, folder):
        self.command = command
        self.folder = folder

    def scenario(self, case, schedule, limit):
        f, i, w, send = case.times
        whole, part = case.sizes
        chunks = 2 if case.name == "zb_v" else 1
        return (f"[pipeline]\nranks = {case.p}\nchunks = {chunks}\nmicro_batches = {case.m}\n"
                f"schedule = '{schedule}'\nmemory_limit = {float(limit)}\n"
                f"[cost]\nsource = 'table'\nforward_ms = [{f}]\ninput_gradient_ms = [{i}]\n"
                f"weight_gradient_ms = [{w}]\nsend_ms = {send}\nactivation_mib = [{whole}]\n"
                f"activation_after_input_gradient_mib = [{part}]\n[train]\nsteps = 1\n")

    def run(self):
        begin = time.perf_counter()
        result = subprocess.run(
            [self.command, "simulate", "s.toml", "--json", "--schedule-out", "ours.csv",
             "--schedule-format", "compute_only"],
            capture_output=True, text=True, cwd=self.folder, check=False)
        if result.returncode != 0:
            raise RuntimeError(result.stderr)
        return json.loads(result.stdout)["bubble_rate"], time.perf_counter() - begin

    def simulate(self, case, schedule, limit=0, runs=1):
        """Bubble rate, the order, and the seconds of the best of the runs."""
        (self.folder / "s.toml").write_text(self.scenario(case, schedule, limit))
        results = [self.run() for _ in range(runs)]
        lines = [line.split(",") for line in (self.folder / "ours.csv").read_text().splitlines()]
        return results[0][0], lines, min(seconds for _, seconds in results)

    def play(self, case, lines):
        """The bubble rate of an order that is given."""
        (self.folder / "peer.csv").write_text("".join(",".join(line) + "\n" for line in lines))
        return self.simulate(case, "file:peer.csv")[0]


def compare(frostline, peer, case, limit, runs=1):
    theirs = peer_search(peer, case, limit)
    rate, lines, seconds = frostline.simulate(case, "zb_1p", limit, runs)
    if theirs is None:
        return None, rate, False, seconds
    played = frostline.play(case, theirs.lines)
    assert abs(played - theirs.rate) < 1e-9, f"{case}: {played} and {theirs.rate} of one order"
    assert rate < theirs.rate + 1e-9, f"{case}, limit {limit}: {rate}, theirs {theirs.rate}"
    return theirs, rate, lines == theirs.lines, seconds


def print_table(header, rows):
    print("| " + " | ".join(header) + " |\n|" + " --- |" * len(header))
    for row in rows:
        print("| " + " | ".join(row) + " |", flush=True)
    print()


def search_seconds(bench):
    """Of Frostline's search alone, by (schedule, shape, model)."""
    result = subprocess.run([bench, "--benchmark_format=json", "--benchmark_min_time=0.05"],
                            capture_output=True, text=True, check=True)
    rows = json.loads(result.stdout)["benchmarks"]
    return {tuple(row["name"].split("/")[1:]): row["real_time"] / 1e3 for row in rows}


def published_rows(frostline, peer, search):
    for case in PUBLISHED:
        for limit in (1, 2):
            theirs, rate, same, seconds = compare(frostline, peer, case, limit, runs=5)
            ours = search[(f"zb_{limit}p", f"{case.p}x{case.m}", case.name)]
            yield (case.name, case.shape, f"`zb_{limit}p`", f"{theirs.rate:.5f}", f"{rate:.5f}",
                   "same" if same else "another", f"{theirs.seconds * 1e3:.0f} ms",
                   f"{ours * 1e3:.3f} ms", f"{theirs.seconds / ours:.0f}",
                   f"{seconds * 1e3:.1f} ms", f"{theirs.seconds / seconds:.0f}")


def grid_rows(frostline, peer):
    for limit in (1, 1.25, 1.5, 2, 3):
        results = [compare(frostline, peer, case, limit) for case in GRID]
        found = [result for result in results if result[0] is not None]
        same = sum(1 for result in found if result[2])
        shorter = [theirs.rate - rate for theirs, rate, _, _ in found if theirs.rate - rate > 1e-9]
        yield (f"{limit:g}", str(len(results)), str(len(found)), str(same), str(len(shorter)),
               f"{max(shorter, default=0):.4f}")


def v_rows(frostline, peer):
    for case in V_CASES:
        theirs = peer_v(peer, case)
        rate, lines, _ = frostline.simulate(case, "zb_v")
        yield (case.shape, "{:g}, {:g}, {:g}; {:g}".format(*case.times),
               f"{frostline.play(case, theirs.lines):.4f}", f"{rate:.4f}",
               "same" if lines == theirs.lines else "another")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path, help="folder of a build with -Dbench=true")
    parser.add_argument("peer", type=pathlib.Path, help="checkout of the authors' repository")
    arguments = parser.parse_args()
    peer = load_peer(arguments.peer)
    with tempfile.TemporaryDirectory() as folder:
        build = arguments.build.resolve()
        frostline = Frostline(build / "app/frostline", pathlib.Path(folder))
        search = search_seconds(build / "bench/bench-schedule")
        print_table(("times of", "ranks x micro-batches", "schedule", "their bubble rate", "ours",
                     "order", "their search", "ours", "ratio", "frostline simulate", "ratio"),
                    published_rows(frostline, peer, search))
        print_table(("limit", "cases", "in which they find an order", "the same as ours",
                     "ours is shorter", "by a bubble rate of up to"), grid_rows(frostline, peer))
        print_table(("ranks x micro-batches", "F, I, W; send (ms, a chunk)",
                     "bubble rate of their ZB-V", "of `zb_v`", "order"), v_rows(frostline, peer))


if __name__ == "__main__":
    sys.exit(main())
