"""Find credentials by their published formats."""

# ruff: noqa: E501 - a pattern reads better on one line than on several

from __future__ import annotations

from ...model.lazy_pattern import lazy
from ...model.value import Value
from .findings import CREDENTIAL, UUID, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator, Mapping

    from .disguises import View


class Format(Value):
    """How one kind of credential is written."""

    label: str
    anchors: tuple[str, ...]
    shape: str
    check: str = ""
    """The name of a function in `CHECKS`."""


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
         "(?:fo1_[\\w-]{43}|fm1[ar]_[A-Za-z0-9+/]{40,1000}={0,3}|fm2_[A-Za-z0-9+/_-]{40,1000}={0,3})"),
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
        ("1Password service account token", "ops_eyJ", r"ops_eyJ[\w+/-]{100,2000}={0,2}"),
        ("Infracost key", "ico-", "ico-[A-Za-z0-9]{32}"),
        ("Prefect key", "pnu_", "pnu_[A-Za-z0-9]{36}"),
        ("Harness token", "pat. sat.", r"[ps]at\.[\w-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}"),
        # Code, packages, builds
        ("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", "gh[pousr]_[A-Za-z0-9]{36}"),
        ("GitHub fine-grained token", "github_pat_", "github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"),
        ("GitLab token", "glpat- gldt- glrt- glft- glsoat- glcbt- glptt- glagent- glimt- glffct-",
         r"gl(?:pat|dt|rt|ft|soat|cbt|ptt|agent|imt|ffct)-(?:\d{1,3}_|t\d_)?[\w-]{20,64}"
         r"(?:\.[0-9a-z]{2}\.[0-9a-z]{9})?"),
        ("Bitbucket app password", "ATBB", "ATBB[A-Za-z0-9]{32}"),
        ("Atlassian API token", "ATATT3 ATCTT3", r"AT[AC]TT3[\w=-]{180,220}"),
        ("npm token", "npm_", "npm_[A-Za-z0-9]{36}"),
        ("PyPI token", "pypi-Ag", r"pypi-Ag(?:EIcHlwaS5vcmc|ENdGVzdC5weXBpLm9yZw)[\w-]{32,1000}"),
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
        ("SonarQube token", "squ_ sqp_ sqa_", "sq[upa]_[0-9A-Za-z]{40}"),
        ("Sourcegraph token", "sgp_", "sgp_(?:(?:[0-9a-fA-F]{16}|local)_)?[0-9a-fA-F]{40}"),
        ("Postman key", "PMAK-", "PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
        ("ReadMe key", "rdme_", "rdme_[a-z0-9]{70}"),
        ("LaunchDarkly key", "api- sdk-", f"(?:api|sdk)-{UUID}"),
        ("Deno Deploy token", "ddp_ ddo_", "dd[po]_[A-Za-z0-9]{36}"),
        # Models and agents
        ("OpenAI key", "T3BlbkFJ", r"sk-(?:[a-z]{4,8}-)?[\w-]{20,80}T3BlbkFJ[\w-]{20,80}"),
        ("OpenAI project key", "sk-proj- sk-svcacct- sk-admin-",
         r"sk-(?:proj|svcacct|admin)-[\w-]{40,200}"),
        ("Anthropic key", "sk-ant-", r"sk-ant-[\w-]{24,200}"),
        ("OpenRouter key", "sk-or-v1-", "sk-or-v1-[0-9a-f]{64}"),
        ("Langfuse key", "sk-lf-", f"sk-lf-{UUID}"),
        ("secret API key", "sk-", r"sk-[A-Za-z0-9][\w-]{15,250}", "mixed"),
        ("Hugging Face token", "hf_", "hf_[A-Za-z0-9]{30,40}"),
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
         r"(?:https?://)?hooks\.slack\.com/(?:services|workflows|triggers)/[A-Z0-9]{8,13}/[A-Za-z0-9]{8,20}/(?:[0-9]{17,19}/)?[A-Za-z0-9]{20,46}"),
        ("Microsoft Teams webhook", ".webhook.office.com/",
         rf"(?:https?://)?[a-z0-9]+\.webhook\.office\.com/webhookb2/{UUID}@{UUID}/IncomingWebhook/[0-9a-f]{{32}}(?:/{UUID})?"
         r"(?:/[\w-]{10,100})?"),
        ("Zapier webhook", "hooks.zapier.com/", r"(?:https?://)?hooks\.zapier\.com/hooks/catch/\d{3,12}/\w{5,20}/?"),
        ("Make webhook", ".make.com/ .integromat.com/",
         r"(?:https?://)?hook\.(?:[a-z0-9]+\.)?(?:make|integromat)\.com/[a-z0-9]{20,64}"),
        ("IFTTT webhook", "maker.ifttt.com/", r"(?:https?://)?maker\.ifttt\.com/trigger/[\w.%-]{1,80}/(?:json/)?with/key/[\w-]{12,64}"),
        ("n8n webhook", "/webhook/ /webhook-test/", rf"https?://[\w.:-]{{3,80}}/webhook(?:-test)?/(?:{UUID}|[\w-]{{20,80}})"),
        ("workflow webhook", ".logic.azure.com .powerplatform.com .azure-apim.net",
         r"(?:https?://)?[\w.-]{3,100}\.(?:logic\.azure\.com|api\.powerplatform\.com|azure-apim\.net)[\w.:/?=&%-]{1,400}sig=[\w%-]{20,100}"),
        ("Google Chat webhook", "chat.googleapis.com/",
         r"(?:https?://)?chat\.googleapis\.com/v1/spaces/[\w-]{4,40}/messages\?key=[\w-]{20,60}&token=[\w%-]{20,80}"),
        ("chat webhook", "/hook/ /robot/send /webhook/send",
         rf"(?:https?://)?(?:open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/{UUID}|oapi\.dingtalk\.com/robot/send\?access_token=[0-9a-f]{{64}}|qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=[0-9a-f-]{{36,64}})"),
        ("Mattermost webhook", "/hooks/", r"https?://[\w.:-]{3,80}/hooks/[a-z0-9]{26}"),
        ("Pipedream webhook", ".m.pipedream.net", r"(?:https?://)?[a-z0-9]{10,20}\.m\.pipedream\.net"),
        ("Discord bot token", ".", r"[MNO][\w-]{11,27}\.[\w-]{6}\.[\w-]{27,38}"),
        ("Discord webhook", "/api/webhooks/",
         r"(?:https?://)?(?:\w+\.)?discord(?:app)?\.com/api/webhooks/\d{16,20}/[\w-]{50,90}"),
        ("Telegram bot token", ":", r"(?:bot)?[0-9]{8,10}:[\w-]{34,36}"),
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
        # More of the field's own lists
        ("GitLab runner token", "GR1348941", r"GR1348941[\w-]{20}"),
        ("GitLab session cookie", "_gitlab_session=", "_gitlab_session=[0-9a-z]{32}"),
        ("Authress key", ".acc",
         r"(?:sc|ext|scauth|authress)_(?i:[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[a-z0-9+/_=-]{30,120})"),
        ("ClickHouse key", "4b1d", "4b1d[A-Za-z0-9]{38}"),
        ("Defined Networking key", "dnkey-", "dnkey-(?i:[a-z0-9=_-]{26}-[a-z0-9=_-]{52})"),
        ("Dropbox token", "AAAAAAAAAA", r"[A-Za-z0-9]{11}AAAAAAAAAA[\w=-]{43}"),
        ("Dropbox token", "sl.", r"sl\.[\w=-]{40,1400}"),
        ("GoCardless token", "live_", r"live_[\w=-]{40}"),
        ("Firebase server key", ":APA91b", r"AAAA[\w-]{7}:APA91b[\w-]{60,200}"),
        ("Intra42 secret", "s-s4t2", "s-s4t2(?:ud|af)-[0-9a-f]{64}"),
        ("SettleMint token", "sm_", "sm_(?:aat|pat|sat)_[A-Za-z0-9]{16}"),
        ("Mailgun key", "pubkey-", "pubkey-[0-9a-f]{32}"),
        ("Infisical token", "st.", r"st\.[0-9a-f]{24}\.[0-9a-f]{32}\.[0-9a-f]{32}"),
        ("Honeycomb key", "hca hcb hci hcx", "hc[abix][a-z]{1,3}_[a-z0-9]{50,70}"),
        ("RapidAPI key", "msh", "[0-9a-f]{10}msh[0-9a-f]{8,20}p1[0-9a-f]{4,8}jsn[0-9a-f]{8,16}"),
        ("Twitter bearer token", "AAAAAAAAAAAAAAAAAAAA", "A{20,24}[A-Za-z0-9%]{30,200}"),
        ("Cloudflare tunnel token", "eyJhIjoi", r"eyJhIjoi[\w+/-]{60,400}={0,2}"),
        ("Salesforce session", "00D", r"00D[A-Za-z0-9]{9,15}![\w.]{40,200}"),
        ("Google authorization code", "4/0A", r"4/0A[\w-]{30,200}"),
        ("1Password secret key", "A3-", "A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
        ("Yandex key", "AQVN t1. y0_ YC", r"(?:AQVN[\w-]{35,38}|t1\.[\w-]{1,300}=?\.[\w-]{86}={0,2}|y0_[\w-]{50,60}|YC[\w-]{38})"),
        ("NVIDIA key", "nvapi-", r"nvapi-[\w-]{60,80}"),
        ("Jina key", "jina_", "jina_[A-Za-z0-9]{50,64}"),
        ("Fireworks key", "fw_", "fw_[A-Za-z0-9]{22,40}"),
        ("Cerebras key", "csk-", "csk-[a-z0-9]{40,60}"),
        ("Scaleway key", "SCW", "SCW[A-Z0-9]{17}"),
        ("Snyk token", "snyk_", r"snyk_[a-z]{2,4}\.[\w.-]{30,200}"),
        ("Zuplo key", "zpka_", r"zpka_\w{30,60}"),
        ("Hetzner token", "hcloud_", r"hcloud_[\w-]{40,80}"),
        ("JetBrains token", "perm: perm-", r"perm[:-][\w+/=-]{8,80}\.[\w+/=-]{4,60}\.[\w+/-]{20,80}"),
        ("Atlassian API token", "ATATT ATCTT ATSTT", r"AT[ACS]TT[\w=-]{60,250}"),
        ("Facebook access token", "|", r"\d{15,16}(?:\||%7C)[\w-]{27,40}"),
        ("Facebook access token", "EAA", "EAA[A-Za-z0-9]{40,300}", "mixed"),
        ("AWS Bedrock key", "bedrock-api-key-", "bedrock-api-key-[A-Za-z0-9+/]{20,2000}={0,2}"),
        ("Grafana key", "eyJrIjoi", "eyJrIjoi[A-Za-z0-9+/]{40,400}={0,3}"),
        ("JSON web token", "ZXlK", "ZXlK[A-Za-z0-9+/]{60,8000}={0,2}"),
        ("Sentry token", "sntrys_", r"sntrys_[\w+/=-]{60,400}"),
        ("Kubernetes join token", "K10", "K10[0-9a-f]{40,80}::[\\w:-]{20,100}"),
        ("PayPal secret", "E", r"E[A-Za-z0-9_-]{79}", "mixed"),
        # Keys themselves
        ("product key", "-", "[A-Z0-9]{5}(?:-[A-Z0-9]{5}){4}", "mixed"),
        ("recovery key", "-", "[0-9]{6}(?:-[0-9]{6}){7}"),
        ("Bitcoin private key", "5 K L", "(?:5[1-9A-HJ-NP-Za-km-z]{50}|[KL][1-9A-HJ-NP-Za-km-z]{51})", "mixed"),
        ("extended private key", "xprv yprv zprv tprv", "[xyzt]prv[1-9A-HJ-NP-Za-km-z]{100,112}"),
        ("Nostr private key", "nsec1", "nsec1[a-z0-9]{58}"),
        ("age secret key", "AGE-SECRET-KEY-1",
         "AGE-SECRET-KEY-1[A-Z0-9]{58}"),
        ("JSON web token", "eyJ", r"eyJ[\w-]{15,800}\.eyJ[\w-]{15,8000}\.[\w-]{20,2000}", "jwt"),
    )
)  # fmt: skip


