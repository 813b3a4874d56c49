"""The commands of `askfirst-app` in their groups: its `--help`."""

from pipeline.contract.start_page import StartPage

PAGE = StartPage(
    "askfirst-app",
    "Ask the author, read the reply, start the run again.",
    {
        "setup": ("Set up", "Register the App on GitHub in one click."),
        "check": ("Set up", "Compare the App on GitHub with its settings here."),
        "serve": ("Run the App", "Run the web server and one worker."),
        "web": ("Run the App", "Run only the web server, which stores deliveries."),
        "worker": ("Run the App", "Run only the worker, which handles stored deliveries."),
        "list": ("Look after it", "List the open conversations: whose turn it is."),
        "stuck": ("Look after it", "List the deliveries that failed for good or take suspiciously long."),
        "replay": ("Look after it", "Handle a delivery again."),
        "sweep": ("Look after it", "Look for missed events at once."),
        "backup": ("Look after it", "Copy the database while the App runs."),
        "event": ("In a job, without the App", "Take the event that started the workflow."),
        "publish": ("In a job, without the App", "Say how the pipeline's job ended."),
    },
)
