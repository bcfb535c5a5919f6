"""Secrets that can be told by what they look like: a table of formats, one row each.

A row says how such a secret begins, how it goes on, and why that is enough. Most providers give their keys a prefix so
that scanners find them; where one does not, the place it stands in tells (`PLACED`), or the name it is assigned to
(`assigned_secrets.py`). All patterns are of bytes and bounded: none looks further than its secret can reach.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

_PREFIX = "documented prefix, then at least the documented length"


class Format(NamedTuple):
    """A kind of secret and its shape; `why` says what makes the shape enough.

    starts: how it may begin, literally, parted by blanks. rest: how it goes on; a group in it is what is secret of it.
    must_be_random: whether words may look like it too
    """

    kind: str
    starts: bytes
    rest: bytes
    why: str = _PREFIX
    must_be_random: bool = False

    @property
    def words(self) -> list[bytes]:
        """The beginnings, each for itself."""
        return self.starts.split()

    @property
    def pattern(self) -> re.Pattern[bytes]:
        """All of it, from its beginning."""
        return _pattern(self)


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


# A run that must be random is judged by so many bytes, and taken to its end once it was found to be.
MAX_JUDGED = 200
# Tokens that are a prefix and one run of characters: kind, prefixes, what the run is made of and its least length.
# `w`: letters, digits, _ and -; `a`: letters and digits; `h`: hex; `u`: upper case and digits; `b`: base64. A run must
# be random: names of modules and tests begin like some of these prefixes.
_CLASSES = {"w": _W, "a": _A, "h": _HEX, "u": rb"[A-Z0-9]", "b": rb"[A-Za-z0-9+/=_\-]"}
_PREFIXED = """
adafruit-key aio_ a28
aiven-token aivenv1_,AVNS_ w16
akamai-token akab- w33
anyscale-key esecret_ a24
apify-token apify_api_ a30
artifactory-token AKCp a60
artifactory-token cmVmdGtu a40
atlassian-token BBDC- b40
baidu-key ALTAK w20
bitbucket-token ATBB a24
brave-key BSA w26
browserbase-key bb_live_ w20
buildkite-token bkct_,bkat_,bkrt_,bkpt_ a24
canva-secret cnvca w40
cerebras-key csk- a40
checkout-key sk_sbox_,sk_prod_ a24
chromatic-token chpt_ h12
circleci-token CCIPAT_,CCIPRJ_ w40
cockroach-key CCDB1_ w50
confluent-secret cflt b50
courier-key pk_prod_,pk_test_ u24
cursor-key key_ h60
dbt-token dbtc_,dbtu_,dbts_ b30
deno-token ddp_,ddo_,ddw_ a32
docker-swarm-token SWMTKN- w60
e2b-key e2b_ h36
easypost-key EZAK,EZTK a50
elastic-key essu_ b40
elevenlabs-key sk_ h48
fastmail-token fmu1- w30
firecrawl-key fc- h32
fireworks-key fw_,fpk_ a22
flutterwave-key FLWSECK-,FLWSECK_TEST-,FLWPUBK_TEST- h30
frameio-token fio-u- w60
gitbook-token gb_api_ a36
gitlab-token glwt-,gltok-,glsoat-,GR1348941 w20
gocardless-token live_ w38
google-captcha-secret 6L w38
grafana-token eyJrIjoi b50
honeycomb-key hcaik_,hcbik_,hcxik_,hcalk_,hcblk_,hcxlk_ a30
infracost-key ico- a30
instagram-token IGQV,IGAA w80
intra42-secret s-s4t2ud- h60
jina-key jina_ w50
kaggle-token KGAT_ a30
kubernetes-token K10 h60
langfuse-key sk-lf-,pk-lf- w30
langsmith-key lsv2_pt_,lsv2_sk_,ls__ w30
letta-key sk-let- w40
lob-key live_,test_ h33
localstack-key ls- a30
mandrill-key md- w20
matrix-token syt_,mat_,mct_ w36
mem0-key m0- a36
messagebird-key live_,test_ a25
mollie-key live_,test_ a30
mongodb-atlas-secret mdb_sa_sk_ w30
neon-key napi_ a50
ngrok-key ak_2,cr_2 w40
nostr-key nsec1 a58
nvidia-key nvapi- w40
openai-session sess- a38
paddle-key pdl_live_,pdl_sdbx_,apikey_01 w30
pinecone-key pcsk_ w40
pinterest-token pina_ u30
plaid-token access-sandbox-,access-production-,access-development- w30
portainer-token ptr_ b30
postman-key PMAT- u24
prefect-key pnu_,pnb_ a34
pubnub-secret sec-c- w30
razorpay-key rzp_live_,rzp_test_ a14
readme-key rdme_ a60
render-key rnd_ a26
retool-token retool_ a24
rootly-token rootly_ a40
runpod-key rpa_ u36
scaleway-key SCW u17
segment-token sgp_ w40
slack-token xwfp- w30
sonarqube-token squ_,sqp_,sqa_ h36
sourcegraph-token sgp_,sgd_,sgph_,slk_ w36
statsig-key secret-,console- a38
stytch-secret secret-live-,secret-test- w30
tencent-key AKID w28
together-key tgp_v1_ w36
trello-token ATTA h60
tailscale-key tskey-auth-,tskey-api-,tskey-client- w20
twilio-key AC,SK h32
typeform-token tfp_ w40
volcengine-key AKLT w36
voyage-key pa- w40
wandb-key wandb_v1_ w40
woocommerce-key ck_,cs_ h40
xata-key xau_ a30
bitcoin-key xprv,yprv,zprv a100
yandex-key YCAJ,YCM,y0_,y1_,y2_,y3_ w36
zuplo-key zpka_ w30
"""


def _prefixed(line: str) -> Format:
    kind, prefixes, run = line.split()
    starts = prefixes.replace(",", " ").encode()
    return Format(kind, starts, _CLASSES[run[0]] + b"{%s,%d}+" % (run[1:].encode(), MAX_JUDGED), must_be_random=True)


# In the order of the alphabet, but where one prefix begins another: the longer one first.
TOKENS: tuple[Format, ...] = (
    Format("1password-token", b"ops_", rb"eyJ" + _W + rb"{60,}", "prefix and the JSON that each begins with"),
    Format("adobe-secret", b"p8e-", _A + rb"{32}" + _END),
    Format("age-secret-key", b"AGE-SECRET-KEY-1", rb"[0-9A-Z]{40,}", "bech32 with its own human-readable part"),
    Format("alibaba-key-id", b"LTAI", _A + rb"{16,24}" + _END),
    Format("anthropic-key", b"sk-ant-", _W + rb"{20,}"),
    Format("atlassian-token", b"ATATT3xFfG ATCTT3xFfG ATBB ATSTT3xFfG", rb"[A-Za-z0-9_\-=+]{20,}"),
    Format(
        "aws-key-id",
        b"AKIA ASIA ABIA ACCA",
        rb"[A-Z2-7]{16}" + _END,
        "four letters and 16 of base32: the id is half of a key pair, and leads to the account",
    ),
    Format("aws-bedrock-key", b"ABSK", rb"[A-Za-z0-9+/]{80,}={0,2}"),
    Format("buildkite-token", b"bkua_ bkaj_", rb"[0-9a-f]{40}"),
    Format("clickup-token", b"pk_", rb"\d{5,12}_[A-Z0-9]{32}"),
    Format("clojars-token", b"CLOJARS_", rb"[a-z0-9]{60}"),
    Format("cloudflare-token", b"cfat_ cfut_ cfk_", _W + rb"{32,}"),
    Format("contentful-token", b"CFPAT-", _W + rb"{40,}"),
    Format("crates-token", b"cio", _A + rb"{32}" + _END, "three letters and exactly 32 more"),
    Format("databricks-token", b"dapi dkea doseb", _HEX + rb"{32}(?:-\d)?" + _END, "prefix and 32 of hex"),
    Format("digitalocean-token", b"dop_v1_ doo_v1_ dor_v1_", _HEX + rb"{64}"),
    Format("docker-token", b"dckr_pat_ dckr_oat_", _W + rb"{20,}"),
    Format("duffel-token", b"duffel_live_ duffel_test_", _W + rb"{40,}"),
    Format("facebook-token", b"EAA", rb"[A-Za-z0-9]{80,}", "prefix and a length nothing else has"),
    Format("figma-token", b"figd_ figo_", _W + rb"{40,}"),
    Format("firebase-server-key", b"APA91b", _W + rb"{100,}", "the second half of such a key; the first is an id"),
    Format("fly-token", b"fo1_ fm1_ fm1r_ fm1a_ fm2_", rb"[A-Za-z0-9_\-+/=]{40,}"),
    Format("github-token", b"ghp_ gho_ ghu_ ghs_ ghr_", _A + rb"{36,}"),
    Format("github-token", b"github_pat_", rb"[A-Za-z0-9_]{40,}"),
    Format(
        "gitlab-token",
        b"glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- glsoat- gloas- glffct- GR1348941",
        rb"[A-Za-z0-9_\-.]{20,}",
    ),
    Format("google-api-key", b"AIza", _W + rb"{35}(?![A-Za-z0-9_\-])", "prefix and exactly 35 more"),
    Format("google-client-secret", b"GOCSPX-", _W + rb"{28}"),
    Format("grafana-token", b"glsa_ glc_", rb"[A-Za-z0-9_\-+/=]{32,}"),
    Format("groq-key", b"gsk_", _A + rb"{48,}"),
    Format("heroku-key", b"HRKU-", _W + rb"{36,}"),
    Format("hubspot-token", b"pat-na1- pat-eu1- pat-na2-", _UUID, "prefix and a UUID"),
    Format("huggingface-token", b"hf_ api_org_", _A + rb"{30,}"),
    Format("launchdarkly-key", b"api- sdk- mob-", _UUID, "prefix and a UUID"),
    Format("linear-key", b"lin_api_ lin_oauth_", _A + rb"{32,}"),
    Format("mailgun-key", b"key- pubkey-", _HEX + rb"{32}" + _END, "prefix and 32 of hex"),
    Format("netlify-token", b"nfp_ nfo_ nfu_ nfc_ nfb_", _W + rb"{32,}"),
    Format("new-relic-key", b"NRAK- NRJS- NRII- NRAA- NRRA-", _W + rb"{16,}"),
    Format("notion-token", b"ntn_", _A + rb"{40,}"),
    Format("notion-token", b"secret_", _A + rb"{43}" + _END, "prefix and exactly 43 more"),
    Format("npm-token", b"npm_", _A + rb"{36}"),
    Format("nuget-key", b"oy2", rb"[a-z0-9]{43}" + _END, "prefix and exactly 43 more"),
    Format("openai-key", b"sk-proj- sk-svcacct- sk-admin- sk-None-", _W + rb"{20,}"),
    Format("openrouter-key", b"sk-or-v1-", _HEX + rb"{64}"),
    Format("openai-key", b"sk-", rb"(?=[A-Za-z0-9]*\d)" + _A + rb"{32,}", "prefix, then 32 or more without a break"),
    Format("perplexity-key", b"pplx-", _A + rb"{40,}"),
    Format("planetscale-token", b"pscale_tkn_ pscale_pw_ pscale_oauth_", _W + rb"{32,}"),
    Format("postman-key", b"PMAK-", _HEX + rb"{24}-" + _HEX + rb"{34}"),
    Format("posthog-key", b"phx_ phc_ phs_", _A + rb"{40,}"),
    Format("pulumi-token", b"pul-", _HEX + rb"{40}"),
    Format("pypi-token", b"pypi-", rb"Ag" + _W + rb"{50,}", "prefix and how every such macaroon begins"),
    Format("recollect-token", b"rcl_", _HEX + rb"{12}_" + _W + rb"{40,}", "our own: prefix, id and random part"),
    Format("resend-key", b"re_", _A + rb"{8}_" + _A + rb"{24}" + _END, "prefix and two parts of fixed length"),
    Format("rubygems-key", b"rubygems_", _HEX + rb"{48}"),
    Format("replicate-token", b"r8_", _A + rb"{37}" + _END, "prefix and exactly 37 more"),
    Format("scalingo-token", b"tk-us-", _W + rb"{48}"),
    Format("sendinblue-key", b"xkeysib- xsmtpsib-", _HEX + rb"{64}-" + _A + rb"{16}"),
    Format("sentry-token", b"sntrys_ sntryu_", rb"[A-Za-z0-9_\-+/=.]{40,}"),
    Format("shippo-token", b"shippo_live_ shippo_test_", _HEX + rb"{40}"),
    Format("shopify-token", b"shpat_ shpca_ shppa_ shpss_", rb"[0-9a-fA-F]{32}"),
    Format("slack-token", b"xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxc- xoxd- xoxe-", rb"[A-Za-z0-9\-%./+]{20,}"),
    Format("slack-token", b"xapp-", rb"\d-" + _W + rb"{20,}"),
    Format("square-token", b"sq0atp- sq0csp- sq0idp-", _W + rb"{22,}"),
    Format("square-token", b"EAAA", rb"[A-Za-z0-9_\-+=]{60}(?![A-Za-z0-9+/])", "prefix and exactly 60 more"),
    Format("stripe-key", b"sk_live_ sk_test_ rk_live_ rk_test_ whsec_ sk_org_", _A + rb"{16,}"),
    Format("supabase-token", b"sbp_", _HEX + rb"{40}"),
    Format("supabase-token", b"sb_secret_", _W + rb"{20,}"),
    Format("tailscale-key", b"tskey-", _W + rb"{20,}"),
    Format("tavily-key", b"tvly-", _W + rb"{24,}"),
    Format("twilio-key", b"SK", _HEX + rb"{32}" + _END, "two letters and exactly 32 of hex"),
    Format("vercel-token", b"vcp_ vci_ vca_ vcr_ vck_ vercel_blob_rw_", _W + rb"{24,}"),
    Format("wakatime-key", b"waka_", _UUID, "prefix and a UUID"),
    Format("xai-key", b"xai-", _A + rb"{70,}"),
    Format("yandex-key", b"AQVN", rb"[A-Za-z0-9_\-]{35,}+[A-Za-z0-9_.\-=]*+", "prefix and length"),
    *map(_prefixed, _PREFIXED.strip().splitlines()),
)

# What is told by what stands before its long run of characters: a part of itself behind a dot, or the address it is
# part of. By the byte directly before the run; a start is looked for in the bytes before.
PLACED: dict[bytes, tuple[Format, ...]] = {
    b".": (
        Format("airtable-token", b"pat", _A + rb"{14}\.[0-9a-f]{64}" + _END, "fixed lengths on both sides of the dot"),
        Format(
            "cloudflare-origin-key", b"v1.", rb"0-" + _HEX + rb"{24}-" + _HEX + rb"{120,}", "two parts of fixed length"
        ),
        Format("doppler-token", b"dp.", rb"(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._\-]{36,}"),
        Format("dropbox-token", b"sl.", rb"(?:u\.)?" + _W + rb"{130,}", "prefix and a length nothing else has"),
        Format("dynatrace-token", b"dt0", rb"[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
        Format("google-oauth-token", b"ya29.", rb"[A-Za-z0-9_\-.]{30,}"),
        Format("mapbox-token", b"sk.", rb"eyJ" + _W + rb"{20,}\." + _W + rb"{20,}"),
        Format(
            "paseto", b"v1. v2. v3. v4.", rb"(?:local|public)\." + _W + rb"{40,}", "version and purpose, then the token"
        ),
        Format("sendgrid-key", b"SG.", _W + rb"{16,32}\." + _W + rb"{32,}", "prefix and two parts"),
        Format("slack-token", b"xoxe.", rb"xox[bp]-" + _W + rb"{20,}"),
        Format("terraform-token", b".atlasv1.", _W + rb"{50,}", "the middle of such a token; its beginning is an id"),
        Format("vault-token", b"hvs. hvb. hvr.", _W + rb"{20,}"),
        Format(
            "vault-token",
            b"s.",
            rb"(?<=(?<![\w.\-])s\.)(?=[A-Za-z]{0,24}\d)(?=[a-z0-9]{0,24}[A-Z])" + _A + rb"{24}(?![\w.(])",
            "the older form: one letter, a dot and exactly 24 more",
        ),
        Format("snyk-token", b"snyk_uat. snyk_sat.", _W + rb"{8}\.[A-Za-z0-9_\-.]{20,}"),
        Format("mailersend-token", b"mlsn.", _HEX + rb"{64}"),
        Format("amazon-oauth-secret", b"amzn1.oa2-cs.v1.", _HEX + rb"{64}"),
        Format("amazon-mws-token", b"amzn.mws.", _UUID, "prefix and a UUID"),
        Format("discord-token", b"mfa.", _W + rb"{60,}"),
        Format("linkedin-secret", b"WPL_AP1.", rb"[A-Za-z0-9._=\-]{16,}"),
        Format("flagsmith-key", b"ser.", _A + rb"{20,}" + _END, must_be_random=True),
        Format("tiktok-token", b"act.", _A + rb"{50,}", must_be_random=True),
        Format("yandex-token", b"t1.", rb"[A-Z0-9a-z_\-]{20,}={0,2}\.[A-Za-z0-9_\-]{80,}={0,2}", "prefix and length"),
    ),
    b"/": (
        Format(
            "discord-webhook",
            b"discord.com discordapp.com",
            rb"/api/(?:v\d+/)?webhooks/\d{16,20}/(".replace(b"/", _SLASH) + _W + rb"{50,})",
            "anyone with the address can post",
        ),
        Format("google-refresh-token", b"1//0", _W + rb"{40,}"),
        Format(
            "slack-webhook",
            b"hooks.slack.com",
            _SLASH + rb"(?:services|workflows|triggers)" + _SLASH + rb"((?:[A-Za-z0-9/]|%2F){30,})",
            "anyone with the address can post",
        ),
        Format(
            "teams-webhook",
            b"webhook.office.com/webhookb2",
            _SLASH
            + rb"([0-9a-fA-F\-]{36}@[0-9a-fA-F\-]{36}/[A-Za-z]{1,40}/[0-9a-f]{32}/[0-9a-fA-F\-]{36}[A-Za-z0-9/]*)",
            "anyone with the address can post",
        ),
    ),
    b":": (
        Format("asana-token", b"2/ 1/", rb"(?:\d{12,20}/)?\d{12,20}:[0-9a-f]{32}", "three parts of fixed shape"),
        Format(
            "rancher-token", b"token- kubeconfig-", rb"[a-z0-9\-]{5,40}(?::|%3A)[a-z0-9]{50,}", "name and fixed length"
        ),
        Format("twitch-token", b"oauth:", rb"[a-z0-9]{30}" + _END, "prefix and exactly 30 more", True),
        Format("ably-key", b".", rb"[A-Za-z0-9_\-]{6}:[A-Za-z0-9_\-]{40,}", "three parts of fixed length", True),
    ),
    b"~": (
        Format("azure-client-secret", b"Q~", rb"(?<=\dQ~)[A-Za-z0-9_~.\-]{31,34}", "the middle of such a secret"),
        Format("openshift-token", b"sha256~", _W + rb"{40,}"),
    ),
    b"|": (Format("amazon-token", b"Atza| Atzr|", rb"[A-Za-z0-9_\-=+/]{40,}"),),
    b"}": (Format("password-hash", b"{SHA} {SSHA} {SSHA256} {SSHA512}", rb"[A-Za-z0-9+/]{20,}+={0,2}", "LDAP"),),
    b"$": (
        Format("password-hash", b"pbkdf2_sha", rb"\d{1,3}\$\d{1,8}\$\w{1,40}\$[A-Za-z0-9+/=]{20,}+", "Django"),
        Format("braintree-token", b"access_token$", rb"[a-z]{7,10}\$[0-9a-z]{16}\$[0-9a-f]{32}"),
    ),
    b"!": (Format("salesforce-session", b"00D", rb"[A-Za-z0-9]{12,15}![A-Za-z0-9._]{60,}", "organisation and length"),),
}
# Inside another address a slash is written %2F, and a colon %3A.
PLACED[b"%"] = PLACED[b"/"] + PLACED[b":"]
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
