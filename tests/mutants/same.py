# SPDX-License-Identifier: BSD-3-Clause
"""Whether a change is one for the machine at all: what compiles to the same code is the same program."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable
from pathlib import Path
from types import CodeType

from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile


def python_digest(text: str) -> str | None:
    """The same for texts that differ in comments, docstrings, annotations and statements without effect; None where it is no Python."""
    try:
        tree = ast.parse(text)
        compile(tree, "mutant", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return None
    for node in ast.walk(tree):
        _strip(node)
    return _of_code(compile(ast.fix_missing_locations(tree), "mutant", "exec", dont_inherit=True))


def _of_code(code: CodeType) -> str:
    """Of all that runs, with that of the functions inside; lines and the file's name are no part of it."""
    shape = (code.co_code, code.co_name, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    constants = [_of_code(one) if isinstance(one, CodeType) else (type(one).__name__, one) for one in code.co_consts]
    return hashlib.sha256(repr((shape, names, constants, code.co_exceptiontable)).encode()).hexdigest()


def _strip(node: ast.AST) -> None:
    if (
        isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and ast.get_docstring(node, clean=False) is not None
    ):
        node.body = node.body[1:] or [ast.Pass()]
    for block in ("body", "orelse", "finalbody"):
        statements = getattr(node, block, None)
        if isinstance(statements, list) and len(statements) > 1:
            setattr(node, block, [one for one in statements if not isinstance(one, ast.Pass)] or [ast.Pass()])
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        node.returns = None
    if isinstance(node, ast.arg):
        node.annotation = None
    if isinstance(node, ast.AnnAssign):
        node.annotation = ast.Constant(None)


def objects_digest(files: Iterable[Path]) -> str:
    """Of the sections that are loaded; notes, which hold hashes of the debug information, are left out."""
    digest = hashlib.sha256()
    for path in sorted(files):
        with path.open("rb") as stream:
            for section in ELFFile(stream).iter_sections():
                if section["sh_flags"] & SH_FLAGS.SHF_ALLOC and section["sh_type"] not in ("SHT_NOTE", "SHT_NOBITS"):
                    digest.update(f"{path.name} {section.name} {section['sh_addr']}".encode() + section.data())
    return digest.hexdigest()
