"""Finding and changing orders."""

from collections.abc import Sequence

from sqlmodel import Session, col, select

from app.models import Order
from app.schemas import OrderCreate, OrderUpdate


class OrderStore:
    """Orders in the database."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def find(self, *, status: str | None, limit: int, offset: int) -> Sequence[Order]:
        query = select(Order).where(col(Order.archived).is_(False)).offset(offset).limit(limit)
        if status is not None:
            query = query.where(Order.status == status)
        return self.session.exec(query).all()

    def get(self, order_id: int) -> Order | None:
        return self.session.get(Order, order_id)

    def by_key(self, key: str) -> Order | None:
        return self.session.exec(select(Order).where(Order.idempotency_key == key)).first()

    def create(self, body: OrderCreate, key: str | None) -> Order:
        known = self.by_key(key) if key is not None else None
        return known or self.save(Order(**body.model_dump(), idempotency_key=key))

    def update(self, order: Order, body: OrderUpdate) -> Order:
        order.sqlmodel_update(body.model_dump(exclude_unset=True))
        return self.save(order)

    def save(self, order: Order) -> Order:
        self.session.add(order)
        self.session.commit()
        self.session.refresh(order)
        return order
