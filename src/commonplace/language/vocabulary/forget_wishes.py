"""Phrases by which people ask to forget a matter that they name, in seven western languages.

Texts are compared without regard to case, with plain apostrophes and single spaces. A phrase counts
only where a sentence or clause begins, so that `don't forget X` and `she said to forget X` are no
wishes.
"""

# ruff: noqa: E501 - a phrase cannot be broken

from __future__ import annotations

from .off_record import GOES_ON
from .wish_wording import NEVER, WishWording, each_phrase

_ENGLISH = {
    "gone": "(forget|forget about|never mind|nevermind|scrap|scratch|drop|disregard|ignore|strike"
    "|delete|erase|remove|discard|unsay|take back|i take back)",
    "off": "(forget|scrap|scratch|drop|delete|remove|erase|strike|ditch|bin|discard|wipe"
    "|throw away|throw out|get rid of)",
    "said": "(said|say|told you|told u|tell you|mentioned|wrote|was saying|explained|shared|noted)",
    "when": "(earlier|before|last time|yesterday|last week|the other day|back then|to you|once)",
    "on": "(about|on|regarding|concerning|of)",
    "memory": "([your|the] memory|your (memories|notes|records|head|mind)|the (notes|record)"
    "|what you (know|remember|keep|have stored))",
    "may": "(you can|you may|you could|you should|feel free to|we can|i want you to|please)",
    "clause": r"(?=(?:the|an?|my|our|your|his|her|their|its|i|we|you|s?he|they|there|every|each|no)"
    r"\b|i'|we'|you'|s?he'|they'|there'|\w+(?: \w+)? (?:is|are|was|were|will|can|must|\w\w+s) )",
}
_GERMAN = {
    "gone": "(vergiss|vergesst|vergessen Sie|streich|streiche|streichen Sie|ignorier|ignoriere"
    "|lösch|lösche|löschen Sie|verwirf|nimm zurück|ich nehme zurück)",
    "please": "(bitte|mal|einfach|doch|ruhig|wieder|jetzt|also|gern)",
    "said": "(gesagt|erzählt|geschrieben|erwähnt|gemeint|notiert|erklärt)",
    "on": "(über|zu|zum|zur|von|vom|wegen|bezüglich|mit)",
    "may": "(kannst du|könnt ihr|können Sie|darfst du)",
}
_FRENCH = {
    "gone": "(oublie|oubliez|efface|effacez|ignore|ignorez|supprime|supprimez|raye|laisse tomber"
    "|laissez tomber|annule|annulez|retire|retirez|enlève|enlevez)",
    "said": "(j'ai dit|j'avais dit|je t'ai dit|je vous ai dit|je t'avais dit|je t'ai raconté"
    "|j'ai raconté|j'ai écrit|je disais|j'ai mentionné)",
    "on": "(sur |à propos de |à propos du |à propos d'|au sujet de |au sujet du |concernant |de "
    "|du |des |d')",
}
_SPANISH = {
    "gone": "(olvida|olvide|olvídate de|olvídese de|borra|borre|ignora|ignore|descarta|descarte"
    "|elimina|elimine|quita|quite|tacha)",
    "said": "(dije|he dicho|había dicho|conté|comenté|mencioné|escribí|decía)",
    "on": "(sobre |acerca de |acerca del |respecto a |de |del )",
}
_ITALIAN = {
    "gone": "(dimentica|dimentichi|dimenticati di|dimenticati|scorda|scordati di|scordati|cancella"
    "|cancelli|ignora|ignori|lascia perdere|lasci perdere|lascia stare|elimina|togli|rimuovi)",
    "said": "(ho detto|avevo detto|ti ho detto|ti avevo detto|ho raccontato|ti ho raccontato"
    "|ho scritto|dicevo|ho menzionato)",
    "on": "(su |sul |sullo |sulla |sui |sugli |sulle |sull'|di |del |dello |della |dei |degli "
    "|delle |dell'|riguardo a |riguardo al |riguardo alla |a proposito di |a proposito del "
    "|a proposito della |con |con il |con la )",
}
_PORTUGUESE = {
    "gone": "(esquece|esqueça|esquecer|apaga|apague|ignora|ignore|descarta|descarte|desconsidera|desconsidere|risca|risque"
    "|remove|remova|tira|tire)",
    "said": "(disse|falei|contei|escrevi|mencionei|tinha dito|te disse|lhe disse|te contei)",
    "on": "(sobre |acerca de |acerca do |acerca da |a respeito de |a respeito do |a respeito da "
    "|de |do |da |dos |das )",
}
_DUTCH = {
    "gone": "(vergeet|schrap|negeer|wis|verwijder)",
    "said": "(gezegd|verteld|geschreven|vermeld|zei|vertelde|schreef)",
    "on": "(over|van|met)",
    "clause": "(?=(?:de|het|een|ik|we|wij|hij|zij|ze|er|mijn|onze|ons|hun|elke?) )",
}

