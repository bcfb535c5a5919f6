from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from recollect import clock
from recollect.errors import ConfigError, EmbeddingFailed, ModelFailed, ProviderError
from recollect.providers.http_exchange import MAX_PAUSE_S, Exchange, Patience

from .conftest import Reply

if TYPE_CHECKING:
    from .conftest import Service

OK = Reply({"said": "yes"})
KEY = "sk-verysecret-0123456789"


@pytest.fixture
def exchange(service: Service, patience: Patience) -> Exchange:
    return Exchange("oracle", service.url, failure=EmbeddingFailed, patience=patience)


def ask(exchange: Exchange) -> dict[str, str]:
    return exchange.post("/ask", {"question": "why"}, dict[str, str])


def failure(exchange: Exchange) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        ask(exchange)
    return caught.value


def test_an_answer_comes_back_decoded_and_the_question_is_json(service: Service, exchange: Exchange) -> None:
    service.replies = [OK]
    assert ask(exchange) == {"said": "yes"}
    assert service.asked[0].path == "/ask"
    assert service.asked[0].body == {"question": "why"}
    assert service.asked[0].headers["Content-Type"] == "application/json"


def test_a_path_and_a_query_in_the_address_are_kept_and_only_the_path_is_shown(service: Service) -> None:
    service.replies = [OK, Reply(status=400)]
    exchange = Exchange("oracle", f"{service.url}/v1/?version=7")
    ask(exchange)
    assert service.asked[0].path == "/v1/ask?version=7"
    assert "version=7" not in str(failure(exchange))


@pytest.mark.parametrize(
    "fault",
    [Reply(status=status) for status in (408, 429, 500, 502, 503, 529)]
    + [Reply(fault="drop"), Reply(b'{"said": ', fault="cut")],
    ids=lambda reply: reply.fault or str(reply.status),
)
def test_a_passing_fault_is_tried_again(
    service: Service, exchange: Exchange, pauses: list[float], fault: Reply
) -> None:
    service.replies = [fault, fault, OK]
    assert ask(exchange) == {"said": "yes"}
    assert pauses == [0.5, 1.0]


@pytest.mark.parametrize("status", [300, 302, 307, 400, 401, 403, 404, 413, 422])
def test_a_refusal_is_not_tried_again(service: Service, exchange: Exchange, pauses: list[float], status: int) -> None:
    service.replies = [Reply(status=status, headers={"Location": f"{service.url}/elsewhere"})]
    error = failure(exchange)
    assert len(service.asked) == 1 and pauses == []
    assert error.details["status"] == status and str(status) in error.message


def test_retries_end(service: Service, exchange: Exchange, pauses: list[float]) -> None:
    service.replies = [Reply(status=500) for _ in range(9)]
    error = failure(exchange)
    assert len(service.asked) == 4 == error.details["tries"]
    assert pauses == [0.5, 1.0, 2.0]


def test_chance_shortens_a_pause_by_up_to_half(service: Service, pauses: list[float]) -> None:
    service.replies = [Reply(status=500), OK]
    ask(Exchange("oracle", service.url, patience=Patience(sleep=pauses.append, chance=lambda: 1.0)))
    assert pauses == [0.25]


def test_the_default_chance_stays_between_none_and_half(service: Service, pauses: list[float]) -> None:
    service.replies = [Reply(status=500) for _ in range(10)]
    failure(Exchange("oracle", service.url, patience=Patience(retries=9, sleep=pauses.append)))
    assert all(0.25 * 2**n <= pause <= 0.5 * 2**n for n, pause in enumerate(pauses[:6]))
    assert max(pauses) <= MAX_PAUSE_S


@pytest.mark.parametrize(
    ("asked", "waited"),
    [("7", 7.0), ("0", 0.0), ("86400", MAX_PAUSE_S), ("soon", 0.5), ("", 0.5), ("-3", 0.5)],
)
def test_a_service_may_say_how_long_to_wait_within_bounds(
    service: Service, exchange: Exchange, pauses: list[float], asked: str, waited: float
) -> None:
    service.replies = [Reply(status=429, headers={"Retry-After": asked}), OK]
    ask(exchange)
    assert pauses == [waited]


