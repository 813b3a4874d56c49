"""`nginx.conf` of the examples, as it is but for addresses and paths, in front of a real web server."""

import getpass
import http.client
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.github_app.serving.test_web_process import ROOT, WebServer

NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
MAIN = """\
user {user}; daemon off; pid {folder}/pid; error_log {folder}/error.log; events {{}}
http {{
  access_log {folder}/access.log;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  include {folder}/site.conf;
}}
"""


class ProxiedServer(WebServer):
    """A web server whose requests go through the proxy."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            self.proxy_port: int = listener.getsockname()[1]

    def through_proxy(
        self, verb: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> int:
        context = ssl._create_unverified_context()
        connection = http.client.HTTPSConnection("127.0.0.1", self.proxy_port, timeout=20, context=context)
        try:
            connection.request(verb, path, body, headers or {})
            return connection.getresponse().status
        finally:
            connection.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ProxiedServer]:
    server = ProxiedServer(tmp_path)
    folder = tmp_path / "nginx"
    folder.mkdir(mode=0o755)
    key, certificate = folder / "privkey.pem", folder / "fullchain.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=askfirst.example"]
    subprocess.run([*command, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    site = (ROOT / "docs/examples/operate/nginx.conf").read_text()
    for example, real in (
        ("askfirst:8000", f"127.0.0.1:{server.port}"),
        ("listen 443 ssl", f"listen 127.0.0.1:{server.proxy_port} ssl"),
        ("/etc/nginx/tls", str(folder)),
    ):
        assert example in site
        site = site.replace(example, real)
    (folder / "site.conf").write_text(site)
    (folder / "nginx.conf").write_text(MAIN.format(folder=folder, user=getpass.getuser()))
    server.start()
    nginx = subprocess.Popen([str(NGINX), "-c", folder / "nginx.conf", "-e", folder / "error.log"])
    try:
        deadline = time.monotonic() + 30
        while not _listens(server.proxy_port):
            assert nginx.poll() is None, (folder / "error.log").read_text()
            assert time.monotonic() < deadline
            time.sleep(0.05)
        yield server
    finally:
        nginx.terminate()
        nginx.wait()
        server.kill()


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    except OSError:
        return False
    return True


@pytest.mark.process
@pytest.mark.skipif(NGINX is None, reason="nginx is not installed here")
def test_the_proxy_lets_deliveries_and_replies_in_and_nothing_else(
    server: ProxiedServer, tmp_path: Path
) -> None:
    body, headers = server.signed("through-the-proxy")
    assert server.through_proxy("POST", "/webhook", body, headers) == 202
    assert server.stored() == ["through-the-proxy"]
    large = server.through_proxy("POST", "/webhook", b"x" * 3_000_000)
    chunked = server.through_proxy(
        "POST", "/webhook", headers={"Transfer-Encoding": "chunked"}, body=b"0\r\n\r\n"
    )
    assert (large, chunked) == (401, 401)
    outside = [
        server.through_proxy("GET", path) for path in ("/webhook", "/metrics", "/readyz", "/healthz", "/")
    ]
    assert outside == [403, 404, 404, 404, 404]
    assert server.through_proxy("POST", "/reply/a-secret-address", b"2") == 404  # no surfaces are set up here
    log = (tmp_path / "nginx/access.log").read_text()
    assert "/webhook" in log
    assert "a-secret-address" not in log
