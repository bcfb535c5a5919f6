"""Secrets to plant that the rules were not written with: whole snippets, as other people write them.

The corpus of `planted.py` was used while the rules were written. These snippets were written afterwards, by
another rule: each is a piece of a real kind of file or message (a compose file, a stack trace, a chat, a runbook),
with other names, languages and tools, and no snippet shares its sentence or its syntax with one of the other
corpus. What was missed when they were first tried is in the ADR; some of that was mended afterwards.
"""

from __future__ import annotations

import base64
import random
from collections.abc import Iterator

from planted import Planted, hidden_in, parts_of, value

SNIPPETS = r"""
compose ### services:\n  db:\n    image: postgres:16\n    environment:\n      POSTGRES_PASSWORD: {<z5><d4>}\n
compose-list ### environment:\n  - MYSQL_ROOT_PASSWORD={<a14>}\n  - TZ=UTC\n
actions-env ### env:\n  AWS_SECRET_ACCESS_KEY: {<b40>}\n
gitlab-ci ### variables:\n  DEPLOY_TOKEN: "{<a24>}"\n
ansible ### ansible_become_pass: {<z6><d3><s1>}\nansible_port: 22\n
ansible-inventory ### web1 ansible_host=10.0.0.3 ansible_ssh_pass={<z6><d3>}\n
helm ### helm install x ./chart --set auth.rootPassword={<a12>} --wait
kubectl-literal ### kubectl create secret generic db --from-literal=password={<a14>}
spring ### spring.datasource.password={<z5><d4>}\nspring.datasource.username=app\n
spring-yaml ### spring:\n  datasource:\n    username: app\n    password: {<z5><d4>}\n
django ### DATABASES = {{"default": {{"USER": "app", "PASSWORD": "{<z5><d4>}"}}}}
rails ### production:\n  adapter: mysql2\n  password: {<z5><d4>}\n
laravel ### 'password' => env('DB_PASSWORD', '{<z5><d4>}'),
dotnet ### "ConnectionStrings": {{"Default": "Server=db;Database=x;User Id=sa;Password={<z5><d4>}!;"}}
ef-core ### optionsBuilder.UseSqlServer("Server=.;User ID=sa;Pwd={<a12>};Database=x");
jdbc-call ### DriverManager.getConnection("jdbc:postgresql://db/x?user=a&password={<a12>}")
go-dsn ### db, err := sql.Open("mysql", "app:{<z5><d4>}@tcp(10.0.0.2:3306)/shop")
sqlalchemy ### create_engine("postgresql+psycopg2://scott:{<z5><d4>}@localhost:5432/mydatabase")
celery ### broker_url = "amqp://guest:{<a12>}@rabbit:5672//"
mongo-uri ### MONGO_URI=mongodb://root:{<a16>}@mongo:27017/admin
redis-uri ### REDIS_URL=rediss://default:{<a24>}@eu1.upstash.io:6379
ftp-uri ### wget ftp://backup:{<z5><d4>}@files.internal/dump.tgz
git-remote ### origin\thttps://oauth2:{glpat-<w20>}@gitlab.internal/x/y.git (fetch)
pip-index ### pip install --extra-index-url https://ci:{<a20>}@pypi.internal/simple x
boto ### boto3.client("s3", aws_access_key_id="AKIA<q16>", aws_secret_access_key="{<b40>}")
aws-profile ### [default]\naws_access_key_id = AKIA<q16>\naws_secret_access_key = {<b40>}\n
azure-sdk ### ClientSecretCredential(tenant_id, client_id, client_secret="{<a34>}")
gcp-json ### {{"type": "service_account", "private_key_id": "<h40>", "private_key": "-----BEGIN PRIVATE KEY-----\\n{<b64>\\n<b64>}\\n-----END PRIVATE KEY-----\\n"}}
openai-sdk ### client = OpenAI(api_key="{sk-proj-<w80>}")
stripe-sdk ### stripe.api_key = '{sk_test_<a24>}'
twilio-sdk ### Client("AC<h32>", "{<h32>}")
slack-sdk ### app = App(token="{xoxb-<d12>-<d13>-<a24>}")
discord-sdk ### bot.run("{M<a25>.<w6>.<w38>}")
telegram-url ### https://api.telegram.org/bot{<d10>:AA<w33>}/getMe
firebase-config ### const firebaseConfig = {{ apiKey: "{AIza<w35>}", projectId: "x" }};
axios ### axios.defaults.headers.common['Authorization'] = 'Bearer {<a40>}';
fetch-header ### headers: {{ 'x-api-key': '{<a32>}', accept: '*/*' }}
requests-header ### requests.post(u, headers={{"X-Auth-Token": "{<a32>}"}})
curl-header ### curl -sH "PRIVATE-TOKEN: {<w20>}" https://gitlab.internal/api/v4/user
curl-bearer ### curl -H 'Authorization: Bearer {<a36>}' https://x
http-log ### > GET /v1 HTTP/1.1\n> Host: x\n> Authorization: Basic {YWRtaW46<a16>}\n
access-log ### 10.0.0.9 - - "GET /cb?access_token={<a32>}&x=1 HTTP/1.1" 200
php-pdo ### new PDO('mysql:host=db;dbname=x', 'root', '{<z5><d4>}!')
java-props ### props.put("mail.smtp.password", "{<z5><d4>}");
java-setter ### config.setJdbcUrl(url); config.setUsername("app"); config.setPassword("{<a12>}");
spring-value ### @Value("${{db.password:{<z5><d4>}}}")
kotlin-named ### HikariConfig().apply {{ username = "app"; password = "{<z5><d4>}" }}
swift-const ### let apiSecret = "{<a32>}"
rust-const ### const API_KEY: &str = "{<a32>}";
c-define ### #define WIFI_PASSWORD "{<z5><d4>}"
arduino ### const char* password = "{<z5><d4>}";
lua ### local token = "{<a28>}"
perl ### my $password = '{<z5><d4>}';
elixir ### config :app, App.Repo, username: "app", password: "{<z5><d4>}"
clojure ### {{:user "app" :password "{<z5><d4>}"}}
haskell ### dbPassword = "{<z5><d4>}"
r-lang ### Sys.setenv(OPENAI_API_KEY = "{<a40>}")
matlab ### webread(url, weboptions('Username','u','Password','{<z5><d4>}'))
vb-concat ### key = "{ghp_<a18>" & "<a18>}"
go-concat ### const k = "{glpat-<a10>" +\n\t"<a10>}"
c-concat ### static const char *k = "{AKIA<q8>"\n    "<q8>}";
js-concat ### const k = '{sk_live_<a10>' + '<a14>}';
js-template ### const auth = `Basic ${{btoa("x")}}`; const secret = `{<a32>}`;
py-bytes ### SECRET = b"{<a32>}"
py-secretstr ### password=SecretStr("{<z5><d4>}")
py-getpass-default ### cfg.get("smtp", "password", fallback="{<z5><d4>}")
py-argparse ### p.add_argument("--api-key", default="{<a32>}", help="key")
py-environ-setdefault ### os.environ.setdefault("DJANGO_SECRET_KEY", "{<a40>}")
node-or ### const secret = config.secret || process.env.SECRET || '{<a24>}'
ts-default ### constructor(private apiKey: string = '{<a32>}') {{}}
go-getenv ### pw := getenv("DB_PASSWORD", "{<z5><d4>}")
cs-default ### var pw = Environment.GetEnvironmentVariable("DB_PASSWORD") ?? "{<z5><d4>}";
bash-default ### : "${{DB_PASSWORD:={<z5><d4>}}}"
powershell-cred ### $sec = ConvertTo-SecureString "{<z5><d4>}" -AsPlainText -Force
batch ### set DB_PASSWORD={<z5><d4>}
fish ### set -x GITHUB_TOKEN {ghp_<a36>}
makefile ### deploy: export API_TOKEN = {<a32>}
dockerfile ### ENV DB_PASSWORD={<z5><d4>}
dockerfile-arg ### ARG NPM_TOKEN={npm_<a36>}
npmrc ### registry=https://npm.internal/\n//npm.internal/:_password={<a24>}
pypirc ### [pypi]\nusername = __token__\npassword = {pypi-AgEIcHlwaS5vcmc<w80>}\n
maven ### <server><id>x</id><username>u</username><password>{<z5><d4>}</password></server>
gradle ### signing.password={<z5><d4>}\nsigning.keyId=1A2B\n
tomcat ### <user username="admin" password="{<z5><d4>}" roles="manager-gui"/>
xml-attr ### <connection user='sa' pwd='{<z5><d4>}' />
wpa ### network={{\n  ssid="home"\n  psk="{<z5><d4>xy}"\n}}
nginx ### proxy_set_header Authorization "Bearer {<a40>}";
apache-hash ### admin:{$apr1$<a8>$<a22>}
shadow ### root:{$6$<a16>$<a86>}:19000:0:99999:7:::
mycnf ### [client]\nuser=root\npassword={<z5><d4>}\n
s3cfg ### [default]\naccess_key = AKIA<q16>\nsecret_key = {<b40>}\n
rclone ### [remote]\ntype = s3\nsecret_access_key = {<b40>}\n
netrc-line ### machine api.heroku.com login me@x.org password {<h8>-<h4>-<h4>-<h4>-<h12>}
pgpass-line ### localhost:5432:*:postgres:{<z5><d4>}
psql-env ### PGPASSWORD={<z5><d4>} psql -h db -U app
mysql-dump ### mysqldump -u root -p{<z5><d4>} shop > d.sql
mongo-shell ### mongosh "mongodb://db" -u admin -p {<z5><d4>}
mssql-cli ### sqlcmd -S db -U sa -P {<z5><d4>}!
ldap-cli ### ldapsearch -x -D cn=admin -w {<z5><d4>} -b dc=x
az-login ### az login --service-principal -u app -p {<a34>} --tenant t
gh-login ### echo {ghp_<a36>} | gh auth login --with-token
vault-login ### vault login {hvs.<w90>}
docker-stdin ### docker login --username me --password {<z5><d4>} ghcr.io
twine ### twine upload -u __token__ -p {pypi-AgEIcHlwaS5vcmc<w80>} dist/*
sql-update ### UPDATE users SET password = '{<z5><d4>}' WHERE id = 7;
sql-insert ### INSERT INTO accounts(login, passwd) VALUES ("eve", "{<z5><d4>}");
sql-alter ### ALTER USER 'root'@'localhost' IDENTIFIED WITH mysql_native_password BY '{<z5><d4>}';
sql-grant ### GRANT ALL ON x.* TO 'u'@'%' IDENTIFIED BY '{<z5><d4>}';
pg-user ### create user app with password '{<z5><d4>}';
oracle ### CREATE USER app IDENTIFIED BY "{<z5><d4>}";
chat-en ### hey, the wifi password is {<z5><d4>}, ask me if it fails
chat-en-2 ### FYI new admin password: {<z5><d4>!}
chat-en-3 ### The API key for staging is {<a32>}. Do not share.
chat-en-4 ### creds: deploy / {<z5><d4>}
chat-en-5 ### You can sign in with root / {<z5><d4>}
chat-en-6 ### Temporary password for jenkins has been set to {<z5><d4>}
mail-de ### Ihr Passwort lautet: {<z5><d4>}
mail-de-2 ### Das Kennwort für die Datenbank ist {<z5><d4>}.
mail-es ### La clave del wifi es {<z5><d4>}
mail-es-2 ### Contraseña: {<z5><d4>}
mail-fr ### Votre mot de passe est {<z5><d4>}
mail-fr-2 ### Mot de passe : {<z5><d4>}
mail-pt ### A senha é {<z5><d4>}
mail-pt-2 ### Senha: {<z5><d4>}
mail-it ### La password di prova è {<z5><d4>}
mail-ja ### パスワード：{<z5><d4>}
mail-ja-2 ### 管理者パスワードは {<z5><d4>} です。
mail-zh ### 登录密码为{<z5><d4>}，请尽快修改
mail-zh-2 ### 管理员密码: {<z5><d4>}
mail-ru ### Ваш пароль: {<z5><d4>}
mail-ko ### 비밀번호는 {<z5><d4>} 입니다
runbook ### 3. Log in as `admin` with password `{<z5><d4>}`.
runbook-bold ### **Password**: `{<z5><d4>}`
runbook-quote ### > API token: "{<a28>}"
md-table ### | Service | User | Password | Notes |\n|:---|---|---|---|\n| grafana | admin | `{<z5><d4>}` | ro |\n
md-table-token ### | Env | API Key |\n|---|---|\n| prod | {<a32>} |\n
csv-quoted ### "name","login","password"\n"Eve","eve","{<z5><d4>}"\n
csv-semicolon ### site;user;password\nx.org;eve;{<z5><d4>}\n
json-users ### [{{"login": "eve", "pwd": "{<z5><d4>}"}}]
json-pretty ### {{\n  "clientSecret":\n    "{<a32>}"\n}}
json-env-list ### [{{"Value": "{<a24>}", "Key": "API_TOKEN"}}]
ecs-task ### "environment": [{{"name": "DB_PASS", "value": "{<z5><d4>}"}}]
tfvars ### db_password = "{<z5><d4>}"\nregion = "eu"\n
tf-resource ### resource "aws_db_instance" "x" {{\n  username = "app"\n  password = "{<z5><d4>}"\n}}
tf-variable ### variable "api_token" {{\n  description = "token"\n  sensitive   = true\n  default     = "{<a28>}"\n}}
bicep ### param adminPassword string = '{<z5><d4>!}'
pulumi ### new aws.rds.Instance("x", {{ password: "{<z5><d4>}" }});
k8s-stringdata ### apiVersion: v1\nkind: Secret\nstringData:\n  token: {<a24>}\n  note: x1\n
k8s-data ### apiVersion: v1\ndata:\n  tls.key: {LS0t<a60>}\nkind: Secret\n
sops-less ### secrets:\n  jwt: \n    secret: {<a32>}\n
yaml-anchor ### defaults: &d\n  password: &pw {<z5><d4>}\n
yaml-quoted ### smtp: {{ user: x, password: '{<z5><d4>}' }}
yaml-multiline ### client_secret: |-\n    {<a40>}\n
env-multiline ### export AWS_SECRET_ACCESS_KEY=\ \n{<b40>}\n
ini-spaces ### [db]\npassword   =   {<z5><d4>}\n
toml-inline ### db = {{ user = "x", password = "{<z5><d4>}" }}
hcl-vault ### token = "{hvs.<w90>}"
traceback ### E   psycopg2.OperationalError: connection to "postgresql://app:{<z5><d4>}@db/x" failed
repr ### Settings(host='x', password='{<z5><d4>}', port=1)
kwargs-log ### DEBUG connect kwargs={{'user': 'x', 'passwd': '{<z5><d4>}'}}
shell-history ###  1034  export STRIPE_SECRET_KEY={sk_live_<a24>}
env-dump ### HOME=/root\nGITHUB_TOKEN={ghs_<a36>}\nLANG=C\n
diff-removed ### -  api_key: {<a32>}\n+  api_key: ${{API_KEY}}\n
cookie-header ### Cookie: sessionid={<a32>}; theme=dark
set-cookie ### set-cookie: connect.sid=s%3A{<a32>}.<a30>; Path=/; HttpOnly
jwt-inline ### token: {eyJhbGciOiJSUzI1NiJ9.eyJ<w60>.<w80>}
ssh-key ### -----BEGIN OPENSSH PRIVATE KEY-----\n{<b70>\n<b70>\n<b40>}\n-----END OPENSSH PRIVATE KEY-----
putty ### PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: x\nPublic-Lines: 1\n<b60>\nPrivate-Lines: 1\n{<b48>}\nPrivate-MAC: <h64>\n
wireguard ### [Interface]\nPrivateKey = {<b43>=}\nAddress = 10.0.0.1/24\n
age ### # created: 2026-01-01\n{AGE-SECRET-KEY-1<u58>}\n
slack-hook ### curl -X POST https://hooks.slack.com/services/{T<u8>/B<u10>/<a24>}
teams-hook ### https://x.webhook.office.com/webhookb2/{<h8>-<h4>-<h4>-<h4>-<h12>@<h8>-<h4>-<h4>-<h4>-<h12>/IncomingWebhook/<h32>/<h8>-<h4>-<h4>-<h4>-<h12>}
sas ### https://x.blob.core.windows.net/c?sv=2022&ss=b&sig={<a43>%3D}&se=2030
b64-pair ### kubectl get secret x -o jsonpath='{{.data.env}}' # {b64}
seed ### seed phrase: "{<z5> <z4> <z6> <z7> <z5> <z4> <z6> <z5> <z4> <z6> <z5> <z7>}"
wallet ### const mnemonic = "{<z5> <z4> <z6> <z7> <z5> <z4> <z6> <z5> <z4> <z6> <z5> <z7>}";
phrase-quoted ### RESTIC_PASSWORD="{<z6> <z5> <z7> <z6>}"
luks ### passphrase: '{<z6>-<z5>-<z7>-<d4>}'
homoglyph ### АPI_tоken = "{<a32>}"
wide-equals ### API_TOKEN＝{<a32>}
bold-math ### 𝗽𝗮𝘀𝘀𝘄𝗼𝗿𝗱: {<z5><d4>}
smart-quotes ### password = “{<z5><d4>}”
"""  # noqa: E501


def held_out(seed: int, rounds: int) -> Iterator[Planted]:
    """Yield every snippet, `rounds` times with other values."""
    rng = random.Random(seed)
    for _ in range(rounds):
        for line in SNIPPETS.strip().splitlines():
            name, _, snippet = line.partition(" ### ")
            text = snippet.replace("\\\\n", "\0").replace("\\n", "\n").replace("\\t", "\t").replace("\0", "\\n")
            text = text.replace("\\ \n", "\\\n")
            if "{b64}" in text:
                text = text.replace(
                    "{b64}", "{" + base64.b64encode(value("API_TOKEN=<a32>", rng).encode()).decode() + "}"
                )
            plain, hidden = hidden_in(value(text, rng))
            yield Planted(plain, parts_of(hidden), name, "held out")