_SAID = each_phrase(
    (_ENGLISH,
     "what i|thing i|thing that i|all i|all that i|i mentioned|i brought|i told|i said|i spoke|i talked|i ever|i even|i just|i never|my remark|my comment|my words|my statement|my story", """
{gone} [all] (what|everything|anything|all) [that] (i|i've|i have) [just|ever|already] {said} [{when}] {on} X
{gone} [all] (what|everything|all) [that] (i|i've|i have) [just|ever|already] {said} {on} X [{when}]
forget [that] i [ever|even|just] (mentioned|brought up|told you about|said anything about|spoke of|talked about) X
(pretend|act as if|let's pretend) i never (mentioned|said anything about|told you about|brought up) X
forget my (remark|remarks|comment|comments|words|statement|story) {on} X
what i {said} [{when}] {on} X (forget it|forget that|scrap it|scratch that|drop it|never mind|doesn't count|no longer counts)
"""),
    (_GERMAN,
     "was ich", """
{gone} [{please}] [{please}] [alles] was ich [dir] [euch] [{please}] [neulich|vorhin|gestern|mal] {on} X {said} (habe|hab|hatte)
{gone} [{please}] [{please}] [alles] was ich [dir] [euch] {on} X {said}
{gone} [{please}] [{please}] [alles] was ich [dir] [euch] {said} (habe|hab|hatte) {on} X
was ich [dir] [neulich|vorhin|gestern|mal] {on} X {said} (habe|hab|hatte) (vergiss [das|es]|vergiss bitte|kannst du [wieder] vergessen|kannst du streichen|gilt nicht [mehr]|zählt nicht [mehr])
"""),
    (_FRENCH,
     "ce que", """
(ne tiens|ne tenez|tiens|tenez) (plus|pas) compte de ce que {said} {on}X
{gone} [tout] ce que {said} [hier|avant|tout à l'heure|l'autre jour] {on}X
"""),
    (_SPANISH,
     "lo que", """
no (hagas|haga) caso (de|a) lo que [te|le] {said} {on}X
{gone} [todo] lo que [te|le|os] {said} [antes|ayer|el otro día] {on}X
"""),
    (_ITALIAN,
     "quello che|ciò che|quanto", """
non (considerare|consideri|tenere conto di|tener conto di) (quello che|ciò che|quanto) {said} {on}X
{gone} [tutto] [di] (quello che|ciò che|quanto) {said} [prima|ieri|l'altro giorno] {on}X
"""),
    (_PORTUGUESE,
     "o que |aquilo que", """
{gone} [tudo] [d](o que|aquilo que) [eu] [te|lhe] {said} [antes|ontem|no outro dia] {on}X
"""),
    (_DUTCH,
     "wat ik", """
{gone} [maar|alsjeblieft] [alles] wat ik [je|jou] {on} X [heb] {said} [heb]
{gone} [maar|alsjeblieft] [alles] wat ik [je|jou] [heb] {said} [heb] {on} X
"""),
)  # fmt: skip

