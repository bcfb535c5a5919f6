"""Secrets to plant: what each looks like, as a grammar, and the texts that people and programs write them into.

A value is made of random characters by its grammar, so none is anybody's. `<a36>` are 36 letters and digits; the other
letters are in ALPHABETS. `{…}` in a whole text marks what of it is secret.
"""

from __future__ import annotations

import base64
import json
import random
import re
import string
from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import quote

_LETTERS = string.ascii_letters + string.digits
ALPHABETS = {
    "a": _LETTERS,
    "w": _LETTERS + "_-",
    "b": _LETTERS + "+/",
    "l": string.ascii_lowercase + string.digits,
    "u": string.ascii_uppercase + string.digits,
    "q": string.ascii_uppercase + "234567",
    "h": "0123456789abcdef",
    "d": string.digits,
    "z": string.ascii_lowercase,
    "s": "!@#%^*+?~",
}
_PART = re.compile(r"<([a-z])(\d+)>")
# Between the literals that a secret is split over.
_LITERALS = re.compile(r"[\"'] *[+.]? *[\"']")


class Kind(NamedTuple):
    """A kind of secret: its name, the name it is assigned to, and its grammar."""

    name: str
    key: str
    grammar: str


# Those that are assigned to a name.
ASSIGNED: tuple[Kind, ...] = tuple(
    Kind(*row.split())
    for row in """
    aws-key-id            AWS_ACCESS_KEY_ID       AKIA<q16>
    aws-session-key-id    AWS_ACCESS_KEY_ID       ASIA<q16>
    aws-secret            AWS_SECRET_ACCESS_KEY   <b40>
    github-classic        GITHUB_TOKEN            ghp_<a36>
    github-oauth          GITHUB_TOKEN            gho_<a36>
    github-user           GH_TOKEN                ghu_<a36>
    github-server         GITHUB_TOKEN            ghs_<a36>
    github-refresh        GITHUB_REFRESH_TOKEN    ghr_<a76>
    github-fine           GITHUB_PAT              github_pat_<a22>_<a59>
    gitlab-personal       GITLAB_TOKEN            glpat-<w20>
    gitlab-runner         CI_RUNNER               GR1348941<w20>
    slack-bot             SLACK_BOT_TOKEN         xoxb-<d12>-<d12>-<a24>
    slack-user            SLACK_TOKEN             xoxp-<d12>-<d12>-<d12>-<h32>
    slack-app             SLACK_APP_TOKEN         xapp-1-<u11>-<d13>-<h64>
    slack-webhook         SLACK_URL               https://hooks.slack.com/services/T<u10>/B<u10>/<a24>
    discord-webhook       DISCORD_URL             https://discord.com/api/webhooks/<d18>/<w68>
    discord-bot           DISCORD_BOT             M<a25>.<w6>.<w38>
    telegram-bot          TELEGRAM_BOT            <d10>:AA<w33>
    stripe-live           STRIPE_KEY              sk_live_<a24>
    stripe-restricted     STRIPE_KEY              rk_live_<a99>
    stripe-webhook        STRIPE_SIGNING          whsec_<a32>
    openai-legacy         OPENAI_API_KEY          sk-<a20>T3BlbkFJ<a20>
    openai-project        OPENAI_API_KEY          sk-proj-<w120>
    anthropic             ANTHROPIC_API_KEY       sk-ant-api03-<w93>AA
    openrouter            LLM                     sk-or-v1-<h64>
    google-api            GOOGLE_API_KEY          AIza<w35>
    google-oauth-secret   GOOGLE_CLIENT           GOCSPX-<w28>
    google-access         GOOGLE_ACCESS           ya29.<w120>
    firebase-server       FCM_SERVER              AAAA<w7>:APA91b<w134>
    azure-account         AZURE_STORAGE_KEY       <b86>==
    azure-client          AZURE_CLIENT_SECRET     <a3>8Q~<w34>
    twilio-key            TWILIO_KEY              SK<h32>
    twilio-auth           TWILIO_AUTH_TOKEN       <h32>
    sendgrid              SENDGRID_API_KEY        SG.<w22>.<w43>
    mailgun               MAILGUN_KEY             key-<h32>
    mailchimp             MAILCHIMP               <h32>-us14
    npm                   NPM_TOKEN               npm_<a36>
    pypi                  TWINE_PASSWORD          pypi-AgEIcHlwaS5vcmc<w120>
    crates                CARGO_REGISTRY_TOKEN    cio<a32>
    rubygems              GEM_HOST_API_KEY        rubygems_<h48>
    docker-hub            DOCKER_PAT              dckr_pat_<w27>
    huggingface           HF_TOKEN                hf_<a34>
    cloudflare-token      CLOUDFLARE_API_TOKEN    <w40>
    cloudflare-global     CF_API_KEY              <h37>
    digitalocean          DO_PAT                  dop_v1_<h64>
    heroku                HEROKU_API_KEY          <h8>-<h4>-<h4>-<h4>-<h12>
    datadog-api           DD_API_KEY              <h32>
    datadog-app           DD_APP_KEY              <h40>
    shopify               SHOPIFY_ADMIN           shpat_<h32>
    square                SQUARE_ACCESS           sq0atp-<w22>
    paypal                PAYPAL_CLIENT_SECRET    E<w79>
    braintree             BRAINTREE               access_token$production$<l16>$<h32>
    atlassian             JIRA_API                ATATT3xFfGF0<w170>=<h8>
    linear                LINEAR                  lin_api_<a40>
    notion                NOTION                  ntn_<a46>
    postman               POSTMAN                 PMAK-<h24>-<h34>
    databricks            DATABRICKS              dapi<h32>
    vault                 VAULT_TOKEN             hvs.<w95>
    terraform-cloud       TFE                     <a14>.atlasv1.<w67>
    vercel                VERCEL_TOKEN            <a24>
    netlify               NETLIFY_AUTH            nfp_<a40>
    supabase              SUPABASE                sbp_<h40>
    algolia-admin         ALGOLIA_ADMIN_KEY       <h32>
    okta                  OKTA_API_TOKEN          00<w40>
    auth0                 AUTH0_CLIENT_SECRET     <w64>
    grafana               GRAFANA                 glsa_<a32>_<h8>
    new-relic             NEW_RELIC               NRAK-<u27>
    age                   SOPS_AGE                AGE-SECRET-KEY-1<u58>
    jwt                   SESSION                 eyJhbGciOiJIUzI1NiJ9.eyJ<w80>.<w43>
    django-secret         SECRET_KEY              <l20>@<l15>#<l10>
    password-long         ADMIN_PASSWORD          <a20>
    password-chosen       DB_PASSWORD             <z6><d3><s1>
    password-short        SMTP_PASS               <z5><d2>
    passphrase-hex        MASTER_PASSPHRASE       <h16>
    api-token             SERVICE_TOKEN           <a32>
    client-secret         OAUTH_CLIENT_SECRET     <a48>
    encryption-key        ENCRYPTION_KEY          <b43>=
    signing-key           JWT_SIGNING_KEY         <a64>
    """.strip().splitlines()
)

