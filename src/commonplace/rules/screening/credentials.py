"""Find credentials by their published formats."""

from __future__ import annotations

import re

from ...model.value import Value
from .findings import CREDENTIAL, UUID, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


class Format(Value):
    """How one kind of credential is written."""

    label: str
    anchors: tuple[str, ...]
    shape: str
    check: str = ""
    """The name of a function in `checksums`."""


FORMATS = tuple(
    Format(label, tuple(anchors.split()), shape, *check)
    for label, anchors, shape, *check in (
        # Clouds and hosting
        ("AWS access key", "AKIA ASIA ABIA ACCA A3T",
         "(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}"),
        ("AWS Bedrock key", "ABSK", "ABSK[A-Za-z0-9+/]{109,269}={0,2}"),
        ("Google API key", "AIza", r"AIza[\w-]{35}"),
        ("Google OAuth client secret", "GOCSPX-", r"GOCSPX-[\w-]{28}"),
        ("Google OAuth access token", "ya29.", r"ya29\.[\w-]{20,1024}"),
        ("Google OAuth refresh token", "1//0", r"1//0[\w-]{28,200}"),
        ("Azure storage key", "+ASt", r"[A-Za-z0-9+/]{76}\+ASt[A-Za-z0-9+/]{6}=="),
        ("Azure client secret", "Q~", r"[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}"),
        ("Azure DevOps token", "AZDO", "[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}"),
        ("Azure connection key", "AccountKey= SharedAccessKey=",
         r"(?:Account|SharedAccess)Key=[A-Za-z0-9+/]{42,86}={1,2}"),
        ("Alibaba Cloud access key", "LTAI", "LTAI[A-Za-z0-9]{20}"),
        ("DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", "do[opr]_v1_[0-9a-f]{64}"),
        ("Heroku API key", "HRKU-", r"HRKU-AA[\w-]{58}"),
        ("Cloudflare origin CA key", "v1.0-", "v1\\.0-[0-9a-f]{24}-[0-9a-f]{146}"),
        ("Fly.io token", "fo1_ fm1a_ fm1r_ fm2_",
         "(?:fo1_[\\w-]{43}|fm1[ar]_[A-Za-z0-9+/]{100,1000}={0,3}|fm2_[A-Za-z0-9+/]{100,1000}={0,3})"),
        ("Vercel token", "vcp_ vci_ vca_ vcr_ vck_", "vc[piark]_[A-Za-z0-9]{56}"),
        ("Netlify token", "nfp_", "nfp_[A-Za-z0-9]{36}"),
        ("Render API key", "rnd_", "rnd_[A-Za-z0-9]{32}"),
        ("Scalingo token", "tk-us-", r"tk-us-[\w-]{48}"),
        ("OpenShift token", "sha256~", r"sha256~[\w-]{43}"),
        ("Tailscale key", "tskey-",
         "tskey-(?:api|auth|client|scim|webhook)-[A-Za-z0-9]{8,20}-[A-Za-z0-9]{20,50}"),
        ("Terraform Cloud token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}"),
        ("Pulumi token", "pul-", "pul-[0-9a-f]{40}"),
        ("Vault token", "hvs. hvb. hvr.", r"hv[sbr]\.[\w-]{24,300}"),
        ("Doppler token", "dp.",
         r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}"),
        ("1Password service account token", "ops_eyJ", "ops_eyJ[A-Za-z0-9+/]{250,2000}={0,2}"),
        ("Infracost key", "ico-", "ico-[A-Za-z0-9]{32}"),
        ("Prefect key", "pnu_", "pnu_[A-Za-z0-9]{36}"),
        ("Harness token", "pat. sat.", r"[ps]at\.[\w-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}"),
        # Code, packages, builds
        ("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", "gh[pousr]_[A-Za-z0-9]{36}", "base62_crc32"),
        ("GitHub fine-grained token", "github_pat_", "github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"),
        ("GitLab token", "glpat- gldt- glrt- glft- glsoat- glcbt- glptt- glagent- glimt- glffct-",
         r"gl(?:pat|dt|rt|ft|soat|cbt|ptt|agent|imt|ffct)-(?:\d{1,3}_|t\d_)?[\w-]{20,64}"
         r"(?:\.[0-9a-z]{2}\.[0-9a-z]{9})?"),
        ("Bitbucket app password", "ATBB", "ATBB[A-Za-z0-9]{32}"),
        ("Atlassian API token", "ATATT3 ATCTT3", r"AT[AC]TT3[\w=-]{180,220}"),
        ("npm token", "npm_", "npm_[A-Za-z0-9]{36}", "base62_crc32"),
        ("PyPI token", "pypi-Ag", r"pypi-Ag(?:EIcHlwaS5vcmc|ENdGVzdC5weXBpLm9yZw)[\w-]{50,1000}"),
        ("RubyGems key", "rubygems_", "rubygems_[0-9a-f]{48}"),
        ("NuGet key", "oy2", "oy2[a-z0-9]{43}"),
        ("crates.io token", "cio", "cio[A-Za-z0-9]{32}"),
        ("Clojars token", "CLOJARS_", "CLOJARS_[a-z0-9]{60}"),
        ("Docker Hub token", "dckr_pat_ dckr_oat_", r"dckr_(?:pat_[\w-]{27}|oat_[\w-]{32})"),
        ("Artifactory key", "AKCp", "AKCp[A-Za-z0-9]{69}"),
        ("Artifactory reference token", "cmVmd", "cmVmd[A-Za-z0-9]{59}"),
        ("CircleCI token", "CCIPAT_ CCIPRJ_", "CCI(?:PAT|PRJ)_[A-Za-z0-9]{22}_[0-9a-f]{40}"),
        ("Buildkite token", "bkua_", "bkua_[0-9a-f]{40}"),
        ("Octopus Deploy key", "API-", "API-[A-Z0-9]{26}"),
        ("SonarQube token", "squ_ sqp_ sqa_", "sq[upa]_[0-9a-f]{40}"),
        ("Sourcegraph token", "sgp_", "sgp_(?:(?:[0-9a-f]{16}|local)_)?[0-9a-f]{40}"),
        ("Postman key", "PMAK-", "PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
        ("ReadMe key", "rdme_", "rdme_[a-z0-9]{70}"),
        ("LaunchDarkly key", "api- sdk-", f"(?:api|sdk)-{UUID}"),
        ("Deno Deploy token", "ddp_ ddo_", "dd[po]_[A-Za-z0-9]{36}"),
        # Models and agents
        ("OpenAI key", "T3BlbkFJ", r"sk-(?:[a-z]{4,8}-)?[\w-]{20,80}T3BlbkFJ[\w-]{20,80}"),
        ("OpenAI project key", "sk-proj- sk-svcacct- sk-admin-",
         r"sk-(?:proj|svcacct|admin)-[\w-]{40,200}"),
        ("Anthropic key", "sk-ant-", r"sk-ant-[a-z]{3,6}\d{2}-[\w-]{93}AA"),
        ("OpenRouter key", "sk-or-v1-", "sk-or-v1-[0-9a-f]{64}"),
        ("Langfuse key", "sk-lf-", f"sk-lf-{UUID}"),
        ("DeepSeek key", "sk-", "sk-[0-9a-f]{32}"),
        ("OpenAI key", "sk-", "sk-[A-Za-z0-9]{48}"),
        ("Hugging Face token", "hf_", "hf_[A-Za-z]{34}"),
        ("Hugging Face organization token", "api_org_", "api_org_[A-Za-z]{34}"),
        ("Replicate token", "r8_", "r8_[A-Za-z0-9]{37}"),
        ("Groq key", "gsk_", "gsk_[A-Za-z0-9]{52}"),
        ("xAI key", "xai-", "xai-[A-Za-z0-9]{80}"),
        ("Perplexity key", "pplx-", "pplx-[A-Za-z0-9]{48}"),
        ("Pinecone key", "pcsk_", "pcsk_[A-Za-z0-9]{5,6}_[A-Za-z0-9]{63}"),
        ("LangSmith key", "lsv2_", "lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
        ("Tavily key", "tvly-", "tvly-(?:dev-|prod-)?[A-Za-z0-9]{32}"),
        ("Firecrawl key", "fc-", "fc-[0-9a-f]{32}"),
        ("Apify token", "apify_api_", "apify_api_[A-Za-z0-9]{36}"),
        ("ElevenLabs key", "sk_", "sk_[0-9a-f]{48}"),
        ("Databricks token", "dapi", "dapi[0-9a-f]{32}(?:-\\d)?"),
        # Data
        ("Supabase token", "sbp_ sb_secret_", r"(?:sbp_[0-9a-f]{40}|sb_secret_[\w-]{31})"),
        ("PlanetScale token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[\w.=-]{32,64}"),
        ("MongoDB Atlas secret", "mdb_sa_sk_", r"mdb_sa_sk_[\w-]{40}"),
        ("Airtable token", "pat", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
        ("Neon key", "napi_", "napi_[a-z0-9]{64}"),
        ("Contentful token", "CFPAT-", r"CFPAT-[\w-]{43}"),
        ("Mapbox secret token", "sk.eyJ", r"sk\.eyJ[\w-]{50,120}\.[\w-]{22}"),
        ("MaxMind license key", "_mmk", r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk"),
        # Money
        ("Stripe key", "k_live_ k_test_ k_prod_",
         "[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,247}"),
        ("webhook signing secret", "whsec_", "whsec_[A-Za-z0-9+/]{24,88}={0,2}"),
        ("Square token", "sq0atp- sq0csp- EAAA",
         r"(?:sq0atp-[\w-]{22}|sq0csp-[\w-]{43}|EAAA[\w-]{22,60})"),
        ("PayPal Braintree token", "access_token$",
         r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}"),
        ("Plaid access token", "access-", f"access-(?:sandbox|development|production)-{UUID}"),
        ("Shopify token", "shpat_ shpca_ shppa_ shpss_", "shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
        ("Flutterwave key", "FLWSECK", "FLWSECK(?:_TEST)?-[0-9a-h]{12,32}-X"),
        ("EasyPost key", "EZAK EZTK", "EZ[AT]K[A-Za-z0-9]{54}"),
        ("Duffel token", "duffel_", r"duffel_(?:test|live)_[\w=-]{43}"),
        ("Shippo token", "shippo_", "shippo_(?:live|test)_[0-9a-f]{40}"),
        ("Lob key", "live_ test_", "(?:live|test)_[0-9a-f]{35}"),
        # Talking to people
        ("Slack token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxe- xoxc- xoxd-",
         r"xox[abcdeoprs]-(?:\d{1,3}-)?[A-Za-z0-9-]{20,250}"),
        ("Slack app token", "xapp-", r"xapp-\d-[A-Z0-9]{9,13}-\d{9,15}-[0-9a-f]{64}"),
        ("Slack refresh token", "xoxe.", r"xoxe\.xox[bp]-\d-[A-Z0-9a-z]{146,190}"),
        ("Slack webhook", "hooks.slack.com/",
         r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Z0-9]{9,13}/[A-Za-z0-9]{9,20}/[A-Za-z0-9]{23,46}"),
        ("Microsoft Teams webhook", ".webhook.office.com/",
         rf"[a-z0-9]+\.webhook\.office\.com/webhookb2/{UUID}@{UUID}/IncomingWebhook/[0-9a-f]{{32}}/{UUID}"),
        ("Discord bot token", ".", r"[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,38}"),
        ("Discord webhook", "/api/webhooks/",
         r"discord(?:app)?\.com/api/webhooks/\d{17,20}/[\w-]{60,80}"),
        ("Telegram bot token", ":", r"[0-9]{8,10}:[\w-]{35}"),
        ("Twilio key", "SK", "SK[0-9a-fA-F]{32}"),
        ("SendGrid key", "SG.", r"SG\.[\w-]{22}\.[\w-]{43}"),
        ("Mailgun key", "key-", "key-[0-9a-f]{32}"),
        ("Mailgun key", "-", "[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}"),
        ("Mailchimp key", "-us", "[0-9a-z]{32}-us[0-9]{1,2}"),
        ("Brevo key", "xkeysib-", "xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}"),
        ("Resend key", "re_", "re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}"),
        ("Typeform token", "tfp_", r"tfp_[\w.=-]{59}"),
        ("HubSpot token", "pat-", f"pat-(?:na|eu)\\d-{UUID}"),
        ("Facebook access token", "EAA", "EAA[MC][A-Za-z0-9]{100,300}"),
        # Work and watching
        ("Linear key", "lin_api_ lin_oauth_", "lin_(?:api|oauth)_[A-Za-z0-9]{40,64}"),
        ("Notion token", "ntn_", r"ntn_\d{11}[A-Za-z0-9]{35}"),
        ("Notion token", "secret_", "secret_[A-Za-z0-9]{43}"),
        ("Figma token", "figd_ figo_", r"fig[do]_[\w-]{40}"),
        ("Frame.io token", "fio-u-", r"fio-u-[\w=-]{64}"),
        ("Dropbox token", "sl.", r"sl\.(?:u\.)?[\w-]{120,1400}"),
        ("Asana token", "/", r"[12]/(?:\d{13,17}/)?\d{13,17}:[0-9a-f]{32}"),
        ("New Relic key", "NRAK- NRJS- NRII- NRAL",
         r"(?:NRAK-[A-Z0-9]{27}|NRJS-[0-9a-f]{19}|NRII-[\w-]{32}|[0-9a-f]{36}NRAL)"),
        ("Sentry token", "sntrys_eyJ sntryu_",
         r"(?:sntrys_eyJ[\w+/=-]{80,400}|sntryu_[0-9a-f]{64})"),
        ("Grafana service account token", "glsa_", "glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}"),
        ("Grafana cloud token", "glc_", "glc_eyJ[A-Za-z0-9+/]{60,400}={0,2}"),
        ("Dynatrace token", "dt0", r"dt0[a-z][0-9]{2}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}"),
        ("PostHog key", "phx_", "phx_[A-Za-z0-9]{43,47}"),
        ("Adafruit IO key", "aio_", "aio_[A-Za-z0-9]{28}"),
        ("Adobe client secret", "p8e-", "p8e-[A-Za-z0-9]{32}"),
        # Keys themselves
        ("age secret key", "AGE-SECRET-KEY-1",
         "AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}", "bech32"),
        ("JSON web token", "eyJ", r"eyJ[\w-]{15,800}\.eyJ[\w-]{15,8000}\.[\w-]{20,2000}", "jwt"),
    )
)  # fmt: skip


# Published checksums, which tell real credentials from lookalikes

BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"


def base62_crc32(text: str) -> bool:
    """GitHub and npm: the last six letters are the CRC-32 of those before, after the prefix."""
    import zlib

    body, given = text.partition("_")[2][:-6], text[-6:]
    rest, letters = zlib.crc32(body.encode()), ""
    for _ in range(6):
        rest, digit = divmod(rest, 62)
        letters = BASE62[digit] + letters
    return letters == given


def bech32(text: str) -> bool:
    """The checksum of BIP 173, which age uses for its keys."""
    prefix, _, data = text.lower().rpartition("1")
    spread = [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix]
    check = 1
    for value in spread + [BECH32.index(c) for c in data]:
        top, check = check >> 25, (check & 0x1FFFFFF) << 5 ^ value
        for bit, term in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            check ^= term if top >> bit & 1 else 0
    return check == 1


def jwt(text: str) -> bool:
    """A token's header says how it is signed."""
    import json

    try:
        header = json.loads(_base64(text.partition(".")[0]))
    except ValueError:
        return False
    return isinstance(header, dict) and "alg" in header


def _base64(text: str) -> bytes:
    import base64

    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


CHECKS: Mapping[str, Callable[[str], bool]] = {
    check.__name__: check for check in (base62_crc32, bech32, jwt)
}


# Search

_BEFORE = "(?<![A-Za-z0-9])"
_AFTER = "(?![A-Za-z0-9]|[_-][A-Za-z0-9])"
"""A longer run of letters is something else; a dash or an underscore may follow in a sentence."""
_RUN = re.compile(r"\S{16,}")
"""No format has a space or is shorter, so the rest of a text need not be looked at."""

_ANCHORS = tuple((anchor, place) for place, form in enumerate(FORMATS) for anchor in form.anchors)
_compiled: list[re.Pattern[str] | None] = [None] * len(FORMATS)


def find_credentials(text: str) -> Iterator[Finding]:
    """Everything in a text that is a credential, perhaps overlapping."""
    for run in _RUN.finditer(text):
        yield from _of_formats(run.group(), run.start())


def _of_formats(run: str, start: int) -> Iterator[Finding]:
    for place in {place for anchor, place in _ANCHORS if anchor in run}:
        form = FORMATS[place]
        # Compiled when first needed: all of them together take as long as many recalls.
        pattern = _compiled[place]
        if pattern is None:
            pattern = _compiled[place] = re.compile(f"{_BEFORE}(?:{form.shape}){_AFTER}")
        for match in pattern.finditer(run):
            if not form.check or CHECKS[form.check](match.group()):
                yield Finding(CREDENTIAL, form.label, start + match.start(), start + match.end())
