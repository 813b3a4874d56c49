"""Packages of Python that register routes and that the registry does not read: it says so where one is imported."""

from pipeline.code_registry.framework import WebPackage

UNREAD_PACKAGES: tuple[WebPackage, ...] = (
    WebPackage("tornado.web", "Tornado"),
    WebPackage("falcon", "Falcon"),
    WebPackage("bottle", "Bottle"),
    WebPackage("pyramid", "Pyramid"),
    WebPackage("cherrypy", "CherryPy"),
    WebPackage("web2py", "web2py"),
    WebPackage("robyn", "Robyn"),
    WebPackage("blacksheep", "BlackSheep"),
    WebPackage("connexion", "Connexion"),
    WebPackage("flask_appbuilder", "Flask AppBuilder"),
    WebPackage("flask_classful", "Flask-Classful"),
    WebPackage("flask_smorest", "flask-smorest"),
    WebPackage("flask_admin", "Flask-Admin"),
    WebPackage("flask_security", "Flask-Security", broad=True),
    WebPackage("fastapi_utils.cbv", "fastapi-utils"),
    WebPackage("fastapi_users", "FastAPI Users", broad=True),
    WebPackage("sqladmin", "SQLAdmin"),
    WebPackage("starlette_admin", "Starlette Admin"),
    WebPackage("strawberry", "Strawberry GraphQL", broad=True),
    WebPackage("graphene", "Graphene", broad=True),
    WebPackage("twisted.web", "Twisted Web"),
    WebPackage("odoo.http", "Odoo"),
    WebPackage("frappe", "Frappe", broad=True),
    WebPackage("emmett", "Emmett"),
    WebPackage("microdot", "Microdot"),
    WebPackage("nicegui", "NiceGUI", broad=True),
)
