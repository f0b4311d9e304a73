#!/usr/bin/python3
"""The server of `scree run --view` and `scree view` against those who should not be there: wrong tokens, other origins
and hosts, paths that lead out, malformed and oversize messages, many connections, a reader that does not read. All is
refused, bounded and reported, and the run goes on."""
import base64
import os
import re
import select
import signal
import socket
import struct
import subprocess
import sys

from command import SCREE, CommandTest, main, wait_until

if subprocess.run([SCREE, "doctor", "--json"], stdout=subprocess.PIPE, check=False).stdout.count(b'"live": true') != 1 or \
        subprocess.run([SCREE, "doctor", "--json"], stdout=subprocess.PIPE, check=False).stdout.count(b'"viewer": true') != 1:
    print("skipped: this scree has no live views")
    sys.exit(0)

SCENE = """
step: 2 ms
duration: 1000 s
bodies:
  - {name: floor, kind: fixed, shape: {half_space: {}}}
  - {name: grain, lattice: {count: [5, 5, 4], origin: [0, 0, 0.1], pitch: [0.3, 0.3, 0.3]}, shape: {sphere: {radius: 0.1}}}
"""
# A sanitizer keeps what was freed for a while.
with open(SCREE, "rb") as binary:
    SLACK = 10 if b"__asan_init" in binary.read() else 1
PATIENCE = 120  # s, for what hangs
NEXT, FRAME, PAUSE, GO, STEP, GRAVITY = 1, 2, 3, 4, 5, 6


def command(op, *values):
    return struct.pack("<II", op, len(values)) + b"".join(struct.pack("<d", v) for v in values)


