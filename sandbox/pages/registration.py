"""Where a manifest is posted to: the page on which GitHub asks for the App's name, here already answered with yes."""

import json
import secrets

from flask import Flask, Response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from sandbox.world.world import World


def add_registration(app: Flask, world: World) -> None:
    """Add the address to the server, for people and for organizations."""

    def register(**_owner: str) -> AnyResponse:
        try:
            manifest = json.loads(request.form["manifest"])
            back = str(manifest["redirect_url"])
            webhook = str(manifest["hook_attributes"]["url"])
        except (KeyError, ValueError, TypeError):
            return Response("The manifest is missing something.", 422)
        with world.lock:
            the_app = world.the_app
            the_app.permissions = {"metadata": "read", **manifest.get("default_permissions", {})}
            the_app.events = tuple(manifest.get("default_events", ()))
            the_app.webhook_url = webhook
            code = secrets.token_hex(20)
            world.registration_codes.add(code)
        return redirect(f"{back}?code={code}&state={request.args.get('state', '')}")

    for path in ("/settings/apps/new", "/organizations/<organization>/settings/apps/new"):
        app.add_url_rule(path, f"register {path}", register, methods=["POST"])
