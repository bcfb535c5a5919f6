from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from recollect import settings
from recollect.errors import ConfigError
from recollect.providers.cache import CachedEmbedder
from recollect.providers.choose import PROVIDERS, open_embedder

if TYPE_CHECKING:
    from recollect.providers.protocol import Embedder

    from .conftest import Service


def opened(directory: Path, **environment: str) -> Embedder | None:
    return open_embedder(
        settings.load(environment={"RECOLLECT_HOME": str(directory / "home"), **environment}, directory=directory)
    )


@pytest.mark.promise("E10")
@pytest.mark.parametrize(
    ("environment", "model_id"),
    [
        ({}, "all-MiniLM-L6-v2/int8"),
        ({"CODEMEM_EMBED_PROVIDER": "candle"}, "all-MiniLM-L6-v2/int8"),
        ({"RECOLLECT_EMBED_MODEL": "sentence-transformers/all-MiniLM-L6-v2"}, "all-MiniLM-L6-v2/int8"),
        ({"RECOLLECT_EMBED_PROVIDER": "ollama"}, "ollama/nomic-embed-text"),
        ({"CODEMEM_EMBED_PROVIDER": "ollama", "CODEMEM_EMBED_MODEL": "all-minilm"}, "ollama/all-minilm"),
        ({"RECOLLECT_EMBED_PROVIDER": "openai"}, "openai/text-embedding-3-small"),
        (
            {"CODEMEM_EMBED_PROVIDER": "openai", "CODEMEM_EMBED_DIMENSIONS": "512"},
            "openai/text-embedding-3-small/512",
        ),
    ],
)
def test_the_environment_chooses_the_embedder(tmp_path: Path, environment: dict[str, str], model_id: str) -> None:
    embedder = opened(tmp_path, **environment)
    assert isinstance(embedder, CachedEmbedder)
    assert embedder.model_id == model_id


def test_off_means_no_embedder(tmp_path: Path) -> None:
    assert opened(tmp_path, RECOLLECT_EMBED_PROVIDER="off") is None


def test_every_provider_of_the_settings_has_a_row() -> None:
    parse = next(row.parse for row in settings.SETTINGS if row.name == "embed_provider")
    assert {parse(name) for name in PROVIDERS} == set(PROVIDERS)
    with pytest.raises(ValueError, match=", ".join([*PROVIDERS, "off"])):
        parse("nobody")


@pytest.mark.promise("E10")
def test_a_service_named_by_the_environment_is_asked_once_for_each_text(tmp_path: Path, service: Service) -> None:
    service.answer = lambda body: {"data": [{"embedding": [1.0, 0.0]} for _ in body["input"]]}
    embedder = opened(
        tmp_path,
        CODEMEM_EMBED_PROVIDER="openai",
        CODEMEM_EMBED_URL=f"{service.url}/v1",
        OPENAI_API_KEY="sk-from-the-environment",
    )
    assert embedder is not None
    assert np.array_equal(embedder.embed(["a"]), embedder.embed(["a"]))
    assert len(service.asked) == 1
    assert service.asked[0].path == "/v1/embeddings"
    assert service.asked[0].headers["Authorization"] == "Bearer sk-from-the-environment"


def test_a_local_model_that_is_not_shipped_is_a_wrong_setting(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        opened(tmp_path, RECOLLECT_EMBED_MODEL="bge-base-en-v1.5")
    assert caught.value.details["setting"] == "embed_model"


def test_an_address_that_is_none_is_a_wrong_setting(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        opened(tmp_path, RECOLLECT_EMBED_PROVIDER="ollama", RECOLLECT_EMBED_URL="localhost:11434")


def test_importing_and_choosing_loads_nothing_heavy(tmp_path: Path) -> None:
    code = """
import sys
from recollect import settings
from recollect.providers import cache, choose, exchange, excerpt, local, ollama, openai, protocol, remote
for name in choose.PROVIDERS:
    choose.open_embedder(settings.load({"embed_provider": name, "home": sys.argv[1]}, environment={}))
print(*sorted({"numpy", "onnxruntime", "tokenizers", "http", "urllib.request", "ssl", "socket"} & set(sys.modules)))
"""
    command = [sys.executable, "-I", "-c", code, str(tmp_path)]
    assert subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path).stdout == "\n"
