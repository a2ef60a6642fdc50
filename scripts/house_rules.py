# SPDX-License-Identifier: BSD-3-Clause
"""Refuses what the house forbids and no linter knows: `python scripts/house_rules.py [TREE]`, a line for each, status 1.

No code asks the facts of a run, which are for readers; none looks for words in a message. A class has no name to which the glossary gives
another meaning. No variable or parameter has a name of grammar (`found`, `told`, `one`). Analysis reads and writes nothing, the command
line computes nothing, and no core of the firmware asks by `#if` which platform or architecture it is on.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path("src/latlab")
GLOSSARY = Path("docs/reference/glossary.md")
TERM = re.compile(r"(?:^- |\. )\*\*([A-Z][a-z]+)\*\*", re.MULTILINE)
TERM_OF_TABLE = re.compile(r"^\| `([a-z]+)`", re.MULTILINE)
MESSAGES = ("message", "sentence")
# What a text for readers is called where it is nobody's field.
CALLED = (*MESSAGES, "complaint", "error", "problem", "reason", "warning")
TEXT_TESTS = ("startswith", "endswith", "find", "index", "count")
PATTERN_TESTS = ("search", "match", "fullmatch", "findall", "finditer")
# Fields of this name that hold no run's facts.
OTHER_FACTS = ("psci/analysis/explain_platform.py", "psci/readers/calls_log.py")
# Where a term of the glossary is a class.
HOMES: dict[str, str] = {
    "Amount": "core/model/amounts.py",
    "Blind": "rt/model/stolen.py",
    "Boot": "core/readers/dump/frames.py",
    "Cell": "core/comparison/comparison.py",
    "Claim": "core/comparison/decision.py",
    "Clock": "core/model/enums.py",
    "Conditions": "core/model/conditions.py",
    "Cost": "virtual/analysis/fit.py",
    "Crossing": "calls/model/crossings.py",
    "Departure": "virtual/analysis/structure.py",
    "Drift": "core/comparison/iterations.py",
    "Dump": "core/readers/dump/dump.py",
    "Event": "core/model/events.py",
    "Exposure": "rt/analysis/attribution.py",
    "Figure": "core/comparison/figure.py",
    "Hold": "psci/analysis/holds.py",
    "Iteration": "core/readers/dump/dump.py",
    "Mark": "core/comparison/summary.py",
    "Metric": "core/model/enums.py",
    "Order": "core/comparison/comparison.py",
    "Outlier": "rt/model/wakeups.py",
    "Part": "psci/analysis/decompose.py",
    "Place": "psa/targets/attack_params.py",
    "Response": "experiments/analysis/response.py",
    "Ring": "core/readers/dump/frames.py",
    "Row": "core/comparison/comparison.py",
    "Rule": "core/model/rules.py",
    "Run": "core/model/run.py",
    "Sample": "core/model/run.py",
    "Shape": "psci/analysis/shape.py",
    "Stolen": "rt/model/stolen.py",
    "Subject": "calls/targets/subject.py",
    "Suspicion": "core/comparison/suspicion.py",
    "Sweep": "virtual/pages/whatif.py",
    "Theft": "rt/model/stolen.py",
    "Tick": "core/model/run.py",
    "Topology": "core/model/run.py",
    "Verdict": "core/comparison/verdicts.py",
    "Witness": "psa/readers/witness.py",
}
# Names that say the grammar and not the thing.
GRAMMAR = re.compile(
    "asked|both|drawn|each|found|given|here|kept|known|made|meant|one|own|rest|said|seen|such|taken|there|told|wanted|what|who|whose"
)
# Modules that compute and neither read nor write, and modules of verbs, by their place in the package.
PURE = re.compile(r"core/(?:comparison|statistics)/|\w+/analysis(?:/|\.py)")
COMMAND_LINE = re.compile(r"core/cli/|\w+/verbs(?:/|\.py)")
OUTSIDE = ("open", "print", "input")
ON_FILES = ("open", "read_bytes", "read_text", "write_bytes", "write_text")
TO_OUTSIDE = ("shutil", "socket", "sqlalchemy", "sqlite3", "subprocess", "tempfile")
COMPUTING = ("altair", "numpy", "scipy", "statistics", "statsmodels")
CORES = ("firmware/el3/calls", "firmware/el3/monitor", "firmware/el3/psci", "firmware/spm/backend", "firmware/spm/core")
ASKS_WHERE = re.compile(
    r"\s*#\s*(?:if|ifdef|ifndef|elif)\b.*\b(?:PLATFORM_?\w*|__aarch64__|__arm__|__ARM_\w+|\w*(?:QEMU|RASPI|MPS[23]|SBSA)\w*)"
)
# How a next step begins, where the text of an error has it after a semicolon.
NEXT_STEP = re.compile(
    r"(?:(?:"
    r"add|allow|ask|attach|begin|boot|build|change|check|choose|commit|compare|connect|copy|correct|create|cut|declare|delete"
    r"|describe|end|export|fetch|find|fix|free|give|import|increase|install|join|keep|leave|let|limit|load|look|make|measure"
    r"|mount|move|name|pass|print|publish|put|read|record|reduce|remove|rename|repeat|replace|report|restore|run|save|say|see"
    r"|select|send|set|split|start|stop|switch|take|turn|unset|update|upgrade|use|wait|write|try|call"
    r")\b(?! \S+ed\b)|`latlab )",
    re.IGNORECASE,
)
# What makes a set, what takes its members whatever their order, and what keeps their order.
SETS = ("set", "frozenset")
# Files for programs, which read exponents, and templates of str.format with a number's format.
FOR_PROGRAMS = (
    "benchmarks/pages/amount_pages.py",
    "core/report/exports/benchmark_json.py",
    "core/report/exports/lava.py",
    "core/report/exports/openmetrics.py",
    "core/report/exports/samples_csv.py",
    "core/report/renderers/svg_minifier.py",
    "core/shown.py",
    "experiments/pages/data.py",
    "rt/pages/interval_lines.py",
)
FORMATTED = re.compile(r"\{\w*:[+,]*(?:\.\d+)?[gGeE]\}")
SET_METHODS = ("difference", "intersection", "symmetric_difference", "union")
WITHOUT_ORDER = (*SETS, "all", "any", "len", "max", "min", "sorted", "sum")
WITH_ORDER = ("dict", "enumerate", "iter", "list", "next", "tuple")
Fault = tuple[int, str]


def terms_of(tree: Path) -> frozenset[str]:
    glossary = (tree / GLOSSARY).read_text("utf-8")
    return frozenset((*TERM.findall(glossary), *(term.capitalize() for term in TERM_OF_TABLE.findall(glossary))))


def faults(tree: Path) -> list[str]:
    terms = terms_of(tree)
    found = [fault for path in sorted((tree / PACKAGE).rglob("*.py")) for fault in faults_of(path, tree, terms)]
    return [*found, *faults_of_cores(tree)]


def faults_of(path: Path, tree: Path, terms: frozenset[str]) -> list[str]:
    """Those of one module."""
    name = str(path.relative_to(tree / PACKAGE))
    module = ast.parse(path.read_text("utf-8"))
    found = sorted(
        {
            *_facts(module, name),
            *_messages(module),
            *_names(module, name, terms),
            *_grammar(module),
            *_rooms(module, name),
            *_errors(module),
            *_orders(module),
            *_exponents(module, name),
        }
    )
    return [f"{path.relative_to(tree)}:{line}: {sentence}" for line, sentence in found]


def _exponents(module: ast.Module, name: str) -> Iterator[Fault]:
    """A format that may print an exponent, outside of files for programs."""
    if name in FOR_PROGRAMS:
        return
    for node in (node for node in ast.walk(module) if isinstance(node, (ast.Constant, ast.FormattedValue))):
        spec = node.format_spec if isinstance(node, ast.FormattedValue) else None
        words = [part.value for part in spec.values if isinstance(part, ast.Constant)] if isinstance(spec, ast.JoinedStr) else []
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            words = [match.group() for match in FORMATTED.finditer(node.value)]
        if any(str(word).rstrip("}")[-1:] in ("g", "G", "e", "E") for word in words):
            yield node.lineno, "a format of g or e prints an exponent; take `significant` of core/shown.py"


def faults_of_cores(tree: Path) -> Iterator[str]:
    """Yield the faults of the firmware's cores."""
    for path in sorted(path for core in CORES for path in (tree / core).rglob("*.[chS]")):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if ASKS_WHERE.match(line):
                yield f"{path.relative_to(tree)}:{number}: a core knows no platform; what differs is a folder and a table of functions"


