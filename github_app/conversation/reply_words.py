"""The words that a reply may be made of. What is not listed here is not understood, and starts nothing."""

import re

from github_app.conversation.reply_languages import any_of


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


GO = frozenset({"go"})
"""Consent to the default, for every kind of question."""

YES = re.compile(rf"(?:{any_of('yes')})(?:\ (?:{any_of('polite')}))?")
AGREE = frozenset(
    {
        "ok", "okay", "yep", "yeah", "sure", "👍", "your call", "you decide", "go ahead", "go for it", "proceed",
        "go please", "ok go", "yes go", "sounds good",
    }
)  # fmt: skip
"""Consent only where the default is plainly what one agrees to: never for a confirmation or an escalation."""

CANCEL = frozenset(
    {"cancel", "stop", "abort", "never mind", "nevermind", "forget it", "drop it", "👎", "please cancel", "please stop",
     "cancel please", "stop please"}
)  # fmt: skip

HELP = frozenset({"help", "help please"})
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

BECAUSE = rf"(?:{any_of('because')})"
"""What begins a reason."""

POLITE = rf"(?:pls|thx|{any_of('polite')})"

REJECTION = re.compile(rf"(?:{any_of('rejection')})(?=[\s.,;:!–—、。-])[\s.,;:!–—、。-]*", re.IGNORECASE)
"""How a reply begins that means none of the choices, and may go on to say what is meant instead."""

SAYS_OF_THE_OPTION = re.compile(
    r"(?:is|isn['’]?t|was|wasn['’]?t|would|wouldn['’]?t|will|won['’]?t|does|doesn['’]?t|can|can['’]?t|cannot"
    r"|sounds|seems|looks|and|but|because)\b",
    re.IGNORECASE,
)
"""How a sentence begins whose subject is the number before it: "2 is not what I want"."""

QUESTION = re.compile(r"[?؟⸮՞፧]")

GREETING = rf"(?:yeah|yep|ok|okay|sure|hi|hello|hey|thx|{any_of('greeting')}|{any_of('polite')})"

_OF_A_WISH = r"but|and|please|pls|also|only|just|with|to|except|then|so"
COURTESY = re.compile(
    rf"""(?:thank(?:s|\ you)|thx|ty|cheers)(?:\ (?!(?:{_OF_A_WISH})\b)[\w'’@-]+){{0,5}}
    |(?:great|nice|good|perfect|awesome|excellent|lovely|cool)(?:\ (?:work|job|plan|question|catch|point|find|one))?
    |(?:looks|sounds)\ (?:good|great|right|fine)(?:\ to\ me)?|lgtm|agreed|{POLITE}|{GREETING}""",
    re.IGNORECASE | re.VERBOSE,
)
"""A sentence that holds no wish: thanks, a greeting, praise."""

_SURELY = r"(?:definitely|certainly|clearly|absolutely)"
VERB = (
    rf"(?:(?:(?:please|let['’]?s|let\ us|i|we|i['’]d|i['’]ll|we['’]ll|i\ would|i\ think(?:\ we\ should)?)\s+)?(?:{_SURELY}\s+)?"
    r"(?:go\ with|go\ for|choose|pick|take|use|do|want|prefer|vote\ for|say|select|mean|meant|answer:?|it['’]?s|it\ is"
    rf"|(?:the|my|our)\ (?:answer|choice|pick|vote|preference)(?:\ is|:))|i\ think|{_SURELY})"
)

APPROVAL = r"""(?:(?:works|(?:is|looks|sounds|seems)\ (?:good|great|right|fine|ok|okay|perfect|best))\ (?:for|to|with|by)\ (?:me|us)
    |sounds\ (?:good|great|right|fine)|it\ is|is\ (?:the\ (?:right\ )?one|(?:my|our)\ (?:answer|choice|pick|vote|preference)))"""
"""What is said behind a choice that one takes. "2 works" and "2 is fine" may say how 2 behaves."""

NOUN = (
    r"(?:option|number|choice|candidate|answer|variant|nr\.?|\#"
    r"|opci[oó]n|nummer|variante|opzione|opç[aã]o|número|numero|вариант)"
)

DEFAULT = re.compile(
    rf"""(?:{GREETING}\s+)?(?!it\b)(?:{VERB}\s+)?(?:the\s+)?default(?:\s+(?:one|option|choice|answer))?
    (?:\s+(?:{APPROVAL}|{POLITE}))?""",
    re.IGNORECASE | re.VERBOSE,
)
"""A whole phrase that takes the default by its name: consent as in `AGREE`."""

_BOTH = r"(?:both|beide|ambos|les\ deux)"
SEVERAL_CHOICES = re.compile(
    rf"""(?:{GREETING}\s+(?!(?:all|{_BOTH})(?:\s+{POLITE})?$)
    |(?:{any_of("yes")}|(?:yeah|yep|ok|okay|sure|please|pls)(?!\s+all\b))\s+(?!.*\b(?:thanks|thank\ you|thx)$))?
    (?:{VERB}\s+)?(?:for\s+)?(?:(?P<all>all)|{_BOTH})
    (?:\s+(?:of\s+)?(?:these|those|them)|\s+(?:(?:of\s+)?(?:the|these|those)\s+)?
    (?:options|choices|candidates|routes|endpoints|handlers|functions|methods|classes|modules|files|places))?
    (?:\s+{POLITE})?""",
    re.IGNORECASE | re.VERBOSE,
)
"""A whole phrase that means several choices; `all` means more than two as well. A bare word behind a greeting names people:
"Hi all", "Thanks both!". Behind a yes it is a choice, unless thanks follow: "ok, both".
"""

FILLER = _set(
    """use take pick choose select prefer want mean meant need go with for the a an one ones this that it its it's is in
    on to of endpoint endpoints route routes option handler file function method class module version variant please pls
    i i'd i'll let's lets should be would like only just definitely thanks thank you yes ok okay and"""
)
"""Words around the name of a choice that change nothing."""

FORMER_LATTER = {"former": "first", "latter": "second"}
"""What these mean where there are two choices."""
