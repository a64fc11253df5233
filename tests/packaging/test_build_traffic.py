"""The reader of strace's record sees every connection that leaves the machine."""

from __future__ import annotations

import pytest
from buildlib import traffic

LOCAL = """\
101 socket(AF_UNIX, SOCK_STREAM|SOCK_CLOEXEC, 0) = 3
101 connect(3, {sa_family=AF_UNIX, sun_path=@"/tmp/.X11-unix/X0"}, 20) = -1 ECONNREFUSED (Connection refused)
101 connect(3, {sa_family=AF_UNIX, sun_path="/tmp/.X11-unix/X0"}, 110) = 0
101 recvmsg(3, {msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base="\\1", iov_len=4096}], msg_iovlen=1}, 0) = 1
102 socketpair(AF_UNIX, SOCK_STREAM, 0, [4, 5]) = 0
102 connect(4, {sa_family=AF_UNIX, sun_path="/run/user/1000/bus"}, 21) = 0
"""


def test_the_screen_and_the_message_bus_are_of_this_machine() -> None:
    assert traffic.foreign(LOCAL) == []
    assert traffic.families(LOCAL) == {"AF_UNIX"}
    assert traffic.places(LOCAL) == ["/run/user/1000/bus", "/tmp/.X11-unix/X0"]


@pytest.mark.parametrize(
    "line",
    [
        '7 connect(5, {sa_family=AF_INET, sin_port=htons(443), sin_addr=inet_addr("192.0.2.1")}, 16) = 0',
        "7 socket(AF_INET6, SOCK_DGRAM|SOCK_CLOEXEC, IPPROTO_UDP) = 5",
        "7 socket(AF_NETLINK, SOCK_RAW|SOCK_CLOEXEC, NETLINK_ROUTE) = 5",
        '7 sendto(5, "x", 1, 0, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("192.0.2.1")}, 16) = 1',
        '7 connect(5, {sa_family=AF_UNIX, sun_path="/opt/somebody/proxy.sock"}, 30) = 0',
    ],
)
def test_anything_else_is_not(line: str) -> None:
    assert traffic.foreign(LOCAL + line + "\n") == [line]
