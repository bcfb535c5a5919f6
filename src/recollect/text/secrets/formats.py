"""Secrets that can be told by what they look like: a table of formats, one row each.

A row says how such a secret begins, how it goes on, and why that is enough. Most providers give their keys a prefix so
that scanners find them; where one does not, the place it stands in tells (`PLACED`), or the name it is assigned to
(`name.py`). All patterns are of bytes and bounded: none looks further than its secret can reach.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple


class Format(NamedTuple):
    """A kind of secret and its shape; `why` says what makes the shape enough.

    starts: how it may begin, literally. pattern: all of it, from there; a group in it is what is secret of it
    """

    kind: str
    starts: tuple[bytes, ...]
    pattern: bytes
    why: str


class Found(NamedTuple):
    """Where a secret lies and what it is."""

    start: int
    end: int
    kind: str


@cache
def compiled(pattern: bytes) -> re.Pattern[bytes]:
    """Return a pattern, compiled when it is first needed: all of them at once would cost every start 30 ms."""
    return re.compile(pattern)


# Shorter runs of letters, digits, _ and - are never a secret by their look alone: the shortest is an AWS key id.
RUN_BYTES = 20

_W = rb"[A-Za-z0-9_\-]"
_A = rb"[A-Za-z0-9]"
_HEX = rb"[0-9a-f]"
_END = rb"(?![A-Za-z0-9])"
# A slash, or what becomes of it inside another address.
_SLASH = rb"(?:/|%2F)"
_UUID = rb"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"


def _row(kind: str, starts: str, rest: bytes, why: str) -> Format:
    """Return the row of secrets that begin with one of some words and go on in one way."""
    words = tuple(word.encode() for word in starts.split())
    return Format(kind, words, b"(?:" + b"|".join(map(re.escape, words)) + b")" + rest, why)


_PREFIX = "documented prefix, then at least the documented length"

# In the order of the alphabet, but where one prefix begins another: the longer one first.
TOKENS: tuple[Format, ...] = (
    _row("1password-token", "ops_", rb"eyJ" + _W + rb"{60,}", "prefix and the JSON that every such token begins with"),
    _row("adobe-secret", "p8e-", _A + rb"{32}" + _END, _PREFIX),
    _row("age-secret-key", "AGE-SECRET-KEY-1", rb"[0-9A-Z]{40,}", "bech32 with its own human-readable part"),
    _row("alibaba-key-id", "LTAI", _A + rb"{16,24}" + _END, _PREFIX),
    _row("anthropic-key", "sk-ant-", _W + rb"{20,}", _PREFIX),
    _row("atlassian-token", "ATATT3xFfG ATCTT3xFfG ATBB ATSTT3xFfG", rb"[A-Za-z0-9_\-=+]{20,}", _PREFIX),
    _row(
        "aws-key-id",
        "AKIA ASIA ABIA ACCA",
        rb"[A-Z2-7]{16}" + _END,
        "four letters and 16 of base32: the id is half of a key pair, and leads to the account",
    ),
    _row("aws-bedrock-key", "ABSK", rb"[A-Za-z0-9+/]{80,}={0,2}", _PREFIX),
    _row("buildkite-token", "bkua_ bkaj_", rb"[0-9a-f]{40}", _PREFIX),
    _row("clojars-token", "CLOJARS_", rb"[a-z0-9]{60}", _PREFIX),
    _row("cloudflare-token", "cfat_ cfut_ cfk_", _W + rb"{32,}", _PREFIX),
    _row("contentful-token", "CFPAT-", _W + rb"{40,}", _PREFIX),
    _row("crates-token", "cio", _A + rb"{32}" + _END, "three letters and exactly 32 more"),
    _row("databricks-token", "dapi dkea doseb", _HEX + rb"{32}(?:-\d)?" + _END, "prefix and 32 of hex"),
    _row("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", _HEX + rb"{64}", _PREFIX),
    _row("docker-token", "dckr_pat_ dckr_oat_", _W + rb"{20,}", _PREFIX),
    _row("duffel-token", "duffel_live_ duffel_test_", _W + rb"{40,}", _PREFIX),
    _row("facebook-token", "EAA", rb"[A-Za-z0-9]{80,}", "prefix and a length nothing else has"),
    _row("figma-token", "figd_ figo_", _W + rb"{40,}", _PREFIX),
    _row("firebase-server-key", "APA91b", _W + rb"{100,}", "the second half of such a key; the first is an id"),
    _row("fly-token", "fo1_ fm1_ fm1r_ fm1a_ fm2_", rb"[A-Za-z0-9_\-+/=]{40,}", _PREFIX),
    _row("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", _A + rb"{36,}", _PREFIX),
    _row("github-token", "github_pat_", rb"[A-Za-z0-9_]{40,}", _PREFIX),
    _row(
        "gitlab-token",
        "glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- glsoat- gloas- glffct- GR1348941",
        rb"[A-Za-z0-9_\-.]{20,}",
        _PREFIX,
    ),
    _row("google-api-key", "AIza", _W + rb"{35}(?![A-Za-z0-9_\-])", "prefix and exactly 35 more"),
    _row("google-client-secret", "GOCSPX-", _W + rb"{28}", _PREFIX),
    _row("grafana-token", "glsa_ glc_", rb"[A-Za-z0-9_\-+/=]{32,}", _PREFIX),
    _row("groq-key", "gsk_", _A + rb"{48,}", _PREFIX),
    _row("heroku-key", "HRKU-", _W + rb"{36,}", _PREFIX),
    _row("hubspot-token", "pat-na1- pat-eu1- pat-na2-", _UUID, "prefix and a UUID"),
    _row("huggingface-token", "hf_ api_org_", _A + rb"{30,}", _PREFIX),
    _row("linear-key", "lin_api_ lin_oauth_", _A + rb"{32,}", _PREFIX),
    _row("mailgun-key", "key- pubkey-", _HEX + rb"{32}" + _END, "prefix and 32 of hex"),
    _row("netlify-token", "nfp_ nfo_ nfu_ nfc_ nfb_", _W + rb"{32,}", _PREFIX),
    _row("new-relic-key", "NRAK- NRJS- NRII- NRAA- NRRA-", _W + rb"{16,}", _PREFIX),
    _row("notion-token", "ntn_", _A + rb"{40,}", _PREFIX),
    _row("notion-token", "secret_", _A + rb"{43}" + _END, "prefix and exactly 43 more"),
    _row("npm-token", "npm_", _A + rb"{36}", _PREFIX),
    _row("nuget-key", "oy2", rb"[a-z0-9]{43}" + _END, "prefix and exactly 43 more"),
    _row("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-None-", _W + rb"{20,}", _PREFIX),
    _row("openrouter-key", "sk-or-v1-", _HEX + rb"{64}", _PREFIX),
    _row("openai-key", "sk-", rb"(?=[A-Za-z0-9]*\d)" + _A + rb"{32,}", "prefix, then 32 or more without a break"),
    _row("perplexity-key", "pplx-", _A + rb"{40,}", _PREFIX),
    _row("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", _W + rb"{32,}", _PREFIX),
    _row("postman-key", "PMAK-", _HEX + rb"{24}-" + _HEX + rb"{34}", _PREFIX),
    _row("posthog-key", "phx_ phc_ phs_", _A + rb"{40,}", _PREFIX),
    _row("pulumi-token", "pul-", _HEX + rb"{40}", _PREFIX),
    _row("pypi-token", "pypi-", rb"Ag" + _W + rb"{50,}", "prefix and how every such macaroon begins"),
    _row("rubygems-key", "rubygems_", _HEX + rb"{48}", _PREFIX),
    _row("replicate-token", "r8_", _A + rb"{37}" + _END, "prefix and exactly 37 more"),
    _row("scalingo-token", "tk-us-", _W + rb"{48}", _PREFIX),
    _row("sendinblue-key", "xkeysib- xsmtpsib-", _HEX + rb"{64}-" + _A + rb"{16}", _PREFIX),
    _row("sentry-token", "sntrys_ sntryu_", rb"[A-Za-z0-9_\-+/=.]{40,}", _PREFIX),
    _row("shippo-token", "shippo_live_ shippo_test_", _HEX + rb"{40}", _PREFIX),
    _row("shopify-token", "shpat_ shpca_ shppa_ shpss_", rb"[0-9a-fA-F]{32}", _PREFIX),
    _row(
        "slack-token",
        "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxc- xoxd- xoxe-",
        rb"[A-Za-z0-9\-%./+]{20,}",
        _PREFIX,
    ),
    _row("slack-token", "xapp-", rb"\d-" + _W + rb"{20,}", _PREFIX),
    _row("square-token", "sq0atp- sq0csp- sq0idp-", _W + rb"{22,}", _PREFIX),
    _row("square-token", "EAAA", rb"[A-Za-z0-9_\-+=]{60}(?![A-Za-z0-9+/])", "prefix and exactly 60 more"),
    _row("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_ whsec_ sk_org_", _A + rb"{16,}", _PREFIX),
    _row("supabase-token", "sbp_", _HEX + rb"{40}", _PREFIX),
    _row("supabase-token", "sb_secret_", _W + rb"{20,}", _PREFIX),
    _row("tailscale-key", "tskey-", _W + rb"{20,}", _PREFIX),
    _row("tavily-key", "tvly-", _W + rb"{24,}", _PREFIX),
    _row("twilio-key", "SK", _HEX + rb"{32}" + _END, "two letters and exactly 32 of hex"),
    _row("vercel-token", "vcp_ vci_ vca_ vcr_ vck_ vercel_blob_rw_", _W + rb"{24,}", _PREFIX),
    _row("wakatime-key", "waka_", _UUID, "prefix and a UUID"),
    _row("xai-key", "xai-", _A + rb"{70,}", _PREFIX),
    _row("yandex-key", "AQVN", rb"[A-Za-z0-9_\-]{35,}[A-Za-z0-9_.\-=]*", "prefix and length"),
)

# What is told by what stands before its long run of characters: a part of itself behind a dot, or the address it is
# part of. By the byte directly before the run; a start is looked for in the bytes before.
PLACED: dict[bytes, tuple[Format, ...]] = {
    b".": (
        _row("airtable-token", "pat", _A + rb"{14}\.[0-9a-f]{64}" + _END, "fixed lengths on both sides of the dot"),
        _row(
            "cloudflare-origin-key", "v1.", rb"0-" + _HEX + rb"{24}-" + _HEX + rb"{120,}", "two parts of fixed length"
        ),
        _row("doppler-token", "dp.", rb"(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._\-]{36,}", _PREFIX),
        _row("dropbox-token", "sl.", rb"(?:u\.)?" + _W + rb"{130,}", "prefix and a length nothing else has"),
        _row("dynatrace-token", "dt0", rb"[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}", _PREFIX),
        _row("google-oauth-token", "ya29.", rb"[A-Za-z0-9_\-.]{30,}", _PREFIX),
        _row("mapbox-token", "sk.", rb"eyJ" + _W + rb"{20,}\." + _W + rb"{20,}", _PREFIX),
        _row(
            "paseto", "v1. v2. v3. v4.", rb"(?:local|public)\." + _W + rb"{40,}", "version and purpose, then the token"
        ),
        _row("sendgrid-key", "SG.", _W + rb"{16,32}\." + _W + rb"{32,}", "prefix and two parts"),
        _row("slack-token", "xoxe.", rb"xox[bp]-" + _W + rb"{20,}", _PREFIX),
        _row("terraform-token", ".atlasv1.", _W + rb"{50,}", "the middle of such a token; its beginning is an id"),
        _row("vault-token", "hvs. hvb. hvr.", _W + rb"{20,}", _PREFIX),
        _row("yandex-token", "t1.", rb"[A-Z0-9a-z_\-]{20,}={0,2}\.[A-Za-z0-9_\-]{80,}={0,2}", "prefix and length"),
    ),
    b"/": (
        _row(
            "discord-webhook",
            "discord.com discordapp.com",
            _SLASH
            + rb"api"
            + _SLASH
            + rb"(?:v\d+"
            + _SLASH
            + rb")?webhooks"
            + _SLASH
            + rb"\d{16,20}"
            + _SLASH
            + rb"("
            + _W
            + rb"{50,})",
            "whoever knows the address can post",
        ),
        _row("google-refresh-token", "1//0", _W + rb"{40,}", _PREFIX),
        _row(
            "slack-webhook",
            "hooks.slack.com",
            _SLASH + rb"(?:services|workflows|triggers)" + _SLASH + rb"((?:[A-Za-z0-9/]|%2F){30,})",
            "whoever knows the address can post",
        ),
        _row(
            "teams-webhook",
            "webhook.office.com/webhookb2",
            _SLASH
            + rb"([0-9a-fA-F\-]{36}@[0-9a-fA-F\-]{36}/[A-Za-z]{1,40}/[0-9a-f]{32}/[0-9a-fA-F\-]{36}[A-Za-z0-9/]*)",
            "whoever knows the address can post",
        ),
    ),
    b":": (_row("asana-token", "2/", rb"\d{12,20}/\d{12,20}:[0-9a-f]{32}", "three parts of fixed shape"),),
    b"$": (_row("braintree-token", "access_token$", rb"(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}", _PREFIX),),
    b"!": (
        _row("salesforce-session", "00D", rb"[A-Za-z0-9]{12,15}![A-Za-z0-9._]{60,}", "organisation, mark and length"),
    ),
}
# Inside another address a slash is written %2F.
PLACED[b"%"] = PLACED[b"/"]
# How far before a run a start is looked for: the longest way is an address with an id between.
PLACED_BYTES = 90

# Those that neither begin nor stand anywhere particular; what they are made of is enough. Tried on every run.
SHAPED: tuple[Format, ...] = (
    Format(
        "jwt",
        (b"eyJ",),
        rb"eyJ[A-Za-z0-9_\-]{10,}+\.[A-Za-z0-9_\-]{2,}+(?:\.[A-Za-z0-9_\-]*+){0,3}",
        "JSON in base64 and a dot: header, payload and mostly a signature; also cut off after the payload",
    ),
    Format(
        "discord-token",
        (b"M", b"N", b"O"),
        rb"[MNO][A-Za-z0-9_\-]{23,27}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27,45}",
        "three parts of fixed length, the first an id in base64",
    ),
    Format(
        "telegram-token",
        (b"AA",),
        rb"(?:(?<=\d:)|(?<=\d%3A))AA[A-Za-z0-9_\-]{32,34}(?![A-Za-z0-9_\-])",
        "the number of a bot, a colon and exactly 35 more",
    ),
    Format("mailchimp-key", (), rb"[0-9a-f]{32}-us\d{1,2}" + _END, "32 of hex and the data centre"),
    Format("facebook-app-secret", (), rb"(?<=\d\|)[A-Za-z0-9_\-]{27}(?![A-Za-z0-9_\-])", "id of an app, bar, token"),
)

# A secret access key has no look of its own but its length; beside the id of its key pair that is enough.
AWS_SECRET = rb"(?<![A-Za-z0-9/+=_\-.])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=_\-])"
# How far from the id: the lines of a credentials file, a CSV row, a JSON answer of the service.
AWS_SECRET_BYTES = 300

# What ways of writing a password hash begin with; each can be tried against lists of passwords.
HASHES: tuple[Format, ...] = (
    _row("password-hash", "$2a$ $2b$ $2y$ $2x$", rb"\d\d\$[./A-Za-z0-9]{53}", "bcrypt"),
    _row("password-hash", "$apr1$ $1$ $5$ $6$ $y$ $7$", rb"[./A-Za-z0-9$=,]{8,60}\$[./A-Za-z0-9]{22,86}", "crypt(3)"),
    _row("password-hash", "$argon2", rb"(?:id|i|d)\$[A-Za-z0-9$=,+/]{40,}", "Argon2"),
    _row("password-hash", "{SHA} {SSHA} {SSHA512}", rb"[A-Za-z0-9+/=]{20,}", "LDAP and htpasswd"),
)

# Private keys, whole. Between the lines may stand what JSON, YAML, XML and string literals put there, and the end may
# be missing. A first line alone is only talk about keys.
_BETWEEN = rb"(?:[\s\"',|>#*]|\\{1,4}[nrt\n]|[+.][ \t]{0,8}(?=[\"'])|&#?\w{1,6};)"
_LINE = rb"[A-Za-z0-9+/=]"
KEY = (
    rb"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    rb"(?:" + _BETWEEN + rb"*+(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset) ?: ?[^\n\\]{0,200})*+"
    rb"(?:" + _BETWEEN + rb"*+" + _LINE + rb"{16,}+)++"
    rb"(?:(?:" + _BETWEEN + rb"*+" + _LINE + rb"{1,15}+){0,2}" + _BETWEEN + rb"*+-----END [A-Z0-9 ]{1,60}-----)?"
)
PUTTY_KEY = rb"PuTTY-User-Key-File-\d: [^\n]*+(?:\r?\n[A-Za-z0-9\-]{1,30}: [^\n]*+|\r?\n[A-Za-z0-9+/=]++)*+"
# The end of a key whose beginning was cut off: what may stand before its last line, and how far back that is looked at.
KEY_END = rb"-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
KEY_END_BYTES = 8192
KEY_END_LEAST = 40
