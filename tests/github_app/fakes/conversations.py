"""The stores of conversations and of costs, in memory."""

from datetime import date

from github_app.conversation.record import Conversation, State
from github_app.ports.conversations import RunCost


class Conversations:
    """The store: compare and set, as JSON, so that nothing survives by being the same object."""

    def __init__(self) -> None:
        self.rows: dict[tuple[int, int], str] = {}

    def get(self, repository_id: int, issue: int) -> Conversation | None:
        row = self.rows.get((repository_id, issue))
        return Conversation.model_validate_json(row) if row is not None else None

    def numbers(self, repository_id: int, states: frozenset[State]) -> list[int]:
        records = [Conversation.model_validate_json(row) for row in self.rows.values()]
        return [
            record.issue
            for record in records
            if record.repository_id == repository_id and record.state in states
        ]

    def put(self, conversation: Conversation) -> bool:
        key = (conversation.repository_id, conversation.issue)
        stored = self.get(*key)
        if (stored.version if stored else 0) != conversation.version - 1:
            return False
        self.rows[key] = conversation.model_dump_json()
        return True

    def issue_of_pull_request(self, repository_id: int, number: int) -> int | None:
        for (repository, issue), row in self.rows.items():
            pull_request = Conversation.model_validate_json(row).pull_request
            if repository == repository_id and pull_request is not None and pull_request.number == number:
                return issue
        return None

    def issue_of_run(self, repository_id: int, run_id: int) -> int | None:
        for (repository, issue), row in self.rows.items():
            if repository == repository_id and run_id in Conversation.model_validate_json(row).runs:
                return issue
        return None


class Costs:
    """What runs have cost, one row for each attempt."""

    def __init__(self) -> None:
        self.rows: dict[tuple[int, int, int], RunCost] = {}

    def add(self, cost: RunCost) -> None:
        self.rows.setdefault((cost.repository_id, cost.run_id, cost.attempt), cost)

    def of_run(self, repository_id: int, run_id: int, attempt: int) -> float | None:
        row = self.rows.get((repository_id, run_id, attempt))
        return None if row is None else row.dollars

    def on_day(self, repository_id: int, day: date) -> float:
        rows = self.rows.values()
        return sum(row.dollars for row in rows if (row.repository_id, row.day) == (repository_id, day))
