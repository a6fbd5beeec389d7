"""Function words that carry no topic, for BM25 terms. Own short lists: long ones swallow content words."""

_ENGLISH = """
    a about after again all also am an and any are as at be because been before being but by can could did do does
    doing don down during each few for from further had has have having he her here hers herself him himself his how
    i if in into is it its itself just let me more most my myself no nor not now of off oh ok okay on once only or
    other our ours ourselves out over own please same she should so some such than that the their theirs them
    themselves then there these they this those through to too under until up us very was we were what when where
    which while who whom why will with would yes you your yours yourself yourselves
    ain aren couldn d didn doesn hadn hasn haven isn ll m re s shouldn t ve wasn weren won wouldn
"""

_CHINESE = """
    的 了 着 过 地 得 之 所 等 们 吗 呢 吧 啊 呀 哦 嗯 哈 啦 嘛 哎 唉 喔 噢 哇 么 咯
    我 你 您 他 她 它 咱 我们 你们 您们 他们 她们 它们 咱们 自己 人家 大家
    这 那 哪 此 其 该 某 每 各 这个 那个 哪个 这些 那些 哪些 这里 那里 哪里 这儿 那儿 哪儿 这样 那样 这么 那么 怎么 怎样
    什么 谁 为什么 多少 几 如何 是不是 有没有 可不可以 能不能
    是 有 在 和 与 及 或 而 且 但 但是 而且 或者 还是 以及 并 并且 也 都 就 才 又 再 还 很 太 更 最 非常 比较 挺 真 真的
    不 没 没有 别 不是 不要 把 被 让 给 对 从 向 往 到 于 以 为 为了 因为 所以 因此 由于 如果 要是 虽然 然后 那就
    就是 只是 可以 能 能够 会 要 想 应该 可能 需要 请 请问 一下 一个 一些 一点 有点 有些 个 只 些 点 里
    上 下 中 内 外 时 时候
    已经 正在 曾经 刚刚 现在 将 将要 用 跟 同 比 像 如 按 按照 通过 关于 对于 好 好的 行 嗯嗯 哈哈 谢谢 说 去 来
"""

ENGLISH: frozenset[str] = frozenset(_ENGLISH.split())
CHINESE: frozenset[str] = frozenset(_CHINESE.split())
