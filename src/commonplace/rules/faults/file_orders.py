"""Tell what a repository may ask of those who work on it from deeds that go beyond that work.

A person may note `Send the minutes to ada@example.com`; a file that anybody wrote may not. A
repository asks for work on its own files, on branches of one's own, through reviews. So paths
outside of it, machines, rights, checks, addresses and settings of the user are looked for, together
with a verb or a command that changes them.
"""

from __future__ import annotations

import re

from .order_parts import START, is_ordered
from .orders import order_reason

DOWNLOAD_RUN = "It runs a download as a program."
BEYOND_WORK = "It tells an agent to do more than work on this repository."
DESTROYS = "It deletes things outside of this repository."
OPENS_MACHINE = "It opens a machine, or gives rights away."
CHECKS_OFF = "It turns reviews or checks off."
SENDS_OUT = "It sends code or data elsewhere."
CLAIMS_AUTHORITY = "It claims an authority that would allow more."
CHANGES_SETTINGS = "It changes remotes, credentials or settings of the user."
MOST_CHARACTERS = 2_000
"""Characters that are looked at; a statement has fewer, a hidden comment may have any number."""

_NEAR = r"[^.;\n]{0,60}?"
_WIDE = r"[^;\n]{0,80}?"
"""Over dots, which are in names of files and hosts."""

# Downloads that are run

_SHELL = r"(?:sudo\s+(?:-\S+\s+)*)?(?:env\s+)?(?:/[\w/]*/)?(?:(?:ba|z|da|k|fi)?sh|iex)\b"
_PROGRAM = r"(?:python[\d.]*|perl|ruby|node)\b(?!\s+-\w)"
"""One that reads its program from the pipe; `| python -m json.tool` reads data."""
_LOADER = r"\b(?:curl|wget|iwr|irm|invoke-webrequest|base64\s+(?:-d|-D|--decode))\b"
_DOWNLOAD = (
    rf"{_LOADER}[^\n]*?(?:(?:\||&&|;)\s*{_SHELL}|\|\s*(?:sudo\s+)?{_PROGRAM})"
    rf"|(?:\b(?:eval|source|iex)|-c|<|{_SHELL})\s*[\"'(]*(?:\$\(|\(|`)\s*{_LOADER}"
    rf"|{START}(?:fetch|read|open|load|download|visit)\b{_WIDE}https?:[^\n]{{0,80}}?\b(?:run"
    rf"|execute"
    r"|obey|do)\s+(?:the commands|what(?:ever)?\b|everything|all)"
)
"""`curl … | sh`, `wget … && bash x`, `sh -c "$(curl …)"`, `bash <(curl …)`."""

# Deletions

_OWN_CACHE = r"\S*cache\w*/\w|/\.(?:npm|gradle|m2|cargo|nuget)/\w|/Library/(?:Caches|Developer)/\w"
_OUTSIDE = (
    rf"(?<![\w.~$}}/*-])(?:(?:~|\$\{{?HOME\}}?|%USERPROFILE%|[A-Z]:\\)(?!{_OWN_CACHE})"
    r"|/(?!tmp/\w|var/tmp/\w|var/lib/apt/lists|dev/null|\w*cache)(?=[\w*.]|[\s`\"',]|$))"
)
"""A path beyond the repository; no temporary folder, and no cache of one tool."""
_OWNED = r"(?:users?['’]s?|developers?['’]s?|people['’]s|owner['’]s|your|his|her|their|my)"
_BELONGINGS = (
    rf"(?:\b{_OWNED}\s+(?:\w+ )?(?:home|desktop|documents|downloads|pictures|photos|music|videos"
    r"|mail(?:box)?|browser (?:profile|history)|keychain|disk|drive|laptop|computer|machine|phone"
    r"|backups?|(?:ssh|gpg) keys?|files|notes|work|repositories|account)\b"
    r"|\b(?:home|desktop|documents|downloads|pictures|photos|music|system) (?:folder"
    r"|director(?:y|ies))\b"
    r"|\b(?:whole|entire|system|hard) (?:disk|drive|machine|server|computer)\b|\bbackups\b"
    r"|\b(?:laptop|computer|workstation|factory settings|trash|recycle bin)\b"
    r"|\bother (?:people|users?|teams?|authors?|contributors?|repositories|projects|accounts"
    r"|programs"
    r"|versions)\b|\bothers['’] |\b(?:from|on) (?:the|this|your|every|each) (?:disk|machine"
    r"|server|host"
    r"|computer|system)\b|\bevery (?:process|container|volume|image|program)\b)"
)
_KEPT = (
    r"(?:databases?|db|data|tables?|buckets?|backups?|clusters?|servers?|records?|namespace"
    r"|environment|volumes?|accounts?)"
)
_LIVE = (
    rf"(?:\b(?:production|prod|live|customers?['’]?s?)\b[^.;\n]{{0,20}}\b{_KEPT}\b"
    rf"|\b{_KEPT}\b[^.;\n]{{0,20}}\b(?:in|on|of|from) (?:the )?(?:production|prod|live)\b)"
)
_DELETE = (
    r"(?:get rid of|do away with|delet(?:e|ing)|remov(?:e|ing)|eras(?:e|ing)|wip(?:e|ing)"
    r"|empty(?:ing)?|destroy(?:ing)?"
    r"|clear(?:ing)?"
    r"|purg(?:e|ing)|clean(?:ing)?(?: out| up)?|shred|trash|nuke|drop(?:ping)?|truncat(?:e|ing)"
    r"|overwrit(?:e|ing)|format(?:ting)?|reformat|discard(?:ing)?|uninstall|kill|reset"
    r"|throw away|rm)"
)
_HARMLESS_THINGS = (
    r"(?:build|dist|target|cache\w*|te?mp\w*|generated|unused|stale|merged|old|empty|obsolete"
    r"|output"
    r"|test (?:database|data)|local)"
)
_DESTROYS = (
    rf"\b(?:rm|rmdir|shred|trash|del|rd|unlink)\b\s[^`;|&\n]{{0,80}}?{_OUTSIDE}"
    r"|\b(?:rm|chmod|chown)\s+(?:-\S+\s+)+(?:\.\./)+\*?(?=[\s`]|$)"
    rf"|\bfind\s+{_OUTSIDE}[^\n`]{{0,80}}(?:-delete\b|-exec\s+(?:rm|shred)\b)"
    r"|\bmkfs(?:\.\w+)?\s+(?!/tmp/)\S|\bdd\s[^\n`]{0,60}\bof=/dev/|\bdiskutil\s+erase\w*"
    r"|>\s*/dev/(?:sd|nvme"
    r"|disk)"
    r"|\bkubectl\s+delete\b[^\n`]{0,60}\bprod|\bterraform\s+destroy\b[^\n`]{0,60}(?:prod"
    r"|auto-approve)"
    r"|\bdrop\s+(?:database|schema)\s+\w*prod|\bdocker\s+system\s+prune\b[^\n`]{0,20}--volumes"
    rf"|(?:{START}|\bby (?:always )?){_DELETE}\b(?:{_WIDE}(?:{_OUTSIDE}|{_LIVE}|/dev/(?:sd|nvme"
    rf"|disk)\w*)"
    rf"|(?!{_NEAR}\b{_HARMLESS_THINGS}\b){_WIDE}{_BELONGINGS})"
)

