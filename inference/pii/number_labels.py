"""Words beside a number that say what it is, where that is neither a card nor a telephone: an order, a part, a unit."""

import re

_THING_EN = (
    "accession|article|asset|badge|barcode|batch|block|booking|box|build|bus|case|chapter|claim|commit|confirmation"
    "|contract|docket|ean|epoch|flight|grant|iccid|id|imei|invoice|isbn|issn|issue|item|job|kill"
    "|lot|meter|model|msg|nonce|order|orders|pages?|parcel|part|patent|pid|pids|policy|ports?"
    "|process|product|pr|readings?|receipt|ref|reference|refund|release|request|reservation|row|rows"
    "|run|score|scores|section|serial|session|shipment|sku|step|task|test|ticket|timestamp|trace|tracking|train"
    "|transaction"
    "|transfer|txn|uid|upc|version|voucher"
)
_WITH_NUMBER_EN = "account|client|customer|employee|line|member|membership|message|post|record|room|student|user"
_THING_ZH = (
    "订单|单号|运单|快递|包裹|流水|工单|零件|部件|编号|型号|序列|批号|批次|条码|条形码|货号|料号|资产|机柜|会员|学号"
    "|学籍|工号"
    "|案号|发票|合同|消息|版本|构建|端口|进程|用例|交易|凭证|票号|箱号|读数|血压|体重|成绩|得分|比分|分数|耗时|延迟"
    "|退款单"
    "|设备号|圆通|顺丰|中通|申通|韵达|时间戳|主键|nonce"
)
LABELLED = re.compile(
    rf"(?:\b(?:{_THING_EN})(?:[ _-](?:case|codes?|hash|ids?|is|labels?|no\.?|nr\.?|numbers?|run|was|were|are|for)"
    rf"){{0,2}}"
    r"[ ]{0,1}[#:=(]{0,1}[ \"']{0,2}"
    rf"|\b(?:{_WITH_NUMBER_EN})[ _-](?:no\.?|nr\.?|number|id|#)(?:[ ](?:is|was))?[ ]?[#:=(]{{0,1}}[ \"']{{0,2}}"
    rf"|(?:{_THING_ZH})(?:号码?|编号|id)?[ ]?(?:分别)?(?:是|为|取)?[ :=#(\"']{{0,3}})$",
    re.IGNORECASE | re.ASCII,
)
"""Ends where a number begins that is an order's, a part's, a message's."""

MEASURED = re.compile(
    r"[ ]?(?:[mµnk]?s|secs?|seconds?|minutes?|hours?|hrs?|days?|[mk]?g|kilos?|[ckm]?m|mi(?:les)?|lbs?|oz|[kmg]i?b"
    r"|bytes|bits?"
    r"|bpm|mmhg|rpm|[kmg]?hz|ppm|px|points?|pts|eur|usd|gbp|cny|rmb|jpy|chf|dollars?|euros?|pounds|yuan|steps|rows"
    r"|lines"
    r"|units|pieces|pcs)(?![A-Za-z0-9])"
    r"|[ ]?(?:[%°€$£¥]|毫秒|微秒|秒|分钟|小时|天|公斤|千克|克|斤|毫米|厘米|公里|千米|米|毫克|毫升|升|元|美元|欧元|日元"
    r"|块|度|分贝"
    r"|个|件|台|次|步|行|条|页|字节|批|箱)",
    re.IGNORECASE | re.ASCII,
)
"""A unit or a currency directly behind a number."""