# Checks that tell a credential from other texts of its shape


def mixed(text: str) -> bool:
    """Letters and digits, as no name of a package or a class has them."""
    from .secret_values import is_random

    return is_random(text.partition("-")[2] or text)


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


CHECKS: Mapping[str, Callable[[str], bool]] = {check.__name__: check for check in (mixed, jwt)}


# Search

_BEFORE = "(?<![A-Za-z0-9])"
_AFTER = "(?![A-Za-z0-9]|[_-][A-Za-z0-9])"
"""A longer run of letters is something else; a dash or an underscore may follow in a sentence."""
_RUN = lazy(r"\S{16,}")
"""No format has a space or is shorter, so the rest of a text need not be looked at."""

_ANCHORS = tuple((anchor, place) for place, form in enumerate(FORMATS) for anchor in form.anchors)
_SPLIT = tuple(anchor for anchor, _ in _ANCHORS if len(anchor) >= 3)
_ALONE = tuple(lazy(f"{_BEFORE}(?:{form.shape}){_AFTER}") for form in FORMATS)
_ANYWHERE = tuple(lazy(form.shape) for form in FORMATS)


def find_credentials(text: str, *, samples: bool = False) -> Iterator[Finding]:
    """Everything in a text that is a credential, perhaps overlapping; also `samples` of manuals."""
    for run in _RUN.finditer(text):
        yield from _of_formats(run.group(), run.start(), samples)