_NOTED = each_phrase(
    (_ENGLISH,
     " note| memor| reminder| memo | entr| everything| anything| all | record| your head| your mind|what you |remember|unlearn", """
(forget|erase|delete|remove|wipe|drop) (everything|all|anything) [that] (you|you've|you have) [just|ever] (know|have|got|remember|remembered|noted|stored|saved|kept) {on} X
(you don't need to|no need to|you can stop) (keep|keeping|remember|remembering) (the|my|that|any) note {on} X
({off}|disregard|ignore) (the|my|your|that|any|all|all your) [earlier|old|last|previous] (note|notes|memory|memories|reminder|memo) (on|about|of|regarding|concerning|for|that says|with) X
{off} (your|that) (entry|entries|record|records) (on|about|regarding|concerning|for) X
(strike|delete|remove|erase|wipe|clear|drop|scrub|cross|scratch|cut|take) X (from|out of|off) {memory}
(stop remembering|unlearn|no longer remember|you no longer need to remember|you don't need to remember|no need to remember) X any more
(stop remembering|unlearn|you no longer need to remember) X
"""),
    (_GERMAN,
     "notiz|erinnerung|gedächtnis|speicher| alles ", """
{gone} [{please}] [{please}] alles {on} X
{gone} [{please}] alles was du {on} X weißt
{gone} [{please}] (die|deine|meine) (notiz|notizen|erinnerung) {on} X
(lösch|lösche|streich|streiche|entfern|entferne|wirf|nimm) [{please}] X (aus|von) (deinem|dem|deinen|den) (gedächtnis|speicher|notizen|erinnerungen)
"""),
    (_FRENCH,
     " note| souvenir|mémoire| tout ce que", """
{gone} tout ce que (tu sais|vous savez|tu as retenu) (sur |de |du |des |à propos de )X
{gone} (la|ta|ma|votre|tes|les|mes) (note|notes|souvenir|mémoire) {on}X
(efface|effacez|supprime|supprimez|raye|retire|retirez|enlève|enlevez|oublie) X de (ta|la|votre) mémoire
(efface|effacez|supprime|supprimez|raye|retire|retirez|enlève|enlevez) X de (tes|vos) notes
"""),
    (_SPANISH,
     " nota|memoria| apunte| todo lo que", """
{gone} todo lo que (sabes|sabe) (de |del |sobre )X
{gone} (la|tu|mi|las|tus|mis) (nota|notas|memoria|apunte|apuntes) {on}X
(borra|borre|elimina|elimine|quita|quite|tacha|saca) X de (tu|la|su) memoria
(borra|borre|elimina|elimine|quita|quite|tacha|saca) X de (tus|las|sus) (notas|apuntes)
"""),
    (_ITALIAN,
     " nota| note|appunti|memoria| tutto ", """
{gone} tutto (quello che|ciò che) (sai|sa) {on}X
{gone} (la|la tua|la mia|le|le tue|gli|i tuoi) (nota|note|appunti|memoria) {on}X
(cancella|cancelli|elimina|togli|rimuovi) X (dalla [tua] memoria|dai [tuoi] appunti|dalle [tue] note)
"""),
    (_PORTUGUESE,
     " nota|anotaç|memória| tudo ", """
{gone} tudo o que (sabes|sabe|você sabe) (sobre |de |do |da )X
{gone} (a|a tua|a sua|a minha|as|as tuas|as suas) (nota|notas|anotação|anotações|memória) {on}X
(apaga|apague|remove|remova|tira|tire|risca|risque) X (da [tua|sua] memória|das [tuas|suas] (notas|anotações))
"""),
    (_DUTCH,
     "notitie|herinnering|geheugen", """
{gone} (de|je|mijn) (notitie|notities|herinnering) {on} X
(wis|schrap|verwijder|haal) X uit (je|het) (geheugen|notities)
"""),
)  # fmt: skip

