"""Cases, as agents see them."""

from flask_restx import Namespace, Resource, fields, inputs, reqparse

from helpdesk.models import Agent, Case, Customer, db
from helpdesk.services import cases, replies, routing
from helpdesk.services.lookup import one_or_404

ns = Namespace("cases", description="Cases, as agents see them")

case_model = ns.model(
    "Case",
    {
        "id": fields.Integer,
        "subject": fields.String,
        "status": fields.String,
        "priority": fields.String,
        "assignee_id": fields.Integer,
        "due_at": fields.DateTime,
    },
)
reply_model = ns.model(
    "Reply", {"id": fields.Integer, "author": fields.String, "body": fields.String, "internal": fields.Boolean}
)

list_args = reqparse.RequestParser()
list_args.add_argument("status", choices=("open", "waiting", "closed"), location="args")
list_args.add_argument("assignee", type=int, location="args")
list_args.add_argument("overdue", type=inputs.boolean, default=False, location="args")
list_args.add_argument("page", type=int, default=1, location="args")

new_case = ns.model(
    "NewCase",
    {
        "customer_id": fields.Integer(required=True),
        "subject": fields.String(required=True),
        "body": fields.String(required=True),
        "priority": fields.String(default="normal"),
    },
)
case_changes = ns.model(
    "CaseChanges", {"subject": fields.String, "status": fields.String, "priority": fields.String}
)
new_reply = ns.model(
    "NewReply", {"author": fields.String, "body": fields.String, "internal": fields.Boolean(default=False)}
)


@ns.route("")
class CaseList(Resource):
    @ns.expect(list_args)
    @ns.marshal_list_with(case_model)
    def get(self):
        """Cases, the most pressing first."""
        args = list_args.parse_args()
        return cases.find(args["status"], args["assignee"], args["overdue"], args["page"])

    @ns.expect(new_case)
    @ns.marshal_with(case_model, code=201)
    def post(self):
        """Open a case on behalf of a customer, as after a phone call."""
        customer = one_or_404(Customer, ns.payload["customer_id"])
        priority = ns.payload.get("priority", "normal")
        return cases.open_case(customer, ns.payload["subject"], ns.payload["body"], priority), 201


@ns.route("/<int:case_id>")
class CaseItem(Resource):
    @ns.marshal_with(case_model)
    def get(self, case_id):
        """One case."""
        return one_or_404(Case, case_id)

    @ns.expect(case_changes)
    @ns.marshal_with(case_model)
    def patch(self, case_id):
        """Change a case."""
        case = one_or_404(Case, case_id)
        for name in ("subject", "status", "priority"):
            if name in ns.payload:
                setattr(case, name, ns.payload[name])
        db.session.commit()
        return case

    def delete(self, case_id):
        """Remove a case for good."""
        db.session.delete(one_or_404(Case, case_id))
        db.session.commit()
        return "", 204


@ns.route("/<int:case_id>/replies")
class CaseReplies(Resource):
    @ns.marshal_list_with(reply_model)
    def get(self, case_id):
        """The whole thread, with what agents wrote to each other."""
        return replies.thread(one_or_404(Case, case_id), with_internal=True)

    @ns.expect(new_reply)
    @ns.marshal_with(reply_model, code=201)
    def post(self, case_id):
        """Answer the customer, or leave a note for other agents."""
        case = one_or_404(Case, case_id)
        internal = ns.payload.get("internal", False)
        return replies.add_reply(case, ns.payload["author"], ns.payload["body"], internal), 201


@ns.route("/<int:case_id>/assign")
class CaseAssign(Resource):
    @ns.marshal_with(case_model)
    def post(self, case_id):
        """Give the case to an agent."""
        return routing.assign(one_or_404(Case, case_id), one_or_404(Agent, ns.payload["agent_id"]))


@ns.route("/<int:case_id>/merge")
class CaseMerge(Resource):
    @ns.marshal_with(case_model)
    def post(self, case_id):
        """Join another case into this one."""
        return cases.merge(one_or_404(Case, case_id), one_or_404(Case, ns.payload["other_id"]))
