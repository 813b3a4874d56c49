"""The portal: what customers see of their own cases, without an account."""

from flask_restx import Namespace, Resource, fields

from helpdesk.models import Customer
from helpdesk.services import cases, replies
from helpdesk.services.customers import known_or_new
from helpdesk.services.lookup import case_by_token, one_or_404

ns = Namespace("portal", description="For customers, without an account")

request_model = ns.model(
    "PortalRequest",
    {"email": fields.String, "name": fields.String, "subject": fields.String, "body": fields.String},
)


@ns.route("/cases")
class PortalCases(Resource):
    @ns.expect(request_model)
    def post(self):
        """Open a case from the web form."""
        customer = known_or_new(ns.payload["email"], ns.payload["name"])
        case = cases.open_case(customer, ns.payload["subject"], ns.payload["body"], "normal")
        return {"token": case.token}, 201


@ns.route("/cases/<string:token>")
class PortalCase(Resource):
    def get(self, token):
        """The customer's own case, with every reply that is not internal."""
        case = case_by_token(token)
        shown = replies.thread(case, with_internal=False)
        return {"subject": case.subject, "status": case.status, "replies": [reply.body for reply in shown]}


@ns.route("/cases/<string:token>/replies")
class PortalReplies(Resource):
    def post(self, token):
        """Write back from the customer's link."""
        case = case_by_token(token)
        customer = one_or_404(Customer, case.customer_id)
        reply = replies.add_reply(case, customer.email, ns.payload["body"])
        return {"id": reply.id}, 201