_NAMED = each_phrase(
    (_ENGLISH,
     " thing| business| stuff| bit| matter| story| topic| saga", """
(forget|forget about|scrap|drop|ditch|scratch|strike|bin|lose|nix|never mind|nevermind|never mind about|disregard|ignore) (the|that|this|my|our) [whole] X (thing|business|stuff|bit|matter|story|topic|saga)
({off}|forget|ignore|disregard|never mind) (the|that|this|my) [whole] (thing|business|bit|part|matter|story) (about|with|on|of) X
(the|that|my|our) X (thing|business|matter|story|saga) [is off|is over|is gone|fell through] (forget it|forget about it|scrap it|scrap that|drop it|scratch that|never mind|you can forget it)
"""),
    (_GERMAN,
     " mit | von | wegen | um |-sache|-geschichte|-ding|-thema", """
(vergiss|vergesst|vergessen Sie|streich|streiche|streichen Sie|lass|lasst|verwirf|lösch|lösche|ignorier|ignoriere) [{please}] [{please}] (das|die sache|die geschichte|das thema|den punkt|das ganze) (mit|von|wegen|um) X
(nimm|nehmen Sie) [{please}] (das|die sache) (mit|von|wegen) X zurück
(vergiss|vergesst|vergessen Sie|streich|streiche) [{please}] [{please}] (die|das|den) X-(sache|geschichte|ding|thema)
{may} [{please}] [{please}] (das|die sache|die geschichte|das thema) (mit|von|wegen|um) X (vergessen|streichen|lassen|löschen)
(das|die sache|die geschichte|das thema) (mit|von|wegen|um) X ({may} [{please}] (vergessen|streichen|lassen|löschen)|vergiss [{please}]|hat sich erledigt|ist hinfällig|ist gestrichen)
"""),
    (_FRENCH,
     "histoire|truc|affaire|chose|sujet|question", """
{gone} (l'histoire|cette histoire|le truc|l'affaire|la chose|cette affaire|le sujet|la question) (de |du |des |d'|avec |sur )X
"""),
    (_SPANISH,
     " lo | eso | tema| asunto| historia| cosa", """
({gone}|deja) (lo|eso|el tema|el asunto|la historia|la cosa) (de |del |con |sobre )X
"""),
    (_ITALIAN,
     "storia|faccenda|questione|discorso| cosa|argomento", """
{gone} (la storia|la faccenda|la questione|il discorso|la cosa|quella cosa|l'argomento) {on}X
"""),
    (_PORTUGUESE,
     "aquilo|isso|coisa|história|lance|assunto|questão", """
({gone}|deixa|larga) (aquilo|isso|essa coisa|aquela coisa|a história|essa história|o lance|o assunto|a questão) {on}X
"""),
    (_DUTCH,
     " dat | verhaal| gedoe| kwestie", """
{gone} (dat|het verhaal|het gedoe|de kwestie) {on} X
"""),
)  # fmt: skip

_LET_GO = each_phrase(
    (_ENGLISH,
     "forget |never mind about|nevermind about|let go of", """
(forget about|forget all about|forget everything about|never mind about|let go of|forget my) X
{may} [just|safely|now|also] (forget|forget about|forget all about|forget everything about) X
"""),
    (_GERMAN,
     "vergessen", """
{may} [{please}] X [{please}] vergessen
du (kannst|darfst) [{please}] X [{please}] vergessen
X (kannst du|können Sie|könnt ihr) [{please}] vergessen
"""),
    (_FRENCH,
     "laisse|oublie", """
(laisse tomber|laissez tomber|tu peux oublier|vous pouvez oublier) X
(oublie|oubliez) tout (de |du |des |d'|sur )X
"""),
    (_SPANISH,
     "olvid|olvíd", """
(olvídate de|olvídese de|olvídate del|puedes olvidar|ya puedes olvidar|puedes olvidarte de|puedes olvidarte del) X
(olvida|olvide) todo (sobre |de |del )X
"""),
    (_ITALIAN,
     "lasci|scord|diment", """
(lascia perdere|lasci perdere|lascia stare|scordati di|scordati|puoi dimenticare|puoi scordare|puoi dimenticarti di) X
(dimentica|dimentichi) tutto (su |sul |sulla |di |del |della )X
"""),
    (_PORTUGUESE,
     "deixa|esquec|esqueç|larga", """
(deixa pra lá|deixa para lá|pode esquecer|podes esquecer|esquece de vez|larga) X
(esquece|esqueça) tudo (sobre |de |do |da )X
"""),
    (_DUTCH,
     "laat |vergeten", """
(laat) X maar (zitten|los)
je (mag|kunt|kan) X [maar] vergeten
"""),
)  # fmt: skip

