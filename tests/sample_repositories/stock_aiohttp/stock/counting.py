"""Count."""


def count_article(sku: str, count: object) -> int:
    """Note how many of an article there are."""
    return int(str(count)) if sku else 0
