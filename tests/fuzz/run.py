# SPDX-License-Identifier: BSD-3-Clause
"""Coverage-guided fuzzing of the parsers: `python tests/fuzz/run.py NAME [--runs N]`, or no name for all, one after another."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
MILLION = 1_000_000
SEED = 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", nargs="?", help="a parser; all where none is named")
    parser.add_argument("--runs", type=int, default=MILLION, help="executions a parser")
    parser.add_argument(
        "--seconds", type=int, default=0, help="stop each parser after so long, 0 for never; the executions made are printed"
    )
    options = parser.parse_args()
    sys.path.insert(0, str(HERE.parent))
    if options.name:
        return _fuzz(options.name, options.runs, options.seconds)
    from fuzz.targets import TARGETS

    command = [sys.executable, str(HERE / "run.py")]
    codes = [
        subprocess.run([*command, name, "--runs", str(options.runs), "--seconds", str(options.seconds)], check=False).returncode
        for name in TARGETS
    ]
    return max(codes)


def _fuzz(name: str, runs: int, seconds: int) -> int:
    """Does not return where the fuzzer finds something: it prints the input, keeps it in a file and ends the process."""
    import atheris

    # Of docutils only what reads tables: instrumented as a whole it is ten times slower.
    with atheris.instrument_imports(include=["latlab", "docutils.parsers.rst.tableparser", "docutils.parsers.rst.directives.tables"]):
        from fuzz.targets import TARGETS
    with tempfile.TemporaryDirectory() as corpus:
        for number, seed in enumerate(_seeds(name)):
            Path(corpus, f"seed{number}").write_bytes(seed)
        print(f"{name}: {runs} executions", flush=True)
        arguments = [
            sys.argv[0],
            corpus,
            f"-runs={runs}",
            f"-seed={SEED}",
            "-timeout=10",
            "-rss_limit_mb=4096",
            "-max_len=2048",
            "-verbosity=0",
            "-print_final_stats=1",
            f"-max_total_time={seconds}",
        ]
        atheris.Setup(arguments, TARGETS[name])
        atheris.Fuzz()
    return 0


def _seeds(name: str) -> list[bytes]:
    folder = HERE / "seeds" / name
    return [path.read_bytes() for path in sorted(folder.iterdir())] if folder.is_dir() else []


if __name__ == "__main__":
    raise SystemExit(main())
