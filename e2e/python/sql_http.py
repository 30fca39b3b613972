"""POST /v1/sql over one connection that is kept."""

import http.client
import json
from urllib.parse import urlsplit

import pyarrow as pa


class HttpSql:
    def __init__(self, url, timeout=120):
        self.connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=timeout)

    def send(self, sql, format, **more):
        body = json.dumps({"sql": sql, **more}).encode()
        try:
            self.connection.request("POST", f"/v1/sql?fmt={format}", body, {"content-type": "application/json"})
            answer = self.connection.getresponse()
            content = answer.read()
        except Exception:
            # Whatever is left of a broken answer must not be taken for the next one.
            self.connection.close()
            raise
        if answer.status >= 300:
            raise RuntimeError(f"{answer.status} {content.decode()[:600]}")
        return content

    def arrow(self, sql, **more):
        return pa.ipc.open_stream(self.send(sql, "arrow", **more)).read_all()

    def json(self, sql, **more):
        return self.send(sql, "json", **more)
