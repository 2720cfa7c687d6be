#!/usr/bin/env python3
"""clang-tidy of the units of a build folder whose paths match one of the patterns.

    tidy.py BUILD JOBS CHECKS PATTERN...     CHECKS: as -checks takes them, or ""

A unit that has passed is not checked again while all files that it reads, its flags, .clang-tidy and
clang-tidy itself are the same. What has passed is remembered in ~/.cache/capstan/clang-tidy, for all
clones.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
CACHE = (pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
         / "capstan/clang-tidy")
SILENT = re.compile(r"warnings? generated|^Suppressed|^Use -header-filter")


def run(command, folder):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def files_of(flags, folder):
    """All files that the unit reads, as the preprocessor tells them."""
    rule = run(flags + ["-M", "-MT", "unit"], folder)
    if rule.returncode != 0:
        return None
    names = rule.stdout.replace("\\\n", " ").split(":", 1)[1].split()
    return [os.path.normpath(os.path.join(folder, name)) for name in names]


def key_of(entry, digests, common):
    """What the result depends on; None when that cannot be told."""
    flags = shlex.split(entry["command"])
    output = flags.index("-o")
    flags = flags[:output] + flags[output + 2:]
    files = files_of(flags, entry["directory"])
    if files is None:
        return None
    key = hashlib.sha256(common)
    key.update("\0".join(flags).replace(str(REPOSITORY), "").encode())
    for name in files:
        if name not in digests:
            try:
                digests[name] = hashlib.sha256(pathlib.Path(name).read_bytes()).digest()
            except OSError:
                return None
        key.update(name.replace(str(REPOSITORY), "").encode() + digests[name])
    return key.hexdigest()


def main():
    build, jobs, checks, patterns = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:]
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as commands:
        units = {entry["file"]: entry for entry in json.load(commands)}
    units = {file: entry for file, entry in units.items()
             if any(re.search(pattern, file) for pattern in patterns)}
    if not units:
        sys.exit("clang-tidy: no unit matches")
    tidy = ["clang-tidy", "-p", build, "-quiet"] + (["-checks=" + checks] if checks else [])
    common = (REPOSITORY / ".clang-tidy").read_bytes() + checks.encode()
    common += run(["clang-tidy", "--version"], ".").stdout.encode()
    CACHE.mkdir(parents=True, exist_ok=True)
    digests = {}

    def check(entry):
        key = key_of(entry, digests, common)
        if key and (CACHE / key).exists():
            return "known"
        result = run(tidy + [entry["file"]], REPOSITORY)
        if result.returncode == 0:
            if key:
                (CACHE / key).touch()
            return "passed"
        lines = (result.stdout + result.stderr).splitlines()
        print("\n".join(line for line in lines if not SILENT.search(line)), file=sys.stderr,
              flush=True)
        return "failed"

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(check, units.values()))
    print(f"clang-tidy: {len(results)} units, {results.count('known')} of them known to pass")
    sys.exit("failed" in results)


main()
