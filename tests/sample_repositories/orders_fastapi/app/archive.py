"""Archive old orders: `python -m app.archive --older-than 365`."""

import argparse
from datetime import timedelta

from sqlmodel import Session, select

from app.database import engine
from app.models import Order, now


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--older-than", type=int, default=365, metavar="DAYS")
    options = parser.parse_args()
    with Session(engine) as session:
        for order in session.exec(select(Order).where(Order.created_at < now() - timedelta(options.older_than))):
            order.archived = True
            session.add(order)
        session.commit()


if __name__ == "__main__":
    main()
