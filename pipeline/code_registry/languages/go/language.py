"""Go as the builder sees it."""

from pipeline.code_registry.framework import WebPackage
from pipeline.code_registry.language import Language
from pipeline.code_registry.languages.go.extractor import extract
from pipeline.code_registry.languages.go.frameworks import FRAMEWORKS
from pipeline.code_registry.languages.go.packages import arrange, module_finder
from pipeline.code_registry.languages.go.structs import read_models, read_options, read_settings
from pipeline.code_registry.linking.names.words import TypeWords

UNREAD_PACKAGES: tuple[WebPackage, ...] = (
    WebPackage("github.com/julienschmidt/httprouter", "httprouter"),
    WebPackage("github.com/valyala/fasthttp", "fasthttp", broad=True),
    WebPackage("github.com/fasthttp/router", "fasthttp/router"),
    WebPackage("github.com/kataras/iris", "Iris"),
    WebPackage("github.com/beego/beego", "Beego"),
    WebPackage("github.com/astaxie/beego", "Beego"),
    WebPackage("github.com/revel/revel", "Revel"),
    WebPackage("github.com/gobuffalo/buffalo", "Buffalo"),
    WebPackage("github.com/emicklei/go-restful", "go-restful"),
    WebPackage("github.com/danielgtaylor/huma", "Huma"),
    WebPackage("github.com/flamego/flamego", "Flamego"),
    WebPackage("gopkg.in/macaron", "Macaron"),
    WebPackage("github.com/go-macaron/macaron", "Macaron"),
    WebPackage("github.com/go-martini/martini", "Martini"),
    WebPackage("github.com/zeromicro/go-zero/rest", "go-zero"),
    WebPackage("github.com/gogf/gf", "GoFrame", broad=True),
    WebPackage("github.com/cloudwego/hertz", "Hertz"),
    WebPackage("github.com/uptrace/bunrouter", "bunrouter"),
    WebPackage("github.com/matryer/way", "way"),
    WebPackage("github.com/bmizerany/pat", "pat"),
    WebPackage("github.com/go-kit/kit/transport/http", "Go kit"),
    WebPackage("github.com/grpc-ecosystem/grpc-gateway", "grpc-gateway"),
    WebPackage("connectrpc.com/connect", "Connect", broad=True),
    WebPackage("github.com/twitchtv/twirp", "Twirp", broad=True),
    WebPackage("github.com/99designs/gqlgen", "gqlgen", broad=True),
    WebPackage("goa.design/goa", "Goa", broad=True),
    WebPackage("github.com/GoAdminGroup/go-admin", "GoAdmin"),
    WebPackage("github.com/pocketbase/pocketbase/tools/router", "PocketBase router"),
)


_METHODS = ("Get", "Head", "Post", "Put", "Patch", "Delete", "Connect", "Options", "Trace")


GO = Language(
    name="go",
    suffixes=(".go", ".mod"),
    grammar="tree-sitter-go",
    extract=extract,
    module_finder=module_finder,
    words=TypeWords(
        collections=frozenset({"[]"}),
        mappings=frozenset({"map"}),
        none_names=frozenset({"nil"}),
        class_scope=False,
        texts={f"net/http.Method{word}": word.upper() for word in _METHODS}
        | {f"github.com/gofiber/fiber.Method{word}": word.upper() for word in _METHODS},
        joins=frozenset({"path.Join"}),
        static_types=True,
        versioned_paths=True,
    ),
    frameworks=FRAMEWORKS,
    unread_packages=UNREAD_PACKAGES,
    read_models=read_models,
    read_settings=read_settings,
    read_options=read_options,
    arrange=arrange,
)