_STATED = each_phrase(
    (_ENGLISH,
     "forget that |fact that ", """
forget (that {clause}|the fact that )X
"""),
    (_GERMAN,
     " dass ", """
(vergiss|vergesst|vergessen Sie) [{please}] [{please}] dass X
{may} [{please}] [{please}] vergessen dass X
"""),
    (_FRENCH,
     "oublie", """
(oublie|oubliez|tu peux oublier|vous pouvez oublier) (que |qu')X
"""),
    (_SPANISH,
     " que ", """
(olvida|olvide|olvídate de|puedes olvidar) que X
"""),
    (_ITALIAN,
     " che ", """
(dimentica|dimentichi|dimenticati|scorda|scordati|puoi dimenticare) che X
"""),
    (_PORTUGUESE,
     " que ", """
(esquece|esqueça|pode esquecer|podes esquecer) que X
"""),
    (_DUTCH,
     "vergeet dat ", """
vergeet dat {clause}X
"""),
)  # fmt: skip

_TRAILING = (
    r"(?:,? (?:please|pls|thanks|thank you|now|any ?more|already|again|ok|okay|entirely|altogether"
    r"|completely|too|as well|then|bitte|danke|wieder|jetzt|s'il te plaît|s'il vous plaît|stp|svp"
    r"|merci|por favor|gracias|ya|per favore|grazie|obrigad[oa]|alsjeblieft|aub|earlier|yesterday|afterwards?|later|immediately"
    r"|before|from (?:your |the )?(?:memory|notes|records)))+"
)
_LEADS = """
please pls plz just ok okay hey hi oh ah hm hmm well actually btw by the way so and but also then
now no nope right sorry anyway you know what on second thought in fact let's lets can could would
you we bitte kannst könntest du ach also und aber übrigens jetzt doch ja nein gut s'il te plaît svp
bon alors et mais finalement non oui tu peux por favor oye bueno y pero mejor entonces sí per favore
senti ma e allora anzi ora olha então mas agora sim alsjeblieft dus en nou
"""
_ASKS = (
    r"(?:(?:i|we)(?:'d| would| really| do| just)* (?:want|like|love|need|wish|prefer|ask)(?: that)?"
    r"(?: (?:you|u))?(?: to| would)?|(?:you|we) (?:should|must|need to|have to|might|may|better)"
    r"|you(?:'d| had) better|je (?:veux|voudrais|souhaite|préfère) que (?:tu|vous)"
    r"|j'aimerais que (?:tu|vous)|(?:quiero|quisiera|prefiero|me gustaría) que"
    r"|(?:voglio|vorrei|preferisco) che(?: tu)?|(?:quero|queria|prefiro) que(?: você)?"
    r"|ich (?:will|möchte),? dass du|ik wil dat je)"
)
_NEGATED = (
    r"\b(?:don'?t|do not|did(?:n't)?|does(?:n't)?|won't|can't|cannot|not|never|no|non|não|nao"
    r"|nunca|jamás|jamais|mai|nicht|nie|niemals|niet|nooit|n'|ne)\s*$"
)

_REPORTS = (
    r"\b(?:sa(?:ys?|id)|t(?:ells?|old)|wr(?:ites?|ote|itten)|asks?|asked|reads?|means|called|titled"
    r"|if|whether|when(?:ever)?|unless|must|should|users?|customers?|button|label|message|quote|hieß"
    r"|translat\w+|sentences?|phrases?|rename|titles?|headings?|übersetz\w*|satz|tradui\w+|traduc\w+"
    r"|tradur\w+|traduz\w*|vertaal"
    r"|sagt\w*|meint\w*|schrieb\w*|wenn|falls|sobald|dit|disait|écri\w+|si|quand|dijo|dice|cuando"
    r"|detto|disse|quando|zei)\b"
)

_WORKS_ON = (
    r"\W*(?:and |then |so |instead |rather )*(?:(?:if|unless|when|while|until|before|once|wenn|si|se"
    r"|falls|bis)\b|(?:let's|lets|just|focus|use|do|fix|run|try|start|make|write|add|go|look|keep"
    r"|check|first|move|work|continue|concentrate|mach|nimm|fais|faisons|haz|hagamos|fai|facciamo"
    r"|faça|vamos|doe)\b)"
)

