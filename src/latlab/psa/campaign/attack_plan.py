# SPDX-License-Identifier: BSD-3-Clause
"""What is tried on a secure partition manager, as lists of steps, by where its code, veneers, stacks and non-secure side lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from latlab.psa.model import Attack, CallStep, Extent, Family, Flag, Operation
from latlab.psa.targets.attack_params import ARENA_OFFSET
from latlab.psa.targets.attack_subject import AttackSubject
from latlab.psa.targets.psa_subject import CallKind, PsaCall

CALL, LOAD, STORE, FILL, POKES, GUESS = Operation
WORD = 0xFFFFFFFF
ALIAS = 1 << 28
MARKER = (0x4B524D4C, 0x3152454B, 0x4B524D4C, 0x3252454B)
SG_OPCODE = b"\x7f\xe9\x7f\xe9"
DATA_BYTES = 16
SYSTEM_SPACE, SECURE_DEVICE, RESET_REGISTER, RESET_WORD = 0xE000ED00, 0x50080000, 0xE000ED0C, 0x05FA0004
FUNCTION_RETURNS = (0xFEFFFFFF, 0xFEFFFFFE, 0xFEFFFFFD)
EXCEPTION_RETURNS = tuple(0xFFFFFF80 | bits for bits in range(0x80) if bits & 2 == 0)
PATTERN_BASE = 0x11110000
MOST_GUESSES = 192
FEW = 5
STATELESS_BIT = 1 << 30
FIRST_CLIENT, LAST_CLIENT = -20, -10


@dataclass(frozen=True, slots=True)
class Known:
    """What the first boot told: where seals were stored, and how many instructions the data call takes. `control_loads` are the words near
    the targets that secure code reads anyway."""

    seals: tuple[int, ...]
    length: int
    has_floats: bool


@dataclass(frozen=True, slots=True)
class Arena:
    """Addresses of the non-secure program's memory that attacks use."""

    base: int

    @property
    def in_vectors(self) -> int:
        return self.base

    @property
    def out_vectors(self) -> int:
        return self.base + 0x40

    @property
    def input(self) -> int:
        return self.base + 0x100

    @property
    def output(self) -> int:
        return self.base + 0x400


