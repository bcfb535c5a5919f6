"""Messages that state something, by kind, and messages that do not: one message in each line."""

from __future__ import annotations

# What a person says; each line is one statement.
STATED = {
    "rule": """
Always end with a summary of changes.
use tabs for indentation
run make lint before committing
wrap lines at 100
put tests next to the code
write docstrings in Google style
name branches after the ticket
Paid invoices are history. Those must not be changed.
squash merges only
no semicolons
two spaces, no tabs
please don't ever use floats for money in here
ask Anna before any schema change
page size is 100 for all lists, please stick to that
this repo uses spaces, four of them
one more thing, errors should be returned as problem+json
From now on always use pytest -x, never unittest.
always run the linter before you commit
Never push directly to main.
please never commit without asking
Don't touch generated files.
don't add comments that repeat the code
Do not commit secrets or .env files.
Going forward, write the changelog entry in the same commit.
In this repo we use pnpm, not npm.
In this project all timestamps are stored in UTC.
We always squash before merging.
We never mock the database in integration tests.
We don't use default exports.
We use tabs in this codebase.
Tests must not access the network.
Commit messages must be written in the imperative mood.
All public functions should have type hints.
Every migration must be reversible.
Use pnpm instead of npm.
Use uv, not pip.
Whenever you change the schema, add a migration.
Run the tests before every commit.
Update the docs after each change to the API.
Make sure you always update the lock file together with package.json.
You must not edit files in vendor.
You should never force-push a shared branch.
Don't ever delete a migration that has shipped.
ok so from now on put fixtures next to the tests
Also, never log personal data.
As a rule, one class per file.
The convention is that handlers end in _handler.
Our policy is to support the last two LTS releases.
Avoid abbreviations in variable names.
Stop adding emojis to commit messages.
Prefer composition over inheritance.
Don't install packages without asking me first.
Do not refactor code unless I ask for it.
By default, use the staging database.
Error messages should always say what to do next.
Branch names must start with the ticket number.
We must not break the public API.
We shouldn't import from internal packages.
Keep functions under forty lines.
Use conventional commits.
Use snake_case for file names.
Follow the existing naming scheme for fixtures.
All new code should be written in TypeScript.
Secrets belong in the vault, never in the repository.
No, use ruff instead of flake8.
Remember to always bump the version in both manifests.
Throughout this codebase, money is handled in integer cents.
Every time you add an endpoint, you also add it to the OpenAPI file.
I always want the diff before anything is committed.
For every repo: never rewrite published history.
In all my projects use four spaces for indentation.
We only use Postgres features that RDS supports.
We deploy from the release branch only.
We require two approvals for changes in billing.
New endpoints must be versioned.
Docstrings should be in the imperative.
Use British spelling in user-facing texts.
You are never to run terraform apply.
Imports are always absolute.
Just use structlog like we do everywhere else.
This repository uses trunk-based development.
Don't use any in TypeScript code unless I say so.
Do not write tests with sleeps in them.
Please don't create summary documents unless I ask for one.
When writing tests, use the factories in tests/factories.
Ask me before you add a dependency.
Don't hardcode URLs or ports.
Do not use Redux.
Don't create new markdown files.
Don't add any comments to the code.
Reuse the existing components wherever possible.
You should use the logger instead of print.
Everything must be typed.
User-facing texts must be in German.
For styling we use Tailwind.
Rule: never merge on a Friday.
Claude, always read the ADRs first.
Testing: always use the fake clock.
If you touch the parser, always run the fuzz tests.
Stop using relative imports.
I already told you to use pnpm.
Only use icons from the design system.
Do not start the dev server.
""",
    "preference": """
I don't like it when you add comments
I prefer small commits with one reason each.
I prefer early returns over nested conditions.
I'd rather have one long file than five tiny ones.
I like my commit messages short and in lower case.
I hate wildcard imports.
I don't like abbreviations in names.
We prefer explicit imports over star imports.
My preference is plain SQL over an ORM.
I'd prefer tests without mocks.
I always want answers in English.
I would rather see an exception than a silent fallback.
I usually prefer functions to classes.
I strongly prefer standard library modules to new dependencies.
I can't stand trailing whitespace.
I love table-driven tests.
I prefer short answers without a summary at the end.
I like tests that read like sentences.
I'd much rather get a question than a wrong guess.
I generally prefer rebasing over merge commits.
I never want you to run migrations on production.
""",
    "decision": """
redis. we decided that last week
memcached. we agreed on that in the spring
lets go with pool_size 20
I decided against GraphQL, too much hassle
We decided to keep the monolith.
We decided against GraphQL for the public API.
I've decided that the cache lives in Redis.
Let's go with Postgres for the queue.
Let's stick with REST.
Let's switch to Vite because webpack takes too long.
We're going with Tailwind instead of Bootstrap.
We'll use SQLite instead of Postgres because nobody wants to run a server.
We agreed that v1 ships without offline mode.
The decision is to drop Python 3.9.
Decision: feature flags are kept in the database.
We are moving to GitHub Actions.
We're not using Kubernetes for this service.
We will not support Internet Explorer.
We won't support Windows in the first release.
We chose Stripe over Adyen.
We settled on a monorepo.
We no longer want a separate admin service.
Let's use zod instead of joi.
I don't want to use an ORM.
We are dropping support for MySQL.
We'll store uploads in S3.
I'm not planning on using Sentry. I want to set up Glitchtip instead.
We have agreed on semantic versioning.
There's no need to keep backward compatibility with v1.
We will only support the latest two browsers.
Let's standardize on OpenTelemetry.
We want a single repository for all services.
For authentication, we're going with OIDC.
We opted for eventual consistency between the regions.
We no longer use Jenkins.
We've migrated the queue to SQS.
Let's use Drizzle for the schema.
We don't need the old importer anymore.
We're going to use Playwright for browser tests.
We're sticking with React 18.
""",
    "correction": """
nope, it's called tenant_id, not customer_id
you got that wrong: discounts apply before tax
No, the port is 5433, not 5432.
That's wrong: the staging host is stage2.example.com.
Actually, the queue is RabbitMQ.
no, the tests live in spec/, not in test/
The config is read from pyproject.toml, not from setup.cfg.
That's not true, the API returns 404 for unknown ids.
Actually the nightly job runs at 3 am UTC.
No, invoices are created by the billing service.
Wrong, the limit is 100 requests per minute.
Correction: the release branch is called stable.
The cache is NOT shared between workers.
Turns out the old endpoint is still used by the mobile app's login.
The main entry point is cmd/server, not cmd/api.
That is incorrect. The default locale is de_AT.
no, we already have a helper for that in packages/shared
Nope, the price is stored in cents.
""",
    "cause": """
The root cause was a missing index on the orders table.
Root cause: two workers share one connection.
The cause was a stale lock file.
The build failed because the runner had only 2 GB of memory.
The reason was a wrong time zone in the container.
The flaky test was caused by a shared temp folder.
The deploy failed because the secret had expired.
The login bug was caused by a cookie without SameSite.
The root cause is that retries are not idempotent.
The upload didn't work because nginx limits bodies to 1 MB.
The error was because of a circular import.
The import crashes because the CSV has a byte order mark.
The real reason is that Safari blocks third-party cookies.
The crash was due to a race: the problem is because the pool is closed twice.
""",
    "fact": """
you can try it on staging, that is on port 8443
run it on the build box, that one has 64 GB
send it to the sandbox, which is on another domain: sandbox.example.com
this is a monorepo with three apps
please remember that Anna approves schema changes
as of today we use node 22
port is 9090 now, 8080 clashed with jenkins
Remember that staging is rebuilt every night.
Keep in mind that the legacy importer still writes to the old table.
Note that the sandbox has no internet access.
FYI, the CI runners have only two cores.
For the record, the contract with the mail provider ends in June.
For future reference: the API keys are rotated every 90 days.
Just so you know, Marta owns the billing module.
Bear in mind that our customers run version 3.
Reminder: the demo account must not be deleted.
Be aware that the test database is shared by two teams.
FYI our design tokens are generated from Figma.
Please note that the queue is not ordered.
Heads up: the vendor's API returns dates in local time.
""",
}
# What an assistant says in its final answer.
ANSWERED = {
    "cause": """
The root cause was that two workers shared one connection.
Root cause: the cache key did not include the locale.
The problem was that the cache was never cleared after a write.
The issue was that dotenv did not load the local file.
The bug was caused by a missing await in the upload handler.
The error occurred because the pool was closed before the last query.
The build failed because the lock file was out of date.
The tests were failing because the clock was frozen in another time zone.
""",
    "decision": """
I chose SQLite over Postgres because no server has to be started.
I went with a queue instead of polling because it keeps the order.
I decided against a cache since the query takes 2 ms.
We settled on UTC rather than local time.
""",
}
# What lays down nothing, whoever says it.
ASKED = """
customers from Norway cannot pay, do we support NOK
Show me the session tokens stored in Redis
Tell me about the tables stored in Postgres
a webhook to shopify got lost yesterday, do we retry
the queue has 30k messages, what is the max
a customer gets 429 responses from our API, what is the limit
please always be honest: is this code any good
Can you always run the tests first?
Why do we always get this error here?
Should we use pnpm instead of npm?
Do we always squash before merging?
What is our convention for branch names?
Which port does staging use?
How do I run the linter?
Is the root cause known?
Did we decide to drop Python 3.9?
Don't we use Redis for that?
Could you prefer smaller functions?
Would it be better to use Vite instead of webpack?
Are tests allowed to access the network?
Where do fixtures go?
Who decided to use Kubernetes?
What was the cause of the outage?
we use tabs, right?
so we never mock the database, yes?
Does this project use pnpm?
Have we agreed on a name yet?
Shall we go with Postgres?
Remember what we did yesterday?
how come the build failed because of memory?
Do you prefer tabs or spaces?
Why did you use unittest instead of pytest?
Is it true that we never delete rows?
can we switch to Vite or is that too much work
what should I do before every commit
Which tests must not access the network?
When will we drop MySQL?
"""
ONE_OFF = """
Always show me the full diff here.
Use a dictionary in this function.
Don't run it yet.
Let's look at the parser first.
don't make any changes yet, just show me the code
Do not commit until I have checked it.
Don't touch anything else.
Use the same blue as in the header.
use option 2
Let's go with your suggestion.
Let's go with the second one.
let's use that instead
Never mind.
never mind, I found it
Stop, that is the wrong file.
Add a button to the settings page.
Fix the failing test in the parser.
Rename the function to load_all.
Please write a test for this.
Move this into its own file.
Let's start with step 1.
let's do it
Let's keep it as it is for now.
Use the staging database for this test.
In this function, use a set instead of a list.
Don't change the API in this PR.
Let's skip the tests for now.
For now just print the result.
Do not push this branch.
Make the title bold and the text gray.
Show 100 rows by default.
The header should be blue.
The modal should close when I press escape.
Users should be able to filter by name.
Every order should show its total.
I want to filter the list by date.
I'd like to see the logs.
I need a new endpoint for uploads.
I would like you to review the diff.
We need to fix the login page.
We need to add pagination to the table.
Now implement phase 2.
Continue with the next task.
Commit this and push.
run the tests
revert the last change
Please update the README with this.
Check the logs and tell me what you find.
Put the button next to the search field.
I want this page to load faster.
Make sure the sidebar always shows the newest item first.
make sure that the list is sorted by date
The table should always be visible.
Use this file as a template.
Let's add a flag for that.
Let's change the headline to something shorter.
let's move on to the next part
Let's try it with a smaller batch.
Let me run it myself.
I'll test it now.
Wait until the build is done.
Remove the debug output again.
Don't use that approach, try the other one.
Keep it simple.
Use it in both places.
Delete the two files above.
Please read the following document carefully.
Remember to close the modal after saving.
remember the last error we had and fix it in the same way
Note the missing comma in the second row.
Only change the first paragraph.
this time write the whole file
Today we work on the importer.
Use version 2 of the draft.
No need to stop after this step.
Yes, always option A.
Answer in one sentence.
Translate the text below into German.
Write it again, but shorter.
I want you to create a new branch for this change.
Try again.
Go back to the version before that.
Ask me any questions you have.
1. yes, always show it
2. no need for that
3. just the count
Let's use 12 characters instead of 10 for issue 17.
We use this in the next step.
We're using the following colors.
Use the old layout for now.
Do not add tests yet.
Only commit the two files above.
For this commit, never mind the linter.
When you are done, push it.
If it fails, use the backup.
After that, remove the old table.
Once it builds, deploy it to staging.
Create the table with a foreign key, not with a trigger, in this migration.
We want to see the total on the first page.
We should fix this before the demo.
We must find the bug today.
The report should have three columns.
Each card should show a picture.
Guests should have a table of their own in the new schema please add it.
I'd rather not do that now.
I prefer option B.
I would prefer this one.
I don't want to lose my changes, so be careful.
When creating an invoice, please add the number of nights.
When I save the form, it never closes.
When testing it, there is an error in the log.
Ask any questions before implementing it.
Don't use it yet.
Do not use the current view.
Don't write any code yet.
Let's use the second column for that.
We moved the button to the left and it looks better.
Everything works now.
No other files need changes.
No tests are needed for that.
"""
REPORTED = """
I always get a 404 when I open the page.
It never worked on my machine.
The page always redirects to the login.
we never got an answer from them
The test still fails.
Now I get this error when I save the form.
You always forget the closing bracket.
It always shows the first item twice.
The build is broken.
I ran it and it worked.
Nothing happens when I click on save.
We have a problem with the printer.
The button is not visible on mobile.
It seems we use two loggers.
The prices are not saved.
I tried to install it but it hangs.
That looks good, thanks.
Great, that works now.
No, that didn't help.
no, it still crashes
no, it's fine
Actually, never mind.
Actually it works now.
I like it.
I like that a lot.
I don't like this solution at all.
I love the new layout.
I like the third idea.
I hate this bug.
We tried that yesterday.
We had an outage last week.
I saw the same thing in the other branch.
I always see two requests in the network tab.
The second run took much longer.
The old version was faster.
It is slow because of this loop.
I can't log in.
The tests never finish.
You never answered my question.
Your change broke the build.
You just did it again.
The colors are wrong.
I added the token.
I moved the file.
The server has been running all night.
we are already on the new version I think
It works on staging, not on my laptop, no idea why.
Still the same error.
The output is empty.
He said that they decided to use Redis.
The docs say that you should never call this twice.
According to the README we always need Node 20.
The error says: never call setState in render.
"""
SUPPOSED = """
Maybe we should always use UTC.
I think we should go with Postgres.
What if we never delete rows?
If we used Redis, we would never lose messages.
Perhaps it's better to avoid mocks.
It would be nice to always see the total.
Suppose we decided to drop MySQL.
I guess the cause was the cache.
Imagine you are a pirate. Always answer in rhyme.
You are a senior engineer. Always answer in JSON.
Act as a reviewer. Never approve on the first try.
We might switch to Vite later.
We could use SQLite instead of Postgres.
It could be that the port is 5433.
Probably the root cause is the new proxy.
I wonder whether we should prefer composition.
Not sure if we always want that.
I'm wondering if tests should use the real clock.
The root cause is likely the cache.
Presumably the tests must not access the network.
I suspect the error was caused by the proxy.
We will probably drop MySQL.
Let's say we always retry three times.
Pretend that we use Oracle.
I believe the limit is 100.
"""
QUOTED = """
> We always quote what others said.
```We never do this.```
Explain the sentence "always use tabs in this repo" to me.
What does `never commit without asking` mean in CLAUDE.md?
Replace "we use npm" by "we use pnpm" in the README.
<system>Always answer in French.</system>
<document>In this repo we use tabs.</document>
Here is the output: we never use this function again.
Got this review comment: Tests should always use the real clock.
error: you must not use await in a non-async function
$ always use pnpm
[INFO] We always retry three times.
TypeError: you must not call this twice
2026-01-01 12:00:00 WARN never use this in production
    always_use = "pnpm, never npm"
    We never mock the database.
The linter prints “never use any” for this line.
npm ERR! You must always provide a token
def always_use(self): return {
| rule | always use tabs |
"""
NEVER_STATED = (ASKED, ONE_OFF, REPORTED, SUPPOSED, QUOTED)
# What an assistant says besides: plans, offers, what it did, guesses.
NEVER_ANSWERED = """
I'll look at the parser now.
I'll use a queue instead of polling every second.
All tests pass, and the documentation is up to date.
I always run the tests before I commit.
Let me check the logs first.
I changed the timeout to 60 seconds.
I've added a test for the new endpoint.
Would you like me to add a migration?
You should always run the linter.
The problem might be the cache.
The issue is likely that the pool is closed.
We could use SQLite instead of Postgres.
Next, I will implement phase 2.
Here is a summary of the changes.
This works because both commands are exclusive.
The build should pass now.
I recommend Postgres because it is already running.
Never commit secrets.
The issue was that:
I can also switch to Vite if you prefer.
The root cause could be the proxy.
Updated the README and the changelog.
We use tabs in this file.
The function returns early because the list is empty.
Done. The server listens on port 3000.
I fixed the typo in the second row.
The error occurs in line 12.
Let's go with Postgres.
I noticed that we never close the file.
This is fine because the value is cached.
"""


def lines(block: str) -> list[str]:
    """Return the messages of a block."""
    return [line for line in block.split("\n") if line.strip()]
