"""The App out of its ports."""

from collections.abc import Callable
from dataclasses import dataclass, field

from github_app.conversation.record import Conversation
from github_app.daily_budget import DailyBudget
from github_app.ports.conversations import Clock, Conversations, Markers, Surface, Timers
from github_app.ports.github import (
    Artifacts,
    Checks,
    Issues,
    Lags,
    Permissions,
    Publisher,
    PullRequests,
    Workflows,
)
from github_app.ports.surfaces import Announcements


@dataclass(frozen=True)
class App:
    """All that the App needs: its ports, and the secret of which it makes its nonces.

    `checks_wait` is true where a job's own token opens pull requests: GitHub then starts no check unasked. `checkpoint` is
    called with each name of `perform.BOUNDARIES` when it is passed.
    """

    issues: Issues
    permissions: Permissions
    workflows: Workflows
    artifacts: Artifacts
    publisher: Publisher
    pull_requests: PullRequests
    checks: Checks
    conversations: Conversations
    timers: Timers
    clock: Clock
    surface: Surface
    markers: Markers
    secret: bytes
    lags: Lags = field(default_factory=Lags)
    announcements: Announcements | None = None
    checks_wait: bool = False
    budget: DailyBudget | None = None
    bot_name: str = "askfirst"
    workflow_path: str = ".github/workflows/askfirst.yml"
    checkpoint: Callable[[str], None] = lambda _name: None
    on_change: Callable[[Conversation, Conversation], None] | None = None
