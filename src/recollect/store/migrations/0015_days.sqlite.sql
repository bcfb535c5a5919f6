-- Existing passages keep their days in their shape: `1 0 1 0 0 2 119 1 t 19484:19485 19490:19497`.
INSERT OR IGNORE INTO memory_days (pid, scope, first_day, end_day)
WITH RECURSIVE named (pid, scope, rest) AS (
    SELECT id, c0, substr(c4, instr(c4, ' t ') + 3) || ' ' FROM memory_text_content WHERE instr(c4, ' t ') > 0
    UNION ALL
    SELECT pid, scope, substr(rest, instr(rest, ' ') + 1) FROM named WHERE rest <> ''
)
SELECT
    pid,
    scope,
    CAST(substr(rest, 1, instr(rest, ':') - 1) AS INTEGER),
    CAST(substr(rest, instr(rest, ':') + 1, instr(rest, ' ') - instr(rest, ':') - 1) AS INTEGER)
FROM named WHERE rest <> '';
