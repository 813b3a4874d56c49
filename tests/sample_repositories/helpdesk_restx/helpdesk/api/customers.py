"""Customers."""

from flask_restx import Namespace, Resource, fields, reqparse

from helpdesk.models import Customer, db
from helpdesk.services import customers
from helpdesk.services.lookup import one_or_404

ns = Namespace("customers", description="Who asks")

customer_model = ns.model(
    "Customer",
    {"id": fields.Integer, "name": fields.String, "email": fields.String, "company": fields.String},
)
search_args = reqparse.RequestParser()
search_args.add_argument("q", location="args")
search_args.add_argument("page", type=int, default=1, location="args")


@ns.route("")
class CustomerList(Resource):
    @ns.expect(search_args)
    @ns.marshal_list_with(customer_model)
    def get(self):
        """Customers by name, address or company."""
        args = search_args.parse_args()
        return customers.search(args["q"], args["page"])


@ns.route("/<int:customer_id>")
class CustomerItem(Resource):
    @ns.marshal_with(customer_model)
    def get(self, customer_id):
        """One customer."""
        return one_or_404(Customer, customer_id)

    @ns.marshal_with(customer_model)
    def patch(self, customer_id):
        """Change name, company or language."""
        customer = one_or_404(Customer, customer_id)
        for name in ("name", "company", "language"):
            if name in ns.payload:
                setattr(customer, name, ns.payload[name])
        db.session.commit()
        return customer


@ns.route("/<int:customer_id>/merge")
class CustomerMerge(Resource):
    @ns.marshal_with(customer_model)
    def post(self, customer_id):
        """Join another customer's record into this one."""
        return customers.merge(one_or_404(Customer, customer_id), one_or_404(Customer, ns.payload["other_id"]))
