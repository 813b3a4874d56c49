"""Draws stickers."""

from html import escape

from germbank.services import stock

PER_SHEET = 24


def render_label(number: str, size: str = "packet") -> str:
    """One sticker: number, name, drawer."""
    row = stock.get(number)
    name = f"{row['genus']} {row['species']}"
    if size == "packet" and len(name) > 28:
        name = name[:27] + "."
    parts = [number, name]
    if size == "drawer":
        parts.append(row.get("drawer") or "no drawer")
    return " | ".join(parts)


def lay_out(drawn: list[str], start_at: int) -> str:
    """Puts the stickers on the sheet, and leaves out the ones that are gone."""
    cells = [""] * (start_at - 1) + drawn
    pages = [cells[i : i + PER_SHEET] for i in range(0, len(cells), PER_SHEET)]
    return "".join("<section>" + "".join(f"<div>{escape(c)}</div>" for c in page) + "</section>" for page in pages)