# Those that their prefix gives away; the name they are assigned to says nothing.
PREFIXED: tuple[Kind, ...] = tuple(
    Kind(row.split()[0], "EXTRA", row.split()[1])
    for row in """
    adafruit        aio_<a28>
    adobe           p8e-<a32>
    airtable        pat<a14>.<h64>
    aiven           AVNS_<w19>
    alibaba         LTAI<a20>
    amazon-login    amzn1.oa2-cs.v1.<h64>
    anyscale        esecret_<a28>
    apify           apify_api_<a36>
    artifactory     AKCp<a69>
    artifactory-ref cmVmdGtuOjAx<a52>
    asana           2/<d16>/<d16>:<h32>
    aws-bedrock     ABSK<a110>
    azure-devops    <a76>AZDO<a4>
    azure-search    <a42>AzSe<a6>
    bitbucket       ATBB<a32>
    bitbucket-dc    BBDC-<a44>
    brave           BSA<w28>
    browserbase     bb_live_<w28>
    buildkite       bkua_<h40>
    cerebras        csk-<l48>
    circleci        CCIPAT_<a22>_<h40>
    circleci-prj    CCIPRJ_<a22>_<h40>
    clickup         pk_<d8>_<u32>
    clojars         CLOJARS_<l60>
    cloudflare-new  cfut_<w40>
    cockroach       CCDB1_<a22>_<a40>
    confluent       cflt<b60>
    contentful      CFPAT-<w43>
    cursor          key_<h64>
    dbt             dbtc_<w36>
    doppler         dp.pt.<a43>
    dropbox         sl.<w140>
    duffel          duffel_live_<w43>
    dynatrace       dt0c01.<u24>.<u64>
    e2b             e2b_<h40>
    easypost        EZAK<a54>
    elastic         essu_<a60>
    elevenlabs      sk_<h48>
    facebook        EAA<a120>
    figma           figd_<w40>
    firecrawl       fc-<h32>
    fireworks       fw_<a24>
    flutterwave     FLWSECK_TEST-<h32>-X
    fly             fm2_<b90>
    frameio         fio-u-<w64>
    gitbook         gb_api_<a40>
    gitlab-deploy   gldt-<w20>
    gitlab-trigger  glptt-<h40>
    grafana-cloud   glc_<a80>
    grafana-old     eyJrIjoi<a70>
    groq            gsk_<a52>
    heroku-new      HRKU-<w36>
    honeycomb       hcaik_<l58>
    hubspot         pat-na1-<h8>-<h4>-<h4>-<h4>-<h12>
    infracost       ico-<a32>
    instagram       IGQV<w120>
    intra42         s-s4t2ud-<h64>
    jina            jina_<w60>
    kaggle          KGAT_<h32>
    langfuse        sk-lf-<h8>-<h4>-<h4>-<h4>-<h12>
    langsmith       lsv2_pt_<h32>_<h10>
    launchdarkly    sdk-<h8>-<h4>-<h4>-<h4>-<h12>
    lob             live_<h35>
    mailersend      mlsn.<h64>
    mandrill        md-<w22>
    mapbox          sk.eyJ<w60>.<w22>
    matrix          syt_<a12>_<a20>_<a6>
    mem0            m0-<a40>
    mongodb-atlas   mdb_sa_sk_<w40>
    neon            napi_<l64>
    nostr           nsec1<l58>
    notion-old      secret_<a43>
    nuget           oy2<l43>
    nvidia          nvapi-<w64>
    onepassword     ops_eyJ<w250>
    openai-service  sk-svcacct-<w120>
    openshift       sha256~<w43>
    perplexity      pplx-<a48>
    pinecone        pcsk_<w60>
    plaid           access-production-<h8>-<h4>-<h4>-<h4>-<h12>
    planetscale     pscale_tkn_<w43>
    postman-coll    PMAT-<u26>
    posthog         phx_<a43>
    prefect         pnu_<a36>
    pubnub          sec-c-<a48>
    pulumi          pul-<h40>
    rancher         token-<l5>:<l54>
    rapidapi        <l10>msh<l15>p<l6>jsn<l12>
    readme          rdme_<l70>
    render          rnd_<a28>
    replicate       r8_<a37>
    resend          re_<a8>_<a24>
    runpod          rpa_<u40>
    sendinblue      xkeysib-<h64>-<a16>
    sentry-user     sntryu_<h64>
    shippo          shippo_live_<h40>
    snyk            snyk_uat.<a8>.<w60>
    sonarqube       squ_<h40>
    sourcegraph     sgp_<h40>
    square-new      EAAA<w60>
    stytch          secret-live-<w36>
    supabase-key    sb_secret_<w31>
    tailscale       tskey-auth-<a17>-<a32>
    tavily          tvly-<a32>
    tencent         AKID<a32>
    together        tgp_v1_<w43>
    trello          ATTA<h72>
    twilio-account  AC<h32>
    typeform        tfp_<w44>
    vault-old       s.<a11>7Q<a11>
    vercel-new      vcp_<a56>
    volcengine      AKLT<w44>
    voyage          pa-<w43>
    wakatime        waka_<h8>-<h4>-<h4>-<h4>-<h12>
    wandb           wandb_v1_<w50>
    woocommerce     ck_<h40>
    xai             xai-<a80>
    yandex          y0_<w58>
    """.strip().splitlines()
)

