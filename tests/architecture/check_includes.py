"""Checks what no compiler checks: which folder may include which, and how files are named.

  check_includes.py ROOT         checks the source tree in ROOT
  check_includes.py --self-test  breaks every rule in small trees and sees that each is caught

The arrows: app -> {sim, exec} -> policy -> cost -> models -> pipeline -> base. A folder may include
itself and whatever its arrows lead to. A problem is one line: file:line: [rule] what, and the mend.
"""

import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# What each folder may include besides itself.
ARROWS = {
    "base": [],
    "pipeline": ["base"],
    "models": ["pipeline", "base"],
    "cost": ["models", "pipeline", "base"],
    "policy": ["cost", "models", "pipeline", "base"],
    "sim": ["policy", "cost", "models", "pipeline", "base"],
    "exec": ["policy", "cost", "models", "pipeline", "base"],
    "app": ["sim", "exec", "policy", "cost", "models", "pipeline", "base"],
}
# Tests and benchmarks stand outside the arrows: nothing may include them, they may include anything.
OUTSIDE = ("tests", "bench")

TORCH_FOLDERS = ("exec", "models/torch", "policy/agent")
TORCH_INCLUDE = re.compile(r"(torch|ATen|c10)/")
# Each costs a compiler 1 to 2 GB of memory and about half a minute.
BIG_TORCH_HEADERS = {
    "torch/torch.h", "torch/all.h", "torch/nn.h", "torch/optim.h", "torch/extension.h", "ATen/ATen.h",
}  # fmt: skip
MAX_BIG_SOURCES = 10

VAGUE_NAMES = {"misc", "common", "utils"}
# Put together from pieces, so that this file does not find itself.
MACHINE_PATH = re.compile(r"(?<![\w.~-])/(?:" + "|".join(["work", "home", "root"]) + ")/")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
DEP_NAME = re.compile(r"\b(" + "|".join(["models_torch", *ARROWS]) + r")(?:_\w+)?_dep\b")
SKIPPED_FOLDERS = {".git", ".deps", "build", "runs"}  # where git cannot tell


@dataclasses.dataclass(frozen=True, order=True)
class Problem:
    path: str
    line: int
    rule: str
    text: str

    def __str__(self):
        return f"{self.path}:{self.line}: [{self.rule}] {self.text}"


def is_under(path, folder):
    return path == folder or path.startswith(folder + "/")


def may_use_torch(path):
    return any(is_under(path, folder) for folder in (*TORCH_FOLDERS, *OUTSIDE))


def list_files(root):
    """The files of the project, by path from the root: what git tracks or would track."""
    if (root / ".git").exists() and shutil.which("git"):
        listed = subprocess.run(
            ["git", "-c", f"safe.directory={root}", "-C", str(root), "ls-files", "-z", "--cached",
             "--others", "--exclude-standard"],
            capture_output=True, check=True)  # fmt: skip
        names = os.fsdecode(listed.stdout).split("\0")
        return sorted({name for name in names if name and (root / name).is_file()})
    names = []
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS]
        names += [os.path.relpath(os.path.join(folder, name), root) for name in files]
    return sorted(names)


def read_text(path):
    """A file's lines; none where it is no text."""
    data = path.read_bytes()
    return [] if b"\0" in data else data.decode(errors="replace").splitlines()


def find_includes(lines):
    for number, line in enumerate(lines, 1):
        if match := INCLUDE.match(line):
            yield number, match[1] == '"', match[2]


def check_include(root, path, number, quoted, target):
    """The problems of one #include."""

    def problem(rule, text):
        return Problem(path, number, rule, text)

    folder = path.split("/")[0]
    target_folder = target.split("/")[0]
    if TORCH_INCLUDE.match(target):
        if not may_use_torch(path):
            where = "a header that LibTorch-free code sees" if path.endswith(".h") else "this folder"
            yield problem("torch", f"{where} may not include {target}: only {', '.join(TORCH_FOLDERS)} "
                          "use LibTorch; move the code there")  # fmt: skip
        if quoted:
            yield problem("path", f'write <{target}>: quotes are for this project\'s own headers')
        return
    if not quoted:
        if target_folder in (*ARROWS, *OUTSIDE) and (root / target).is_file():
            yield problem("path", f'write "{target}": <> is for other projects\' headers')
        return
    if not (root / target).is_file():
        yield problem("path", f"there is no {target}: write an own header's path from the root, "
                      "and another project's header in <>")  # fmt: skip
        return
    if target_folder == folder:
        if is_under(target, "models/torch") and not is_under(path, "models/torch"):
            yield problem("arrow", f"models/ may not include {target}, which needs LibTorch: "
                          "move what both need out of models/torch/")  # fmt: skip
    elif folder in OUTSIDE:
        pass
    elif target_folder in OUTSIDE:
        yield problem("arrow", f"{folder}/ may not include {target}: only tests and benchmarks may; "
                      "move what both need out of it")  # fmt: skip
    elif folder in ARROWS and target_folder not in ARROWS[folder]:
        allowed = ", ".join(ARROWS[folder]) or "nothing but itself"
        yield problem("arrow", f"{folder}/ may not include {target} (it may include {allowed}): "
                      "move the code to where it may, or what it needs down to both")  # fmt: skip


