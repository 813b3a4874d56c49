"""Settings of the reception's application."""

from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="DESK_")

    hotel_name: str = "Harbour House"
    page_size: int = 40
    # Minutes until a request to the card terminal is given up.
    request_timeout: int = 2


settings = Settings()
