"""What people wrote, as HTML for the pages: Markdown as GitHub shows it, with hidden comments hidden and code previews."""

import html
import re
from collections.abc import Callable, Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

Preview = Callable[[str, str, int, int], str | None]
"""Lines of a file as text: commit, path, first and last line; None if there is no such file."""

_KEPT_TAG = re.compile(r"</?(?:details|summary|sub|sup|kbd|br|b|i|em|strong|code|p)\s*/?>", re.IGNORECASE)
_HTML_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_ADDRESS = re.compile(r"https?://[^\s<>\"']+[^\s<>\"'.,;:!?)]")


def render_markdown(text: str | None, repository_url: str, preview: Preview) -> str:
    """HTML of an issue's or comment's body.

    Raw HTML is shown as text, but for a few harmless tags. The address of lines of a file of this repository, alone in
    its paragraph, becomes a preview of those lines, as on GitHub.
    """
    if not text or not text.strip():
        return "<p><em>No description provided.</em></p>"
    permalink = re.compile(re.escape(repository_url) + r"/blob/([0-9a-f]{40})/([^#?\s]+)#L(\d+)(?:-L(\d+))?")
    environment = {"permalink": permalink, "preview": preview}
    return str(_markdown().render(text, environment))


@cache
def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": True, "breaks": True}).enable(["table", "strikethrough"])
    markdown.disable("image")
    markdown.core.ruler.push("previews_and_addresses", _previews_and_addresses)
    for kind in ("html_block", "html_inline"):
        markdown.add_render_rule(kind, _render_html)
    markdown.add_render_rule("preview", _render_preview)
    return markdown


def _render_html(
    _renderer: object, tokens: Sequence[Token], index: int, _options: object, _env: object
) -> str:
    text = _HTML_COMMENT.sub("", tokens[index].content)
    parts: list[str] = []
    position = 0
    for tag in _KEPT_TAG.finditer(text):
        parts += [html.escape(text[position : tag.start()]), tag[0]]
        position = tag.end()
    return "".join([*parts, html.escape(text[position:])])


def _render_preview(
    _renderer: object, tokens: Sequence[Token], index: int, _options: object, _env: object
) -> str:
    return tokens[index].content


def _previews_and_addresses(state: StateCore) -> None:
    for token in state.tokens:
        if token.type != "inline":
            continue
        permalink = state.env["permalink"].fullmatch(token.content.strip())
        preview = _preview_of(permalink, state.env["preview"]) if permalink else None
        if preview is not None:
            token.children = [Token("preview", "", 0, content=preview)]
        else:
            token.children = _with_links(token.children or [])


def _preview_of(permalink: re.Match[str], preview: Preview) -> str | None:
    commit, path, first, last = (
        permalink[1],
        permalink[2],
        int(permalink[3]),
        int(permalink[4] or permalink[3]),
    )
    text = preview(commit, path, first, last)
    if text is None:
        return None
    lines = "".join(
        f'<span class="n">{number}</span>{html.escape(line)}\n'
        for number, line in enumerate(text.splitlines(), first)
    )
    address = html.escape(permalink[0])
    return (
        f'<span class="preview"><a href="{address}">{html.escape(path)}</a> '
        f"<small>lines {first} to {last} at {commit[:7]}</small><code>{lines}</code></span>"
    )


def _with_links(children: Sequence[Token]) -> list[Token]:
    """Bare addresses in text become links, as on GitHub."""
    links: list[Token] = []
    inside = 0
    for token in children:
        inside += {"link_open": 1, "link_close": -1}.get(token.type, 0)
        if token.type != "text" or inside:
            links.append(token)
            continue
        position = 0
        for address in _ADDRESS.finditer(token.content):
            opening = Token("link_open", "a", 1, attrs={"href": address[0]})
            before = Token("text", "", 0, content=token.content[position : address.start()])
            links += [
                before,
                opening,
                Token("text", "", 0, content=address[0]),
                Token("link_close", "a", -1),
            ]
            position = address.end()
        links.append(Token("text", "", 0, content=token.content[position:]))
    return links