_FOR_NOW = (
    r"\b(?:for (?:now|a (?:moment|second|minute|bit|while)|the moment|the time being|today|this"
    r" (?:one|pr|time))|right now|just now|at the moment|until|this time|erst ?mal|vorerst"
    r"|fürs erste|im moment|pour (?:l'instant|le moment|aujourd'hui)|por (?:ahora|el momento|hoy"
    r"|enquanto|agora)|per (?:ora|adesso|il momento|oggi)|voorlopig)\b"
)

_EVERYTHING = "everything all alles tout todo tutto tudo"

_POINTING = """
that this those these das dies es questo quello dit dat isso isto esto eso ça cela ceci
"""
_NO_MATTER = """
it them me us him her everything anything nothing all what how when why who
where which whatever whether having trying doing to was wie wann warum wer wo alles
nichts tout rien quoi comment quand que todo nada qué cómo cuando
ciò tutto niente come tudo alles niets not nicht pas non não niet whole same other first
second last entire old new little silly stupid
"""

_OF_THE_WORK = """
cache caches caching table tables column columns row rows branch branches file files folder folders
directory test tests unit build builds server servers database db index migration migrations error
errors exception exceptions bug bugs warning warnings typo typos semicolon comma whitespace commit
commits pr prs pull merge rebase code function functions class classes method methods variable
variables type types import imports script scripts container containers image images log logs
logging deploy pipeline ci lint linter docs readme comment comments line lines string strings page
pages button css style styles styling layout endpoint endpoints query queries config flag flags
option options stash patch diff change changes edit edits draft output input loop step steps rest
todo todos task tasks ticket tickets issue issues feature features refactor refactoring formatting
parser module modules package packages dependency dependencies argument arguments parameter header
headers footer animation datei dateien tabelle tabellen zweig fehler spalte ordner klasse funktion
zeile fichier fichiers branche erreur erreurs dossier ligne fonction archivo archivos tabla tablas
rama caché errores línea función carpeta tabella ramo errore errori riga funzione cartella arquivo
arquivos tabela erro erros linha função pasta bestand tabel fout regel
"""

_DIVIDES = r"\b(?:and|so|but|then|und|aber|et|mais|y|pero|e|ma|mas|en)"
_GOES_ON = GOES_ON.removeprefix("(?i)")
_ANY_LEAD = "|".join(_LEADS.split())

WESTERN = WishWording(
    said=_SAID,
    noted=_NOTED,
    named=_NAMED,
    let_go=_LET_GO,
    stated=_STATED,
    reproaches=r"(?<!\bcan )(?<!\bcould )(?<!\bwould )\b(?:you|we|vous) $",
    matter=r"(?P<about>(?:[^.,;:!?\n]|(?<=\b[dm]r)\.|[.:](?=\w)){2,80}?)",
    start=(
        rf"(?:^|[,;.!?:–—]\s+|\s-\s|\b(?:and|so|but|und|aber|et|mais|y|pero|e|ma|mas|en) )"
        rf"\W{{0,2}}(?:(?:{_ANY_LEAD})[ ,]+)*"
    ),
    end=rf"(?<!\b[dm]r)(?=(?:{_TRAILING})?(?:\s*(?:$|[\n.,;:!?)…—–]|- )|{_GOES_ON}))",
    clauses=rf"[,;.!?:–—…(\n]\s*|\s-\s|{_DIVIDES}\s",
    leads=rf"\b(?:{_ANY_LEAD})\b",
    asks=rf"{_ASKS}\b",
    negated=_NEGATED,
    reports=_REPORTS,
    unmeant=NEVER,
    trailing=_TRAILING,
    reason=rf"(?! (?:and|but|aber|mais|pero|ma|mas|maar)\b){_GOES_ON}",
    works_on=_WORKS_ON,
    for_now=_FOR_NOW,
    everything=frozenset(_EVERYTHING.split()),
    pointing=frozenset(_POINTING.split()),
    no_matter=frozenset(_NO_MATTER.split()),
    of_the_work=frozenset(_OF_THE_WORK.split()),
)
