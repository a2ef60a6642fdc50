# SPDX-License-Identifier: BSD-3-Clause
"""Holds commit messages against CONTRIBUTING: an area, a short subject, and a body that says why.

As a hook: `commit_messages.py FILE`, the message of the commit that is made. In CI: `commit_messages.py --range BASE..HEAD`.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

LONGEST_SUBJECT = 72
AREA = re.compile(r"[a-z0-9_./-]+(, [a-z0-9_./-]+)*: \S")
MADE_BY_GIT = ("Merge ", "Revert ", "fixup! ", "squash! ")


def faults(message: str) -> Iterator[str]:
    """What is wrong with a message, each with its cure."""
    lines = [line for line in message.strip().split("\n") if not line.startswith("#")]
    subject, body = (lines or [""])[0], lines[1:]
    if subject.startswith(MADE_BY_GIT):
        return
    if len(subject) > LONGEST_SUBJECT:
        yield f"the subject has {len(subject)} characters; use at most {LONGEST_SUBJECT} and put the rest into the body"
    if not AREA.match(subject):
        yield f"the subject {subject!r} names no area; begin it with one, as in `rt: ...`"
    if body and body[0]:
        yield "the second line is not empty; leave it empty"
    if not any(line.strip() for line in body):
        yield "there is no body; say there why the change is made"


def messages_of(commits: str) -> Iterator[tuple[str, str]]:
    """Hash and message of each commit of a range. Raises CalledProcessError if git does not know it."""
    done = subprocess.run(["git", "log", "--no-merges", "--format=%h%x00%B%x01", commits], check=True, capture_output=True, text=True)
    for record in done.stdout.split("\x01"):
        if record.strip():
            name, _, message = record.strip().partition("\x00")
            yield name, message


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--range", dest="commits")
    options = parser.parse_args()
    if (options.file is None) == (options.commits is None):
        parser.error("name the file of a message, or a --range of commits")
    checked = messages_of(options.commits) if options.commits else [(str(options.file), options.file.read_text("utf-8"))]
    wrong = [f"{name}: {fault}" for name, message in checked for fault in faults(message)]
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