# Those that are a whole text; what is in braces must go.
WHOLE: dict[str, str] = {
    "postgres-url": "postgresql://app:{<a16>}@db.internal:5432/app",
    "mysql-url": "mysql+pymysql://root:{<z6><d3>}@10.0.0.7/shop",
    "mongodb-url": "mongodb+srv://svc:{<a20>}@cluster0.x.mongodb.net/?retryWrites=true",
    "redis-url": "redis://:{<a24>}@cache:6379/0",
    "amqp-url": "amqps://worker:{<a18>}@mq.internal:5671/jobs",
    "https-url": "https://deploy:{<z7><d2>}@git.internal/team/app.git",
    "odbc": "Driver={{ODBC Driver 18}};Server=tcp:sql1,1433;Uid=sa;Pwd={<a14><s1>};Encrypt=yes",
    "ado-net": "Server=sql1;Database=shop;User Id=sa;Password={<z5><d3><s1>};",
    "jdbc": "jdbc:mysql://db1:3306/shop?user=root&password={<a12>}&useSSL=true",
    "azure-connection": "DefaultEndpointsProtocol=https;AccountName=acme;AccountKey={<b86>==};EndpointSuffix=core",
    "azure-sas": "https://acme.blob.core.windows.net/c/f?sv=2024-01-01&se=2026-01-01&sr=b&sp=r&sig={<a40>%3D}",
    "sentry-dsn": "https://{<h32>}@o44.ingest.sentry.io/17",
    "bearer": "Authorization: Bearer {<w40>}",
    "basic": "Authorization: Basic {YWRtaW46<a20>}",
    "okta-header": "Authorization: SSWS {00<w40>}",
    "api-key-header": "X-Api-Key: {<a32>}",
    "cookie": "Cookie: sid={<h32>}; lang=de",
    "set-cookie": "Set-Cookie: session={<a40>}; Path=/; HttpOnly",
    "mysql-cli": "mysql -h db1 -u root -p{<z6><d3>} shop",
    "curl-user": "curl -u admin:{<z6><d3>} https://api.internal/v1",
    "docker-login": "docker login -u acme -p {<a20>} registry.internal",
    "redis-cli": "redis-cli -h cache -a {<a20>} ping",
    "sshpass": "sshpass -p {<z6><d3>} ssh root@10.0.0.7",
    "flag": "deploy --region eu --password {<z6><d3>} --verbose",
    "flag-equals": "deploy --api-key={<a32>} --verbose",
    "netrc": "machine git.internal login deploy password {<z6><d3>}",
    "pgpass": "db.internal:5432:app:svc:{<z6><d3>}",
    "htpasswd": "admin:{$2y$10$<a53>}",
    "sql": "CREATE USER app IDENTIFIED BY '{<z6><d3>}';",
    "xml": "<password>{<z6><d3>}</password>",
    "xml-pair": '<add key="ApiKey" value="{<a32>}"/>',
    "pair": '- name: DB_PASSWORD\n  value: "{<z6><d3>}"',
    "npmrc": "//registry.npmjs.org/:_authToken={npm_<a36>}",
    "pem-rsa": "-----BEGIN RSA PRIVATE KEY-----\n{<b64>\n<b64>\n<b40>==}\n-----END RSA PRIVATE KEY-----",
    "pem-pkcs8": "-----BEGIN PRIVATE KEY-----\n{<b64>\n<b64>\n<b21>=}\n-----END PRIVATE KEY-----",
    "pem-cut": "-----BEGIN EC PRIVATE KEY-----\n{<b64>\n<b50>}",
    "openssh": "-----BEGIN OPENSSH PRIVATE KEY-----\n{<b70>\n<b70>}\n-----END OPENSSH PRIVATE KEY-----",
    "pgp": "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{<b64>\n<b64>\n=<b4>}\n-----END PGP PRIVATE KEY BLOCK-----",
    "aws-pair": "AKIA<q16>,{<b40>}",
    "okta-scheme": "SSWS {00<w40>}",
    "fly-scheme": "FlyV1 {fm2_<b60>,fm2_<b40>}",
    "passphrase": 'passphrase = "{correct <z6> battery <z7>}"',
    "password-phrase": 'password: "{<z7> <z6> <z5> <z8>}"',
    "mnemonic": 'MNEMONIC="{<z5> <z6> <z5> <z7> <z5> <z6> <z4> <z5> <z7> <z6> <z5> <z5>}"',
    "terraform-variable": 'variable "db_password" {{\n  type    = string\n  default = "{<z6><d3>}"\n}}',
    "cloudformation": "Parameters:\n  DBPassword:\n    Type: String\n    Default: {<z6><d3>}\n",
    "arm-parameter": '"adminPassword": {{"value": "{<z6><d3><s1>}"}}',
    "node-default": 'const pass = process.env.DB_PASSWORD || "{<z6><d3>}";',
    "node-nullish": "const secret = process.env.JWT_SECRET ?? '{<a20>}';",
    "python-default": 'password = os.environ.get("DB_PASSWORD", "{<z6><d3>}")',
    "python-or": "password = os.getenv('DB_PASSWORD') or '{<z6><d3>}'",
    "ruby-default": 'ENV.fetch("DB_PASSWORD") {{ "{<z6><d3>}" }}',
    "rust-default": 'env::var("DB_PASSWORD").unwrap_or("{<z6><d3>}".into())',
    "php-default": "getenv('DB_PASSWORD') ?: '{<z6><d3>}'",
    "kotlin-default": 'System.getenv("DB_PASSWORD") ?: "{<z6><d3>}"',
    "shell-default": "echo ${{DB_PASSWORD:-{<z6><d3>}}}",
    "click-default": '@click.option("--password", default="{<z6><d3>}")',
    "setter": 'dataSource.setPassword("{<z6><d3>}");',
    "snake-setter": "client.set_token('{<a24>}')",
    "builder": 'DataSource.builder().user("app").password("{<z6><d3>}").build()',
    "credentials-call": 'new UsernamePasswordCredentials("admin", "{<z6><d3>}")',
    "basic-auth-call": 'requests.get(url, auth=HTTPBasicAuth("admin", "{<z6><d3>}"))',
    "value-first": '{{"value": "{<z6><d3>}", "name": "DB_PASSWORD"}}',
    "value-first-yaml": "- value: {<z6><d3>}\n  name: DB_PASSWORD\n",
    "insert": "INSERT INTO users (name, password, mail) VALUES ('bob', '{<z6><d3>}', 'b@example.org');",
    "insert-rows": "insert into t (id, api_key) values (1, '{<a32>}'), (2, '<a32>');",
    "yaml-below": "password:\n  {<z6><d3>}\nport: 1\n",
    "yaml-block": "password: |\n  {<z6><d3>}\nport: 1\n",
    "yaml-folded": "api_token: >-\n  {<a32>}\nport: 1\n",
    "continued": "export DB_PASSWORD=\\\n  {<z6><d3>}\n",
    "split-plus": 'token = "{ghp_<a12>" + "<a24>}"',
    "split-adjacent": 'token = ("{ghp_<a12>"\n         "<a24>}")',
    "split-php": "$token = '{ghp_<a12>' . '<a24>}';",
    "split-key": "const id = '{AKIA' + '<q16>}';",
    "full-width": "password＝{<z6><d3>}",
    "full-width-name": "ｐａｓｓｗｏｒｄ：{<z6><d3>}",
    "cyrillic-letters": 'раsswоrd = "{<z6><d3>}"',
    "greek-letters": 'pαssword = "{<z6><d3>}"',
    "prose": "the password for the staging server is {<z6><d3>}",
    "prose-was": "The root password was set to {<z6><d3><s1>} yesterday",
    "prose-login": "you can log in with admin / {<z6><d3>}",
    "prose-credentials": "The credentials are admin / {<z6><d3>}",
    "prose-pair": "username: admin password: {<z6><d3>}",
    "german": "Das Passwort für den Server lautet {<z6><d3>}",
    "german-other": "Das Kennwort ist {<z6><d3>}",
    "spanish": "la contraseña del servidor es {<z6><d3>}",
    "french": "le mot de passe du serveur est {<z6><d3>}",
    "portuguese": "a senha do servidor é {<z6><d3>}",
    "italian": "la password del server è {<z6><d3>}",
    "japanese": "サーバーのパスワードは{<z6><d3>}です",
    "chinese": "数据库密码是 {<z6><d3>}",
    "chinese-colon": "密码：{<z6><d3>}",
    "russian": "пароль: {<z6><d3>}",
    "markdown-table": "| host | user | password |\n|---|---|---|\n| db1 | root | {<z6><d3>} |\n",
    "csv": "host,user,password\ndb1,root,{<z6><d3>}\n",
    "tsv": "host\tuser\tapi_key\ndb1\troot\t{<a32>}\n",
    "kubernetes": "kind: Secret\nmetadata:\n  name: x\ndata:\n  conf: {aHVu<a12>==}\n",
    "keytool": "keytool -list -keystore k.jks -storepass {<z6><d3>}",
    "create-role": "CREATE ROLE app WITH LOGIN PASSWORD '{<z6><d3>}';",
    "redis-conf": "port 6379\nrequirepass {<z6><d3>}\n",
    "netrc-lines": "machine git.internal\n  login deploy\n  password {<z6><d3>}\n",
    "pgpass-any": "db.internal:*:app:svc:{<z6><d3>}",
    "openssl": "openssl rsa -passin pass:{<z6><d3>} -in k.pem",
    "httpie": "http -a admin:{<z6><d3>} https://api.internal",
    "htpasswd-command": "htpasswd -b .htpasswd admin {<z6><d3>}",
    "ldap-hash": "userPassword: {{SSHA}}{<a32>}",
    "django-hash": "pbkdf2_sha256$600000$<a12>${<a43>=}",
    "private-block": "<private>{the launch is on <z8> and costs <d6>}</private>",
}