# Machines and rights

_WORLD = (
    r"(?:(?:whole |public |open )?(?:internet|network|world|outside)\b|everyone\b|everybody\b"
    r"|anyone\b|anybody\b|anywhere\b|everywhere\b|(?:any|all|every) (?:hosts?|address\w*|ip\b)"
    r"|the public\b|0\.0\.0\.0/0)"
)
_TURN_OFF = (
    r"(?:turn(?:ed)? off|switch off|disable|deactivate|stop|shut down|kill|uninstall|flush"
    r"|remove)"
)
_GUARDS = (
    r"(?:(?<!web )firewalls?|selinux|apparmor|anti-?virus|defender|gatekeeper|intrusion detection"
    r"|audit (?:logs?|logging)|endpoint protection|ufw|iptables|fail2ban|two-factor|2fa|mfa"
    r"|disk encryption)"
)
_OPENS_MACHINE = (
    rf"\b(?:chmod)\s+(?:-\S+\s+)*(?:0?[0-7]?777|0?666|[ugoa]*[+=][rwxst]+)\s[^`;"
    rf"|&\n]{{0,60}}?{_OUTSIDE}"
    r"(?!\S*/bin/)|\bchown\b[^`\n]{0,60}\s/(?:etc|usr|root|var|bin|home)?\b(?:[\s`/]|$)"
    r"|\bpasswordless (?:sudo|root|log-?ins?)|\bworld-writable\b"
    rf"|{START}(?:set|change|open|loosen|make|put)\b{_NEAR}{_OUTSIDE}{_WIDE}\b(?:0?777|0?666)\b"
    r"|\bNOPASSWD\b|/etc/(?:sudoers|shadow|passwd|pam\.d)\b|\bvisudo\b|\bauthorized_keys\b"
    r"|\bssh-copy-id\b|\bPermitRootLogin\s+yes|\bPasswordAuthentication\s+yes"
    r"|\bufw\s+(?:disable|allow)|\biptables\s+-F|\bsetenforce\s+0|\bcsrutil\s+disable"
    r"|\bsystemctl\s+(?:stop|disable|mask)\s+(?:firewalld|ufw|auditd|apparmor)"
    r"|\b(?:ngrok\s+tcp|nc\s+-\w*[le]|ssh\s+(?:-\w+\s+)*-R|bash\s+-i)\b|/dev/tcp/"
    r"|\b0\.0\.0\.0/0\b|\b(?:usermod|adduser|useradd|gpasswd)\b[^`\n]{0,40}\b(?:sudo|wheel|admin"
    r"|root)\b"
    rf"|{START}(?:open|expose|publish|forward|make|allow|bind|unblock)\b{_NEAR}\b(?:ports?"
    rf"|sockets?"
    r"|databases?|db|redis|postgres\w*|ssh|daemons?|dashboards?|servers?|admin\w*|buckets?|api)\b"
    rf"{_WIDE}(?:\b(?:to|from|for|on|by) (?:the )?{_WORLD}|\bon (?:the |your )?router\b"
    r"|\b(?:reachable|accessible|readable|writable) (?:from|for|by) (?:the )?(?:outside|internet"
    r"|any\w+|every\w+|world)|\bpublicly\b)"
    rf"|{START}(?:make|set|open|give)\b{_WIDE}(?:{_OUTSIDE}|{_BELONGINGS}|\b(?:home|system) )"
    r"[^.;\n]{0,40}\b(?:writable|readable|world-\w+|777)\b"
    rf"|{START}(?:{_TURN_OFF}\b{_NEAR}\b{_GUARDS}\b|(?:turn|switch|shut|take"
    rf"|bring)\b{_NEAR}\b{_GUARDS}\b"
    r"[^.;\n]{0,20}\b(?:off|down)\b)"
    rf"|{START}(?:allow|enable|permit)\b{_NEAR}(?:\b(?:root|ssh|password|remote"
    rf"|anonymous)\b{_NEAR}"
    r"\b(?:log-?ins?|access|shell)\b|\blog-?ins?\b[^.;\n]{0,30}\b(?:root"
    r"|without (?:a )?password)\b)"
    rf"|{START}(?:create|add|make|give|grant|put)\b{_WIDE}(?:\b(?:root|sudo"
    rf"|superuser)\b[^.;\n]{{0,20}}"
    r"\b(?:rights?|access|privileges?|permissions?|powers?)\b|\b(?:to|in|into) (?:the )?"
    r"(?:sudo(?:ers)?|wheel|root|administrators?)\b(?: group)?|\bAdministratorAccess\b"
    r"|\bcluster-admin\b"
    r"|\broles/owner\b)"
    rf"|{START}(?:run|execute|start|do|install)\b(?!{_NEAR}\bcontainer){_NEAR}\b(?:as|with"
    rf"|under) (?:the )?"
    r"(?:root|administrator|superuser|system account)\b"
    rf"|{START}(?:let|leave|run|start|open|keep|make|allow|use|set|configure|create|serve|listen"
    rf"|accept"
    rf"|deploy|connect|enable)\b{_NEAR}\b(?:without|no|blank|empty) (?:an? |any )?(?:passwords?"
    rf"|log-?ins?"
    r"|authentication|auth|credentials)\b"
    rf"|{START}(?:listen|bind)\b{_NEAR}\b(?:all|every|public) interfaces?\b"
    rf"|{START}(?:start|run|install|enable|open|set up|keep)\b{_NEAR}\b(?:ssh (?:server|daemon"
    rf"|access)|sshd"
    r"|remote desktop|vnc|teamviewer|anydesk|reverse (?:shell|tunnel|proxy to)|telnet|backdoor)\b"
    rf"|{START}(?:let|allow)\s+(?:anyone|anybody|everyone|everybody|strangers|all users"
    rf"|any \w+)\b{_NEAR}\b"
    r"(?:connect|log ?in|sign in|write|push|read|access|deploy|administer|merge)\b"
    rf"|{START}(?:make|set|turn|mark|keep|leave)\b{_NEAR}\b(?:buckets?|databases?|dashboards?"
    rf"|panel|repo(?:sitory)?"
    rf"|registry|backups?|logs|shares?)\b{_NEAR}\b(?:public|open|world-readable)\b"
)

