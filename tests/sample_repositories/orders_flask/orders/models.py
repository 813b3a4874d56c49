"""Tables."""

from flask_sqlalchemy import SQLAlchemy

db = SQLAlchemy()


class Customer(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    name = db.Column(db.String(200), nullable=False)
    email = db.Column(db.String(200), unique=True)
    archived = db.Column(db.Boolean, default=False)
    orders = db.relationship("Order", back_populates="customer")

    def as_json(self) -> dict[str, object]:
        return {"id": self.id, "name": self.name, "email": self.email, "archived": self.archived}


class Order(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    customer_id = db.Column(db.ForeignKey("customer.id"), nullable=False)
    status = db.Column(db.String(20), default="open")
    total_cents = db.Column(db.Integer, default=0)
    note = db.Column(db.Text)
    archived = db.Column(db.Boolean, default=False)
    customer = db.relationship("Customer", back_populates="orders")

    def as_json(self) -> dict[str, object]:
        return {"id": self.id, "status": self.status, "total_cents": self.total_cents, "archived": self.archived}
