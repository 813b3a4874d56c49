"""Articles over HTTP."""

from aiohttp import web

from stock.counting import count_article

routes = web.RouteTableDef()


@routes.get("/articles")
async def list_articles(request: web.Request) -> web.Response:
    """Articles, by shelf."""
    return web.json_response({"shelf": request.query.get("shelf")})


@routes.post("/articles")
async def create_article(request: web.Request) -> web.Response:
    """Take an article in."""
    body = await request.json()
    return web.json_response({"sku": body["sku"], "name": body["name"], "weight": body.get("weight")}, status=201)


@routes.put("/articles/{sku}/count")
async def recount(request: web.Request) -> web.Response:
    """Count an article again."""
    form = await request.post()
    return web.json_response({"count": count_article(request.match_info["sku"], form["count"])})