def _of_formats(run: str, start: int, samples: bool) -> Iterator[Finding]:
    for place in {place for anchor, place in _ANCHORS if anchor in run}:
        form = FORMATS[place]
        for match in _ALONE[place].finditer(run):
            if samples or _is_real(form, match.group()):
                yield Finding(CREDENTIAL, form.label, start + match.start(), start + match.end())


def _is_real(form: Format, text: str) -> bool:
    """Not the sample of a manual, and of the form that its issuer checks."""
    from .secret_values import is_sample

    return not is_sample(text) and (not form.check or CHECKS[form.check](text))


def find_split_credentials(text: str) -> Iterator[Finding]:
    """Credentials that a line break, a concatenation or a tag divides."""
    from .disguises import joined, joined_text

    whole = joined_text(text)
    if whole == text or not _RUN.search(whole) or not any(map(whole.__contains__, _SPLIT)):
        return
    view = joined(text)
    found: list[Finding] = []
    for run in _RUN.finditer(view.text):
        if view.spans_joint(run.start(), run.end()):
            found += _of_split(run, view)
    yield from view.original(found)


def _of_split(run: re.Match[str], view: View) -> Iterator[Finding]:
    for place in {
        place for anchor, place in _ANCHORS if len(anchor) >= 3 and anchor in run.group()
    }:
        form = FORMATS[place]
        for match in _ANYWHERE[place].finditer(run.group()):
            start, end = run.start() + match.start(), run.start() + match.end()
            if not view.spans_joint(start, end) or not _stands_alone(view, start, end):
                continue
            if _is_real(form, match.group()):
                yield Finding(CREDENTIAL, form.label, start, end)


def _stands_alone(view: View, start: int, end: int) -> bool:
    before, after = view.text[start - 1 : start], view.text[end : end + 1]
    return (view.is_joint(start) or not before.isalnum()) and (
        view.is_joint(end) or not after.isalnum()
    )