class Planted(NamedTuple):
    """A text with a secret in it, the parts that must not remain, and where it came from."""

    text: str
    secrets: tuple[str, ...]
    kind: str
    context: str


def value(grammar: str, rng: random.Random) -> str:
    """Return a random value by its grammar."""
    return _PART.sub(lambda part: "".join(rng.choices(ALPHABETS[part[1]], k=int(part[2]))), grammar)


def camel(key: str) -> str:
    """Return the name as JSON and JavaScript write it."""
    first, *rest = key.lower().split("_")
    return first + "".join(map(str.capitalize, rest))


# An assigned value in the texts of a working day.
_ASSIGNED: dict[str, Callable[[str, str], str]] = {
    "json": lambda key, it: json.dumps({"id": 7, camel(key): it, "retries": 3}),
    "nested json": lambda key, it: json.dumps({"tool_input": {"content": json.dumps({key.lower(): it})}}),
    "env": lambda key, it: f"# production\nPORT=8080\n{key}={it}\nDEBUG=false\n",
    "shell": lambda key, it: f'cd app && export {key}="{it}" && make deploy',
    "docker": lambda key, it: f"docker run --rm -e {key}={it} -p 80:80 app:latest",
    "python": lambda key, it: f'client = Client(region="eu", {key.lower()}="{it}", timeout=3)',
    "javascript": lambda key, it: f"const client = new Client({{ region: 'eu', {camel(key)}: '{it}' }});",
    "go": lambda key, it: f'\t{camel(key)} := "{it}"',
    "yaml": lambda key, it: f"service:\n  region: eu\n  {key.lower()}: {it}\n  replicas: 2\n",
    "toml": lambda key, it: f'[service]\n{key.lower()} = "{it}"\nport = 80\n',
    "terraform": lambda key, it: f'variable "x" {{}}\n  {key.lower()}    = "{it}"\n',
    "log": lambda key, it: f"2026-05-08 13:56:01 ERROR request failed {key.lower()}={it} status=401",
    "markdown": lambda key, it: f"- the {key.replace('_', ' ').lower()} is `{it}` for now",
    "php": lambda key, it: f"define('{key}', '{it}');",
    "powershell": lambda key, it: f'$env:{key} = "{it}"\nInvoke-Build',
    "listing": lambda key, it: json.dumps({"content": f"     1\u2192PORT=80\n     2\u2192{key}={it}\n     3\u2192X=1"}),
    "diff": lambda key, it: f"@@ -1,2 +1,3 @@\n PORT=80\n+{key}={it}\n-X=1\n",
    "search": lambda key, it: f"deploy/.env:12:{key}={it}\ndeploy/.env:13:X=1\n",
    "properties": lambda key, it: f"app.port=80\napp.{key.lower()}={it}\napp.x=1\n",
    "form": lambda key, it: f"{key.lower()}={quote(it, safe='')}&grant_type=x",
    "escaped": lambda key, it: json.dumps({"stdout": f"ok\n{key}={it}\n{key.lower()}: {it}\n"}),
    "arguments": lambda key, it: json.dumps(["deploy", f"--{key.lower().replace('_', '-')}", it, "--verbose"]),
    "pair": lambda key, it: json.dumps({"env": [{"name": key, "value": it}]}),
    "environment": lambda key, it: f'os.environ["{key}"] = "{it}"',
    "traceback": lambda key, it: f"  File \"a.py\", line 3, in f\n    connect({key.lower()}='{it}')\nValueError: no",
    "url": lambda key, it: f"GET https://api.example.com/v1/items?{key.lower()}={quote(it, safe='')}&page=2 200",
}