def _rooms(module: ast.Module, name: str) -> Iterator[Fault]:
    for node in ast.walk(module):
        if PURE.match(name) and (_reaches_out(node) or _imports(node, TO_OUTSIDE)):
            yield (
                getattr(node, "lineno", 0),
                "analysis is pure: what it needs is read before by a campaign, what it found is shown after by a page",
            )
        if COMMAND_LINE.match(name) and (_imports(node, COMPUTING) or _is_average(node)):
            yield getattr(node, "lineno", 0), "the command line computes nothing; that belongs to an analysis or a page"


def _reaches_out(node: ast.AST) -> bool:
    """A call that reads or writes: of a function, or of a path's method."""
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name in OUTSIDE
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in ON_FILES
        case _:
            return False


def _is_average(node: ast.AST) -> bool:
    """A sum or anything else by how many there are, or the one in the middle of them."""
    match node:
        case ast.BinOp(left=left, op=ast.Div() | ast.FloorDiv(), right=right):
            return _calls(left, "sum") or _calls(right, "len")
        case ast.Subscript(slice=ast.BinOp(left=left, op=ast.FloorDiv())):
            return _calls(left, "len")
        case _:
            return False


def _calls(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _imports(node: ast.AST, modules: tuple[str, ...]) -> bool:
    match node:
        case ast.Import(names=names):
            return any(each.name.partition(".")[0] in modules for each in names)
        case ast.ImportFrom(module=str(source), level=0):
            return source.partition(".")[0] in modules
        case _:
            return False


def _facts(module: ast.Module, name: str) -> Iterator[Fault]:
    """`facts` may be passed on, added to and shown as a whole; an index, a test, or a loop that chooses asks them."""
    if name in OTHER_FACTS:
        return
    for node in ast.walk(module):
        match node:
            case ast.Subscript(value=asked):
                is_asked = _is_facts(asked)
            case ast.Attribute(value=asked, attr=attr):
                is_asked = _is_facts(asked) and attr != "items"
            case ast.Compare():
                is_asked = any(_is_facts(each) for each in (node.left, *node.comparators))
            case ast.comprehension(iter=asked, ifs=chosen):
                is_asked = bool(chosen) and _is_facts(asked)
            case ast.For(iter=asked, body=body):
                is_asked = _is_facts(asked) and any(isinstance(each, ast.If | ast.Match) for part in body for each in ast.walk(part))
            case _:
                is_asked = False
        if is_asked:
            line = node.iter.lineno if isinstance(node, ast.comprehension) else getattr(node, "lineno", 0)
            yield line, "`facts` are for readers; what code asks is a field of its own (src/latlab/core/model)"


def _is_facts(node: ast.expr) -> bool:
    match node:
        case ast.Attribute(attr="facts"):
            return True
        case ast.Call(func=ast.Name(id="dict" | "list" | "tuple" | "set"), args=[inner]):
            return _is_facts(inner)
        case _:
            return False


def _messages(module: ast.Module) -> Iterator[Fault]:
    for node in ast.walk(module):
        match node:
            case ast.Compare():
                sides = (node.left, *node.comparators)
                is_test = any(_is_message(each) for each in sides) and any(_is_words(each) for each in sides)
            case ast.Call(func=ast.Attribute(value=asked, attr=attr)) if attr in TEXT_TESTS:
                is_test = _is_message(asked)
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re")), args=args):
                is_test = any(_is_message(each) for each in args[1:])
            case ast.Call(func=ast.Attribute(attr=attr), args=[asked, *_]) if attr in PATTERN_TESTS:
                is_test = _is_message(asked)
            case ast.Match(subject=asked, cases=cases):
                is_test = _is_message(asked) and any(_is_text_case(each.pattern) for each in cases)
            case _:
                is_test = False
        if is_test:
            yield getattr(node, "lineno", 0), "a message is for readers; whoever makes it says as a field what code needs to know"


def _errors(module: ast.Module) -> Iterator[Fault]:
    """An error whose text has its next step: programs get that as a field."""
    raised = {id(node.exc) for node in ast.walk(module) if isinstance(node, ast.Raise)}
    for node in ast.walk(module):
        match node:
            case ast.Call(func=ast.Name(id=name), args=[text]) if (id(node) in raised or name.endswith("Error")) and not hasattr(
                builtins, name
            ):
                if NEXT_STEP.match(_text_of(text).rpartition("; ")[2]) and "; " in _text_of(text):
                    cure = f'{name}("what is wrong", "what to do")'
                    yield text.lineno, f"the next step is in the text of an error; give it as the second argument: {cure}"
            case _:
                pass


def _orders(module: ast.Module) -> Iterator[Fault]:
    for function in (node for node in ast.walk(module) if isinstance(node, ast.FunctionDef)):
        sets = _sets_in(function)
        free = {
            id(argument)
            for node in ast.walk(function)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in WITHOUT_ORDER and not _has_key(node)
            for argument in node.args
        }
        for node in ast.walk(function):
            if id(node) not in free and any(_is_set(members, sets) for members in _taken_in_order(node)):
                yield getattr(node, "lineno", 0), "the order of a set differs between processes; sort its members, or use dict.fromkeys"


def _taken_in_order(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.For(iter=members):
            return [members]
        case ast.ListComp(generators=loops) | ast.GeneratorExp(generators=loops) | ast.DictComp(generators=loops):
            return [loop.iter for loop in loops]
        case ast.List(elts=members) | ast.Tuple(elts=members):
            return [member.value for member in members if isinstance(member, ast.Starred)]
        case ast.Call(func=ast.Name(id=name), args=[members, *_]):
            return [members] if name in WITH_ORDER or (name in WITHOUT_ORDER and _has_key(node)) else []
        case ast.Call(func=ast.Attribute(attr="join"), args=[members]):
            return [members]
        case _:
            return []


def _has_key(call: ast.Call) -> bool:
    """Two members of the same key stay in the order in which they came."""
    return any(keyword.arg == "key" for keyword in call.keywords)


def _sets_in(function: ast.FunctionDef) -> frozenset[str]:
    """The names of its parameters and variables that are sets."""
    declared = [(part.arg, part.annotation) for part in (*function.args.args, *function.args.kwonlyargs) if part.annotation]
    assigned: list[tuple[str, ast.expr]] = []
    for node in ast.walk(function):
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                declared.append((name, annotation))
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                assigned.append((name, value))
            case _:
                pass
    by_type = {name for name, annotation in declared if ast.unparse(annotation).partition("[")[0] in (*SETS, "AbstractSet")}
    return frozenset({*by_type, *(name for name, value in assigned if _is_set(value, frozenset()))})


def _is_set(node: ast.expr, sets: frozenset[str]) -> bool:
    match node:
        case ast.Set() | ast.SetComp():
            return True
        case ast.Name(id=name):
            return name in sets
        case ast.Call(func=ast.Name(id=name)):
            return name in SETS
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in SET_METHODS
        case ast.BinOp(left=left, op=ast.BitAnd() | ast.BitOr() | ast.BitXor() | ast.Sub(), right=right):
            return any(_is_set(side, sets) or _is_view(side) for side in (left, right))
        case _:
            return False


def _is_view(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("items", "keys")


def _text_of(node: ast.expr) -> str:
    """Its literal text; of an expression in it, a mark."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(map(_text_of, values))
        case _:
            return "\0"


def _is_message(node: ast.expr) -> bool:
    match node:
        case ast.Attribute(attr=attr):
            return attr in MESSAGES
        case ast.Name(id=name):
            return name in CALLED
        case ast.Call(func=ast.Name(id="str"), args=[ast.Name(id=name)]):
            return name in (*CALLED, "e", "exc")
        case ast.Call(func=ast.Attribute(value=inner, attr="lower" | "casefold" | "strip")):
            return _is_message(inner)
        case _:
            return False


def _is_text_case(pattern: ast.pattern) -> bool:
    match pattern:
        case ast.MatchValue(value=value):
            return _is_words(value)
        case ast.MatchOr(patterns=patterns):
            return any(map(_is_text_case, patterns))
        case _:
            return False


def _is_words(node: ast.expr) -> bool:
    """A text that stands in the code, with words in it; an empty one only asks whether there is a message."""
    return (isinstance(node, ast.Constant) and isinstance(node.value, str) and bool(node.value)) or isinstance(node, ast.JoinedStr)


def _names(module: ast.Module, name: str, terms: frozenset[str]) -> Iterator[Fault]:
    for node in ast.walk(module):
        if isinstance(node, ast.ClassDef) and node.name in terms and name != HOMES.get(node.name):
            home = HOMES.get(node.name, str(GLOSSARY))
            yield node.lineno, f"class {node.name}: the glossary means that of {home} by this word; give the class a name of its own"


def _grammar(module: ast.Module) -> Iterator[Fault]:
    """Fields of a class are left out: records are stored and exported by their names."""
    classes = (node for node in ast.walk(module) if isinstance(node, ast.ClassDef))
    fields = {id(field.target) for one_class in classes for field in one_class.body if isinstance(field, ast.AnnAssign)}
    for node in ast.walk(module):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) if id(node) not in fields:
                pass
            case ast.arg(arg=name) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                pass
            case _:
                continue
        if GRAMMAR.fullmatch(name):
            yield node.lineno, f"{name} says the grammar; call the variable by what it holds"


if __name__ == "__main__":
    found = faults(Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve())
    sys.stderr.writelines(f"{fault}\n" for fault in found)
    sys.exit(1 if found else 0)
