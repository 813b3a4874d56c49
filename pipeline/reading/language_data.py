"""The words of natural languages that reading uses. The only such tables, and none of them decides anything.

A heading's words give a section its usual role, where no template says one. Words weigh for a kind of issue, where no
label and no template says one. An issue in a language without words here is read all the same: its sections are
summaries, and its kind is unsure.

A word ending in `*` stands for all words that begin so. A phrase is words in a row. Words of scripts that write no
spaces are looked for anywhere.
"""

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from pipeline.domain.issue import IssueKind, SectionRole

HEADING_WORDS: Mapping[SectionRole, tuple[str, ...]] = MappingProxyType(
    {
        SectionRole.ACCEPTANCE: (
            "acceptance", "definition of done", "done when", "success criteria", "akzeptanzkriteri*", "abnahme*",
            "critères d'acceptation", "criterios de aceptación", "критерии приемки", "критерии приёмки",
            "验收标准", "验收", "受け入れ条件", "完了条件", "인수 조건",
        ),
        SectionRole.EXPECTED: (
            "expect", "expects", "expected", "expecting", "expectation", "should happen", "should have happened", "desired behavior", "desired behaviour", "desired result", "erwart*", "attendu*",
            "esperado", "esperaba", "comportamento esperado", "atteso", "ожидаем*", "ожидал*",
            "期望", "预期", "預期", "期待", "예상", "기대", "المتوقع",
        ),
        SectionRole.ACTUAL: (
            "actual", "actually", "happened instead", "happens instead", "see instead", "get instead", "current behavior", "current behaviour", "observed", "what happened",
            "what happens", "what went wrong", "tatsächlich*", "obtenu", "comportement actuel", "comportamiento actual",
            "comportamento atual", "фактическ*", "实际", "實際", "当前行为", "実際", "실제", "الفعلي",
        ),
        SectionRole.STEPS: (
            "step", "steps", "reproduc*", "repro", "how to trigger", "what did you do", "what i did", "schritte",
            "étapes", "pasos", "passos", "шаги", "воспроизв*", "重现", "复现", "復現", "再現", "재현", "خطوات",
        ),
        SectionRole.LOG: (
            "log", "logs", "logging", "traceback", "tracebacks", "stacktrace*", "stack trace*", "backtrace*", "exception*",
            "error message*", "error output", "console output", "protokoll", "日志", "日誌", "ログ", "로그", "логи",
        ),
        SectionRole.ENVIRONMENT: (
            "environment", "version", "versions", "system", "os", "operating system", "platform", "browser", "device",
            "hardware", "configuration", "config", "install", "installed", "installation", "deployment", "setup",
            "technical details", "debug information", "umgebung", "environnement", "entorno", "ambiente", "окружение",
            "环境", "環境", "版本", "バージョン", "환경", "버전",
        ),
        SectionRole.WISH: (
            "feature", "feature request", "proposal", "proposed", "solution", "suggestion", "request", "like to see",
            "you'd like", "you would like", "want to happen", "enhancement", "improvement", "idea", "wish", "wunsch",
            "vorschlag", "lösung", "proposition", "propuesta", "proposta", "предложение", "решение", "建议", "需求", "功能",
            "方案", "提案", "要望", "제안",
        ),
        SectionRole.CODE: (
            "example", "examples", "sample", "snippet", "minimal example", "code", "mre", "beispiel*", "ejemplo", "exemple",
            "示例", "代码", "サンプル",
        ),
        SectionRole.SUMMARY: (
            "summary", "description", "describe", "overview", "problem", "bug", "issue", "what", "motivation", "goal",
            "use case", "user story", "beschreibung", "zusammenfassung", "résumé", "descripción", "resumen", "descrição",
            "описание", "проблема", "描述", "问题", "概述", "概要", "説明", "설명",
        ),
    }
)  # fmt: skip
"""What a heading usually stands over; a heading of several roles has the first one here."""

OUTPUT_WORDS = (
    "output",
    "screenshot*",
    "screencast*",
    "video*",
    "ausgabe",
    "sortie",
    "salida",
    "输出",
    "出力",
)
"""What a heading says of a section that shows something and asks for nothing."""

ASIDE_WORDS = (
    "alternative*", "additional", "context", "anything else", "other", "workaround*", "work-around*", "possible fix", "related", "references",
    "notes", "working on this", "checklist", "participation", "weitere*", "补充", "其他", "その他",
)  # fmt: skip
"""Headings of sections that do not concern the matter."""

KIND_WORDS: Mapping[IssueKind, tuple[str, ...]] = MappingProxyType(
    {
        IssueKind.BUG: (
            "bug", "bugs", "bugfix", "fix", "defect", "regression", "crash", "problem report", "fehler", "bogue", "error",
            "ошибка", "баг", "缺陷", "错误", "バグ", "不具合", "버그",
        ),
        IssueKind.FEATURE: (
            "feature", "features", "feat", "enhancement", "enhancements", "proposal", "improvement", "rfe", "feature request",
            "request", "idea", "suggestion", "wish", "change", "wunsch", "amélioration", "mejora", "улучшение", "功能", "需求",
            "建议", "要望", "機能", "기능",
        ),
        IssueKind.OTHER: (
            "question", "docs", "doc", "documentation", "support", "discussion", "chore", "maintenance", "refactor*",
            "refactoring", "test", "tests", "ci", "build", "deps", "dependencies", "translation*", "meta", "tracking",
            "release", "frage", "вопрос", "问题咨询", "質問", "质问", "질문",
        ),
    }
)  # fmt: skip
"""The kind by labels, names of templates and prefixes of titles."""

