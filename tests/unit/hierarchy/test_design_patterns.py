"""Design patterns are found by what code does, in several languages; names count as names."""

from __future__ import annotations

from pathlib import Path

from tests.trees import write

from recollect import Engine
from recollect.hierarchy.design_patterns import design_patterns

FILES = {
    # The examples of document 004: Singleton (Logger), Factory (CacheManager).
    "logger.go": """package app

import "sync"

type Logger struct{ level int }

var (
	once   sync.Once
	shared *Logger
)

func GetLogger() *Logger {
	once.Do(func() { shared = &Logger{level: 1} })
	return shared
}
""",
    "cache_manager.go": """package app

type Backend interface{ Get(key string) string }
type RedisBackend struct{}
type MemoryBackend struct{}
type CacheManager struct{}

func (m *CacheManager) Backend(kind string) Backend {
	if kind == "redis" {
		return &RedisBackend{}
	}
	return &MemoryBackend{}
}
""",
    "app/registry.py": """
class Plugins:
    _instance = None

    def __new__(cls):
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance


class Plain:
    def instance_of(self):
        return 1


class Circle: ...


class Square: ...


class BadShape(ValueError): ...


def shape(kind):
    if kind == "circle":
        return Circle()
    return Square() if kind == "square" else None


def other(kind):
    if kind == "square":
        return Square(kind)
    return Square()
""",
    "src/Settings.java": """class Settings {
  private static final Settings INSTANCE = new Settings();
  static Settings create() { return INSTANCE; }
}
class Point {
  static Point of(int x) { return new Point(); }
}
""",
    "web/parser.ts": """export class JsonParser {}
export class XmlParser {}
export function parserFor(kind: string) {
  switch (kind) {
    case "json":
      return new JsonParser();
  }
  return new XmlParser();
}
""",
}


def test_patterns_are_found_by_structure(tmp_path: Path) -> None:
    project = tmp_path.resolve() / "project"
    write(project, FILES)
    with Engine(home=str(tmp_path / "home"), embed_provider="off") as engine:
        engine.code.index(str(project))
        lines = design_patterns(engine.project(str(project))).split("\n")
    found = {line.partition(":")[0]: line.partition(": ")[2] for line in lines}
    single = found["Singleton, keeps one instance"]
    assert "Logger (logger.go:5), by GetLogger" in single
    assert "Plugins (app/registry.py:2)" in single
    assert "Settings (src/Settings.java:1)" in single
    assert [name for name in ("Plain", "Point", "Circle", "CacheManager") if name in single] == []
    factory = found["Factory"]
    assert "CacheManager.Backend (cache_manager.go:8) returns MemoryBackend or RedisBackend" in factory
    assert "shape (app/registry.py:25) returns Circle or Square" in factory
    assert "parserFor (web/parser.ts:3) returns JsonParser or XmlParser" in factory
    assert "other" not in factory, "one class is no choice"
    assert found["Parser, by name"].startswith("JsonParser (web/parser.ts:1)")
