"""Counts what `meson test` ran, one GoogleTest case at a time.

  count_results.py wrap DIR COMMAND...     runs a test with a result file of its own in DIR
  count_results.py count LOGS DIR STATUS   shows what failed, counts, fails unless all passed
  count_results.py --self-test             counts runs whose counts are known

LOGS is the folder where Meson wrote counted*.json, STATUS the exit code of `meson test`. A test that
is no GoogleTest executable counts as one; so does one that ended without writing its results.
"""

import contextlib
import hashlib
import io
import json
import os
import pathlib
import re
import sys
import tempfile

SHOWN_LINES = 200


def result_file(folder, command):
    digest = hashlib.sha256("\0".join(command).encode(errors="surrogateescape")).hexdigest()
    return pathlib.Path(folder, digest[:24] + ".json")


def wrap(folder, command):
    # Meson's own --gtest_output (of tests with protocol 'gtest') would win over the variable.
    command = [word for word in command if not word.startswith("--gtest_output=")]
    os.environ["GTEST_OUTPUT"] = f"json:{result_file(folder, command)}"
    os.execvp(command[0], command)


class Count:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def line(self):
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.passed} passed, {self.failed} failed{skipped}"


def heading(text):
    print(f"\n==== {text}")


def tail(text):
    lines = text.rstrip().splitlines()
    if len(lines) > SHOWN_LINES:
        print(f"[{len(lines) - SHOWN_LINES} lines before these]")
    print("\n".join(lines[-SHOWN_LINES:]))


def how_it_ended(run):
    if run["result"] == "TIMEOUT":
        return "ran out of time"
    code = run["returncode"]
    if code is None:
        return run["result"].lower()
    return f"was ended by signal {-code}" if code < 0 else f"exit code {code}"


def output_of(case, stdout):
    """What the process printed while `case` ran."""
    begin = stdout.find(f"[ RUN      ] {case}\n")
    end = re.compile(rf"^\[  FAILED  \] {re.escape(case)}.*$", re.MULTILINE).search(stdout, max(begin, 0))
    return stdout[begin : end.end()] if begin >= 0 and end else ""


def read_cases(path):
    """Yields name, result and messages of each case; raises ValueError on half a file."""
    for suite in json.loads(path.read_text(errors="replace")).get("testsuites", []):
        for case in suite.get("testsuite", []):
            name = f"{suite['name']}.{case['name']}"
            parameter = case.get("value_param")
            yield (
                f"{name} ({parameter})" if parameter else name,
                name,
                "SKIPPED" if case["status"] == "NOTRUN" else case["result"],
                [failure["failure"] for failure in case.get("failures", [])],
            )


def count_whole(run, count):
    """Counts a test as one, by how its process ended."""
    stdout = run.get("stdout") or ""
    if run["result"] in ("OK", "EXPECTEDFAIL"):
        count.passed += 1
    elif run["result"] == "SKIP":
        count.skipped += 1
    else:
        count.failed += 1
        started = re.findall(r"^\[ RUN      \] (\S+)", stdout, re.MULTILINE)
        where = f", in {started[-1]} or after it" if started else ""
        heading(f"FAILED {run['name']}: {how_it_ended(run)}{where}")
        tail(stdout + (run.get("stderr") or ""))


def count_cases(run, cases, count):
    """Counts the cases of a GoogleTest executable."""
    stdout = run.get("stdout") or ""
    failed_before = count.failed
    for shown, name, result, messages in cases:
        if messages:
            count.failed += 1
            heading(f"FAILED {shown} of {run['name']}")
            tail(output_of(name, stdout) or "\n".join(messages))
        elif result == "SKIPPED":
            count.skipped += 1
        else:
            count.passed += 1
    failed = count.failed > failed_before
    if failed and (run.get("stderr") or "").strip():
        heading(f"what {run['name']} printed on its error stream")
        tail(run["stderr"])
    if run["result"] != "OK" and not failed:  # a sanitizer's report or a crash on the way out
        count.failed += 1
        heading(f"FAILED {run['name']}: no case failed, but {how_it_ended(run)}")
        tail(stdout + (run.get("stderr") or ""))