WORDS_OF_NO_TOPIC = (
    "bug", "bugs", "bug report", "report", "issue", "issues", "problem", "problems", "error", "errors", "crash", "crashes",
    "crashed", "fail", "fails", "failed", "failure", "broken", "wrong", "fix", "fixes", "feature", "features", "request",
    "requests", "enhancement", "improvement", "suggestion", "idea", "proposal", "wish", "question", "questions", "help",
    "urgent", "important", "hello", "hi", "thanks", "title", "untitled", "something", "nothing", "anything", "it", "not",
    "work", "works", "working", "needed", "doesn't", "don't", "isn't", "new", "fehler", "frage", "hilfe", "wunsch", "bogue", "erreur",
    "problème", "aide", "ошибка", "вопрос", "проблема", "помощь", "缺陷", "错误", "問題", "问题", "报错", "反馈", "求助", "功能",
    "需求", "建议", "バグ", "不具合", "エラー", "質問", "要望", "報告", "报告", "버그", "오류", "질문",
)  # fmt: skip
"""Words that say of which kind an issue is, and nothing of what it is about."""

FOREIGN_FUNCTION_WORDS = (
    "der", "das", "und", "nicht", "ist", "ein", "eine", "einen", "wird", "wenn", "auch", "mit", "für", "auf", "ich",
    "le", "les", "des", "une", "est", "pas", "dans", "avec", "pour", "je", "que", "qui", "sur", "du", "et",
    "el", "los", "las", "una", "por", "para", "cuando", "não", "uma", "quando", "ao", "il", "che", "di", "della",
    "sono", "het", "een", "niet", "van", "och", "att", "inte", "nie", "jest", "się", "bir", "için",
)  # fmt: skip
"""Frequent words of languages in Latin script, none of which English has."""

ENGLISH_FUNCTION_WORDS = (
    "the", "a", "is", "are", "of", "to", "and", "that", "it", "this", "for", "with", "when", "not", "be", "should", "i",
    "have", "can", "but", "from", "there", "which", "if", "would", "was", "does",
)  # fmt: skip

KIND_WEIGHTS: Mapping[IssueKind, tuple[str, ...]] = MappingProxyType(
    {
        IssueKind.BUG: (
            "bug", "error", "errors", "crash*", "fail", "fails", "failed", "failing", "failure", "broken", "breaks", "wrong",
            "wrongly", "incorrect*", "exception*", "regression", "unexpected*", "doesn't work", "does not work", "not working",
            "doesn't", "does not", "isn't", "is not", "can't", "cannot", "no longer", "panic*", "hangs", "freezes", "leak*",
            "missing", "fehler", "kaputt", "erreur", "ошибка", "не работает", "报错", "错误", "无法", "失败", "エラー", "できない",
            "오류", "خطأ",
        ),
        IssueKind.FEATURE: (
            "add", "allow", "support", "implement", "introduce", "provide", "ability", "option to", "would be nice",
            "would be great", "would be useful", "feature", "enable", "let users", "make it possible", "configurable", "i want",
            "wish", "hinzufügen", "unterstütz*", "ajouter", "añadir", "добавить", "поддержка", "希望", "支持", "增加", "添加",
            "追加", "対応", "추가", "지원", "إضافة", "دعم",
        ),
        IssueKind.OTHER: ("documentation", "docs", "typo", "question", "how do i", "how to", "readme", "refactor*"),
    }
)  # fmt: skip
"""Words of titles that weigh for a kind, where nothing else says it."""

ANNOUNCING_WORDS = (
    "the following", "as follows", "like this", "like so", "something like", "see below", "shown below", "such as", "for example", "for instance",
    "e.g", "i.e", "namely", "wie folgt", "folgendes", "so aus", "zum beispiel", "z.b", "comme suit", "ci-dessous", "par exemple",
    "lo siguiente", "a continuación", "por ejemplo", "o seguinte", "a seguir", "por exemplo", "следующее", "ниже", "например",
    "如下", "以下", "例如", "以下の通り", "次のように", "次の通り", "例えば", "다음과 같이", "아래와 같이", "예를 들어",
)  # fmt: skip
"""With what a sentence ends that only leads to an example or a block behind it."""

POINTING_WORDS = ("this", "these", "below", "like", "so", "here", "unten", "ceci", "esto", "isto", "ниже")
"""Words with which a sentence leads to a block, if one stands behind it."""

NO_ANSWERS = ("no response", "_no response_", "*no response*")
"""What GitHub writes where a field of a form was left empty."""


def roles_in(heading: str) -> tuple[SectionRole, ...]:
    """The roles that a heading's words speak of, the most telling first."""
    return tuple(role for role, words in HEADING_WORDS.items() if words_in(heading, words))


def words_in(text: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """Which words of a table a text has, in their order there, as the text writes them, lower case."""
    return tuple(dict.fromkeys(_pattern(words).findall(text.lower().replace("’", "'"))))


def without_words(text: str, words: tuple[str, ...]) -> str:
    """A text without the words of a table, lower case."""
    return _pattern(words).sub(" ", text.lower().replace("’", "'"))


@cache
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    words_with_spaces = sorted((word for word in words if _has_spaces(word)), key=len, reverse=True)
    words_without_spaces = sorted((word for word in words if not _has_spaces(word)), key=len, reverse=True)
    parts = [re.escape(word).replace(r"\*", r"\w*").replace(r"\ ", r"\s+") for word in words_with_spaces]
    patterns = [rf"(?<!\w)(?:{'|'.join(parts)})(?!\w)", *map(re.escape, words_without_spaces)]
    return re.compile("|".join(patterns))


def _has_spaces(word: str) -> bool:
    """Whether the word's script sets spaces between words: Han, kana and Hangul are read as if they did not."""
    return all(ord(sign) < 0x3000 for sign in word)
