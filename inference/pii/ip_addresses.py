"""Which addresses of the net are personal: those of the public net, and not versions or sections of four parts.

Presidio says what is written as an address; here the ranges that name no one outside (private, loopback, link-local,
shared, multicast, masks) and numbers of four parts that are no address are left out. The documentation's ranges stay:
people write them where they mean an address of the public net.
"""

import re
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from inference.pii.labels import alternatives

_INTERNAL = tuple(
    ip_network(net)
    for net in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16",
        "224.0.0.0/3", "::/127", "fc00::/7", "fe80::/10", "ff00::/8",
    )
)  # fmt: skip
_RESOLVERS = frozenset({"1.1.1.1", "1.0.0.1", "8.8.8.8", "8.8.4.4", "9.9.9.9", "4.2.2.2"})
# Versions, sections and positions have small parts; of addresses one in a few hundred.
_SMALL = 64
_VERSION_BEFORE = re.compile(
    rf"(?:\b(?:{alternatives('version_or_section')})(?:[ ](?:no\.?|number|is|was|of|to)){{0,2}}[ .:=]{{0,2}}"
    rf"|(?:{alternatives('version_or_section_zh')})(?:是|为|升到|到)?[ :]{{0,2}})$",
    re.IGNORECASE | re.ASCII,
)
_VERSION_AFTER = re.compile(
    r"[ ]?(?:版|节|章|条|款|小节|项|(?:release|version|build|sdk|firmware|driver)\b)", re.IGNORECASE | re.ASCII
)
_NET = re.compile(
    r"\bips?\b|\bipv4|address|\bhosts?\b|server|\bdns\b|resolv|\bping|\bssh\b|\blog(?:ged|in)|block|ban|firewall"
    r"|gateway"
    r"|proxy|\bvpn\b|router|\bhop\b|\bport\b|subnet|traffic|request|connect|origin|attack|scan|scrap|spam|traceroute"
    r"|nmap"
    r"|curl|https?:|a record|\bin a\b|provider|\bisp\b|[@\[]$"
    r"|地址|服务器|主机|登录|登陆|解析|域名|封|拦|网关|代理|路由|端口|流量|请求|连接|攻击|扫描|访问|来自|公网|机器"
    r"|节点|异地",
    re.IGNORECASE | re.ASCII,
)
_PORT = re.compile(r":[0-9]{2,5}\b|/[0-9]{1,2}\b|/[A-Za-z]")


def is_personal(text: str, start: int, end: int) -> bool:
    """Is what Presidio takes for an address at `start:end` one of the public net?"""
    bare = text[start:end].partition("%")[0].partition("/")[0]
    try:
        address = ip_address(bare)
    except ValueError:
        return True  # a form that only Presidio knows
    if any(address in net for net in _INTERNAL if net.version == address.version):
        return False
    return isinstance(address, IPv6Address) or _is_v4(address, text, start, end)


def _is_v4(address: IPv4Address, text: str, start: int, end: int) -> bool:
    before, after = text[max(0, start - 40) : start], text[end : end + 20]
    if before.endswith(".") or re.match(r"\.[0-9]", after):
        return False  # of more than four parts
    if _VERSION_BEFORE.search(before) or _VERSION_AFTER.match(after):
        return False
    if max(address.packed) >= _SMALL or str(address) in _RESOLVERS:
        return True
    return bool(_NET.search(before) or _NET.search(after) or _PORT.match(after))
