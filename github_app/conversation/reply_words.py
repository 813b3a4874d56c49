"""The words that a reply may be made of. What is not listed here is not understood, and starts nothing."""

import re


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


GO = frozenset({"go"})
"""Consent to the default, for every kind of question."""

AGREE = frozenset(
    {
        "ok", "okay", "yes", "yep", "yeah", "sure", "👍", "your call", "you decide", "go ahead", "go for it", "proceed",
        "default", "the default", "use the default", "take the default", "yes please", "go please", "ok go", "yes go",
        "sounds good",
    }
)  # fmt: skip
"""Consent only where the default is plainly what one agrees to: never for a confirmation or an escalation."""

CANCEL = frozenset(
    {"cancel", "stop", "abort", "never mind", "nevermind", "forget it", "drop it", "👎", "please cancel", "please stop",
     "cancel please", "stop please"}
)  # fmt: skip

HELP = frozenset({"help", "help please"})
SEVERAL = frozenset(
    {"both", "all", "all of them", "both of them", "both please", "beide", "ambos", "les deux"}
)

NEGATIVE_START = re.compile(
    r"(?:no|not|don't|do not|never|decline|reject|deny|refuse|keep|leave)\b", re.IGNORECASE
)
"""How the label of a choice begins that nobody agrees to with "yes"."""

DOUBT = re.compile(
    r"""(?<!\w)(?:not?|nope|nor|never|neither|none|nothing|cannot|without|wrong|except|unless|unclear|unsure
    |maybe|perhaps|possibly|probably|wait|hold|actually|instead|rather|scratch|mistake|oops|undo|correction|edit|retract
    |if|until|once|when|before|after|depends?|provided|assuming|guess|otherwise|either|both|or|cancel|stop|later|yet
    |ignore|disregard|disagree|bad|broken|reject\w*|nein|nicht|kein\w*|oder|vielleicht|falls|wenn|pas|non|ou|si|peut-être
    |ni|ninguna?|quizás?|não|nao|talvez|se|ma|forse|не|нет|или|если)(?!\w)
    |n['’]t(?!\w)|ない|不|没|或|❌|👎|🚫|🤔|😕""",
    re.IGNORECASE | re.VERBOSE,
)
"""Negation, doubt, condition or a change of mind: whoever writes one of these has not plainly chosen."""

SAYS_OF_THE_OPTION = re.compile(
    r"(?:is|isn['’]?t|was|wasn['’]?t|would|wouldn['’]?t|will|won['’]?t|does|doesn['’]?t|can|can['’]?t|cannot"
    r"|sounds|seems|looks|and|but|because)\b",
    re.IGNORECASE,
)
"""How a sentence begins whose subject is the number before it: "2 is not what I want"."""

QUESTION = re.compile(r"[?؟⸮՞፧]")

GREETING = r"(?:yes|yeah|yep|ok|okay|sure|hi|hello|hey|thanks|thank\ you|thx|please)"

VERB = (
    r"(?:(?:please|let['’]?s|let\ us|i|we|i['’]d|i['’]ll|we['’]ll|i\ would)\s+)?"
    r"(?:go\ with|go\ for|choose|pick|take|use|want|prefer|vote\ for|say|select|my\ (?:answer|choice|pick)\ is|answer:?|it['’]?s)"
)

NOUN = (
    r"(?:option|number|choice|candidate|answer|variant|nr\.?|\#"
    r"|opci[oó]n|nummer|variante|opzione|opç[aã]o|número|numero|вариант)"
)

FILLER = _set(
    """use take pick choose select prefer want mean meant need go with for the a an one ones this that it its it's is in
    on to of endpoint endpoints route routes option handler file function method class module version variant please pls
    i i'd i'll let's lets should be would like only just definitely thanks thank you yes ok okay and"""
)
"""Words around the name of a choice that change nothing."""

# For each language: words that may stand before, the ordinals in order, words that may stand behind.
ORDINALS: tuple[tuple[frozenset[str], tuple[frozenset[str], ...], frozenset[str]], ...] = tuple(
    (
        frozenset(before.split()),
        tuple(frozenset(forms.split("|")) for forms in ordinals.split()),
        frozenset(behind.split()),
    )
    for before, ordinals, behind in (
        ("use take pick choose go with for the i want prefer i'd let's please yes ok",
         "first|1st second|2nd third|3rd fourth|4th fifth|5th", "one option route choice please thanks"),
        ("usa use toma la el lo quiero prefiero", "primera|primero|primer segunda|segundo tercera|tercero cuarta|cuarto quinta|quinto",
         "opción opcion por favor gracias"),
        ("prends prenez la le l' je veux préfère", "première|premier|1ère|1er deuxième|seconde|second|2e|2ème troisième|3e quatrième|4e cinquième|5e",
         "option solution merci svp stp"),
        ("nimm nehmen wir bitte die der das den ich will", "erste|ersten|erster|erstes zweite|zweiten|zweiter|zweites dritte|dritten|dritter|drittes vierte|vierten fünfte|fünften",
         "option variante möglichkeit bitte danke"),
        ("usa prendi la il lo voglio", "prima|primo seconda|secondo terza|terzo quarta|quarto quinta|quinto",
         "opzione per favore grazie"),
        ("usa use a o quero prefiro", "primeira|primeiro segunda|segundo terceira|terceiro quarta|quarto quinta|quinto",
         "opção opcao por favor obrigado obrigada"),
        ("пожалуйста возьми давай", "первый|первая|первое|первую второй|вторая|второе|вторую третий|третья|третье|третью четвёртый|четвертый|четвёртая пятый|пятая|пятое",
         "вариант пожалуйста спасибо"),
        ("", "一番目|最初|一つ目|1番目 二番目|二つ目|2番目 三番目|三つ目|3番目 四番目|四つ目|4番目 五番目|五つ目|5番目", "で お願いします です"),
    )
)  # fmt: skip

FORMER_LATTER = {"former": 1, "latter": 2}
CARDINALS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
