"""Shelves over HTTP."""

from aiohttp import web


class Shelf(web.View):
    """One shelf."""

    async def get(self) -> web.Response:
        """Show it."""
        return web.json_response({"id": self.request.match_info["shelf_id"]})

    async def patch(self) -> web.Response:
        """Change it."""
        body = await self.request.json()
        return web.json_response({"label": body["label"]})
