"""Whether a model declined, or says that it was shown no picture."""

from __future__ import annotations

import re

MAX_CHARS = 4000

_PICTURE = r"(?:images?|pictures?|photos?|photographs?|frames?|files?|attachments?|visuals?)"
_CANNOT = (
    r"(?:can\s?not|can['\u2019]?t|could\s?n['\u2019]t|could not|won['\u2019]?t|will not"
    r"|(?:am|are|was|were|is|be)?\s*(?:unable|not able|not allowed|not permitted"
    r"|not in a position)\s+to|must decline"
    r"|(?:have|need) to decline|decline|refuse"
    r"|(?:do|did)\s?(?:n['\u2019]t| not)\s+have (?:the ability|access))"
)
_WORK = (
    r"(?:help|assist|analy[sz]e|process|view|open|load|access|interpret|inspect|examine|comply"
    r"|fulfil+|work (?:on|with)|do (?:that|this)|complete|continue|answer|respond|engage|support"
    r"|provide|perform|handle|identify (?:people|persons|individuals|anyone|faces))"
)
_OF_PICTURE = rf"(?:any|an|a|the|this|that|your|these|those)\s+(?:\w+\s+){{0,2}}{_PICTURE}"

_DECLINES = re.compile(
    rf"\b{_CANNOT}\s+(?:\w+\s+){{0,3}}?{_WORK}"
    rf"|\b{_CANNOT}\s+(?:\w+\s+)?(?:see|find|read|perceive|look at)\s+{_OF_PICTURE}(?!\s+of\b)"
    rf"|\b(?:no|without (?:an?|the|any)|missing)\s+(?:\w+\s+)?{_PICTURE}\s+"
    r"(?:was|were|is|are|has been|have been|attached|provided|uploaded|supplied|included|came|to)\b"
    rf"|\b(?:please|could you|kindly)\s+(?:\w+\s+)?(?:upload|attach|provide|share|send|resend)\b"
    rf"|\b(?:do|did)\s?(?:n['\u2019]t| not)\s+(?:see|have|receive|get|find)\s+{_OF_PICTURE}"
    r"|\bagainst (?:my|our|the) (?:\w+ )?(?:polic|guideline)|\bas an? (?:AI|language model|text)"
    r"|无法(?:查看|分析|处理|识别|提供|协助|帮助|回答)"
    r"|不能(?:查看|分析|处理|提供|协助|帮助|回答)"
    r"|没有(?:看到|收到|提供).{0,6}图"
    r"|(?:kann|konnte|darf)\s+(?:\w+\s+){0,6}?nicht\s+(?:\w+\s+){0,3}?(?:analysieren|helfen"
    r"|bearbeiten|verarbeiten|öffnen|auswerten|beantworten)|kein(?:e)?\s+Bild"
    r"|(?:ne (?:peux|puis)|ne suis) pas\s+(?:\w+\s+){0,4}?(?:analyser|aider|traiter|voir|capable)"
    r"|no puedo\s+(?:\w+\s+){0,2}?(?:ayudar|analizar|procesar|ver|ayudarte)",
    re.IGNORECASE,
)
_REGRETS = re.compile(
    rf"\b(?:sorry|apologi[sz]e|apologies|regret)\b|\b(?:I|we)\b[^.!?\n]{{0,60}}?{_CANNOT}\b"
    rf"|\b(?:unable|not able|not possible) to\b|\bno {_PICTURE}"
    rf"|{_PICTURE} (?:(?:did|does|do|could|can)(?: ?n['\u2019]t| not) (?:be )?|failed to )(?:load"
    rf"|open)"
    r"|forg[eo]t to (?:attach|upload|include|send)"
    r"|抱歉|对不起|无法|leider|désolé|lo siento|tut mir leid",
    re.IGNORECASE,
)


def declines(text: str) -> bool:
    """Whether it refuses the task or saw no picture; an honest "there are no cups" does neither."""
    return _DECLINES.search(text[:MAX_CHARS]) is not None


def regrets(text: str) -> bool:
    """Whether it declines or only regrets; to ask of a reply in which nothing else was found."""
    return declines(text) or _REGRETS.search(text[:MAX_CHARS]) is not None
