"""Tokens of an OIDC issuer: signature, times, issuer and audience count, and the key decides the algorithm."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from tests.waiting import PATIENCE_S

from recollect import Engine
from recollect.engine.admin import oidc_tokens
from recollect.errors import ConfigError, ProviderError, Unauthorized

jwt = pytest.importorskip("jwt")
rsa = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.rsa")
ec = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.ec")

RSA_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
SMALL_KEY = rsa.generate_private_key(public_exponent=65537, key_size=1024)
EC_KEY = ec.generate_private_key(ec.SECP256R1())
STRANGER = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def public(key: Any, kid: str, **more: str) -> dict[str, Any]:
    algorithm = jwt.algorithms.ECAlgorithm if "Elliptic" in type(key).__name__ or hasattr(key, "curve") else None
    algorithm = algorithm or jwt.algorithms.RSAAlgorithm
    return {**json.loads(algorithm.to_jwk(key.public_key())), "kid": kid, "use": "sig", **more}


class Issuer:
    """An issuer on this machine; requests: how often each path was asked for."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        self.keys = [public(RSA_KEY, "r"), public(EC_KEY, "e"), public(SMALL_KEY, "small")]
        self.keys += [{"kty": "oct", "kid": "oct", "k": "c2VjcmV0"}, {"kty": "RSA", "kid": "broken"}]
        self.is_down = False
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                issuer.requests.append(self.path)
                about = {"issuer": issuer.url, "jwks_uri": f"{issuer.url}/keys"}
                body = json.dumps({"keys": issuer.keys} if self.path == "/keys" else about).encode()
                self.send_response(500 if issuer.is_down else 200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None: ...

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def token(self, key: Any = RSA_KEY, *, kid: str = "r", algorithm: str = "RS256", **claims: Any) -> str:
        now = int(time.time())
        given = {"iss": self.url, "aud": "recollect", "sub": "u-1", "exp": now + 600, "groups": ["dev"], **claims}
        kept = {name: value for name, value in given.items() if value is not None}
        made: str = jwt.encode(kept, key, algorithm=algorithm, headers={"kid": kid})
        return made


@pytest.fixture(scope="module")
def running() -> Iterator[Issuer]:
    issuer = Issuer()
    yield issuer
    issuer.server.shutdown()
    issuer.server.server_close()


@pytest.fixture
def issuer(running: Issuer) -> Issuer:
    running.requests.clear()
    running.is_down = False
    return running


GRANTS = "groups:ops=admin,groups:dev=write@shop+web,sub:reader=read,groups:people=write@me+shop"


@pytest.fixture
def check(issuer: Issuer, home: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Any]]:
    monkeypatch.setattr(oidc_tokens, "TIMEOUT_S", PATIENCE_S)
    with Engine(oidc_issuer=issuer.url, oidc_audience="recollect", oidc_grants=GRANTS) as engine:
        yield engine.access_tokens.check


def refused(check: Callable[[str], Any], token: str) -> str:
    with pytest.raises(Unauthorized) as found:
        check(token)
    return found.value.message


def test_a_token_of_the_issuer_grants_what_its_claim_is_mapped_to(check: Any, issuer: Issuer) -> None:
    grant = check(issuer.token(preferred_username="ada"))
    assert grant == ("oidc:u-1", "ada", "write", ("shop", "web"))
    assert check(issuer.token(EC_KEY, kid="e", algorithm="ES256")).scope == "write"
    assert check(issuer.token(groups=["dev", "ops"])).projects == (), "the first grant that fits counts"
    assert check(issuer.token(groups=[], sub="reader")).scope == "read"
    assert check(issuer.token(groups=["people"])).projects == ("private:oidc-u-1", "shop")
    assert "no claim" in refused(check, issuer.token(groups=["sales"]))


def test_tokens_of_our_own_are_accepted_beside_them(issuer: Issuer) -> None:
    with Engine(oidc_issuer=issuer.url, oidc_audience="recollect", oidc_grants=GRANTS) as engine:
        assert engine.access_tokens.check(engine.access_tokens.create("ci").secret).name == "ci"
    assert issuer.requests == []


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://evil.example"},
        {"aud": "another"},
        {"aud": None},
        {"sub": None},
        {"exp": None},
        {"exp": 1},
        {"nbf": 2**31},
    ],
    ids=str,
)
def test_wrong_claims_are_refused(check: Any, issuer: Issuer, claims: dict[str, Any]) -> None:
    refused(check, issuer.token(**claims))


