"""What requests carry."""

from typing import Literal

from pydantic import BaseModel, Field


class BulkAction(BaseModel):
    """One action on many orders."""

    action: Literal["close", "archive", "refund"]
    order_ids: list[int] = Field(min_length=1)
    reason: str


class OrderBase(BaseModel):
    total_cents: int = Field(ge=0)
    note: str | None = None


class OrderCreate(OrderBase):
    customer_id: int


class OrderUpdate(OrderBase):
    status: Literal["open", "paid", "closed"] | None = None


class CustomerCreate(BaseModel):
    name: str
    email: str


class CustomerUpdate(BaseModel):
    name: str | None = None
    archived: bool | None = None
