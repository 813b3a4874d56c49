"""What the routes do, without HTTP."""

from app.services.bulk import run_actions, stream_actions
from app.services.items import process_item

__all__ = ["process_item", "run_actions", "stream_actions"]
