"""Opens the embedder and the language model of the settings; only the chosen one is imported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal

from recollect.errors import ConfigError

if TYPE_CHECKING:
    from recollect.providers.http_exchange import Patience
    from recollect.providers.provider_protocol import Embedder, Model
    from recollect.settings import Settings


def open_embedder(settings: Settings) -> Embedder | None:
    """Return the cached embedder of `settings`; None where embedding is off.

    Loads no model and sends nothing. Raises ConfigError for settings that can never work, such as a malformed
    address. A provider that is not there or a missing key fails in `embed`, so that recall stays lexical.
    """
    if settings.embed_provider == "off":
        return None
    from recollect.providers.cache import CachedEmbedder

    return CachedEmbedder(PROVIDERS[settings.embed_provider](settings))


def _local(settings: Settings) -> Embedder:
    from recollect.providers.local import MODEL, LocalEmbedder

    named = settings.embed_model.removeprefix("sentence-transformers/")
    if named.lower() not in ("", MODEL.lower()):
        raise ConfigError(
            f"the local provider has only the model {MODEL}, not {settings.embed_model!r}",
            hint="Leave embed_model empty, or set embed_provider to ollama or openai.",
            setting="embed_model",
        )
    return LocalEmbedder(threads=settings.embed_threads)


def _ollama(settings: Settings) -> Embedder:
    from recollect.providers.remote_embedder import open_ollama

    return open_ollama(url=settings.embed_url, model=settings.embed_model, patience=_patience(settings))


def _openai(settings: Settings) -> Embedder:
    from recollect.providers.remote_embedder import open_openai

    return open_openai(
        url=settings.embed_url,
        model=settings.embed_model,
        key=settings.embed_api_key or settings.openai_api_key,
        dimensions=settings.embed_dimensions,
        patience=_patience(settings),
    )


def _patience(settings: Settings) -> Patience:
    from recollect.providers.http_exchange import Patience

    return Patience(timeout_s=settings.embed_timeout_s, retries=settings.embed_retries)


# The names that the setting embed_provider takes, apart from "off".
PROVIDERS: Mapping[str, Callable[[Settings], Embedder]] = {"local": _local, "ollama": _ollama, "openai": _openai}


def open_model(settings: Settings, role: Role = "llm") -> Model | None:
    """Return the language model of `settings` for a role; None if none is configured.

    role: the prefix of its settings; patience is the same for all. Sends nothing. Raises ConfigError for settings that
    can never work; a provider that is not there or a missing key fails in `complete`.
    """
    name, url, model, key = (getattr(settings, f"{role}_{field}") for field in ("provider", "url", "model", "api_key"))
    if name not in SERVED:
        return None
    from recollect.providers.chat import open_chat
    from recollect.providers.http_exchange import Patience

    key = key or (getattr(settings, KEYS[name]) if name in KEYS else "")
    patience = Patience(timeout_s=settings.llm_timeout_s, retries=settings.llm_retries)
    return open_chat(name, url=url, model=model, key=key, patience=patience)


# A second model may be configured for shortening observations: many small calls that a smaller model does as well.
Role = Literal["llm", "compress"]

# The providers of language models, as settings name them.
SERVED = frozenset({"ollama", "openai", "anthropic"})

# Where the key of a provider is looked for if none is given for the role: a key of one is never sent to the other.
KEYS: Mapping[str, str] = {"openai": "openai_api_key", "anthropic": "anthropic_api_key"}