class Server(CommandTest):
    def setUp(self):
        super().setUp()
        with open(self.path("scene.yaml"), "w", encoding="utf-8") as file:
            file.write(SCENE)
        self.start("run", "scene.yaml", "--view")

    def start(self, *arguments):
        self.log = open(self.path("log"), "w+", encoding="utf-8")
        self.addCleanup(self.log.close)
        self.process = subprocess.Popen([SCREE, *arguments, "--threads", "1"], cwd=self.dir, stderr=self.log,
                                        stdout=subprocess.DEVNULL)
        self.addCleanup(self.stop)
        address = re.compile(r"open http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/ in a browser")
        self.assertTrue(wait_until(lambda: address.search(self.told()), self.process), self.told())
        match = address.search(self.told())
        self.port, self.token = int(match[1]), match[2]
        self.host = "127.0.0.1:%d" % self.port

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait()
        self.assertIn(self.process.returncode, (0, 7), self.told())

    def told(self):
        with open(self.path("log"), encoding="utf-8") as file:
            return file.read()

    def expect_told(self, text):
        self.assertTrue(wait_until(lambda: text in self.told(), self.process), "%r is not in %r" % (text, self.told()))

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def read_all(self, s):
        data = b""
        try:
            while True:
                more = s.recv(65536)
                if not more:
                    break
                data += more
        except (ConnectionResetError, TimeoutError):
            pass
        return data

    def request(self, path, host=None, method="GET", headers="", body=b""):
        with self.connect() as s:
            try:
                s.sendall(("%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n%s\r\n" %
                           (method, path, host or self.host, headers)).encode() + body)
            except (BrokenPipeError, ConnectionResetError):
                pass
            return self.read_all(s)

    def status(self, *arguments, **more):
        answer = self.request(*arguments, **more)
        return int(answer[9:12]) if answer.startswith(b"HTTP/1.") else None

    def shake(self, path=None, origin="", host=None):
        """A socket, or None where it was refused."""
        s = self.connect()
        origin = "http://" + self.host if origin == "" else origin
        s.sendall(("GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: %s\r\n"
                   "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: scree\r\n%s\r\n" %
                   (path or "/%s/ws" % self.token, host or self.host, base64.b64encode(os.urandom(16)).decode(),
                    "Origin: %s\r\n" % origin if origin else "")).encode())
        answer = b""
        try:
            while b"\r\n\r\n" not in answer:
                more = s.recv(1)
                if not more:
                    break
                answer += more
        except (ConnectionResetError, TimeoutError):
            pass
        if answer.startswith(b"HTTP/1.1 101"):
            return s
        s.close()
        return None

    def send(self, s, payload, opcode=2, final=True, mask=True, length=None):
        n = len(payload) if length is None else length
        head = bytes([(0x80 if final else 0) | opcode])
        bit = 0x80 if mask else 0
        head += bytes([bit | n]) if n < 126 else bytes([bit | 126]) + struct.pack(">H", n) if n < 65536 else \
            bytes([bit | 127]) + struct.pack(">Q", n)
        key = b"\1\2\3\4"
        if mask:
            head += key
            payload = bytes(b ^ key[i % 4] for i, b in enumerate(payload))
        s.sendall(head + payload)

    def receive(self, s):
        """One message: its payload."""
        message = b""
        while True:
            head = self.exactly(s, 2)
            n = head[1] & 127
            if n == 126:
                n = struct.unpack(">H", self.exactly(s, 2))[0]
            elif n == 127:
                n = struct.unpack(">Q", self.exactly(s, 8))[0]
            message += self.exactly(s, n)
            if head[0] & 15 == 8:
                raise EOFError
            if head[0] & 0x80:
                return message

    def exactly(self, s, n):
        data = b""
        while len(data) < n:
            more = s.recv(n - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    def frame(self, s):
        """Asks for the newest state: (time, step)."""
        self.send(s, command(NEXT))
        while True:
            message = self.receive(s)
            if message[:1] == b"F":
                return struct.unpack("<dd", message[6:22])

    def memory(self):
        with open("/proc/%d/statm" % self.process.pid, encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def check_alive(self):
        """A good reader is served, and the run goes on."""
        s = self.shake()
        self.assertIsNotNone(s)
        with s:
            first = self.frame(s)
            for _ in range(200):
                if self.frame(s)[1] > first[1]:
                    return
            self.fail("the run stands still")

    # ---- who comes in

    def test_tokens_hosts_origins_paths(self):
        self.assertEqual(self.status("/%s/" % self.token), 200)
        self.assertEqual(self.status("/%s/viewer.js" % self.token), 200)
        wrong = self.token[:-1] + ("0" if self.token[-1] != "0" else "1")
        for path in ("/", "/index.html", "/%s/" % wrong, "/%s" % self.token, "/%s/" % self.token[:-1], "//%s/" % self.token[1:],
                     "/%s/" % self.token.upper() if self.token.upper() != self.token else "/x/"):
            self.assertIn(self.status(path), (403, 404, None), path)
        self.expect_told("refused: a request without the token")
        for path in ("../../../etc/passwd", "..%2f..%2f..%2fetc/passwd", "%2e%2e/%2e%2e/etc/passwd", "/etc/passwd",
                     "viewer.js/../../../etc/passwd", "viewer.js%00.txt", "index.html/", "scene.yaml", "ws/../viewer.jsx"):
            answer = self.request("/%s/%s" % (self.token, path))
            self.assertNotIn(b"root:", answer)
            self.assertNotIn(b"half_space", answer)
            self.assertNotIn(b"200 OK", answer, path)
        for host in ("evil.example", "evil.example:%d" % self.port, "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example:%d" % self.port):
            self.assertEqual(self.status("/%s/" % self.token, host=host), 403, host)
            self.assertIsNone(self.shake(host=host))
        self.expect_told("refused: a request for another host name")
        self.assertEqual(self.status("/%s/" % self.token, host="localhost:%d" % self.port), 200)
        for origin in ("http://evil.example", "null", "https://" + self.host, "http://127.0.0.1:1", None,
                       "http://%s.evil.example" % self.host, "file://"):
            self.assertIsNone(self.shake(origin=origin), origin)
        self.expect_told("refused: a socket from a page of another origin")
        for path in ("/ws", "/%s/ws" % wrong, "/%s/" % self.token, "/%s/wsx" % self.token):
            self.assertIsNone(self.shake(path), path)
        self.assertIn(self.status("/%s/" % self.token, method="POST", headers="Content-Length: 3\r\n", body=b"abc"), (403, 404, 405, None))
        self.assertNotEqual(self.status("/%s/" % self.token, method="DELETE"), 200)
        self.check_alive()

    def test_no_other_machine(self):
        """It is bound to 127.0.0.1: another address of this machine does not reach it."""
        with socket.socket() as s:
            s.settimeout(2)
            self.assertNotEqual(s.connect_ex(("127.0.0.2", self.port)), 0)

    # ---- what they send

    def test_messages(self):
        nan = struct.pack("<IId", GRAVITY, 1, float("nan"))
        bad = [
            ("unknown", dict(payload=command(99))), ("zero", dict(payload=command(0))), ("short", dict(payload=b"\1\0\0\0")),
            ("empty", dict(payload=b"")), ("count", dict(payload=struct.pack("<II", GRAVITY, 3))),
            ("many", dict(payload=command(GRAVITY, *range(8)))), ("huge count", dict(payload=struct.pack("<II", 1, 0xffffffff))),
            ("nan", dict(payload=nan)), ("inf", dict(payload=command(GRAVITY, float("inf"), 0, 0))),
            ("text", dict(payload=command(NEXT), opcode=1)), ("fragment", dict(payload=command(NEXT)[:4], final=False)),
            ("continuation", dict(payload=command(NEXT), opcode=0)), ("reserved", dict(payload=command(NEXT), opcode=3)),
            ("long", dict(payload=b"\1" * 100000)),
            ("claims 1 TB", dict(payload=b"\1" * 1000, length=1 << 40)), ("claims 2^63", dict(payload=b"\1" * 10, length=(1 << 63) - 1)),
        ]
        before = self.memory()
        for name, message in bad:
            with self.subTest(name):
                s = self.shake()
                self.assertIsNotNone(s, name)
                with s:
                    try:
                        self.send(s, **message)
                        s.shutdown(socket.SHUT_WR)
                    except OSError:
                        pass
                    # Nothing but an end comes back.
                    answer = self.read_all(s)
                    self.assertTrue(answer == b"" or answer[0] & 15 == 8, answer[:20])
        self.expect_told("refused: a message that is no command; its connection is closed")
        # 20 MB in one message are not kept.
        s = self.shake()
        with s:
            try:
                self.send(s, b"", length=20000000)
                for _ in range(200):
                    s.sendall(bytes(100000))
            except (BrokenPipeError, ConnectionResetError):
                pass
        self.check_alive()
        self.assertLess(self.memory() - before, 8e6 * SLACK)

    def test_good_commands_of_strange_numbers(self):
        with self.shake() as s:
            self.frame(s)
            for c in (command(7, -1, 0, 5), command(7, 1e9, 0, 5), command(7, 0, -1, 5), command(7, 0, 9, 5), command(8, -1, 0, 0, 0, 0, 0, 0), command(8, 1e9, 0, 0, 0, 0, 0, 0),
                      command(8, 0, 0, 0, 0, 1e12, 0, 0), command(12, -5, 1), command(12, 1e9, 1), command(12, 0, -1),
                      command(11, -1), command(STEP, -100), command(FRAME, -1), command(FRAME, 1e12), command(GO), command(9)):
                self.send(s, c)
            for _ in range(2000):
                self.send(s, command(PAUSE))
            self.send(s, command(GO))
            for _ in range(20):
                self.frame(s)
        self.check_alive()

    def test_large_headers(self):
        before = self.memory()
        self.assertNotEqual(self.status("/%s/" % self.token, headers="X-A: %s\r\n" % ("a" * 100000)), 200)
        self.assertNotEqual(self.status("/" + "a" * 100000), 200)
        with self.connect() as s:
            s.sendall(b"\x16\x03\x01" + os.urandom(2000))
            self.read_all(s)
        self.check_alive()
        self.assertLess(self.memory() - before, 8e6 * SLACK)

    # ---- how many, and how slow

    def test_many_connections(self):
        self.check_alive()
        before = self.memory()
        idle = []
        for _ in range(1000):
            try:
                idle.append(self.connect())
            except OSError:
                pass
        self.assertLess(self.memory() - before, 16e6 * SLACK)
        for s in idle:
            s.close()
        readers = [self.shake() for _ in range(12)]
        self.assertEqual(sum(r is not None for r in readers), 8)
        self.expect_told("refused: a socket beside eight others")
        for r in readers:
            if r:
                r.close()

        def has_room():
            s = self.shake()
            if s:
                s.close()
            return s is not None

        self.assertTrue(wait_until(has_room, self.process))
        self.check_alive()

    def test_idle_connections_are_dropped(self):
        idle = [self.connect() for _ in range(40)]
        wait_until(lambda: len(select.select(idle, [], [], 0.5)[0]) == 40, self.process)
        self.assertIsNone(self.process.poll())
        for s in idle:
            s.close()
        self.check_alive()

    def test_a_reader_that_does_not_read(self):
        stalled = self.shake()
        stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        with stalled, self.shake() as good:
            start = self.frame(good)
            before = self.memory()
            for _ in range(3000):
                if not select.select([], [stalled], [], 0.0)[1]:
                    break
                try:
                    self.send(stalled, command(NEXT, 1.0))
                except OSError:
                    break
            now = start
            for _ in range(60):
                now = self.frame(good)
            self.assertGreater(now[1], start[1])
            self.assertLess(self.memory() - before, 8e6 * SLACK)
        self.check_alive()

    def test_what_a_stalled_reader_costs(self):
        """The run copies a state only for a reader that has taken the last one: counted, and by the CPU time
        of the run's own thread below a hundredth."""
        self.stop()
        self.start("run", "scene.yaml", "--view", "--duration", "30", "--out", "run.h5")
        stalled = self.shake()
        stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        with stalled:
            stalled.settimeout(0.5)
            try:
                for _ in range(100000):
                    self.send(stalled, command(NEXT, 1.0))
            except OSError:
                pass
            self.expect_told("the run has ended")
        self.process.send_signal(signal.SIGINT)
        self.assertEqual(self.process.wait(), 0)
        match = re.search(r"view: (\d+) states were copied for readers, (\S+) % of the run's (\S+) s", self.told())
        self.assertIsNotNone(match, self.told())
        # One for each answer that fits into the buffers of the socket; without a bound it were 60 a second.
        self.assertLess(int(match[1]), 200, match[0])
        self.assertLess(float(match[2]), 1.0 * SLACK, match[0])


class Recording(Server):
    """The same guard before a recording: `scree view`."""

    def setUp(self):
        CommandTest.setUp(self)
        with open(self.path("scene.yaml"), "w", encoding="utf-8") as file:
            file.write(SCENE)
        self.run_scree("run", "scene.yaml", "--duration", "0.2", "--out", "run.h5")
        self.start("view", "run.h5")

    def check_alive(self):
        with self.shake() as s:
            self.send(s, command(FRAME, 3))
            while self.receive(s)[:1] != b"F":
                pass

    def test_frames(self):
        with self.shake() as s:
            kinds = []
            self.send(s, command(FRAME, 0))
            while not kinds or kinds[-1] != b"F":
                kinds.append(self.receive(s)[:1])
            self.assertEqual(kinds, [b"H", b"G", b"T", b"I", b"S", b"B", b"F"])
            for i in (5, 2, 0, 12):
                self.send(s, command(FRAME, i))
                message = self.receive(s)
                self.assertEqual((message[:1], struct.unpack("<I", message[2:6])[0]), (b"F", i))
            self.send(s, command(FRAME, 1000))
            self.assertEqual(self.receive(s), b"N")
            self.send(s, command(GRAVITY, 0, 0, 1))
            self.send(s, command(FRAME, 1))
            self.assertEqual(self.receive(s)[:1], b"F")

    def test_a_run_that_goes_on_is_followed(self):
        """Frames that come while it is shown are reported; then that no more will come."""
        self.stop()
        with open(self.path("long.yaml"), "w", encoding="utf-8") as file:
            file.write(SCENE)
        writer = subprocess.Popen([SCREE, "run", "long.yaml", "--threads", "1", "--out", "long.h5", "--duration", "1e6"], cwd=self.dir,
                                  stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        try:
            def begun():
                info = self.run_scree("info", "--json", "long.h5")
                return info.code == 0 and self.lines(info)[0]["frames"] > 0
            self.assertTrue(wait_until(begun, writer))
            self.start("view", "long.h5")
            with self.shake() as s:
                counts, written = [], []

                def ask(i):
                    self.send(s, command(FRAME, i))
                    while True:
                        message = self.receive(s)
                        if message[:1] == b"T":
                            counts.append(struct.unpack("<I", message[1:5])[0])
                        if message[:1] == b"I":
                            written.append(b"true" in message)
                        if message[:1] in b"FN":
                            return message

                ask(0)
                self.assertEqual(written, [True])
                def more():
                    ask(counts[-1])
                    return len(counts) > 2
                self.assertTrue(wait_until(more, writer))
                self.assertEqual(counts, sorted(set(counts)))
                self.assertEqual(struct.unpack("<I", ask(counts[-1] - 1)[2:6])[0], counts[-1] - 1)
                writer.send_signal(signal.SIGINT)
                writer.wait()

                def ended():
                    ask(counts[-1])
                    return not written[-1]
                self.assertTrue(wait_until(ended, self.process))
        finally:
            writer.kill()
            writer.wait()

    test_good_commands_of_strange_numbers = test_a_reader_that_does_not_read = None
    test_what_a_stalled_reader_costs = None
    test_many_connections = test_idle_connections_are_dropped = test_large_headers = None


if __name__ == "__main__":
    main()
