"""The hook with more time, for tests of what it answers: a busy machine must not make it give up.

    python -I -S patient_hook.py <path of hook.py> <event> [assistant [moment]]   < payload

SERVER_S in the environment: how long it waits for a server; without it, as long as for a person.
"""

import os
import sys

ANSWER = "ANSWER_S = 8 "
PATIENT = "ANSWER_S = 300 "

path = sys.argv.pop(1)
with open(path, encoding="utf-8") as file:  # noqa: PTH123 - pathlib is as far away as in the hook
    source = file.read()
if ANSWER not in source:
    sys.exit(f"{path} has no limit of 8 s")
folder = os.path.dirname(path)  # noqa: PTH120
sys.path.insert(0, folder)
ask = __import__("ask")
sys.path.remove(folder)
if "SERVER_S" in os.environ:
    ask.PATIENCE_S = dict.fromkeys(ask.PATIENCE_S, float(os.environ["SERVER_S"]))
exec(compile(source.replace(ANSWER, PATIENT), path, "exec"), {"__name__": "__main__", "__file__": path})
