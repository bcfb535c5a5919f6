"""Standing orders in languages other than English, by their fixed phrases.

    "Ab jetzt bitte keine print-Ausgaben mehr."     German    from now on
    "ne touche jamais au dossier legacy/"           French    never do
    "每次改完代码先跑单测"                             Chinese   each time

The statement model reads English. Here a sentence is a rule if it has a phrase that says so, and none that limits it to
this task or to the past, or asks. A bare "always" or "never" mostly describes a fault, so it needs an order beside it.
"""

from __future__ import annotations

import re

from recollect.text.lazy_patterns import compiled

# From now on; remember; without asking; we have agreed on; always and never with an order.
_STANDING = {
    "German": (
        r"\b(?:ab (?:jetzt|sofort|heute)|von nun an|in zukunft|(?:zu)?künftig|grundsätzlich|generell|merke? dir|bei uns"
        r"|denke? (?:bitte )?(?:immer )?dran|ein für alle mal|ohne (?:mich|rücksprache|rückfrage|vorher)"
        r"|haben (?:wir )?uns .{0,40}(?:geeinigt|entschieden)|darf nie|dürfen nie|nie(?:mals)? ohne|bitte immer)\b"
        r"|^wir (?:be)?nutzen |^wir verwenden "
        r"|^(?:bitte )?(?:benutze?|nutze?|verwende?|nimm|schreibe?|antworte?|mache?|frage?|teste?|lass|halte?|nenne?"
        r"|gib|zeige?|committe?|pushe?) (?:\S+ ){0,3}(?:immer|nie|niemals|stets|jedes ?mal|auf deutsch)\b"
    ),
    "French": (
        r"\b(?:désormais|dorénavant|[àa] partir de (?:maintenant|aujourd'hui)|à l'avenir|chez nous"
        r"|une (?:bonne )?fois pour toutes|à chaque fois|en tête pour|retiens|n'oublie (?:jamais|pas que)"
        r"|sans mon (?:accord|feu vert)|sans me (?:demander|prévenir)|on (?:part|reste) sur)\b"
        r"|, jamais\W*$|^ne (?:\S+ ){1,2}jamais\b|^on utilise "
        r"|^(?:utilise|écris|réponds|mets|fais|garde|teste|demande|montre)z?(?:-moi)?"
        r" (?:\S+ ){0,3}(?:toujours|systématiquement|en français)\b"
    ),
    "Spanish": (
        r"\b(?:a partir de (?:ahora|hoy)|de (?:ahora|aqu[ií]|hoy) en adelante|en adelante|en el futuro|apúntatelo"
        r"|recuérdalo|acostúmbrate|recuerda que(?! tienes)|sin (?:preguntarme|avisarme|mi permiso)|nos quedamos con"
        r"|hemos (?:decidido|acordado)|nada de)\b|^usamos |^nunca \w+[ae]s\b|^no \w+[ae]s nunca\b"
        r"|^(?:usa|escribe|responde|contesta|pon|haz|mantén|pregunta|ejecuta|muestra) (?:\S+ ){0,2}"
        r"(?:siempre|en español)\b|^siempre (?:usa|escribe|responde|contesta|pon|haz|pregunta|ejecuta)\b"
    ),
    "Portuguese": (
        r"\b(?:de agora em diante|a partir de (?:agora|hoje)|daqui (?:pra|para a?) frente|de jeito nenhum|vale pra tudo"
        r"|sem me (?:perguntar|avisar)|padrão (?:aqui )?do projeto|decidimos|a gente usa|nada de)\b"
        r"|^(?:nunca|sempre) (?:usa|use|escrev[ea]|respond[ea]|faz|faça|coloca|coloque|pergunt[ae]|rod[ae]"
        r"|mex[ea])\b|^(?:usa|use|escrev[ea]|respond[ea]|faz|faça|coloca|rod[ae]) (?:\S+ ){0,2}sempre\b"
        r"|^sempre que (?:for|você|vc)\b"
    ),
    "Italian": (
        r"\b(?:d'ora in (?:poi|avanti)|da (?:adesso|ora|oggi)(?: in poi)?|in futuro|ricordatelo|ricordati|niente più"
        r"|ricorda che|ogni volta che (?:ne )?\w+i|senza chieder(?:e|mi)|abbiamo deciso|in generale)\b"
        r"|^usiamo |^mai \w+(?:are|ere|ire)\b|^non \w+(?:are|ere|ire) mai\b"
        r"|^(?:usa|scrivi|rispondi|fai|metti|tieni|chiedi|esegui) (?:\S+ ){0,2}(?:sempre|in italiano)\b"
    ),
    "Russian": (
        r"\b(?:впредь|на будущее|отныне|с этого (?:дня|момента)|с сегодняшнего дня|запомни|больше (?:никаких|не)|учти"
        r"|учитывай|у нас (?:так )?(?:принято|заведено)|так у нас|мы (?:решили|договорились)"
        r"|без моего (?:ведома|разрешения)|нигде\W*$)|^(?:всегда|никогда не) \w+(?:й|йте|ь|ьте|и|ите)\b"
        r"|^(?:пиши|отвечай|используй|спрашивай|делай|проверяй|запускай|ставь)(?: \S+){0,3}"
        r" (?:всегда|каждый раз|по-русски)\b"
    ),
    "Chinese": (
        r"以后|今后|从(?:现在|今天|今)(?:开始|起)|长期有效|记住|统一用|每次.{0,12}(?:先|都要|必须)|一律|不要再|别再"
        r"|我们(?:组|团队)?(?:定了|约定|规定|决定)"
    ),
    "Japanese": (
        r"今後|これから(?:は|も)|以後|覚えて(?:おいて|おけ|ください)|毎回.{0,12}(?:して|守って|ください)|で統一|方針"
        r"|絶対に.{0,40}(?:しない|するな|ないで)|必ず.{0,60}(?:して|ください|運用)|ルールです"
        r"|禁止(?:です|ね|で|$)|ことに(?:決め|しま)"
    ),
}
# This time only, for now, not yet, in the past, or what someone else says.
_LIMITED = (
    r"\?|？|\b(?:diesmal|ausnahmsweise|vorerst|fürs erste|noch nicht|haben die|früher|damals"
    r"|(?:pour )?cette fois|pour l'instant|pas encore|avant que"
    r"|de momento|por ahora|esta vez|todavía no|aún no|dice que"
    r"|por enquanto|dessa vez|desta vez|ainda não|disse que"
    r"|stavolta|per (?:adesso|ora)|questa volta|non ancora|si usava"
    r"|в этот раз|пока(?: не)?|для этого|раньше|говорит)\b"
    r"|这次|这一版|先别|暂时|回头|今回|とりあえず|まだ|今日は"
)
# A sentence with one of these words is English.
_ENGLISH = re.compile(
    r"\b(?:the|and|is|are|this|that|for|with|you|we|it|of|not|don'?t|use|never|always)\b", re.IGNORECASE
)
_STATES = compiled("|".join(_STANDING.values()), re.IGNORECASE)
_LIMITS = compiled(_LIMITED, re.IGNORECASE)
LONGEST = 300


def is_foreign(plain: str) -> bool:
    """Tell whether a sentence has letters that English does not have, and no English words."""
    return not plain.isascii() and any(char.isalpha() > char.isascii() for char in plain) and not _ENGLISH.search(plain)


def is_standing(plain: str) -> bool:
    """Tell whether a sentence that is not English states a rule for later sessions."""
    if len(plain) > LONGEST or _ENGLISH.search(plain):
        return False
    return bool(_STATES.search(plain)) and not _LIMITS.search(plain)
