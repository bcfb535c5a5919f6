"""Patterns of statements, and of sentences that only look like them.

They match one sentence of at most 400 characters with its quotations masked.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from recollect.model import MemoryType

Kind = Literal["rule", "preference", "decision", "correction", "cause", "fact"]


class Cue(NamedTuple):
    """A pattern of statements and their kind.

    holds: also in a sentence about the present task. in_short: only in a short message
    """

    kind: Kind
    memory_type: MemoryType
    importance: float
    pattern: re.Pattern[str]
    holds: bool = False
    in_short: bool = False


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


# Words that refer to something outside of the sentence.
_POINTS = (
    r"(?:it|this|that|these|those|them|your|option|approach|one|both|the (?:first|second|third|last|other|latter"
    r"|same|following)\b|\W?\d|(?-i:[A-D])\b)"
)
_NOT_A_HABIT = (
    r"(?:mind|get|gets|got|see|sees|saw|seen|had|has|have|been|work|works|worked|happen|happens|happened|find|fails?"
    r"|show(?:s|ed)?|end|fun|know|knew|a|an|the|in|so|again|been)\b"
)
_PROJECT = r"(?:repo|repository|project|code ?base|monorepo|workspace)"
_ARTIFACT = (
    r"(?:tests?|fixtures?|mocks?|commits?|commit messages?|pull requests?|prs?|branch(?:es)?|functions?|methods?"
    r"|class(?:es)?|modules?|files?|file ?names?|names?|imports?|comments?|docstrings?|variables?|constants?"
    r"|identifiers?|migrations?|errors?|exceptions?|logs?|(?:log |error )?messages?|secrets?|keys?|dependenc(?:y"
    r"|ies)|packages?|endpoints?|routes?|handlers?|quer(?:y|ies)|types?|type hints?|annotations?|components?|hooks?"
    r"|docs?|documentation|readmes?|changelogs?|versions?|releases?|tags?|configs?|settings?|scripts?|schemas?"
    r"|tables?|columns?|timestamps?|dates?|ids?|strings?|translations?|styles?|lines?|code|reviews?|issues?|tickets?"
    r"|services?|containers?|images?)"
)
_OCCASION = (
    r"(?:commit|change|push|release|edit|(?:sub-?)?task|step|merge|pr|pull request|deploy(?:ment)?|session|feature"
    r"|fix|bug ?fix|refactor(?:ing)?|migration|phase|run|function|module|endpoint|file)"
)
_DO = (
    r"(?:use|run|add|write|put|make|keep|check|ask|update|create|include|commit|follow|prefer|avoid|return|log|test"
    r"|start|name|set|do|import|call|call|build|read|store|treat|explain|propose|wait)"
)
_DETERMINED = r"(?:the|an?|my|more|same|both|all|just|this|that|it|these|those|some|only|your)\b"
_MAKE = r"(?:creat\w+|add\w*|generat\w+|writ\w+|us\w+|introduc\w+|install\w*)"
_MORE = r"(?:any |new |more |extra |unnecessary |additional |external |third-party |unneeded )*"
_CLUTTER = (
    r"(?:files?|docs?|documents?|documentation|dependenc(?:y|ies)|librar(?:y|ies)|packages?|comments?|summar(?:y"
    r"|ies)|scripts?|frameworks?|abstractions?|fallbacks?|workarounds?|mock data|placeholders?|emojis?)"
)
_UNASKED = (
    r"without (?:asking|my|permission|approval|telling|confirm\w*|checking)|unless (?:i|asked|told|explicitly|we"
    r"|you (?:ask|have))"
)

_NOT_DECLARED = (
    r"(?:i|i'm|i've|you|your|it|it's|its|this|that|that's|these|those|there|he|she|they|them|what|when|where|if|let|add"
    r"|fix|make|create|write|update|change|remove|implement|show|check|look|move|rename|explain|try|give|find|list|help"
    r"|review|read|build|generate|test|delete|replace|continue|start|finish|set|put|go|tell|not|no|to|for|in|on|at|with"
    r"|one|some|as|then|after|before|once|option|yes|another|ignore|skip|line)\b"
)
_DECLARING = (
    r"(?:is|are|must|has to|have to|go|goes|come|comes|lives?|sends?|gets?|belongs?|keeps?|kept|stored|runs?|pages?"
    r"|uses?|needs? to|calls?)"
)
_FAULTY = (
    r"errors?|bugs?|broken|fail\w*|wrong|missing|working|doesn't|does not|isn't|aren't|still|button|modal|screen"
    r"|sidebar|menu|icon|card|dialog|dropdown|tab|form|click\w*|display\w*|shows?|shown|users?|currently|was|were|did|had|got"
    r"|yet|following|lost|crash\w*|stuck|slow|correct|fine|done|ready|complete|better|being|getting|able|for now"
)

# A sentence that states what is valid in the project, and reports no fault.
_DECLARED = (
    rf"(?!{_NOT_DECLARED})(?=.*\b{_DECLARING}\b)(?!.*\b(?:{_FAULTY})\b).{{3,200}}(?:[,;:] (?:and )?(?:not|never"
    r"|no (?!need)|always|because|(?:we|so) (?:do not|don't|never|left|dropped))\b"
    r"|\b(?:must|never|always|forbidden|banned|not allowed|instead of)\b|\bonly, )"
)

# A sentence about things in general, not about something on a screen.
_SEEN = (
    r"page|pages|header|table|row|rows|column|values?|should|can|will|would|could|i|you|your|it|this|that|these|those"
    r"|they|them|there|also|already|okay|great|good|problems?|saved|same"
)
_IN_GENERAL = (
    rf"(?!.*\b(?:{_FAULTY}|{_SEEN})\b)(?:"
    rf"(?:all |our |every |each |new )?(?!{_NOT_DECLARED}|(?:the|two|three|four|five|six|several|most)\b)"
    r"(?:[\w/@.-]+ )?[\w-]*[a-z]s (?:are|get|go|come|live|stay|start"
    r"|carry|belong|sit|respect|have|need|don't|dont|do not|return|exit|take)\b"
    r"|(?:every|each|an?|any|anything|our) (?:[\w-]+ ){1,4}(?:has|gets?|takes?|comes? with|goes|needs?|answers?"
    rf"|returns?|starts?)\b|(?!{_NOT_DECLARED}).{{3,60}}\b(?:comes? from|goes? through|belongs? (?:to|in)"
    r"|stays? (?:in|on|under)"
    r"|goes to|owns all)\b|.{3,60}\b(?:is|are) (?:banned|out|a no-go|dropped|what we use|not accepted|not edited)\b)"
)

# The first match counts.
USER: tuple[Cue, ...] = (
    Cue("rule", "preference", 0.85, _any(
        r"^(?:from (?:now|here|today) on|going forward|moving forward|from this point on|henceforth"
        r"|as a (?:general )?rule|in (?:the )?future|by default(?=,? (?:always|never|use|we|run|prefer|do|don't"
        r"|please)\b))\b[,:]?(?! (?:i'll|i will|we might|we may|we will|we'll|this|it|the app|users?)\b)",
        r"(?:from (?:now|here) on|going forward)\W*$",
        r"^(?!(?:i'll|we might|we may)\b).{3,120}\bfrom now on\b",
        r"[\w, ]\balways(?:\W*$|:)",
    ), holds=True),
    Cue("rule", "preference", 0.8, _any(
        rf"^(?:(?:don't|do not|never|please)\b.{{1,120}}|.{{0,60}}\b(?:don't|do not"
        rf"|never)\b.{{1,100}})\b(?:{_UNASKED})",
        rf"^(?:you (?:should|must|need to|have to|can|may|are to) |(?:make sure|be sure|remember|don't forget|try"
        rf"|i want you|i need you|want you) (?:to |you |that you )*)?(?:always|never)\b (?!{_NOT_A_HABIT})",
        rf"^(?!(?:i|you|it|they|he|she|this|that)\b).{{3,160}}(?:[,;:]|\band|\bbut|\s[–—-]) ?(?:always"
        rf"|never) (?!{_NOT_A_HABIT})",
        r"^(?:don't|do not) ever \w",
        rf"^when (?:you(?:'re| are) )?(?:writing|naming|committing|testing|refactoring|reviewing|debugging|coding"
        rf"|fixing|planning)\b.{{0,80}}, (?:please )?(?:don't |do not )?{_DO}\b(?! (?:it|this|that)\b)",
        r"\b(?:ask|check with|consult|confirm with|tell) me (?:first )?before (?!(?:you )?(?:start|begin|continu"
        r"|implement))",
        r"^(?:don't|do not) (?:hard-?code|assume|guess|over-?engineer|over-?complicate|invent|make up)\b",
        rf"^(?:don't|do not|never) use (?!{_DETERMINED}|current|existing|new|any\b)[\w@./·-]+",
        rf"^(?:don't|do not|avoid|stop) {_MAKE} {_MORE}(?:[\w-]+ )?{_CLUTTER}\b",
        r"^(?:re)?use (?:the )?existing \w+.{0,60}(?:instead of|rather than|where(?:ver)? possible|whenever)",
        r"^(?:you|we) (?:should|need to|have to|must) use (?!(?:it|this|that|these|those)\b).{2,60}(?:instead of"
        r"|rather than|, not)\b",
        rf"^(?:when|whenever|if|for|before|after|with|in)\b.{{3,100}}[, ](?:please )?(?:always|never) {_DO}\b",
        r"^stop (?:using|adding|creating|writing|making|putting|committing|changing|guessing|assuming"
        r"|running)\b(?! (?:it|this|that|the)\b)",
        r"\bi (?:already |just )?(?:told|asked) you (?:not to|never to|to (?:always|never|stop|use))\b",
        rf"^(?:only|you must|must) (?:ever |always )?{_DO} (?!{_DETERMINED})",
        r"^(?:don't|do not) (?:start|run|restart) (?:the |a |another )?(?:dev(?:elopment)? )?server\b",
        rf"^use (?!{_DETERMINED})[\w./@·-]+(?: [\w·-]+)? for (?:all|every|any|testing|tests|unit tests|styling"
        rf"|styles|formatting|linting|logging|icons|dates|migrations|validation|state management|package management"
        rf"|packages|dependencies|routing|forms|http|api calls|database access|queries|e2e)\b",
        r"\byou(?:'re| are) (?:never |not )?(?:to|allowed to) \w",
        r"\byou (?:must|may|should) (?:not|never|always)\b|\byou (?:mustn't|shouldn't)\b",
        r"^(?:whenever|every time|each time|any ?time) (?:you|we)\b .{3,120}(?:,|\byou\b|\bwe\b)(?! (?:has|have"
        r"|had)\b)",
        rf"^(?!(?:i|it|there|this|that|the)\b).{{5,160}}\b(?:before|after|with|for|on) (?:every"
        rf"|each) (?:\w+ )?{_OCCASION}\b",
        r"^(?!(?:i|it|there|this|that|the)\b).{5,160}\b(?:whenever|every time|each time) (?:you|we)\b",
        r"^(?:don't|do not|stop) (?!\w+ (?:changes|edits|files|yourself)\b)\w+ (?:(?!(?:the|any|my|your|all|current"
        r"|existing|new|these|those)\b)\w+[ -]){0,3}\w{2,}[^s\W]s(?:\W*$| at all\W*$|,? (?:in|into|to|from|when|with"
        r"|on|by|directly|manually|for|as|like|and|or|that|which|where|unless)\b)",
        r"^(?:try to )?(?:stay away from|refrain from|steer clear of|avoid) (?!(?:the|this|that|it|my|these|those"
        r"|any (?:more|changes))\b)\w",
        r"^prefer \w+|^keep (?:your |all |the |our )?(?:functions|commits?|answers|responses|replies|code|files"
        r"|comments|prs|diffs|messages|tests|components|classes|methods|modules) (?!as\b)\w",
        r"^(?:follow|stick to|respect) (?:our|existing|the existing|the project's|this project's|pep|google|standard"
        r"|conventional)\b",
        r"^use (?:only )?(?:conventional commits?|semantic|tabs|spaces|(?:\d|two|four) spaces|british|american"
        r"|english|(?:snake|camel|kebab|pascal)\w*|type hints|absolute|relative|early returns|imperative|f-strings"
        r"|async|strict|single quotes|double quotes|utc|iso|uuids?)\b",
        r"\b(?:like|as|the way) (?:we|you) (?:always |usually |already )?do (?:it )?(?:everywhere else|elsewhere"
        r"|in (?:all )?(?:the )?(?:other|rest))|\b(?:like|as) everywhere else\b",
        r"^i(?:'ll| will) (?:always )?(?:run|start|test|do|handle|commit|push|deploy)\b.{1,60}\b(?:whenever|always)\b",
        rf"^use (?!{_DETERMINED})[\w./@+·-]+(?: [\w./+·-]+){{0,3}},? (?:and )?(?:not|instead of|rather than|over"
        rf"|never) (?!the|this|that)",
    )),
    Cue("preference", "preference", 0.75, _any(
        r"\b(?:i|we)(?:'d| would)? (?:much |strongly |really |generally |usually |always )*prefer\b(?! (?:that|this"
        r"|it|option|your)\b)",
        r"\bi(?:'d| would) (?:much )?rather\b(?! (?:that|this|it|not)\b)",
        r"\bmy preference (?:is|would)\b",
        r"\bi(?:'m| am) (?:not )?a (?:big )?fan of\b|\bi find it easier\b|\bi care (?:most )?about\b",
        r"\bi like it when\b",
        r"\bi(?:'d| would) (?:love|like) (?:the|an?) .{3,60}\b(?:first|when|whenever)\b",
        r"^(?:don't|dont|do not) (?:explain|give me|show me|tell me|ask me|apologi[sz]e|summari[sz]e|repeat)\b"
        r"(?! (?:this|that|it|yet)\b)",
        r"\bi (?:always|never|usually|generally|typically|normally) (?:want|like|prefer|use|write|name|keep)\b",
        r"\bi (?:really |strongly )?(?:like|love|hate|dislike|don't like|do not like|can't stand|cannot stand) (?:my"
        r"|when|it when|to (?!see|know|have|add|be|make|change|get|create|move|use|show|do)|(?!(?:this|that|it|the"
        r"|how|your|these|those|them|what|where|our|an?|to|my|when|everything)\b)\w+)\b",
        r"\bi (?:don't|do not|never) want you to \w+ (?!it|this|that|anything yet)",
    )),
    Cue("rule", "style", 0.75, _any(
        rf"^(?:in|for|across|throughout|within) (?:this|our|the whole|the entire|my|(?:all|every|each"
        rf"|any)(?: of)?(?: my| our)?) {_PROJECT}s?\b[,:]? (?!(?:there|i|look|find|show|add|create|check|is|are"
        rf"|we (?:need|want|have to)|can)\b)",
        rf"^(?:we (?!(?:'re|are|need|want|have|had|can|could)\b)|(?:all|every|no) )\w.{{1,120}}\b(?:in|across"
        rf"|throughout) (?:this|our) {_PROJECT}\b",
        rf"^(?:this|our) {_PROJECT} (?:uses?|requires?|targets?|deploys?|runs on|is (?:an?|built|written|deployed))\b",
        r"\b(?:our|the|a|by|house) (?:naming |coding |code |commit |project |team )?(?:convention|policy|standard"
        r"|house style|style guide|rule)s? (?:here )?(?:is|are|says?|requires?)\b",
        rf"^we (?:always|never) (?!{_NOT_A_HABIT})",
        r"^we (?:only |mostly |usually |generally |normally |typically )use\b",
        r"^(?:(?:in|for|on|here)\b[^,]{0,50},? )?we (?:use|require|avoid|deploy|target|follow|don't support"
        r"|do not support)\b(?! (?:it|this|that|these|them|the same|here)\b)",
        r"^we (?:don't|do not) (?!need|want|have|know|see|get|think|care|seem|really|even|yet|remember|like"
        r"|understand|actually|currently|show|do\b)\w+",
        r"^we (?:should(?:n't| not)|must(?:n't| not)|must|should (?:just |only )?(?:always|never)) (?!be (?:able|too"
        r"|far)|have (?:been|done)|forget|need)\w+",
        r"^there (?:should(?:n't| not)?|must) (?:only |just )?be (?:only|just|exactly|no)\b",
        rf"^(?:(?:all|every|each|any|new|our|no|public|private|internal|unit|integration) ){{0,2}}(?:(?!(?:the|this"
        rf"|that|an?|your|my|these|those)\b)[\w-]+ )?{_ARTIFACT} (?:must|should|shall|has to|have to|needs? to"
        rf"|may not|cannot|can't|are always|are never|is always|is never|always|never|belong|live|go|are written"
        rf"|get(?! (?:lost|stuck|dropped|deleted|duplicated|cut|too|very|an? (?:error|exception)|\w+ed)\b)"
        rf"|are named)\b",
        r"^(?:all|every|each|no) (?:[\w-]+ ){1,3}must\b",
        r"^(?:everything|nothing) (?:must|should|has to|needs to)\b",
        r"\b(?:must|should|has to|have to|needs? to) be (?:written )?in (?:english|german|french|spanish|dutch"
        r"|italian|czech)\b",
        r"^(?!(?:it|this|that|they)\b).{3,80}\b(?:should|must) ?(?:only|not|n't|never) (?:ever )?be (?:used|edited"
        r"|changed|modified|committed|called|imported|exposed|stored|hard-?coded|touched|deleted)\b",
        r"^(?!the (?:user|header|button|modal|page|sidebar|table|form|field|menu)).{3,80}\bmust (?:always|never)\b",
    )),
    Cue("decision", "decision", 0.75, _any(
        r"\b(?:we|i)(?:'ve| have| had)? (?:now |just |finally |already |also )?(?:decided|agreed|settled on|opted"
        r"|chosen|chose)\b(?! (?:if|whether|not sure))",
        r"^we (?:drop|dropped|left|abandoned|ditched|gave up on) (?!it|this|that|the (?:ball|first|last))\w",
        r"^(?:new decision|no \S+(?: \S+)? any ?more)\b",
        r"^we no longer \w+|^we (?:don't|do not) (?!.*\bin there\b)(?:use|need|have|want) .{2,80}\b(?:any ?more"
        r"|any longer)\b",
        r"^we(?:'ve| have)? (?:now )?(?:migrated|switched) (?:[\w-]+ ){0,4}(?:to|from|over to)\b(?! (?:it|this"
        r"|that)\b)",
        r"^we(?:'ve| have)? (?:now )?moved (?:[\w-]+ ){0,3}(?:from|to) (?-i:[A-Z])",
        r"^let'?s use (?-i:[A-Z]\w+)|^we(?:'re| are) going to use (?!it|this|that|the )",
        r"^(?:the |our |my )?(?:final )?decision(?: (?:is|was)\b|:)",
        rf"^let'?s (?:go with|stick (?:with|to)|standardi[sz]e on|settle on|switch (?:over )?to|move (?:over )?to"
        rf"|keep using)(?! {_POINTS}) ",
        rf"^let'?s (?:not )?use (?!{_POINTS} ).{{2,120}}\b(?:instead|rather than|because|for (?:all|every)"
        rf"|everywhere|as (?:the|our))\b",
        rf"^(?:for \w[^,]{{1,40}}, ?)?we(?:'re| are) (?:going with|sticking (?:with|to)|moving (?:away from|to)"
        rf"|switching to|standardi[sz]ing on|dropping|(?:not |no longer )?using|not going to (?:use"
        rf"|support))(?! {_POINTS}) ",
        rf"^(?:for \w[^,]{{1,40}}, ?)?we(?:'ll| will)(?: always| only| not| never)? (?:use|go with|stick (?:with|to)"
        rf"|support|target|deploy|store|host|drop|stay (?:on|with))(?! {_POINTS}) ",
        rf"^we (?:won't|will not|'re not going to|are not going to|aren't going to) (?!be able|need|know|have|see"
        rf"|{_POINTS})\w+",
        r"\bi (?:don't|do not) want to use (?!it|this|that)|\bi(?:'m| am) not (?:planning on |going to be )?using\b",
        r"\b(?:i|we)(?: want|'d like| would like) to use (?-i:[A-Z]\w+)|\bwe(?:'ll| will) be using (?!it|this|that)"
        r"|\b(?:our|the) (?:tech )?stack (?:is|will be)\b",
        r"\b(?:i|we) want to (?:use|set up|switch to|go with|move to)\b.{2,100}\binstead\b",
        rf"^we (?:don't|do not|no longer) want (?!to (?!use|support|keep|depend)|{_POINTS}\b|(?:you|anything"
        rf"|any changes|the)\b|.*\bin (?:t?here)\b)",
        r"^we want (?:a single|one|all|every|each|only|our) (?!of\b)",
        r"\bno need (?:to|for) .{0,40}\bbackwards?[- ]compat|\b(?:not|n't) (?:care|worry"
        r"|need) .{0,30}\bbackwards?[- ]compat",
    )),
    Cue("cause", "insight", 0.7, _any(
        r"\b(?:the |it's )?root cause(?: of [^:]{1,80})?(?: (?:is|was|turned out)\b|:)",
        r"\bthe (?:real |actual |underlying )?(?:cause|reason)(?: (?:of|for|why)\b.{1,80})? (?:is|was)\b(?! (?:un"
        r"|not (?:clear|known)))",
        r"\b(?:fail(?:s|ed)|broke|breaks|crash(?:es|ed)|was failing|was broken|didn't work|did not work|doesn't work"
        r"|hangs|hung|times? out|timed out) (?:\w+ ){0,3}because (?!of (?:this|that|it)\b)",
        r"\b(?:is|was|were) caused by (?!(?:this|that|it)\b)",
        r"\b(?:problem|issue|bug|error) (?:is|was) (?:because|due to|cause|caused by)\b",
    )),
    Cue("correction", "context", 0.7, _any(
        r"^(?!(?:i|you|it|it's|this|that|that's|there|he|she|they|make|put|use|show|let'?s)\b).{3,160}\b(?:is|are"
        r"|isn't|aren't|needs?|uses?|lives?|goes|belongs?|comes?|runs?|means|returns?|expects?|listens?"
        r"|should be)\b.{1,120}, not (?!(?:sure|yet|just|only|really|that|this|necessarily|even)\b)\w?",
        r"^(?!(?:i|you|it|it's|this|that|that's|there|he|she|they|these|those)\b).{3,80}\b(?:(?-i:IS|ARE|ISN'T"
        r"|AREN'T|DOESN'T|DON'T|CAN'T)|(?:is|are|does|do|can|will) (?-i:NOT)) .{2,}",
    )),
    Cue("rule", "preference", 0.75, _any(
        r"^(?:put|keep|name|write|place|store|wrap|sort|group|prefix|sign|squash|document|validate|escape|log|mock"
        r"|rebase|annotate) (?:all |our )?(?!(?:the|this|that|these|those|my|your|an?|it|them|some|more|new|two)\b)"
        r"[\w-]+(?: [\w-]+)?s\b(?! (?:folder|file|page|table)\b)",
        r"^no (?!(?:need|worries|problem|idea|changes?|other|more|thanks|longer|one|it|i|the|that|this|you|we|errors?"
        r"|issues?|results?|\w+ clause)\b)[\w-]+(?: [\w-]+){0,3} (?:in|for|without|outside|on|from|to|before|after)\b",
        r"^ask (?:me )?(?:first|before)\b|^stick to (?!(?:it|this|that|the)\b)",
        r"\b(?:one|a single|exactly one) [\w-]+ per [\w-]+|\b(?:written|worded|named) in (?:english|the imperative)\b",
    ), in_short=True),
    Cue("rule", "style", 0.75, _any(
        r"^we (?:keep|write|name|put|store|deploy|test|review|release|merge|squash|tag|pin|vendor|log|build|ship"
        r"|measure|version|format|lint|import|generate|sign|cache|treat|handle|return|throw|raise|validate|host|support|document"
        r"|round|escape|hash|encrypt|translate|sync|back up) (?!(?:it|this|that|these|them|the same)\b)",
    ), in_short=True),
    # About code and workflow a convention, about anything else a decision.
    Cue("rule", "style", 0.75, _any(
        rf"^(?=(?:[\w-]+ ){{0,2}}{_ARTIFACT}\b)(?:{_DECLARED}|{_IN_GENERAL})",
    ), in_short=True),
    Cue("decision", "decision", 0.7, _any(rf"^(?:{_DECLARED}|{_IN_GENERAL})"), in_short=True),
    Cue("decision", "decision", 0.7, _any(
        r"^\w[\w ./`·-]{1,60}\b(?:is|are) (?:no longer|not) (?:supported|used|needed|allowed)\b",
    )),
)  # fmt: skip
# Openings of corrections and notes, if an assertion follows.
OPENINGS: tuple[Cue, ...] = (
    Cue("correction", "context", 0.7, _any(
        r"(?:no|nope|wrong|incorrect|not (?:true|correct|quite)|(?:small |one )?correction)(?: man| dude"
        r"|\b)\s*[,:;.!–—-]+\s*",
        r"(?:actually|turns out(?: that)?|(?:that|this)(?:'s| is) (?:simply )?(?:wrong|not (?:true|right|correct)"
        r"|incorrect|false))\b[\s,:.!–—-]+",
    )),
    Cue("fact", "context", 0.65, _any(
        r"(?:remember|note|please note|keep in mind|bear in mind|be aware|beware|for the record|for (?:your"
        r"|future) (?:information|reference)|fyi|just so you know|so you know|heads[- ]up|reminder"
        r"|important)\b(?:[\s,:–—-]*that\b|\s*[,:–—-])?\s*",
    )),
)  # fmt: skip
ASSERTS = _any(
    r"(?!(?:i|i'm|you|it|it's|this|that|that's|there's no|he|she|they|what|how|when|if|to|back|need|let'?s|wait"
    r"|all the|the (?:same|following|problem|issue))\b)(?!.*\bstill (?!used|writes|runs|in use)\b)(?:(?:we|our)\b."
    r"|(?:the|our|(?-i:[A-Z])\w+) (?:[\w'-]+ ){1,6}?(?:[a-z]{3,}[^s\W]s|owns?|ends?) |\S.{2,160}?(?:\b(?:is|are"
    r"|isn't|aren't|was|were|will|won't|uses?|lives?|needs?|goes|runs?|returns?|takes?|has|have|can|cannot|can't"
    r"|must|should|doesn't|does not|don't|do not|deploys?|expects?|belongs?|listens?)\b|'s |'re ))"
)
ASSISTANT: tuple[Cue, ...] = (
    Cue("cause", "insight", 0.6, _any(
        r"^(?:the |\W{0,3})?root cause(?: of [^:]{1,80})?\W{0,4}(?: (?:is|was)\b|:)",
        r"^the (?:real |actual |underlying |original )?(?:problem|issue|bug|failure|error|crash) (?:was|occurred"
        r"|happened) (?:that|caused by|because|due to)\b",
        r"^the (?!(?:issue|problem) is).{3,80}\b(?:was|were) (?:failing|broken|caused|rejected|crashing) (?:because"
        r"|by)\b",
        r"^(?!it|this|that).{3,80}\bfailed because\b",
    )),
    Cue("decision", "decision", 0.6, _any(
        r"\b(?:i|we)(?:'ve| have)? (?:decided (?:on|to use|against|to keep)|chose|opted for|settled on"
        r"|went with)\b.{3,160}\b(?:because|instead of|rather than|over|since|so that)\b",
        r"^decision:",
    )),
)  # fmt: skip
CUES = {"user": USER, "assistant": ASSISTANT}

# Filler words at the beginning.
LEAD = _any(
    r"^(?:[\W_]+|(?:rule|note|reminder|nb|tip|ps) ?: |(?:no|nope)(?: man| dude|\b)\s*[,:;.!…–—-]+\s*|(?:claude"
    r"|copilot|cursor|guys|now)\b[\s,:]*|(?:\d{1,2}[.)])\s|(?:ok(?:ay)?|k|so|well|great|good|perfect|nice|cool"
    r"|awesome|excellent|yes|yep|yeah|yup|hmm+|also|and|but|oh|hey|hi|hello|thanks|thank you|please|pls|again|btw"
    r"|by the way|just|man|dude|one (?:more|last|other) thing|last thing|important|in general|alright"
    r"|right)\b[\s,:;.!…–—-]*)"
)
# A guess, a supposition, a quotation or a role.
OPEN = _any(
    r"\b(?:maybe|perhaps|might|probably|possibly|i think|i guess|i believe|i suspect|i assume|i wonder|i'm wondering"
    r"|not sure|seems?|looks like|presumably|likely|suppose|supposing|what if|would be|could be|imagine|pretend"
    r"|hypothetical\w*|let's say|let me know|wondering|in case|it would|should we|can we|can you|could you"
    r"|would you)\b",
    r"\b(?:says?|said|according to|claims?|wrote|reads:|suggests?|suggested|recommends?|the docs|told me) ?(?:that|:"
    r"|,|·|$)",
    r"^(?:if|suppose|when i|when you|when the|after i|before you|before we|once)\b(?!.*\b(?:always|never|must)\b)",
)
# The present task.
NOW = _any(
    r"\b(?:for now|right now|this time|today|tonight|tomorrow|at the moment|for the moment|as of now|until"
    r"|for this(?! (?:service|product|release|component))|in this (?:function|file|line|test|commit|pr|branch|method"
    r"|class|case|turn|answer|message|response|prompt|chat|conversation|session|example|plan|doc|document|task|page"
    r"|view|step)|this (?:one|bug|error|issue|task|change|turn|pr|commit|test|plan|step)|the following"
    r"|so far|screenshot|mockup|attached|next step|later on|after all|issues? \d+)\b",
    r"\b(?:yet|below|above)\W*$|^(?:below|above)\b|\b(?:the|see|code|list|logs?|errors?|text) (?:below|above)\b",
    r"^(?:always|never|don't|do not|show|use)\b.*\bhere\W*$",
    r"\bshow me\b",
    r"\bline \d",
    r"\bhttps?:",
    r"\bphase \d",
)
# A request states something only with one of the LASTING words.
REQUEST = _any(
    r"^(?:remind|show|tell|explain|give|find|list|check|look|search|read|describe|help|run|write|create|make|add"
    r"|update|fix|implement|review|change|move|remove|rename|set|put|take|try|go|start|continue|let me|i need|i want"
    r"|i would like|i'd like|we need|now)\b"
)
LASTING = _any(
    r"\b(?:always|never|from now on|going forward|every|each|whenever|all (?:my|our)|any|without asking|prefer"
    r"|instead|convention|no need|avoid|away)\b"
)
ROLE = _any(r"^\W*(?:imagine |suppose |you are an? |you're an? |act as |pretend |your role |as an? (?:expert|senior))")
EVERYWHERE = _any(
    rf"\b(?:in|for|across) (?:all|every|each|any)(?: of)?(?: my| our| the)? {_PROJECT}s?\b",
    r"\beverywhere(?! else)\b",
    r"\bi (?:always|never) want\b",
    r"\b(?:all|every) (?:my|our) projects?\b",
    r"^globally\b|\b(?:apply|applies|holds?|valid) globally\b",
    r"\bno matter (?:which|what) (?:project|repo)",
)
REASON = re.compile(r"(?:because|since|otherwise|that way|this way|so that|the reason)\b", re.IGNORECASE)
# The sentence refers to the one before it.
LEANS = _any(
    r"^(?:it|this|that|these|those|they|them|he|she|it's|that's|they're)\b(?! (?:repo|project|code ?base|repository))",
    r"^(?:\S+ ){0,3}(?:do|use|using|used|touch|run|change|edit|commit|want|need|like|avoid|remember|mean) (?:it|this"
    r"|that|these|those|them)\b",
    r"\binstead\W*$",
    r"\bin (?:there|here)\b",
    r"\b(?:the latter|the former|this is|like that|of those|of them)\b",
)
