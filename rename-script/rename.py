"""Renames names of the code by the table renames.toml beside this file.

    python3 rename.py TREE            renames in the tree (idempotent), prints what it did and what it left
    python3 rename.py TREE --dry      only says what it would do
    python3 rename.py TREE --count    counts of the retired names in the tree

Needs Python 3.11 and ruff (found in TREE/.venv/bin). Works on the syntax tree with scopes; texts of strings are left,
but for argument names of `pytest.mark.parametrize`, names given to `monkeypatch.setattr` and friends, dotted paths of
moved modules and paths of moved files.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
NAMED = (ast.Name, ast.Attribute, ast.keyword, ast.arg)


# ---------------------------------------------------------------- positions


class Text:
    """A source and the offset of each (line, byte column) of it."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.lines = source.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))
        self._ascii = [line.isascii() for line in self.lines]

    def at(self, line: int, column: int) -> int:
        if self._ascii[line - 1]:
            return self.starts[line - 1] + column
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())


def in_order(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for child in ast.iter_child_nodes(node):
        yield from in_order(child)


def string_parts(text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of each string token of a piece of source."""
    lines = Text(text)
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.STRING:
                yield (
                    lines.starts[token.start[0] - 1] + token.start[1],
                    lines.starts[token.end[0] - 1] + token.end[1],
                )
    except (tokenize.TokenError, IndentationError):
        return


def expressions(body: str) -> Iterator[tuple[int, int, int, int]]:
    """(start, end, start of the format, end of the format) of each replacement field of an f-string's body."""
    i = 0
    while i < len(body):
        if body[i : i + 2] in ("{{", "}}"):
            i += 2
        elif body[i] == "{":
            start, depth, quote = i + 1, 0, ""
            j = start
            while j < len(body):
                c = body[j]
                if quote:
                    if body.startswith(quote, j):
                        j += len(quote) - 1
                        quote = ""
                elif c in "'\"":
                    quote = body[j : j + 3] if body[j : j + 3] == c * 3 else c
                    j += len(quote) - 1
                elif c in "([{":
                    depth += 1
                elif c in ")]" or (c == "}" and depth):
                    depth -= 1
                elif not depth and (c == "}" or c == ":" or (c == "!" and body[j + 1] != "=")):
                    break
                j += 1
            end = j
            if j < len(body) and body[j] == "!":
                j = next(k for k in range(j, len(body)) if body[k] in ":}")
            spec_start = spec_end = j
            if j < len(body) and body[j] == ":":
                spec_start, k, depth = j + 1, j + 1, 0
                while body[k] != "}" or depth:
                    depth += {"{": 1, "}": -1}.get(body[k], 0)
                    k += 1
                spec_end = j = k
            yield start, end, spec_start, spec_end
            i = j + 1
        else:
            i += 1


def fstring_names(literal: str, base: int) -> list[tuple[str, int]]:
    """(name, offset) of each named node within the string tokens of a literal, in the order of the syntax tree."""
    out: list[tuple[str, int]] = []
    for start, end in string_parts(literal):
        token = literal[start:end]
        prefix = re.match(r"[A-Za-z]*", token)
        assert prefix
        if "f" not in prefix[0].lower():
            continue
        quote = token[prefix.end() : prefix.end() + 3]
        quote = quote if quote in ('"""', "'''") else quote[:1]
        opened = prefix.end() + len(quote)
        body = token[opened : len(token) - len(quote)]
        out += _body_names(body, base + start + opened)
    return out


def _body_names(body: str, base: int) -> list[tuple[str, int]]:
    out: list[tuple[str, int]] = []
    for a, b, c, d in expressions(body):
        expr = body[a:b]
        if re.search(r"(?<![=!<>])=\s*$", expr):
            raise ValueError("an f-string with `=`")
        wrapped = f"({expr})"
        tree = ast.parse(wrapped, mode="eval")
        out += _positions(tree, Text(wrapped), base + a - 1)
        if d > c:
            out += _body_names(body[c:d], base + c)
    return out


def _positions(tree: ast.AST, text: Text, base: int) -> list[tuple[str, int]]:
    out: list[tuple[str, int]] = []

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.JoinedStr):
            a = text.at(node.lineno, node.col_offset)
            b = text.at(node.end_lineno or 0, node.end_col_offset or 0)
            out.extend(fstring_names(text.source[a:b], base + a))
            return
        if isinstance(node, NAMED):
            out.append((name_of(node), base + position(node, text)))
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(tree)
    return out


def name_of(node: ast.AST) -> str:
    match node:
        case ast.Name():
            return node.id
        case ast.Attribute():
            return node.attr
        case ast.keyword() | ast.arg():
            return node.arg or ""
    return ""


def position(node: ast.AST, text: Text) -> int:
    if isinstance(node, ast.Attribute):
        return text.at(node.end_lineno or 0, node.end_col_offset or 0) - len(node.attr)
    return text.at(node.lineno, node.col_offset)  # type: ignore[attr-defined]


# ---------------------------------------------------------------- scopes


@dataclass(eq=False)
class Scope:
    node: ast.AST
    kind: str  # module, class, function, comprehension
    parent: Scope | None
    name: str = ""
    bound: dict[str, list[tuple[str, tuple[ast.AST | None, ...]]]] = field(default_factory=lambda: defaultdict(list))
    elsewhere: set[str] = field(default_factory=set)  # global, nonlocal
    refs: list[tuple[str, int]] = field(default_factory=list)  # name, offset
    children: list[Scope] = field(default_factory=list)
    params: dict[str, ast.arg] = field(default_factory=dict)

    def how(self, name: str) -> str:
        """How a name comes to be: what it is assigned, iterates over, is typed as."""
        return " ; ".join(" ".join([kind, *map(source_of, nodes)]).rstrip() for kind, nodes in self.bound[name])

    def qualname(self) -> str:
        names, scope = list[str](), self
        while scope is not None and scope.kind != "module":
            names.append(scope.name)
            scope = scope.parent  # type: ignore[assignment]
        return ".".join(reversed([n for n in names if n]))

    def resolve(self, name: str) -> Scope | None:
        scope: Scope | None = self
        first = True
        while scope is not None:
            if (first or scope.kind != "class") and name in scope.bound and name not in scope.elsewhere:
                return scope
            first = False
            scope = scope.parent
        return None


def source_of(node: ast.AST | None) -> str:
    return "" if node is None else " ".join(ast.unparse(node).split())[:200]


class Module:
    """One file: its tree, its scopes, the offset of every name in it."""

    def __init__(self, root: Path, path: str) -> None:
        self.root, self.path = root, path
        self.source = (root / path).read_text(encoding="utf-8")
        self.text = Text(self.source)
        self.tree = ast.parse(self.source)
        self.dotted = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        self.edits: dict[tuple[int, int], str] = {}
        self.unsafe: set[str] = set()
        self._within: dict[int, set[str]] = {}
        self.offset: dict[int, int] = {}
        self._place_all()
        self.scopes: list[Scope] = []
        self._imports: list[tuple[Scope, ast.Import | ast.ImportFrom]] = []
        self.scope_of: dict[int, Scope] = {}
        self.module = self._scope(self.tree, "module", None)
        for statement in self.tree.body:
            self._visit(statement, self.module)

    # positions
    def _place_all(self) -> None:
        def visit(node: ast.AST) -> None:
            if isinstance(node, ast.JoinedStr):
                inner = [n for n in in_order(node) if isinstance(n, NAMED)]
                a = self.text.at(node.lineno, node.col_offset)
                b = self.text.at(node.end_lineno or 0, node.end_col_offset or 0)
                try:
                    found = fstring_names(self.source[a:b], a)
                    if [n for n, _ in found] != [name_of(n) for n in inner]:
                        raise ValueError("names of an f-string")
                except (ValueError, SyntaxError):
                    self.unsafe |= {name_of(n) for n in inner}
                    return
                for n, (_, at) in zip(inner, found, strict=True):
                    self.offset[id(n)] = at
                return
            if isinstance(node, NAMED):
                self.offset[id(node)] = position(node, self.text)
            for child in ast.iter_child_nodes(node):
                visit(child)

        visit(self.tree)

    def _after(self, node: ast.AST, name: str) -> int:
        """Offset of a name that the tree gives no place of: the first as a word behind the start of its node."""
        start = self.text.at(node.lineno, node.col_offset)  # type: ignore[attr-defined]
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            keyword = {ast.FunctionDef: "def ", ast.ClassDef: "class "}.get(type(node), "async def ")
            return self.source.index(name, start + len(keyword))
        match = re.compile(rf"\b{re.escape(name)}\b").search(self.source, start)
        assert match, (self.path, name)
        return match.start()

    # scopes
    def _scope(self, node: ast.AST, kind: str, parent: Scope | None, name: str = "") -> Scope:
        scope = Scope(node, kind, parent, name)
        if parent is not None:
            parent.children.append(scope)
        self.scopes.append(scope)
        return scope

    def _bind(self, scope: Scope, name: str, how: str, at: int | None, *nodes: ast.AST | None) -> None:
        scope.bound[name].append((how, nodes))
        if at is not None:
            scope.refs.append((name, at))

    def _target(self, target: ast.AST, scope: Scope, how: str, value: ast.AST | None) -> None:
        match target:
            case ast.Name():
                self._bind(scope, target.id, how, self.offset.get(id(target)), value)
                self.scope_of[id(target)] = scope
            case ast.Tuple() | ast.List():
                same = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts)
                for n, each in enumerate(target.elts):
                    part = value.elts[n] if same else value  # type: ignore[union-attr]
                    self._target(each, scope, how if same else f"part of {how}", part)
            case ast.Starred():
                self._target(target.value, scope, f"rest of {how}", value)
            case _:
                self._visit(target, scope)

    def _visit(self, node: ast.AST | None, scope: Scope) -> None:
        if node is None:
            return
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._bind(scope, node.name, "def ->", self._after(node, node.name), node.returns)
                for each in (*node.decorator_list, node.returns):
                    self._visit(each, scope)
                inner = self._scope(node, "function", scope, node.name)
                self._arguments(node.args, scope, inner)
                for statement in node.body:
                    self._visit(statement, inner)
            case ast.Lambda():
                inner = self._scope(node, "function", scope)
                self._arguments(node.args, scope, inner)
                self._visit(node.body, inner)
            case ast.ClassDef():
                self._bind(scope, node.name, "class", self._after(node, node.name))
                for part in (*node.decorator_list, *node.bases, *node.keywords):
                    self._visit(part, scope)
                inner = self._scope(node, "class", scope, node.name)
                for statement in node.body:
                    self._visit(statement, inner)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                inner = self._scope(node, "comprehension", scope)
                for n, generator in enumerate(node.generators):
                    self._visit(generator.iter, inner if n else scope)
                    self._target(generator.target, inner, "for", generator.iter)
                    for test in generator.ifs:
                        self._visit(test, inner)
                for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
                    self._visit(part, inner)
            case ast.NamedExpr():
                home = scope
                while home.kind == "comprehension" and home.parent is not None:
                    home = home.parent
                self._target(node.target, home, "walrus", node.value)
                self._visit(node.value, scope)
            case ast.Assign():
                self._visit(node.value, scope)
                for target in node.targets:
                    self._target(target, scope, "assign", node.value)
            case ast.AnnAssign():
                self._visit(node.annotation, scope)
                self._visit(node.value, scope)
                if isinstance(node.target, ast.Name):
                    at = self.offset.get(id(node.target))
                    self._bind(scope, node.target.id, "typed", at, node.annotation, node.value)
                else:
                    self._visit(node.target, scope)
            case ast.AugAssign():
                self._visit(node.value, scope)
                self._target(node.target, scope, "more", node.value)
            case ast.For() | ast.AsyncFor():
                self._visit(node.iter, scope)
                self._target(node.target, scope, "for", node.iter)
                for statement in (*node.body, *node.orelse):
                    self._visit(statement, scope)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    self._visit(item.context_expr, scope)
                    if item.optional_vars is not None:
                        self._target(item.optional_vars, scope, "with", item.context_expr)
                for statement in node.body:
                    self._visit(statement, scope)
            case ast.ExceptHandler():
                self._visit(node.type, scope)
                if node.name:
                    start = self.text.at(node.lineno, node.col_offset)
                    found = re.compile(rf"\bas\s+({node.name})\s*:").search(self.source, start)
                    self._bind(scope, node.name, "except", found.start(1) if found else None)
                for statement in node.body:
                    self._visit(statement, scope)
            case ast.Import() | ast.ImportFrom():
                self._imports.append((scope, node))
                for alias in node.names:
                    if alias.asname:
                        at = self.text.at(alias.end_lineno or 0, alias.end_col_offset or 0) - len(alias.asname)
                        self._bind(scope, alias.asname, "import", at)
                    else:
                        name = alias.name.split(".")[0]
                        self._bind(scope, name, "import", self.text.at(alias.lineno, alias.col_offset))
            case ast.Global() | ast.Nonlocal():
                scope.elsewhere |= set(node.names)
                for name in node.names:
                    scope.refs.append((name, self._after(node, name)))
            case ast.MatchAs() | ast.MatchStar():
                if node.name:
                    end = self.text.at(node.end_lineno or 0, node.end_col_offset or 0)
                    self._bind(scope, node.name, "match", end - len(node.name))
                if isinstance(node, ast.MatchAs):
                    self._visit(node.pattern, scope)
            case ast.MatchMapping():
                if node.rest:
                    self._bind(scope, node.rest, "match", None)
                    self.unsafe.add(node.rest)
                for child in ast.iter_child_nodes(node):
                    self._visit(child, scope)
            case ast.MatchClass():
                self.unsafe |= set(node.kwd_attrs)
                for child in ast.iter_child_nodes(node):
                    self._visit(child, scope)
            case ast.Name():
                if id(node) in self.offset:
                    scope.refs.append((node.id, self.offset[id(node)]))
                self.scope_of[id(node)] = scope
            case _:
                self.scope_of[id(node)] = scope
                for child in ast.iter_child_nodes(node):
                    self._visit(child, scope)

    def _arguments(self, args: ast.arguments, outer: Scope, inner: Scope) -> None:
        for default in (*args.defaults, *(d for d in args.kw_defaults if d is not None)):
            self._visit(default, outer)
        every = [*args.posonlyargs, *args.args, *args.kwonlyargs, *filter(None, (args.vararg, args.kwarg))]
        for each in every:
            self._visit(each.annotation, outer)
            self._bind(inner, each.arg, "param", self.offset.get(id(each)), each.annotation)
            inner.params[each.arg] = each

    def imported(self) -> list[tuple[Scope, ast.Import | ast.ImportFrom]]:
        return self._imports

    # edits
    def uses(self, owner: Scope, name: str) -> list[int]:
        out = list[int]()

        def visit(scope: Scope, sees: bool) -> None:
            hides = scope is not owner and name in scope.bound and name not in scope.elsewhere
            here = sees and not hides
            if here or (scope is not owner and name in scope.elsewhere):
                out.extend(at for n, at in scope.refs if n == name)
            for child in scope.children:  # what a class binds is not seen within its functions
                visit(child, sees if scope.kind == "class" else here)

        if owner.kind == "class":
            out.extend(at for n, at in owner.refs if n == name)
        else:
            visit(owner, True)
        return sorted(set(out))

    def names_within(self, scope: Scope) -> set[str]:
        """Names that are bound or used in a scope or one within it."""
        if id(scope) not in self._within:
            out = {n for n, _ in scope.refs} | set(scope.bound)
            self._within[id(scope)] = out.union(*(self.names_within(c) for c in scope.children))
        return self._within[id(scope)]

    def explained(self, scope: Scope, name: str) -> Iterator[int]:
        """Where the docstring of a function (of its class, for `__init__`) names a parameter in backticks."""
        nodes = [scope.node]
        if scope.name == "__init__" and scope.parent is not None:
            nodes.append(scope.parent.node)
        for node in nodes:
            body = getattr(node, "body", None)
            if name not in scope.params or not isinstance(body, list) or not body or not isinstance(body[0], ast.Expr):
                continue
            doc = body[0].value
            if isinstance(doc, ast.Constant) and isinstance(doc.value, str):
                a = self.text.at(doc.lineno, doc.col_offset)
                b = self.text.at(doc.end_lineno or 0, doc.end_col_offset or 0)
                for hit in re.finditer(rf"`{name}`", self.source[a:b]):
                    yield a + hit.start() + 1

    def replace(self, at: int, old: str, new: str) -> None:
        assert self.source[at : at + len(old)] == old, (self.path, at, old, self.source[at : at + 30])
        self.edits[at, at + len(old)] = new

    def changed(self) -> str:
        out, last = list[str](), 0
        for (a, b), new in sorted(self.edits.items()):
            out += [self.source[last:a], new]
            last = b
        return "".join([*out, self.source[last:]])


