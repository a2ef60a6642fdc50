# SPDX-License-Identifier: BSD-3-Clause
"""An interpreter of the few A64 instructions that set/way maintenance is made of, over the source text: for cores that no emulator has."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

MASK = (1 << 64) - 1
CONDITIONS: dict[str, Callable[[bool, bool], bool]] = {
    "eq": lambda zero, carry: zero,
    "ne": lambda zero, carry: not zero,
    "hs": lambda zero, carry: carry,
    "lo": lambda zero, carry: not carry,
    "hi": lambda zero, carry: carry and not zero,
    "ls": lambda zero, carry: not carry or zero,
}
ORDERING = {"isb", "dsb"}
MOST_STEPS = 10_000_000


def macro(source: Path, name: str) -> str:
    """The body of an assembler macro without parameters, as a function of that name."""
    body = re.search(rf"^\.macro {name}\n(.*?)^\.endm", source.read_text(), flags=re.DOTALL | re.MULTILINE)
    assert body, f"{source.name} has no macro {name}"
    return f"{name}:\n{body[1]}ret\n"


def _lines(text: str) -> Iterator[str]:
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    for name, value in re.findall(r"^#define (\w+) (.+)$", text, flags=re.MULTILINE):
        text = re.sub(rf"\b{name}\b", value.strip(), text)
    for line in text.splitlines():
        if line.strip() and line[0] not in "#.":
            yield line.strip()


class Core:
    """Registers and flags of a core that runs one function. `system` answers MRS and is written by MSR."""

    def __init__(self, text: str, system: dict[str, int]) -> None:
        self.system, self.x = system, dict.fromkeys(range(31), 0)
        self.zero = self.carry = False
        self.maintained: list[tuple[str, int]] = []
        self.steps = 0
        self._code: list[tuple[str, list[str]]] = []
        self._labels: list[tuple[str, int]] = []
        for line in _lines(text):
            if line.endswith(":"):
                self._labels.append((line[:-1], len(self._code)))
            else:
                mnemonic, _, operands = line.partition(" ")
                self._code.append((mnemonic, [part.strip() for part in operands.split(",")] if operands else []))

    def run(self, function: str, argument: int) -> None:
        """Calls the function with x0 and returns when it does."""
        self.x[0] = argument
        at = self._target(function, 0)
        while self._code[at][0] != "ret":
            self.steps += 1
            assert self.steps < MOST_STEPS, "the function does not end"
            jump = self._step(*self._code[at])
            at = at + 1 if jump is None else self._target(jump, at)

    def _target(self, label: str, at: int) -> int:
        if label[-1] == "f" and label[:-1].isdigit():
            return next(place for name, place in self._labels if name == label[:-1] and place > at)
        return next(place for name, place in self._labels if name == label)

    def _value(self, operand: str) -> int:
        if operand[0] in "xw" and operand[1:] == "zr":
            return 0
        if operand[0] == "x":
            return self.x[int(operand[1:])]
        if operand[0] == "w":
            return self.x[int(operand[1:])] & 0xFFFF_FFFF
        return int(eval(operand.lstrip("#"), {"__builtins__": {}}))  # a constant expression of the source

    def _set(self, operand: str, value: int) -> None:
        self.x[int(operand[1:])] = value & (MASK if operand[0] == "x" else 0xFFFF_FFFF)

    def _compare(self, left: int, right: int) -> None:
        self.zero, self.carry = left == right, left >= right

    def _step(self, mnemonic: str, operands: list[str]) -> str | None:
        """Where it jumps to, if it does."""
        if mnemonic in ORDERING:
            return None
        if mnemonic == "b" or mnemonic.startswith("b."):
            return self._branch(mnemonic, operands)
        if mnemonic in ("cbz", "cbnz"):
            return operands[1] if (self._value(operands[0]) == 0) == (mnemonic == "cbz") else None
        if mnemonic in ("tbz", "tbnz"):
            is_zero = self._value(operands[0]) >> self._value(operands[1]) & 1 == 0
            return operands[2] if is_zero == (mnemonic == "tbz") else None
        if mnemonic == "dc":
            self.maintained.append((operands[0], self._value(operands[1])))
        else:
            self._compute(mnemonic, operands)
        return None

    def _branch(self, mnemonic: str, operands: list[str]) -> str | None:
        taken = mnemonic == "b" or CONDITIONS[mnemonic.removeprefix("b.")](self.zero, self.carry)
        return operands[0] if taken else None

    def _compute(self, mnemonic: str, operands: list[str]) -> None:
        if mnemonic == "msr":
            self.system[operands[0]] = self._value(operands[1])
            return
        if mnemonic == "cmp":
            self._compare(self._value(operands[0]), self._value(operands[1]))
            return
        if mnemonic == "tst":
            self.zero, self.carry = self._value(operands[0]) & self._value(operands[1]) == 0, False
            return
        target, sources = operands[0], operands[1:]
        if mnemonic == "mrs":
            self._set(target, self._read(sources[0]))
            return
        if mnemonic == "csel":
            chosen = sources[0] if CONDITIONS[sources[2]](self.zero, self.carry) else sources[1]
            self._set(target, self._value(chosen))
            return
        values = [self._value(part) for part in sources if not part.startswith("lsl ")]
        shifted = next((self._value(part.removeprefix("lsl ")) for part in sources if part.startswith("lsl ")), 0)
        values[-1] <<= shifted
        if mnemonic == "subs":
            self._compare(values[0], values[1])
        self._set(target, OPERATIONS[mnemonic](*values))

    def _read(self, register: str) -> int:
        if register == "ccsidr_el1":
            return self.system[f"ccsidr {self.system['csselr_el1']}"]
        return self.system[register]


OPERATIONS: dict[str, Callable[..., int]] = {
    "mov": lambda value: value,
    "add": lambda left, right: left + right,
    "sub": lambda left, right: left - right,
    "subs": lambda left, right: left - right,
    "madd": lambda left, right, more: left * right + more,
    "and": lambda left, right: left & right,
    "orr": lambda left, right: left | right,
    "bic": lambda left, right: left & ~right,
    "lsl": lambda left, right: left << right,
    "lsr": lambda left, right: left >> right,
    "ubfx": lambda value, low, width: value >> low & ((1 << width) - 1),
    "clz": lambda value: 32 - int(value).bit_length(),
}
