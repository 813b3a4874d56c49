"""What the App asks of GitHub: its permissions and events, named once for the registration and for the check."""

PERMISSIONS = {
    "actions": "write",
    "checks": "read",
    "contents": "write",
    "issues": "write",
    "metadata": "read",
    "pull_requests": "write",
}

EVENTS = ("issues", "issue_comment", "pull_request_review", "workflow_run", "check_suite")

LABEL = "askfirst"
WORKFLOW_FILE = "askfirst.yml"
WEBHOOK_PATH = "/webhook"