# Reviews and checks

_MAIN = r"\b(?:main|master|trunk|(?:default|release|shared|protected|production) branch(?:es)?)\b"
_FORCE = r"(?:--force\b(?!-with)|(?<=\s)-f\b|\bforce[- ]?push(?:es|ing)?\b|\bwith force\b)"
_CHECKS = (
    r"(?:branch (?:protections?|settings|rules)|required review\w*|protected branch\w*|(?:code "
    r"|peer |security |human )reviews?"
    r"|(?:the|all|any|every)(?: the)? reviews?"
    r"|reviewers|code ?owners|(?:required|status|security|ci|quality|pre-commit"
    r"|safety) (?:checks?"
    r"|gates?|approvals?|hooks?|steps?|scann?\w*|alerts?|audits?|tests?)|(?:secret|vulnerability"
    r"|dependency|malware|licen[cs]e|security) (?:scann?\w*|checks?|alerts?|audits?)|approvals?"
    r"|signature (?:checks?|verification)|(?:signed|signing) commits|certificate (?:checks?"
    r"|verification|validation)|tls (?:checks?|verification)|every check|all (?:the )?checks"
    r"|all (?:of )?the tests|whole test suite|test suite|failing (?:tests?|checks?|jobs?)"
    r"|broken tests?|dependabot|codeql|assertions?|workflow(?: files?)?|ci (?:config\w*|pipeline"
    r"|jobs?|files?)"
    r"|(?:git )?hooks|linters?|type[- ]check(?:s|ing|er)?|safety rules|guard ?rails|rate limits?"
    r"|policies)"
)
_MOTIVE = (
    r"\b(?:if|when|whenever|until|so that|because|unless|in case|to make|to get|to keep"
    r"|to save)\b[^.;\n]{0,40}?"
    r"\b(?:fail\w*|red|green|pass(?:es)?|block\w*|complain\w*|finds?|slow|in the way|urgent|hurry"
    r"|deadline|annoy\w*|noisy|unhappy|time)\b"
)
"""Why somebody would want a check gone: `Skip the linter if it complains`."""
_ANY_CHECK = (
    r"(?:checks?|tests?|reviews?|assertions?|scann\w+|linters?|hooks?|ci|jobs?|steps?|gates?"
    r"|workflows?"
    r"|pipelines?|warnings?|approvals?|rules?)"
)
_TURNED_OFF = (
    r"(?:skip|disable|bypass|turn off|switch off|deactivate|remove|delete|comment out|suppress"
    r"|circumvent|ignore|silence|weaken|relax|lift|override|xfail|mute|loosen)"
)
_DONE = r"(?:merge|push|publish|deploy|release|ship|commit|land|tag|roll out)"
_CHECKS_OFF = (
    rf"\bpush\b[^;\n]{{0,60}}?{_FORCE}[^;\n]{{0,60}}?{_MAIN}|\bpush\b[^;\n]{{0,60}}?{_MAIN}"
    rf"[^;\n]{{0,60}}?{_FORCE}|\bforce[- ]?push\b[^;\n]{{0,60}}?{_MAIN}"
    rf"|\bgit\s+push\s+\S+\s+(?:\+|:|--delete\s+|-d\s+)(?:\w+:)?(?:main|master)\b"
    rf"|{START}push\b{_NEAR}{_MAIN}[^.;\n]{{0,40}}\bforce\b"
    r"|\b(?:reviews?|approvals?|tests|checks) (?:is|are) (?:not (?:needed|required|necessary)"
    r"|unnecessary|optional)\b"
    rf"|{START}(?:delete|remove|drop|comment out|get rid of)\b{_NEAR}\b(?:tests?|checks?"
    rf"|assertions?)"
    r" (?:that|which|when|if)\b(?! (?:no test|nobody|test))[^.;\n]{0,20}\b(?:cannot|can't"
    r"|fail\w*|do not|don't"
    r"|does not|break|block\w*|annoy\w*)\b"
    rf"|{START}(?:sign|commit|approve|review|post|answer|act"
    rf"|publish)\b{_NEAR}\b(?:in the name of|on behalf"
    r" of|pretending to be|under the name of)\b"
    r"|\bgit\s+commit\s+(?:-\w+\s+)*-\w*n\w*\b|\|\|\s*true\b[^.;\n]{0,40}\b(?:check|ci|test|lint)"
    rf"|{START}{_TURNED_OFF}\b(?!{_NEAR}\bcache)[^.;\n]{{0,40}}?\b{_ANY_CHECK}\b[^.;\n]{{0,30}}?"
    rf"{_MOTIVE}"
    rf"|\b(?:if|when|whenever)\b[^.;\n]{{0,30}}?\b(?:ci|tests?|checks?|build|hooks?|linter"
    rf"|scann\w+|review\w*)\b"
    r"[^.;\n]{0,20}?\b(?:red|fail\w*|block\w*|complain\w*|slow|too long|refus\w*"
    r"|object\w*)\b[^.;\n]{0,10},\s+"
    rf"(?:just |simply |you may )?{_TURNED_OFF}\b[^.;\n]{{0,30}}?\b(?:it|them|{_ANY_CHECK})\b"
    r"|\b(?:no need|not necessary|unnecessary|needless) (?:to|for)\s+(?:an? |any )?(?:review"
    r"|approv\w+|test|ask"
    r"|check|confirm\w*)\b|\b(?:always|never) (?:passes|fails) (?:ci|the build)"
    r"|\b(?:do|does) not need (?:an? |any )?(?:review|approval|tests)\b[^.;\n]{0,30}\b(?:merge"
    r"|push|deploy)"
    r"|--no-verify\b|\bHUSKY=0|\bSKIP=\w+\s+git\b|--no-gpg-sign\b|\bcommit\.gpgsign\s+false"
    rf"|{START}(?:skip|disable|bypass|turn off|switch off|deactivate|remove|delete|drop"
    rf"|comment out"
    r"|suppress|circumvent|ignore|silence|weaken|relax|lift|override|work around|avoid|stop"
    rf" (?:running|using|asking for|waiting for)"
    rf"|do without)\b(?![^.;\n]*\bonly\b)[^.;\n]{{0,40}}?\b{_CHECKS}"
    rf"(?!\s+\w*\s*(?:from|cache|output|folder))|{START}(?:turn"
    rf"|switch)\b{_NEAR}\b{_CHECKS}\s+off\b"
    rf"|{START}{_DONE}\b{_WIDE}\b(?:without|before|not wait(?:ing)? for"
    rf"|no need for)\s+(?:waiting for"
    r" |running |asking for |any |an? |the |your |its |further )*(?:reviews?|approvals?|tests?"
    r"|checks?"
    r"|ci\b|permission)(?! \w+ (?:fail|is))"
    rf"|{START}(?:mark|dismiss|close|resolve|accept|acknowledge)\s+(?:all|every|each"
    rf"|any)\b[^.;\n]{{0,30}}"
    r"\b(?:findings?|alerts?|warnings?|vulnerabilit\w+|review comments?)\b"
    rf"|{START}(?:approve|merge|accept)\s+(?:your|its|their) own (?:pull|merge|changes?|prs?"
    rf"|mrs?|work)\b"
    rf"|{START}(?:lower|reduce|set)\b[^.;\n]{{0,30}}\b(?:required (?:reviews|approvals)|coverage"
    r" (?:threshold|limit|gate))\b[^.;\n]{0,20}\b(?:zero|0)\b"
    r"|\bNODE_TLS_REJECT_UNAUTHORIZED\W+0|\bsslVerify\W+(?:false|0)|\bGIT_SSL_NO_VERIFY\b"
    r"|\bstrict-ssl\W+false|\bPYTHONHTTPSVERIFY\W+0|\bStrictHostKeyChecking\W+no\b"
)
_ONLY_ALLOWED = re.compile(r"(?i)\b(?:only|work in progress|wip|emergenc\w+)\b")

