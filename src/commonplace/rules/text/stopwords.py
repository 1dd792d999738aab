"""Words that say nothing about what a question is about, without accents as search compares them.

Words that mean something in another of these languages (`die`, `war`, `may`) are left out.
"""

from __future__ import annotations

ENGLISH = """
a about after again all also am an and any are aren't as at be because been before being both but
by can can't cannot could couldn't did didn't do does doesn't doing don't down during each else
ever few for from further get gets got had hadn't has hasn't have haven't having he he's her here
hers herself him himself his how how's i i'd i'll i'm i've if in into is isn't it it's its itself
just let let's like me might more most must my myself no nor not now of off on once one only or
other our ours ourselves out over own please same shall she she's should shouldn't so some such
tell than that that's the their theirs them themselves then there there's these they they're this
those through to too under until up upon us very was wasn't we we're were weren't what what's when
where which while who who's whom whose why will with won't would wouldn't yes you you'd you'll
you're you've your yours yourself yourselves
"""
GERMAN = """
aber als am an auch auf aus bei bin bis bist da damit dann das dass dein dem den der des dich
diese diesem diesen dieser dieses dir doch du durch ein eine einem einen einer eines er es
euch haben habe hatte ich ihm ihn ihr ihre im in ins ist ja kann kein keine konnen mein
meine mich mir mit muss nach nicht noch nur ob oder ohne schon sein seine sich sie sind so soll
uber um und uns unser unter vom von vor wann waren warum was weil welche welchem welchen
welcher welches wenn wer werden wie wieder wir wird wo wurde zu zum zur
"""
FRENCH = """
au aux avec ce ces cette dans de des du elle elles en est et eux il ils je la le les leur leurs lui
ma mais me mes moi mon ne nos notre nous ou par pas qu que quel quelle quels quelles qui sa
ses sont sur ta te tes toi ton tu un une vos votre vous etait etre
"""
SPANISH = """
al como con cual cuando de del donde el ella ellas ellos en era es esta
este esto la le les lo mi mis muy mas nos o para pero por porque que quien se ser
si sobre su sus tambien te tu un una unos y ya yo
"""

FURTHER = """
al alla anche che cosa cui da dal dalla degli dei del della delle di dopo ed gli hai il le loro lui
mie mio nel nella noi non perche piu qual quale quali quando quante quanti quanto sono sua sul sulla
suo tra tu un una uno voi
ao aos as da das do dos ele em foi isso mas meu minha no nos nao onde ou para pela pelo por qual
quais quando quanto quantos que quem seu sua um uma
aan dat de deze dit een er haar heb heeft het hij hoe ik is je kan maar mijn naar niet om ook op te
uit voor waar wanneer wat we welke wie wij zij zijn
aby bardzo bez byc byl byla bylo czy dla do gdy gdzie ich ile jak jaka jaki jakie jest jestem kiedy
kto ktora ktore ktory mnie moj nad nie od po przez przy sie tak tego tu we wiec za ze
acaba ama bana bir bu da daha de diye gibi hangi icin ile kac nasil ne neden nerede nereye siz ve
veya ya yok
"""
"""Italian, Portuguese, Dutch, Polish and Turkish."""

STOPWORDS = frozenset(f"{ENGLISH} {GERMAN} {FRENCH} {SPANISH} {FURTHER}".split())

_SIGNS = """
auch auf aus dass dem den der des ein eine einem einen einer fur ich ist mit nicht oder sich sind
und uns unser von werden wie wir wird wurde zu zum zur uber
"""
GERMAN_SIGNS = frozenset(_SIGNS.split())
"""Two of these and a text is taken for German."""
