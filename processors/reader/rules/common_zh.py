"""Chinese words that carry little by themselves in talk; what remains of a sentence is what it is about."""

from __future__ import annotations

import re

from processors.reader.rules.text import MASKED

_WORDS = """
    的 了 着 过 地 得 之 所 等 们 吗 呢 吧 啊 呀 哦 嗯 哈 啦 嘛 哎 唉 喔 噢 哇 么 咯 呗 恩 额 诶 嘞 哟 喽 耶 呐 我
    你 您 他 她 它 咱 我们 你们 他们 她们 它们 咱们 自己 人家 大家 别人 本人 这 那 哪 此 其 该 某 每 各 这个 那个
    哪个 这些 那些 哪些 这里 那里 哪里 这儿 那儿 哪儿 这样 那样 这么 那么 怎么 怎样 这家 那家 哪家 什么 啥 谁 为什么
    多少 几 如何 是不是 有没有 可不可以 能不能 会不会 怎么样 咋样 多钱 多大 多久 多远 多长 是 有 在 和 与 及 或 而
    且 但 但是 而且 或者 还是 以及 并 并且 也 都 就 才 又 再 还 还有 很 太 更 最 非常 比较 挺 真 真的 特别 十分 不
    没 没有 别 不是 不要 把 被 让 给 对 从 向 往 到 于 以 为 为了 因为 所以 因此 由于 如果 要是 虽然 然后 那就 之后
    以后 以前 之前 就是 只是 可以 能 能够 会 要 想 应该 可能 需要 请 请问 一下 一个 一些 一点 有点 有些 个 只 些 点
    里 一家 一种 一次 两个 家 种 次 件 上 下 中 内 外 时 时候 的时候 时间 这道 道 条 张 位 名 份 已经 正在 曾经 刚刚
    现在 将 将要 用 跟 同 比 像 如 按 按照 通过 关于 对于 好 好的 行 嗯嗯 哈哈 谢谢 谢谢你 多谢 感谢 说 去 来 觉得
    感觉 认为 知道 看 看看 听 听说 告诉 发现 喜欢 希望 打算 准备 想要 帮 帮我 给我 推荐 介绍 建议 问 问问 聊 聊天
    说说 聊聊 找 查 你好 您好 嗨 哈喽 早上好 下午好 晚上好 再见 拜拜 不客气 没关系 没问题 好吧 好啊 好呀 收到 明白
    了解 可以 对 对啊 对对 是的 是啊 当然 确实 其实 真是 实在 一直 总是 经常 常常 有时 有时候 有时候会 偶尔 最近
    今天 昨天 明天 刚才 一起 一样 一定 一般 可是 不过 不错 很好 太好了 朋友 人 事 事情 东西 问题 地方 方面 情况 方法
    办法 时间 生活 工作 开心 高兴 快乐 难过 伤心 有趣 有意思 厉害 好玩 好看 美 棒 太棒 紧张 放松 起来 出来 下来 过来
    回来 进去 出去 看到 听到 感到 变得 成为 作为 做 干 弄 搞 玩 试 试试 尝试 努力 加油 支持 帮助 帮忙 帮到 麻烦 重要
    很多 许多 好多 所有 全部 其他 别的 另外 最后 首先 第一 第二 每次 每天 每个 一天 几天 多 少 大 小 长 短 新 老 高
    低 快 慢 难 容易
"""
_BOUNDARY = re.compile("|".join(sorted(set(_WORDS.split()), key=len, reverse=True)))
_RUN = re.compile(r"[\u4e00-\u9fff]+|[A-Za-z][A-Za-z0-9.+#-]*|\d[\d.,]*")


def content_runs(text: str) -> list[str]:
    """Return the runs of characters that remain without everyday words, in order."""
    return [run for run in _RUN.findall(_BOUNDARY.sub(" ", MASKED.sub(" ", text))) if len(run) > 1 or run.isdecimal()]


def content_weight(text: str) -> float:
    """Return about how many content words a text has: two Han characters, a Latin word or a number are one."""
    return sum(max(1.0, len(run) / 2) if run[0] > "\u2e7f" else 1.0 for run in dict.fromkeys(content_runs(text)))
