# SPDX-License-Identifier: BSD-3-Clause
"""`python -m latlab`."""

from latlab.core.cli.app import main

main()
