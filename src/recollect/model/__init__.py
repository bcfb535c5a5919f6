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

from __future__ import annotations

from recollect.model.access_answer import TokenCreated as TokenCreated
from recollect.model.access_answer import TokenPage as TokenPage
from recollect.model.access_answer import TokenView as TokenView
from recollect.model.answer import Amendment as Amendment
from recollect.model.answer import Anchored as Anchored
from recollect.model.answer import Branched as Branched
from recollect.model.answer import Check as Check
from recollect.model.answer import CodeHit as CodeHit
from recollect.model.answer import Deleted as Deleted
from recollect.model.answer import Drift as Drift
from recollect.model.answer import Drifted as Drifted
from recollect.model.answer import Excerpt as Excerpt
from recollect.model.answer import Exported as Exported
from recollect.model.answer import Freshness as Freshness
from recollect.model.answer import Health as Health
from recollect.model.answer import History as History
from recollect.model.answer import Hit as Hit
from recollect.model.answer import Imported as Imported
from recollect.model.answer import ImportedPart as ImportedPart
from recollect.model.answer import IndexedFolder as IndexedFolder
from recollect.model.answer import Judged as Judged
from recollect.model.answer import Learnt as Learnt
from recollect.model.answer import LearntFrom as LearntFrom
from recollect.model.answer import Linked as Linked
from recollect.model.answer import MemoryPage as MemoryPage
from recollect.model.answer import MemoryUse as MemoryUse
from recollect.model.answer import MemoryView as MemoryView
from recollect.model.answer import Moment as Moment
from recollect.model.answer import NamespaceCount as NamespaceCount
from recollect.model.answer import NamespaceList as NamespaceList
from recollect.model.answer import NamespaceStats as NamespaceStats
from recollect.model.answer import OlderCode as OlderCode
from recollect.model.answer import Packed as Packed
from recollect.model.answer import PackedMemory as PackedMemory
from recollect.model.answer import Purge as Purge
from recollect.model.answer import Rebuilt as Rebuilt
from recollect.model.answer import Recall as Recall
from recollect.model.answer import Reply as Reply
from recollect.model.answer import ScoringWeights as ScoringWeights
from recollect.model.answer import Settled as Settled
from recollect.model.answer import Share as Share
from recollect.model.answer import Signals as Signals
from recollect.model.answer import Spending as Spending
from recollect.model.answer import Spendings as Spendings
from recollect.model.answer import Stats as Stats
from recollect.model.answer import Stored as Stored
from recollect.model.answer import Undone as Undone
from recollect.model.answer import UsefulnessReport as UsefulnessReport
from recollect.model.answer import WorkspaceAnswer as WorkspaceAnswer
from recollect.model.answer import WorkspaceView as WorkspaceView
from recollect.model.consolidation import Consolidated as Consolidated
from recollect.model.consolidation import Consolidations as Consolidations
from recollect.model.consolidation import ConsolidationStatus as ConsolidationStatus
from recollect.model.consolidation import CycleStatus as CycleStatus
from recollect.model.consolidation import Plan as Plan
from recollect.model.consolidation import PlanStep as PlanStep
from recollect.model.consolidation import StepAction as StepAction
from recollect.model.pattern import CommandKind as CommandKind
from recollect.model.pattern import CommandPage as CommandPage
from recollect.model.pattern import Decided as Decided
from recollect.model.pattern import DecisionChain as DecisionChain
from recollect.model.pattern import KnownCommand as KnownCommand
from recollect.model.pattern import Lesson as Lesson
from recollect.model.pattern import LessonKind as LessonKind
from recollect.model.pattern import Pattern as Pattern
from recollect.model.pattern import PatternInsights as PatternInsights
from recollect.model.pattern import PatternReport as PatternReport
from recollect.model.pattern import Proposal as Proposal
from recollect.model.pattern import Variant as Variant
from recollect.model.row import SHARED as SHARED
from recollect.model.row import AccessToken as AccessToken
from recollect.model.row import Anchor as Anchor
from recollect.model.row import AnchorState as AnchorState
from recollect.model.row import Change as Change
from recollect.model.row import Consolidation as Consolidation
from recollect.model.row import Edge as Edge
from recollect.model.row import Errand as Errand
from recollect.model.row import File as File
from recollect.model.row import Fix as Fix
from recollect.model.row import Injection as Injection
from recollect.model.row import Judgement as Judgement
from recollect.model.row import Memory as Memory
from recollect.model.row import Mention as Mention
from recollect.model.row import Node as Node
from recollect.model.row import Observed as Observed
from recollect.model.row import Session as Session
from recollect.model.row import SharedFile as SharedFile
from recollect.model.row import TeamWrite as TeamWrite
from recollect.model.row import TokenCall as TokenCall
from recollect.model.row import Transcript as Transcript
from recollect.model.row import Tree as Tree
from recollect.model.row import Usage as Usage
from recollect.model.row import Usefulness as Usefulness
from recollect.model.row import Workspace as Workspace
from recollect.model.session_answer import Context as Context
from recollect.model.session_answer import ContextPreview as ContextPreview
from recollect.model.session_answer import Ingested as Ingested
from recollect.model.session_answer import Injected as Injected
from recollect.model.session_answer import KnownFix as KnownFix
from recollect.model.session_answer import PreviewLine as PreviewLine
from recollect.model.session_answer import SessionPage as SessionPage
from recollect.model.session_answer import SessionView as SessionView
from recollect.model.session_answer import Summed as Summed
from recollect.model.team_answer import RepositoryTrust as RepositoryTrust
from recollect.model.team_answer import Shared as Shared
from recollect.model.team_answer import SharedEntry as SharedEntry
from recollect.model.team_answer import SharedRead as SharedRead
from recollect.model.team_answer import TokenCallPage as TokenCallPage
from recollect.model.vocabulary import HISTORY_SOURCES as HISTORY_SOURCES
from recollect.model.vocabulary import IMPORT_SOURCES as IMPORT_SOURCES
from recollect.model.vocabulary import MEMORY_TYPES as MEMORY_TYPES
from recollect.model.vocabulary import NODE_KINDS as NODE_KINDS
from recollect.model.vocabulary import PATTERN_TYPES as PATTERN_TYPES
from recollect.model.vocabulary import RELATIONS as RELATIONS
from recollect.model.vocabulary import SOURCES as SOURCES
from recollect.model.vocabulary import TRANSCRIPT_SOURCES as TRANSCRIPT_SOURCES
from recollect.model.vocabulary import AccessScope as AccessScope
from recollect.model.vocabulary import Action as Action
from recollect.model.vocabulary import BranchStanding as BranchStanding
from recollect.model.vocabulary import CycleType as CycleType
from recollect.model.vocabulary import ErrandKind as ErrandKind
from recollect.model.vocabulary import Evidence as Evidence
from recollect.model.vocabulary import HistoryChoice as HistoryChoice
from recollect.model.vocabulary import HistorySource as HistorySource
from recollect.model.vocabulary import ImportSource as ImportSource
from recollect.model.vocabulary import Limit as Limit
from recollect.model.vocabulary import MemoryType as MemoryType
from recollect.model.vocabulary import NodeKind as NodeKind
from recollect.model.vocabulary import Offset as Offset
from recollect.model.vocabulary import PatternType as PatternType
from recollect.model.vocabulary import ProfileName as ProfileName
from recollect.model.vocabulary import Ratio as Ratio
from recollect.model.vocabulary import Record as Record
from recollect.model.vocabulary import Relation as Relation
from recollect.model.vocabulary import RunType as RunType
from recollect.model.vocabulary import Settlement as Settlement
from recollect.model.vocabulary import Source as Source
from recollect.model.vocabulary import Status as Status
from recollect.model.vocabulary import Tokens as Tokens
from recollect.model.vocabulary import TokenState as TokenState
from recollect.model.vocabulary import Verdict as Verdict
