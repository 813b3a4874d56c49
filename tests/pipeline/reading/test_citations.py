"""What an issue cites is found in every form that people paste, and addresses of other places are not."""

import pytest
from inline_snapshot import snapshot

from pipeline.domain.issue import CitationKind, SectionRole
from tests.pipeline.reading.issues import cited, read

TRACEBACKS = {
    "python": (
        """\
Traceback (most recent call last):
  File "/app/shop/views.py", line 12, in pay
    charge(order)
  File "/app/shop/cards.py", line 40, in charge
    raise CardError("no card")
shop.errors.CardError: no card
""",
        ["frame /app/shop/views.py:12 in pay #1", "frame /app/shop/cards.py:40 in charge #0"],
    ),
    "pytest": (
        "tests/test_pay.py:8: in test_pay\n    pay()\nshop/pay.py:3: in pay\n    raise x\n",
        ["frame tests/test_pay.py:8 in test_pay #1", "frame shop/pay.py:3 in pay #0"],
    ),
    "javascript": (
        """\
TypeError: Cannot read properties of undefined (reading 'id')
    at pay (/home/octocat/shop/src/cart.ts:12:5)
    at async Object.<anonymous> (webpack-internal:///./src/pages/Cart.vue?1f2e:30:7)
    at src/main.ts:4:1
    at node:internal/process/task_queues:95:5
""",
        [
            "frame /home/octocat/shop/src/cart.ts:12 in pay #0",
            "frame src/pages/Cart.vue:30 in Object #1",
            "frame src/main.ts:4 #2",
        ],
    ),
    "firefox": ("pay@http://localhost:3000/src/cart.ts:12:5\n", ["frame src/cart.ts:12 in pay #0"]),
    "go": (
        """\
panic: runtime error: index out of range

goroutine 1 [running]:
github.com/acme/orders/cart.(*Cart).Add(0xc0000, 0x2)
\t/src/orders/cart/cart.go:12 +0x1d
main.main()
\t/src/orders/main.go:8 +0x2
""",
        ["frame /src/orders/cart/cart.go:12 in Add #0", "frame /src/orders/main.go:8 in main #1"],
    ),
    "java": (
        """\
Exception in thread "main" java.lang.IllegalStateException: no card
\tat com.acme.shop.Cart$Item.pay(Cart.java:12)
\tat app//com.acme.shop.Main.main(Main.kt:8)
Caused by: java.io.IOException: closed
\tat com.acme.io.Pipe.read(Pipe.java:3)
""",
        [
            "frame com/acme/shop/Cart.java:12 in pay #0",
            "frame com/acme/shop/Main.kt:8 in main #1",
            "frame com/acme/io/Pipe.java:3 in read #0",
        ],
    ),
    "ruby": (
        "app/models/cart.rb:12:in `pay': no card (CardError)\n\tfrom app/jobs/pay_job.rb:4:in 'block in perform'\n",
        ["frame app/models/cart.rb:12 in pay #0", "frame app/jobs/pay_job.rb:4 in perform #1"],
    ),
    "rust": (
        """\
thread 'main' panicked at src/cart.rs:12:5:
no card
stack backtrace:
   0: shop::cart::pay
             at ./src/cart.rs:12:5
""",
        ["frame src/cart.rs:12 #0", "frame src/cart.rs:12 in pay #1"],
    ),
    "php": (
        """\
PHP Fatal error:  Uncaught Exception: no card in /var/www/app/Cart.php:12
#0 /var/www/app/Main.php(8): App\\Cart->pay()
""",
        ["frame /var/www/app/Cart.php:12 #0", "frame /var/www/app/Main.php:8 in pay #0"],
    ),
    "c#": (
        """\
System.InvalidOperationException: no card
   at Acme.Shop.Cart.Pay(Order order) in /src/Shop/Cart.cs:line 12
   at Acme.Shop.Program.Main() in C:\\src\\Shop\\Program.cs:line 8
""",
        ["frame /src/Shop/Cart.cs:12 in Pay #0", "frame C:/src/Shop/Program.cs:8 in Main #1"],
    ),
}


