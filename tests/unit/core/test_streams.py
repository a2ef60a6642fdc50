# SPDX-License-Identifier: BSD-3-Clause
"""The command where standard output is odd: closed, in another encoding, or interrupted."""

import os
import subprocess
import sys

COMPARE = [sys.executable, "-m", "latlab", "compare", "published:tf-a/juno/v2.9", "published:tf-a/juno/v2.10"]


def test_a_terminal_without_the_sign_for_micro_gets_the_verdict_all_the_same() -> None:
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(COMPARE, capture_output=True, env=environment, check=False)
    assert done.returncode == 1 and done.stdout.isascii() and b"wakeup regressed" in done.stdout


def test_a_closed_standard_output_changes_no_exit_code() -> None:
    done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", *COMPARE], stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (1, b"")


def test_an_interrupt_is_said_and_exits_as_shells_expect() -> None:
    program = (
        "import latlab.core.cli.app as cli, typer\n@cli.app.command()\ndef stopped() -> None:\n    raise KeyboardInterrupt\ncli.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program, "stopped"], capture_output=True, text=True, check=False)
    assert done.returncode == 130 and done.stderr.strip().endswith("latlab: interrupted")