# Those that several lines tell; in one line with escaped breaks they are something else.
BY_LINES = frozenset(
    """terraform-variable cloudformation value-first-yaml yaml-below yaml-block yaml-folded continued
    split-adjacent markdown-table csv tsv kubernetes redis-conf netrc-lines value-first arm-parameter
    node-default shell-default rust-default python-default python-or ruby-default php-default kotlin-default
    click-default setter snake-setter builder credentials-call basic-auth-call insert insert-rows split-plus
    split-php split-key passphrase password-phrase mnemonic""".split()
)
ENCODED: dict[str, Callable[[str], str]] = {
    "plain": lambda text: base64.b64encode(text.encode()).decode(),
    "utf-16": lambda text: base64.b64encode(text.encode("utf-16-le")).decode(),
    "several": lambda text: base64.b64encode(f"HOST=db1\n{text}\nPORT=5432\n".encode()).decode(),
}


def _json(it: object) -> str:
    return json.dumps(it, ensure_ascii=False)


# A text that is secret in part, in what carries it.
_WHOLE: dict[str, Callable[[str], str]] = {
    "plain": lambda it: it,
    "json": lambda it: _json({"tool_name": "Bash", "tool_response": {"stdout": f"ok\n{it}\n", "code": 0}}),
    "json line": lambda it: _json({"content": it}),
    "nested json": lambda it: _json({"line": _json({"text": it})}),
    "log": lambda it: f"2026-05-08 13:56:01 INFO starting\n{it}\n2026-05-08 13:56:02 INFO done",
    "markdown": lambda it: f"Run this:\n\n```\n{it}\n```\n\nand wait.",
    "comment": lambda it: "".join(f"# {line}\n" for line in it.split("\n")) + "def main(): ...\n",
}