def check_source(root, path, lines):
    """The problems of one .h or .cc."""
    folder = path.split("/")[0]
    if folder not in ARROWS and folder not in OUTSIDE:
        yield Problem(path, 1, "folder", f"{folder} has no place in the arrows: give it one in "
                      "tests/architecture/check_includes.py, or move the source")  # fmt: skip
    includes = list(find_includes(lines))
    for number, quoted, target in includes:
        yield from check_include(root, path, number, quoted, target)
    if path.endswith(".h"):
        if not any(re.match(r"\s*#\s*pragma\s+once\b", line) for line in lines):
            yield Problem(path, 1, "pragma once", "a header starts with #pragma once: add it")
    else:
        own = path.removesuffix(".cc") + ".h"
        if (root / own).is_file() and (not includes or includes[0][2] != own):
            yield Problem(path, includes[0][0] if includes else 1, "own header",
                          f'include "{own}" first: it shows that the header stands alone')  # fmt: skip


def check_big_headers(sources):
    """The problem of too many sources with LibTorch's big headers."""
    found = []
    for path, lines in sources.items():
        numbers = [n for n, _, target in find_includes(lines) if target in BIG_TORCH_HEADERS]
        if numbers:
            found.append((path, numbers[0]))
    for path, number in found[MAX_BIG_SOURCES:]:
        yield Problem(path, number, "big header",
                      f"{len(found)} sources include one of LibTorch's big headers, {MAX_BIG_SOURCES} may: "
                      "include the small ones (ATen/core/Tensor.h, torch/nn/modules/linear.h, ...) or go "
                      f"through one of {', '.join(name for name, _ in found[:MAX_BIG_SOURCES])}")  # fmt: skip


def check_meson(path, lines):
    """The problems of one folder's meson.build."""
    folder = path.split("/")[0]
    if folder not in ARROWS:
        return
    for number, line in enumerate(lines, 1):
        for match in DEP_NAME.finditer(line.split("#")[0]):
            name = match[1]
            needs = "models" if name == "models_torch" else name
            if needs != folder and needs not in ARROWS[folder]:
                why = f"(its arrows lead to {', '.join(ARROWS[folder]) or 'nothing'})"
            elif name == "models_torch" and folder in ("cost", "sim"):
                why = "(it builds without LibTorch)"
            else:
                continue
            yield Problem(path, number, "dependency", f"{folder}/ may not use {match[0]} {why}: "
                          "take it off the list and move what needs it")  # fmt: skip


def check_names(path, lines):
    """The problems of any file's name and text."""
    vague = [part for part in path.split("/") if part.split(".")[0].lower() in VAGUE_NAMES]
    if vague:
        yield Problem(path, 1, "name", f"'{vague[0]}' says nothing of what is in it: "
                      "name it after its one subject, or split it by subject")  # fmt: skip
    for number, line in enumerate(lines, 1):
        if match := MACHINE_PATH.search(line):
            yield Problem(path, number, "machine path", f"{match[0]}... is a place on one machine: "
                          "write a path from the root of the checkout")  # fmt: skip


def check_tree(root):
    files = list_files(root)
    texts = {path: read_text(root / path) for path in files}
    sources = {path: lines for path, lines in texts.items() if path.endswith((".h", ".cc"))}
    problems = list(check_big_headers(sources))
    for path, lines in sources.items():
        problems += check_source(root, path, lines)
    for path, lines in texts.items():
        problems += check_names(path, lines)
        if path.endswith("/meson.build"):
            problems += check_meson(path, lines)
    return sorted(problems), len(files)


# ---- self-test ----


def header(*includes):
    return "#pragma once\n" + "".join(f"#include {include}\n" for include in includes)


def source(*includes):
    return "".join(f"#include {include}\n" for include in includes)