def unsigned(issuer: Issuer) -> str:
    return issuer.token("", algorithm="none")


def confused(issuer: Issuer) -> str:
    """A token signed with the public key as if it were a password."""
    pem = jwt.PyJWK(public(RSA_KEY, "r"), algorithm="RS256").key.public_bytes(
        pytest.importorskip("cryptography.hazmat.primitives.serialization").Encoding.PEM,
        pytest.importorskip("cryptography.hazmat.primitives.serialization").PublicFormat.SubjectPublicKeyInfo,
    )
    head, body, _ = issuer.token().split(".")
    head = base64.urlsafe_b64encode(json.dumps({"alg": "HS256", "kid": "r"}).encode()).decode().rstrip("=")
    mark = hmac.new(pem, f"{head}.{body}".encode(), hashlib.sha256).digest()
    return f"{head}.{body}.{base64.urlsafe_b64encode(mark).decode().rstrip('=')}"


@pytest.mark.parametrize(
    "forge",
    [
        lambda issuer: issuer.token(STRANGER),
        lambda issuer: issuer.token(kid="unknown"),
        lambda issuer: issuer.token(algorithm="RS512"),
        lambda issuer: issuer.token(kid="e"),
        lambda issuer: issuer.token(SMALL_KEY, kid="small"),
        lambda issuer: issuer.token(b"secret" * 8, kid="oct", algorithm="HS256"),
        lambda issuer: issuer.token()[:-4] + "AAAA",
        unsigned,
        confused,
        lambda issuer: "a.b.c",
        lambda issuer: "x" * 20_000,
        lambda issuer: "",
        lambda issuer: "é.é.é",
    ],
)
@pytest.mark.filterwarnings("ignore::jwt.warnings.InsecureKeyLengthWarning")
def test_a_forged_token_is_refused(check: Any, issuer: Issuer, forge: Callable[[Issuer], str]) -> None:
    assert refused(check, forge(issuer)) == "the access token is not valid"


def test_keys_are_kept_and_unknown_ones_do_not_make_the_issuer_busy(
    check: Any, issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oidc_tokens, "REFETCH_S", oidc_tokens.KEYS_S)  # a busy machine needs more than a minute
    for number in range(20):
        check(issuer.token())
        refused(check, issuer.token(kid=f"unknown-{number}"))
    assert issuer.requests.count("/keys") == 1


def test_keys_outlive_an_issuer_that_is_down_and_new_ones_are_found(
    check: Any, issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    check(issuer.token())
    moment = time.monotonic()
    monkeypatch.setattr(oidc_tokens.time, "monotonic", lambda: moment + oidc_tokens.KEYS_S + 1)
    issuer.is_down = True
    check(issuer.token())
    issuer.is_down = False
    issuer.keys.append(public(STRANGER, "new"))
    monkeypatch.setattr(oidc_tokens.time, "monotonic", lambda: moment + 2 * oidc_tokens.KEYS_S)
    check(issuer.token(STRANGER, kid="new"))
    issuer.keys.pop()


def test_an_issuer_that_never_answered_is_asked_once_a_minute(check: Any, issuer: Issuer) -> None:
    issuer.is_down = True
    for _ in range(3):
        with pytest.raises(ProviderError):
            check(issuer.token())
    assert len(issuer.requests) == 1


@pytest.mark.parametrize(
    "settings",
    [
        {"oidc_issuer": "http://login.example", "oidc_audience": "r", "oidc_grants": "sub:*=read"},
        {"oidc_issuer": "https://login.example", "oidc_grants": "sub:*=read"},
        {"oidc_issuer": "https://login.example", "oidc_audience": "r"},
        {"oidc_issuer": "https://login.example", "oidc_audience": "r", "oidc_grants": "everybody"},
        {"oidc_issuer": "https://login.example", "oidc_audience": "r", "oidc_grants": "sub:*=root"},
    ],
    ids=str,
)
def test_settings_that_cannot_be_used_are_said(settings: dict[str, str]) -> None:
    with Engine(**settings) as engine, pytest.raises(ConfigError):
        engine.access_tokens.oidc  # noqa: B018


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, issuer: Issuer) -> None:
    monkeypatch.setitem(__import__("sys").modules, "jwt", None)
    with (
        Engine(oidc_issuer=issuer.url, oidc_audience="r", oidc_grants="sub:*=read") as engine,
        pytest.raises(ConfigError) as found,
    ):
        engine.access_tokens.oidc  # noqa: B018
    assert "recollect[teams]" in found.value.hint