# Code and data that leave

_PUBLIC = (
    r"(?:\b(?:public|external|personal|private|third-party|outside|open|anonymous)\s+(?:\w+ )?"
    r"(?:paste\w*|gists?|buckets?|servers?|shares?|drives?|repo(?:sitor(?:y|ies))?|accounts?"
    r"|mirrors?|channels?"
    r"|hosts?|websites?|services?)\b|\bpaste\s?bin\b|\bpaste\.\w+|\ba gist\b|\b(?:s3|gs|ftp|sftp"
    r"|rsync)://"
    r"|\bwebhook\b|\btransfer\.sh\b|https?:(?!//(?:localhost|127\.))|[\w.+-]+@[\w-]+[.:]"
    r"|\b[\w-]+\.(?:invalid|example|onion|xyz|top|ru|cn|tk)\b)"
)
_OWN = (
    r"(?:\bsources?\b|\bsrc\b|\bcode(?:base)?\b|\brepo(?:sitory)?\b|\bdata(?:bases?|set)?\b"
    r"|\bdumps?\b"
    r"|\bcustomers?\b|\benv(?:ironment)?\b|\blogs?\b|\bdiffs?\b|\bcontents?\b|\bsecrets?\b"
    r"|\bhistory\b"
    r"|\bconfig\w*\b|\bworkspace\b|\bcommits?\b|\btranscripts?\b|\bfiles?\b|\bproject\b"
    r"|\btelemetry\b"
    r"|\btree\b|\bchanges?\b|\boutput\b|\bclipboard\b|\bkeys?\b)"
)
_SEND = (
    r"(?:mirror|upload|sync|rsync|scp|copy|push|send|post|share|attach|back up|export|paste"
    r"|stream"
    r"|forward|replicate|transmit|pipe|publish|submit|e-?mail|mail|report)"
)
_REPORTS = (
    r"[^.;\n]{0,40}\b(?:patch(?:es)?|bugs?|issues?|problems?|vulnerabilit(?:y|ies)|questions?"
    r"|feedback|(?:pull|merge|feature) requests?|packages?|releases?|wheels?|images?"
    r"|suggestions?|translations?|coverage|artifacts?|ideas?)\b"
)
"""Things that every project wants to have sent somewhere."""
_ELSEWHERE = r"(?:https?:|www\.|[\w.+-]+@\w|\b(?:anyone|anybody|whoever)\b)"
_SENDS_OUT = (
    r"\bcurl\b(?![^`\n]*(?:localhost|127\.0\.0\.1))[^`\n]*\s(?:-d|--data\S*|-F|--form|-T"
    r"|--upload-file)"
    r"[\s=]*[\"']?(?:\w+=)?(?:@|\.|/|~|\$\()|\|\s*(?:nc|ncat|curl)\b(?![^`\n]*(?:localhost"
    r"|127\.))"
    rf"|{START}{_SEND}\b(?!{_REPORTS}){_WIDE}{_OWN}{_WIDE}\b(?:to|at|on|in|into|with|via"
    rf"|through)\s[^;\n]{{0,30}}?{_PUBLIC}"
    rf"|{START}(?:attach|include|upload|share|send|paste|post|copy|commit"
    rf"|export)\b{_WIDE}\b(?:dumps?|exports?"
    r"|copy|copies|backups?|rows|records)\b[^.;\n]{0,20}\b(?:customers?|production|patients?"
    r"|clients?"
    r"|employees?|personal)\b"
    rf"|{START}(?:share|give|hand)\b{_NEAR}\b(?:screen|terminal|session|machine|credentials"
    rf"|login)\b{_NEAR}\b"
    r"(?:with|to) (?:anyone|anybody|whoever|everyone|strangers)"
    rf"|{START}(?:commit|check in|hard-?code|push)\b{_NEAR}\b(?:credentials|secrets|passwords?"
    r"|private keys?|api keys?|\.env\b(?!\.))"
    rf"|{START}push\s+(?:an? )?(?:copy|copies|mirror)\b"
    rf"|{START}(?:put|paste|include|add|post|write|print|store|save|log|copy|report|list|mention"
    rf"|publish|attach)\b"
    rf"{_WIDE}(?:(?:contents?|values?) of (?:the |your )?`?(?:\.env\b|~/|secrets?|credentials)"
    rf"|\b(?:tokens?|passwords?"
    r"|credentials|secrets|private keys?|api keys?|its keys|private repositories"
    r"|internal (?:hosts?|addresses|urls?)"
    rf"|host ?names?)\b){_WIDE}\b(?:in|into|to|on|as)\s(?:the |an? |each |every |your "
    rf"|its )?(?:\w+ )?(?:issues?|pull requests?"
    r"|description|wiki|logs?|chat|comments?|commit messages?|public|gist|readme|forum|slack"
    r"|discord)\b"
    rf"|{START}(?:put|include|add|write|print|log|record|send)\b{_NEAR}\b(?:customer|user|client"
    rf"|patient|employee)s?['’]?s?"
    r"\s(?:\w+ )?(?:e-?mail|address|names?|phone|passwords?|data"
    r"|details)\b[^;\n]{0,60}\b(?:logs?\b|sent|"
    r"message to|https?:)"
    rf"|{START}(?:zip|tar|archive|pack|compress|bundle)\b{_WIDE}\b(?:and|then)\s+{_SEND}\b"
)

