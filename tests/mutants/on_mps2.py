# SPDX-License-Identifier: BSD-3-Clause
"""`on_mps2.py [--machine M] [--word N] BUILD PROGRAM...` fails unless each program ends well beside that build of the SPM."""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from support.on_mps2 import printed

parser = argparse.ArgumentParser()
parser.add_argument("--machine", default="mps2-an521")
parser.add_argument("--word", type=int, help="what the program finds in the memory that no start clears: of `threads`, the number of calls")
parser.add_argument("build")
parser.add_argument("program", nargs="+")
options = parser.parse_args()
for name in options.program:
    printed(options.build, name, options.machine, options.word)
