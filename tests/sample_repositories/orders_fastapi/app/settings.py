"""What may differ from one installation to the next."""

from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="ORDERS_")

    database_url: str = "sqlite:///orders.db"
    reports_prefix: str = "/reports"
    page_size: int = 50
    bulk_limit: int = 500
    api_keys: list[str] = []


settings = Settings()