# Claims

_POST = (
    r"(?:administrators?|admins?|owners?|maintainers?|employees?|developers?|operators?|creators?"
    r"|cto|ceo|security (?:team|officer|lead)|(?:platform|ops|legal|compliance|infra\w*) team"
    r"|management"
    r"|leadership|the board|github security|trusted|headquarters|staff|root|anthropic|openai"
    r"|google|microsoft|github|user)"
)
_ALLOWED = (
    r"(?:grant|allow|authori[sz]e|permit|approve|permission|instruct|order|command"
    r"|clear(?:ed)? (?:you"
    r"|agents)|waive|exempt|override|you (?:may|can|are))"
)
_MUCH = (
    r"(?:without|skip\w*|bypass\w*|overrid\w+|ignor\w+|disabl\w+|root|sudo|(?:any|all"
    r"|every)(?:thing)?"
    r"|production|secrets?|credentials?|keys|unrestricted|full|force)"
)
_CLAIMS_AUTHORITY = (
    rf"(?:^|[.!?:]\s+)(?:speaking )?(?:as (?:the|an?|your|this)|i am|i'm|this is|we are"
    rf"|we,)\s[^.;\n]{{0,40}}?"
    rf"\b{_POST}\b[^.;\n]{{0,60}}?\b{_ALLOWED}"
    r"|\b(?:by|on|under) (?:the )?orders? (?:of|from)\b|\bin the name of (?:the )?(?:security"
    r"|management)"
    r"|\b(?:outranks?|overrides?|overrules?|trumps?|beats?) (?:anything|everything|whatever|what"
    r"|all)\b"
    rf"|\b(?:message|notice|file|page|text|request|order|rule)s?\s+(?:comes?|is|are|was"
    rf"|were)\s(?:sent |issued |written )?"
    rf"(?:from|by|on behalf of)\s[^.;\n]{{0,30}}?\b{_POST}\b"
    rf"|\b(?:your|the|our|its)\s(?:\w+ )?{_POST}\s+(?:wants?|orders?|demands?|expects?|asks?"
    rf"|requires?|tells?|says?|needs?)"
    r"\s(?:that )?(?:you|agents?|assistants?|every agent|all agents)\b"
    rf"|\b(?:rules|policies|restrictions|limits|guidelines|safeguards|safety|checks"
    rf"|reviews)\b[^.;\n]{{0,20}}\b(?:do|does|need)"
    r" not (?:apply|count|hold|bind)|\b(?:rank|priority|precedence|authority"
    r"|weight)\b[^.;\n]{0,40}\b(?:prompt|system"
    r" (?:message|prompt)|user['’]s|your (?:instructions|rules)|operator|developer message"
    r"|safety|its own)\b"
    r"|\b(?:overrides?|outranks?|supersedes?|replaces?)\s(?:the |your |any |all )?(?:system|user"
    r"|operator|safety|developer"
    r"|other|earlier|previous)\b[^.;\n]{0,20}\b(?:prompts?|instructions?|rules|messages?|wishes"
    r"|settings)\b"
    rf"|\byou (?:have|were|are|have been)\s[^.;\n]{{0,30}}\b(?:permission|authori[sz]\w+"
    rf"|authority|cleared"
    rf"|clearance|allowed|permitted|exempt\w*|approv\w+|granted)\b[^.;\n]{{0,80}}?\b{_MUCH}\b"
    rf"|\b{_POST}\b[^.;\n]{{0,20}}\b(?:has|have|had|already)\s+(?:\w+ly |already )?(?:approved"
    rf"|authori[sz]ed"
    r"|agreed|granted|signed off|confirmed|allowed|permitted|waived|cleared|exempted|decided"
    r"|consented|accepted)\b[^.;\n]{0,60}?"
    rf"\b(?:agents?|assistants?|ai|you|bots?|{_MUCH})\b"
    r"|\bagents? (?:are|is|have been|has been) (?:\w+ly )?(?:pre-?)?(?:approved|authori[sz]ed"
    r"|exempt\w*|cleared)"
    rf"\b[^.;\n]{{0,60}}?\b{_MUCH}\b"
)

