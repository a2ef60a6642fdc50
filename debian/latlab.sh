#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What latlab starts by itself has to find its modules too.
PYTHONPATH=/usr/lib/latlab${PYTHONPATH:+:$PYTHONPATH}
export PYTHONPATH
exec /usr/bin/python3 -m latlab "$@"
