"""Past commits as tickets: where the files that they changed stand in the ranking, what was claimed, what was asked."""

from collections.abc import Sequence
from math import sqrt
from statistics import median

from pipeline.domain.models import FrozenModel

HIT_RANKS = (1, 5, 10)


class Share(FrozenModel):
    """A part of a whole, and between which shares the true one lies with 95 % (Wilson); None where the whole is nothing."""

    part: int
    whole: int
    share: float | None
    low: float | None
    high: float | None

    def __str__(self) -> str:
        if self.share is None:
            return "-"
        return f"{self.share:.0%} ({self.low:.0%} to {self.high:.0%})"


class ReplayedTicket(FrozenModel):
    """A past commit, replayed. Nothing of its text is kept.

    Attributes:
        ranks: of each file that it changed, None for one that the ranking does not hold.
        bm25_rank: of the first of them by plain BM25 over the source files.
        is_claim_right: whether a file that it changed is among those claimed; None without a claim.
        is_ask_right: the same for the files that would be asked about.
    """

    commit: str
    confidence: str
    ranks: tuple[int | None, ...]
    bm25_rank: int | None
    is_claim_right: bool | None
    is_ask_right: bool | None
    seconds: float

    @property
    def rank(self) -> int | None:
        """The rank of the first right file."""
        return min((rank for rank in self.ranks if rank is not None), default=None)


class ReplaySummary(FrozenModel):
    """How well a repository's own past would have been served.

    Attributes:
        hits: by rank: share of the tickets with a right file among so many.
        bm25_hits: the same for plain BM25 in the same run.
        claims: how many tickets got a target; `claims_right` how many of those a right one.
        asks: how many tickets would be asked about; `asks_right` how many of those about a right file, too.
        opening_seconds: to open index and history.
        ticket_seconds: to rank one ticket, in the median.
        megabytes: peak of this process's memory.
    """

    base: str
    tickets: int
    files: int
    commits: int
    hits: dict[int, Share]
    bm25_hits: dict[int, Share]
    claims: Share
    claims_right: Share
    asks: Share
    asks_right: Share
    opening_seconds: float
    ticket_seconds: float
    megabytes: float
    notes: tuple[str, ...] = ()


def share(part: int, whole: int) -> Share:
    """A share with its Wilson interval: honest about small wholes, where a plain share pretends to know."""
    if not whole:
        return Share(part=part, whole=whole, share=None, low=None, high=None)
    z = 1.96
    at = part / whole
    middle = (at + z * z / (2 * whole)) / (1 + z * z / whole)
    reach = z * sqrt(at * (1 - at) / whole + z * z / (4 * whole * whole)) / (1 + z * z / whole)
    low, high = max(0.0, middle - reach), min(1.0, middle + reach)
    return Share(part=part, whole=whole, share=round(at, 4), low=round(low, 4), high=round(high, 4))


def summarise_replay(
    tickets: Sequence[ReplayedTicket],
    *,
    base: str,
    files: int,
    commits: int,
    opening_seconds: float,
    megabytes: float,
    notes: tuple[str, ...] = (),
) -> ReplaySummary:
    """The figures of all tickets."""
    claims = [ticket.is_claim_right for ticket in tickets if ticket.is_claim_right is not None]
    asks = [ticket.is_ask_right for ticket in tickets if ticket.is_ask_right is not None]
    return ReplaySummary(
        base=base,
        tickets=len(tickets),
        files=files,
        commits=commits,
        hits={rank_limit: _hits([ticket.rank for ticket in tickets], rank_limit) for rank_limit in HIT_RANKS},
        bm25_hits={
            rank_limit: _hits([ticket.bm25_rank for ticket in tickets], rank_limit)
            for rank_limit in HIT_RANKS
        },
        claims=share(len(claims), len(tickets)),
        claims_right=share(sum(claims), len(claims)),
        asks=share(len(asks), len(tickets)),
        asks_right=share(sum(asks), len(asks)),
        opening_seconds=round(opening_seconds, 2),
        ticket_seconds=round(median([ticket.seconds for ticket in tickets]), 3) if tickets else 0.0,
        megabytes=round(megabytes, 1),
        notes=notes,
    )


def replay_table(summary: ReplaySummary) -> str:
    """The figures as text, each with its 95 % interval."""
    hits = "\n".join(
        f"  {'ranked first' if limit == 1 else f'among the first {limit}':22}"
        f"{summary.hits[limit]!s:22}{summary.bm25_hits[limit]}"
        for limit in HIT_RANKS
    )
    return f"""\
{summary.tickets:,} past commits as tickets. Indexed before them, at {summary.base[:9]}: {summary.files:,} files.

A changed file is       askfirst              plain BM25
{hits}

Named a target in       {summary.claims.part} of {summary.tickets}; a changed file in {summary.claims_right.part} of these
Asked in                {summary.asks.part} of {summary.tickets}; about a changed file in {summary.asks_right.part} of these

In parentheses: 95 % intervals. {summary.opening_seconds:.1f} s to index, {summary.ticket_seconds:.2f} s for each ticket, \
{summary.megabytes:.0f} MB.
{chr(10).join(summary.notes)}""".rstrip()


def holds(paths: Sequence[str], right: Sequence[str]) -> bool | None:
    """Whether one of the paths is right; None without any."""
    return any(path in right for path in paths) if paths else None


def _hits(ranks: Sequence[int | None], rank_limit: int) -> Share:
    return share(sum(rank is not None and rank <= rank_limit for rank in ranks), len(ranks))
