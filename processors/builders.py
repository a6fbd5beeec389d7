"""The steps of this release, each made of its parts and behind what erases its rows (schemas.components.builtin)."""

from __future__ import annotations

from processors.erasure.guard import Guarded
from processors.erasure.project import ProjectEraser
from processors.erasure.steps import ExtractEraser, GateEraser, ScreenEraser, SessionEraser
from processors.knowledge.step import ChunkStep
from processors.memory.step import Gate
from processors.parts import Parts
from processors.project.step import Project
from processors.reader.step import Extract
from processors.screen.step import Screen
from processors.session.step import Session
from processors.step import Step


def screen(p: Parts) -> Step:
    return Guarded(Screen(p.models, p.book), ScreenEraser())


def extract(p: Parts) -> Step:
    inner = Extract(p.extractor, p.models, p.book, ask_model=p.ask_model)
    return Guarded(inner, ExtractEraser(), refuses=False)


def gate(p: Parts) -> Step:
    return Guarded(Gate(p.models, p.book, ask_model=p.ask_model), GateEraser(p.models, p.book))


def session(p: Parts) -> Step:
    return Guarded(Session(p.models, p.book), SessionEraser())


def project(p: Parts) -> Step:
    return Guarded(Project(p.models, p.book, ask_model=p.ask_model), ProjectEraser(p.models, p.book))


def chunk(p: Parts) -> Step:
    return ChunkStep(p.models, p.book)
