"""Patterns around statements: what assistants conclude, filler words, guesses, references and scope.

They match one sentence of at most 400 characters with its quotations masked.
"""

from __future__ import annotations

import re

from recollect.capture.statement_model import Kind


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


# What an assistant concludes in so many words.
CONCLUDED: dict[Kind, re.Pattern[str]] = {
    "cause": _any(
        r"^(?:the |\W{0,3})?root cause(?: of [^:]{1,80})?\W{0,4}(?: (?:is|was)\b|:)",
        r"^the (?:real |actual |underlying |original )?(?:problem|issue|bug|failure|error|crash) (?:was|occurred"
        r"|happened) (?:that|caused by|because|due to)\b",
        r"^the (?!(?:issue|problem) is).{3,80}\b(?:was|were) (?:failing|broken|caused|rejected|crashing) (?:because"
        r"|by)\b",
        r"^(?!it|this|that).{3,80}\bfailed because\b",
    ),
    "decision": _any(
        r"\b(?:i|we)(?:'ve| have)? (?:decided (?:on|to use|against|to keep)|chose|opted for|settled on"
        r"|went with)\b.{3,160}\b(?:because|instead of|rather than|over|since|so that)\b",
        r"^(?:decision|entscheidung|decisi[oó]n):",
    ),
    "fact": _any(r"^(?!if\b|you\b|i\b).{3,120}\b(?:must|has to|have to)\b.{3,160}\b(?:otherwise|or else)\b"),
}
# An assistant reports that something was changed: a statement only if it may replace one that is known.
REPORTED = _any(
    r"^(?!.*\b(?:i'll|we'll|will|going to|should|could|need to|needs to|next|if|once|until|was already|locally"
    r"|(?:my|your|this) (?:machine|laptop))\b)"
    r".*(?:\b(?:now|no longer|instead|(?:switch|mov|chang|renam|replac|migrat|rais|lower|reduc|increas)ed)\b"
    r"|\bfrom .{1,60} to\b|\w (?:→|->) \w)"
)
# The change was undone.
UNDONE = _any(
    r"\b(?:put|changed|moved|set|rolled|switched|went) (?:it |that |this |them )?back\b|\breverted\b|\bundid\b"
)
# "(auth.py)" at the end of a report.
ASIDE = re.compile(r"\s*\([^()]*\)(?=\W*$)")
# Filler words at the beginning.
LEAD = _any(
    r"^(?:#[a-z]\w*\s|[\W_]+|(?:rule|note|reminder|nb|tip|ps) ?: |(?:no|nope)(?: man| dude|\b)\s*[,:;.!…–—-]+\s*"
    r"|(?:claude|copilot|cursor|guys|now)\b[\s,:]*|(?:\d{1,2}[.)])\s|(?:ok(?:ay)?|k|so|well|great|good|perfect|nice|cool"
    r"|awesome|excellent|yes|yep|yeah|yup|hmm+|also|and|but|oh|hey|hi|hello|thanks|thank you|please|pls|again|btw"
    r"|(?:(?:as )?i(?:'ve| have)?(?: already)? (?:told you|said)(?: already| before)?|let'?s settle it)(?=[,:])"
    r"|by the way|just|man|dude|one (?:more|last|other) thing|last thing|important|in general|alright"
    r"|right)\b[\s,:;.!…–—-]*)"
)
# Takes back what was said, and says nothing instead.
_RETRACTED = (
    r"^(?:forget|ignore|disregard|never ?mind|scrap|drop|take back|delete|remove) "
    r"(?:(?:what|everything|anything|all) (?:that )?(?:i|we)(?:'ve| have)? (?:said|told you|asked|wanted)(?: \w+)?"
    r"|(?:the|my|our|that) (?:rule|preference|convention|memory|note)s?) (?:about|on|regarding|for)"
    r" (?P<about>[^,;:–—]{2,80})$"
)
RETRACTED = _any(_RETRACTED)
# A guess, a supposition, a quotation, a role or a retraction.
OPEN = _any(
    _RETRACTED,
    r"\b(?:maybe|perhaps|might|probably|possibly|i think|i guess|i believe|i suspect|i assume|i wonder|i'm wondering"
    r"|not sure|seems?|looks like|presumably|likely|suppose|supposing|what if|would be|could be|imagine|pretend"
    r"|hypothetical\w*|let's say|let me know|wondering|in case|it would|should we|can we|can you|could you"
    r"|would you|or something)\b",
    r"\b(?:docs?|documentation|readme|linter|compiler|errors?|warning|message|article|guide|colleague|someone"
    r"|people|he|she|they) (?:says?|said|claims?|wrote|reads|suggests?|suggested|recommends?)\b",
    r"\b(?:according to|told me)\b|\b(?:says?|said|claims?|claimed|swears?|swore) (?:that )?(?:you|one) ",
    r"^never ?mind\b|\bwhether\b|^we (?:strongly |highly )?(?:recommend|advise|encourage)\b",
    r"^(?:check|verify|confirm) (?:that|if)\b(?!.*\b(?:before|after|when\w*|(?:each|every) time|always)\b)",
    r"\bnot? (?:exist|there|written|implemented|done|merged)\w* yet\b|n'?t exist yet\b",
    r", (?:is|are|was|were|does|did) (?:it|this|that|there|they|we|you)\b",
    r"^(?:if|suppose|when i|when the|after i|before we|once)\b(?!.*\b(?:always|never|must|i'd rather)\b)",
)
# Words that announce a correction or a note; the statement follows them.
ANNOUNCED = _any(
    r"^(?:actually|turns out(?: that)?|correction|(?:that|this)(?:'s| is) (?:simply )?(?:wrong|not (?:true|right"
    r"|correct)|incorrect|false)|wrong|incorrect)\b[\s,:.!–—-]+",
    r"^(?:please )?(?:(?:remember|note)(?: this)?|keep in mind|bear in mind|be aware|for the record|for (?:your|future)"
    r" (?:information|reference)|fyi|just so you know|so you know|heads[- ]up|reminder)\b(?:\s+that\b|\s*[,:–—-])\s*",
    r"^(?:fyi\s|note to (?:self|you)\b[^,:]{0,20}:|merke? dir(?: bitte)?\s*:)\s*",
    r"^(?:recuerda que(?! tienes)|n'oublie pas que|ricorda che) ",
    # "Remember the free plan allows 3 projects", not "remember the bug of yesterday".
    r"^remember (?=(?:the|our|we|all) (?:[\w-]+ ){1,4}?(?:is|are|has|have|must|needs?|\w+[^\Ws]s) "
    r"(?!(?:for|of|from|when|before|after|and|or)\b))",
)
# A request that holds from now on: the assistant may be asked for it.
REQUESTED = _any(
    r"^(?:can|could|would|will) (?:you|u) (?:please |pls |also |mind )?"
    r"(?=(?:always|never|from now on) (?!(?:be|see|have|get|find|reach|tell)\b)|stop \w+ing\b)"
)
# "Never log an address, ok?" is an order, "we never log addresses, right?" is a question.
TAGGED = _any(
    r"^(?:always|never|don['’]?t|do not|stop|keep)\b[^?]*?"
    r"(?P<tag>,? (?:ok|okay|alright|all right|right|yeah|deal|got it|understood)\s*\?\W*)$"
)
# What a third party demanded: "the customer said: always deliver before noon".
QUOTING = _any(
    r"^(?:the|a|our|one|another) (?:customer|client|user|tester|vendor)s? (?:\w+ )?(?:said|says|wrote|asked)\s*[:,]"
)
# The verb of an order for now.
_TASK = (
    r"(?:adapt|add|adjust|apply|build|bump|change|check|clean|close|commit|convert|create|debug|delete|deploy|describe|do|document"
    r"|draft|explain|extract|finish|fix|format|generate|give|implement|install|list|look|make|merge|move|open|publish|push|read"
    r"|rebase|refactor|release|remove|rename|replace|rerun|restart|revert|review|rewrite|rollback|roll|run|show|simplify"
    r"|sort|split|start|summari[sz]e|tell|test|translate|try|undo|update|upgrade|wrap|write)\b"
)
# An order for now, and where a statement may follow it: "add the gauge, and in general I prefer counters".
REQUEST = _any(
    rf"^(?:let's |(?:(?:can|could|would|will) (?:you|u) )?(?:please |pls |also )?){_TASK}"
    r"(?! (?:messages|notes|titles|with (?:me|us))\b)"
)
JOINT = _any(r"(?:[,;]|\s[-–—]+)\s+(?:(?:and|then|but|also)\s+)*|\s(?:and|then|but)\s+(?:also\s+)?")
# What follows a statement and is no part of it: a request, or thanks. "Our keys rotate monthly, so fix the header."
REQUEST_AFTER = _any(
    rf"[,;]? so (?:please |pls |(?:can|could) you )?{_TASK}"
    r"(?! (?:always|never))(?:[^.!?;:]|[.:](?=\w)){2,160}[.!?]?$",
    r"[,;]? (?:thanks|thank you|thx|ty|please|pls|plz)[.!]?$",
)
# A message that only names what to use: how text is formatted holds for all of it, else it may be for this task.
CHOICE = _any(
    r"^use (?:(?P<format>(?:[\w-]+ )?(?:tabs|spaces|semicolons|quotes|type ?hints|docstrings|snake_?case|camel_?case))"
    r"|(?!(?:it|this|that|them|these|those|both|one|either|another|any|all|more|less|yours?|mine|ours|same)\b)"
    r"[a-z][\w+#-]{2,30})\W*$"
)
_EACH = (
    r"(?:(?:each|every|any) (?:commit|push|pr|merge|release|change|deploy\w*|migration|refactor\w*|edit)|committing)"
)
# How the assistant shall work, not only for this task: "… every time you …", "unless I ask", "answer in German".
STANDING = _any(
    r"^(?:always|never|(?:do ?n[o']?t|do not) ever) (?!.*\b(?:here|lol)\W*$)"
    r"(?!\w+(?:s|ed|ing)\b)\w+ (?!same\b|that\b|this\b|it\b)",
    r"^use [\w@./-]+,? not [\w@./-]+\W*$|^(?:do ?n[o']?t|do not) .{2,60}\bany ?more\W*$",
    r"\b(?:from (?:now|here) on|in (?:the )?future|going forward|for good|(?:hard|house|general) rule|as a rule"
    r"|(?:goes|counts|holds|applies) for (?:all|every|any)|in all (?:the )?code)\b",
    r"^(?:when|whenever|wherever|(?:each|every|any) ?time) you"
    r" (?!(?:are|'re|get|have|'ve)?\s?(?:done|finish|ready|said|did))",
    r"\b(?:(?:each|every) time|whenever) you\b|\bevery time\W*$",
    r"\bunless (?:i|we) (?:explicitly |specifically )?(?:ask|say|tell|request|want)\b",
    r"\bwithout (?:asking|my (?:ok|okay|approval|permission|consent))\b",
    r"\b(?:ask|check with) (?:me )?(?:before|first)\b",
    r"\bi(?:'d| would) rather you\b|^stop (?:\w+ing|the \w+ing)\b",
    r"^(?:answer|reply|respond|speak|talk|explain)\b(?! (?:him|her|them)\b).{0,30} in (?-i:[A-Z])[a-z]+\W*$",
    rf"\b(?:before|after|on|with|for) {_EACH}\b",
    r"^(?:do ?n[o']?t|do not|no) (?:commit|push|merge)\w* (?:\w+ )?(?:in)?to ma(?:in|ster)\b",
    r"^(?:all|every|each|any) (?!(?:of|the|these|those|two|three)\b)(?:[\w-]+ ){1,3}(?:must|shall|ha(?:s|ve) to) "
    r"(?!.*, so )",
)
# An order for this task only.
ONCE = _any(
    r"\b(?:should|could|would)(?:n['’]?t| not| never)? have\b",
    r"\b(?:yet|right now|this time(?! and)|this once|just once|for the moment|tonight"
    r"|until (?:i|we|tomorrow|next|\w+day|the [\w-]+ (?:is|are))\b"
    r"|for this (?:one )?(?:pr|commit|time|task|ticket|branch)"
    r"|(?:poem|joke|story) about|in this (?:pr|commit|file|script|branch|function|query|test))\b",
)
# Something is over. What holds instead is in the same sentence or in the next one.
ENDED = _any(
    r"\b(?:scrap|scrapped|overturned|overruled|(?:not|no|nothing) any ?more|no more|turned out"
    r"|wrong about|changed (?:my|our) minds?|(?:gave|give|giving) up on|drop|dropped|ditch|ditched|forget about"
    r"|moved (?:over|away|off|from)|(?:is|are) (?:dead|gone|over)|retired|abandoned)\b"
)
# A rule for the assistant: an order, or about what one of the two does.
ADDRESSED = _any(
    r"^(?:always|never|don't|dont|do|please|use|keep|make|only|stop|avoid|prefer|ask|run|put|write|add|follow|remember|you"
    r"|i|when|whenever|if|before|after|every time|just|no|try|be|from|going|by)\b",
    r"\b(?:you|your|me|please|from now on)\b|\balways\W*$",
)
# A prompt that a program or a template wrote.
ROLE = _any(
    r"^\W*(?:imagine |suppose |you(?: are|'re) (?:an?|the|now|acting) |act as |pretend |your (?:role|task) "
    r"|as an? (?:expert|senior))"
)
EVERYWHERE = _any(
    r"\b(?:in|for|across) (?:all|every|each|any)(?: of)?(?: my| our| the)? (?:repositor(?:y|ies)|(?:repo|project"
    r"|code ?base|monorepo|workspace)s?)\b",
    r",\s+everywhere\b|\beverywhere, not (?:just|only)\b",
    r"\b(?:in|for|across) (?:all|every|each|any) (?:repositor(?:y|ies)|(?:repo|project)s?) of mine\b",
    r"\bwherever you (?:work|write|code)\b|\bwhatever (?:repo|project)\b",
    r"\b(?:all|every) (?:my|our) projects?\b",
    r"^globally\b|\b(?:apply|applies|holds?|valid) globally\b",
    r"\bno matter (?:which|what) (?:project|repo)",
)
REASON = re.compile(
    r"(?:because|since|otherwise|that way|this way|so that|(?:the )?reason"
    r"|still (?:prefer|use|keep|want|need))\b|why ?:",
    re.IGNORECASE,
)
# "Invoices: sent as PDF. Numbers are consecutive": what a paragraph is about.
TOPIC = re.compile(
    r"(?!(?:decision|reason|question|problem|bug|issue|todo|task|context|background|goal|idea|update|error|rule)\b)"
    r"[a-z][\w-]{3,24}: (?=\w)",
    re.IGNORECASE,
)
# What may follow from the sentence before it, or say more about the same: "so its vst3 and au", "it is off at night".
RESULT = _any(r"^(?:(?:and|but) )?(?:so|therefore|which|it|its|they|their|this|that|thats|these|those)\b")
# A change in two words, without what it is about.
FRAGMENT = _any(
    r"^(?!(?:no|not|never|always|only|all|every|each|any)\b)(?:[^\s,;:]+ ){1,2}(?:from (?:now|here) on|then|after all)"
    r"\W*(?:$|[,;])"
)
_PROJECT = r"an? (?:[\w.-]+ ){0,3}(?:repo|repository|project|app|service|library|monorepo|package|plugin)\b"
# "Redis. We decided that last week": what was decided is the sentence before.
_DECIDED = (
    r"^(?:we|i)(?:'ve| have)? (?:decided|agreed|settled)(?: on)? (?:it|this|that)"
    r"(?:\W*$| (?:in|on|at|because|since|after|already|yesterday|last|long|weeks?|months?|two|a)\b)"
)
# That, or a choice among several: "let's go with pool_size 20". What "option b" is stands elsewhere.
SETTLED = _any(
    r"^let'?s (?:go with|stick (?:with|to)|settle (?:on|for)) (?!(?:it|this|that|these|those|them|option|plan|yours?"
    r"|variant|number|both|what|whatever|something)\b|the (?:first|second|third|last|other|former|latter|simpl\w+)\b"
    r"|[a-d0-9]\W*$)",
    _DECIDED,
)
# The sentence refers to the one before it.
LEANS = _any(
    r"^(?:it|this|that|these|those|they|them|he|she|it's|its(?= (?:in|at|on|under)\b)|that's|they're)\b"
    r"(?! (?:repo|project|code ?base|repository|service|app|package|library|product|company|team|machine|server))"
    r"(?! (?:goes|holds|applies|counts) (?:for|in|to) (?:all|any|every))(?! is (?:always|never)\b)"
    rf"(?! is {_PROJECT})(?!'s not .{{3,80}}, it's )",
    r"^(?:\S+ ){0,3}(?:do|use|using|used|touch|run|change|edit|commit|want|need|like|avoid|remember|mean)"
    r" (?:it|them|(?:this|that|these|those)(?! \w))\b(?! when\b)",
    _DECIDED,
    r"^(?!.*(?:\b(?:never|not?|dont|stop|without|avoid)\b|n['’]t\b)).*\binstead\W*$",
    # "Never by branch" has no verb.
    r"^(?:always|never|not|only) (?:as|at|by|for|in|into|of|on|over|through|to|under|via|with)(?: [^\s,;:]+){1,4}\W*$",
    r"\bin there\b",
    rf"\b(?:the latter|the former|this is(?! {_PROJECT})|like that|of those|(?<!all )(?<!one )(?<!none )of them)\b",
)
