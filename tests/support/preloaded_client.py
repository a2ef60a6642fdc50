# SPDX-License-Identifier: BSD-3-Clause
"""Stands in for `python`: hands its command line to preloaded.py at the socket of its first argument, and ends as that does."""

import json
import os
import signal
import socket
import sys

with socket.socket(socket.AF_UNIX) as server:
    server.connect(sys.argv[1])
    request = json.dumps({"words": sys.argv[2:], "folder": os.getcwd(), "variables": dict(os.environ), "umask": os.umask(0)})
    os.umask(json.loads(request)["umask"])
    socket.send_fds(server, [len(request.encode("utf-8", "surrogateescape")).to_bytes(8, "big")], [0, 1, 2])
    server.sendall(request.encode("utf-8", "surrogateescape"))
    answers = server.makefile("r")
    child = int(answers.readline())
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _frame: os.kill(child, number))
    status = int(answers.readline())
if os.WIFSIGNALED(status):
    signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
    os.kill(os.getpid(), os.WTERMSIG(status))
os._exit(os.waitstatus_to_exitcode(status))
