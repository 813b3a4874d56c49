"""Why a file is not read to its end."""


class FileUnfit(ValueError):
    """A file that is not read to its end; the message says why."""


class TooDeep(FileUnfit):
    """The file nests deeper than a person would write."""


class TooSlow(FileUnfit):
    """Reading took too long. Another time it may not: such a result is not kept."""
