"""What only the warehouse may do."""

from aiohttp import web

from stock.counting import count_article


class Warehouse:
    """The warehouse's own requests."""

    async def counts(self, request: web.Request) -> web.Response:
        """Every count."""
        return web.json_response({"count": count_article("*", 0)})

    async def reset(self, request: web.Request) -> web.Response:
        """Count from nothing again."""
        return web.json_response({"count": 0})


def add_warehouse_routes(app: web.Application, handler: Warehouse) -> None:
    """Register them."""
    counts = app.router.add_resource("/counts")
    counts.add_route("GET", handler.counts)
    counts.add_route("DELETE", handler.reset)
    app.router.add_post("/counts/reset", handler.reset)
