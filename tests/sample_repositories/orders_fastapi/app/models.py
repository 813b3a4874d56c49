"""Tables."""

from datetime import UTC, datetime

from sqlmodel import Field, SQLModel


def now() -> datetime:
    return datetime.now(UTC)


class Customer(SQLModel, table=True):
    id: int | None = Field(default=None, primary_key=True)
    name: str
    email: str = Field(unique=True, index=True)
    archived: bool = False
    created_at: datetime = Field(default_factory=now)


class Order(SQLModel, table=True):
    id: int | None = Field(default=None, primary_key=True)
    customer_id: int = Field(foreign_key="customer.id", index=True)
    status: str = Field(default="open", index=True)
    total_cents: int = 0
    note: str | None = None
    archived: bool = False
    idempotency_key: str | None = Field(default=None, unique=True)
    created_at: datetime = Field(default_factory=now)


class AuditEntry(SQLModel, table=True):
    id: int | None = Field(default=None, primary_key=True)
    account: str
    what: str
    at: datetime = Field(default_factory=now)