@pytest.mark.parametrize("language", TRACEBACKS)
@pytest.mark.parametrize("fence", ["```\n", "", "> "], ids=["fenced", "bare", "quoted"])
def test_frames_are_found_and_the_innermost_is_known(language: str, fence: str) -> None:
    text, expected = TRACEBACKS[language]
    text = "".join(f"> {line}\n" for line in text.splitlines()) if fence == "> " else f"{fence}{text}{fence}"
    document = read(f"It fails.\n\n{text}\n")
    assert cited(f"It fails.\n\n{text}\n", CitationKind.FRAME) == expected
    roles = {citation.role for citation in document.citations if citation.kind is CitationKind.FRAME}
    assert SectionRole.LOG in roles


def test_files_and_lines() -> None:
    body = """\
See src/cart.ts:12:5, `app/items.py#L8-L10`, src/Cart.cs(12,5), line 7 of `docs/setup.md`, cards.py line 3,
`Dockerfile`, config/app.unknownext, `src/components/`, C:\\shop\\main.py and .env in e.g. version 1.2.3 of example.com.
"""
    assert cited(body, CitationKind.LINE, CitationKind.FILE) == snapshot(
        [
            "line src/cart.ts:12",
            "line app/items.py:8",
            "line src/Cart.cs:12",
            "file docs/setup.md",
            "line cards.py:3",
            "file Dockerfile",
            "file config/app.unknownext",
            "file src/components/",
            "file C:/shop/main.py",
            "file .env",
        ]
    )


def test_a_folder_that_go_calls_internal_is_one_of_the_repository_and_that_of_node_is_not() -> None:
    assert cited("See internal/cart/cart.go.") == ["file internal/cart/cart.go"]
    assert cited("at loader (internal/modules/cjs/loader.js:12:5)") == []


@pytest.mark.parametrize("fence", ["```\n", ""])
def test_what_a_client_prints_of_a_request_for_the_root_cites_no_route(fence: str) -> None:
    trace = "$ curl -v http://orders.local\n> GET / HTTP/1.1\n> Host: orders.local\n< HTTP/1.1 302 Found\n"
    assert cited(f"{fence}{trace}{fence}", CitationKind.ROUTE) == []
    assert cited("> GET /orders HTTP/1.1\n", CitationKind.ROUTE) == ["route GET /orders"]
    assert cited("GET / answers with 500.", CitationKind.ROUTE) == ["route GET /"]


def test_addresses_of_this_repository_are_read_and_those_of_other_places_are_not() -> None:
    body = """\
https://github.com/acme/orders/blob/main/src/cart.ts#L10-L20
[here](https://github.com/Acme/Orders/blob/0615360/docs/a%20b.md?plain=1) https://github.com/acme/orders/issues/12#issuecomment-1
https://github.com/acme/orders/commit/0615360ab
https://github.com/acme/other/blob/main/src/other.ts#L1 https://example.org/src/never.py:3 someone@example.org/x.py
http://localhost:8000/api/orders/3?x=1 http://192.168.1.7:9925/api/items http://172.16.0.3/api/cards http://172.40.0.3/never
"""
    assert cited(body) == snapshot(
        [
            "line src/cart.ts:10",
            "file docs/a b.md",
            "issue #12",
            "commit 0615360ab",
            "route /api/orders/3",
            "route /api/items",
            "route /api/cards",
        ]
    )


def test_requests_of_curl_have_the_method_that_curl_sends_and_downloads_are_none() -> None:
    body = """\
curl -X 'PATCH' \\
  'http://shop.example.org/api/orders/3?x=1' \\
  -H 'accept: application/json' \\
  -d '{
  "item": 3
}'

```
$ curl http://localhost:8000/api/items -H "Authorization: Bearer x"
curl --json @order.json https://shop.example.org/api/orders
curl -fsSL https://example.org/install/never.sh | sh
curl -X POST
http://example.org/api/never
```
"""
    assert cited(body, CitationKind.ROUTE) == snapshot(
        [
            "route PATCH /api/orders/3",
            "route GET /api/items",
            "route POST /api/orders",
        ]
    )


