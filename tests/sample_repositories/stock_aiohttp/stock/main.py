"""Put the application together and serve it."""

import argparse

from aiohttp import web

from stock import articles, shelves
from stock.warehouse import Warehouse, add_warehouse_routes


async def health(request: web.Request) -> web.Response:
    """Say that the service is up."""
    return web.json_response({"status": "ok"})


def create_app() -> web.Application:
    """The application with everything below it."""
    app = web.Application()
    app.add_routes(articles.routes)
    app.add_routes([web.get("/healthz", health), web.view("/shelves/{shelf_id}", shelves.Shelf)])
    below = web.Application()
    add_warehouse_routes(below, Warehouse())
    app.add_subapp("/warehouse/", below)
    return app


def main() -> None:
    """Serve."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=8080)
    web.run_app(create_app(), port=parser.parse_args().port)


if __name__ == "__main__":
    main()
