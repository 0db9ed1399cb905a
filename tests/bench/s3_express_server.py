#!/usr/bin/env python3
"""A directory bucket of S3 Express One Zone on loopback, which checks signatures by AWS's description of version 4:
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html

  s3_express_server.py SECONDS   prints its port and process; ends after so many seconds

The caller's secret is "hidden", its token "mine". /BUCKET/?session= gives a session; objects are given to sessions alone;
/BUCKET/moved is redirected to another host.
"""
import hashlib
import hmac
import http.server
import os
import re
import sys
import threading
import urllib.parse

OBJECT = bytes(range(256)) * 64
sessions = {}  # key -> (secret, token)


def signed(handler, secret, service):
    """The signature that the request should have; what it has."""
    said = re.match(r"AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=(\w+)",
                    handler.headers.get("Authorization", ""))
    if not said:
        return None, None
    scope = said[1].split("/")[1:]
    if scope[1:] != ["us-east-1", service, "aws4_request"]:
        return None, said[3]
    path, _, query = handler.path.partition("?")
    pairs = sorted(urllib.parse.parse_qsl(query, keep_blank_values=True))
    names = said[2].split(";")
    canonical = "\n".join(
        [handler.command, path, "&".join(f"{urllib.parse.quote(k, '')}={urllib.parse.quote(v, '')}" for k, v in pairs)]
        + [f"{name}:{' '.join(handler.headers[name].split())}" for name in names]
        + ["", ";".join(names), handler.headers["x-amz-content-sha256"]])
    text = "\n".join(["AWS4-HMAC-SHA256", handler.headers["x-amz-date"], "/".join(scope),
                      hashlib.sha256(canonical.encode()).hexdigest()])
    key = ("AWS4" + secret).encode()
    for part in scope:
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    needed = {"host", "x-amz-date"} <= set(names)
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest() if needed else None, said[3]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body, **headers):
        self.send_response(status)
        for name, value in {"Content-Length": len(body), **headers}.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if query == "session=":
            wanted, got = signed(self, "hidden", "s3express")
            if wanted is None or wanted != got or self.headers.get("x-amz-security-token") != "mine":
                return self.answer(403, b"<Error><Code>SignatureDoesNotMatch</Code></Error>")
            name = f"SESSION{len(sessions)}"
            sessions[name] = "secret of " + name, "token+of/" + name + "="
            secret, token = sessions[name]
            return self.answer(200, (
                '<?xml version="1.0"?><CreateSessionResult><Credentials>'
                f"<SessionToken>{token}</SessionToken><SecretAccessKey>{secret}</SecretAccessKey>"
                f"<AccessKeyId>{name}</AccessKeyId><Expiration>2099-01-01T00:00:00Z</Expiration>"
                "</Credentials></CreateSessionResult>").encode())
        key = re.search(r"Credential=([^/]+)/", self.headers.get("Authorization", ""))
        secret, token = sessions.get(key[1] if key else "", (None, None))
        wanted, got = signed(self, secret, "s3express") if secret else (None, None)
        if wanted is None or wanted != got or self.headers.get("x-amz-s3session-token") != token:
            return self.answer(403, b"<Error><Code>AccessDenied</Code></Error>")
        if path.endswith("/moved"):
            elsewhere = f"http://localhost:{self.server.server_address[1]}/elsewhere"
            return self.answer(307, b"", Location=elsewhere)
        part = re.match(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if not part:
            return self.answer(200, OBJECT)
        body = OBJECT[int(part[1]):int(part[2]) + 1]
        return self.answer(206, body, Content_Range=f"bytes {part[1]}-{int(part[1]) + len(body) - 1}/{len(OBJECT)}")


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        """A client that leaves is none of the test's business."""


def main():
    server = Server(("127.0.0.1", 0), Handler)
    print(server.server_address[1], os.getpid(), flush=True)
    threading.Timer(float(sys.argv[1]), server.shutdown).start()
    server.serve_forever()


if __name__ == "__main__":
    main()
