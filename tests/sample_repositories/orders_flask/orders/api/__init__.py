"""All routes, and where they hang."""

from flask import Blueprint, Flask

from orders.api.actions import actions
from orders.api.customers import customers
from orders.api.orders import orders
from orders.api.reports import RevenueReport, StatusReport

reports = Blueprint("reports", __name__, url_prefix="/numbers")
reports.add_url_rule("/revenue", view_func=RevenueReport.as_view("revenue"))
reports.add_url_rule("/status/<status>", view_func=StatusReport.as_view("status"))


def register_api(app: Flask) -> None:
    v1 = Blueprint("v1", __name__)
    v1.register_blueprint(actions)
    v1.register_blueprint(orders)
    v1.register_blueprint(customers, url_prefix="/customers")
    v1.register_blueprint(reports, url_prefix="/reports")
    app.register_blueprint(v1, url_prefix="/api/v1")
