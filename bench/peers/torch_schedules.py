#!/usr/bin/env python3
"""Holds Frostline's schedules against PyTorch's own, with the real package.

For each of `frostline simulate --list-schedules` and each shape below that it takes:

* PyTorch's loader reads both CSVs that --schedule-out writes: compute_only, which PyTorch then
  lowers itself, and compute_comms;
* where PyTorch has the schedule too, its order of computations is the same, rank by rank;
* PyTorch's simulator runs our lowering and its own to the end and keeps our order; its times are
  put beside those of `frostline simulate`: the whole process, which makes the order, lowers it,
  checks it and simulates it with discrete events.

PyTorch's simulator counts every action as one step, sends and receives too, so the times that it
gives schedules are not comparable; its steps for our lowering and for its own are. It knows no
overlapped pairs: they are given to it one after the other.

    python bench/peers/torch_schedules.py build/no-torch/app/frostline

needs torch==2.11.0 (pip install it into a virtual environment; the CPU wheel is enough). Fails
at the first thing that differs.
"""

import argparse
import json
import logging
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

import torch
from torch.distributed.pipelining import schedules as peer
from torch.distributed.pipelining.stage import _PipelineStageBase

PEER_NAMES = {
    "gpipe": "GPipe",
    "1f1b": "1F1B",
    "interleaved_1f1b": "Interleaved1F1B",
    "looped_bfs": "LoopedBFS",
    "interleaved_zb": "InterleavedZeroBubble",
    "zb_v": "ZBVZeroBubble",
    "dualpipe_v": "DualPipeV",
}
OTHERS = {peer.UNSHARD, peer.RESHARD, peer.REDUCE_GRAD}
V_SHAPED = {"zb_v", "dualpipe_v"}
SHAPES = [(p, v, m) for p in (2, 3, 4, 8) for v in (1, 2, 3) for m in (p, 2 * p, 3 * p, 2 * p + 1)]
TIMED_SHAPES = {(8, 1, 256), (8, 2, 256), (32, 1, 256), (32, 2, 256)}


class Stage(_PipelineStageBase):
    """As much of a stage as a schedule asks for while it makes its order."""

    def __init__(self, index, count, ranks):  # pylint: disable=super-init-not-called
        self.submod = torch.nn.Identity()
        self.stage_index = index
        self.num_stages = count
        self.group_rank = 0
        self.group_size = ranks
        self.group = None
        self.has_backward = True
        self.device = torch.device("cpu")
        self.stage_index_to_group_rank = {}
        self.dw_builder = None


Stage.__abstractmethods__ = frozenset()


def stages_of_rank_0(name, shape):
    p, v, _ = shape
    indices = [0, 2 * p - 1] if name in V_SHAPED else [chunk * p for chunk in range(v)]
    return [Stage(index, p * v, p) for index in indices]


def loss(output, _target):
    return output


def peer_schedule(name, shape):
    """PyTorch's own; None where it has none or refuses the shape."""
    if name not in PEER_NAMES:
        return None
    kind = peer.get_schedule_class(PEER_NAMES[name])
    stages = stages_of_rank_0(name, shape)
    single = issubclass(kind, peer.PipelineScheduleSingle)
    try:
        return kind(stages[0] if single else stages, shape[2], loss_fn=loss)
    except (ValueError, AssertionError):
        return None


def peer_order(schedule):
    by_rank = (schedule.pipeline_order if hasattr(schedule, "pipeline_order")
               else schedule._get_pipeline_order())
    order = [[a for a in by_rank[rank] if a is not None and a.computation_type not in OTHERS]
             for rank in sorted(by_rank)]
    if isinstance(schedule, peer.Schedule1F1B):
        # What 2.11.0 prints of the last rank numbers its forwards from 1; it executes them from 0.
        order[-1] = [a._replace(microbatch_index=a.microbatch_index - 1)
                     if a.computation_type == peer.FORWARD else a for a in order[-1]]
    return order


def load(path, name, shape, fmt):
    """With PyTorch's own loader."""
    runtime = peer._PipelineScheduleRuntime(stages_of_rank_0(name, shape), shape[2], loss_fn=loss)
    runtime._load_csv(str(path), format=fmt)
    return runtime


def unfolded(by_rank):
    return {rank: [part for action in actions for part in action.sub_actions or (action,)]
            for rank, actions in by_rank.items()}


def simulate(runtime):
    """PyTorch's simulator: its steps, and the seconds that it took."""
    lowered = {rank: [a for a in actions if a.computation_type not in OTHERS]
               for rank, actions in unfolded(runtime.pipeline_order_with_comms).items()}
    begin = time.perf_counter()
    result = peer._simulate_comms_compute(
        lowered, lambda s: runtime.stage_index_to_group_rank[s], runtime._num_stages)
    seconds = time.perf_counter() - begin
    order = {rank: [a for a in actions if a is not None] for rank, actions in result.items()}
    assert order == lowered, "PyTorch's simulator took another order"
    return max(len(actions) for actions in result.values()), seconds