GOOD_TREE = {
    "base/error.h": header("<string>"),
    "base/error.cc": source('"base/error.h"', "<utility>"),
    "pipeline/graph.h": header('"base/error.h"'),
    "models/model.h": header('"pipeline/graph.h"'),
    "models/torch/module.h": header('"models/model.h"', "<torch/nn/module.h>"),
    "cost/model.h": header('"models/model.h"'),
    "policy/policy.h": header('"cost/model.h"'),
    "policy/agent/network.cc": source("<ATen/core/Tensor.h>"),
    "sim/run.h": header('"policy/policy.h"'),
    "exec/run.h": header('"policy/policy.h"', '"models/torch/module.h"', "<c10/core/Device.h>"),
    "app/main.cc": source('"sim/run.h"', '"exec/run.h"', "<fmt/core.h>"),
    "tests/paths.h": header("<filesystem>"),
    "tests/exec/run_test.cc": source('"exec/run.h"', '"tests/paths.h"', "<torch/torch.h>"),
    "bench/bench_run.cc": source('"sim/run.h"', '"tests/paths.h"'),
    "base/meson.build": "base_dep = declare_dependency(dependencies: [fmt_dep])  # not sim_dep\n",
    "models/meson.build": "models_torch_dep = declare_dependency(dependencies: [models_dep, torch_dep])\n",
    "exec/meson.build": "dependencies: [policy_dep, models_torch_dep, torch_dep]\n",
    "app/meson.build": "dependencies: [sim_dep, exec_dep]\n",
    "docs/guide.md": "Write to build/work/ or ./home/.\n",
}

# The rule, the file that breaks it, at which line, and with what text.
BAD_FILES = [
    ("arrow", "base/a.cc", 2, source("<vector>", '"pipeline/graph.h"')),
    ("arrow", "pipeline/a.cc", 1, source('"models/model.h"')),
    ("arrow", "models/a.cc", 1, source('"cost/model.h"')),
    ("arrow", "cost/a.cc", 1, source('"policy/policy.h"')),
    ("arrow", "policy/a.cc", 1, source('"sim/run.h"')),
    ("arrow", "sim/a.cc", 1, source('"exec/run.h"')),
    ("arrow", "exec/a.cc", 1, source('"sim/run.h"')),
    ("arrow", "sim/a.h", 2, header('"tests/paths.h"')),
    ("arrow", "models/a.h", 2, header('"models/torch/module.h"')),
    ("torch", "models/a.cc", 1, source("<torch/nn/module.h>")),
    ("torch", "sim/a.h", 2, header("<ATen/core/Tensor.h>")),
    ("torch", "policy/a.h", 2, header("<c10/core/Device.h>")),
    ("torch", "models/torches/a.cc", 1, source("<torch/nn/module.h>")),
    ("path", "exec/a.cc", 1, source('"torch/nn/module.h"')),
    ("path", "base/a.cc", 1, source('"error.h"')),
    ("path", "base/a.cc", 1, source("<base/error.h>")),
    ("pragma once", "base/a.h", 1, "#ifndef A\n#define A\n#endif\n"),
    ("own header", "base/error.cc", 1, source("<utility>", '"base/error.h"')),
    ("folder", "tools/a.cc", 1, source("<vector>")),
    ("dependency", "sim/meson.build", 2, "lib = static_library('sim',\n  dependencies: [exec_dep])\n"),
    ("dependency", "base/meson.build", 1, "dependencies: [pipeline_dep]\n"),
    ("dependency", "cost/meson.build", 1, "dependencies: [models_torch_dep]\n"),
    ("dependency", "pipeline/schedules/meson.build", 1, "dependencies: [models_dep]\n"),
    ("name", "base/utils.py", 1, ""),
    ("name", "docs/misc/guide.md", 1, ""),
    ("name", "base/Common.h", 1, header()),
    ("machine path", "docs/a.md", 2, "\nSee " + "/home" + "/ann/frostline.\n"),
    ("machine path", "scenarios/a.toml", 1, 'out = "' + "/work" + '/runs"\n'),
]


def problems_of(changes):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path, text in (GOOD_TREE | changes).items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        return check_tree(root)[0]


def self_test():
    failures = []

    def expect(what, expected, found):
        if expected != [(p.rule, p.path, p.line) for p in found]:
            failures.append(f"{what}: expected {expected}, found {[str(p) for p in found]}")

    expect("the good tree", [], problems_of({}))
    for rule, path, line, text in BAD_FILES:
        expect(f"{rule} in {path}", [(rule, path, line)], problems_of({path: text}))
    ten = {f"exec/{letter}.cc": source("<torch/torch.h>") for letter in "abcdefghi"}
    expect("ten big sources", [], problems_of(ten))  # with the one in the good tree
    eleven = ten | {"exec/z.cc": source("<vector>", "<ATen/ATen.h>")}
    last = "tests/exec/run_test.cc"
    expect("eleven big sources", [("big header", last, 3)], problems_of(eleven))
    for failure in failures:
        print(failure)
    print(f"{len(BAD_FILES) + 3 - len(failures)} of {len(BAD_FILES) + 3} checks of the check passed")
    return 1 if failures else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    problems, files = check_tree(pathlib.Path(arguments[0]).resolve())
    for problem in problems:
        print(problem)
    print(f"architecture: {files} files, {len(problems)} problems")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