# Remotes, credentials and settings

_SET = (
    r"(?:set|change|point|switch|redirect|repoint|replace|rewrite|update|move|configure|override"
    r"|use)"
)
_KNOWN_HOSTS = (
    r"https://(?:registry\.npmjs\.org|pypi\.org|(?:www\.)?github\.com|crates\.io|repo\.maven"
    r"|proxy\.golang\.org|localhost)"
)
_AGENT_FOLDER = (
    r"(?:~|\$\{?HOME\}?|your home)/\.(?:claude|codex|cursor|gemini|copilot|config/(?:opencode"
    r"|goose|claude))"
    r"\S*"
)
_AGENT_SETTINGS = (
    r"(?:\.claude/settings|\.codex/config|\.cursor/|\.gemini/settings|\.mcp\.json|mcp_servers)"
)
_WRITE = (
    r"(?:append|add|write|put|copy|install|insert|place|save|set|change|edit|replace|register"
    r"|allow|link)"
)
_REMOTE = (
    r"\bremote\b(?! (?!(?:named|called|at|with|to|url|for|from|in|and|repo\w*|mirror)\b"
    r"|[\w.-]+ (?:https?:|git@|ssh:)|https?:|git@|ssh:)[a-z])"
)
"""Git's: `the remote cache`, `a remote job` are other things."""
_CHANGES_SETTINGS = (
    r"--dangerously-[\w-]+|\bbypassPermissions\b|\bdanger-full-access\b|--yolo\b"
    r"|--allow-all-tools\b"
    r"|\bauto-?approve\b\W+(?:true|all|\*)|\bapproval_policy\W+never|--trust-all-tools\b"
    r"|\bBash\(\*"
    r"|\bgit\s+remote\s+(?:set-url|add)\s+(?:--push\s+)?origin\s+(?![^`\n]*(?:\byour?\b|<|YOUR"
    r"|user))\S+"
    r"|\bcredential\.helper\b|\binsteadOf\b|\bcore\.sshCommand\b|--global\s+core\.hooksPath"
    r"|\bhttps?\.proxy\s+\w|\bconfig\s+(?:--global\s+)?set\s+(?:-g\s+)?(?:global\.)?(?:registry"
    r"|index-url)"
    rf"\s+(?!{_KNOWN_HOSTS})\S+"
    rf"|{START}(?:add|create|register)\b(?![^;\n]*\b(?:upstream|your?|fork)\b){_NEAR}{_REMOTE}"
    rf"{_WIDE}(?:https?:|git@|ssh:)"
    rf"|{START}(?:add|create|register)\b(?![^;\n]*\b(?:upstream|your?|fork)\b){_NEAR}(?:https?:|git@"
    rf"|ssh:){_WIDE}{_REMOTE}"
    rf"|{START}{_SET}\b(?![^.;\n]*\bupstream\b){_NEAR}\b(?:remotes?|origin"
    rf"|push ?url)\b{_WIDE}(?:\b(?:to|at|with|by)\s)"
    r"[^;\n]{0,20}?(?:https?:|git@|ssh:|\b[\w-]+\.\w{2,}[/:])"
    rf"|{START}{_SET}\b{_NEAR}\b(?:pip|npm|yarn|pnpm|cargo|registry|package (?:index|source"
    rf"|mirror)|index|proxy|dns"
    rf"|gem|maven)\b{_WIDE}(?!{_KNOWN_HOSTS})https?:(?!//(?:registry\.npmjs|pypi\.org|localhost"
    rf"|127\.))"
    rf"|{START}{_WRITE}\b{_WIDE}(?:{_AGENT_FOLDER}|\b(?:your|user|global) (?:agent|assistant"
    rf"|claude|codex|cursor)"
    r"\w*(?:['’]s)? (?:settings|config\w*|rules|permissions|instructions))"
    rf"|{START}{_WRITE}\b{_NEAR}(?:\ballow\w*|\bpermissions?|\btrusted|\bapprov\w+"
    rf"|\bhooks?\b){_WIDE}{_AGENT_SETTINGS}"
    rf"|{START}{_WRITE}\b(?!{_WIDE}(?:\bexport \w|\bPATH\b|\b(?:hook|init|activate) (?:bash|zsh"
    rf"|fish|-)))"
    r"[^;\n]{0,80}?(?:\.(?:bash|zsh)(?:rc|_profile|env)\b|~/\.profile\b|\bcrontab\b|/etc/(?:cron"
    r"|profile|ld\.)"
    r"|\blogin items\b|\blaunch ?agents?\b|~/\.gitconfig\b|~/\.ssh/)"
    rf"|{START}(?:give|grant|set|switch|turn|allow|let|mark|make|configure|run|start"
    rf"|use)\b{_NEAR}\b(?:tools?|mcp|agents?|assistants?"
    rf"|commands?|permissions?)\b{_NEAR}(?:\bautomatic(?:ally)? (?:approv\w+|accept\w+|allow\w+"
    rf"|run)|\bauto-?(?:approv\w+|accept"
    r"\w*|run)\b|\bwithout (?:prompts?|prompting|asking|confirm\w+|approval)|\balways allow"
    r"|\bpre-?approved)"
    rf"|{START}(?:turn on|switch on|enable|activate|set"
    rf"|use)\b{_NEAR}\bauto(?:matic)?[- ]?(?:approv\w+"
    r"|accept\w*)|\b(?:allow|permit|trust|approve)\b[^;\n]{0,40}\.(?:claude|codex|gemini|cursor)/"
    rf"|{START}(?:use|take|borrow)\b{_NEAR}\b(?:tokens?|passwords?|credentials|keys?"
    rf"|accounts?)\b{_WIDE}"
    r"\b(?:instead of|in place of|rather than) (?:your|the user['’]s)\b"
    rf"|{START}(?:allow|approve|permit|trust|enable)\s(?:all|every|any)\s(?:\w+ )?(?:tools?"
    rf"|commands?|mcp\b)"
    rf"|{START}(?:add|install|connect|register|use"
    rf"|configure)\b{_NEAR}\bmcp[- ]server\b{_WIDE}https?:(?!//(?:localhost|127\.))"
    rf"|{START}(?:log|sign) ?in\b{_WIDE}\b(?:as|with|using|under)\s(?:the |our "
    rf"|this )?(?:account|user|token|login|password)\s?[`\"'“]"
    rf"|{START}(?:add|create|install|set up|schedule|register|start)\b{_NEAR}\b(?:cron ?jobs?"
    rf"|scheduled tasks?|services?|daemons?"
    rf"|background (?:job|process)|start-?up (?:item|script)s?|autostart\w*|launchd?"
    rf"|timers?)\b{_NEAR}\b(?:machines?|laptops?"
    r"|computers?|hosts?|workstations?|log-?in|boot|start-?up)\b"
    rf"|{START}{_WRITE}\b(?!{_WIDE}(?:127\.0\.0\.1|localhost|::1)){_WIDE}/etc/hosts\b"
    rf"|{START}(?:trust|install|add|import)\b{_NEAR}\b(?:root|ca"
    rf"|self-signed)\s(?:\w+ )?(?:certificates?|ca)\b{_NEAR}"
    r"\b(?:system|machine|browser|keychain|trust store)\b"
    rf"|{START}(?:replace|change|rotate|reset|overwrite|swap)\b{_NEAR}\b(?:deploy|api|ssh"
    rf"|signing|access|gpg)\s?"
    r"(?:keys?|tokens?)\b[^;\n]{0,40}\b(?:with|to|by|for)\s+(?:this|the following|the one|mine"
    r"|ssh-|https?:)"
)

