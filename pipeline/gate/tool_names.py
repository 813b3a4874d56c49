"""The names of the tools that an agent may ask for: the words that rules, agent files and calls share."""

from enum import StrEnum


class Tool(StrEnum):
    """A tool that an agent file may name. Naming one allows nothing: each call still passes the gate."""

    READ_FILE = "read_file"
    EDIT_FILE = "edit_file"
    CREATE_FILE = "create_file"
    RUN_COMMAND = "run_command"
    RUN_CODE = "run_code"
    RUN_TESTS = "run_tests"
    SEARCH_CODE = "search_code"
    LIST_FILES = "list_files"
    FIND_IN_REGISTRY = "find_in_registry"
    FIND_CALLERS = "find_callers"
    FIND_TESTS = "find_tests"
    DESCRIBE_ENTRY = "describe_entry"
    FIND_PLACES = "find_places"
    HISTORY = "history"
    SEARCH_ISSUES = "search_issues"
    READ_ISSUE = "read_issue"
    DELEGATE = "delegate"
    REPLY_TO_CHILD = "reply_to_child"
    ASK_PERSON = "ask_person"


FAMILY_TOOLS = (Tool.DELEGATE, Tool.REPLY_TO_CHILD, Tool.ASK_PERSON)
"""The tools of an agent that may start others. They come with `agents` in its file."""


WRITING_TOOLS = frozenset({Tool.EDIT_FILE, Tool.CREATE_FILE})
"""Tools that write one file of the tree, which their `path` names."""


PATH_TOOLS = frozenset({Tool.READ_FILE, *WRITING_TOOLS})
"""Tools whose call names one file, in `path`."""


READING_TOOLS = frozenset(
    {
        Tool.READ_FILE,
        Tool.SEARCH_CODE,
        Tool.LIST_FILES,
        Tool.FIND_IN_REGISTRY,
        Tool.FIND_CALLERS,
        Tool.FIND_TESTS,
        Tool.DESCRIBE_ENTRY,
        Tool.FIND_PLACES,
        Tool.HISTORY,
        Tool.SEARCH_ISSUES,
        Tool.READ_ISSUE,
    }
)
"""Tools that change nothing and start no program of the repository: all that an agent may have that only explores."""
