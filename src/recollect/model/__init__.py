"""The records and vocabularies of recollect: stored rows, the log, and answers.

Records are frozen msgspec structs. (Thirty of them cost 4 ms of CPU to define where dataclasses cost 34:
docs/adr/0002.) Three families:

    stored     Memory Node Edge Session Workspace Anchor AnchorState Mention Tree File
               Observed Fix Injection Usefulness Usage Judgement Errand AccessToken
               SharedFile TeamWrite TokenCall
               one row of a table each
    logged     Change Consolidation                                      changes of the rows
    answered   Stored Recall Hit Page Stats Health …                     results of operations

Timestamps are Unix seconds. `rev` is the number of the last logged change that touched a row, `seq` of the one
that created it: together they order, guard and undo everything.
"""

from recollect.model.admin_answer import *  # noqa: F403 - its modules define records and words, and nothing else
from recollect.model.consolidation import *  # noqa: F403
from recollect.model.memory_answer import *  # noqa: F403
from recollect.model.pattern import *  # noqa: F403
from recollect.model.recall_answer import *  # noqa: F403
from recollect.model.row import *  # noqa: F403
from recollect.model.session_answer import *  # noqa: F403
from recollect.model.vocabulary import *  # noqa: F403
