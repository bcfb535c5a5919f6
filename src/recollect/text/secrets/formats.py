"""Secrets that can be told by what they look like: a table of formats, one row each.

A row says how such a secret begins, how it goes on, and why that is enough. Most providers give their keys a prefix so
that scanners find them; where one does not, the place it stands in tells (`PLACED`), or the name it is assigned to
(`name.py`). All patterns are of bytes and bounded: none looks further than its secret can reach.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, NamedTuple, cast


class Format(NamedTuple):
    """A kind of secret and its shape; `why` says what makes the shape enough.

    starts: how it may begin, literally, parted by blanks. rest: how it goes on; a group in it is what is secret of it
    """

    kind: str
    starts: bytes
    rest: bytes
    why: str

    @property
    def words(self) -> list[bytes]:
        """The beginnings, each for itself."""
        return self.starts.split()

    @property
    def pattern(self) -> re.Pattern[bytes]:
        """All of it, from its beginning."""
        return _pattern(self)


class Found(NamedTuple):
    """Where a secret lies and what it is."""

    start: int
    end: int
    kind: str


class _Lazy:
    """A pattern that is compiled when it is first used."""

    def __init__(self, source: bytes) -> None:
        self._source = source

    def __getattr__(self, name: str) -> Any:
        pattern = re.compile(self._source)
        self.__dict__ |= {each: getattr(pattern, each) for each in _METHODS}
        return getattr(pattern, name)


_METHODS = ("match", "fullmatch", "search", "finditer", "findall", "split", "sub", "groups")


@cache
def compiled(source: bytes) -> re.Pattern[bytes]:
    """Return a pattern that is compiled when it is first used: all of them at once would cost every start 40 ms."""
    return cast(re.Pattern[bytes], _Lazy(source))


# Shorter runs of letters, digits, _ and - are never a secret by their look alone: the shortest is an AWS key id.
RUN_BYTES = 20

_W = rb"[A-Za-z0-9_\-]"
_A = rb"[A-Za-z0-9]"
_HEX = rb"[0-9a-f]"
_END = rb"(?![A-Za-z0-9])"
# A slash, or what becomes of it inside another address.
_SLASH = rb"(?:/|%2F)"
_UUID = rb"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"


@cache
def _pattern(row: Format) -> re.Pattern[bytes]:
    return re.compile(b"(?:" + b"|".join(map(re.escape, row.words)) + b")" + row.rest if row.words else row.rest)


_PREFIX = "documented prefix, then at least the documented length"

# In the order of the alphabet, but where one prefix begins another: the longer one first.
TOKENS: tuple[Format, ...] = (
    Format("1password-token", b"ops_", rb"eyJ" + _W + rb"{60,}", "prefix and the JSON that each begins with"),
    Format("adobe-secret", b"p8e-", _A + rb"{32}" + _END, _PREFIX),
    Format("age-secret-key", b"AGE-SECRET-KEY-1", rb"[0-9A-Z]{40,}", "bech32 with its own human-readable part"),
    Format("alibaba-key-id", b"LTAI", _A + rb"{16,24}" + _END, _PREFIX),
    Format("anthropic-key", b"sk-ant-", _W + rb"{20,}", _PREFIX),
    Format("atlassian-token", b"ATATT3xFfG ATCTT3xFfG ATBB ATSTT3xFfG", rb"[A-Za-z0-9_\-=+]{20,}", _PREFIX),
    Format(
        "aws-key-id",
        b"AKIA ASIA ABIA ACCA",
        rb"[A-Z2-7]{16}" + _END,
        "four letters and 16 of base32: the id is half of a key pair, and leads to the account",
    ),
    Format("aws-bedrock-key", b"ABSK", rb"[A-Za-z0-9+/]{80,}={0,2}", _PREFIX),
    Format("buildkite-token", b"bkua_ bkaj_", rb"[0-9a-f]{40}", _PREFIX),
    Format("clojars-token", b"CLOJARS_", rb"[a-z0-9]{60}", _PREFIX),
    Format("cloudflare-token", b"cfat_ cfut_ cfk_", _W + rb"{32,}", _PREFIX),
    Format("contentful-token", b"CFPAT-", _W + rb"{40,}", _PREFIX),
    Format("crates-token", b"cio", _A + rb"{32}" + _END, "three letters and exactly 32 more"),
    Format("databricks-token", b"dapi dkea doseb", _HEX + rb"{32}(?:-\d)?" + _END, "prefix and 32 of hex"),
    Format("digitalocean-token", b"dop_v1_ doo_v1_ dor_v1_", _HEX + rb"{64}", _PREFIX),
    Format("docker-token", b"dckr_pat_ dckr_oat_", _W + rb"{20,}", _PREFIX),
    Format("duffel-token", b"duffel_live_ duffel_test_", _W + rb"{40,}", _PREFIX),
    Format("facebook-token", b"EAA", rb"[A-Za-z0-9]{80,}", "prefix and a length nothing else has"),
    Format("figma-token", b"figd_ figo_", _W + rb"{40,}", _PREFIX),
    Format("firebase-server-key", b"APA91b", _W + rb"{100,}", "the second half of such a key; the first is an id"),
    Format("fly-token", b"fo1_ fm1_ fm1r_ fm1a_ fm2_", rb"[A-Za-z0-9_\-+/=]{40,}", _PREFIX),
    Format("github-token", b"ghp_ gho_ ghu_ ghs_ ghr_", _A + rb"{36,}", _PREFIX),
    Format("github-token", b"github_pat_", rb"[A-Za-z0-9_]{40,}", _PREFIX),
    Format(
        "gitlab-token",
        b"glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- glsoat- gloas- glffct- GR1348941",
        rb"[A-Za-z0-9_\-.]{20,}",
        _PREFIX,
    ),
    Format("google-api-key", b"AIza", _W + rb"{35}(?![A-Za-z0-9_\-])", "prefix and exactly 35 more"),
    Format("google-client-secret", b"GOCSPX-", _W + rb"{28}", _PREFIX),
    Format("grafana-token", b"glsa_ glc_", rb"[A-Za-z0-9_\-+/=]{32,}", _PREFIX),
    Format("groq-key", b"gsk_", _A + rb"{48,}", _PREFIX),
    Format("heroku-key", b"HRKU-", _W + rb"{36,}", _PREFIX),
    Format("hubspot-token", b"pat-na1- pat-eu1- pat-na2-", _UUID, "prefix and a UUID"),
    Format("huggingface-token", b"hf_ api_org_", _A + rb"{30,}", _PREFIX),
    Format("linear-key", b"lin_api_ lin_oauth_", _A + rb"{32,}", _PREFIX),
    Format("mailgun-key", b"key- pubkey-", _HEX + rb"{32}" + _END, "prefix and 32 of hex"),
    Format("netlify-token", b"nfp_ nfo_ nfu_ nfc_ nfb_", _W + rb"{32,}", _PREFIX),
    Format("new-relic-key", b"NRAK- NRJS- NRII- NRAA- NRRA-", _W + rb"{16,}", _PREFIX),
    Format("notion-token", b"ntn_", _A + rb"{40,}", _PREFIX),
    Format("notion-token", b"secret_", _A + rb"{43}" + _END, "prefix and exactly 43 more"),
    Format("npm-token", b"npm_", _A + rb"{36}", _PREFIX),
    Format("nuget-key", b"oy2", rb"[a-z0-9]{43}" + _END, "prefix and exactly 43 more"),
    Format("openai-key", b"sk-proj- sk-svcacct- sk-admin- sk-None-", _W + rb"{20,}", _PREFIX),
    Format("openrouter-key", b"sk-or-v1-", _HEX + rb"{64}", _PREFIX),
    Format("openai-key", b"sk-", rb"(?=[A-Za-z0-9]*\d)" + _A + rb"{32,}", "prefix, then 32 or more without a break"),
    Format("perplexity-key", b"pplx-", _A + rb"{40,}", _PREFIX),
    Format("planetscale-token", b"pscale_tkn_ pscale_pw_ pscale_oauth_", _W + rb"{32,}", _PREFIX),
    Format("postman-key", b"PMAK-", _HEX + rb"{24}-" + _HEX + rb"{34}", _PREFIX),
    Format("posthog-key", b"phx_ phc_ phs_", _A + rb"{40,}", _PREFIX),
    Format("pulumi-token", b"pul-", _HEX + rb"{40}", _PREFIX),
    Format("pypi-token", b"pypi-", rb"Ag" + _W + rb"{50,}", "prefix and how every such macaroon begins"),
    Format("rubygems-key", b"rubygems_", _HEX + rb"{48}", _PREFIX),
    Format("replicate-token", b"r8_", _A + rb"{37}" + _END, "prefix and exactly 37 more"),
    Format("scalingo-token", b"tk-us-", _W + rb"{48}", _PREFIX),
    Format("sendinblue-key", b"xkeysib- xsmtpsib-", _HEX + rb"{64}-" + _A + rb"{16}", _PREFIX),
    Format("sentry-token", b"sntrys_ sntryu_", rb"[A-Za-z0-9_\-+/=.]{40,}", _PREFIX),
    Format("shippo-token", b"shippo_live_ shippo_test_", _HEX + rb"{40}", _PREFIX),
    Format("shopify-token", b"shpat_ shpca_ shppa_ shpss_", rb"[0-9a-fA-F]{32}", _PREFIX),
    Format(
        "slack-token",
        b"xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxc- xoxd- xoxe-",
        rb"[A-Za-z0-9\-%./+]{20,}",
        _PREFIX,
    ),
    Format("slack-token", b"xapp-", rb"\d-" + _W + rb"{20,}", _PREFIX),
    Format("square-token", b"sq0atp- sq0csp- sq0idp-", _W + rb"{22,}", _PREFIX),
    Format("square-token", b"EAAA", rb"[A-Za-z0-9_\-+=]{60}(?![A-Za-z0-9+/])", "prefix and exactly 60 more"),
    Format("stripe-key", b"sk_live_ sk_test_ rk_live_ rk_test_ whsec_ sk_org_", _A + rb"{16,}", _PREFIX),
    Format("supabase-token", b"sbp_", _HEX + rb"{40}", _PREFIX),
    Format("supabase-token", b"sb_secret_", _W + rb"{20,}", _PREFIX),
    Format("tailscale-key", b"tskey-", _W + rb"{20,}", _PREFIX),
    Format("tavily-key", b"tvly-", _W + rb"{24,}", _PREFIX),
    Format("twilio-key", b"SK", _HEX + rb"{32}" + _END, "two letters and exactly 32 of hex"),
    Format("vercel-token", b"vcp_ vci_ vca_ vcr_ vck_ vercel_blob_rw_", _W + rb"{24,}", _PREFIX),
    Format("wakatime-key", b"waka_", _UUID, "prefix and a UUID"),
    Format("xai-key", b"xai-", _A + rb"{70,}", _PREFIX),
    Format("yandex-key", b"AQVN", rb"[A-Za-z0-9_\-]{35,}[A-Za-z0-9_.\-=]*", "prefix and length"),
)

# What is told by what stands before its long run of characters: a part of itself behind a dot, or the address it is
# part of. By the byte directly before the run; a start is looked for in the bytes before.
PLACED: dict[bytes, tuple[Format, ...]] = {
    b".": (
        Format("airtable-token", b"pat", _A + rb"{14}\.[0-9a-f]{64}" + _END, "fixed lengths on both sides of the dot"),
        Format(
            "cloudflare-origin-key", b"v1.", rb"0-" + _HEX + rb"{24}-" + _HEX + rb"{120,}", "two parts of fixed length"
        ),
        Format("doppler-token", b"dp.", rb"(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._\-]{36,}", _PREFIX),
        Format("dropbox-token", b"sl.", rb"(?:u\.)?" + _W + rb"{130,}", "prefix and a length nothing else has"),
        Format("dynatrace-token", b"dt0", rb"[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}", _PREFIX),
        Format("google-oauth-token", b"ya29.", rb"[A-Za-z0-9_\-.]{30,}", _PREFIX),
        Format("mapbox-token", b"sk.", rb"eyJ" + _W + rb"{20,}\." + _W + rb"{20,}", _PREFIX),
        Format(
            "paseto", b"v1. v2. v3. v4.", rb"(?:local|public)\." + _W + rb"{40,}", "version and purpose, then the token"
        ),
        Format("sendgrid-key", b"SG.", _W + rb"{16,32}\." + _W + rb"{32,}", "prefix and two parts"),
        Format("slack-token", b"xoxe.", rb"xox[bp]-" + _W + rb"{20,}", _PREFIX),
        Format("terraform-token", b".atlasv1.", _W + rb"{50,}", "the middle of such a token; its beginning is an id"),
        Format("vault-token", b"hvs. hvb. hvr.", _W + rb"{20,}", _PREFIX),
        Format("yandex-token", b"t1.", rb"[A-Z0-9a-z_\-]{20,}={0,2}\.[A-Za-z0-9_\-]{80,}={0,2}", "prefix and length"),
    ),
    b"/": (
        Format(
            "discord-webhook",
            b"discord.com discordapp.com",
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
        Format("google-refresh-token", b"1//0", _W + rb"{40,}", _PREFIX),
        Format(
            "slack-webhook",
            b"hooks.slack.com",
            _SLASH + rb"(?:services|workflows|triggers)" + _SLASH + rb"((?:[A-Za-z0-9/]|%2F){30,})",
            "whoever knows the address can post",
        ),
        Format(
            "teams-webhook",
            b"webhook.office.com/webhookb2",
            _SLASH
            + rb"([0-9a-fA-F\-]{36}@[0-9a-fA-F\-]{36}/[A-Za-z]{1,40}/[0-9a-f]{32}/[0-9a-fA-F\-]{36}[A-Za-z0-9/]*)",
            "whoever knows the address can post",
        ),
    ),
    b":": (Format("asana-token", b"2/", rb"\d{12,20}/\d{12,20}:[0-9a-f]{32}", "three parts of fixed shape"),),
    b"$": (Format("braintree-token", b"access_token$", rb"[a-z]{7,10}\$[0-9a-z]{16}\$[0-9a-f]{32}", _PREFIX),),
    b"!": (Format("salesforce-session", b"00D", rb"[A-Za-z0-9]{12,15}![A-Za-z0-9._]{60,}", "organisation and length"),),
}
# Inside another address a slash is written %2F.
PLACED[b"%"] = PLACED[b"/"]
# How far before a run a start is looked for: the longest way is an address with an id between.
PLACED_BYTES = 90

# Those that neither begin nor stand anywhere particular; what they are made of is enough. Tried on every run.
SHAPED: tuple[Format, ...] = (
    Format(
        "jwt",
        b"eyJ",
        rb"[A-Za-z0-9_\-]{10,}+\.[A-Za-z0-9_\-]{2,}+(?:\.[A-Za-z0-9_\-]*+){0,3}",
        "JSON in base64 and a dot: header, payload and mostly a signature; also cut off after the payload",
    ),
    Format(
        "discord-token",
        b"M N O",
        rb"[A-Za-z0-9_\-]{23,27}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27,45}",
        "three parts of fixed length, the first an id in base64",
    ),
    Format(
        "telegram-token",
        b"AA",
        rb"(?<=AA)(?:(?<=\d:AA)|(?<=\d%3AAA))[A-Za-z0-9_\-]{32,34}(?![A-Za-z0-9_\-])",
        "the number of a bot, a colon and exactly 35 more",
    ),
    Format("mailchimp-key", b"", rb"[0-9a-f]{32}-us\d{1,2}" + _END, "32 of hex and the data centre"),
    Format("facebook-app-secret", b"", rb"(?<=\d\|)[A-Za-z0-9_\-]{27}(?![A-Za-z0-9_\-])", "id of an app, bar, token"),
)

# A secret access key has no look of its own but its length; beside the id of its key pair that is enough.
AWS_SECRET = rb"(?<![A-Za-z0-9/+=_\-.])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=_\-])"
# How far from the id: the lines of a credentials file, a CSV row, a JSON answer of the service.
AWS_SECRET_BYTES = 300

# What ways of writing a password hash begin with; each can be tried against lists of passwords.
HASHES: tuple[Format, ...] = (
    Format("password-hash", b"$2a$ $2b$ $2y$ $2x$", rb"\d\d\$[./A-Za-z0-9]{53}", "bcrypt"),
    Format("password-hash", b"$apr1$ $1$ $5$ $6$ $y$ $7$", rb"[./\w$=,]{8,60}\$[./A-Za-z0-9]{22,86}", "crypt(3)"),
    Format("password-hash", b"$argon2", rb"(?:id|i|d)\$[A-Za-z0-9$=,+/]{40,}", "Argon2"),
    Format("password-hash", b"{SHA} {SSHA} {SSHA512}", rb"[A-Za-z0-9+/=]{20,}", "LDAP and htpasswd"),
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