# People let in, and things advertised

_POSTS = r"(?:collaborator|maintainer|admin(?:istrator)?|owner|member|deploy key|ssh key)s?\b"
_BEYOND = (
    rf"{START}(?:(?:delete|remove|erase|wipe|destroy|drop|rm)\b(?:"
    rf"[^.;\n]{{0,80}}\b(?:silently|quietly)\b|(?![^.;\n]*\b{_HARMLESS_THINGS}\b)"
    r"[^.;\n]{0,40}\b(?:tests?|home|root|source|project|\.git|whole|entire|all|every)\s+(?:\w+ )?"
    r"(?:folder|director(?:y|ies)|repo(?:sitor(?:y|ies))?|files|data|database|history|branches"
    r"|backups|tests)\b)"
    r"|(?:send|forward|e-?mail|mail|upload|post|transmit|report|submit|copy|push)\b"
    rf"(?!{_REPORTS})[^;\n]{{0,80}}?\b(?:to|at)\s+{_ELSEWHERE}"
    rf"|(?:add|invite|make|grant|give|promote)\b[^.;\n]{{0,20}}(?:[^;\n]{{0,60}}?\b(?:as"
    rf"|to be)\s+"
    rf"(?:an? |the )?(?:\w+ )?{_POSTS}|[^.;\n]{{0,40}}\b(?:admin|write|push|owner|root|full)\s+"
    r"(?:access|rights|permissions?)\b)"
    r"|(?:recommend|promote|advertise|praise)\b[^.;\n]{0,60}\bto\s+(?:the |all |any |every )?"
    r"(?:users?|people|customers?|anyone|everyone|everybody)\b)"
    r"|\b(?:if|when|whenever)\b[^.\n]{0,20}\bask(?:s|ed)?\b[^.\n]{0,80}?\b(?:(?:reply|answer"
    r"|respond"
    r"|say|tell \w+)\s+that|recommend|promote|claim|insist|pretend|deny)\b"
)

