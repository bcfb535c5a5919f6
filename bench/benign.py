"""Lines without a secret that come close to one: code, configuration, logs, messages, translations and prose.

The first part is written by hand, each line because some rule might take it for a secret. The second part is made by
grammars (those of `planted.py`): hashes, ids and lock files are as random as keys.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from planted import value

WRITTEN = r"""
password = os.environ["DB_PASSWORD"]
password: str | None = None
def login(self, username: str, password: str) -> Session:
password = getpass.getpass("Password: ")
password = prompt("Enter your password")
password = input("New password: ")
if password != confirm_password:
if (password.length < 8) throw new Error("Password must have at least 8 characters");
"password": "Password is required",
"password_too_short": "Your password must contain at least 12 characters.",
"forgot_password": "Forgot your password?",
"password": "Passwort",
"password.label": "Mot de passe",
"password": "Contraseña",
"resetPassword": "Passwort zurücksetzen",
"tokenExpired": "Your token has expired, please log in again",
the password is required
The password is hashed with argon2id before it is stored.
The password is sha256-hashed.
the token is expired
The token is a JWT.
the token is base64-encoded
The secret to good tests is patience.
The key is to write small functions.
The key to this is the index.
the api key is invalid
The secret is stored in Vault.
The password was wrong three times.
Your password will be reset within 24 hours.
Das Passwort ist falsch.
Das Kennwort ist abgelaufen.
Das Passwort für den Server steht im Tresor.
La contraseña es obligatoria.
La clave es la paciencia.
Le mot de passe est incorrect.
A senha é obrigatória.
La password è sbagliata.
パスワードは必須です
パスワードを入力してください
密码不能为空
密码是必填项
пароль обязателен
log in with your account / password
Log in with Google or GitHub.
sign in with OAuth2 / OIDC
login: required
credentials: same-origin
fetch(url, { credentials: "include", mode: "cors" })
| Parameter | Type | Description |
| password | string | The password of the user |
| token | string | required |
| Token | Meaning |
name,type,description
password,string,the password of the user
token = self.lexer.next_token()
token = tokens[0]
token: Token = field(default_factory=Token)
if token.type == TokenType.IDENTIFIER:
while token != "EOF":
match token { Token::Ident(name) => name, Token::Number(n) => n }
tokens = tokenizer.encode("hello world")
max_tokens = 4096
token_count: 128000
"total_tokens": 1532,
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
csrf_token = get_token(request)
<input type="hidden" name="csrf_token" value="{{ csrf_token() }}">
<input type="password" name="password" placeholder="Password">
<label for="password">Password</label>
secret = get_secret("prod/db/password")
secretName: database-credentials
secretKeyRef: { name: db, key: password }
valueFrom: { secretKeyRef: { name: database, key: password } }
password: ${DB_PASSWORD}
password: "{{ vault_db_password }}"
password: !Ref DBPassword
DB_PASSWORD=$(cat /run/secrets/db_password)
DB_PASSWORD=<your password>
API_KEY=your-api-key-here
SECRET_KEY=changeme
token: ${{ secrets.GITHUB_TOKEN }}
api_key = config["api_key"]
apiKey: process.env.API_KEY
const { apiKey } = config;
const apiKey = process.env.API_KEY ?? "";
os.environ.get("API_KEY", "")
os.environ.get("DB_PASSWORD", "changeme")
process.env.JWT_SECRET || "your-secret-here"
setPassword(password);
user.setPassword(request.getPassword());
this.setState({ password: event.target.value });
form.password.setErrors({ required: true });
variable "db_password" { type = string, sensitive = true }
variable "region" { default = "eu-central-1" }
output "password" { value = random_password.db.result }
{"value": "eu-central-1", "name": "AWS_REGION"}
INSERT INTO settings (name, value) VALUES ('theme', 'dark2024');
INSERT INTO users (name, password) VALUES (?, ?);
INSERT INTO users (name, password) VALUES ($1, crypt($2, gen_salt('bf')));
UPDATE users SET password = :password WHERE id = :id;
CREATE TABLE users (id int, password varchar(255), token char(64));
SELECT password FROM users WHERE name = 'bob123';
ALTER TABLE users ADD COLUMN password_hash varchar(128);
"foo" + "bar"
message = "the first part " + "and the second"
printf("%s" "%d", a, b);
key = "user:" + user_id
const url = base + "/v1/" + "items";
PRIMARY KEY (id), FOREIGN KEY (user_id)
KEY_LENGTH = 32
public_key = load_pem_public_key(data)
key: value
"key": "name", "value": "x1"
keyboard_layout = "us-intl"
monkey = "banana2"
keyword = "select1"
for key, value in items.items():
Object.keys(password).forEach(key => delete password[key]);
compass = "north42"
bypass: true
passed: 12, failed: 3
12 passed, 1 skipped in 3.21s
passthrough = "mode2"
pass_through_key = None
pass # nothing to do
--password TEXT  The password.  [required]
--token-file PATH  Where the token lies
usage: tool [-h] [--password PASSWORD] [--token TOKEN]
mysql -u root -p shop
curl -u "$USER:$PASS" https://example.com
curl -H "Authorization: Bearer $TOKEN" https://example.com
Authorization: Bearer <token>
Authorization: Basic <credentials>
Use the Bearer scheme.
basic authentication is off
https://user:password@example.com/path
postgres://user:pass@localhost/db
git@github.com:owner/repository.git
ssh://git@example.com/owner/repository.git
https://example.com/reset?token=<token>
https://example.com/?page=2&sort=name
mailto:someone@example.com
docker login registry.example.com
docker run -p 8080:80 nginx:1.25
redis-cli -h localhost ping
sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==
commit 2f3c8ea0b1c94b7e8d0f6a5b4c3d2e1f0a9b8c7d
index 83db48f..bf2a5c1 100644
ETag: "33a64df551425fcc55e4d42a148795d9f25f89d4"
<svg viewBox="0 0 24 24"><path d="M12 2C6.48 2 2 6.48 2 12s4.48 10 10 10 10-4.48 10-10S17.52 2 12 2z"/></svg>
background: url(data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk)
.btn-primary:hover { color: #1f2937; background: #e5e7eb }
font-family: "Inter", "Helvetica Neue", Arial, sans-serif;
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl me@host
-----BEGIN CERTIFICATE-----
-----BEGIN PUBLIC KEY-----
if header.startswith("-----BEGIN RSA PRIVATE KEY-----"):
2026-05-08T13:56:01.123Z INFO request id=7f9c2ba4 took 12ms
Traceback (most recent call last):
AssertionError: assert 17.85 == 5.95
X-Request-Id: 7b0f1c2e-8a4d-4c55-9a62-0d1f6a7e3b21
The build failed at step 3/7: RUN pip install -r requirements.txt
test_password_is_hashed_with_sha256 PASSED
def test_a_token_that_expired_is_refused():
assert redact("password: x").found
# The password rules: at least one digit, one letter, 12 characters.
// TODO: rotate the token once a month
-- passwords are never stored in clear text
@Column(name = "password_hash")
@JsonProperty("access_token") private String accessToken;
private final String password;
public void setPassword(String password) { this.password = password; }
func (c *Client) SetToken(token string) { c.token = token }
pub fn with_password(mut self, password: &str) -> Self {
let password = Password::new(&form.password)?;
$password = $_POST['password'];
password_verify($password, $hash)
$this->validate(['password' => 'required|min:8']);
params.require(:user).permit(:name, :password)
has_secure_password
attr_accessor :password, :token
validates :password, length: { minimum: 12 }
type Credentials struct { User, Password string }
Password string `json:"password"`
interface Props { password: string; token?: string }
export type Token = { kind: "word"; text: string };
z.object({ password: z.string().min(8), token: z.string().optional() })
yup.string().required("Password is required")
t("auth.password.required")
i18n.t('password.reset.title')
<Trans>Reset your password</Trans>
{"keys": ["ctrl+shift+p"], "command": "show_panel"}
"keybinding": "ctrl+k ctrl+s"
"apiVersion": "v1", "kind": "ConfigMap"
kind: Service
api_version: 2024-02-01
access_level: read
auth_url = "https://login.example.com/oauth2/token"
token_endpoint: https://login.example.com/oauth2/token
"token_type": "bearer", "expires_in": 3600
client_id: 5f2c1a7e-0b1d-4f6a-9c3e-2d4b6a8c0e1f
tenant_id = "11111111-2222-3333-4444-555555555555"
user_id=42 session_count=7
"""

GRAMMARS = """
commit <h40>
Merge: <h7> <h7>
"version": "<d1>.<d2>.<d1>", "integrity": "sha512-<b86>=="
<l8> @ https://registry.example.com/<z6>/-/<z6>-<d1>.<d1>.<d1>.tgz#<h40>
sha256-<b43>=
h1:<b43>=
checksum = "<h64>"
"id": "<h8>-<h4>-<h4>-<h4>-<h12>"
color: #<h6>; border: <d1>px solid #<h6>
request_id=<h16> span_id=<h16> took <d3>ms
image: registry.example.com/<z6>@sha256:<h64>
--hash=sha256:<h64>
<h32>  <z6>.tar.gz
    at <z6>.<z5> (/srv/app/<z6>.js:<d3>:<d2>)
<link rel="stylesheet" href="/assets/<z5>-<h20>.css" integrity="sha384-<b64>">
const <z6>Token = <z5>.<z6>Token(<z4>);
password: <z6>
token: <z7>
secret: <z8>
the password is <z8>
the token for <z5> is <z6>
api_key = <z5>.<z6>
test_<z6>_<z5>_<z6>_<d2>
"<z6>": "<z5> <z6> <z4> <z7>"
return <z5>(password=<z6>, token=<z5>)
<z6>_key = "<z6>.<z5>"
if <z5>.token == "<z4>":
v<d1>.<d2>.<d1>-<h7>
0x<h16>
| <z5> | <z8> | <d3> |
import { <z6>, <z5> } from "@<z5>/<z6>";
arn:aws:iam::<d12>:role/<z6>-<z5>
dQw<a8>
s3://<z6>/<z5>/<d4>/<d2>/<z5>.parquet
<z5>@<z6>.example.com
"""

# How many lines each grammar makes.
EACH = 30


def benign(seed: int) -> Iterator[str]:
    """Yield the lines."""
    rng = random.Random(seed)
    yield from WRITTEN.strip().splitlines()
    for grammar in GRAMMARS.strip().splitlines():
        for _ in range(EACH):
            yield value(grammar, rng)