def planted(seed: int, rounds: int = 3) -> Iterator[Planted]:
    """Yield every kind in every context, `rounds` times with other values."""
    rng = random.Random(seed)
    for _ in range(rounds):
        for kind in (*ASSIGNED, *PREFIXED):
            for context, write in _ASSIGNED.items():
                it = value(kind.grammar, rng)
                yield Planted(write(kind.key, it), parts_of(it), kind.name, context)
        for name, grammar in WHOLE.items():
            for context, carry in _WHOLE.items():
                if name in BY_LINES and context not in ("plain", "markdown"):
                    continue
                text, hidden = hidden_in(value(grammar, rng))
                yield Planted(carry(text), parts_of(hidden), name, context)
        for context, encode in ENCODED.items():
            it = value("<z6><d3>", rng)
            hidden = encode(f"DB_PASSWORD={it}")
            yield Planted(f"echo {hidden} | base64 -d", (hidden,), "base64", context)


def hidden_in(text: str) -> tuple[str, str]:
    """Return a text without its braces, and what stood in them; doubled ones are braces of the text."""
    text = text.replace("{{", "\0").replace("}}", "\1")
    start, end = text.index("{"), text.rindex("}")
    hidden = text[start + 1 : end]
    plain = text[:start] + hidden + text[end + 1 :]
    return plain.replace("\0", "{").replace("\1", "}"), hidden


def parts_of(secret: str) -> tuple[str, ...]:
    """Return what must not remain: of an address the path, of several lines each, of anything long its halves too."""
    if secret.startswith("https://"):
        secret = secret.rsplit("/", 1)[1]
    lines = [part for line in secret.split("\n") for part in _LITERALS.split(line) if len(part) > 5]
    halves = [half for line in lines if len(line) >= 24 for half in (line[: len(line) // 2], line[len(line) // 2 :])]
    return (*lines, *halves)