def scenario(name, shape):
    p, v, m = shape
    return (f"[pipeline]\nranks = {p}\nchunks = {v}\nmicro_batches = {m}\nschedule = '{name}'\n"
            "[cost]\nsource = 'table'\nforward_ms = [1]\ninput_gradient_ms = [1]\n"
            "weight_gradient_ms = [1]\nsend_ms = 0.1\n[train]\nsteps = 1\n")


class Frostline:
    def __init__(self, command, folder):
        self.command = command
        self.folder = folder

    def schedules(self):
        listed = self.run("simulate", "--list-schedules", "--json")
        return [kind["name"] for kind in json.loads(listed.stdout)]

    def run(self, *arguments):
        return subprocess.run([self.command, *arguments], capture_output=True, text=True,
                              cwd=self.folder, check=False)

    def refuses(self, name, shape):
        (self.folder / "s.toml").write_text(scenario(name, shape))
        return self.run("check", "s.toml").returncode != 0

    def write(self, name, shape, fmt):
        (self.folder / "s.toml").write_text(scenario(name, shape))
        result = self.run("simulate", "s.toml", "--json", "--schedule-out", f"{fmt}.csv",
                          "--schedule-format", fmt)
        if result.returncode != 0:
            raise RuntimeError(result.stderr)
        return self.folder / f"{fmt}.csv"

    def seconds(self, name, shape):
        """Of the whole process; the best of five."""
        (self.folder / "s.toml").write_text(scenario(name, shape))
        best = float("inf")
        for _ in range(5):
            begin = time.perf_counter()
            self.run("simulate", "s.toml", "--json")
            best = min(best, time.perf_counter() - begin)
        return best


def compare(frostline, name, shape):
    """What is the same, as a dictionary; raises where something is not."""
    path = frostline.write(name, shape, "compute_only")
    begin = time.perf_counter()
    ours = load(path, name, shape, "compute_only")
    lowering = time.perf_counter() - begin
    comms = load(frostline.write(name, shape, "compute_comms"), name, shape, "compute_comms")
    own = peer_schedule(name, shape)
    if own is not None:
        assert peer_order(ours) == peer_order(own), f"{name} {shape}: another order"
    steps, _ = simulate(comms)
    peer_steps, seconds = simulate(ours)
    return {"known": own is not None, "steps": steps, "peer_steps": peer_steps,
            "lowering": lowering, "seconds": seconds}


def order_rows(frostline):
    for name in frostline.schedules():
        compared = same = more = 0
        for shape in SHAPES:
            if frostline.refuses(name, shape):
                continue
            result = compare(frostline, name, shape)
            compared += 1
            same += result["known"]
            more = max(more, result["steps"] - result["peer_steps"])
        yield name, compared, same, more


def time_rows(frostline):
    for name in frostline.schedules():
        for shape in sorted(TIMED_SHAPES):
            if frostline.refuses(name, shape):
                continue
            result = compare(frostline, name, shape)
            yield (name, shape, result["lowering"], result["seconds"],
                   frostline.seconds(name, shape))


def print_table(header, rows, row_text):
    print("| " + " | ".join(header) + " |\n|" + " --- |" * len(header))
    for row in rows:
        print("| " + " | ".join(row_text(row)) + " |", flush=True)
    print()


def order_text(row):
    name, compared, same, more = row
    return f"`{name}`", str(compared), str(same) if same else "-", str(more)


def time_text(row):
    name, (p, v, m), lowering, simulation, ours = row
    return (f"`{name}`", f"{p} x {v} x {m}", f"{lowering * 1e3:.0f} ms",
            f"{simulation * 1e3:.0f} ms", f"{ours * 1e3:.1f} ms",
            f"{(lowering + simulation) / ours:.0f}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("frostline", type=pathlib.Path)
    command = arguments.parse_args().frostline.resolve()
    logging.disable(logging.CRITICAL)
    warnings.filterwarnings("ignore")
    with tempfile.TemporaryDirectory() as folder:
        frostline = Frostline(command, pathlib.Path(folder))
        print_table(("schedule", "shapes loaded in both formats",
                     "of which PyTorch makes the same order",
                     "most steps that our lowering takes beyond PyTorch's"),
                    order_rows(frostline), order_text)
        print_table(("schedule", "ranks x chunks x micro-batches", "PyTorch loads and lowers",
                     "its simulator", "frostline simulate", "ratio"), time_rows(frostline), time_text)


if __name__ == "__main__":
    sys.exit(main())
