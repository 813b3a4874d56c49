"""What people say to a numbered question in each language that is read: numbers, yes, thanks, none of these, because.

Data only; `tests/contract/test_reply_languages.py` holds what each line must and must not mean.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class ReplyLanguage:
    """The words of one language. Numbers stand in their order, and several forms of one are separated by `|`.

    `before` and `behind` may stand around a number, `noun` right before a cardinal. `elsewhere` are cardinals that are
    words of another language, and count only behind a noun: the Portuguese "um" is a noise in English. `is_unspaced` says
    that words are written without spaces. `yes`, `polite`, `rejection`, `because` and `greeting` are patterns.
    """

    before: str
    noun: str
    ordinals: str
    cardinals: str
    behind: str
    yes: str
    polite: str
    rejection: str
    because: str
    greeting: str
    elsewhere: str = ""
    is_unspaced: bool = False


LANGUAGES = {
    "English": ReplyLanguage(
        before="use take pick choose go with for the i want prefer i'd let's please yes ok",
        noun="option number choice",
        ordinals="first|1st second|2nd third|3rd fourth|4th fifth|5th",
        cardinals="one two three four five",
        behind="one option route choice please thanks",
        yes="yes",
        polite="please|thank you|thanks",
        rejection="neither of (?:these|them|the two)|none of (?:these|them)|neither(?: one)?|none",
        because="because|since",
        greeting="yes",
    ),
    "Spanish": ReplyLanguage(
        before="usa use toma la el lo quiero prefiero",
        noun="opción opcion número numero",
        ordinals="primera|primero|primer segunda|segundo tercera|tercero cuarta|cuarto quinta|quinto",
        cardinals="uno|una dos tres cuatro cinco",
        behind="opción opcion por favor gracias",
        yes="sí|si",
        polite="por favor|gracias",
        rejection="ningun[oa](?: de (?:los|las) dos)?",
        because="porque|ya que",
        greeting="sí|hola",
    ),
    "French": ReplyLanguage(
        before="prends prenez la le l' je veux préfère",
        noun="option numéro numero",
        ordinals="première|premier|1ère|1er deuxième|seconde|second|2e|2ème troisième|3e quatrième|4e cinquième|5e",
        cardinals="un|une deux trois quatre cinq",
        behind="option solution merci svp stp",
        yes="oui",
        polite="merci|svp|stp|s['’]il (?:vous|te) pla[iî]t",
        rejection="aucune?(?: des deux)?|ni l['’]une? ni l['’]autre",
        because="parce qu[e'’]|car|puisqu[e'’]",
        greeting="oui|bonjour|salut",
    ),
    "German": ReplyLanguage(
        before="nimm nehmen wir bitte die der das den ich will",
        noun="option nummer variante möglichkeit",
        ordinals="erste|ersten|erster|erstes zweite|zweiten|zweiter|zweites dritte|dritten|dritter|drittes vierte|vierten fünfte|fünften",
        cardinals="eins zwei drei vier fünf",
        behind="option variante möglichkeit bitte danke",
        yes="ja",
        polite="bitte|danke",
        rejection="kein(?:e|en|er|es|s)(?: (?:von|der) beiden| davon)?|weder noch",
        because="weil|denn",
        greeting="ja|hallo",
    ),
    "Italian": ReplyLanguage(
        before="usa prendi la il lo voglio",
        noun="opzione numero",
        ordinals="prima|primo seconda|secondo terza|terzo quarta|quarto quinta|quinto",
        cardinals="uno|una due tre quattro cinque",
        behind="opzione per favore grazie",
        yes="sì|si",
        polite="per favore|grazie",
        rejection="nessun[oa](?: dei due| delle due)?",
        because="perch[eé]|poiché",
        greeting="sì|ciao",
        elsewhere="due",
    ),
    "Portuguese": ReplyLanguage(
        before="usa use a o quero prefiro",
        noun="opção opcao número numero",
        ordinals="primeira|primeiro segunda|segundo terceira|terceiro quarta|quarto quinta|quinto",
        cardinals="um|uma dois|duas três|tres quatro cinco",
        behind="opção opcao por favor obrigado obrigada",
        yes="sim",
        polite="por favor|obrigad[oa]",
        rejection="nenhuma?(?: d[oa]s du?[oa]i?s)?",
        because="porque|já que",
        greeting="sim|olá",
        elsewhere="um",
    ),
    "Russian": ReplyLanguage(
        before="пожалуйста возьми давай",
        noun="вариант номер",
        ordinals="первый|первая|первое|первую второй|вторая|второе|вторую третий|третья|третье|третью четвёртый|четвертый|четвёртая пятый|пятая|пятое",
        cardinals="один два три четыре пять",
        behind="вариант пожалуйста спасибо",
        yes="да",
        polite="пожалуйста|спасибо",
        rejection="ни один|ни то,? ни другое",
        because="потому что|так как",
        greeting="да|привет",
    ),
    "Japanese": ReplyLanguage(
        before="",
        noun="",
        ordinals="一番目|最初|一つ目|1番目 二番目|二つ目|2番目 三番目|三つ目|3番目 四番目|四つ目|4番目 五番目|五つ目|5番目",
        cardinals="一番|1番|一つ 二番|2番|二つ 三番|3番|三つ 四番|4番|四つ 五番|5番|五つ",
        behind="で お願いします です ください",
        yes="はい|ええ",
        polite="お願いします|ありがとう",
        rejection="どちらでもない|どれでもない",
        because="ので|なぜなら",
        greeting="はい",
        is_unspaced=True,
    ),
    "Chinese": ReplyLanguage(
        before="选 選 用 要",
        noun="",
        ordinals="第一个|第一個|第1个 第二个|第二個|第2个 第三个|第三個|第3个 第四个|第四個|第4个 第五个|第五個|第5个",
        cardinals="一|1号 二|2号 三|3号 四|4号 五|5号",
        behind="吧 谢谢 謝謝",
        yes="是|是的|好的",
        polite="谢谢|謝謝",
        rejection="都不是",
        because="因为|因為",
        greeting="好的",
        is_unspaced=True,
    ),
}


def any_of(field: str) -> str:
    """A pattern for a field of every language; what stands there is a pattern already."""
    return "|".join(
        getattr(language, field).replace(" ", "\\ ")
        for language in LANGUAGES.values()
        if getattr(language, field)
    )


def number_meant(tokens: list[str]) -> int | None:
    """The number from 1 that some words mean in one of the languages, if they mean nothing else."""
    return next((number for language in LANGUAGES.values() if (number := _number_in(language, tokens))), None)


def _number_in(language: ReplyLanguage, tokens: list[str]) -> int | None:
    before, behind = language.before.split(), language.behind.split()
    if language.is_unspaced:
        tokens = [_without_joined("".join(tokens), before, behind)]
    start = next((at for at, token in enumerate(tokens) if token not in before), len(tokens))
    end = next((at for at in range(len(tokens), start, -1) if tokens[at - 1] not in behind), start)
    inner = tokens[start:end] or tokens
    has_noun = len(inner) == 2 and inner[0] in language.noun.split()
    if len(inner) == 1 and (number := _place(language.ordinals, inner[0])):
        return number
    is_lone = len(inner) == 1 and start == 0 and inner[0] not in language.elsewhere.split()
    return _place(language.cardinals, inner[-1]) if has_noun or is_lone else None


def _place(numbers: str, token: str) -> int | None:
    return next((at for at, forms in enumerate(numbers.split(), 1) if token in forms.split("|")), None)


def _without_joined(text: str, before: list[str], behind: list[str]) -> str:
    for word in before:
        text = text.removeprefix(word)
    for word in (*reversed(behind), *reversed(behind)):
        text = text.removesuffix(word)
    return text
