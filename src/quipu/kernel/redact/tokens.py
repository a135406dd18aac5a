"""Secrets that show by their own form what they are: the tokens and keys of well-known services.

Each rule begins where its literal prefix begins and matches one class of characters, so a search is linear.
A prefix in the middle of a longer word (base64 of a picture) does not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from quipu.kernel.redact.model import Secret, Source


@dataclass(frozen=True, slots=True)
class Token:
    """One kind of secret: searched only in a text that has one of the anchors; the group ``secret`` is it."""

    kind: str
    anchors: tuple[str, ...]
    pattern: re.Pattern[str]


def _token(kind: str, anchors: str, form: str) -> Token:
    """A token of that form that stands alone: no letter, digit or base64 sign before it, none after it."""
    return Token(
        kind, tuple(anchors.split()), re.compile(rf"(?<![A-Za-z0-9+_])(?P<secret>{form})(?![A-Za-z0-9_])")
    )


def _after(kind: str, anchor: str, form: str) -> Token:
    """A secret of that form that follows the anchor, which stays."""
    return Token(kind, (anchor,), re.compile(rf"{re.escape(anchor)}(?P<secret>{form})"))


TOKENS: Final = (
    _token("aws-key", "AKIA ASIA ABIA ACCA", r"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}"),
    _token("google-key", "AIza", r"AIza[\w-]{35}"),
    _token("google-token", "ya29.", r"ya29\.[\w-]{20,}"),
    _token("google-secret", "GOCSPX-", r"GOCSPX-[\w-]{20,}"),
    _token("google-token", "1//0", r"1//0[\w-]{40,}"),
    _token("azure-secret", "Q~", r"[\w.~-]{3}\dQ~[\w.~-]{31,34}"),
    _token("azure-token", "AZDO", r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}"),
    _after("azure-signature", "sig=", r"[A-Za-z0-9%+/_-]{30,}={0,2}"),
    _token("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{36,255}"),
    _token("github-token", "github_pat_", r"github_pat_\w{36,255}"),
    _token(
        "gitlab-token",
        "glpat- gldt- glft- glsoat- glrt- glcbt- glimt- glptt- glagent- gloas- glffct-",
        r"gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas|ffct)-[\w.-]{19,}\w",
    ),
    _token("gitlab-token", "GR1348941", r"GR1348941[\w-]{20,50}"),
    _token(
        "slack-token", "xoxa xoxb xoxe xoxo xoxp xoxr xoxs", r"xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{20,}"
    ),
    _token("slack-token", "xapp-", r"xapp-\d-[A-Za-z0-9-]{20,}"),
    _after("slack-webhook", "hooks.slack.com/services/", r"[A-Za-z0-9]+/[A-Za-z0-9]+/[A-Za-z0-9]+"),
    _after("slack-webhook", "hooks.slack.com/workflows/", r"[A-Za-z0-9/]{20,}"),
    _token("stripe-key", "k_live_ k_test_", r"[sr]k_(?:live|test)_[A-Za-z0-9]{10,}"),
    _token("stripe-key", "whsec_", r"whsec_[A-Za-z0-9+/]{24,}={0,2}"),
    _token("anthropic-key", "sk-ant-", r"sk-ant-[\w-]{20,}"),
    _token("openai-key", "sk-", r"sk-(?:proj|svcacct|admin|None|or-v1|service|lf)-[\w-]{20,}"),
    _token("openai-key", "sk-", r"sk-(?=[A-Za-z]*\d)[A-Za-z0-9]{20,}"),
    _token("npm-token", "npm_", r"npm_[A-Za-z0-9]{36}"),
    _token("pypi-token", "pypi-AgE", r"pypi-AgE[\w-]{50,}"),
    _token("twilio-key", "SK", r"SK[0-9a-f]{32}"),
    _token("sendgrid-key", "SG.", r"SG\.[\w-]{16,32}\.[\w-]{16,64}"),
    _token("huggingface-token", "hf_", r"hf_[A-Za-z0-9]{30,40}"),
    _token("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[0-9a-f]{64}"),
    _token("docker-token", "dckr_pat_", r"dckr_pat_[\w-]{20,}"),
    _token("shopify-token", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    _token("vault-token", "hvs. hvb. hvr.", r"hv[sbr]\.[\w-]{24,}"),
    _token("age-key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{40,}"),
    _token("groq-key", "gsk_", r"gsk_[A-Za-z0-9]{40,}"),
    _token("xai-key", "xai-", r"xai-[A-Za-z0-9]{60,}"),
    _token("perplexity-key", "pplx-", r"pplx-[A-Za-z0-9]{40,}"),
    _token("replicate-token", "r8_", r"r8_[A-Za-z0-9]{30,}"),
    _token("linear-key", "lin_", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    _token("notion-token", "ntn_", r"ntn_[A-Za-z0-9]{40,}"),
    _token("atlassian-token", "ATATT3 ATCTT3", r"AT[AC]TT3[\w=-]{60,}"),
    _token("supabase-token", "sbp_", r"sbp_[0-9a-f]{40}"),
    _token("rubygems-key", "rubygems_", r"rubygems_[0-9a-f]{48}"),
    _token("mailgun-key", "key-", r"key-[0-9a-f]{32}"),
    _token("newrelic-key", "NRAK-", r"NRAK-[A-Z0-9]{27}"),
    _token("grafana-token", "glsa_ glc_", r"gl(?:sa|c)_[\w=]{32,}"),
    # The look-behind of the dash keeps this linear on a run of "eyJ": it is tried once for each run.
    _token("jwt", "eyJ", r"(?<!-)eyJ[\w-]{14,}\.[\w-]{10,}(?:\.[\w-]+){0,3}"),
)

_ANCHORS: Final = tuple((anchor, index) for index, token in enumerate(TOKENS) for anchor in token.anchors)

_AWS_SECRET = re.compile(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=_-])")
_AWS_SECRET_WITHIN: Final = 200


def find(source: Source) -> Iterator[Secret]:
    """Every token of a known form."""
    text, runs = source.text, source.runs
    if not runs:
        return
    present = {index for anchor, index in _ANCHORS if anchor in runs}
    for token in [TOKENS[index] for index in sorted(present)]:
        for match in token.pattern.finditer(text):
            yield Secret(match.start("secret"), match.end("secret"), token.kind)
            if token.kind == "aws-key":
                yield from _aws_secret(text, match.end())


def _aws_secret(text: str, position: int) -> Iterator[Secret]:
    """The secret half of a pair, which has no form of its own: 40 mixed characters soon after the key."""
    match = _AWS_SECRET.search(text, position, position + _AWS_SECRET_WITHIN)
    if match and not match[0].isalpha() and match[0].lower() != match[0] != match[0].upper():
        yield Secret(match.start(), match.end(), "aws-secret")