class AttackPlan:
    """The attacks on one subject."""

    def __init__(self, subject: AttackSubject, survey: Known) -> None:
        self.subject, self.psa, self.known = subject, subject.psa, survey
        self.arena = Arena(subject.psa.ram + ARENA_OFFSET)
        self.secret_at, self.secret = subject.secret
        self.data = subject.data_call
        self.victim = survey.seals[0] if survey.seals else 0

    @property
    def targets(self) -> tuple[Extent, ...]:
        """What only an attack names: no ordinary call reads or writes it."""
        stacks = tuple(Extent(seal, seal + 7) for seal in self.known.seals[:1])
        return (Extent(self.secret_at, self.secret_at + len(self.secret) - 1), *stacks)

    def survey(self) -> list[Attack]:
        """Ordinary calls, to learn what is usual."""
        return [Attack(Family.REGISTERS, "ordinary data call", self._data_call(), shown=self.arena.output, shown_bytes=DATA_BYTES)]

    def attacks(self) -> list[Attack]:
        return [
            *self.ordinary(),
            Attack(Family.STACK, "the process stack between calls", self._data_call()),
            Attack(Family.STACK, "the main stack between calls", self._data_call()),
            *self._pointers(),
            *self._handles(),
            *self._sweeps(),
            *self._few_interrupts(),
            *self._clients(),
            *self._memory(),
            *self._system(),
            *self._gateways(),
            *self._returns(),
            *self._partitions(),
        ]

    # What an ordinary call consists of.

    def _control(self, call: PsaCall, ins: int, outs: int) -> int:
        return call.type & 0xFFFF | ins << self.psa.in_shift | outs << self.psa.out_shift

    def _prologue(self, call: PsaCall) -> tuple[CallStep, ...]:
        if call.kind is not CallKind.ON_CONNECTION:
            return ()
        return (CallStep(CALL, self.psa.veneers[2], (call.service, call.version, 0, 0), Flag.KEEP | Flag.QUIET),)

    def _epilogue(self, call: PsaCall) -> tuple[CallStep, ...]:
        if call.kind is not CallKind.ON_CONNECTION:
            return ()
        return (CallStep(CALL, self.psa.veneers[4], (0, 0, 0, 0), Flag.WITH_KEPT | Flag.QUIET),)

    def _fill(self, ins: Sequence[tuple[int, int]], outs: Sequence[tuple[int, int]]) -> tuple[CallStep, ...]:
        """The vectors, fresh data, and untouched outputs."""
        size = max([DATA_BYTES, *(len(data) for data in self.data.inputs)])
        payload = b"".join(self.data.inputs) or bytes(range(size))
        payload += bytes(-len(payload) % 4)
        steps = [
            CallStep(FILL, self.arena.input, words=tuple(int.from_bytes(payload[i : i + 4], "little") for i in range(0, len(payload), 4))),
            CallStep(FILL, self.arena.output, words=(0xA5A5A5A5,) * 16),
        ]
        if ins:
            steps.append(CallStep(FILL, self.arena.in_vectors, words=tuple(word & WORD for pair in ins for word in pair)))
        if outs:
            steps.append(CallStep(FILL, self.arena.out_vectors, words=tuple(word & WORD for pair in outs for word in pair)))
        return tuple(steps)

    def _vectors(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        ins, outs, at = [], [], self.arena.input
        for data in self.data.inputs:
            ins.append((at, len(data)))
            at += len(data)
        at = self.arena.output
        for size in self.data.outputs:
            outs.append((at, size))
            at += -(-size // 8) * 8
        return ins, outs

    def _data_call(
        self,
        ins: Sequence[tuple[int, int]] | None = None,
        outs: Sequence[tuple[int, int]] | None = None,
        in_array: int | None = None,
        out_array: int | None = None,
        control: int | None = None,
        flags: Flag = Flag.NONE,
        before: tuple[CallStep, ...] = (),
        call: PsaCall | None = None,
    ) -> tuple[CallStep, ...]:
        call = call or self.data
        usual_ins, usual_outs = self._vectors()
        ins, outs = usual_ins if ins is None else ins, usual_outs if outs is None else outs
        control_word = self._control(call, len(ins), len(outs)) if control is None else control
        handle, handle_flag = (0, Flag.WITH_KEPT) if call.kind is CallKind.ON_CONNECTION else (call.service, Flag.NONE)
        arguments = (
            handle,
            control_word,
            self.arena.in_vectors if in_array is None else in_array,
            self.arena.out_vectors if out_array is None else out_array,
        )
        main_call = CallStep(CALL, self.psa.veneers[3], arguments, handle_flag | flags)
        return (*self._fill(ins, outs), *self._prologue(call), *before, main_call, *self._epilogue(call))

    # Families.

    def ordinary(self) -> Iterator[Attack]:
        """What comes back in the registers of calls that are as they should be, and of refused ones."""
        veneers, connected = self.psa.veneers, next((call for call in self.psa.calls if call.kind is CallKind.ON_CONNECTION), None)
        floats = Flag.WITH_FLOATS
        yield Attack(Family.REGISTERS, "psa_framework_version", (self._plain(veneers[0], 0, floats),))
        if veneers[1]:
            yield Attack(Family.REGISTERS, "psa_version", (self._plain(veneers[1], self.psa.calls[2].service, floats),))
            yield Attack(Family.REGISTERS, "psa_version of an unknown service", (self._plain(veneers[1], 0x0BAD51D0, floats),))
        yield Attack(Family.REGISTERS, "psa_call", self._data_call(flags=floats), shown=self.arena.output, shown_bytes=DATA_BYTES)
        yield Attack(Family.REGISTERS, "psa_call on the null handle", (self._plain(veneers[3], 0, floats),))
        if connected and veneers[2] and veneers[4]:
            connect = CallStep(CALL, veneers[2], (connected.service, connected.version, PATTERN_BASE, PATTERN_BASE + 1), Flag.KEEP | floats)
            close = CallStep(CALL, veneers[4], (0, PATTERN_BASE, PATTERN_BASE + 1, PATTERN_BASE + 2), Flag.WITH_KEPT | floats)
            yield Attack(Family.REGISTERS, "psa_connect and psa_close", (connect, close))
            yield Attack(
                Family.REGISTERS, "psa_connect to an unknown service", (replace(connect, arguments=(0x0BAD51D0, 1, 2, 3), flags=floats),)
            )

    def _plain(self, veneer: int, first: int, flags: Flag = Flag.NONE) -> CallStep:
        return CallStep(CALL, veneer, (first, PATTERN_BASE, PATTERN_BASE + 1, PATTERN_BASE + 2), flags)

    def _pointers(self) -> Iterator[Attack]:
        ins, outs = self._vectors()
        size = self.data.outputs[0] if outs else DATA_BYTES
        length = len(self.data.inputs[0]) if ins else DATA_BYTES
        end = self.psa.ram + self.psa.ram_bytes
        border = "memory beyond the border of the non-secure side was accepted" if self.subject.has_true_border else ""
        wrapped = "a length that wraps 2^32 was accepted"
        places = [
            ("secure code", self.secret_at, ""),
            ("a secure stack", self.victim, ""),
            ("the non-secure alias of secure code", self.secret_at - ALIAS, ""),
            ("the non-secure alias of a secure stack", max(self.victim - ALIAS, 0), ""),
            ("a secure device", SECURE_DEVICE, "a secure device was accepted"),
            ("the system space", SYSTEM_SPACE, "the system space was accepted"),
            ("the last bytes of the address space", WORD - 7, wrapped),
            ("memory that begins before the non-secure side", self.psa.ram - 8, border),
            ("memory that ends behind the non-secure side", end - 8, border),
        ]
        for name, address, accepted in places:
            if ins:
                yield self._pointer(f"input in {name}", self._data_call(ins=[(address, length), *ins[1:]]), accepted)
            if outs:
                yield self._pointer(f"output in {name}", self._data_call(outs=[(address, size), *outs[1:]]), accepted)
            if ins:
                yield self._pointer(f"array of inputs in {name}", self._data_call(in_array=address), accepted)
            if outs:
                yield self._pointer(f"array of outputs in {name}", self._data_call(out_array=address), accepted)
        for long in (WORD, WORD - 15, ALIAS << 3):
            if ins:
                yield self._pointer(f"input of {long:#x} bytes", self._data_call(ins=[(self.arena.input, long), *ins[1:]]), wrapped)
            if outs:
                yield self._pointer(f"output of {long:#x} bytes", self._data_call(outs=[(self.arena.output, long), *outs[1:]]), wrapped)
        if ins:
            yield self._pointer("array of inputs that is not aligned", self._data_call(in_array=self.arena.in_vectors + 2), "")
            yield self._pointer("the same input twice", self._data_call(ins=[ins[0], ins[0]]), "")
        if outs:
            yield self._pointer("array of outputs that is not aligned", self._data_call(out_array=self.arena.out_vectors + 1), "")
            yield self._pointer("output over its own array", self._data_call(outs=[(self.arena.out_vectors, size), *outs[1:]]), "")
        many = "more than four vectors were accepted"
        empty_in, empty_out = [(self.arena.input, 0)] * 7, [(self.arena.output, 0)] * 7
        counts = ((5, 0), (0, 5), (3, 2), (4, 4), (15, 0), (0, 15))
        for a, b in counts:
            control = self._control(self.data, a, b)
            yield self._pointer(f"{a} inputs and {b} outputs", self._data_call(ins=empty_in, outs=empty_out, control=control), many)

    def _pointer(self, name: str, steps: tuple[CallStep, ...], accepted: str) -> Attack:
        return Attack(
            Family.POINTER, name, steps, shown=self.arena.output, shown_bytes=2 * DATA_BYTES, secret=self.secret, accepted=accepted
        )

    def _handles(self) -> Iterator[Attack]:
        veneers = self.psa.veneers
        connected = next((call for call in self.psa.calls if call.kind is CallKind.ON_CONNECTION), None)
        alone = tuple(range(1, MOST_GUESSES + 1))
        yield Attack(Family.HANDLE, "guessed without a connection", (CallStep(GUESS, veneers[3], words=alone),))
        if connected is None or not (veneers[2] and veneers[4]):
            yield Attack(Family.HANDLE, "guessed beside an open one", why="needs a service with connections")
            return
        bits = [1 << bit for bit in range(31)]
        masks = tuple([*bits, *(a | b for i, a in enumerate(bits) for b in bits[:i])][:MOST_GUESSES])
        opened, closed = self._prologue(connected), self._epilogue(connected)
        again = CallStep(CALL, veneers[3], (0, self._control(connected, 0, 0), 0, 0), Flag.WITH_KEPT)
        yield Attack(
            Family.HANDLE,
            "guessed beside an open one",
            (*opened, CallStep(GUESS, veneers[3], (0, 0, connected.type, 0), Flag.WITH_KEPT, masks), *closed),
        )
        stale = "a closed handle was accepted"
        yield Attack(Family.HANDLE, "closed before", (*opened, *closed, again), accepted=stale)
        yield Attack(
            Family.HANDLE,
            "closed before, its slot in use again",
            (*opened, *closed, *self._quiet_connect(connected), again),
            accepted=stale,
        )

    def _quiet_connect(self, call: PsaCall) -> tuple[CallStep, ...]:
        return (CallStep(CALL, self.psa.veneers[2], (call.service, call.version, 0, 0), Flag.QUIET),)

    def _clients(self) -> Iterator[Attack]:
        """Handles and services that are not the non-secure side's, where the subject says how to get at them."""
        client_partition = self.subject.own_partition
        if client_partition is None:
            yield Attack(Family.HANDLE, "another client's", why="needs a partition and client ids of latlab's own SPM")
            return
        veneers, connected = self.psa.veneers, next(psa_call for psa_call in self.psa.calls if psa_call.kind is CallKind.ON_CONNECTION)
        call = CallStep(CALL, veneers[3], (0, self._control(connected, 0, 0), 0, 0), Flag.WITH_KEPT)
        yield Attack(
            Family.HANDLE,
            "a secure client's",
            (
                *self._ask(client_partition.client, client_partition.requests["CLIENT_BORROW"], quiet=True),
                CallStep(LOAD, self.arena.output, flags=Flag.KEEP | Flag.QUIET),
                call,
            ),
            accepted="a handle that a secure partition holds was accepted",
        )
        only = "a service that is not for the non-secure side was accepted"
        yield Attack(
            Family.HANDLE,
            "connection to a service for partitions only",
            (self._plain(veneers[2], client_partition.secure_only),),
            accepted=only,
        )
        refused = self._control(self.data, 0, 0)
        yield Attack(
            Family.HANDLE,
            "stateless handle for partitions only",
            (CallStep(CALL, veneers[3], (client_partition.secure_stateless, refused, 0, 0)),),
            accepted=only,
        )
        select = [CallStep(CALL, client_partition.select, (client & WORD, 0, 0, 0), Flag.QUIET) for client in (FIRST_CLIENT, LAST_CLIENT)]
        yield Attack(
            Family.HANDLE,
            "another non-secure client's",
            (
                CallStep(CALL, client_partition.register, (FIRST_CLIENT & WORD, LAST_CLIENT & WORD, 0, 0), Flag.QUIET),
                select[0],
                *self._prologue(connected),
                select[1],
                call,
                select[0],
                *self._epilogue(connected),
            ),
            accepted="the handle of another client id was accepted",
        )

    def _sweeps(self) -> Iterator[Attack]:
        """The timer's handler rewrites what the call under way was given, at every instruction of it."""
        ins, outs = self._vectors()
        shots = self.known.length + 24
        rewritten = []
        if ins:
            rewritten.append(("input's address", [(self.arena.in_vectors, self.secret_at)]))
            rewritten.append(("input's length", [(self.arena.in_vectors + 4, ALIAS << 3)]))
        if outs and self.victim:
            rewritten.append(("output's address", [(self.arena.out_vectors, self.victim)]))
        if outs:
            rewritten.append(("output's length", [(self.arena.out_vectors + 4, ALIAS << 3)]))
        for name, pairs in rewritten:
            words = tuple(word for pair in pairs for word in pair)
            steps = self._data_call(flags=Flag.WITH_TIMER, before=(CallStep(POKES, words=words),))
            yield Attack(
                Family.INTERRUPT,
                f"{name} rewritten by an interrupt",
                steps,
                1,
                1,
                shots,
                self.arena.output,
                DATA_BYTES,
                self.secret,
            )

    def _few_interrupts(self) -> Iterator[Attack]:
        """What a handler does that ends most machines: at a few instructions of the call."""
        stride = max(self.known.length // FEW, 1)
        nested = [
            ("psa_framework_version in a handler", CallStep(CALL, self.psa.veneers[0])),
            ("psa_call in a handler", CallStep(CALL, self.psa.veneers[3], (0, 0, 0, 0))),
            ("psa_call with data in a handler", self._nested_call()),
        ]
        nested += [
            (f"return {value:#x} in a handler", CallStep(CALL, value))
            for value in (*FUNCTION_RETURNS[:1], 0xFFFFFFFD, 0xFFFFFFF1, 0xFFFFFFED, 0xFFFFFFBC)
        ]
        for name, step in nested:
            steps = self._data_call(flags=Flag.WITH_TIMER, before=(CallStep(POKES, then=-1),))
            place = next(i for i, call_step in enumerate(steps) if call_step.operation is POKES)
            steps = (*steps[:place], replace(steps[place], then=len(steps)), *steps[place + 1 :], step)
            yield Attack(Family.INTERRUPT, f"{name} that interrupts a call", steps, stride // 2, stride, FEW)
        yield Attack(Family.INTERRUPT, "psa_call in a handler between calls", (CallStep(CALL, self.psa.veneers[3], flags=Flag.IN_HANDLER),))

    def _nested_call(self) -> CallStep:
        ins, outs = self._vectors()
        control_word = self._control(self.data, len(ins), len(outs))
        return CallStep(CALL, self.psa.veneers[3], (self.data.service, control_word, self.arena.in_vectors, self.arena.out_vectors))

    def _memory(self) -> Iterator[Attack]:
        word = self.secret[:4]
        seal = (0xFEF5EDA5).to_bytes(4, "little")
        for name, address, secret in (
            ("secure code", self.secret_at, word),
            ("the non-secure alias of secure code", self.secret_at - ALIAS, word),
            ("a secure stack", self.victim, seal),
            ("the non-secure alias of a secure stack", self.victim - ALIAS, seal),
            ("the veneers", self.psa.veneers[0] & ~3, SG_OPCODE),
        ):
            if address > 0 or name.endswith("code"):
                yield Attack(Family.MEMORY, f"the non-secure side reads {name}", (CallStep(LOAD, address),), secret=secret)
                yield Attack(
                    Family.MEMORY,
                    f"the non-secure side writes {name}",
                    (CallStep(STORE, address, (MARKER[0], 0, 0, 0)), CallStep(LOAD, address)),
                    secret=MARKER[0].to_bytes(4, "little"),
                )
        for address in self.subject.secure_parts:
            yield Attack(Family.MEMORY, f"the non-secure side reads {address:#x}", (CallStep(LOAD, address),))
        yield Attack(Family.MEMORY, "the non-secure side reads a secure device", (CallStep(LOAD, SECURE_DEVICE),))

    def _system(self) -> Iterator[Attack]:
        yield Attack(Family.SYSTEM, "the non-secure side asks for a reset", (CallStep(STORE, RESET_REGISTER, (RESET_WORD, 0, 0, 0)),))

    def _gateways(self) -> Iterator[Attack]:
        inside = "secure code ran without entry through a gateway"
        for veneer in dict.fromkeys(address & ~1 for address in self.psa.veneers if address):
            for offset in (2, 4, 6):
                yield Attack(
                    Family.GATEWAY,
                    f"entered {offset} bytes behind a gateway at {veneer:#x}",
                    (self._plain(veneer + offset | 1, 0),),
                    accepted=inside,
                )
            yield Attack(Family.GATEWAY, f"alias of the gateway at {veneer:#x}", (self._plain(veneer - ALIAS | 1, 0),), accepted=inside)
        for address in self.subject.other_gateways:
            yield Attack(Family.GATEWAY, f"an SG at {address:#x} that is no veneer", (self._plain(address | 1, 0),), accepted=inside)
        for address in dict.fromkeys((*self.subject.ungated, self.secret_at)):
            yield Attack(Family.GATEWAY, f"branch to {address:#x}", (self._plain(address | 1, 0),), accepted=inside)

    def _returns(self) -> Iterator[Attack]:
        for value in (*FUNCTION_RETURNS, 0xFFFFFFFD, 0xFFFFFFF1, 0xFFFFFFBC):
            yield Attack(Family.RETURN, f"{value:#x} in a thread, between calls", (CallStep(CALL, value),))
        for value in (*FUNCTION_RETURNS[:2], *EXCEPTION_RETURNS):
            yield Attack(Family.RETURN, f"{value:#x} in a handler, between calls", (CallStep(CALL, value, flags=Flag.IN_HANDLER),))

    def _ask(self, handle: int, request: int, word: int | None = None, more: int = 0, quiet: bool = False) -> tuple[CallStep, ...]:
        """A call of a partition of ours that does as it is told: a word in, a word out, and `more` bytes of the marker."""
        ins = [] if word is None else [(self.arena.input, 4)]
        ins += [(self.arena.input + 8, more)] if more else []
        control = request | len(ins) << self.psa.in_shift | 1 << self.psa.out_shift
        words = (*((word or 0) & WORD, 0), *MARKER)
        steps = [CallStep(FILL, self.arena.input, words=words), CallStep(FILL, self.arena.output, words=(0xA5A5A5A5,) * 4)]
        if ins:
            steps.append(CallStep(FILL, self.arena.in_vectors, words=tuple(vector_word for pair in ins for vector_word in pair)))
        steps.append(CallStep(FILL, self.arena.out_vectors, words=(self.arena.output, 4)))
        flags = Flag.QUIET if quiet else Flag.NONE
        return (*steps, CallStep(CALL, self.psa.veneers[3], (handle, control, self.arena.in_vectors, self.arena.out_vectors), flags))

    def _partitions(self) -> Iterator[Attack]:
        client_partition = self.subject.own_partition
        if client_partition is None:
            yield Attack(Family.PARTITION, "a hostile partition", why="needs a partition of ours in the image")
            return
        for attempt in client_partition.attempts:
            if client_partition.level < attempt.level:
                continue
            steps = self._ask(attempt.handle, attempt.request, attempt.address, attempt.more)
            yield Attack(
                Family.PARTITION,
                attempt.name,
                steps,
                shown=self.arena.output,
                shown_bytes=4,
                accepted=attempt.accepted,
                secret=attempt.secret,
            )