# ---------------------------------------------------------------- the tree


def tracked(root: Path) -> list[str]:
    done = subprocess.run(["git", "-C", str(root), "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True, check=True)
    return sorted(p for p in set(done.stdout.splitlines()) if (root / p).is_file())


def called_name(call: ast.Call) -> str:
    """The last name of what is called; of what `partial` or `replace` is given."""
    func = call.func
    name = func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
    if name == "partial" and call.args:
        first = call.args[0]
        return first.attr if isinstance(first, ast.Attribute) else first.id if isinstance(first, ast.Name) else ""
    return name


class Tree:
    def __init__(self, root: Path, table: dict) -> None:  # type: ignore[type-arg]
        self.root, self.table = root, table
        self.files = tracked(root)
        self.left: list[str] = []
        self.done: Counter[str] = Counter()

    def read(self) -> None:
        olds = {row["old"] for part in ("local", "global", "attribute", "helper") for row in self.table.get(part, [])}
        olds |= {old for row in self.table.get("kind", []) for old in row["old"]}
        named = re.compile(rf"\b(?:{'|'.join(sorted(olds))})\b")
        kept = {p: m for p, m in self.__dict__.get("modules", {}).items() if not m.edits}
        self.modules = {}
        for p in self.files:
            if p in kept:
                self.modules[p] = kept[p]
            elif p.endswith(".py") and named.search((self.root / p).read_text(encoding="utf-8")):
                self.modules[p] = Module(self.root, p)
        self.by_dotted = {m.dotted: m for m in self.modules.values()}
        self.keywords: dict[str, list[tuple[Module, str, ast.keyword]]] = defaultdict(list)
        for m in self.modules.values():
            for node in ast.walk(m.tree):
                if isinstance(node, ast.Call):
                    for k in node.keywords:
                        if k.arg:
                            self.keywords[k.arg].append((m, called_name(node), k))

    def write(self, dry: bool) -> list[str]:
        changed = [m for m in self.modules.values() if m.edits]
        for m in changed:
            text = m.changed()
            ast.parse(text)
            if not dry:
                (self.root / m.path).write_text(text, encoding="utf-8")
        return [m.path for m in changed]

    # ---- locals and parameters
    def new_name(self, module: Module, scope: Scope, old: str) -> list[str]:
        qualname = scope.qualname()
        for row in self.table.get("local", []):
            if row["old"] == old and module.path in (row["file"], self.moved(row["file"])):
                if row.get("in", qualname) == qualname:
                    return list(row["new"])
        how = scope.how(old)
        for row in self.table.get("kind", []):
            if old not in row["old"] or not re.search(row.get("file", ""), module.path):
                continue
            if re.search(row.get("how", ""), how) and re.search(row.get("in", ""), qualname):
                return list(row["new"])
        return []

    def rename_locals(self) -> None:
        olds = {old for row in (*self.table.get("kind", []),) for old in row["old"]}
        olds |= {row["old"] for row in self.table.get("local", [])}
        plans: list[tuple[Module, Scope, str, list[str]]] = []
        for m in self.modules.values():
            for scope in m.scopes:
                if scope.kind in ("module", "class"):
                    continue
                for old in olds & set(scope.bound) - scope.elsewhere:
                    if new := self.new_name(m, scope, old):
                        plans.append((m, scope, old, new))
        # Parameters of functions of one name go by one new name, so that overriding and protocols stay one.
        chosen: dict[tuple[str, str], list[str]] = {}
        everywhere: dict[tuple[str, str], int] = Counter()
        for m in self.modules.values():
            for scope in m.scopes:
                for p in scope.params:
                    everywhere[self.function(scope), p] += 1
        params = [(m, s, o, n) for m, s, o, n in plans if o in s.params and not isinstance(s.node, ast.Lambda)]
        planned: Counter[tuple[str, str]] = Counter()
        for m, s, old, new in params:
            key = (self.function(s), old)
            planned[key] += 1
            chosen.setdefault(key, new)
        fixtures = {s.name for m in self.modules.values() for s in m.scopes if self.fixture(s)}
        of_key: dict[tuple[str, str], list[tuple[Module, Scope]]] = defaultdict(list)
        for m, s, o, _ in params:
            of_key[self.function(s), o].append((m, s))
        for key, new in sorted(chosen.items()):
            function, old = key
            rows = of_key[key]
            keyed = [(m, k) for m, name, k in self.keywords[old] if name == function]
            if keyed and planned[key] != everywhere[key]:
                self.left.append(f"{function}({old}=): {planned[key]} of {everywhere[key]} functions of the name")
                continue
            if any(old in m.unsafe for m, _ in (*rows, *keyed)):
                self.left.append(f"{function}({old}): a use in a place that is not known")
                continue
            if any(self.injected(s, old, fixtures) for _, s in rows):
                self.left.append(f"{rows[0][0].path}: {function}({old}): a fixture or a parameter by name")
                continue
            free = [n for n in new if all(n not in m.names_within(s) for m, s in rows)]
            if not free:
                self.left.append(f"{rows[0][0].path}: {function}({old}): {', '.join(new)} taken")
                continue
            if keyed and any(free[0] in {k.arg for k in call_keywords(m, k)} for m, k in keyed):
                self.left.append(f"{function}({old}): {free[0]} is a keyword of a call")
                continue
            for m, s in rows:
                self.apply(m, s, old, free[0])
                self.parametrized(m, s, old, free[0])
            for m, k in keyed:
                m.replace(m.offset[id(k)], old, free[0])
        for m, s, old, new in plans:
            if old in s.params and not isinstance(s.node, ast.Lambda):
                continue
            if old in m.unsafe:
                self.left.append(f"{m.path}: {s.qualname()}: {old}: a use in a place that is not known")
                continue
            free = [n for n in new if n not in m.names_within(s) | self.planned_within(m, s)]
            if not free:
                self.left.append(f"{m.path}: {s.qualname()}: {old}: {', '.join(new)} taken")
                continue
            self.apply(m, s, old, free[0])

    def planned_within(self, m: Module, s: Scope) -> set[str]:
        return self.taken.get(id(s), set()) | set().union(*(self.planned_within(m, c) for c in s.children))

    taken: dict[int, set[str]] = defaultdict(set)

    def apply(self, m: Module, s: Scope, old: str, new: str) -> None:
        for at in m.uses(s, old):
            m.replace(at, old, new)
        for at in m.explained(s, old):
            m.replace(at, old, new)
        self.done[old] += 1
        up: Scope | None = s
        while up is not None:
            self.taken[id(up)].add(new)
            up = up.parent

    @staticmethod
    def function(scope: Scope) -> str:
        if scope.name == "__init__" and scope.parent is not None:
            return scope.parent.name
        return scope.name

    @staticmethod
    def fixture(scope: Scope) -> bool:
        node = scope.node
        return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and any(
            "fixture" in source_of(d) for d in node.decorator_list
        )

    def injected(self, s: Scope, old: str, fixtures: set[str]) -> bool:
        node = s.node
        assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        decorators = [source_of(d) for d in node.decorator_list]
        if any(re.search(r"router\.|\.command|\.callback|field_validator|model_validator|fixture|\.tool|given\(|rule\(", d) for d in decorators):
            return True
        args = node.args
        annotation = source_of(s.params[old].annotation)
        if re.search(r"typer\.|Depends|Query\(|Header\(|Body\(", annotation):
            return True
        return node.name.startswith("test") and old in fixtures and not any(old in d for d in decorators)

    def parametrized(self, m: Module, s: Scope, old: str, new: str) -> None:
        node = s.node
        assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and "parametrize" in source_of(decorator.func) and decorator.args:
                names = decorator.args[0]
                for each in names.elts if isinstance(names, (ast.Tuple, ast.List)) else [names]:
                    if isinstance(each, ast.Constant) and isinstance(each.value, str):
                        a = m.text.at(each.lineno, each.col_offset)
                        b = m.text.at(each.end_lineno or 0, each.end_col_offset or 0)
                        for hit in re.finditer(rf"\b{old}\b", m.source[a:b]):
                            m.replace(a + hit.start(), old, new)

    # ---- functions, classes and constants of modules
    def rename_globals(self) -> None:
        rows = list(self.table.get("global", []))
        for row in self.table.get("helper", []):  # by pattern: functions of tests
            for m in self.modules.values():
                if re.search(row["file"], m.path) and row["old"] in m.module.bound:
                    how = m.module.how(row["old"])
                    if how.startswith("def") and re.search(row.get("how", ""), how):
                        if not any(r["old"] == row["old"] and r["file"] == m.path for r in rows):
                            rows.append({"file": m.path, "old": row["old"], "new": row["new"]})
        for row in rows:
            m = self.modules.get(row["file"]) or self.modules.get(self.moved(row["file"]))
            if m is None or row["old"] not in m.module.bound or any(k == "import" for k, _ in m.module.bound[row["old"]]):
                continue
            self.rename_global(m, row["old"], [row["new"]] if isinstance(row["new"], str) else row["new"])

    def rename_global(self, m: Module, old: str, names: list[str]) -> None:
        users, homes = list[tuple[Module, Scope, str, int]](), [m]
        for home in homes:  # a package may hand a name on
            for user in self.importers(home, old):
                users.append(user)
                if user[2] == old and user[0].path.endswith("__init__.py") and user[0] not in homes:
                    homes.append(user[0])
        every = [(m, m.module), *((u, s) for u, s, local, _ in users if local == old)]
        every = list({id(s): (u, s) for u, s in every}.values())
        free = [n for n in names if all(n not in u.names_within(s) | self.planned_within(u, s) for u, s in every)]
        if not free or any(old in u.unsafe for u, _ in every):
            self.left.append(f"{m.path}: {old}: {', '.join(names)} taken, or a use in a place that is not known")
            return
        new = free[0]
        for u, s in every:
            self.apply(u, s, old, new)
        for u, _, _, at in users:
            u.replace(at, old, new)
        for home in homes:
            for each in ast.walk(home.tree):
                if isinstance(each, ast.Assign) and source_of(each.targets[0]) == "__all__":
                    for c in ast.walk(each.value):
                        if isinstance(c, ast.Constant) and c.value == old:
                            home.replace(home.text.at(c.lineno, c.col_offset) + 1, old, new)
        self.done[old] -= len(every) - 1
        for u, at in self.attribute_uses(m, old):
            u.replace(at, old, new)

    def importers(self, m: Module, name: str) -> list[tuple[Module, Scope, str, int]]:
        """(module, scope, local name, offset of the imported name) of `from m import name [as local]`."""
        out = []
        last = m.dotted.rpartition(".")[2]
        for u in self.modules.values():
            if name not in u.source or last not in u.source:
                continue
            for scope, node in u.imported():
                if isinstance(node, ast.ImportFrom) and absolute(u, node) == m.dotted:
                    for alias in node.names:
                        if alias.name == name:
                            at = u.text.at(alias.lineno, alias.col_offset)
                            out.append((u, scope, alias.asname or name, at))
        return out

    def attribute_uses(self, m: Module, name: str) -> Iterator[tuple[Module, int]]:
        """`module.name`, and the name in a string beside `module` in setattr and its like."""
        package, _, last = m.dotted.rpartition(".")
        for u in self.modules.values():
            if name not in u.source or last not in u.source:
                continue
            local: set[str] = set()
            for node in ast.walk(u.tree):
                if isinstance(node, ast.ImportFrom) and absolute(u, node) == package:
                    local |= {a.asname or a.name for a in node.names if a.name == last}
                elif isinstance(node, ast.Import):
                    local |= {a.asname or a.name for a in node.names if a.name == m.dotted}
            if not local:
                continue
            for node in ast.walk(u.tree):
                if isinstance(node, ast.Attribute) and node.attr == name and source_of(node.value) in local:
                    yield u, u.offset[id(node)]
                if isinstance(node, ast.Call) and len(node.args) > 1 and source_of(node.args[0]) in local:
                    second = node.args[1]
                    if isinstance(second, ast.Constant) and second.value == name:
                        yield u, u.text.at(second.lineno, second.col_offset) + 1

    # ---- attributes: only where every definition and use lies in the files of the row
    def rename_attributes(self) -> None:
        for row in self.table.get("attribute", []):
            old, new, within = row["old"], row["new"], re.compile(row["within"])
            inside = [m for m in self.modules.values() if within.search(m.path) and old in m.source]
            outside = [m for m in self.modules.values() if not within.search(m.path) and old in m.source]
            uses = {m.path: [n for n in ast.walk(m.tree) if isinstance(n, ast.Attribute) and n.attr == old] for m in (*inside, *outside)}
            uses = {path: nodes for path, nodes in uses.items() if nodes}
            if not any(uses.get(m.path) for m in inside):
                continue
            apart = re.compile(row.get("apart", r"^$"))
            alien = [m.path for m in outside if uses.get(m.path) and not self.defines(m, old) and not apart.search(m.path)]
            taken = [m.path for m in inside if uses.get(m.path) and (self.defines(m, new) or f".{new}" in m.source)]
            if alien or taken or any(old in m.unsafe for m in inside):
                self.left.append(f".{old}: used in {alien}, {new} taken in {taken}")
                continue
            for m in inside:
                for node in uses.get(m.path, ()):
                    m.replace(m.offset[id(node)], old, new)
                for scope in m.scopes:
                    if scope.kind == "class" and old in scope.bound:
                        for at in m.uses(scope, old):
                            m.replace(at, old, new)
            self.done[f".{old}"] += 1

    @staticmethod
    def defines(m: Module, name: str) -> bool:
        stored = any(isinstance(n, ast.Attribute) and n.attr == name and isinstance(n.ctx, ast.Store) for n in ast.walk(m.tree))
        return stored or any(s.kind == "class" and name in s.bound for s in m.scopes)

    # ---- modules
    def moved(self, path: str) -> str:
        for row in self.table.get("move", []):
            if row["old"] == path:
                return str(row["new"])
        return path

    def move(self, dry: bool) -> list[str]:
        rows = [(r["old"], r["new"]) for r in self.table.get("move", []) if (self.root / r["old"]).is_file()]
        for old, new in list(rows):
            if (self.root / new).exists():
                self.left.append(f"{old}: {new} exists")
                rows.remove((old, new))
        if dry or not rows:
            return [old for old, _ in rows]
        for old, new in rows:
            subprocess.run(["git", "-C", str(self.root), "mv", old, new], check=True)
        self.files = tracked(self.root)
        self.rewrite(rows)
        return [old for old, _ in rows]

    def rewrite(self, rows: list[tuple[str, str]]) -> None:
        python = [(dotted(o), dotted(n)) for o, n in rows if o.endswith(".py")]
        for path in self.files:
            if path == "CHANGELOG.md" or not re.search(r"\.(py|md|toml|yml|yaml|json|txt|cfg)$|Makefile$", path) or path.endswith("recorded_updates.jsonl"):
                continue
            try:
                before = (self.root / path).read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue
            text = before
            for old, new in rows:
                text = re.sub(rf"(?<![\w/]){re.escape(old)}(?![\w])", new, text)
            for old, new in python:
                text = re.sub(rf"(?<![\w.]){re.escape(old)}(?![\w])", new, text)
            if path.endswith(".py"):
                text = self.imports(path, text, python)
            else:
                for old, new in rows:  # `name.py` alone in prose, where no other file has the name
                    a, b = old.rsplit("/", 1)[1], new.rsplit("/", 1)[1]
                    if not any(f.endswith("/" + a) for f in self.files):
                        text = re.sub(rf"(?<=[`(/ ]){re.escape(a)}(?=[`) ,:])", b, text)
            if text != before:
                (self.root / path).write_text(text, encoding="utf-8")

    def imports(self, path: str, source: str, python: list[tuple[str, str]]) -> str:
        """`from package import module`, uses of the module by its last name, and the file's own names in docstrings."""
        lasts = "|".join(o.rpartition(".")[2] for o, _ in python)
        lines = "\n".join(re.findall(r"^\s*(?:from [\w.]+ )?import (?:\([^)]*\)|.*)", source, re.M))
        if not re.search(rf"\b(?:{lasts})\b", lines):
            return self.named_files(source, python)
        (self.root / path).write_text(source, encoding="utf-8")
        m = Module(self.root, path)
        for old, new in python:
            package, _, last = old.rpartition(".")
            renamed = new.rpartition(".")[2]
            if new.rpartition(".")[0] != package:
                raise ValueError("a module moves within its package alone")
            if last not in source:
                continue
            for scope, node in m.imported():
                if not isinstance(node, ast.ImportFrom) or absolute(m, node) != package:
                    continue
                for alias in node.names:
                    if alias.name != last:
                        continue
                    at = m.text.at(alias.lineno, alias.col_offset)
                    if alias.asname:
                        m.replace(at, last, renamed)
                    elif renamed in m.names_within(scope):
                        m.edits[at, at + len(last)] = f"{renamed} as {last}"
                        self.left.append(f"{path}: {renamed} taken, imported as {last}")
                    else:
                        for use in m.uses(scope, last):
                            m.replace(use, last, renamed)
        return self.named_files(m.changed(), python)

    def named_files(self, text: str, python: list[tuple[str, str]]) -> str:
        for old, new in python:
            a, b = old.rpartition(".")[2], new.rpartition(".")[2]
            for suffix in (".py", ".toml"):
                if not any(f.endswith(f"/{a}{suffix}") for f in self.files):
                    text = re.sub(rf"(?<![\w]){a}{re.escape(suffix)}\b", f"{b}{suffix}", text)
        return text


def dotted(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


def absolute(m: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    package = m.dotted.split(".") if m.path.endswith("__init__.py") else m.dotted.split(".")[:-1]
    base = package[: len(package) - node.level + 1]
    return ".".join([*base, *([node.module] if node.module else [])])


def call_keywords(m: Module, k: ast.keyword) -> list[ast.keyword]:
    for node in ast.walk(m.tree):
        if isinstance(node, ast.Call) and k in node.keywords:
            return node.keywords
    return []


# ---------------------------------------------------------------- the command


def count(root: Path, words: Iterable[str]) -> Counter[str]:
    """Bindings whose name has one of the words, by word."""
    out: Counter[str] = Counter()
    for path in tracked(root):
        if path.endswith(".py"):
            m = Module(root, path)
            for scope in m.scopes:
                for name in scope.bound:
                    for word in set(name.strip("_").lower().split("_")) & set(words):
                        if not name.startswith("test_"):
                            out[word] += 1
            for word in set(Path(path).stem.split("_")) & set(words):
                out[f"{word} (files)"] += 1
    return out


def finish(root: Path, table: dict, base: str = "HEAD") -> list[str]:  # type: ignore[type-arg]
    """Sorts imports, formats what was formatted before, adds the test of names; what is left to do by hand."""
    guard = root / "tests/unit/docs/test_names.py"
    names: dict[str, Any] = {"__name__": "names", "__file__": str(guard)}
    source = (HERE / "test_names.py").read_text(encoding="utf-8")
    exec(source, names)  # noqa: S102
    left = sorted(
        {f"{p.relative_to(root)}: {name}" for d in names["PRODUCT"] for p in (root / d).rglob("*.py")
         for _, name in names["retired"](p.read_text(encoding="utf-8"))}
    )
    body = "".join(f'        "{x}",\n' for x in left)
    guard.write_text(source.replace("frozenset()\n\"\"\"Those", f"frozenset(\n    {{\n{body}    }}\n)\n\"\"\"Those"), encoding="utf-8")

    def ruff(*words: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
        command = [str(root / ".venv/bin/ruff"), *words]
        return subprocess.run(command, cwd=root, input=given, capture_output=True, text=True, check=False)

    def git(*words: str) -> str:
        return subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=True).stdout

    files = [p for p in git("diff", "--name-only", base).splitlines() if p.endswith(".py") and (root / p).is_file()]
    if not files:
        return []
    ruff("check", "--fix", "-q", "--select", "I", *files)
    before = {row["new"]: row["old"] for row in table.get("move", [])}
    known = set(git("ls-tree", "-r", "--name-only", base).splitlines())
    for line in ruff("format", "--check", *files).stdout.splitlines():
        path = line.removeprefix("Would reformat: ")
        old = path if path in known else before.get(path, "")
        if path != line and old in known:
            if not ruff("format", "--check", "--stdin-filename", path, given=git("show", f"{base}:{old}")).returncode:
                ruff("format", "-q", path)
    for hit in reversed(re.findall(r"^(\S+?):(\d+):\d+: E501", ruff("check", "--select", "E501", "--output-format", "concise", *files).stdout, re.M)):
        wrap(root / hit[0], int(hit[1]), ruff)
    long = ruff("check", "--output-format", "concise", *files).stdout.splitlines()
    return [f"by hand: {line}" for line in long if re.match(r"\S+:\d+:", line)]


def wrap(path: Path, line: int, ruff: Any) -> None:
    """Formats the one statement of a line that has become too long, though `fmt: skip` may keep it as it is."""
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines(keepends=True)
    around = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.stmt) and n.lineno <= line <= (n.end_lineno or 0)]
    inner = max(around, key=lambda n: (n.lineno, -(n.end_lineno or 0)), default=None)
    if inner is None:
        return
    body = getattr(inner, "body", None)
    end = max(inner.lineno, body[0].lineno - 1) if body else inner.end_lineno or inner.lineno
    for n in range(inner.lineno - 1, end):
        lines[n] = re.sub(r"[ \t]*# fmt: skip[ \t]*$", "", lines[n], flags=re.M)
    path.write_text("".join(lines), encoding="utf-8")
    ruff("format", "-q", "--range", f"{inner.lineno}-{end}", str(path))


def main() -> None:
    root = Path(sys.argv[1]).resolve()
    dry = "--dry" in sys.argv
    table = tomllib.loads((HERE / "renames.toml").read_text(encoding="utf-8"))
    if "--count" in sys.argv:
        for word, n in sorted(count(root, table["count"]["words"]).items()):
            print(f"{word:20} {n}")
        return
    changed: set[str] = set()
    left: list[str] = []
    done: Counter[str] = Counter()
    tree = Tree(root, table)
    for step in ("rename_locals", "rename_globals", "rename_attributes"):
        Tree.taken = defaultdict(set)
        tree.read()
        getattr(tree, step)()
        changed |= set(tree.write(dry))
    moved = tree.move(dry)
    left += tree.left
    done += tree.done
    if not dry:
        left += finish(root, table)
    print(f"{sum(done.values())} names renamed in {len(changed)} files, {len(moved)} files moved")
    for name, n in done.most_common():
        print(f"  {name:30} {n}")
    print(f"left: {len(left)}")
    for line in sorted(left):
        print("  ", line)


if __name__ == "__main__":
    main()