def test_a_service_may_say_until_when_to_wait(
    service: Service, exchange: Exchange, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now", lambda: 784_111_777)  # Sun, 06 Nov 1994 08:49:37 GMT
    service.replies = [Reply(status=503, headers={"Retry-After": "Sun, 06 Nov 1994 08:49:49 GMT"})]
    service.replies += [Reply(status=503, headers={"Retry-After": "Sun, 06 Nov 1994 08:00:00 GMT"}), OK]
    ask(exchange)
    assert pauses == [12.0, 0.0]


@pytest.mark.parametrize("fault", ["silence", "drip"])
def test_patience_with_one_answer_ends(service: Service, pauses: list[float], fault: str) -> None:
    service.replies = [Reply(fault=fault), Reply(fault=fault)]
    exchange = Exchange("oracle", service.url, patience=Patience(timeout_s=0.1, retries=1, sleep=pauses.append))
    assert "after 0.1 s" in failure(exchange).message
    assert service.heard(2) == 2


def test_an_answer_without_end_is_refused(service: Service, exchange: Exchange) -> None:
    service.replies = [Reply(fault="endless")]
    assert "more than 64 MB" in failure(exchange).message
    assert len(service.asked) == 1


def test_nobody_there_is_said_with_name_and_address(exchange: Exchange, service: Service) -> None:
    service.server_close()
    error = failure(exchange)
    assert "oracle" in error.message and service.url in error.message
    assert error.details["provider"] == "oracle" and error.details["url"] == service.url
    assert error.retryable and error.hint


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b'{"said": NaN}', b'{"said": 5}', b"[1]", b"\xff\xfe", b"null", b"[" * 10**6]
)
def test_an_answer_of_another_form_is_a_failure(service: Service, exchange: Exchange, body: bytes) -> None:
    service.replies = [Reply(body)]
    assert "unreadable" in failure(exchange).message
    assert len(service.asked) == 1


@pytest.mark.parametrize("kind", [EmbeddingFailed, ModelFailed])
def test_the_caller_chooses_the_class_of_failures(service: Service, kind: type[ProviderError]) -> None:
    service.replies = [Reply(status=400)]
    assert type(failure(Exchange("oracle", service.url, failure=kind))) is kind


def test_what_the_service_says_about_an_error_is_passed_on_in_short(service: Service, exchange: Exchange) -> None:
    service.replies = [Reply(b"model 'x' not found,\n try pulling it" + b" first" * 1000, status=404)]
    message = failure(exchange).message
    assert "model 'x' not found, try pulling it" in message
    assert len(message) < 400


@pytest.mark.parametrize("status", [400, 401, 403, 500])
def test_the_key_is_sent_and_never_shown(service: Service, patience: Patience, status: int) -> None:
    service.replies = [Reply(f"bad key {KEY}".encode(), status=status) for _ in range(4)]
    headers = {"Authorization": f"Bearer {KEY}"}
    exchange = Exchange("oracle", service.url, headers=headers, secret=KEY, patience=patience)
    error = failure(exchange)
    assert service.asked[0].headers["Authorization"] == f"Bearer {KEY}"
    assert KEY not in str(error) and KEY not in json.dumps(error.as_dict())
    assert error.__cause__ is None


@pytest.mark.parametrize("before", [180, 190, 195, 4_090, 8_185])
def test_no_part_of_the_key_is_shown_where_the_words_of_a_service_are_cut(service: Service, before: int) -> None:
    for filler in (b"x", b" "):
        service.replies = [Reply(filler * before + KEY.encode(), status=400)]
        exchange = Exchange("oracle", service.url, headers={"Authorization": f"Bearer {KEY}"}, secret=KEY)
        assert "sk-" not in failure(exchange).message


@pytest.mark.parametrize("key", ["sk-secret\nX-Evil: 1", "sk-secret-ключ"])
def test_a_key_that_no_header_can_carry_is_a_wrong_setting(key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Exchange("oracle", "http://localhost", headers={"Authorization": f"Bearer {key}"}, secret=key)
    assert "sk-secret" not in json.dumps(caught.value.as_dict())


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:11434",
        "file:///etc/passwd",
        "ftp://host",
        "http://",
        "http://host:port",
        "http://a b",
        "http://ü",
        "http://user:hunter2@host",
        "http://host\r\nX: 1",
    ],
)
def test_an_address_that_is_none_is_a_wrong_setting_and_is_not_quoted(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Exchange("oracle", url)
    assert "hunter2" not in json.dumps(caught.value.as_dict())


@pytest.mark.parametrize("variable", ["http_proxy", "HTTP_PROXY", "all_proxy"])
def test_a_service_on_this_machine_is_reached_past_any_proxy(
    service: Service, exchange: Exchange, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.setenv(variable, "http://127.0.0.1:9")
    service.replies = [OK]
    assert ask(exchange) == {"said": "yes"}


def test_a_service_elsewhere_is_reached_through_the_proxy(
    service: Service, patience: Patience, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", service.url)
    service.replies = [OK]
    assert ask(Exchange("oracle", "http://service.invalid", patience=patience)) == {"said": "yes"}
    assert service.asked[0].path == "http://service.invalid/ask"


def test_a_host_name_that_cannot_exist_is_a_failure_like_any_other(
    patience: Patience, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    too_long = "a" * 64
    assert "did not answer" in failure(Exchange("oracle", f"http://{too_long}.invalid", patience=patience)).message
