"""Words beside a number that say what it is, where that is neither a card nor a telephone: an order, a part, a unit."""

import re

from inference.pii.labels import alternatives

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
LABELLED = re.compile(
    rf"(?:\b(?:{_THING_EN})(?:[ _-](?:case|codes?|hash|ids?|is|labels?|no\.?|nr\.?|numbers?|run|was|were|are|for)"
    rf"){{0,2}}"
    r"[ ]{0,1}[#:=(]{0,1}[ \"']{0,2}"
    rf"|\b(?:{_WITH_NUMBER_EN})[ _-](?:no\.?|nr\.?|number|id|#)(?:[ ](?:is|was))?[ ]?[#:=(]{{0,1}}[ \"']{{0,2}}"
    rf"|(?:{alternatives('number_of_a_thing')})(?:号码?|编号|id)?[ ]?(?:分别)?(?:是|为|取)?[ :=#(\"']{{0,3}})$",
    re.IGNORECASE | re.ASCII,
)
"""Ends where a number begins that is an order's, a part's, a message's."""

MEASURED = re.compile(
    r"[ ]?(?:[mµnk]?s|secs?|seconds?|minutes?|hours?|hrs?|days?|[mk]?g|kilos?|[ckm]?m|mi(?:les)?|lbs?|oz|[kmg]i?b"
    r"|bytes|bits?"
    r"|bpm|mmhg|rpm|[kmg]?hz|ppm|px|points?|pts|eur|usd|gbp|cny|rmb|jpy|chf|dollars?|euros?|pounds|yuan|steps|rows"
    r"|lines"
    r"|units|pieces|pcs)(?![A-Za-z0-9])"
    rf"|[ ]?(?:[%°€$£¥]|{alternatives('unit')})",
    re.IGNORECASE | re.ASCII,
)
"""A unit or a currency directly behind a number."""