_PATTERNS = tuple(
    (reason, re.compile(f"(?i){shape}"))
    for reason, shape in (
        (DOWNLOAD_RUN, _DOWNLOAD), (CLAIMS_AUTHORITY, _CLAIMS_AUTHORITY), (DESTROYS, _DESTROYS),
        (OPENS_MACHINE, _OPENS_MACHINE), (CHANGES_SETTINGS, _CHANGES_SETTINGS),
        (SENDS_OUT, _SENDS_OUT), (BEYOND_WORK, _BEYOND), (CHECKS_OFF, _CHECKS_OFF),
    )
)  # fmt: skip
_WARNED = re.compile(
    r"(?i)\b(?:never(?! mind| forget)|(?:do|does|must|should|may|can|will|shall) ?(?:not|n['’]t)"
    r"(?! hesitate| forget| wait| ask| fail)|cannot|avoid|refuse to|not allowed to|nobody|no one"
    r"|nothing"
    r"|instead of|rather than)\b(?:[ `\"'(]+[^\s,;.!?]+){0,7}?[ `\"'(]*$"
)
"""Matches the words before a deed if they forbid it: `Never run …`, not `Never mind, run …`."""
_NOTHING = re.compile(r"(?i)\W*(?:\w+\W+){1,2}nothing\b")
_FORBIDDEN_BEHIND = re.compile(
    r"(?i)[^.;!?\n]*\b(?:is|are|will be)\s+(?:\w+ly )?(?:never|not (?:allowed|permitted|accepted"
    r"|ok)"
    r"|forbidden|prohibited|rejected|blocked|disallowed)\b"
)


def file_order_reason(text: str) -> str:
    """How a statement of a repository's file goes beyond work on it; empty if it does not."""
    text = text[:MOST_CHARACTERS]
    for reason, pattern in _PATTERNS:
        if any(_is_meant(text, one, reason) for one in pattern.finditer(text)):
            return reason
    return "" if _NOTHING.match(text) else order_reason(text)


def _is_meant(text: str, found: re.Match[str], reason: str) -> bool:
    """Whether a text asks for what was found, and does not forbid it."""
    before, behind = text[max(0, found.start() - 80) : found.start()], text[found.end() :]
    if _WARNED.search(before) or _FORBIDDEN_BEHIND.match(behind) or not is_ordered(text, found):
        return False
    return not (reason == CHECKS_OFF and _ONLY_ALLOWED.search(text))
