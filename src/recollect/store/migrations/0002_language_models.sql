-- What language models cost, one row a day and model: all processes share one budget, so it is counted here.
CREATE TABLE model_usage (
    id        TEXT PRIMARY KEY,
    day       TEXT NOT NULL,
    model     TEXT NOT NULL,
    calls     INTEGER NOT NULL DEFAULT 0,
    tokens    INTEGER NOT NULL DEFAULT 0,
    failures  INTEGER NOT NULL DEFAULT 0,
    streak    INTEGER NOT NULL DEFAULT 0,
    resume_at INTEGER NOT NULL DEFAULT 0,
    failure   TEXT NOT NULL DEFAULT ''
);
CREATE INDEX idx_model_usage_day ON model_usage (day);

-- What a language model said of a memory and a question. A cache: emptying it costs calls, nothing else.
CREATE TABLE judgements (
    id        TEXT PRIMARY KEY,
    model     TEXT NOT NULL,
    score     REAL NOT NULL,
    reason    TEXT NOT NULL DEFAULT '',
    judged_at INTEGER NOT NULL
);
CREATE INDEX idx_judgements_judged_at ON judgements (judged_at);
