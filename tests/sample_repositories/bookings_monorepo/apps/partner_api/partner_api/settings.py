"""Settings of the partner application."""

from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="PARTNER_")

    commission_percent: int = 12
    # Minutes until a call-back to an agency is given up.
    request_timeout: int = 2
    max_nights: int = 28


settings = Settings()
