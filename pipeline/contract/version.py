"""The version of askfirst, which the package and both programs read from here."""

VERSION = "0.1.0"