def count_run(run, folder, count):
    command = run.get("command") or []
    wrapped = command[command.index(str(folder)) + 1 :] if str(folder) in command else command
    wrapped = [word for word in wrapped if not word.startswith("--gtest_output=")]
    path = result_file(folder, wrapped)
    try:
        cases = list(read_cases(path)) if path.exists() else None
    except (ValueError, KeyError):
        cases = None
    if cases is not None:
        count_cases(run, cases, count)
        return
    if run["result"] == "OK" and "[==========] Running" in (run.get("stdout") or ""):
        run = dict(run, result="ERROR", name=f"{run['name']} (ended without results)")
    count_whole(run, count)


def count(logs, folder, status):
    runs = []
    for path in sorted(pathlib.Path(logs).glob("counted*.json")):
        runs += [json.loads(line) for line in path.read_text(errors="replace").splitlines()]
    result = Count()
    for run in runs:
        count_run(run, folder, result)
    if status and not result.failed:
        print(f"\nmeson test ended with exit code {status}")
    if not result.passed + result.failed + result.skipped:
        print("\nno test ran")
    print(f"\n{result.line()}")
    return int(bool(status) or bool(result.failed) or not result.passed + result.skipped)


def self_test():
    case = {"name": "Works", "status": "RUN", "result": "COMPLETED"}
    cases = {
        "passing": [case, case],
        "skipping": [case, case | {"result": "SKIPPED"}, case | {"status": "NOTRUN"}],
        "failing": [case, case | {"failures": [{"failure": "1 is not 2"}]}],
        "empty": [],
        "crashing": None,  # no results at all
        "half": "{",
    }
    ran = "[==========] Running 2 tests from 1 test suite.\n[ RUN      ] Suite.Works\n"

    def run(name, result="OK", code=0, stdout=""):
        return {"name": name, "result": result, "returncode": code, "stdout": stdout, "command": [name]}

    examples = [
        ([run("passing"), run("skipping")], 0, "3 passed, 0 failed, 2 skipped", 0),
        ([run("failing", "FAIL", 1)], 1, "1 passed, 1 failed", 1),
        ([run("passing", "FAIL", -6)], 1, "2 passed, 1 failed", 1),
        ([run("crashing", "FAIL", -11, ran), run("passing")], 1, "2 passed, 1 failed", 1),
        ([run("crashing", stdout=ran)], 0, "0 passed, 1 failed", 1),  # left with exit(0)
        ([run("half", "FAIL", -9)], 1, "0 passed, 1 failed", 1),
        ([run("crashing", "TIMEOUT", None)], 1, "0 passed, 1 failed", 1),
        ([run("script"), run("other script", "SKIP", 77)], 0, "1 passed, 0 failed, 1 skipped", 0),
        ([run("passing")], 1, "2 passed, 0 failed", 1),
        ([run("empty")], 0, "0 passed, 0 failed", 1),
        ([], 0, "0 passed, 0 failed", 1),
    ]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, what in cases.items():
            if what is not None:
                whole = json.dumps({"testsuites": [{"name": "Suite", "testsuite": what}]})
                result_file(folder, [name]).write_text(what if isinstance(what, str) else whole)
        for runs, status, line, code in examples:
            pathlib.Path(folder, "counted.json").write_text("".join(json.dumps(r) + "\n" for r in runs))
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                found_code = count(folder, folder, status)
            found_line = printed.getvalue().splitlines()[-1]
            if (found_line, found_code) != (line, code):
                print(f"expected '{line}' and {code}, found '{found_line}' and {found_code}: {runs}")
                wrong += 1
    print(f"{len(examples) - wrong} of {len(examples)} counts are right")
    return 1 if wrong else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if len(arguments) >= 3 and arguments[0] == "wrap":
        wrap(arguments[1], arguments[2:])
    if len(arguments) == 4 and arguments[0] == "count":
        return count(arguments[1], arguments[2], int(arguments[3]))
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
