"""One file per command of `askfirst`. A command returns an exit code; only `pipeline.cli` exits."""
