"""Settings, all of them from the environment."""

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    database: str = os.environ.get("GERMBANK_DB", "germbank.db")
    #: seeds that stay in the drawer whatever happens
    reserve: int = int(os.environ.get("GERMBANK_RESERVE", "200"))
    #: prefix of our accession numbers
    prefix: str = os.environ.get("GERMBANK_PREFIX", "GB")
    #: where the curators get their mail; empty means no mail
    curators: str = os.environ.get("GERMBANK_CURATORS", "")
    smtp_host: str = os.environ.get("GERMBANK_SMTP", "localhost")


settings = Settings()
