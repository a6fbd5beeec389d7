"""Keys of providers by their published prefixes: the providers' own documents, and GitHub's list of secret-scanning
patterns.
"""

import re

from inference.pii.rules import Rule

CREDENTIAL = "CREDENTIAL"

_B = r"(?<![A-Za-z0-9_])"
_E = r"(?![A-Za-z0-9_])"

# (provider, what the text must hold, the key); longest names first where prefixes nest.
_PROVIDERS: tuple[tuple[str, str, str], ...] = (
    ("anthropic", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{20,200}"),
    ("memstream", "ms_", r"ms_[a-z2-7]{12}_[A-Za-z0-9_-]{43}"),
    ("openrouter", "sk-or-", r"sk-or-(?:v1-)?[A-Za-z0-9]{20,100}"),
    ("openai", "sk-", r"sk-(?:proj-|svcacct-|admin-|None-)?[A-Za-z0-9_-]{20,220}"),
    ("aws access key", "a", r"(?:AKIA|ASIA|AROA|AIDA|AGPA|ANPA|ANVA|ABIA|ACCA)[A-Z0-9]{16}"),
    ("github", "gh", r"gh[pousr]_[A-Za-z0-9]{20,255}"),
    ("github fine-grained", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,255}"),
    ("gitlab", "gl", r"gl(?:pat|dt|ptt|ft|soat|rt|cbt|imt|agent|oas)-[A-Za-z0-9_.-]{20,120}"),
    ("google api key", "aiza", r"AIza[A-Za-z0-9_-]{35}"),
    ("google oauth", "gocspx-", r"GOCSPX-[A-Za-z0-9_-]{20,40}"),
    ("google access token", "ya29.", r"ya29\.[A-Za-z0-9_-]{20,250}"),
    ("slack", "xox", r"xox[abeoprs]-[A-Za-z0-9-]{10,200}"),
    ("slack app", "xapp-", r"xapp-[A-Za-z0-9-]{10,200}"),
    ("slack webhook", "hooks.slack.com", r"https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/+]{20,100}"),
    ("stripe", "_", r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,200}"),
    ("stripe webhook", "whsec_", r"whsec_[A-Za-z0-9+/]{20,100}={0,2}"),
    ("hugging face", "hf_", r"hf_[A-Za-z0-9]{20,100}"),
    ("npm", "npm_", r"npm_[A-Za-z0-9]{36}"),
    ("pypi", "pypi-", r"pypi-[A-Za-z0-9_-]{40,250}"),
    ("docker hub", "dckr_", r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,100}"),
    ("sendgrid", "sg.", r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{30,60}"),
    ("twilio", "sk", r"SK[0-9a-f]{32}"),
    ("mailgun", "key-", r"key-[0-9a-f]{32}"),
    ("digitalocean", "do", r"do[opr]_v1_[0-9a-f]{64}"),
    ("shopify", "shp", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    ("square", "sq0", r"sq0(?:atp|csp)-[A-Za-z0-9_-]{22,43}"),
    ("databricks", "dapi", r"dapi[0-9a-f]{32}(?:-\d)?"),
    ("linear", "lin_api_", r"lin_api_[A-Za-z0-9]{40}"),
    ("notion", "ntn_", r"ntn_[A-Za-z0-9]{40,60}"),
    ("groq", "gsk_", r"gsk_[A-Za-z0-9]{40,60}"),
    ("xai", "xai-", r"xai-[A-Za-z0-9]{60,100}"),
    ("replicate", "r8_", r"r8_[A-Za-z0-9]{36,40}"),
    ("perplexity", "pplx-", r"pplx-[A-Za-z0-9]{32,64}"),
    ("vault", "hv", r"hv[sbr]\.[A-Za-z0-9_-]{24,200}"),
    ("age", "age-secret-key-", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    ("telegram bot", ":aa", r"\d{8,10}:AA[A-Za-z0-9_-]{33}"),
    ("alibaba cloud", "ltai", r"LTAI[A-Za-z0-9]{12,24}"),
    ("tencent cloud", "akid", r"AKID[A-Za-z0-9]{32}"),
)

RULES: tuple[Rule, ...] = tuple(
    Rule(f"key:{name}", CREDENTIAL, re.compile(_B + pattern + _E), 0.95, needs=(needs,))
    for name, needs, pattern in _PROVIDERS
)