def test_routes_commands_options_and_settings() -> None:
    body = """\
`POST /api/items/{id}` and GET /api/v2/orders?page=2, or /orders/:id/edit; either/or, 1/2 and </div> are none.
Run `shop export --format csv -v` with UPLOAD_RETRIES=3, `DEBUG` or $SHOP_HOME; it reads /etc/shop.conf.

```sh
$ shop import --dry-run orders.csv
# a comment
```
"""
    assert cited(body) == snapshot(
        [
            "route POST /api/items/{id}",
            "route GET /api/v2/orders",
            "route /orders/:id/edit",
            "command shop export --format csv -v",
            "option --format",
            "environment UPLOAD_RETRIES",
            "environment DEBUG",
            "environment SHOP_HOME",
            "file /etc/shop.conf",
            "command shop import --dry-run orders.csv",
            "option --dry-run",
        ]
    )


def test_names_messages_loggers_issues_and_commits() -> None:
    body = """\
`pay_invoice` and CartItem, `Cart::pay`, total(), order.items and `<CartList />` show “No card on file” when I click **Save draft**.
It is like #12, GH-13 and acme/orders#14, not other/place#15 or &#39; since 0615360a (not 1234567 or deadbeef).

```
2026-11-22 10:00:00,123 ERROR [acme.pay.worker] failed
INFO:shop.orders:started
CardError: this card is not known
```
"""
    assert cited(body) == snapshot(
        [
            "name pay_invoice",
            "name CartItem",
            "name Cart::pay",
            "name total",
            "name order.items",
            "name CartList",
            "message No card on file",
            "message Save draft",
            "issue #12",
            "issue #13",
            "issue #14",
            "commit 0615360a",
            "logger acme.pay.worker",
            "logger shop.orders",
            "name CardError",
            "message this card is not known",
        ]
    )


def test_what_a_program_printed_is_a_message_without_its_level() -> None:
    body = """\
It stops.

```
$ tool save
Fatal: no space left here
2026-11-22 10:00:00 ERROR [acme.pay] cannot charge the card
[WARN] retrying the upload
WARN  [http] slow request of a client
[error] no route to the host
time="10:00" level=error msg="index was not written"
{"level":"error","message":"no such snapshot","code":3}
acme.PayError: card was refused
ERROR done
```

```python
logger.warning("a call of ours")
```
"""
    messages = [citation.text for citation in read(body).citations if citation.kind is CitationKind.MESSAGE]
    assert messages == [
        "no space left here",
        "cannot charge the card",
        "retrying the upload",
        "slow request of a client",
        "no route to the host",
        "index was not written",
        "no such snapshot",
        "card was refused",
    ]


def test_what_stands_in_back_ticks_is_marked_and_plain_words_there_are_names_only_alone() -> None:
    document = read("`retries` and CartItem; `the total of items is not what the user sees`")
    assert [(one.kind.value, one.text, one.is_marked) for one in document.citations] == snapshot(
        [
            ("name", "retries", True),
            ("name", "CartItem", False),
            ("message", "the total of items is not what the user sees", True),
        ]
    )


def test_a_path_of_the_machine_in_back_ticks_is_no_route() -> None:
    assert cited("It prints `/dev/null` in colour.") == []
    assert cited("It fails at `/users/7`.") == ["route /users/7"]


def test_among_versions_a_name_that_ends_like_a_file_is_a_product() -> None:
    assert cited("### Environment\n\n- Node.js version: 22.x\n- config/cart.yml: unchanged\n") == [
        "file config/cart.yml"
    ]
    assert cited("See Node.js for it.") == ["file Node.js"]


def test_a_part_of_a_word_with_a_hyphen_is_no_name() -> None:
    assert "name age" not in cited("We send `max-age=0, private, must-revalidate, no-store`.")
    assert "name age" in cited("We send `age=0, private, must-revalidate, no-store`.")


def test_each_thing_is_cited_once_for_each_role_the_marked_one_first() -> None:
    document = read("CartItem and `CartItem` and CartItem\n\n```\nCartItem\n```\n", title="CartItem")
    assert [(one.role.value, one.is_marked) for one in document.citations] == [
        ("title", False),
        ("summary", True),
        ("code", False),
    ]


def test_the_quote_of_a_message_behind_a_logger_is_the_message() -> None:
    body = "```\nERROR:shop.orders: no card on /me [GET]\n```"
    messages = [one for one in read(body).citations if one.kind is CitationKind.MESSAGE]
    assert [(one.text, one.quote) for one in messages] == [("no card on /me [GET]", "no card on /me [GET]")]
